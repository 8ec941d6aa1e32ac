import { joinBytes, LineReader, type RawLine, record_bytes_max } from '@tallystick/imports';

/** A line of the file, or a part of fixed length: what the counts of the format count. */
export interface PhysicalRecord {
  /** Without blanks at the end. */
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** Bytes from the start of the file. */
  readonly offset: number;
}

/** Bytes within which the first record must end, if its length is to be known from itself. */
const first_record_bytes = 1_024;

/**
 * Cuts a file into physical records. They are lines, of any length. A file that states a length of
 * physical records and has its first line break after it has parts of that length, with or without
 * line breaks between them. Blank records are skipped: they fill the last block.
 */
export class PhysicalRecordReader {
  #cutter: LineReader | FixedCutter | null = null;
  readonly #head: Uint8Array[] = [];
  #head_bytes = 0;
  #count = 0;

  *push(chunk: Uint8Array): Generator<PhysicalRecord> {
    if (this.#cutter === null) {
      this.#head.push(chunk);
      this.#head_bytes += chunk.length;
      if (this.#head_bytes < first_record_bytes && !chunk.includes(line_feed)) return;
      yield* this.#begin();
      return;
    }
    for (const line of this.#cutter.push(chunk)) yield* this.#record(line);
  }

  /** Yields the last record of the file, if it has no end of its own. */
  *finish(): Generator<PhysicalRecord & { readonly is_cut: boolean }> {
    if (this.#cutter === null) for (const record of this.#begin()) yield { ...record, is_cut: false };
    const rest = this.#cutter?.finish() ?? null;
    if (rest !== null) for (const record of this.#record(rest)) yield { ...record, is_cut: true };
  }

  *#begin(): Generator<PhysicalRecord> {
    const head = joinBytes(this.#head);
    const length = statedLength(head.subarray(0, first_record_bytes));
    this.#cutter = length === null ? new LineReader() : new FixedCutter(length);
    for (const line of this.#cutter.push(head)) yield* this.#record(line);
  }

  *#record({ bytes, offset }: RawLine): Generator<PhysicalRecord> {
    const text = textOf(bytes).trimEnd();
    if (text === '') return;
    this.#count += 1;
    yield { text, number: this.#count, offset };
  }
}

const line_feed = 0x0a;
const carriage_return = 0x0d;

/** The length of the physical records of a file whose lines do not end before it; else null. */
function statedLength(head: Uint8Array): number | null {
  const text = single_byte.decode(head);
  const field = /^\uFEFF?01(?:,[^,/\n]*){5},\s*(\d{1,5})\s*[,/]/.exec(text)?.[1];
  const length = Number(field ?? 0);
  if (length < 20 || length > record_bytes_max) return null;
  const line_end = head.indexOf(line_feed);
  // A carriage return may precede the line break.
  return line_end === -1 || line_end > length + 1 ? length : null;
}

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
      if (this.#pending_bytes === 0 && (chunk[start] === line_feed || chunk[start] === carriage_return)) {
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
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a record in UTF-8, which ASCII is; of other bytes in Windows-1252. */
function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return single_byte.decode(bytes);
  }
}
