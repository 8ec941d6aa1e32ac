import { oneLine } from '../stated-text.ts';

/** What `:86:` or `:NS:` states of a line. */
export interface StatedInformation {
  readonly text: string;
  /** The code of BAI (`/BAI/821/`); null: none. */
  readonly bai_code: string | null;
  /** The three digits before the first `?`; null: none. */
  readonly gvc: string | null;
}

/** The width of a line: a longer text is cut there, also within a word. */
export const line_length = 65;

const subfield_length = 27;

const structure = /^\s*(\d{0,3})\s*([?<>~^@|])(?=\d\d)/;

/** Subfields in reading order: the purpose, the name of the other party, the booking text. */
const purpose = /^(?:2\d|6[0-3])$/;
const name = /^3[23]$/;
const booking_text = /^00$/;

/** The lines of `:NS:` that are read, in the same order. */
const ns_purpose = /^(?:0[1-9]|1[0-4])$/;
const ns_name = /^1[56]$/;
const ns_booking_text = /^17$/;

/**
 * Reads `:86:`. A structured one has subfields: a separator, two digits, a text. Any other is a
 * text as a whole, with the code words that it may have.
 */
export function readInformation(lines: readonly string[]): StatedInformation {
  const [, gvc = '', separator] = structure.exec(lines.join('')) ?? [];
  if (separator === undefined) {
    const whole = oneLine([joinLines(lines)]);
    const [prefix = '', bai_code = null] = /^\/BAI\/(\d{3})(?:[/ ]|$)/.exec(whole) ?? [];
    return { text: oneLine([whole.slice(prefix.length)]), bai_code, gvc: null };
  }
  // A separator that no two digits follow is a part of the text.
  const [, ...subfields] = lines.join('').split(new RegExp(`\\${separator}(?=\\d\\d)`));
  const text = textOf(subfields, [purpose, name, booking_text]);
  return { text, bai_code: null, gvc: separator === '?' && gvc.length === 3 ? gvc : null };
}

/** Reads `:NS:`, each of whose lines begins with two digits. */
export function readNonSwift(lines: readonly string[]): StatedInformation {
  return { text: textOf(lines, [ns_purpose, ns_name, ns_booking_text]), bai_code: null, gvc: null };
}

function textOf(subfields: readonly string[], order: readonly RegExp[]): string {
  const groups = order.map((code) => subfields.filter((subfield) => code.test(subfield.slice(0, 2))));
  return oneLine(
    groups.map((group) =>
      joinWhereCut(
        group.map((subfield) => subfield.slice(2)),
        subfield_length,
      ),
    ),
  );
}

/** The lines of a text that was cut at the width of a line. */
export function joinLines(lines: readonly string[]): string {
  return joinWhereCut(lines, line_length);
}

/** A part that is as long as it may be continues within the next one; else a blank is between. */
function joinWhereCut(parts: readonly string[], width: number): string {
  return parts.reduce((text, part, place) => {
    const is_full = place > 0 && [...parts[place - 1]!].length >= width;
    return place === 0 || is_full ? text + part : `${text} ${part}`;
  }, '');
}
