import { type FieldError, invalid, showValue } from '@tallystick/kernel';
import type { MatchedIds } from '../../item-id.ts';
import { plainText } from '../../table-cell.ts';
import { cleanText, isNote, note_expected } from '../act-request.ts';
import { type NamedMatch, readWithCell } from './with-cell.ts';

/** A row of a table as it was read: its cells by the names in the first row. */
export interface TableRow {
  /** From 1, which is the row of the names. A cell with line breaks counts as one row. */
  readonly number: number;
  readonly cells: ReadonlyMap<string, string>;
}

/** A table that can be read twice. */
export interface TableSource {
  /**
   * The rows below the names, in batches. `checkNames` takes the names before the first batch, also
   * when there are no rows, and may throw. Rejects with a `Refusal` (`validation_failed`) when the
   * bytes are no table.
   */
  rows(checkNames: (names: readonly string[]) => void): AsyncIterable<readonly TableRow[]>;
}

/** What the table can ask for, in the words of its column `decision`. */
const table_decisions = ['accept', 'ignore', 'confirm', 'reopen', 'match'] as const;

export type TableDecision = (typeof table_decisions)[number];

/** The columns without which nothing can be decided. */
export const decision_columns = ['id', 'version', 'decision', 'note'] as const;

/** The columns in which something can be wrong. */
export const filled_columns = [...decision_columns, 'with'] as const;

type FilledColumn = (typeof filled_columns)[number];

export interface DecidedRow {
  readonly row: number;
  readonly item_id: number;
  /** The version of the item that the person saw. */
  readonly version: number;
  readonly decision: TableDecision;
  readonly note: string;
  /** Only of a match. */
  readonly with: MatchedIds | null;
  /** A match also accepts what is left, and the note is its reason. */
  readonly accept_difference: boolean;
}

/** What is wrong with a row, and what would be right. */
export interface RowError {
  readonly row: number;
  readonly column: FilledColumn;
  readonly message: string;
}

/** The place of an error in the answer: `rows[12].note`. */
export function toFieldError({ row, column, message }: RowError): FieldError {
  return { path: `rows[${row}].${column}`, message };
}

/**
 * Reads a row. Null: it has no decision, and changes nothing. Returns every invalid cell. Cells are
 * read as spreadsheets write them: with white space around them, and an apostrophe before a text
 * that begins like a formula.
 */
export function readDecidedRow({ number, cells }: TableRow): DecidedRow | readonly RowError[] | null {
  const cell = (column: FilledColumn) => plainText((cells.get(column) ?? '').trim()).trim();
  const asked = cell('decision');
  if (asked === '') return null;
  const errors: RowError[] = [];
  const add = (column: FilledColumn, rule: string, value: string) => {
    const message = value === '' ? `is required: ${rule}` : `must be ${rule}, not ${showValue(value)}`;
    errors.push({ row: number, column, message });
  };
  const decision = table_decisions.find((known) => known === asked.toLowerCase());
  if (decision === undefined) add('decision', `one of ${table_decisions.join(', ')}, or empty`, asked);
  const item_id = toWholeNumber(cell('id'));
  if (item_id === null) add('id', 'the id of an item', cell('id'));
  const version = toWholeNumber(cell('version'));
  if (version === null) add('version', 'the version of the item in the table', cell('version'));
  const note = cell('note');
  if (!isNote(note)) add('note', note_expected, note);
  const matched_with = decision === undefined ? null : readWith(decision, cells, cell);
  if (typeof matched_with === 'string') errors.push({ row: number, column: 'with', message: matched_with });
  if (errors.length > 0) return errors;
  return {
    row: number,
    item_id: item_id!,
    version: version!,
    decision: decision!,
    note: cleanText(note),
    ...((matched_with as NamedMatch | null) ?? { with: null, accept_difference: false }),
  };
}

/** What is wrong is returned as a text. */
function readWith(
  decision: TableDecision,
  cells: TableRow['cells'],
  cell: (column: FilledColumn) => string,
): NamedMatch | string | null {
  const asked = cell('with');
  if (decision !== 'match') return asked === '' ? null : `must be empty: it is only for match, not for ${decision}`;
  if (!cells.has('with')) return 'is required for match, and the table has no column of this name: add it';
  if (asked === '') return 'is required for match: name the records of the other side, as line:408';
  return readWithCell(asked, cells.get('suggestions') ?? '');
}

function toWholeNumber(text: string): number | null {
  const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null;
  return number !== null && Number.isSafeInteger(number) ? number : null;
}

/** Refuses (`validation_failed`) a table without a column that decisions need. */
export function refuseMissingColumns(names: readonly string[]): void {
  const missing = decision_columns.filter((column) => !names.includes(column));
  if (missing.length === 0) return;
  const message = `must be named in the first row: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not there`;
  throw invalid({ path: 'columns', message });
}
