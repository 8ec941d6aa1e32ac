import {
  type BadRecord,
  decodeText,
  type FileClearing,
  type FileItem,
  FileProblem,
  type ItemBatch,
  LineReader,
  noteRecords,
  type RawLine,
  type RecordPlace,
} from '@tallystick/imports';
import { maskCardNumbers } from '@tallystick/kernel';
import { notZeros } from '../additions.ts';
import { contradiction } from '../totals.ts';
import { billedDigits, dayOf, readCardTransaction } from './card-transaction.ts';

/** The block of the card transactions. Two digits or one. */
const card_transactions = 5;

/** What the header and the trailer of the file, and those of a block, have in common. */
interface Frame {
  readonly company: string;
  readonly sequence: number;
  /** YYYY-MM-DD; null when it is not stated. */
  readonly day: string | null;
  readonly type: number;
  /** Null when it is not stated. */
  readonly count: bigint | null;
  readonly sum: bigint | null;
  readonly version: string;
}

interface Block {
  readonly frame: Frame;
  count: number;
  sum: bigint;
  unreadable: number | null;
}

/**
 * Reads a VCF4 file line by line: the header (6), blocks, the trailer (7). A block is a header (8),
 * its records and a trailer (9) with their count and, for card transactions, the sum of the digits
 * of their billing amounts, credits included. The counts of the file's own trailer are zero in the
 * public example: they are not compared. Blank lines are skipped.
 */
export class Vcf4Reader {
  readonly #lines = new LineReader();
  #items: FileItem[] = [];
  #header: Frame | null = null;
  #block: Block | null = null;
  #has_trailer = false;
  #records = 0;
  #count = 0n;
  #sum = 0n;

  /** The items of the file. Throws `FileProblem` for a file that cannot be accepted. */
  read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch> {
    return noteRecords(this.#read(chunks), () => this.#records);
  }

  async *#read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch> {
    let bytes = 0;
    for await (const chunk of chunks) {
      for (const line of this.#lines.push(chunk)) this.#take(line);
      bytes += chunk.length;
      if (this.#items.length === 0) continue;
      const items = this.#items;
      this.#items = [];
      yield { items, bytes };
    }
    const rest = this.#lines.finish();
    try {
      if (rest !== null) this.#take(rest);
    } catch (problem) {
      const is_cut = !this.#has_trailer && (this.#header !== null || header_start.test(decodeText(rest!.bytes).trim()));
      throw problem instanceof FileProblem && is_cut ? truncated(bytes) : problem;
    }
    if (!this.#has_trailer) throw truncated(bytes);
    const control_totals = { transactions: String(this.#count), billing_amounts: String(this.#sum) };
    yield { items: [...this.#items, { kind: 'end', records: this.#records, control_totals }], bytes };
  }

  #take(line: RawLine): void {
    const text = decodeText(line.bytes);
    if (text.trim() === '') return;
    if (this.#has_trailer) refuse(line, 'bytes_after_end', 'follows the trailer of the file');
    this.#records += 1;
    const columns = text.split('\t');
    const code = columns[0]!.trim();
    if (this.#header === null) {
      if (code !== '6') refuse(line, 'header_missing', 'must be the header of the file, code 6');
      this.#begin(frameOf(line, columns), line);
    } else if (code === '7') this.#finish(frameOf(line, columns), line);
    else if (code === '8') this.#openBlock(frameOf(line, columns), line);
    else if (code === '9') this.#closeBlock(frameOf(line, columns), line);
    else if (this.#block === null || code === '6' || !/^\d{1,2}$/.test(code)) {
      refuse(line, 'line_misplaced', 'is not in its place: a record must be in a block');
    } else this.#addRecord(this.#block, columns, line);
  }

  #begin(frame: Frame, line: RawLine): void {
    this.#header = frame;
    const { company, sequence, day } = frame;
    this.#items.push({
      kind: 'header',
      ordinal: this.#records,
      offset: line.offset,
      file_id: day === null ? null : `${company}-${day}-${sequence}`,
      series: company,
      sequence,
      created_on: day,
      mode: null,
    });
  }

  #openBlock(frame: Frame, line: RawLine): void {
    if (this.#block !== null) refuse(line, 'line_misplaced', 'begins a block within a block');
    this.#block = { frame, count: 0, sum: 0n, unreadable: null };
  }

  #addRecord(block: Block, columns: readonly string[], { bytes, number, offset }: RawLine): void {
    block.count += 1;
    const place = { ordinal: this.#records, offset };
    if (block.frame.type !== card_transactions) {
      const type = `${columns[0]!.trim()}/${block.frame.type}`;
      this.#items.push({ ...place, kind: 'other', type, raw: bytes.slice() });
      return;
    }
    const digits = billedDigits(columns);
    if (digits === null) block.unreadable ??= number;
    block.sum += digits ?? 0n;
    this.#items.push(readCardLine(bytes, columns, place));
  }

  #closeBlock(frame: Frame, line: RawLine): void {
    const block = this.#block;
    if (block === null || !isSame(block.frame, frame) || block.frame.type !== frame.type) {
      refuse(line, 'line_misplaced', 'ends no block of its type, company, date and sequence');
    }
    const { count, sum, unreadable } = block;
    if (frame.count !== null && frame.count !== BigInt(count)) {
      refuse(line, 'count_differs', `counts ${contradiction(frame.count, BigInt(count))}`);
    }
    if (frame.type === card_transactions) {
      if (frame.sum !== null && frame.sum !== sum) {
        const cause = unreadable === null ? '' : `; the billing amount of line ${unreadable} cannot be read`;
        refuse(line, 'sum_differs', `sums ${contradiction(frame.sum, sum)}${cause}`);
      }
      this.#count += BigInt(count);
      this.#sum += sum;
    }
    this.#block = null;
  }

  #finish(frame: Frame, line: RawLine): void {
    if (this.#block !== null) refuse(line, 'line_misplaced', 'ends the file within a block');
    if (!isSame(this.#header!, frame)) {
      refuse(line, 'file_ids_differ', 'must have the company, sequence and date of the header');
    }
    this.#has_trailer = true;
  }
}

/** Reads the line of a bad card transaction again. */
export function readCardLineAgain(raw: Uint8Array, { ordinal, offset }: RecordPlace): FileClearing | BadRecord {
  return readCardLine(raw, decodeText(raw).split('\t'), { ordinal, offset });
}

function readCardLine(bytes: Uint8Array, columns: readonly string[], place: RecordPlace): FileClearing | BadRecord {
  const read =
    columns[0]!.trim() === '4'
      ? readCardTransaction(columns)
      : { code: 'code_unknown', reason: 'the code of a card transaction must be 4' };
  if ('code' in read) return { ...place, kind: 'bad', ...read, raw: bytes.slice() };
  return { ...place, kind: 'clearing', ...read, synthetic_id: false, last4: null };
}

/** How a header begins, of which there may be only the code. */
const header_start = /^6(?:[\t ]|$)/;

function truncated(bytes: number): FileProblem {
  return new FileProblem('truncated', 'file_truncated', `the file ends at offset ${bytes}, before its trailer`, bytes);
}

function refuse({ number, offset }: RawLine, code: string, message: string): never {
  const text = maskCardNumbers(`line ${number} at offset ${offset} ${message}`);
  throw new FileProblem('refused', code, text, offset);
}

/** The first eight columns. What follows them is not known. */
function frameOf(line: RawLine, columns: readonly string[]): Frame {
  const stated = columns.map((text) => text.trim());
  const [, company = '', sequence = '', date = '', type = '', count = '', sum = '', version = ''] = stated;
  const day = dayOf(date);
  const are_numbers = [count, sum].every((text) => /^\d{0,30}$/.test(text));
  const is_known = /^\w{1,32}$/.test(company) && /^\d{1,15}$/.test(sequence) && /^\d{1,2}$/.test(type);
  if (!is_known || !are_numbers || (day === null && notZeros(date) !== null)) {
    refuse(
      line,
      'line_malformed',
      'must begin with eight columns: code, company, sequence, date as MMDDYYYY, type, count, sum, version',
    );
  }
  if (!/^4(?:\.\d)?$/.test(version)) refuse(line, 'version_unknown', 'must have a version 4 of the format');
  const numberOf = (text: string): bigint | null => (text === '' ? null : BigInt(text));
  const [number, block_type] = [Number(sequence), Number(type)];
  return { company, sequence: number, day, type: block_type, count: numberOf(count), sum: numberOf(sum), version };
}

function isSame(one: Frame, other: Frame): boolean {
  const is_same_day = one.day === other.day || one.day === null || other.day === null;
  const is_same_file = one.company === other.company && one.sequence === other.sequence;
  return is_same_file && is_same_day && one.version === other.version;
}
