import type { Call } from '@tallystick/kernel';
import type { Act, ActKind } from '../../act.ts';
import type { SeenItem } from '../../items/read-items.ts';
import { type ActOfPass, type PlannedAct, rematchMessage } from '../act-in-pass.ts';
import type { ActPorts, ActTx, Situation } from '../act-plan.ts';
import { rowRequest } from '../act-request.ts';
import { reopeningOf, repetitionOf } from '../plan-decision.ts';
import { lockItems, readSituations } from '../read-situations.ts';
import { recordBatch } from '../record-acts.ts';
import { isOfTolerance, standingDecisions } from '../standing-acts.ts';
import { isStandingMatch, undoingOfMatch } from '../standing-match.ts';

/** A decision that was recorded, and the one that it undid, if it reopened an item. */
export interface MadeDecision {
  /** As recorded; or as it was sent to a pass, which may have recorded it. */
  readonly act: Act | SentAct;
  readonly undone: Act | null;
}

/** What an act is found by that was sent to a pass. A table keeps it for each of its rows. */
interface SentAct extends Pick<Act, 'item_id' | 'action' | 'actor' | 'note'> {
  readonly fingerprint: Act['subject']['fingerprint'];
  /** The newest act about its records before it. */
  readonly newest_id: number;
}

export function sentAct({ situation, plan, seen_acts }: ActOfPass): SentAct {
  const { item, call, request } = situation;
  return {
    item_id: item.id,
    action: request.action,
    actor: call.actor,
    note: request.note,
    fingerprint: plan.subject.fingerprint,
    newest_id: seen_acts.newest_id,
  };
}

function isSent(act: Act | SentAct): act is SentAct {
  return 'newest_id' in act;
}

const batch_size = 10;

/** How often a decision is tried to undo whose item changes at the same time. */
const attempts_max = 3;

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
    kept_ids.push(...left.map(({ act }) => act.item_id));
  }
  return kept_ids;
}

/** Returns the decisions whose undoing a pass refused. */
async function undoBatch(
  { unitOfWork, network }: Pick<ActPorts, 'unitOfWork' | 'network'>,
  call: Call,
  batch: readonly MadeDecision[],
): Promise<readonly MadeDecision[]> {
  const { of_pass } = await unitOfWork.run(async (tx) => {
    const item_ids = batch.map(({ act }) => act.item_id);
    const records = await lockItems(tx, call, item_ids);
    return await recordBatch(tx, call, await planUndoing(tx, call, batch), records);
  });
  const answers = await Promise.all(of_pass.map((act) => network.rematch(rematchMessage(act))));
  return of_pass.filter((_, at) => answers[at]!.kind === 'refused').map(({ decision }) => decision);
}

interface Undoing extends PlannedAct {
  readonly decision: MadeDecision;
}

async function planUndoing(tx: ActTx, call: Call, batch: readonly MadeDecision[]): Promise<readonly Undoing[]> {
  const situations = await readSituations(
    tx,
    call,
    batch.map((decision) => ({
      item_id: decision.act.item_id,
      request: rowRequest(inverseOf(decision), { note, version: null }),
    })),
  );
  return batch.flatMap((decision, at): Undoing[] => {
    const situation = situations[at]!;
    const act = situation === null ? undefined : recordedAct(decision, situation);
    if (situation === null || act === undefined || !isStanding(act, situation)) return [];
    const { undone } = decision;
    if (act.action === 'match') return [{ decision, situation, plan: undoingOfMatch(act, situation) }];
    if (isOfTolerance(act)) return [{ decision, situation, plan: { subject: act.subject, rematches: [] } }];
    if (act.action === 'reopen' && undone === null) return [];
    const plan = undone === null ? reopeningOf(act, situation) : repetitionOf(undone, situation);
    return [{ decision, situation, plan }];
  });
}

function inverseOf({ act, undone }: MadeDecision): ActKind {
  if (act.action === 'match') return 'unmatch';
  if (!isSent(act) && isOfTolerance(act)) return act.action === 'reopen' ? 'accept' : 'reopen';
  return undone?.action ?? 'reopen';
}

/** The act as recorded; undefined when the pass that it was sent to did not record it. */
function recordedAct({ act }: MadeDecision, { history }: SeenItem): Act | undefined {
  if (!isSent(act)) return act;
  const { action, actor, note: sent_note, fingerprint, newest_id } = act;
  return history.findLast(
    (recorded) =>
      recorded.id > newest_id &&
      recorded.action === action &&
      recorded.actor === actor &&
      recorded.note === sent_note &&
      recorded.subject.fingerprint === fingerprint,
  );
}

/** Whether nobody has undone the act. */
function isStanding(act: Act, situation: Situation): boolean {
  const { history } = situation;
  if (act.action === 'match') return isStandingMatch(act, situation);
  if (act.action !== 'reopen' && !isOfTolerance(act)) return standingDecisions(history).some(({ id }) => id === act.id);
  return history.findLast(({ action }) => action !== 'match' && action !== 'unmatch')?.id === act.id;
}
