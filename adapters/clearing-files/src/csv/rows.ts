import { decodeText, FileProblem } from '@tallystick/imports';
import { CsvError, type Options, parse } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';

export interface Row {
  readonly cells: readonly string[];
  /** Bytes from the start of the file to the row. */
  readonly offset: number;
  /** The bytes of the row, with its line break. */
  readonly raw: Uint8Array;
}

/** The longest row, with its quotes and its line break. */
const row_bytes_max = 32_768;

/** The parser gets at most this many bytes at once, so that a row without end is noticed. */
const slice_bytes = 16_384;

/** How rows are separated into cells. */
export interface RowForm {
  readonly delimiter: string;
  readonly quote: string | null;
  /** `\r`: rows end with it alone. Else with LF or CRLF. */
  readonly line_break?: '\r' | '\n';
}

/** How the library reads such rows: strict quotes, and no row is skipped but an empty line. */
function rowOptions({ delimiter, quote, line_break }: RowForm): Options {
  return {
    delimiter,
    quote: quote ?? false,
    escape: quote,
    record_delimiter: line_break === '\r' ? ['\r'] : ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: row_bytes_max,
  };
}

/** Reads bytes that are one row. Throws `FileProblem` when they are not. */
export function cutOneRow(form: RowForm, raw: Buffer, offset: number): Row {
  const [cells, ...others] = rowsOf(form, decodeText(raw));
  if (cells === undefined || others.length > 0) {
    throw new FileProblem('refused', 'row_malformed', 'the bytes are not one row of the profile', offset);
  }
  return { cells, offset, raw };
}

export function isBlank(cell: string): boolean {
  return cell.trim() === '';
}

/** The cells of some rows; none when a quote is broken. */
export function rowsOf(form: RowForm, rows: string): readonly (readonly string[])[] {
  try {
    return parseAtOnce(rows, rowOptions(form)) as string[][];
  } catch (error) {
    if (error instanceof CsvError) return [];
    throw error;
  }
}

/**
 * Cuts a file into rows, in slices: yields what each slice ends. Empty lines are skipped. Text is
 * UTF-8, or else Windows-1252. The rows of a file with a damaged quote or a row without end cannot
 * be separated: `FileProblem`.
 */
export class RowCutter {
  readonly #parser: ReturnType<typeof parse>;
  readonly #form: RowForm;
  #rows: Row[] = [];
  /** The bytes since the end of the last row. */
  #window: Buffer = Buffer.alloc(0);
  /** The place of the window after `#start`. */
  #window_at = 0;
  readonly #start: number;

  /** `start` is the number of bytes of the file before those that are pushed. */
  constructor(form: RowForm, start: number) {
    this.#start = start;
    this.#form = form;
    this.#parser = parse({
      ...rowOptions(form),
      on_record: (cells: readonly string[], { bytes }) => {
        this.#take(cells, bytes);
        return null;
      },
    });
    // A problem is reported by the write that it belongs to.
    this.#parser.on('error', () => {});
    this.#parser.resume();
  }

  async *push(chunk: Uint8Array): AsyncGenerator<readonly Row[]> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (let at = 0; at < bytes.length; at += slice_bytes) {
      const slice = bytes.subarray(at, at + slice_bytes);
      this.#window = Buffer.concat([this.#window, slice]);
      await this.#settle((done) => this.#parser.write(slice, done));
      if (this.#window.length > row_bytes_max)
        throw this.#refuse('row_too_long', `is longer than ${row_bytes_max} bytes`);
      yield this.#taken();
    }
  }

  async finish(): Promise<readonly Row[]> {
    await this.#settle((done) => this.#parser.end(done));
    return this.#taken();
  }

  #taken(): readonly Row[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #take(cells: readonly string[], end_at: number): void {
    const length = end_at - this.#window_at;
    const raw = Uint8Array.from(this.#window.subarray(0, length));
    // The parser reads all bytes as UTF-8.
    const is_doubtful = cells.some((cell) => cell.includes('\ufffd'));
    const read = is_doubtful ? (rowsOf(this.#form, decodeText(raw))[0] ?? cells) : cells;
    this.#rows.push({ cells: read, offset: this.#offset(), raw });
    this.#window = this.#window.subarray(length);
    this.#window_at = end_at;
  }

  async #settle(act: (done: (error?: Error | null) => void) => void): Promise<void> {
    const error = await new Promise<Error | null>((resolve) => {
      act((failure) => resolve(failure ?? null));
    });
    if (error === null) return;
    const { code } = error as CsvError;
    if (code === 'CSV_QUOTE_NOT_CLOSED') {
      throw new FileProblem(
        'truncated',
        'quote_open',
        `the file ends within the quotes of ${this.#place()}`,
        this.#offset(),
      );
    }
    if (code === 'CSV_MAX_RECORD_SIZE') throw this.#refuse('row_too_long', `is longer than ${row_bytes_max} bytes`);
    if (code === 'CSV_INVALID_CLOSING_QUOTE' || code === 'INVALID_OPENING_QUOTE') {
      throw this.#refuse('quote_invalid', 'has a quote within a text, or a text beside quotes');
    }
    throw error;
  }

  #refuse(code: string, reason: string): FileProblem {
    return new FileProblem('refused', code, `${this.#place()} ${reason}. What follows cannot be read`, this.#offset());
  }

  #place(): string {
    return `the row at offset ${this.#offset()}`;
  }

  #offset(): number {
    return this.#window_at + this.#start;
  }
}
