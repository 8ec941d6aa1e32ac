import { assert, luhnCheckDigit, type Random } from '@tallystick/kernel';
import { Pan } from './pan.ts';

export const card_number_length = 16;

/** Draws a card number: the account range, uniform digits, and the Luhn check digit. `account_range` is 6 to 12 digits. */
export function drawCardNumber(account_range: string, random: Random): Pan {
  assert(/^[0-9]{6,12}$/.test(account_range), 'an account range is 6 to 12 digits');
  const free = card_number_length - account_range.length - 1;
  const digits = account_range + String(random.below(10 ** free)).padStart(free, '0');
  return new Pan(digits + luhnCheckDigit(digits));
}
