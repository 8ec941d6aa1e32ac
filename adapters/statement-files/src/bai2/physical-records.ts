import { decodeText, joinBytes, LineReader, type RawLine, record_bytes_max } from '@tallystick/imports';

/** A line of the file, or a part of fixed length: what the counts of the format count. */
export interface PhysicalRecord {
  /** Without blanks around it. */
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** Bytes from the start of the file. */
  readonly offset: number;
}

/** Bytes within which the first record must end, if the form of the file is to be known from it. */
const first_record_bytes = 1_024;

/**
 * Cuts a file into physical records. They are lines of any length, which end with LF, CR or both. A
 * file that states a length of physical records, and has its first line break after it, has parts
 * of that length, with or without line breaks between them. A file whose second record is in the
 * line of the first one has records that end with `/`. Blank records are skipped: they fill the
 * last block.
 */
export class PhysicalRecordReader {
  #cutter: Cutter | null = null;
  #head: Uint8Array = new Uint8Array(0);
  #count = 0;

  *push(chunk: Uint8Array): Generator<PhysicalRecord> {
    const has_returns = chunk.includes(carriage_return);
    const bytes = has_returns ? chunk.map((byte) => (byte === carriage_return ? line_feed : byte)) : chunk;
    if (this.#cutter !== null) {
      for (const line of this.#cutter.push(bytes)) yield* this.#record(line);
      return;
    }
    this.#head = withoutMark(joinBytes([this.#head, bytes]));
    if (this.#head.length < first_record_bytes && !firstRecordOf(this.#head).endsWith('\n')) return;
    yield* this.#begin();
  }

  /** Yields the last record of the file, if it has no end of its own. */
  *finish(): Generator<PhysicalRecord & { readonly is_cut: boolean }> {
    if (this.#cutter === null) for (const record of this.#begin()) yield { ...record, is_cut: false };
    const rest = this.#cutter?.finish() ?? null;
    if (rest !== null) for (const record of this.#record(rest)) yield { ...record, is_cut: true };
  }

  *#begin(): Generator<PhysicalRecord> {
    this.#cutter = cutterOf(firstRecordOf(this.#head));
    for (const line of this.#cutter.push(this.#head)) yield* this.#record(line);
  }

  *#record({ bytes, offset }: RawLine): Generator<PhysicalRecord> {
    const text = decodeText(bytes).replace(fillers, ' ').trim();
    if (text === '') return;
    this.#count += 1;
    yield { text, number: this.#count, offset };
  }
}

const line_feed = 0x0a;
const carriage_return = 0x0d;
const slash = 0x2f;
const byte_order_mark = [0xef, 0xbb, 0xbf];

/** What systems fill the last block with, or end a file with (^Z). */
const fillers = /\p{Cc}/gu;

type Cutter = Pick<LineReader, 'push' | 'finish'>;

/** Blank lines in place of a byte order mark, so that all offsets stay. */
function withoutMark(head: Uint8Array): Uint8Array {
  const has_mark = byte_order_mark.every((byte, at) => head[at] === byte);
  return has_mark ? head.fill(line_feed, 0, byte_order_mark.length) : head;
}

/** The first record, and the line break after it when there is one within reach. */
function firstRecordOf(head: Uint8Array): string {
  const text = single_byte.decode(head.subarray(0, first_record_bytes)).trimStart();
  return text.slice(0, text.indexOf('\n') + 1 || undefined);
}

function cutterOf(first: string): Cutter {
  const length = Number(/^01(?:,[^,/\n]*){5},\s*(\d{1,5})\s*[,/]/.exec(first)?.[1] ?? 0);
  const is_longer = !first.endsWith('\n') || first.length > length + 2;
  const is_cut_there = /^\s*(?:$|(?:02|88),)/.test(first.slice(length));
  if (length >= 20 && length <= record_bytes_max && is_longer && is_cut_there) return new FixedCutter(length);
  return /^01,[^/]*\/ *(?:02|88),/.test(first) ? new SlashCutter() : new LineReader();
}

/** Cuts the bytes of a file into lines, and these after each `/` that a record follows. */
class SlashCutter implements Cutter {
  readonly #lines = new LineReader();
  #held: Uint8Array = new Uint8Array(0);

  *push(chunk: Uint8Array): Generator<RawLine> {
    const bytes = joinBytes([this.#held, chunk]);
    let sure = bytes.length;
    for (let at = bytes.indexOf(slash); at !== -1; at = bytes.indexOf(slash, at + 1)) {
      const next = single_byte.decode(bytes.subarray(at + 1, at + 1 + blanks_max));
      // The line break takes the place of the slash, so that all offsets stay.
      if (/^ *(?:01|02|03|16|49|88|98|99),/.test(next)) bytes[at] = line_feed;
      else if (next.length < blanks_max && /^ *\d{0,2}$/.test(next)) {
        sure = at;
        break;
      }
    }
    this.#held = bytes.slice(sure);
    yield* this.#lines.push(bytes.subarray(0, sure));
  }

  finish(): RawLine | null {
    for (const line of this.#lines.push(this.#held)) return line;
    return this.#lines.finish();
  }
}

/** The most blanks between two records of one line. */
const blanks_max = 200;

/** Cuts the bytes of a file into parts of one length, which a line break may end earlier. */
class FixedCutter {
  readonly #length: number;
  #pending: Uint8Array[] = [];
  #pending_bytes = 0;
  #offset = 0;
  #count = 0;

  constructor(length: number) {
    this.#length = length;
  }

  *push(chunk: Uint8Array): Generator<RawLine> {
    let start = 0;
    while (start < chunk.length) {
      if (this.#pending_bytes === 0 && chunk[start] === line_feed) {
        start += 1;
        this.#offset += 1;
        continue;
      }
      const end_max = Math.min(chunk.length, start + this.#length - this.#pending_bytes);
      const line_end = chunk.subarray(start, end_max).indexOf(line_feed);
      const end = line_end === -1 ? end_max : start + line_end;
      this.#pending.push(chunk.subarray(start, end));
      this.#pending_bytes += end - start;
      start = end;
      if (line_end !== -1 || this.#pending_bytes === this.#length) yield this.#cut();
    }
  }

  finish(): RawLine | null {
    return this.#pending_bytes === 0 ? null : this.#cut();
  }

  #cut(): RawLine {
    const bytes = joinBytes(this.#pending);
    const offset = this.#offset;
    this.#count += 1;
    this.#offset += this.#pending_bytes;
    this.#pending = [];
    this.#pending_bytes = 0;
    return { bytes, number: this.#count, offset };
  }
}

const single_byte = new TextDecoder('windows-1252');
