import { type Call, Refusal } from '@tallystick/kernel';
import type { Act } from '../../act.ts';
import { stakeToApprove } from '../../approvals/ask.ts';
import { fingerprintOf } from '../../item.ts';
import { recordOfItemId, recordsOf } from '../../item-id.ts';
import type { SeenItem } from '../../items/read-items.ts';
import { unknownItem } from '../../items/read-items.ts';
import type { PlannedAct } from '../act-in-pass.ts';
import { planAct } from '../act-on-item.ts';
import type { ActTx, Situation } from '../act-plan.ts';
import { rowRequest } from '../act-request.ts';
import type { AskedAct } from '../known-records.ts';
import { readSituations } from '../read-situations.ts';
import { refuseMerged, refuseOtherVersion } from '../refuse-act.ts';
import { isOfTolerance, standingActs, standingDecisions } from '../standing-acts.ts';
import { isStandingMatch } from '../standing-match.ts';
import type { RowRecords } from './claimed-records.ts';
import type { DecidedRow } from './decision-table.ts';
import { asSeen, type SeenRow } from './seen-row.ts';

export interface PlannedRow extends PlannedAct {
  readonly row: DecidedRow;
  /** The amount because of which the act waits for a second person; null: it is done. */
  readonly stake: ReturnType<typeof stakeToApprove>;
  /** The decision that the act undoes, if it reopens an item. */
  readonly undone: Act | null;
}

/** A refusal because of the version, which has a column of its own. */
export class OtherVersion extends Refusal {}

export interface RowPlan {
  readonly row: DecidedRow;
  /**
   * Null: the very decision with that note stands already. `asked`: the same person has asked for it
   * already, and it waits. A `Refusal`: the row cannot be decided.
   */
  readonly result: PlannedRow | Refusal | 'asked' | null;
  readonly records: RowRecords;
}

export function askedBy({ item_id, decision, ...row }: DecidedRow): AskedAct {
  return { item_id, request: rowRequest(decision, row) };
}

/** While a table is written. */
export interface Writing {
  /** The items of rows as the check found them, by the number of the row. */
  readonly seen: ReadonlyMap<number, SeenRow>;
  /**
   * The items whose acts were planned before, and what they left to the rules came out otherwise.
   */
  readonly against_rules: ReadonlySet<number>;
}

/** Plans the act of each row. Costs a few queries, however many rows there are. */
export async function planRows(
  tx: ActTx,
  call: Call,
  rows: readonly DecidedRow[],
  { seen, against_rules }: Writing = { seen: new Map(), against_rules: new Set() },
): Promise<readonly RowPlan[]> {
  const situations = await readSituations(tx, call, rows.map(askedBy));
  return rows.map((row, at): RowPlan => {
    const found = situations[at]!;
    const situation = found && { ...found, is_against_rules: against_rules.has(row.item_id) };
    const result = situation === null ? unknownItem() : resultOf(situation, row, seen.get(row.row));
    return { row, result, records: recordsOfRow(row, situation, result) };
  });
}

/** An item that has its decision already may have the records of other rows by now. */
function recordsOfRow(
  { row, item_id, with: matched_with }: DecidedRow,
  situation: Situation | null,
  result: RowPlan['result'],
): RowRecords {
  const first = recordOfItemId(item_id);
  const item = result === null ? null : (situation?.item ?? null);
  return {
    row,
    own: item === null ? (first === null ? [] : [first]) : recordsOf(item),
    named: matched_with === null ? [] : recordsOf(matched_with),
  };
}

function resultOf(situation: Situation, row: DecidedRow, seen: SeenRow | undefined): RowPlan['result'] {
  if (isStanding(situation, row)) return null;
  if (isAsked(situation)) return 'asked';
  const as_seen = seen === undefined ? null : asSeen(situation, seen);
  if (as_seen !== null) return plannedRow(as_seen, row);
  try {
    // The version of the row is that of the item with this id.
    refuseMerged(situation, { item_id: row.item_id, version: null });
    refuseOtherVersion(situation, { version: row.version, seen_act_id: null });
  } catch (error) {
    if (error instanceof Refusal) return new OtherVersion(error.code, error.message);
    throw error;
  }
  return plannedRow(situation, row);
}

function plannedRow(situation: Situation, row: DecidedRow): PlannedRow | Refusal {
  try {
    const plan = planAct(situation);
    const stake = stakeToApprove(situation, plan);
    return { row, situation, plan, stake, undone: row.decision === 'reopen' ? undoneBy(situation, plan) : null };
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Whether the very decision with this note stands. */
function isStanding(situation: Situation, row: DecidedRow): boolean {
  const { item, history } = situation;
  const { decision, note } = row;
  if (decision === 'match') {
    return history.some((act) => isMatchOf(row, act) && isStandingMatch(act, situation));
  }
  const last = history.findLast(({ action }) => action !== 'match' && action !== 'unmatch');
  if (last !== undefined && isOfTolerance(last) && last.action === decision) return last.note === note;
  const standing = standingActs(history).decisions.get(fingerprintOf(item));
  if (decision === 'reopen') {
    return standing === undefined && last?.action === 'reopen' && last.note === note;
  }
  return standing?.action === decision && standing.note === note;
}

/** Whether the very act of the row waits for a second person, as the same person asked for it. */
function isAsked({ item, call, request, known }: Situation): boolean {
  const waiting = known.openApprovalOf(item);
  const { approved: _, ...asked } = request;
  return waiting?.asked_by === call.actor && JSON.stringify(waiting.request) === JSON.stringify(asked);
}

/** Whether the act is the match that the row asks for. */
function isMatchOf({ item_id, note, accept_difference, with: matched_with }: DecidedRow, act: Act): boolean {
  const { subject } = act;
  if (act.action !== 'match' || act.note !== note || act.item_id !== item_id) return false;
  if ((act.reason !== null) !== accept_difference) return false;
  const { authorization, pairs } = subject;
  const { authorization_id, clearing_ids, line_ids } = matched_with!;
  if (authorization !== null) {
    return (
      (authorization_id ?? authorization.authorization_id) === authorization.authorization_id &&
      clearing_ids.every((id) => id === authorization.clearing_id) &&
      line_ids.length === 0
    );
  }
  return (
    authorization_id === null &&
    clearing_ids.every((id) => pairs.some((pair) => pair.clearing_id === id)) &&
    line_ids.every((id) => pairs.some((pair) => pair.line_id === id))
  );
}

/** The newest standing decision with the fingerprint of a reopening. */
function undoneBy({ history }: SeenItem, { subject }: PlannedAct['plan']): Act | null {
  const decisions = standingDecisions(history);
  return decisions.findLast((act) => act.subject.fingerprint === subject.fingerprint) ?? null;
}
