import { indexed_text_max } from '@tallystick/events';
import { assert } from '@tallystick/kernel';
import { bytesOf, type FilterKey, type KeyRange } from './filter-key.ts';

/**
 * The index of one filter over a range of events is a sorted list of keys, each with the events
 * that have it, cut into blocks. A block is one row of `event_filter_blocks`:
 *
 *   block = entry*
 *   entry = length of the key, key, length of the list, list
 *   list  = the first event's offset in the range, then the distance to each next event
 *
 * Lengths, offsets and distances are integers of variable length: 7 bits in each byte, the lowest
 * first, the high bit set on all but the last.
 */
export interface FilterBlock {
  readonly first_key: Buffer;
  readonly entries: Buffer;
}

/**
 * A key and events of a range that have it, as offsets from the range's first id, ascending. Several
 * may have the same key, those of earlier events first. A list of them sorts faster than a map by
 * key is made, because each look-up of a new string enters it into a table of the engine.
 */
export interface KeyedOffsets {
  readonly key: FilterKey;
  readonly offsets: number[];
}

/**
 * A block ends after the entry with which it reaches this size, bytes. A row of this size fits into
 * a page of either database. Only a common value makes a block longer.
 */
export const block_bytes = 1_000;

/** The most bytes of an integer of variable length. */
const integer_bytes_max = 8;

/** The most bytes of an integer as a key: one with their number, and 7. */
const integer_key_bytes_max = 8;

/**
 * The most bytes of a key: a text of `indexed_text_max` UTF-16 units, each at most 3 bytes of UTF-8,
 * its end, and the company.
 */
const key_bytes_max = integer_key_bytes_max + 3 * indexed_text_max + 1;

/** The first bytes of a block that contain all its keys. Only the last list may be longer. */
export const start_bytes = block_bytes + key_bytes_max + 2 * integer_bytes_max;

/** The blocks of one filter over a range, in the order of their keys. */
export function toBlocks(keyed: readonly KeyedOffsets[]): FilterBlock[] {
  const blocks: FilterBlock[] = [];
  let first_key: FilterKey | null = null;
  let end = 0;
  for (const { key, offsets } of joined(keyed.toSorted(byKey))) {
    first_key ??= key;
    end = writeEntry(end, key, offsets);
    if (end >= block_bytes) close();
  }
  close();
  return blocks;

  function close(): void {
    if (first_key === null) return;
    blocks.push({ first_key: bytesOf(first_key), entries: Buffer.from(scratch.subarray(0, end)) });
    first_key = null;
    end = 0;
  }
}

/** Sorted entries, those with the same key as one. */
function* joined(sorted: readonly KeyedOffsets[]): Generator<KeyedOffsets> {
  for (let at = 0, next = 0; at < sorted.length; at = next) {
    const { key, offsets } = sorted[at]!;
    for (next = at + 1; next < sorted.length && sorted[next]!.key === key; next += 1) {
      for (const offset of sorted[next]!.offsets) offsets.push(offset);
    }
    yield { key, offsets };
  }
}

function byKey(a: KeyedOffsets, b: KeyedOffsets): number {
  return a.key < b.key ? -1 : Number(a.key !== b.key);
}

/**
 * Adds the ids of the block's events whose key is in the range to `found`. `from_id` is the first
 * id of the range of events.
 */
export function addMatches(entries: Uint8Array, from_id: number, keys: KeyRange, found: number[]): void {
  for (let at = 0; at < entries.length; ) {
    const key_length = readInteger(entries, at);
    const key_at = position;
    const list_length = readInteger(entries, key_at + key_length);
    const list_at = position;
    at = list_at + list_length;
    if (compareBytes(entries, key_at, key_length, keys.to) > 0) return;
    if (compareBytes(entries, key_at, key_length, keys.from) < 0) continue;
    if (keys.ending !== undefined && !endsTextWith(entries, key_at, key_length, keys.ending)) continue;
    for (let id = from_id, from = list_at; from < at; from = position) {
      id += readInteger(entries, from);
      found.push(id);
    }
  }
}

/**
 * The bytes of the block's entries whose key is in the range, of the company or of another one
 * where the range has keys of several. Reads only the first `start_bytes`.
 */
export function matchingBytes(start: Uint8Array, keys: KeyRange): number {
  let bytes = 0;
  for (let at = 0; at < start.length; ) {
    const key_length = readInteger(start, at);
    const key_at = position;
    if (compareBytes(start, key_at, key_length, keys.to) > 0) break;
    const list_length = readInteger(start, key_at + key_length);
    if (compareBytes(start, key_at, key_length, keys.from) >= 0) bytes += key_length + list_length;
    at = position + list_length;
  }
  return bytes;
}

/** Whether all keys of the block are after this one. Reads only the first `start_bytes`. */
export function beginsAfter(start: Uint8Array, key: Uint8Array): boolean {
  const key_length = readInteger(start, 0);
  return compareBytes(start, position, key_length, key) > 0;
}

/** Adds the entries of a block to those of a larger range, in which its events begin at `shift`. */
export function addEntries(entries: Buffer, shift: number, keyed: KeyedOffsets[]): void {
  for (let at = 0; at < entries.length; ) {
    const key_length = readInteger(entries, at);
    const key = entries.toString('latin1', position, position + key_length);
    const list_length = readInteger(entries, position + key_length);
    let from = position;
    at = from + list_length;
    const offsets: number[] = [];
    keyed.push({ key, offsets });
    for (let offset = shift; from < at; from = position) {
      offset += readInteger(entries, from);
      offsets.push(offset);
    }
  }
}

let scratch = Buffer.alloc(65_536);

/** Writes an entry into the scratch buffer and returns where it ends. */
function writeEntry(at: number, key: FilterKey, offsets: readonly number[]): number {
  const most = at + key.length + (offsets.length + 2) * integer_bytes_max;
  if (most > scratch.length) scratch = Buffer.concat([scratch], 2 * most);
  let end = writeInteger(at, key.length);
  for (let character = 0; character < key.length; character += 1) scratch[end++] = key.charCodeAt(character);
  let list_length = 0;
  for (let last = 0, index = 0; index < offsets.length; index += 1) {
    list_length += bytesOfInteger(offsets[index]! - last);
    last = offsets[index]!;
  }
  end = writeInteger(end, list_length);
  for (let last = 0, index = 0; index < offsets.length; index += 1) {
    end = writeInteger(end, offsets[index]! - last);
    last = offsets[index]!;
  }
  return end;
}

function bytesOfInteger(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes += 1;
  return bytes;
}

function writeInteger(at: number, value: number): number {
  let end = at;
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) scratch[end++] = (rest % 128) + 128;
  scratch[end++] = rest;
  return end;
}

/** The byte after the integer that was read last. */
let position = 0;

function readInteger(bytes: Uint8Array, at: number): number {
  let value = 0;
  let factor = 1;
  position = at;
  for (;;) {
    const byte = bytes[position++];
    assert(byte !== undefined, 'a block of the event index ends within an entry');
    if (byte < 128) return value + byte * factor;
    value += (byte - 128) * factor;
    factor *= 128;
  }
}

/** Whether the key of a text has this ending, which begins with the end of the text. */
function endsTextWith(bytes: Uint8Array, at: number, length: number, ending: Uint8Array): boolean {
  const from = bytes.indexOf(ending[0]!, at);
  return compareBytes(bytes, from, at + length - from, ending) === 0;
}

/** Below, equal to or above 0 when the bytes at a place sort before, with or after the others. */
function compareBytes(bytes: Uint8Array, at: number, length: number, others: Uint8Array): number {
  const common = Math.min(length, others.length);
  for (let offset = 0; offset < common; offset += 1) {
    const difference = bytes[at + offset]! - others[offset]!;
    if (difference !== 0) return difference;
  }
  return length - others.length;
}
