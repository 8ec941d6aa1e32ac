import { FileProblem } from '@tallystick/imports';
import type { IpmEncoding } from './encoding.ts';

/**
 * The containers of IPM records.
 *
 * - `vbs`: each record after its length, an unsigned number of 32 bits that does not count itself,
 *   most significant byte first; the length 0 ends the file
 * - `1014`: the same bytes, cut into blocks of 1,012 bytes and the mark `40 40`; the last block is
 *   padded with 0x40. Records and length words straddle blocks.
 *
 * In files of a mainframe (RDW) the length has 16 bits, counts its own four bytes, and is followed
 * by two zero bytes. Files without the length 0, and with other padding, are read as well.
 */
export type IpmContainer = 'vbs' | '1014';

/** A longer record is not one: its length word is damaged. */
export const ipm_record_bytes_max = 6_000;

const length_bytes = 4;
const mti_bytes = 4;
/** The shortest record that the walk accepts: MTI and bitmap. */
const record_bytes_min = 20;
/** The bytes of a block before its mark. */
export const block_data_bytes = 1_012;
/** The bytes of a block with its mark. */
export const block_bytes = 1_014;
/** The byte of marks and of padding. */
export const block_fill = 0x40;
/** Both walks differ from the first mark on, and the longest record may contain it. */
const head_bytes_needed = 16_384;
/** A walk that reaches so many messages has found the container. */
const messages_walked_max = 64;

/** The bytes of a record after its length word. That of a mainframe has its upper half only. */
function recordLength(bytes: Buffer, at: number): number {
  const word = bytes.readUInt32BE(at);
  return word > 0xffff && word % 0x10000 === 0 ? word / 0x10000 - length_bytes : word;
}

/** How the file writes text, from the MTI of its first record; null when that is no MTI. */
function detectEncoding(head: Uint8Array): IpmEncoding | null {
  if (isMti(head, length_bytes, 0x30)) return 'ascii';
  return isMti(head, length_bytes, 0xf0) ? 'cp500' : null;
}

/** Whether the file begins with the header's MTI, 1644, after a length. */
export function beginsWithHeader(head: Uint8Array): boolean {
  const encoding = detectEncoding(head);
  const zone = encoding === 'ascii' ? 0x30 : 0xf0;
  return encoding !== null && [1, 6, 4, 4].every((digit, at) => head[length_bytes + at] === zone + digit);
}

/** Whether four digits are at the place, the first of them 1: the version of ISO 8583. */
function isMti(bytes: Uint8Array, at: number, zone: number): boolean {
  if (at + mti_bytes > bytes.length || bytes[at] !== zone + 1) return false;
  for (let digit_at = at + 1; digit_at < at + mti_bytes; digit_at += 1) {
    const digit = bytes[digit_at]! - zone;
    if (digit < 0 || digit > 9) return false;
  }
  return true;
}

/**
 * Which container the file is. Both ways of walking the length words are tried; the one that
 * reaches more messages is right. The marks alone prove nothing: they are also two EBCDIC spaces.
 * Within the first block both walks are the same; then the end of the file decides.
 */
function detectContainer(head: Buffer, encoding: IpmEncoding, is_whole_file: boolean): IpmContainer {
  const vbs = walk(head, encoding);
  const blocked = walk(unblock(head), encoding);
  if (vbs.messages !== blocked.messages) return vbs.messages > blocked.messages ? 'vbs' : '1014';
  if (vbs.end_at === null && blocked.end_at === null) return hasMarks(head) ? '1014' : 'vbs';
  // A length 0 that straddles a mark is reached by one of the walks only.
  if (vbs.end_at === null) return '1014';
  if (blocked.end_at === null) return 'vbs';
  const rest = head.subarray(vbs.end_at);
  const is_padded = rest.length > 0 && head.length % block_bytes === 0 && rest.every((byte) => byte === block_fill);
  return is_whole_file && is_padded ? '1014' : 'vbs';
}

interface Walk {
  /** How many records that begin with an MTI were reached. */
  readonly messages: number;
  /** The place after the length 0; null when it was not reached. */
  readonly end_at: number | null;
}

function walk(bytes: Buffer, encoding: IpmEncoding): Walk {
  const zone = encoding === 'ascii' ? 0x30 : 0xf0;
  let messages = 0;
  let at = 0;
  while (at + length_bytes <= bytes.length && messages < messages_walked_max) {
    const length = recordLength(bytes, at);
    if (length === 0) return { messages, end_at: at + length_bytes };
    if (length < record_bytes_min || length > ipm_record_bytes_max) break;
    if (isMti(bytes, at + length_bytes, zone)) messages += 1;
    at += length_bytes + length;
  }
  return { messages, end_at: null };
}

function unblock(bytes: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += block_bytes) blocks.push(bytes.subarray(at, at + block_data_bytes));
  return Buffer.concat(blocks);
}

function hasMarks(bytes: Buffer): boolean {
  if (bytes.length < block_bytes) return false;
  for (let at = block_data_bytes; at + 1 < bytes.length; at += block_bytes) {
    if (bytes[at] !== block_fill || bytes[at + 1] !== block_fill) return false;
  }
  return true;
}

/** Takes a record: its bytes are those of the buffer from `start` to `end`. */
export type TakeRecord = (bytes: Buffer, start: number, end: number, offset: number) => void;

/**
 * Cuts a stream of bytes into records. Detects the container and the encoding. `offset` is where
 * the length word of the record is in the file.
 */
export class RecordCutter {
  readonly #take: TakeRecord;
  readonly #onEncoding: (encoding: IpmEncoding) => void;
  #container: IpmContainer | null = null;
  readonly #head: Buffer[] = [];
  #head_bytes = 0;
  /** Bytes that do not make up a record yet, without marks. */
  #pending: Buffer = Buffer.alloc(0);
  /** The place of `#pending` among the bytes without marks. */
  #pending_at = 0;
  #block_position = 0;
  #bytes_read = 0;
  #is_ended = false;

  constructor(onEncoding: (encoding: IpmEncoding) => void, take: TakeRecord) {
    this.#onEncoding = onEncoding;
    this.#take = take;
  }

  push(chunk: Buffer): void {
    if (this.#container !== null) {
      this.#cut(chunk);
      return;
    }
    this.#head.push(chunk);
    this.#head_bytes += chunk.length;
    if (this.#head_bytes >= head_bytes_needed) this.#start(false);
  }

  /** `isComplete`: whether the last record was that of a whole file, which needs no length 0. */
  finish(isComplete: () => boolean): void {
    if (this.#container === null) this.#start(true);
    if (this.#is_ended || (isComplete() && this.#pending.every((byte) => byte === 0))) return;
    if (this.#container === '1014' && this.#block_position !== 0) {
      throw truncated(
        `the file has ${this.#bytes_read} bytes, which is no multiple of ${block_bytes}`,
        this.#bytes_read,
      );
    }
    throw truncated(
      this.#pending.length === 0
        ? 'the file ends without the length 0 that ends the last record'
        : `the file ends within the record that begins at offset ${this.#offsetOf(this.#pending_at)}`,
      this.#bytes_read,
    );
  }

  #start(is_whole_file: boolean): void {
    const head = Buffer.concat(this.#head);
    this.#head.length = 0;
    if (head.length === 0) throw truncated('the file is empty', 0);
    const encoding = detectEncoding(head);
    if (encoding === null) {
      throw head.length < length_bytes + mti_bytes
        ? truncated(`the file ends after ${head.length} bytes, within its first record`, head.length)
        : new FileProblem(
            'refused',
            'container_unknown',
            'the file is no IPM file: no message type in ASCII or EBCDIC is at offset 4',
            length_bytes,
          );
    }
    this.#onEncoding(encoding);
    this.#container = detectContainer(head, encoding, is_whole_file);
    this.#cut(head);
  }

  #cut(chunk: Buffer): void {
    const data = this.#container === '1014' ? this.#withoutMarks(chunk) : chunk;
    this.#bytes_read += chunk.length;
    const bytes = this.#pending.length === 0 ? data : Buffer.concat([this.#pending, data]);
    let at = 0;
    while (!this.#is_ended && at + length_bytes <= bytes.length) {
      const length = recordLength(bytes, at);
      if (length > ipm_record_bytes_max) {
        const offset = this.#offsetOf(this.#pending_at + at);
        throw new FileProblem(
          'truncated',
          'length_invalid',
          `the length word at offset ${offset} states ${length} bytes, but a record has at most ${ipm_record_bytes_max}. What follows cannot be read`,
          offset,
        );
      }
      if (length === 0) {
        this.#is_ended = true;
        at += length_bytes;
        break;
      }
      const end = at + length_bytes + length;
      if (end > bytes.length) break;
      this.#take(bytes, at + length_bytes, end, this.#offsetOf(this.#pending_at + at));
      at = end;
    }
    if (this.#is_ended) {
      this.#checkPadding(bytes, at);
      at = bytes.length;
    }
    this.#pending_at += at;
    this.#pending = bytes.subarray(at);
  }

  #checkPadding(bytes: Buffer, start: number): void {
    for (let at = start; at < bytes.length; at += 1) {
      if (bytes[at] === block_fill || bytes[at] === 0) continue;
      const offset = this.#offsetOf(this.#pending_at + at);
      throw new FileProblem(
        'refused',
        'bytes_after_end',
        `bytes follow the end of the file at offset ${offset}`,
        offset,
      );
    }
  }

  #withoutMarks(chunk: Buffer): Buffer {
    const data = Buffer.allocUnsafe(chunk.length);
    let length = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#block_position < block_data_bytes) {
        const taken = Math.min(block_data_bytes - this.#block_position, chunk.length - at);
        chunk.copy(data, length, at, at + taken);
        length += taken;
        at += taken;
        this.#block_position += taken;
        continue;
      }
      if (chunk[at] !== block_fill && chunk[at] !== 0) {
        const offset = this.#bytes_read + at;
        throw new FileProblem(
          'refused',
          'block_mark_invalid',
          `the block of ${block_bytes} bytes does not end in 40 40: another byte is at offset ${offset}`,
          offset,
        );
      }
      at += 1;
      this.#block_position = (this.#block_position + 1) % block_bytes;
    }
    return data.subarray(0, length);
  }

  /** The place in the file of a byte, from its place among the bytes without marks. */
  #offsetOf(position: number): number {
    return this.#container === '1014'
      ? position + Math.floor(position / block_data_bytes) * (block_bytes - block_data_bytes)
      : position;
  }
}

function truncated(message: string, offset: number): FileProblem {
  return new FileProblem('truncated', 'file_truncated', message, offset);
}
