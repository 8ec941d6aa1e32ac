import { type Call, invalid, Refusal } from '@tallystick/kernel';
import { lockCards, planAct, recordAct, refresh, rematchMessage } from './act-on-item.ts';
import type { ActPlan, ActPorts, ActTx, Situation } from './act-plan.ts';
import type { ActRequest } from './act-request.ts';
import { standingActs } from './acts.ts';
import {
  type DecidedRow,
  type RowError,
  readDecidedRow,
  refuseMissingColumns,
  type TableSource,
  toFieldError,
} from './decision-table.ts';
import { fingerprintOf } from './fingerprint.ts';
import { catchUp } from './keep-up.ts';
import { readItem, recordsOf } from './read-items.ts';
import { conflict, refuseMerged, refuseOtherVersion, type SeenItem } from './refuse-act.ts';
import { type MadeDecision, undoDecisions } from './undo-decisions.ts';

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

/** The most decisions of one table. */
export const table_decisions_max = 100_000;

/** How many errors are returned. */
export const table_errors_max = 1_000;

/** How many decisions one transaction checks or writes. */
const batch_size = 100;

/**
 * Decides items by the rows of a table (decision: reconciliation, CSV both ways). The table is read
 * twice: everything is checked before anything is decided. Memory is bounded whatever its size. A
 * decision is an error for an item of another version, unless that very decision with that note
 * stands already, so the same table changes nothing the second time.
 *
 * All or nothing: refuses (`validation_failed`) a table with an error, with all of them up to
 * `table_errors_max`. Decisions are written in batches, so that nobody waits long. When an item
 * changes while they are written, those before are undone again, with acts of their own, and the
 * table is refused (`conflict`). When the process ends in between, the same table completes it.
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
  await writeTable(ports, call, source);
  return answer;
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
      const outcomes = await this.#ports.unitOfWork.read(async (tx) => {
        const found: Outcome[] = [];
        for (const row of sound) found.push(await outcomeOf(tx, this.#call, row));
        return found;
      });
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

async function outcomeOf(tx: ActTx, call: Call, row: DecidedRow): Promise<Outcome> {
  try {
    const situation = await seenBy(tx, call, row);
    if (isStanding(situation, row)) return 'unchanged';
    await planRow(situation, row);
    return 'decided';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const column = error.code === 'not_found' ? 'id' : error instanceof OtherVersion ? 'version' : 'decision';
    return { row: row.row, column, message: error.message };
  }
}

/** A refusal because of the version, which has a column of its own. */
class OtherVersion extends Refusal {}

async function seenBy(tx: ActTx, call: Call, row: DecidedRow): Promise<Situation> {
  return { ...(await readItem(tx, call, row.item_id)), tx, call, request: requestOf(row), is_against_rules: false };
}

function requestOf({ decision, note, version }: DecidedRow): ActRequest {
  return { action: decision, note, reason: null, version, with: null, side: null };
}

async function planRow(situation: Situation, { item_id, version }: DecidedRow): ReturnType<typeof planAct> {
  try {
    // The version of the row is that of the item with this id.
    refuseMerged(situation, { item_id, version: null });
    refuseOtherVersion(situation, { version, seen_act_id: null });
  } catch (error) {
    throw error instanceof Refusal ? new OtherVersion(error.code, error.message) : error;
  }
  return await planAct(situation);
}

/** Whether the very decision with this note stands. */
function isStanding({ item, history }: SeenItem, { decision, note }: DecidedRow): boolean {
  const standing = standingActs(history).decisions.get(fingerprintOf(item));
  if (decision === 'reopen') {
    const last = history.findLast(({ action }) => action !== 'match' && action !== 'unmatch');
    return standing === undefined && last?.action === 'reopen' && last.note === note;
  }
  return history.some((act) => act.id === standing?.act_id && act.action === decision && act.note === note);
}

async function writeTable(ports: ActPorts, call: Call, source: TableSource): Promise<void> {
  const made: MadeDecision[] = [];
  const rematches: { readonly situation: Situation; readonly plan: ActPlan }[] = [];
  try {
    for await (const { rows } of batchesOf(source)) {
      const written = await ports.unitOfWork.run((tx) => writeBatch(tx, call, rows));
      made.push(...written.map(({ decision }) => decision));
      rematches.push(...written.filter(({ plan }) => plan.rematches.length > 0));
    }
  } catch (error) {
    await undoDecisions(ports, call, made);
    if (!(error instanceof Refusal)) throw error;
    throw conflict(`${error.message}. It changed while the table was read, and nothing was decided`);
  }
  // What has changed meanwhile is not the match that the person saw, and stays.
  for (const { situation, plan } of rematches) {
    await ports.network.rematch({ ...rematchMessage(situation, plan), act: null });
  }
}

async function writeBatch(tx: ActTx, call: Call, rows: readonly ReadRow[]) {
  const decided = rows.filter((row): row is DecidedRow => !isErrors(row));
  const items = [];
  for (const row of decided) items.push((await readItem(tx, call, row.item_id)).item);
  await lockCards(tx, call, items);
  const records = items.flatMap(recordsOf);
  await refresh(tx, call, records);
  const written = [];
  for (const row of decided) {
    const situation = await seenBy(tx, call, row);
    if (isStanding(situation, row)) continue;
    const plan = await planRow(situation, row);
    const undone = row.decision === 'reopen' ? lastDecision(situation) : null;
    const act = await recordAct(situation, plan.subject);
    written.push({ decision: { act, undone }, situation, plan });
  }
  await refresh(tx, call, records);
  return written;
}

function lastDecision({ item, history }: SeenItem) {
  const standing = standingActs(history).decisions.get(fingerprintOf(item));
  return history.find(({ id }) => id === standing?.act_id) ?? null;
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
  yield { rows, skipped };
}
