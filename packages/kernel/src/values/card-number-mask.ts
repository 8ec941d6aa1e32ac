import { isIban } from './iban.ts';
import { isLuhnValid } from './luhn.ts';

/**
 * The one rule for digits that could be a card number where none is allowed (ADR 0026).
 *
 * - Free text, and data of other systems: `maskCardNumbers`, in any notation.
 * - Values that name or match: never masked. `cardNumbersIn` finds the numbers to look up.
 * - Invalid values that an error repeats: `maskDigitRuns`.
 * - Lines of the log: `maskUnbrokenNumbers`. They contain masked values and ids of the service.
 */

/**
 * The leading digits of card numbers, by their length (ISO/IEC 7812: the ranges of the networks).
 * Numbers of 16 digits, the length of virtual cards, may begin with anything. One in ten of all
 * numbers passes the Luhn check, so without this rule references of other systems would be masked,
 * for example the 15 digits of an ACH trace number or the 13 digits of a time. The longest number
 * is tried first, so that all of it is masked.
 */
const issuer_prefixes: readonly (readonly [length: number, prefix: RegExp])[] = [
  [19, /^(?:3[0568]|4|5[0678]|6)/],
  [18, /^(?:5[0678]|6)/],
  [17, /^(?:5[0678]|6)/],
  [16, /^/],
  [15, /^(?:3[47]|5[0678])/],
  [14, /^(?:3(?:0[0-5]|[689])|5[0678])/],
  [13, /^(?:4|5[0678])/],
];

const length_min = 13;

/** The most characters between two digits of one number, without invisible ones. */
export const separator_length_max = 8;

/** How a number is shown to those who may not see it (decision: virtual cards). */
export function maskNumber(last4: string): string {
  return `************${last4}`;
}

/**
 * Masks each card number in the text: the decimal digits of any script, in any groups, with up to
 * `separator_length_max` characters between two groups that are neither letters nor digits.
 * Invisible characters do not count. Numbers that overlap become one mask. A number that lies
 * within a UUID, an ISO date and time or an IBAN is a part of these. The time is linear in the
 * length.
 */
export function maskCardNumbers(text: string): string {
  if (!mayHoldDigits(text, length_min)) return text;
  const isStructured = structureCheck(text);
  let result = '';
  let done = 0;
  for (const digits of digitSequences(text, length_min)) {
    for (const [first, last] of merged(numbersOf(digits, isStructured))) {
      const last4 = digits.slice(last - 3, last + 1).map(({ digit }) => digit);
      result += text.slice(done, digits[first]!.start) + maskNumber(last4.join(''));
      done = digits[last]!.end;
    }
  }
  return done === 0 ? text : result + text.slice(done);
}

/** The card numbers of 16 digits in the text, in the notations that `maskCardNumbers` masks. */
export function cardNumbersIn(text: string): readonly string[] {
  if (!mayHoldDigits(text, 16)) return [];
  return digitSequences(text, 16).flatMap((digits) =>
    [...digits.keys()].flatMap((first) => (isNumberAt(digits, first, 16) ? [textOf(digits, first, 16)] : [])),
  );
}

/**
 * Masks the card numbers in the texts and whole numbers of a JSON value, at any depth. A masked
 * number becomes text. Names stay: see `hasNumberAsName`.
 */
export function maskJson(value: unknown): unknown {
  if (typeof value === 'string') return maskCardNumbers(value);
  if (typeof value === 'number' && Number.isInteger(value)) {
    const text = String(value);
    const masked = maskCardNumbers(text);
    return masked === text ? value : masked;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(maskJson);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskJson(inner)]));
}

/**
 * Whether the name of a property in a JSON value contains a card number. Such a value is refused:
 * two masked names could be equal, and one value would be lost.
 */
export function hasNumberAsName(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => maskCardNumbers(name) !== name || hasNumberAsName(inner));
}

/** The problem of such a value. */
export const number_as_name_problem = 'must not contain a card number as the name of a property';

const many_digits = 12;

/**
 * For invalid values that a message repeats: any run of 12 or more digits, in groups too. A card
 * number with a typing error fails the check, so nothing is checked here, and no digit stays.
 */
export function maskDigitRuns(text: string): string {
  if (!mayHoldDigits(text, many_digits)) return text;
  const isStructured = structureCheck(text);
  let result = '';
  let done = 0;
  for (const digits of digitSequences(text, many_digits)) {
    const [first, last] = [digits[0]!, digits.at(-1)!];
    if (isStructured(first.start, last.end)) continue;
    result += `${text.slice(done, first.start)}(many digits)`;
    done = last.end;
  }
  return result + text.slice(done);
}

/** Excludes the decimals of a fraction, for example of a duration. */
const unbroken = /(?<!\d|\d\.)\d{13,19}(?!\d)/g;

/**
 * For log lines: digits in one run. Digits in groups are not masked, because logs contain many
 * UUIDs and numbers of the service, and the groups of some would pass for a card number.
 */
export function maskUnbrokenNumbers(text: string): string {
  return text.replace(unbroken, (digits) => (isCardNumber(digits) ? maskNumber(digits.slice(-4)) : digits));
}

function isCardNumber(digits: string): boolean {
  const prefix = issuer_prefixes.find(([length]) => length === digits.length)?.[1];
  return prefix?.test(digits) === true && isLuhnValid(digits);
}

/** A decimal digit of a text, as an ASCII digit, with its place in the text. */
interface PlacedDigit {
  readonly digit: string;
  readonly start: number;
  readonly end: number;
  /** Whether a digit is directly before it, and directly after it. */
  readonly continues: boolean;
  is_continued: boolean;
}

/** Whether the text has so many ASCII digits or other characters outside of ASCII. */
function mayHoldDigits(text: string, count_min: number): boolean {
  let count = 0;
  for (let at = 0; at < text.length && count < count_min; at += 1) {
    const unit = text.charCodeAt(at);
    if ((unit >= 0x30 && unit <= 0x39) || unit >= 0x80) count += 1;
  }
  return count >= count_min;
}

const digit_or_number = /[\p{Nd}\p{No}]/gu;
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
const letter_or_number = /[\p{L}\p{N}]/u;

/**
 * The digits that one number could have, at least `count_min` of them, in the order of the text.
 */
function digitSequences(text: string, count_min: number): PlacedDigit[][] {
  if (/^[\0-\x7f]*$/.test(text)) return asciiSequences(text, count_min);
  const sequences: PlacedDigit[][] = [[]];
  for (const { 0: character, index: start } of text.matchAll(digit_or_number)) {
    const before = sequences.at(-1)!;
    const last = before.at(-1);
    const digit = digitOf(character);
    const gap = last === undefined ? '' : text.slice(last.end, start);
    if (digit === null || !isSeparator(gap)) sequences.push([]);
    if (digit === null) continue;
    const continues = last !== undefined && gap === '';
    if (continues) last.is_continued = true;
    sequences.at(-1)!.push({ digit, start, end: start + character.length, continues, is_continued: false });
  }
  return sequences.filter(({ length }) => length >= count_min);
}

/**
 * The digit sequences of a text in ASCII, which has no invisible characters and no digits of other
 * scripts.
 */
function asciiSequences(text: string, count_min: number): PlacedDigit[][] {
  const sequences: PlacedDigit[][] = [];
  let digits: PlacedDigit[] = [];
  let last: PlacedDigit | null = null;
  let has_letter = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x30 || unit > 0x39) {
      has_letter ||= (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
      continue;
    }
    const continues: boolean = last !== null && last.end === at;
    if (last !== null && (has_letter || at - last.end > separator_length_max)) {
      if (digits.length >= count_min) sequences.push(digits);
      digits = [];
    }
    if (continues) last!.is_continued = true;
    has_letter = false;
    last = { digit: text[at]!, start: at, end: at + 1, continues, is_continued: false };
    digits.push(last);
  }
  if (digits.length >= count_min) sequences.push(digits);
  return sequences;
}

function isSeparator(gap: string): boolean {
  if (gap === '') return true;
  const visible = gap.replace(invisible, '');
  return [...visible].length <= separator_length_max && !letter_or_number.test(visible);
}

/** The ASCII digit of a character: of any script, full-width, raised or in a circle. Null: none. */
function digitOf(character: string): string | null {
  if (character >= '0' && character <= '9') return character;
  const ascii = /^\D*(\d)\D*$/.exec(character.normalize('NFKC'))?.[1];
  if (ascii !== undefined) return ascii;
  if (!/^\p{Nd}$/u.test(character)) return null;
  // The digits of a script are ten characters in a row, beginning with its zero.
  const code = character.codePointAt(0)!;
  let zero = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}

function textOf(digits: readonly PlacedDigit[], first: number, length: number): string {
  let text = '';
  for (let at = first; at < first + length; at += 1) text += digits[at]!.digit;
  return text;
}

/** Whether a card number of this length begins with this digit. It begins and ends with a group. */
function isNumberAt(digits: readonly PlacedDigit[], first: number, length: number): boolean {
  const last = digits[first + length - 1];
  if (digits[first]!.continues || last === undefined || last.is_continued) return false;
  return isLuhnValid(textOf(digits, first, length));
}

/** The length of the card number that begins with this digit; 0 for none. */
function numberAt(digits: readonly PlacedDigit[], first: number): number {
  if (digits[first]!.continues || first + length_min > digits.length) return 0;
  const first_digits = textOf(digits, first, 3);
  const found = issuer_prefixes.find(
    ([length, prefix]) => prefix.test(first_digits) && isNumberAt(digits, first, length),
  );
  return found?.[0] ?? 0;
}

type Span = readonly [first: number, last: number];

/** The first and the last digit of each card number that is no part of a structure. */
function numbersOf(digits: readonly PlacedDigit[], isStructured: ReturnType<typeof structureCheck>): Span[] {
  const found: Span[] = [];
  for (let first = 0; first < digits.length; first += 1) {
    const length = numberAt(digits, first);
    if (length === 0) continue;
    const last = first + length - 1;
    if (!isStructured(digits[first]!.start, digits[last]!.end)) found.push([first, last]);
  }
  return found;
}

function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const [first, last] of spans) {
    const before = result.at(-1);
    if (before !== undefined && first <= before[1]) result[result.length - 1] = [before[0], Math.max(before[1], last)];
    else result.push([first, last]);
  }
  return result;
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const time = '\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?(?:Z|[+-]\\d\\d:?\\d\\d)?';
const date = `(?:19|20|21)\\d\\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?:[T ]${time})?`;
const structure = new RegExp(`(?<![0-9A-Za-z])(?:${uuid}|${date})(?![0-9A-Za-z])`, 'gi');
const iban = /(?<![0-9A-Za-z])[A-Z]{2}\d\d[0-9A-Z]{11,30}(?![0-9A-Za-z])/g;

/**
 * Returns a check whether a part of the text lies within a UUID, an ISO date and time or an IBAN with
 * right check digits. No number of a network begins like a year. The check is called with rising
 * starts.
 */
function structureCheck(text: string): (start: number, end: number) => boolean {
  let structures: { readonly start: number; readonly end: number }[] | null = null;
  let next = 0;
  return (start, end) => {
    structures ??= [...text.matchAll(structure), ...text.matchAll(iban).filter(([found]) => isIban(found))]
      .map(({ 0: found, index }) => ({ start: index, end: index + found.length }))
      .sort((a, b) => a.start - b.start);
    while (next < structures.length && structures[next]!.end <= start) next += 1;
    const nearest = structures[next];
    return nearest !== undefined && nearest.start <= start && end <= nearest.end;
  };
}
