import { assert, luhnCheckDigit, type Random } from '@tallystick/kernel';
import { Pan } from './pan.ts';

const card_number_length = 16;

/** The leading digits that all virtual numbers of a real card share. */
export const account_range_form = /^\d{6,12}$/;

export function accountRangeSize(account_range: string): number {
  assert(account_range_form.test(account_range), 'an account range is 6 to 12 digits');
  return 10 ** (card_number_length - account_range.length - 1);
}

/** Draws a card number: the account range, uniform digits, and the Luhn check digit. */
export function drawCardNumber(account_range: string, random: Random): Pan {
  return cardNumberAt(account_range, random.below(accountRangeSize(account_range)));
}

/** The card number at a place in the account range, from 0 on. */
export function cardNumberAt(account_range: string, place: number): Pan {
  const free = card_number_length - account_range.length - 1;
  const digits = account_range + String(place).padStart(free, '0');
  return new Pan(digits + luhnCheckDigit(digits));
}
