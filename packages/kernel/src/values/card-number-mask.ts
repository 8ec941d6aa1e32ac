import { isLuhnValid } from './luhn.ts';

/**
 * The one rule for digits that could be a card number where none is allowed. They are replaced by a
 * mask and their last four digits. The functions differ in the notations that they recognize. The
 * more notations, the more other numbers are mistaken for card numbers.
 */

/**
 * The leading digits of card numbers, by their length (ISO/IEC 7812: the ranges of the networks).
 * Numbers of 16 digits, the length of virtual cards, may begin with anything. One in ten of all
 * numbers passes the Luhn check, so without this rule references of other systems would be masked,
 * for example the 15 digits of an ACH trace number or the 13 digits of a time.
 */
const beginnings: Readonly<Record<number, RegExp>> = {
  13: /^(?:4|5[0678])/,
  14: /^(?:3(?:0[0-5]|[689])|5[0678])/,
  15: /^(?:3[47]|5[0678])/,
  16: /^/,
  17: /^(?:5[0678]|6)/,
  18: /^(?:5[0678]|6)/,
  19: /^(?:3[0568]|4|5[0678]|6)/,
};

function isCardNumber(digits: string): boolean {
  return (beginnings[digits.length]?.test(digits) ?? false) && isLuhnValid(digits);
}

/** How a number is shown to those who may not see it (decision: virtual cards). */
export function maskNumber(last4: string): string {
  return `************${last4}`;
}

/** Excludes the decimals of a fraction, for example of a duration. */
const unbroken = /(?<!\d|\d\.)\d{13,19}(?!\d)/g;

/**
 * For log lines: digits in one run. Digits in groups are not masked, because logs contain many
 * UUIDs, and the groups of one in a thousand would pass for a card number.
 */
export function maskUnbrokenNumbers(text: string): string {
  return mask(text, unbroken);
}

/**
 * The groups in which numbers are embossed on cards, with any separator. The longest pattern comes
 * first, because characters after a number may look like one of its groups. Dates and UUIDs have
 * other groups.
 */
const embossed = [/\d{4}-\d{4}-\d{4}-\d{4}-\d{1,3}/, /\d{4}-\d{4}-\d{4}-\d{1,7}/, /\d{4}-\d{6}-\d{4,5}/].map(
  ({ source }) => new RegExp(`(?<![0-9A-Za-z])${source.replaceAll('-', '[^0-9A-Za-z]')}(?![0-9A-Za-z])`, 'g'),
);

/**
 * For data and ids of other systems: digits in one run, or in the groups that are embossed on
 * cards.
 */
export function maskEmbossedNumbers(text: string): string {
  return embossed.reduce(mask, maskUnbrokenNumbers(text));
}

const grouped = /(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)/g;

/**
 * For text that people write: digits in one run, or in any groups, with single spaces or hyphens
 * between them.
 */
export function maskCardNumbers(text: string): string {
  return mask(text, grouped);
}

const digit_runs = /\d(?:[^0-9A-Za-z:]{0,3}\d){11,}/g;

/**
 * For invalid values that a message repeats: any run of 12 or more digits, in groups too. A card number with a typing error
 * fails the check, so nothing is checked here, and no digit stays.
 */
export function maskDigitRuns(text: string): string {
  return text.replace(digit_runs, '(many digits)');
}

/**
 * After a match that fails the check, the search continues inside it, because a card number may
 * begin there.
 */
function mask(text: string, written: RegExp): string {
  let result = '';
  let done = 0;
  written.lastIndex = 0;
  for (let found = written.exec(text); found !== null; found = written.exec(text)) {
    const digits = found[0].replace(/\D/g, '');
    if (isCardNumber(digits)) {
      result += text.slice(done, found.index) + maskNumber(digits.slice(-4));
      done = written.lastIndex;
    } else {
      written.lastIndex = found.index + 1;
    }
  }
  return result + text.slice(done);
}
