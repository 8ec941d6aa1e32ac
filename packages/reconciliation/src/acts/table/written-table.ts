import { type Call, Refusal } from '@tallystick/kernel';
import type { Approval } from '../../approvals/approval.ts';
import { ask, askingOf, endAsked } from '../../approvals/ask.ts';
import { type ActOfPass, explainRefusal, rematchMessage } from '../act-in-pass.ts';
import type { ActPorts, ActTx } from '../act-plan.ts';
import { lockItems } from '../read-situations.ts';
import { type RecordedBatch, RulesDecideOtherwise, recordBatch } from '../record-acts.ts';
import { conflict } from '../refuse-act.ts';
import type { DecidedRow } from './decision-table.ts';
import { askedBy, type PlannedRow, planRows } from './plan-rows.ts';
import type { SeenRow } from './seen-row.ts';
import { type MadeDecision, madeDecision, note_of_undoing, undoDecisions } from './undo-decisions.ts';

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

  readonly #asked: Approval[] = [];

  readonly #seen: ReadonlyMap<number, SeenRow>;

  /** `seen`: the items of rows as the check found them. */
  constructor(ports: ActPorts, call: Call, seen: ReadonlyMap<number, SeenRow>) {
    this.#ports = ports;
    this.#call = call;
    this.#seen = seen;
  }

  /** How many decisions were made. Others stood already when they were to be written. */
  get decided(): number {
    return this.#made.length;
  }

  /** Writes the decisions of a batch. Rejects when one is refused or fails: `undo` is next. */
  async write(rows: readonly DecidedRow[]): Promise<void> {
    let left = rows;
    for (let attempts = attempts_max; left.length > 0; attempts -= 1) {
      const { recorded, of_pass, asked } = await this.#recordAll(left);
      this.#asked.push(...asked);
      this.#made.push(...recorded.map(({ planned, act }) => madeDecision(planned, act.id - 1)));
      left = await this.#recordInPasses(of_pass, attempts > 1);
    }
  }

  /**
   * Returns the rows to plan again: of two rows of one card, the first one may have changed what the
   * rules match, so that the pass refuses the second one as it was planned.
   */
  async #recordInPasses(
    acts: readonly (PlannedRow & ActOfPass)[],
    may_try_again: boolean,
  ): Promise<readonly DecidedRow[]> {
    const answers = await Promise.allSettled(acts.map((act) => this.#ports.network.rematch(rematchMessage(act))));
    const refused: { readonly act: PlannedRow & ActOfPass; readonly refusal: Refusal }[] = [];
    for (const [at, act] of acts.entries()) {
      const answer = answers[at]!;
      if (answer.status === 'fulfilled' && answer.value.kind === 'refused') {
        refused.push({ act, refusal: answer.value.refusal });
      } else this.#made.push(madeDecision(act, act.seen_acts.newest_id));
    }
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
    const final = refused.find(({ refusal }) => !may_try_again || refusal.code !== 'conflict');
    if (final !== undefined) throw await explainRefusal(this.#ports, final.act.situation, final.refusal);
    return refused.map(({ act }) => act.row);
  }

  async #recordAll(rows: readonly DecidedRow[], against_rules: ReadonlySet<number> = new Set()): Promise<WrittenBatch> {
    try {
      return await this.#ports.unitOfWork.run((tx) => this.#record(tx, rows, against_rules));
    } catch (error) {
      if (!(error instanceof RulesDecideOtherwise) || error.item_ids.isSubsetOf(against_rules)) throw error;
      return await this.#recordAll(rows, error.item_ids.union(against_rules));
    }
  }

  /**
   * Records the acts without matches of cards, and prepares the others for their passes. Those that
   * need a second person are asked for.
   */
  async #record(tx: ActTx, rows: readonly DecidedRow[], against_rules: ReadonlySet<number>): Promise<WrittenBatch> {
    await lockItems(tx, this.#call, rows.map(askedBy));
    const planned: PlannedRow[] = [];
    for (const { result } of await planRows(tx, this.#call, rows, { seen: this.#seen, against_rules })) {
      if (result instanceof Refusal) throw result;
      if (result !== null && result !== 'asked') planned.push(result);
    }
    const waiting = planned.flatMap(({ situation, stake }) => (stake === null ? [] : askingOf(situation, stake)));
    const asked = await ask(tx, this.#call, waiting);
    return {
      ...(await recordBatch(
        tx,
        this.#call,
        planned.filter(({ stake }) => stake === null),
      )),
      asked,
    };
  }

  /**
   * Undoes everything that was written, and returns the error of the table: a refusal (`conflict`)
   * that says what was refused, or the error that is no refusal.
   */
  async undo(error: unknown): Promise<unknown> {
    for (const approval of this.#asked) {
      await this.#ports.unitOfWork.run((tx) => endAsked(tx, this.#call, approval, note_of_undoing));
    }
    const kept_ids = await undoDecisions(this.#ports, this.#call, this.#made);
    if (!(error instanceof Refusal)) return error;
    const changed = `${error.message}. It changed while the table was read, and nothing was decided`;
    if (kept_ids.length === 0) return conflict(changed);
    const shown = kept_ids.slice(0, shown_items_max).join(', ');
    const more = kept_ids.length > shown_items_max ? ` and ${kept_ids.length - shown_items_max} more` : '';
    return conflict(
      `${changed}, except for items that changed or were closed since they were decided: ${shown}${more}`,
    );
  }
}

interface WrittenBatch extends RecordedBatch<PlannedRow> {
  readonly asked: readonly Approval[];
}

const shown_items_max = 10;

/** How often a row is planned whose pass refuses it. */
const attempts_max = 3;
