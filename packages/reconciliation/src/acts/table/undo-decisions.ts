import type { Call } from '@tallystick/kernel';
import type { Act, ActKind } from '../../act.ts';
import { type PlannedAct, rematchMessage } from '../act-in-pass.ts';
import type { ActPlan, ActPorts, ActTx, Situation } from '../act-plan.ts';
import { type ActRequest, rowRequest } from '../act-request.ts';
import type { AskedAct } from '../known-records.ts';
import { reopeningOf, repetitionOf } from '../plan-decision.ts';
import { lockItems, readSituations } from '../read-situations.ts';
import { recordBatch } from '../record-acts.ts';
import { isOfTolerance, standingDecisions } from '../standing-acts.ts';
import { isStandingMatch, undoingOfMatch } from '../standing-match.ts';
import type { PlannedRow } from './plan-rows.ts';

/** What an act of a table is found by, when it is undone. A table keeps it for each of its rows. */
export interface MadeDecision extends Pick<Act, 'item_id' | 'action' | 'actor' | 'note'> {
  readonly fingerprint: Act['subject']['fingerprint'];
  /** The id of the act is higher than this. A pass that it was sent to may not have recorded it. */
  readonly after_id: number;
  /** The decision that it undid, if it reopened an item. */
  readonly undone: Act | null;
}

export function madeDecision({ situation, plan, undone }: PlannedRow, after_id: number): MadeDecision {
  const { item, call, request } = situation;
  const { action, note } = request;
  return { item_id: item.id, action, actor: call.actor, note, fingerprint: plan.subject.fingerprint, after_id, undone };
}

const batch_size = 10;

/** How often a decision is tried to undo whose item changes at the same time. */
const attempts_max = 3;

export const note_of_undoing = 'undone: another row of the same table could not be decided';

/**
 * Undoes decisions, the newest first, by acts of their own, with the matches of cards that they
 * made. One that somebody has undone already stays as it is. Returns the ids of items whose decision
 * still stands, because a closing froze them, or their cards no longer permit to undo it.
 */
export async function undoDecisions(
  ports: Pick<ActPorts, 'unitOfWork' | 'network'>,
  call: Call,
  made: readonly MadeDecision[],
): Promise<readonly number[]> {
  const newest_first = made.toReversed();
  const kept_ids: number[] = [];
  for (let at = 0; at < newest_first.length; at += batch_size) {
    let left: readonly MadeDecision[] = newest_first.slice(at, at + batch_size);
    for (let attempts = 0; left.length > 0 && attempts < attempts_max; attempts += 1) {
      left = await undoBatch(ports, call, left);
    }
    kept_ids.push(...left.map(({ item_id }) => item_id));
  }
  return kept_ids;
}

/** Returns the decisions that a closed period has, and those whose undoing a pass refused. */
async function undoBatch(
  { unitOfWork, network }: Pick<ActPorts, 'unitOfWork' | 'network'>,
  call: Call,
  batch: readonly MadeDecision[],
): Promise<readonly MadeDecision[]> {
  const { of_pass, frozen } = await unitOfWork.run(async (tx) => {
    const asked = batch.map(({ item_id }) => ({ item_id, request: undoingBy('reopen') }));
    await lockItems(tx, call, asked);
    const planned = await planUndoing(tx, call, batch, asked);
    const open = planned.filter(({ situation }) => situation.item.period_id === null);
    return { ...(await recordBatch(tx, call, open)), frozen: planned.filter((one) => !open.includes(one)) };
  });
  const answers = await Promise.all(of_pass.map((act) => network.rematch(rematchMessage(act))));
  const refused = of_pass.filter((_, at) => answers[at]!.kind === 'refused');
  return [...frozen, ...refused].map(({ decision }) => decision);
}

interface Undoing extends PlannedAct {
  readonly decision: MadeDecision;
}

function undoingBy(action: ActKind): ActRequest {
  return rowRequest(action, { note: note_of_undoing, version: null });
}

async function planUndoing(
  tx: ActTx,
  call: Call,
  batch: readonly MadeDecision[],
  asked: readonly AskedAct[],
): Promise<readonly Undoing[]> {
  const situations = await readSituations(tx, call, asked);
  return batch.flatMap((decision, at): Undoing[] => {
    const found = situations[at]!;
    const act = found?.history.find((one) => isRecordOf(decision, one));
    if (found === null || act === undefined || !isStanding(act, found)) return [];
    const { undone } = decision;
    const undo = (action: ActKind, plan: ActPlan) => [
      { decision, situation: { ...found, request: undoingBy(action) }, plan },
    ];
    if (act.action === 'match') return undo('unmatch', undoingOfMatch(act, found));
    if (isOfTolerance(act)) {
      return undo(act.action === 'reopen' ? 'accept' : 'reopen', { subject: act.subject, rematches: [] });
    }
    if (undone !== null) return undo(undone.action, repetitionOf(undone, found));
    return act.action === 'reopen' ? [] : undo('reopen', reopeningOf(act, found));
  });
}

function isRecordOf({ action, actor, note, fingerprint, after_id }: MadeDecision, act: Act): boolean {
  return (
    act.id > after_id &&
    act.action === action &&
    act.actor === actor &&
    act.note === note &&
    act.subject.fingerprint === fingerprint
  );
}

/** Whether nobody has undone the act. */
function isStanding(act: Act, situation: Situation): boolean {
  const { history } = situation;
  if (act.action === 'match') return isStandingMatch(act, situation);
  if (act.action !== 'reopen' && !isOfTolerance(act)) return standingDecisions(history).some(({ id }) => id === act.id);
  return history.findLast(({ action }) => action !== 'match' && action !== 'unmatch')?.id === act.id;
}
