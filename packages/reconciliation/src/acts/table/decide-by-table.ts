import { type Call, invalid, Refusal } from '@tallystick/kernel';
import { catchUp } from '../../keeping/keep-up.ts';
import type { ActPorts, ActTx } from '../act-plan.ts';
import {
  type DecidedRow,
  type RowError,
  readDecidedRow,
  refuseMissingColumns,
  type TableSource,
  toFieldError,
} from './decision-table.ts';
import { OtherVersion, planRows } from './plan-rows.ts';
import { WrittenTable } from './written-table.ts';

/** What a table of decisions does, or with a dry run would do. */
export interface TableAnswer {
  readonly dry_run: boolean;
  /** Rows below the names. */
  readonly rows: number;
  /** Rows without a decision. */
  readonly skipped: number;
  readonly decided: number;
  /** Rows whose decision with that note stands already. */
  readonly unchanged: number;
  /** The first errors, by row; empty unless it was a dry run. */
  readonly errors: readonly RowError[];
  readonly errors_total: number;
}

const table_decisions_max = 100_000;

/** How many errors are returned. */
const table_errors_max = 1_000;

/** How many decisions one transaction checks or writes. */
const batch_size = 100;

/**
 * Decides items by the rows of a table (decision: reconciliation, CSV both ways). The table is read
 * twice: everything is checked before anything is decided. Memory is bounded whatever its size. A
 * decision is an error for an item of another version, unless that very decision with that note
 * stands already, so the same table changes nothing the second time.
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
  const answer = { ...(await new TableCheck(ports, call).check(source)), dry_run };
  if (dry_run) return answer;
  const [first, ...others] = answer.errors;
  if (first !== undefined) throw invalid(toFieldError(first), ...others.map(toFieldError));
  const written = new WrittenTable(ports, call);
  try {
    for await (const { rows } of batchesOf(source)) {
      await written.write(rows.filter((row): row is DecidedRow => !isErrors(row)));
    }
  } catch (error) {
    throw await written.undo(error);
  }
  const { decided } = written;
  return { ...answer, decided, unchanged: answer.decided + answer.unchanged - decided };
}

/** Checks every row, and changes nothing. */
class TableCheck {
  readonly #ports: ActPorts;
  readonly #call: Call;
  readonly #rows_by_item = new Map<number, number>();
  readonly #errors: RowError[] = [];
  #errors_total = 0;

  constructor(ports: ActPorts, call: Call) {
    this.#ports = ports;
    this.#call = call;
  }

  async check(source: TableSource): Promise<Omit<TableAnswer, 'dry_run'>> {
    const counts = { rows: 0, skipped: 0, decided: 0, unchanged: 0 };
    for await (const { rows, skipped } of batchesOf(source)) {
      counts.rows += rows.length + skipped;
      counts.skipped += skipped;
      const sound = rows.filter((row) => this.#isSound(row));
      const outcomes = await this.#ports.unitOfWork.read((tx) => outcomesOf(tx, this.#call, sound));
      for (const outcome of outcomes) {
        if (typeof outcome === 'string') counts[outcome] += 1;
        else this.#add(outcome);
      }
    }
    const errors = this.#errors.toSorted((a, b) => a.row - b.row);
    return { ...counts, errors, errors_total: this.#errors_total };
  }

  /** Whether the row can be read, and is the only one of its item. */
  #isSound(row: ReadRow): row is DecidedRow {
    if (isErrors(row)) {
      for (const error of row) this.#add(error);
      return false;
    }
    const before = this.#rows_by_item.get(row.item_id);
    if (before !== undefined) {
      this.#add({ row: row.row, column: 'id', message: `must be in one row: row ${before} decides the item, too` });
      return false;
    }
    this.#rows_by_item.set(row.item_id, row.row);
    if (this.#rows_by_item.size > table_decisions_max) {
      const message = `must have at most ${table_decisions_max} decisions: split the table`;
      throw invalid({ path: 'rows', message });
    }
    return true;
  }

  #add(error: RowError): void {
    this.#errors_total += 1;
    if (this.#errors.length < table_errors_max) this.#errors.push(error);
  }
}

type Outcome = 'decided' | 'unchanged' | RowError;

/** What would become of the rows, in their order. */
async function outcomesOf(tx: ActTx, call: Call, rows: readonly DecidedRow[]): Promise<readonly Outcome[]> {
  const planned = await planRows(tx, call, rows);
  return planned.map(({ row, result }): Outcome => {
    if (!(result instanceof Refusal)) return result === null ? 'unchanged' : 'decided';
    const column = result.code === 'not_found' ? 'id' : result instanceof OtherVersion ? 'version' : 'decision';
    return { row: row.row, column, message: result.message };
  });
}

/** A row with a decision, or what is wrong with it. */
type ReadRow = DecidedRow | readonly RowError[];

function isErrors(row: ReadRow): row is readonly RowError[] {
  return Array.isArray(row);
}

/** The rows with a decision, some at a time, and how many between them have none. */
async function* batchesOf(source: TableSource): AsyncGenerator<{
  readonly rows: readonly ReadRow[];
  readonly skipped: number;
}> {
  let rows: ReadRow[] = [];
  let skipped = 0;
  for await (const batch of source.rows(refuseMissingColumns)) {
    for (const row of batch) {
      const read = readDecidedRow(row);
      if (read === null) skipped += 1;
      else rows.push(read);
      if (rows.length < batch_size) continue;
      yield { rows, skipped };
      rows = [];
      skipped = 0;
    }
  }
  if (rows.length > 0 || skipped > 0) yield { rows, skipped };
}
