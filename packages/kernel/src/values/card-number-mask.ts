import { isLuhnValid } from './luhn.ts';

/**
 * The one rule of what could be a card number where none belongs, and of what stands there instead: its last four digits, behind a
 * mask. The functions differ in how the digits may be written: the more ways, the more other numbers are taken for one of a card.
 */

/**
 * How card numbers begin, by their length (ISO/IEC 7812: the ranges of the networks). Those of 16 digits, which virtual cards have,
 * may begin with anything. One in ten of all numbers passes the Luhn check: without this rule it would cost other systems their
 * references, such as the 15 digits of an ACH trace number or the 13 of a time.
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
export function maskedNumber(last4: string): string {
  return `************${last4}`;
}

/** Not the decimals of a fraction, such as a duration. */
const unbroken = /(?<!\d|\d\.)\d{13,19}(?!\d)/g;

/**
 * For the lines of a log: digits in one run. Those in groups are left alone, for there are many UUIDs in a log, and the
 * groups of one in a thousand would pass for a number.
 */
export function withoutNumbers(text: string): string {
  return masked(text, unbroken);
}

/**
 * The groups in which numbers are embossed on cards, whatever stands between them; the longest first, for what follows a
 * number may look like a group of it. Other groups are those of dates and UUIDs.
 */
const embossed = [/\d{4}-\d{4}-\d{4}-\d{4}-\d{1,3}/, /\d{4}-\d{4}-\d{4}-\d{1,7}/, /\d{4}-\d{6}-\d{4,5}/].map(
  ({ source }) => new RegExp(`(?<![0-9A-Za-z])${source.replaceAll('-', '[^0-9A-Za-z]')}(?![0-9A-Za-z])`, 'g'),
);

/** For data of other systems, ids and all: digits in one run, or in the groups that are embossed on cards. */
export function withoutEmbossedNumbers(text: string): string {
  return embossed.reduce(masked, withoutNumbers(text));
}

const grouped = /(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)/g;

/** For what people write: digits in one run, or in any groups, with single spaces or hyphens between them. */
export function withoutCardNumbers(text: string): string {
  return masked(text, grouped);
}

/** What is written so and fails the check may still hold the beginning of what passes it: the search goes on within. */
function masked(text: string, written: RegExp): string {
  let result = '';
  let done = 0;
  written.lastIndex = 0;
  for (let found = written.exec(text); found !== null; found = written.exec(text)) {
    const digits = found[0].replace(/\D/g, '');
    if (isCardNumber(digits)) {
      result += text.slice(done, found.index) + maskedNumber(digits.slice(-4));
      done = written.lastIndex;
    } else {
      written.lastIndex = found.index + 1;
    }
  }
  return result + text.slice(done);
}
