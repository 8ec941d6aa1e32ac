import type { Call } from '@tallystick/kernel';
import type { Act } from './act.ts';
import { type ActOfPass, rematchMessage, withSeenActs } from './act-in-pass.ts';
import type { ActPlan, ActPorts, ActTx, Situation } from './act-plan.ts';
import { standingDecisions } from './acts.ts';
import { recordsOf } from './item-id.ts';
import { reopeningOf, repetitionOf } from './plan-decision.ts';
import { findSeenItems } from './read-items.ts';
import { recordActs } from './record-acts.ts';
import { lockCards, refresh } from './refresh-items.ts';
import type { SeenItem } from './refuse-act.ts';

/** A decision that was recorded, and the one that it undid, if it reopened an item. */
export interface MadeDecision {
  /** As recorded; or as it was sent to a pass, which may have recorded it. */
  readonly act: Act | ActOfPass;
  readonly undone: Act | null;
}

const batch_size = 100;

/** How often a decision is tried to undo whose item changes at the same time. */
const attempts_max = 3;

/** Why decisions of a table are undone again. */
const note = 'undone: another row of the same table could not be decided';

/**
 * Undoes decisions, the newest first, by acts of their own, with the matches of cards that they
 * made. One that somebody has undone already stays as it is. Returns the ids of items whose decision
 * still stands, because their cards no longer permit to undo it.
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
    kept_ids.push(...left.map(itemIdOfMade));
  }
  return kept_ids;
}

function itemIdOfMade({ act }: MadeDecision): number {
  return 'situation' in act ? act.situation.item.id : act.item_id;
}

/** Returns the decisions whose undoing a pass refused. */
async function undoBatch(
  { unitOfWork, network }: Pick<ActPorts, 'unitOfWork' | 'network'>,
  call: Call,
  batch: readonly MadeDecision[],
): Promise<readonly MadeDecision[]> {
  const { of_pass, later } = await unitOfWork.run((tx) => planUndoing(tx, call, batch));
  const answers = await Promise.all(of_pass.map((act) => network.rematch(rematchMessage(act))));
  return later.filter((_, at) => answers[at]!.kind === 'refused').map(({ decision }) => decision);
}

interface Undoing {
  readonly decision: MadeDecision;
  readonly situation: Situation;
  readonly plan: ActPlan;
}

/** Records what concerns no match of cards, and prepares the rest for passes. */
async function planUndoing(
  tx: ActTx,
  call: Call,
  batch: readonly MadeDecision[],
): Promise<{ readonly of_pass: readonly ActOfPass[]; readonly later: readonly Undoing[] }> {
  const ids = batch.map(itemIdOfMade);
  const before = await findSeenItems(tx, call, ids);
  const items = [...before.values()].map(({ item }) => item);
  // A pass with one of the decisions has committed, or comes later and is refused.
  await lockCards(tx, call, items);
  const records = items.flatMap(recordsOf);
  await refresh(tx, call, records);
  const seen = await findSeenItems(tx, call, ids);
  const found = await tx.reconciliation.clearings(call.company_id, [
    ...new Set([...seen.values()].flatMap(({ item }) => item.clearing_ids)),
  ]);
  const clearings = new Map(found.map((clearing) => [clearing.id, clearing]));
  const undoing = batch.flatMap((decision): Undoing[] => {
    const its = seen.get(itemIdOfMade(decision));
    const act = its && recordedAct(decision, its);
    if (its === undefined || act === undefined || !isStanding(act, its)) return [];
    if (act.action === 'reopen' && decision.undone === null) return [];
    const { undone } = decision;
    const request = {
      action: undone === null ? ('reopen' as const) : undone.action,
      note,
      reason: null,
      version: null,
      with: null,
      side: null,
    };
    const its_clearings = its.item.clearing_ids.flatMap((id) => clearings.get(id) ?? []);
    const situation = { ...its, tx, call, request, clearings: its_clearings, is_against_rules: false };
    const plan = undone === null ? reopeningOf(act, situation) : repetitionOf(undone, situation);
    return [{ decision, situation, plan }];
  });
  const now = undoing.filter(({ plan }) => plan.rematches.length === 0);
  const later = undoing.filter(({ plan }) => plan.rematches.length > 0);
  await recordActs(tx, call, now);
  if (now.length > 0) await refresh(tx, call, records);
  return { of_pass: await withSeenActs(tx, call, later), later };
}

/** The act as recorded; undefined when the pass that it was sent to did not record it. */
function recordedAct({ act }: MadeDecision, { history }: SeenItem): Act | undefined {
  if (!('situation' in act)) return act;
  const { situation, plan, seen_acts } = act;
  const { call, request } = situation;
  return history.findLast(
    (recorded) =>
      recorded.id > seen_acts.newest_id &&
      recorded.action === request.action &&
      recorded.actor === call.actor &&
      recorded.note === request.note &&
      recorded.subject.fingerprint === plan.subject.fingerprint,
  );
}

/** Whether nobody has undone the act. */
function isStanding(act: Act, { history }: SeenItem): boolean {
  if (act.action !== 'reopen') return standingDecisions(history).some(({ id }) => id === act.id);
  return history.findLast(({ action }) => action !== 'match' && action !== 'unmatch')?.id === act.id;
}
