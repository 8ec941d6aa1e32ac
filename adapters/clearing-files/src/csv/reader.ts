import {
  type BadRecord,
  type FileClearing,
  type FileItem,
  type FileOfRecord,
  FileProblem,
  type ItemBatch,
  noteRecords,
} from '@tallystick/imports';
import { badRecord } from '../bad-record.ts';
import { contradiction } from '../totals.ts';
import { type FileForm, Header, header_bytes_max, requireForm } from './header.ts';
import type { CsvProfile } from './profile.ts';
import { isTrailer, readRow, showSummand, summandOf, toSummand } from './row-reader.ts';
import { cutOneRow, isBlank, type Row, RowCutter } from './rows.ts';

/** The most bytes that are kept of bad rows before the one that states the file id. */
const held_bytes_max = 1_048_576;

/** Reads a file by the first of the profiles that its header row fits. */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  profiles: readonly CsvProfile[],
): AsyncGenerator<ItemBatch> {
  let reader: FileReader | null = null;
  let head: Buffer = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (reader !== null) {
      yield* reader.push(chunk, bytes);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length <= header_bytes_max) continue;
    reader = new FileReader(head, profiles);
    yield* reader.push(head, bytes);
  }
  if (reader === null) {
    if (head.length === 0) throw new FileProblem('truncated', 'file_truncated', 'the file is empty', 0);
    reader = new FileReader(head, profiles);
    yield* reader.push(head, bytes);
  }
  yield* reader.finish(bytes);
}

/**
 * Reads a bad record again: its bytes are the header row and the row. It stays bad when the
 * profiles have changed so that none fits, or the row is no longer one.
 */
export function readCsvRow(
  raw: Uint8Array,
  place: FileOfRecord,
  profiles: readonly CsvProfile[],
): FileClearing | BadRecord {
  const bytes = Buffer.from(raw);
  const header_end = /\r?\n|\r|$/.exec(bytes.toString('latin1'))!;
  const record_from = header_end.index + header_end[0].length;
  try {
    const form = requireForm(profiles, bytes);
    const header = cutOneRow(form, bytes.subarray(0, record_from), 0);
    const row = cutOneRow(form, bytes.subarray(record_from), place.offset);
    return readRow(new Header(form.profile, header), row, { ordinal: place.ordinal, offset: place.offset });
  } catch (problem) {
    if (!(problem instanceof FileProblem)) throw problem;
    return { ...badRecord(problem, place, raw), record_from };
  }
}

/** Turns the rows of one file into items, and keeps its totals. */
class FileReader {
  readonly #profile: CsvProfile;
  readonly #cutter: RowCutter;
  #header: Header | null = null;
  /** Undefined until a row states it. */
  #file_id: string | null | undefined;
  #is_begun = false;
  /** The bad rows before the one that states the file id. */
  #held: FileItem[] = [];
  #held_bytes = 0;
  /** The header row and the trailer included. */
  #rows = 0;
  #clearings = 0;
  #sum = 0n;
  #control_totals: Readonly<Record<string, string>> | null = null;
  #skipped: number;

  /** `head` is the beginning of the file, with the whole header row. */
  constructor(head: Buffer, profiles: readonly CsvProfile[]) {
    const form: FileForm = requireForm(profiles, head);
    this.#skipped = form.start;
    this.#profile = form.profile;
    this.#cutter = new RowCutter(form, form.start);
    if (this.#profile.file_id_column === undefined) this.#file_id = null;
  }

  push(chunk: Uint8Array, bytes: number): AsyncGenerator<ItemBatch> {
    return noteRecords(this.#push(chunk, bytes), () => this.#rows);
  }

  finish(bytes: number): AsyncGenerator<ItemBatch> {
    return noteRecords(this.#finish(bytes), () => this.#rows);
  }

  async *#push(chunk: Uint8Array, bytes: number): AsyncGenerator<ItemBatch> {
    const content = chunk.subarray(this.#skipped);
    this.#skipped = 0;
    for await (const rows of this.#cutter.push(content)) yield* this.#take(rows, bytes);
  }

  async *#finish(bytes: number): AsyncGenerator<ItemBatch> {
    yield* this.#take(await this.#cutter.finish(), bytes);
    if (this.#profile.trailer !== undefined && this.#control_totals === null) {
      throw new FileProblem('truncated', 'trailer_missing', `the last of ${this.#rows} rows is no trailer`, bytes);
    }
    const end: FileItem = { kind: 'end', records: this.#rows, control_totals: this.#control_totals ?? {} };
    yield { items: [...this.#begin(), end], bytes };
  }

  *#take(rows: readonly Row[], bytes: number): Generator<ItemBatch> {
    const items = rows.flatMap((row) => this.#itemsOf(row));
    if (items.length > 0) yield { items, bytes };
  }

  #itemsOf(row: Row): readonly FileItem[] {
    if (row.cells.every(isBlank)) return [];
    this.#rows += 1;
    if (this.#header === null) {
      this.#header = new Header(this.#profile, row);
      return [];
    }
    if (this.#control_totals !== null) {
      throw refuse('record_after_trailer', `row ${this.#rows} at offset ${row.offset} follows the trailer`, row);
    }
    this.#checkFileId(this.#header, row);
    if (isTrailer(this.#header, row)) {
      this.#takeTrailer(this.#header, row);
      return this.#begin();
    }
    this.#clearings += 1;
    this.#addAmount(this.#header, row);
    const record = readRow(this.#header, row, { ordinal: this.#rows, offset: row.offset });
    if (this.#file_id !== undefined) return [...this.#begin(), record];
    this.#hold(record, this.#header.row.raw.length + row.raw.length);
    return [];
  }

  /** Keeps a bad row until a later one states the file id. */
  #hold(record: FileClearing | BadRecord, bytes: number): void {
    this.#held.push(record);
    this.#held_bytes += bytes;
    if (this.#held_bytes <= held_bytes_max) return;
    const rows = `${this.#held.length} rows up to offset ${record.offset}`;
    throw refuse('file_id_missing', `none of the ${rows} has as many columns as the header`, record);
  }

  /** The header of the file and the bad rows that were held; nothing when they have come before. */
  #begin(): readonly FileItem[] {
    if (this.#is_begun) return [];
    this.#is_begun = true;
    const file_id = this.#file_id ?? null;
    const numbering = { series: null, sequence: null, created_on: null, mode: null };
    const held = this.#held;
    this.#held = [];
    return [{ kind: 'header', ordinal: 1, offset: 0, file_id, ...numbering }, ...held];
  }

  /** The file id is in every row, the trailer included. A row with other columns states none. */
  #checkFileId(header: Header, row: Row): void {
    const { file_id_column } = this.#profile;
    if (file_id_column === undefined || !header.fits(row)) return;
    const file_id = header.column(row, file_id_column);
    if (this.#file_id === undefined) {
      this.#file_id = file_id;
    } else if (file_id !== this.#file_id) {
      throw refuse('file_ids_differ', `row ${this.#rows} at offset ${row.offset} has another ${file_id_column}`, row);
    }
  }

  /** Every row counts to the totals, a quarantined one as well. */
  #addAmount(header: Header, row: Row): void {
    if (this.#profile.trailer === undefined) return;
    const summand = summandOf(header, row);
    if (summand === null) {
      throw refuse(
        'amount_unreadable',
        `the ${header.nameOf('billing_amount')} of row ${this.#rows} at offset ${row.offset} cannot be read, so the sum of the trailer cannot be checked`,
        row,
      );
    }
    this.#sum += summand;
  }

  #takeTrailer(header: Header, row: Row): void {
    const { count_column, sum_column } = this.#profile.trailer!;
    const count = header.column(row, count_column) ?? '';
    const sum = header.column(row, sum_column) ?? '';
    const summand = toSummand(sum, this.#profile);
    if (!header.fits(row) || !/^\d{1,15}$/.test(count) || summand === null) {
      throw refuse(
        'trailer_malformed',
        `the trailer at offset ${row.offset} must have as many columns as the header, digits in ${count_column}, and an amount in ${sum_column}`,
        row,
      );
    }
    if (Number(count) !== this.#clearings) {
      throw refuse('count_differs', `the trailer counts ${contradiction(BigInt(count), BigInt(this.#clearings))}`, row);
    }
    if (summand !== this.#sum) {
      throw refuse(
        'sum_differs',
        `the trailer states a sum of ${contradiction(summand, this.#sum, (total) => showSummand(total, this.#profile))}`,
        row,
      );
    }
    this.#control_totals = { count, sum };
  }
}

function refuse(code: string, message: string, { offset }: Pick<Row, 'offset'>): FileProblem {
  return new FileProblem('refused', code, message, offset);
}
