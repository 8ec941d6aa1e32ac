import { type MatchByHand, matchMakerOf, type RematchMessage, type SeenActs } from '@tallystick/cards';
import { auditEntry, type Call, Refusal } from '@tallystick/kernel';
import type { Act, ActKind, ActSubject } from './act.ts';
import type { ActPlan, ActPorts, ActTx, Rematch, Situation } from './act-plan.ts';
import { type ActRequest, readActRequest } from './act-request.ts';
import { auditActionOf } from './act-sentence.ts';
import { findItem } from './find-item.ts';
import type { Item } from './item.ts';
import { itemIdOf, type RecordKey } from './item-id.ts';
import { catchUp, recomputeAndWrite, steps_of_reads_max } from './keep-up.ts';
import { planConfirmation, planDecision, planReopening } from './plan-decision.ts';
import { planMatch } from './plan-match.ts';
import { planUnmatch } from './plan-unmatch.ts';
import { findSeenItem, readItem, recordsOf } from './read-items.ts';
import { otherVersion, refuseByState, refuseMerged, refuseOtherVersion, type SeenItem } from './refuse-act.ts';

/**
 * A person acts on an item (decision: reconciliation, actions). Returns the item that has the first
 * record of the item afterwards. Writes the act and an audit entry in the transaction of what it
 * changes. A match or unmatch of the authorization side is made in a pass of the network, with its
 * effects on the card.
 *
 * Refuses `not_found` an unknown item and one of another company, `validation_failed` invalid
 * fields and records that cannot belong together, and `conflict` what the state of the item does
 * not permit: the message says what happened. So is the id of an item that was merged into another
 * one, unless the request has the version of that one. Of several acts on one item at once the first one
 * counts, and the others are refused, because the item is not as it was when they were asked for.
 */
export async function actOnItem(
  ports: ActPorts,
  call: Call,
  item_id: number,
  action: ActKind,
  request: object,
): Promise<Item> {
  const asked = readActRequest(action, request);
  // Read first: an act that commits while the items are brought up to date was not seen.
  const before = await ports.unitOfWork.read((tx) => findSeenItem(tx, call, item_id));
  await catchUp(ports, call.company_id, { steps_max: steps_of_reads_max });
  const seen = await ports.unitOfWork.read((tx) => readItem(tx, call, item_id));
  refuseMerged(seen, { item_id, version: asked.version });
  const expected = {
    version: asked.version ?? seen.item.version,
    seen_act_id: asked.version === null || asked.version === seen.item.version ? newestActOf(before) : null,
  };
  const perform = (is_against_rules: boolean) =>
    ports.unitOfWork.run(async (tx) => {
      const situation = { ...(await situationOf(tx, call, item_id, asked)), is_against_rules };
      refuseMerged(situation, { item_id, version: asked.version });
      refuseOtherVersion(situation, expected);
      const plan = await planAct(situation);
      if (plan.rematches.length === 0) return await record(situation, plan);
      return { situation, plan, seen_acts: await seenActs(situation, plan) };
    });
  const planned = await perform(false).catch((error: unknown) => {
    if (error instanceof RulesDecideOtherwise) return perform(true);
    throw error;
  });
  if (!('plan' in planned)) return planned;
  const { plan, situation } = planned;
  await makeRematches(ports, planned);
  return await ports.unitOfWork.run(async (tx) => {
    await refresh(tx, call, [...recordsOf(situation.item), ...recordsOfPlan(plan)]);
    return (await readItem(tx, call, item_id)).item;
  });
}

function newestActOf(seen: SeenItem | null): number {
  return seen?.history.at(-1)?.id ?? 0;
}

/**
 * Locks the cards of the item and the company, and reads the item as its records are now. A pass
 * about the cards has committed, so that its acts are seen, or comes later and sees this one.
 */
async function situationOf(tx: ActTx, call: Call, item_id: number, request: ActRequest): Promise<Situation> {
  const before = await readItem(tx, call, item_id);
  await lockCards(tx, call, [before.item]);
  await refresh(tx, call, recordsOf(before.item));
  const { item, history } = await readItem(tx, call, item_id);
  return { tx, call, item, history, request, is_against_rules: false };
}

/** Locks the cards of items, in the order of their ids; before the company. */
export async function lockCards(tx: ActTx, { company_id }: Call, items: readonly Item[]): Promise<void> {
  const ids = (one: (item: Item) => readonly number[]) => items.flatMap(one);
  const clearings = await tx.reconciliation.clearings(
    company_id,
    ids(({ clearing_ids }) => clearing_ids),
  );
  const purchases = await tx.reconciliation.authorizations(
    company_id,
    ids(({ authorization_ids }) => authorization_ids),
  );
  const card_ids = new Set([...clearings, ...purchases].map(({ card_id }) => card_id));
  for (const id of [...card_ids].sort((a, b) => a - b)) await tx.cards.find(company_id, id, { for_update: true });
}

/** Recomputes the items of these records, within a transaction. Locks the company. */
export async function refresh(tx: ActTx, call: Call, records: readonly RecordKey[]): Promise<void> {
  const { company_id, now_ms } = call;
  await tx.reconciliation.lockCompany(company_id);
  const coverage = await tx.reconciliation.readCoverage(company_id);
  await recomputeAndWrite(tx, { records, item_ids: [] }, { company_id, coverage, now_ms });
}

/** What an act will do. Refuses what the state of the item does not permit. */
export async function planAct(situation: Situation): Promise<ActPlan> {
  const { action } = situation.request;
  await refuseByState(situation.tx.reconciliation, situation, action);
  switch (action) {
    case 'match':
      return await planMatch(situation);
    case 'unmatch':
      return await planUnmatch(situation);
    case 'confirm':
      return await planConfirmation(situation);
    case 'reopen':
      return await planReopening(situation);
    case 'ignore':
    case 'accept':
      return planDecision(situation);
  }
}

/** Records an act, and returns its item as it is with it. */
async function record(situation: Situation, plan: ActPlan): Promise<Item> {
  const { tx, call, item } = situation;
  await recordAct(situation, plan.subject);
  await refresh(tx, call, [...recordsOf(item), ...recordsOfPlan(plan)]);
  if (plan.isMet !== undefined && !plan.isMet(await itemsOf(tx, call, recordsOfPlan(plan)))) {
    throw new RulesDecideOtherwise('conflict', `the rules keep item ${item.id} as it is`);
  }
  return (await readItem(tx, call, item.id)).item;
}

/** The items that have one of these records, each once. */
async function itemsOf(tx: ActTx, { company_id }: Call, records: readonly RecordKey[]): Promise<readonly Item[]> {
  const items = new Map<number, Item>();
  for (const record of records) {
    const item = await findItem(tx.reconciliation, company_id, record);
    if (item !== null) items.set(item.id, item);
  }
  return [...items.values()];
}

/** Rolls back what was recorded: the act is planned again. */
class RulesDecideOtherwise extends Refusal {}

/** Writes the act and its audit entry. */
export async function recordAct({ tx, call, item, request }: Situation, subject: ActSubject): Promise<Act> {
  const { action, note, reason } = request;
  const { company_id, actor, request_id, now_ms } = call;
  const act = await tx.reconciliation.insertAct({
    company_id,
    at_ms: now_ms,
    actor,
    action,
    item_id: item.id,
    subject,
    note,
    reason,
    request_id,
  });
  const { pairs, authorization } = subject;
  const details = { version: item.version, note, reason, pairs, authorization };
  const entry = auditEntry(call, auditActionOf(action), `reconciliation_item:${item.id}`, details);
  await tx.audit.record(entry, now_ms);
  return act;
}

/** The records whose items an act may change, beside those of its item. */
function recordsOfPlan({ subject, rematches }: ActPlan): readonly RecordKey[] {
  const pairs = [...(subject.authorization === null ? [] : [subject.authorization]), ...subject.confirmed];
  return [
    ...subject.pairs.flatMap(({ line_id, clearing_id }): RecordKey[] => [
      { kind: 'line', id: line_id },
      { kind: 'clearing', id: clearing_id },
    ]),
    ...pairs.flatMap(({ clearing_id, authorization_id }): RecordKey[] => [
      { kind: 'clearing', id: clearing_id },
      { kind: 'authorization', id: authorization_id },
    ]),
    ...rematches.map(({ clearing }): RecordKey => ({ kind: 'clearing', id: clearing.id })),
  ];
}

/**
 * Makes all matches of cards that the act asks for, and records it with them. Refused, and nothing
 * is done, when one of the clearings has changed meanwhile.
 */
async function makeRematches(ports: ActPorts, { situation, plan, seen_acts }: PlannedRematches): Promise<void> {
  const answer = await ports.network.rematch(rematchMessage(situation, plan, seen_acts));
  if (answer.kind === 'refused') throw await explained(ports, situation, answer.refusal);
}

interface PlannedRematches {
  readonly situation: Situation;
  readonly plan: ActPlan;
  readonly seen_acts: SeenActs;
}

/**
 * The acts so far about the items that an act will change: a pass refuses when there is another.
 */
async function seenActs({ tx, call, item, history }: Situation, plan: ActPlan): Promise<SeenActs> {
  const { company_id } = call;
  const items = [item, ...(await itemsOf(tx, call, recordsOfPlan(plan)))];
  const records = items.flatMap(recordsOf);
  const acts = [...history, ...(await tx.reconciliation.actsOn(company_id, records))];
  return {
    company_id,
    records: [...new Set(records.map(itemIdOf))],
    newest_id: Math.max(0, ...acts.map(({ id }) => id)),
  };
}

/** The message to the network's side, with the act and all its matches. */
export function rematchMessage(
  { call, item, request }: Situation,
  plan: ActPlan,
  seen_acts?: SeenActs,
): RematchMessage {
  const { company_id, actor, request_id } = call;
  const { action, note, reason } = request;
  const subject = JSON.stringify(plan.subject);
  return {
    kind: 'rematch',
    number_index: null,
    matches: plan.rematches.map(matchByHand),
    company_id,
    note,
    reason,
    actor,
    act: { company_id, actor, action, item_id: item.id, subject, note, reason, request_id },
    seen_acts,
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

/** The refusal of a pass; when the item has changed meanwhile, one that says what happened. */
async function explained(ports: ActPorts, situation: Situation, refusal: Refusal): Promise<Refusal> {
  if (refusal.code !== 'conflict') return refusal;
  const { call, item } = situation;
  const now = await ports.unitOfWork.run(async (tx) => {
    await refresh(tx, call, recordsOf(item));
    return await readItem(tx, call, item.id);
  });
  const expected = { version: item.version, seen_act_id: newestActOf(situation) };
  return now.item.version === item.version ? refusal : otherVersion(now, expected);
}
