import type { Call } from '@tallystick/kernel';
import type { Act } from './act.ts';
import { recordAct, refresh } from './act-on-item.ts';
import { type ActPorts, type ActTx, subjectOf } from './act-plan.ts';
import { standingDecisions } from './acts.ts';
import { recordsOf } from './item-id.ts';
import { readItem } from './read-items.ts';

/** A decision that was recorded, and the one that it undid, if it reopened an item. */
export interface MadeDecision {
  readonly act: Act;
  readonly undone: Act | null;
}

const batch_size = 200;

/** Why decisions of a table are undone again. */
const note = 'undone: another row of the same table could not be decided';

/**
 * Undoes decisions, the newest first, by acts of their own. One that somebody has undone already
 * stays as it is.
 */
export async function undoDecisions(
  { unitOfWork }: Pick<ActPorts, 'unitOfWork'>,
  call: Call,
  made: readonly MadeDecision[],
): Promise<void> {
  const newest_first = made.toReversed();
  for (let at = 0; at < newest_first.length; at += batch_size) {
    const batch = newest_first.slice(at, at + batch_size);
    await unitOfWork.run(async (tx) => {
      await tx.reconciliation.lockCompany(call.company_id);
      const records = [];
      for (const decision of batch) records.push(...(await undo(tx, call, decision)));
      await refresh(tx, call, records);
    });
  }
}

async function undo(tx: ActTx, call: Call, { act, undone }: MadeDecision) {
  const { item, history } = await readItem(tx, call, act.item_id);
  const is_standing =
    act.action === 'reopen'
      ? history.findLast(({ action }) => action !== 'match' && action !== 'unmatch')?.id === act.id
      : standingDecisions(history).some(({ id }) => id === act.id);
  if (!is_standing || (act.action === 'reopen' && undone === null)) return [];
  const action = undone === null ? 'reopen' : undone.action;
  const request = { action, note, reason: null, version: null, with: null, side: null };
  const subject = undone?.subject ?? subjectOf(item, { fingerprint: act.subject.fingerprint });
  await recordAct({ tx, call, item, history, request, is_against_rules: false }, subject);
  return recordsOf(item);
}
