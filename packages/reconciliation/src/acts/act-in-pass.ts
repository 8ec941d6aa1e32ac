import { type MatchByHand, matchMakerOf, type RematchMessage, type SeenActs } from '@tallystick/cards';
import type { Call, Refusal } from '@tallystick/kernel';
import { type Act, recordsOfPairs } from '../act.ts';
import { itemIdOf, type RecordKey, recordsOf } from '../item-id.ts';
import { findItems } from '../items/find-item.ts';
import type { SeenItem } from '../items/read-items.ts';
import { historiesOf, readItem } from '../items/read-items.ts';
import { refresh } from '../keeping/keep-up.ts';
import { periodsOf } from '../periods/periods-of-items.ts';
import type { ActPlan, ActPorts, ActTx, Rematch, Situation } from './act-plan.ts';
import { otherVersion, refuseFrozen, withNewestAct } from './refuse-act.ts';

/** An act with matches of cards, and what will be recorded. */
export interface PlannedAct {
  readonly situation: Situation;
  readonly plan: ActPlan;
}

/** A planned act that is ready for the pass that makes its matches and records it. */
export interface ActOfPass extends PlannedAct {
  readonly seen_acts: SeenActs;
}

/**
 * Adds to each act the acts so far about the items that it will change: a pass refuses it when there
 * is another by then, or one that waits for a second person. Within the transaction that planned
 * them, which has locked the cards.
 */
export async function withSeenActs<Planned extends PlannedAct>(
  { reconciliation }: Pick<ActTx, 'reconciliation'>,
  { company_id }: Pick<Call, 'company_id'>,
  planned: readonly Planned[],
): Promise<readonly (Planned & ActOfPass)[]> {
  const records = planned.map(({ situation, plan }) => [...recordsOf(situation.item), ...recordsOfPlan(plan)]);
  const found = await findItems(reconciliation, company_id, records.flat());
  const concerned = records.map((its) => [...new Set(its.flatMap((record) => found.get(itemIdOf(record)) ?? []))]);
  const items = [...new Set(concerned.flat())];
  const histories = historiesOf(items, await reconciliation.actsOn(company_id, items.flatMap(recordsOf)));
  return planned.map((act, at) => {
    const its = concerned[at]!;
    const acts = its.flatMap((item) => histories.get(item) ?? []);
    const record_ids = [...new Set(its.flatMap(recordsOf).map(itemIdOf))];
    const newest_id = Math.max(0, ...acts.map(({ id }) => id));
    const seen_acts = {
      company_id,
      item_ids: its.map(({ id }) => id),
      records: record_ids,
      newest_id,
      approval_id: act.situation.request.approved?.approval_id ?? null,
    };
    return { ...act, seen_acts };
  });
}

/**
 * Makes all matches of cards that an act asks for, and records it with them. Refused, and nothing is
 * done, when one of the clearings has changed meanwhile, or somebody has acted on its item.
 */
export async function actInPass(ports: ActPorts, act: ActOfPass): Promise<void> {
  const answer = await ports.network.rematch(rematchMessage(act));
  if (answer.kind === 'refused') throw await explainRefusal(ports, act.situation, answer.refusal);
}

/** The message to the network's side, with the act and all its matches. */
export function rematchMessage({ situation, plan, seen_acts }: ActOfPass): RematchMessage {
  const { call, request } = situation;
  const { company_id, actor, request_id, source_address } = call;
  const { note, reason } = request;
  const act = newActOf({ situation, plan });
  return {
    kind: 'rematch',
    number_index: null,
    matches: plan.rematches.map(matchByHand),
    company_id,
    note,
    reason,
    actor,
    act: { ...act, subject: JSON.stringify(act.subject) },
    seen_acts,
    request_id,
    source_address,
  };
}

/** The act as it is recorded. Of an act that was approved, the one who asked is the actor. */
export function newActOf({ situation: { call, item, request }, plan }: PlannedAct): Omit<Act, 'id' | 'at_ms'> {
  const { company_id, request_id } = call;
  const { action, note, reason, approved } = request;
  const actor = approved?.asked_by ?? call.actor;
  return {
    company_id,
    actor,
    action,
    item_id: item.id,
    subject: { ...plan.subject, approved },
    note,
    reason,
    request_id,
  };
}

function matchByHand({ clearing, authorization_id, is_confirmation }: Rematch): MatchByHand {
  return {
    vcn_id: clearing.card_id,
    clearing_id: clearing.id,
    authorization_id,
    is_confirmation,
    expected_authorization_id: clearing.authorization_id,
    expected_matched_by: matchMakerOf(clearing),
  };
}

/** The records whose items an act may change, beside those of its item. */
export function recordsOfPlan({ subject, rematches }: ActPlan): readonly RecordKey[] {
  const { pairs, authorization, confirmed } = subject;
  return [
    ...recordsOfPairs([...pairs, ...confirmed, ...(authorization === null ? [] : [authorization])]),
    ...recordsOf({ clearing_ids: rematches.map(({ clearing }) => clearing.id) }),
  ];
}

/** The id of the newest act that a person may have seen; 0 when there was none. */
export function newestActOf(seen: SeenItem | null): number {
  return seen?.history.at(-1)?.id ?? 0;
}

/** The refusal of a pass; when the item has changed meanwhile, one that says what happened. */
export async function explainRefusal(
  ports: Pick<ActPorts, 'unitOfWork'>,
  situation: Situation,
  refusal: Refusal,
): Promise<unknown> {
  if (refusal.code !== 'conflict') return refusal;
  const { call, item } = situation;
  const now = await ports.unitOfWork.run(async (tx) => {
    await refresh(tx, call, recordsOf(item));
    const seen = await readItem(tx, call, item.id);
    refuseFrozen({ periods: await periodsOf(tx.reconciliation, call.company_id, [seen.item]) }, seen.item);
    return seen;
  });
  const expected = { version: item.version, seen_act_id: newestActOf(situation) };
  return now.item.version === item.version ? withNewestAct(refusal, now) : otherVersion(now, expected);
}
