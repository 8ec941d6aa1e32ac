import { type Call, Refusal } from '@tallystick/kernel';
import { actInPass } from '../act-in-pass.ts';
import type { ActPorts, ActTx } from '../act-plan.ts';
import { concernedIds } from '../known-records.ts';
import { lockItems } from '../read-situations.ts';
import { type RecordedBatch, RulesDecideOtherwise, recordBatch } from '../record-acts.ts';
import { conflict } from '../refuse-act.ts';
import type { DecidedRow } from './decision-table.ts';
import { askedBy, type PlannedRow, planRows } from './plan-rows.ts';
import { type MadeDecision, undoDecisions } from './undo-decisions.ts';

/**
 * The decisions of a table as they are written, batch after batch. Those with matches of cards are
 * recorded in passes of the network, each in one transaction with its matches. The others of a batch
 * commit together.
 */
export class WrittenTable {
  readonly #ports: ActPorts;
  readonly #call: Call;
  /** Also those that were sent to a pass and may not have been recorded. */
  readonly #made: MadeDecision[] = [];

  constructor(ports: ActPorts, call: Call) {
    this.#ports = ports;
    this.#call = call;
  }

  /** How many decisions were made. Others stood already when they were to be written. */
  get decided(): number {
    return this.#made.length;
  }

  /** Writes the decisions of a batch. Rejects when one is refused or fails: `undo` is next. */
  async write(rows: readonly DecidedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { recorded, of_pass } = await this.#recordAll(rows);
    this.#made.push(...recorded.map(({ planned, act }) => ({ act, undone: planned.undone })));
    this.#made.push(...of_pass.map((act) => ({ act, undone: act.undone })));
    const outcomes = await Promise.allSettled(of_pass.map((act) => actInPass(this.#ports, act)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  async #recordAll(
    rows: readonly DecidedRow[],
    against_rules: ReadonlySet<number> = new Set(),
  ): Promise<RecordedBatch<PlannedRow>> {
    try {
      return await this.#ports.unitOfWork.run((tx) => this.#record(tx, rows, against_rules));
    } catch (error) {
      if (!(error instanceof RulesDecideOtherwise) || error.item_ids.isSubsetOf(against_rules)) throw error;
      return await this.#recordAll(rows, error.item_ids.union(against_rules));
    }
  }

  /** Records the acts without matches of cards, and prepares the others for their passes. */
  async #record(
    tx: ActTx,
    rows: readonly DecidedRow[],
    against_rules: ReadonlySet<number>,
  ): Promise<RecordedBatch<PlannedRow>> {
    const ids = rows.map(askedBy).flatMap(concernedIds);
    const records = await lockItems(tx, this.#call, ids);
    const planned: PlannedRow[] = [];
    for (const { result } of await planRows(tx, this.#call, rows, against_rules)) {
      if (result instanceof Refusal) throw result;
      if (result !== null) planned.push(result);
    }
    return await recordBatch(tx, this.#call, planned, records);
  }

  /**
   * Undoes everything that was written, and returns the error of the table: a refusal (`conflict`)
   * that says what was refused, or the error that is no refusal.
   */
  async undo(error: unknown): Promise<unknown> {
    const kept_ids = await undoDecisions(this.#ports, this.#call, this.#made);
    if (!(error instanceof Refusal)) return error;
    const changed = `${error.message}. It changed while the table was read, and nothing was decided`;
    if (kept_ids.length === 0) return conflict(changed);
    const shown = kept_ids.slice(0, shown_items_max).join(', ');
    const more = kept_ids.length > shown_items_max ? ` and ${kept_ids.length - shown_items_max} more` : '';
    return conflict(`${changed}, except for items that changed since they were decided: ${shown}${more}`);
  }
}

const shown_items_max = 10;
