import { type Money, maskCardNumbers, money, showDecimal } from '@tallystick/kernel';

/** An amount of the standard: never negative, in major units. */
export interface ShownAmount {
  readonly Amount: string;
  readonly Currency: string;
}

export type CreditDebitIndicator = 'Credit' | 'Debit';

export function showAmount(amount: Money, currency: string): ShownAmount {
  return { Amount: showDecimal(money(Math.abs(amount)), currency), Currency: currency };
}

/** Of a balance: one of zero is a credit balance (OBCreditDebitCode). */
export function indicatorOfBalance(balance: Money): CreditDebitIndicator {
  return balance < 0 ? 'Debit' : 'Credit';
}

/** A calendar date as the standard writes it: its midnight in UTC. */
export function showDay(date: string): string {
  return `${date}T00:00:00Z`;
}

/** Text of at most this many characters (code points); undefined for none. */
export function shortened(text: string | null, length_max: number): string | undefined {
  if (text === null || text === '') return undefined;
  return text.length <= length_max ? text : [...text].slice(0, length_max).join('');
}

/**
 * The text with its card numbers masked, as `shortened`: a mask can be longer than the number that it
 * hides.
 */
export function maskedText(text: string | null, length_max: number): string | undefined {
  return shortened(text === null ? null : maskCardNumbers(text), length_max);
}

/** The object without members that are undefined. */
export function present<Shape extends object>(shape: Shape): Shape {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as Shape;
}
