import { type Call, Refusal } from '@tallystick/kernel';
import type { Act } from '../../act.ts';
import { fingerprintOf } from '../../item.ts';
import type { SeenItem } from '../../items/read-items.ts';
import { unknownItem } from '../../items/read-items.ts';
import type { PlannedAct } from '../act-in-pass.ts';
import { planAct } from '../act-on-item.ts';
import type { ActTx, Situation } from '../act-plan.ts';
import { decisionRequest } from '../act-request.ts';
import { readSituations } from '../read-situations.ts';
import { refuseMerged, refuseOtherVersion } from '../refuse-act.ts';
import { standingActs, standingDecisions } from '../standing-acts.ts';
import type { DecidedRow } from './decision-table.ts';

export interface PlannedRow extends PlannedAct {
  /** The decision that the act undoes, if it reopens an item. */
  readonly undone: Act | null;
}

/** A refusal because of the version, which has a column of its own. */
export class OtherVersion extends Refusal {}

/**
 * Plans the act of each row. `result` is null when the very decision with that note stands already,
 * and a `Refusal` when the row cannot be decided. Costs a few queries, however many rows there are.
 */
export async function planRows(
  tx: ActTx,
  call: Call,
  rows: readonly DecidedRow[],
): Promise<readonly { readonly row: DecidedRow; readonly result: PlannedRow | Refusal | null }[]> {
  const situations = await readSituations(
    tx,
    call,
    rows.map(({ item_id, decision, note, version }) => ({
      item_id,
      request: decisionRequest(decision, { note, version }),
    })),
  );
  return rows.map((row, at) => {
    const situation = situations[at]!;
    return { row, result: situation === null ? unknownItem() : resultOf(situation, row) };
  });
}

function resultOf(situation: Situation, row: DecidedRow): PlannedRow | Refusal | null {
  if (isStanding(situation, row)) return null;
  try {
    // The version of the row is that of the item with this id.
    refuseMerged(situation, { item_id: row.item_id, version: null });
    refuseOtherVersion(situation, { version: row.version, seen_act_id: null });
  } catch (error) {
    if (error instanceof Refusal) return new OtherVersion(error.code, error.message);
    throw error;
  }
  try {
    const plan = planAct(situation);
    return { situation, plan, undone: row.decision === 'reopen' ? undoneBy(situation, plan) : null };
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
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

/** The newest standing decision with the fingerprint of a reopening. */
function undoneBy({ history }: SeenItem, { subject }: PlannedAct['plan']): Act | null {
  const decisions = standingDecisions(history);
  return decisions.findLast((act) => act.subject.fingerprint === subject.fingerprint) ?? null;
}
