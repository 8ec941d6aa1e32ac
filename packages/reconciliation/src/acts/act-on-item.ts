import type { Call } from '@tallystick/kernel';
import type { ActKind } from '../act.ts';
import type { Approval } from '../approvals/approval.ts';
import { ask, askingOf, refusePending, stakeToApprove } from '../approvals/ask.ts';
import type { Item } from '../item.ts';
import { recordsOf } from '../item-id.ts';
import { findSeenItems, readItem, unknownItem } from '../items/read-items.ts';
import { catchUp, refresh, steps_of_reads_max } from '../keeping/keep-up.ts';
import { actInPass, newestActOf, recordsOfPlan } from './act-in-pass.ts';
import type { ActPlan, ActPorts, ActTx, Situation } from './act-plan.ts';
import { type ActRequest, readActRequest } from './act-request.ts';
import { planConfirmation, planDecision, planReopening } from './plan-decision.ts';
import { planMatch } from './plan-match.ts';
import { planUnmatch } from './plan-unmatch.ts';
import { lockItems, readSituations } from './read-situations.ts';
import { RulesDecideOtherwise, recordBatch } from './record-acts.ts';
import { refuseByState, refuseMerged, refuseOtherVersion, withNewestAct } from './refuse-act.ts';

/**
 * A person acts on an item (decision: reconciliation, actions). Returns the item that has the first
 * record of the item afterwards. Writes the act and an audit entry in the transaction of what it
 * changes. A match or unmatch of the authorization side is made in a pass of the network, with its
 * effects on the card.
 *
 * Refuses `not_found` an unknown item and one of another company, `validation_failed` invalid
 * fields and records that cannot belong together, and `conflict` what the state of the item does
 * not permit: the message says what happened. It refuses as `conflict` also the id of an item that
 * was merged into another one, unless the request has the version of that one. Of several acts that
 * begin before one of them is done, that one counts, and the others are refused, because the item is
 * not as it was when they began. An act that begins later is one on what that one left, unless its
 * version is an older one.
 *
 * Where the company has the four-eyes setting, an act on an item above its amount is not done, but
 * waits for a second person. Returns the approval then.
 */
export async function actOnItem(
  ports: ActPorts,
  call: Call,
  item_id: number,
  action: ActKind,
  request: object,
): Promise<Item | Approval> {
  return await performAct(ports, call, item_id, readActRequest(action, request));
}

/** Acts as `actOnItem` does. An act that was approved is not asked for again. */
export async function performAct(
  ports: ActPorts,
  call: Call,
  item_id: number,
  asked: ActRequest,
): Promise<Item | Approval> {
  // Read first: an act that commits while the items are brought up to date was not seen.
  const seen_before = await ports.unitOfWork.read((tx) => findSeenItems(tx, call, [item_id]));
  const before = seen_before.get(item_id) ?? null;
  await catchUp(ports, call.company_id, { steps_max: steps_of_reads_max });
  const seen = await ports.unitOfWork.read((tx) => readItem(tx, call, item_id));
  refuseMerged(seen, { item_id, version: asked.version });
  // What arrived since is no reason to refuse. What a person did is: the caller has not seen it.
  const unacted = newestActOf(seen) === newestActOf(before) ? seen : (before ?? seen);
  const expected = {
    version: asked.version ?? unacted.item.version,
    seen_act_id: asked.version === null || asked.version === seen.item.version ? newestActOf(before) : null,
  };
  const perform = (is_against_rules: boolean) =>
    ports.unitOfWork.run(async (tx) => {
      const situation = { ...(await situationOf(tx, call, item_id, asked)), is_against_rules };
      refuseMerged(situation, { item_id, version: asked.version });
      refuseOtherVersion(situation, expected);
      const plan = planAct(situation);
      const stake = stakeToApprove(situation, plan);
      if (stake !== null) return (await ask(tx, call, [askingOf(situation, stake)]))[0]!;
      const { of_pass } = await recordBatch(tx, call, [{ situation, plan }]);
      return of_pass[0] ?? (await readItem(tx, call, situation.item.id)).item;
    });
  const planned = await perform(false).catch((error: unknown) => {
    if (error instanceof RulesDecideOtherwise) return perform(true);
    throw error;
  });
  if (!('plan' in planned)) return planned;
  const { plan, situation } = planned;
  await actInPass(ports, planned);
  return await ports.unitOfWork.run(async (tx) => {
    await refresh(tx, call, [...recordsOf(situation.item), ...recordsOfPlan(plan)]);
    return (await readItem(tx, call, item_id)).item;
  });
}

/** The item as its records are now, locked. */
async function situationOf(tx: ActTx, call: Call, item_id: number, request: ActRequest): Promise<Situation> {
  const asked = { item_id, request };
  await lockItems(tx, call, [asked]);
  const [situation] = await readSituations(tx, call, [asked]);
  if (situation === undefined || situation === null) throw unknownItem();
  return situation;
}

/** What an act will do. Refuses what the state of the item does not permit. */
export function planAct(situation: Situation): ActPlan {
  try {
    refusePending(situation);
    refuseByState(situation.known, situation, situation.request.action);
    return planOf(situation);
  } catch (error) {
    throw withNewestAct(error, situation);
  }
}

function planOf(situation: Situation): ActPlan {
  switch (situation.request.action) {
    case 'match':
      return planMatch(situation);
    case 'unmatch':
      return planUnmatch(situation);
    case 'confirm':
      return planConfirmation(situation);
    case 'reopen':
      return planReopening(situation);
    case 'ignore':
    case 'accept':
      return planDecision(situation);
  }
}
