import { isLuhnValid, maskedNumber } from '@tallystick/cards';

/** Runs of digits as long as a card number; not the decimals of a fraction, such as a duration. */
const digit_runs = /(?<!\d|\d\.)\d{13,19}(?!\d)/g;

/**
 * The text with everything that could be a card number (13 to 19 digits that pass the Luhn check) masked to its last four
 * digits. The last guard before a log line leaves: a caller may have written a number where none belongs. Digits in groups,
 * which `withoutCardNumbers` sees in people's text, are left alone here: the groups of one UUID in a thousand would pass for a number.
 */
export function withoutNumbers(text: string): string {
  return text.replace(digit_runs, (digits) => (isLuhnValid(digits) ? maskedNumber(digits.slice(-4)) : digits));
}

/** Whether the text holds what could be a card number. */
export function holdsNumber(text: string): boolean {
  return withoutNumbers(text) !== text;
}
