/**
 * The network's reference of a transaction, 13 characters: network code (3), reference (6), cycle
 * date as MMDD (4) (service specification 2.10). A file format that knows fewer of them leaves
 * blanks. A text of another length is stored, and matches by no reference rule (decision: network
 * side). Characters are code points, as both databases count them: a cut never halves one.
 */
import { Temporal } from '@tallystick/kernel';

const net_reference_length = 13;

/**
 * The place of the six characters that the network assigned: the position of the first, counted
 * in code points from 1 as in SQL, and their number.
 */
export const network_reference_part = { start: 4, length: 6 } as const;

/** Whether all thirteen characters are there. */
export function isWholeNetReference(net_reference_number: string | null): net_reference_number is string {
  const characters = isPlain(net_reference_number) ? net_reference_number : charactersOf(net_reference_number);
  return characters?.includes(' ') === false;
}

/**
 * The six characters that the network assigned, unique for one day; null when any of them is a
 * blank, or the text has another form.
 */
export function networkReferenceOf(net_reference_number: string | null): string | null {
  const { start, length } = network_reference_part;
  const characters = isPlain(net_reference_number) ? net_reference_number : charactersOf(net_reference_number);
  const six = characters?.slice(start - 1, start - 1 + length) ?? ' ';
  if (six.includes(' ')) return null;
  return typeof six === 'string' ? six : six.join('');
}

/** The cycle date as a day of a leap year, 1 to 366; null when the reference has none. */
export function cycleDayOf(net_reference_number: string | null): number | null {
  const found = /^.{9}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/u.exec(net_reference_number ?? '');
  if (found === null) return null;
  return Temporal.PlainDate.from({ year: 2024, month: Number(found[1]), day: Number(found[2]) }).dayOfYear;
}

/**
 * The reference with the characters of another in the place of its blanks (clearing files: to the
 * clearing object).
 */
export function fillBlanks(net_reference_number: string | null, known: string | null): string | null {
  const characters = charactersOf(net_reference_number);
  const others = charactersOf(known);
  if (characters === null || others === null || !characters.includes(' ')) return net_reference_number;
  return characters.map((character, at) => (character === ' ' ? others[at] : character)).join('');
}

/** Whether two references are equal but for characters that one of them leaves blank. */
export function isAgreeing(one: string | null, other: string | null): boolean {
  if (one === other) return true;
  const characters = charactersOf(one);
  const others = charactersOf(other);
  if (characters === null || others === null) return false;
  return characters.every((character, at) => character === ' ' || others[at] === ' ' || character === others[at]);
}

/** Whether the text has thirteen characters, each one unit of UTF-16, as all that networks send. */
function isPlain(net_reference_number: string | null): net_reference_number is string {
  return net_reference_number?.length === net_reference_length && !/[\ud800-\udfff]/.test(net_reference_number);
}

/** The thirteen characters; null when the text has another length. */
function charactersOf(net_reference_number: string | null): readonly string[] | null {
  if (net_reference_number === null || net_reference_number.length < net_reference_length) return null;
  const characters = [...net_reference_number];
  return characters.length === net_reference_length ? characters : null;
}
