import { type EventFilter, type FilterName, filter_fields } from '@tallystick/events';
import { assert } from '@tallystick/kernel';

/**
 * The key of a value in the filter index: the company and the value as bytes, in a form whose byte
 * order is the order in which filters compare. Integers sort by size, text by code point. A key is
 * a string in which each character is one byte, so that keys compare and hash at the speed of
 * strings.
 *
 * The key of a number begins with the company, so that the range of a company is one range of keys.
 * The key of a text begins with the text, so that it is found in all companies, too.
 */
export type FilterKey = string;

/** The keys between which an event meets the filter, both included. */
export interface KeyRange {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  /** How the keys of the company end, where the range also has keys of other companies. */
  readonly ending?: Uint8Array;
}

/** Whether the values of the filter are texts, which are found in all companies. */
export function isOfText(name: FilterName): boolean {
  return filter_fields[name].type === 'text';
}

/** The part of a key that is of the company. That of one company never begins another's. */
export function companyPart(company_id: number): FilterKey {
  return integerKey(company_id);
}

export function keyOf(company_part: FilterKey, value: string | number): FilterKey {
  return typeof value === 'number' ? company_part + integerKey(value) : textKey(value) + end_of_text + company_part;
}

/** The keys that meet the filter, of a company. Of all companies, null, for texts only. */
export function keyRangeOf(company_id: number | null, filter: EventFilter): KeyRange {
  const [from, to] = filter.kind === 'equals' ? [filter.value, filter.value] : [filter.from, filter.to];
  const part = company_id === null ? null : companyPart(company_id);
  if (!isOfText(filter.name)) {
    assert(part !== null, 'numbers are found in one company only');
    return {
      from: bytesOf(part + (from === undefined ? '' : integerKey(Number(from)))),
      to: bytesOf(part + (to === undefined ? above_all : integerKey(Number(to)))),
    };
  }
  if (filter.kind === 'equals' && part !== null) {
    const key = bytesOf(keyOf(part, String(filter.value)));
    return { from: key, to: key };
  }
  return {
    from: bytesOf(from === undefined ? '' : textKey(String(from)) + end_of_text),
    to: bytesOf(to === undefined ? above_all : textKey(String(to)) + end_of_text + above_all),
    ...(part === null ? {} : { ending: bytesOf(end_of_text + part) }),
  };
}

export function bytesOf(key: FilterKey): Buffer {
  return Buffer.from(key, 'latin1');
}

/** No part of a key begins with this byte: UTF-8 does not contain it, and integers have at most 7 bytes. */
const above_all = '\u00ff';

/** No text contains this character (`isStorable`), and it sorts before all others. */
const end_of_text = '\u0000';

/**
 * A byte with the sign and the number of bytes, then the bytes of the size, the highest first.
 * Those of a negative integer are inverted.
 */
function integerKey(value: number): FilterKey {
  const inverted = value < 0 ? 0xff : 0;
  let bytes = '';
  for (let rest = Math.abs(value); rest > 0; rest = Math.floor(rest / 256)) {
    bytes = String.fromCharCode((rest % 256) ^ inverted) + bytes;
  }
  return String.fromCharCode(0x80 + (value < 0 ? -bytes.length : bytes.length)) + bytes;
}

function textKey(text: string): FilterKey {
  return is_ascii.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them
const is_ascii = /^[\u0000-\u007f]*$/;
