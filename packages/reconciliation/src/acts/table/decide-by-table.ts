import { type Call, invalid, Refusal } from '@tallystick/kernel';
import { catchUp } from '../../keeping/keep-up.ts';
import type { ActPorts } from '../act-plan.ts';
import { ClaimedRecords } from './claimed-records.ts';
import {
  type DecidedRow,
  type RowError,
  readDecidedRow,
  refuseMissingColumns,
  type TableSource,
  toFieldError,
} from './decision-table.ts';
import { OtherVersion, type PlannedRow, planRows, type RowPlan } from './plan-rows.ts';
import { type SeenRow, seenRowOf } from './seen-row.ts';
import { WrittenTable } from './written-table.ts';

/** What a table of decisions does, or with a dry run would do. */
export interface TableAnswer {
  readonly dry_run: boolean;
  /** Rows below the names. */
  readonly rows: number;
  /** Rows without a decision. */
  readonly skipped: number;
  readonly decided: number;
  /** Rows whose act waits for a second person. */
  readonly pending: number;
  /** Rows whose decision with that note stands already. */
  readonly unchanged: number;
  /** The first errors, by row; empty unless it was a dry run. */
  readonly errors: readonly RowError[];
  readonly errors_total: number;
}

const table_decisions_max = 100_000;

/** How many errors are returned. */
const table_errors_max = 1_000;

/** How many decisions one transaction checks or writes, and how many records these may name. */
const batch_size = 10;
const batch_records_max = 500;

/**
 * Decides items by the rows of a table (decision: reconciliation, CSV both ways). The table is read
 * twice: everything is checked before anything is decided. Memory is bounded whatever its size. A
 * decision is an error for an item of another version, unless that very decision with that note
 * stands already, so the same table changes nothing the second time.
 *
 * A row about an item above the amount of the four-eyes setting waits for a second person, and the
 * other rows are decided.
 *
 * All or nothing: refuses (`validation_failed`) a table with an error, with all of them up to
 * `table_errors_max`. Decisions are written in batches, so that nobody waits long, and each with all
 * that it changes. When an item changes while they are written, those before are undone again, with
 * acts of their own, and the table is refused (`conflict`). When the process ends in between, the
 * same table completes it.
 */
export async function decideByTable(
  ports: ActPorts,
  call: Call,
  source: TableSource,
  { dry_run }: { readonly dry_run: boolean },
): Promise<TableAnswer> {
  await catchUp(ports, call.company_id);
  const { seen, ...checked } = await checkTable(ports, call, source);
  const answer = { ...checked, dry_run };
  if (dry_run) return answer;
  const [first, ...others] = answer.errors;
  if (first !== undefined) throw invalid(toFieldError(first), ...others.map(toFieldError));
  const written = new WrittenTable(ports, call, seen);
  try {
    for await (const { rows } of batchesOf(source)) {
      await written.write(rows.filter(isSound));
    }
  } catch (error) {
    throw await written.undo(error);
  }
  const { decided } = written;
  return { ...answer, decided, unchanged: answer.decided + answer.unchanged - decided };
}

/** Checks every row, and changes nothing. `seen`: the items of the rows to be decided, by number. */
async function checkTable({ unitOfWork }: ActPorts, call: Call, source: TableSource) {
  const claimed = new ClaimedRecords();
  const seen = new Map<number, SeenRow>();
  const found: RowError[] = [];
  let errors_total = 0;
  const counts = { rows: 0, skipped: 0, decided: 0, pending: 0, unchanged: 0 };
  const add = (error: RowError): void => {
    errors_total += 1;
    if (found.length < table_errors_max) found.push(error);
  };
  for await (const { rows, skipped } of batchesOf(source)) {
    counts.rows += rows.length + skipped;
    counts.skipped += skipped;
    for (const error of rows.filter(isErrors).flat()) add(error);
    const sound = rows.filter(isSound);
    for (const plan of await unitOfWork.read((tx) => planRows(tx, call, sound))) {
      const outcome = claimed.claim(plan.records) ?? outcomeOf(plan);
      if (typeof outcome === 'string') counts[outcome] += 1;
      else add(outcome);
      if (isPlanned(plan.result) && typeof outcome === 'string')
        seen.set(plan.row.row, seenRowOf(plan.result.situation));
    }
    if (counts.decided + counts.pending + counts.unchanged > table_decisions_max) {
      throw invalid({ path: 'rows', message: `must have at most ${table_decisions_max} decisions: split the table` });
    }
  }
  const errors = found.toSorted((a, b) => a.row - b.row);
  return { ...counts, errors, errors_total, seen };
}

function isPlanned(result: RowPlan['result']): result is PlannedRow {
  return result !== null && result !== 'asked' && !(result instanceof Refusal);
}

/** What would become of the row. */
function outcomeOf({ row: { row }, result }: RowPlan): 'decided' | 'pending' | 'unchanged' | RowError {
  if (result === null) return 'unchanged';
  if (result === 'asked' || (isPlanned(result) && result.stake !== null)) return 'pending';
  if (isPlanned(result)) return 'decided';
  const [field] = result.fields;
  if (field !== undefined) return { row, column: 'with', message: field.message };
  const column = result.code === 'not_found' ? 'id' : result instanceof OtherVersion ? 'version' : 'decision';
  return { row, column, message: result.message };
}

/** A row with a decision, or what is wrong with it. */
type ReadRow = DecidedRow | readonly RowError[];

function isErrors(row: ReadRow): row is readonly RowError[] {
  return Array.isArray(row);
}

function isSound(row: ReadRow): row is DecidedRow {
  return !isErrors(row);
}

/** How many records the row names. */
function weightOf(row: ReadRow): number {
  if (isErrors(row) || row.with === null) return 0;
  return row.with.clearing_ids.length + row.with.line_ids.length;
}

/** The rows with a decision, some at a time, and how many between them have none. */
async function* batchesOf(source: TableSource): AsyncGenerator<{
  readonly rows: readonly ReadRow[];
  readonly skipped: number;
}> {
  let rows: ReadRow[] = [];
  let skipped = 0;
  let named = 0;
  for await (const batch of source.rows(refuseMissingColumns)) {
    for (const row of batch) {
      const read = readDecidedRow(row);
      if (read === null) skipped += 1;
      else rows.push(read);
      if (read !== null) named += weightOf(read);
      if (rows.length < batch_size && named < batch_records_max) continue;
      yield { rows, skipped };
      rows = [];
      skipped = 0;
      named = 0;
    }
  }
  if (rows.length > 0 || skipped > 0) yield { rows, skipped };
}
