import { FileProblem } from '@tallystick/imports';
import { invalid, type Refusal, showValue } from '@tallystick/kernel';
import type { TableRow, TableSource } from '@tallystick/reconciliation';
import { type Row, RowCutter } from '../csv/rows.ts';

const byte_order_mark = Buffer.from([0xef, 0xbb, 0xbf]);

/** What spreadsheets put between cells; the first one counts when several fit. */
const delimiters = [',', ';', '\t'] as const;

/** The longest first row, in bytes, and with it a row that names the delimiter (`sep=;`). */
const head_bytes_max = 8_192;

/**
 * A table in CSV as spreadsheets write it: in UTF-8 with or without a byte order mark, with commas,
 * semicolons or tabs between cells, quotes where needed, and either line break. The first row names
 * the columns. Rows of empty cells are rows; empty lines are not. `open` returns the bytes from the
 * start, each time. Memory is bounded by the longest row.
 */
export function tableSource(open: () => AsyncIterable<Uint8Array>): TableSource {
  return { rows: (checkNames) => readRows(open, checkNames) };
}

async function* readRows(
  open: () => AsyncIterable<Uint8Array>,
  checkNames: (names: readonly string[]) => void,
): AsyncGenerator<readonly TableRow[]> {
  const { head, rest } = await readHead(open());
  const { start, delimiter } = formOf(head);
  const cutter = new RowCutter({ delimiter, quote: '"' }, start);
  const table = new Table(checkNames);
  try {
    for await (const chunk of chunksFrom(head.subarray(start), rest)) {
      for await (const rows of cutter.push(chunk)) if (rows.length > 0) yield table.take(rows);
    }
    yield table.take(await cutter.finish());
  } catch (error) {
    throw error instanceof FileProblem ? refusal('table', `cannot be read: ${error.message}`) : error;
  }
  if (!table.is_named) throw refusal('columns', 'must be named in the first row, and the table is empty');
}

/** The rows of one reading, by the names of their columns. */
class Table {
  readonly #checkNames: (names: readonly string[]) => void;
  #next = 1;
  #names: readonly string[] | null = null;

  constructor(checkNames: (names: readonly string[]) => void) {
    this.#checkNames = checkNames;
  }

  get is_named(): boolean {
    return this.#names !== null;
  }

  take(rows: readonly Row[]): readonly TableRow[] {
    const taken: TableRow[] = [];
    for (const { cells } of rows) {
      const number = this.#next;
      this.#next += 1;
      if (this.#names === null) {
        this.#names = namesOf(cells);
        this.#checkNames(this.#names);
      } else taken.push({ number, cells: byName(number, this.#names, cells) });
    }
    return taken;
  }
}

function namesOf(cells: readonly string[]): readonly string[] {
  const names = cells.map((cell) => cell.trim());
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at);
  if (twice !== undefined) throw refusal('columns', `must be named once each, and ${showValue(twice)} is there twice`);
  return names;
}

/** A row that ends early has empty cells at its end. */
function byName(number: number, names: readonly string[], cells: readonly string[]): TableRow['cells'] {
  const beyond = cells.slice(names.length).find((cell) => cell.trim() !== '');
  if (beyond !== undefined) {
    const message = `has ${cells.length} cells, and the first row names ${names.length}: a text with a delimiter needs quotes`;
    throw refusal(`row ${number}`, message);
  }
  return new Map(names.map((name, at) => [name, cells[at] ?? '']));
}

interface Head {
  /** The bytes read so far. They contain the first row, unless the table ends before it does. */
  readonly head: Buffer;
  readonly rest: AsyncIterator<Uint8Array>;
}

async function readHead(bytes: AsyncIterable<Uint8Array>): Promise<Head> {
  const rest = bytes[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < head_bytes_max) {
    const { done, value } = await rest.next();
    if (done === true) break;
    head = Buffer.concat([head, value]);
  }
  return { head, rest };
}

/** How many bytes come before the first row, and what separates cells. */
function formOf(head: Buffer): { readonly start: number; readonly delimiter: string } {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) {
    throw refusal('table', 'must be UTF-8, and it is UTF-16: save it as "CSV UTF-8"');
  }
  const start = head.subarray(0, 3).equals(byte_order_mark) ? 3 : 0;
  const text = head.toString('latin1', start);
  refuseBareReturns(text);
  const stated = /^"?sep=([,;\t])"?\r?\n/i.exec(text);
  if (stated !== null) return { start: start + stated[0].length, delimiter: stated[1]! };
  const first = /^[^\r\n]*/.exec(text)![0];
  const count = (delimiter: string) => first.split(delimiter).length;
  return { start, delimiter: delimiters.toSorted((a, b) => count(b) - count(a))[0]! };
}

/** Refuses rows that end with CR alone: all of them would be one. */
function refuseBareReturns(text: string): void {
  const row = /^([^\r\n]*)\r[^\n]/.exec(text);
  const is_within_quotes = row !== null && (row[1]!.split('"').length - 1) % 2 === 1;
  if (row === null || is_within_quotes) return;
  throw refusal('table', 'must have LF or CRLF at the end of each row, and has CR alone: save it as "CSV UTF-8"');
}

/** Yields the bytes. Refuses what is not UTF-8, whose letters would be lost. */
async function* chunksFrom(head: Buffer, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const check = (chunk?: Uint8Array) => {
    try {
      utf8.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw refusal('table', 'must be UTF-8, and has bytes that are not: save it as "CSV UTF-8"');
    }
  };
  try {
    check(head);
    yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      check(next.value);
      yield next.value;
    }
    check();
  } finally {
    await rest.return?.();
  }
}

function refusal(path: string, message: string): Refusal {
  return invalid({ path, message });
}
