import {
  type BadRecord,
  type FileClearing,
  type FileEnd,
  type FileItem,
  type FileOfRecord,
  FileProblem,
  type ItemBatch,
  noteRecords,
  type OtherRecord,
  type RecordPlace,
} from '@tallystick/imports';
import { badRecord } from '../bad-record.ts';
import { contradiction } from '../totals.ts';
import { ClearingReader, type FileId, parseFileId } from './clearing.ts';
import { RecordCutter } from './container.ts';
import type { ElementProblem } from './elements.ts';
import type { IpmEncoding } from './encoding.ts';
import { IpmMessage, MalformedRecord } from './message.ts';

/** MTI and function code (DE24). */
const header_type = '1644/697';
const trailer_type = '1644/695';
/** The MTI of the header, the trailer and totals. */
const administrative_mti = 1644;

export function readIpm(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch> {
  const reader = new FileReader();
  return noteRecords(readWith(reader, chunks), () => reader.records);
}

async function* readWith(reader: FileReader, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch> {
  const cutter = new RecordCutter(
    (encoding) => reader.start(encoding),
    (bytes, start, end, offset) => reader.take(bytes, start, end, offset),
  );
  let bytes = 0;
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    cutter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    bytes += chunk.length;
    const items = reader.items();
    if (items.length > 0) yield { items, bytes };
  }
  cutter.finish(() => reader.is_complete);
  reader.finish();
  yield { items: reader.items(), bytes };
}

/**
 * Reads one bad record again. Its encoding is that of its MTI: digits are the bytes F0 to F9 only
 * in EBCDIC.
 */
export function readIpmRecord(raw: Uint8Array, file: FileOfRecord): FileClearing | BadRecord | OtherRecord {
  const place = { ordinal: file.ordinal, offset: file.offset };
  const message = new IpmMessage((raw[0] ?? 0) >= 0xf0 ? 'cp500' : 'ascii');
  const problem = message.take(Buffer.from(raw), 0, raw.length);
  try {
    const file_id = parseFileId(file.file_id);
    if (problem !== null) throw new MalformedRecord(problem.code, problem.reason);
    if (file_id === null)
      throw new MalformedRecord('file_id_missing', 'the file of the record has no file id (PDS0105)');
    return new ClearingReader(file_id.text, file_id.created_on).read(message, place);
  } catch (error) {
    if (!(error instanceof MalformedRecord)) throw error;
    return badRecord(error, place, message.copy());
  }
}

/** Turns the records of one file into items, and keeps its totals. */
class FileReader {
  #message = new IpmMessage('ascii');
  #items: FileItem[] = [];
  #file: FileId | null = null;
  #clearings: ClearingReader | null = null;
  #records = 0;
  readonly #sum = new AmountSum();
  /** The first message whose DE4 cannot be read. */
  #unreadable: RecordPlace | null = null;
  /** Held back until the file has ended: nothing may follow it. */
  #file_end: FileEnd | null = null;

  start(encoding: IpmEncoding): void {
    this.#message = new IpmMessage(encoding);
  }

  /** Whether the trailer was read. */
  get is_complete(): boolean {
    return this.#file_end !== null;
  }

  get records(): number {
    return this.#records;
  }

  /** Returns the items that were read since the last call. */
  items(): readonly FileItem[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  take(bytes: Buffer, start: number, end: number, offset: number): void {
    const message = this.#message;
    const ordinal = this.#records + 1;
    if (this.#file_end !== null) {
      throw new FileProblem(
        'refused',
        'record_after_trailer',
        `record ${ordinal} at offset ${offset} follows the trailer`,
        offset,
      );
    }
    this.#records = ordinal;
    const problem = message.take(bytes, start, end);
    this.#addAmount(ordinal, offset);
    const message_number = message.number(71);
    // Without all lengths, what stands at the place of DE71 may be another element.
    if (problem === null && message_number !== null && message_number !== -1 && message_number !== ordinal) {
      throw new FileProblem(
        'refused',
        'message_number_gap',
        `record ${ordinal} at offset ${offset} has the message number ${message_number} (DE71): a message is missing, repeated or moved`,
        offset,
      );
    }
    try {
      this.#takeMessage(problem, { ordinal, offset });
    } catch (error) {
      if (!(error instanceof MalformedRecord)) throw error;
      if (ordinal === 1) throw refuseHeader(error.message, offset);
      this.#items.push(badRecord(error, { ordinal, offset }, message.copy()));
    }
  }

  finish(): void {
    if (this.#file_end !== null) {
      this.#items.push(this.#file_end);
      return;
    }
    throw new FileProblem(
      'refused',
      'trailer_missing',
      `the last of ${this.#records} records is no trailer (${trailer_type})`,
      null,
    );
  }

  #takeMessage(problem: ElementProblem | null, place: RecordPlace): void {
    if (problem !== null) throw new MalformedRecord(problem.code, problem.reason);
    const message = this.#message;
    if (this.#clearings !== null && message.mti !== administrative_mti) {
      this.#items.push(this.#clearings.read(message, place));
      return;
    }
    const { type } = message;
    if (this.#clearings === null) {
      if (type !== header_type) {
        throw new FileProblem(
          'refused',
          'header_missing',
          `the first record is no header (${header_type})`,
          place.offset,
        );
      }
      this.#takeHeader(place);
    } else if (type === trailer_type) {
      this.#takeTrailer(place);
    } else if (type === header_type) {
      throw new FileProblem(
        'refused',
        'header_repeated',
        `record ${place.ordinal} at offset ${place.offset} is a second header`,
        place.offset,
      );
    } else {
      this.#items.push({ kind: 'other', ...place, type, raw: message.copy() });
    }
  }

  #takeHeader({ ordinal, offset }: RecordPlace): void {
    const file = parseFileId(this.#message.pds(105));
    if (file === null) throw refuseHeader('PDS0105 is no file id of type, date, processor and sequence', offset);
    this.#file = file;
    this.#clearings = new ClearingReader(file.text, file.created_on);
    const mode = this.#message.pds(122);
    this.#items.push({
      kind: 'header',
      ordinal,
      offset,
      file_id: file.text,
      series: file.series,
      sequence: file.sequence,
      created_on: file.created_on,
      mode: mode === 'T' ? 'test' : mode === 'P' ? 'production' : null,
    });
  }

  #takeTrailer({ offset }: RecordPlace): void {
    const file_id = this.#message.pds(105);
    const stated_sum = totalOf(this.#message.pds(301), 'PDS0301', 'sum of the amounts', offset);
    const stated_count = totalOf(this.#message.pds(306), 'PDS0306', 'number of messages', offset);
    if (file_id !== this.#file?.text) {
      throw new FileProblem(
        'refused',
        'file_ids_differ',
        'header and trailer have different file ids (PDS0105)',
        offset,
      );
    }
    const control_totals: Record<string, string> = {};
    if (stated_count !== null) {
      this.#compare('count_differs', 'PDS0306', stated_count, BigInt(this.#records), offset);
      control_totals.PDS0306 = String(stated_count);
    }
    const sum = this.#sum.total();
    // Zeros state no sum.
    if (stated_sum !== null && (stated_sum !== 0n || sum === 0n)) {
      this.#refuseUnreadable();
      this.#compare('sum_differs', 'PDS0301', stated_sum, sum, offset);
      control_totals.PDS0301 = String(stated_sum);
    }
    this.#file_end = { kind: 'end', records: this.#records, control_totals };
  }

  #compare(code: string, tag: string, stated: bigint, counted: bigint, offset: number): void {
    if (stated === counted) return;
    throw new FileProblem('refused', code, `${tag} of the trailer is ${contradiction(stated, counted)}`, offset);
  }

  #refuseUnreadable(): void {
    if (this.#unreadable === null) return;
    const { ordinal, offset } = this.#unreadable;
    throw new FileProblem(
      'refused',
      'amount_unreadable',
      `DE4 of record ${ordinal} at offset ${offset} cannot be read, so the sum of the trailer cannot be checked`,
      offset,
    );
  }

  /** Every message with DE4 is in the sum, a quarantined one as well. */
  #addAmount(ordinal: number, offset: number): void {
    if (!this.#message.states(4)) return;
    const amount = this.#message.number(4);
    if (amount === null || amount === -1) {
      this.#unreadable ??= { ordinal, offset };
      return;
    }
    this.#sum.add(amount);
  }
}

/** A sum of any size. Numbers are exact up to 2^53, so the rest is kept as a bigint. */
class AmountSum {
  #full = 0n;
  #open = 0;

  add(amount: number): void {
    this.#open += amount;
    if (this.#open < open_sum_max) return;
    this.#full += BigInt(this.#open);
    this.#open = 0;
  }

  total(): bigint {
    return this.#full + BigInt(this.#open);
  }
}

const open_sum_max = 2 ** 52;

/** Null when the trailer does not state the total. */
function totalOf(text: string | null, tag: string, title: string, offset: number): bigint | null {
  if (text === null || text.trim() === '') return null;
  if (/^\d{1,30}$/.test(text.trim())) return BigInt(text.trim());
  throw new FileProblem('refused', 'trailer_malformed', `${tag} of the trailer is no ${title}`, offset);
}

function refuseHeader(reason: string, offset: number): FileProblem {
  return new FileProblem('refused', 'header_malformed', `the header cannot be read: ${reason}`, offset);
}
