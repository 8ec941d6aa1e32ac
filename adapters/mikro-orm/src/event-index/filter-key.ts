import type { EventFilter } from '@tallystick/events';

/**
 * The key of a value in the filter index: the company and the value as bytes, in a form whose byte
 * order is the order in which filters compare. Integers sort by size, text by code point. A key is
 * a string in which each character is one byte, so that keys compare and hash at the speed of
 * strings.
 */
export type FilterKey = string;

/** The keys between which an event meets the filter, both included. */
export interface KeyRange {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

/** Begins every key of the company. No company's prefix begins another's. */
export function companyPrefix(company_id: number): FilterKey {
  return integerKey(company_id);
}

/** The key of a value of a company, after the company's prefix. */
export function valueKey(value: string | number): FilterKey {
  return typeof value === 'number' ? integerKey(value) : textKey(value);
}

/** The keys that meet the filter of a company. */
export function keyRangeOf(company_id: number, filter: EventFilter): KeyRange {
  const prefix = companyPrefix(company_id);
  const [from, to] = filter.kind === 'equals' ? [filter.value, filter.value] : [filter.from, filter.to];
  return {
    from: bytesOf(prefix + (from === undefined ? '' : valueKey(from))),
    to: bytesOf(prefix + (to === undefined ? above_all_values : valueKey(to))),
  };
}

export function bytesOf(key: FilterKey): Buffer {
  return Buffer.from(key, 'latin1');
}

/** No value begins with this byte: UTF-8 does not contain it, and integers have at most 7 bytes. */
const above_all_values = '\u00ff';

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
