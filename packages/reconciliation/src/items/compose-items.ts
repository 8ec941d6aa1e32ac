import type { ClearingClass } from '@tallystick/cards';
import { assert, type Steps } from '@tallystick/kernel';
import type { Act, ActKind, StatementPair } from '../act.ts';
import type { StandingActs } from '../acts/standing-acts.ts';
import { fingerprintOf, type ItemContent, type ItemStatus, type Offers } from '../item.ts';
import { itemIdOf, type RecordKey } from '../item-id.ts';
import { keyOffersOf } from '../pairing/key-offers.ts';
import type { Pairing } from '../pairing/pair-lines.ts';
import type { ClearedAmount, Coverage, ReconciliationRecords, Tolerances } from '../records.ts';
import { firstOf as countedLineOf } from '../reports/bridge.ts';
import { alternativesOf } from './alternatives.ts';
import { type Assessment, assess } from './break-kind.ts';
import { leastOf } from './findings.ts';
import type { FrozenRecords } from './frozen-records.ts';
import { membersOf } from './item-amounts.ts';
import { matchesOf, weakestOf } from './item-matches.ts';
import { type ItemRecords, partsOf } from './item-parts.ts';

/** Everything that the items of a closed group of records depend on. */
export interface ItemGroup extends Omit<StandingActs, 'hands'> {
  /**
   * Without the clearings and lines that a closing froze. The authorizations of frozen items may be
   * among them.
   */
  readonly records: ReconciliationRecords;
  /** Of these records: made by people, by statement key, and by applied covering sets. */
  readonly pairings: readonly Pairing[];
  /** The pairs of these records that people undid. */
  readonly bars: readonly StatementPair[];
  /** The covering sets of these records that were not applied: others fit as well. */
  readonly offers: Offers;
  readonly tolerances: Tolerances;
  readonly frozen: FrozenRecords;
  /** The records that acts of people concern (`recordsOfAct`), also acts that were undone. */
  readonly touched: ReadonlySet<number>;
  readonly coverage: Coverage;
  readonly now_ms: number;
}

/**
 * Composes the items of a closed group of records, in the order of their ids. The result depends on
 * the records, on what people decided and on the instant, never on the order in which records
 * arrived but for the ids, which come from the first record of each item. A step for each item.
 */
export function* composeItems(group: ItemGroup): Steps<readonly ItemContent[]> {
  const items: ItemContent[] = [];
  const key_offers = keyOffersOf({ ...group.records, pairings: group.pairings, bars: group.bars });
  for (const part of partsOf(group)) {
    yield;
    items.push(composeItem(group, key_offers, part));
  }
  return items.sort((a, b) => a.id - b.id);
}

function composeItem(group: ItemGroup, key_offers: Offers, records: ItemRecords): ItemContent {
  const { purchases, clearings, lines } = records;
  const first = firstOf(records);
  const members = membersOf(records);
  const { currency } = clearings[0] ?? purchases[0] ?? lines[0]!;
  const is_decided = group.decisions.size + group.untolerated.size > 0;
  const strict = assess(records, { ...group, tolerance: null });
  const fingerprint = is_decided ? fingerprintOf({ ...members, kind: strict.kind }) : '';
  const decision = group.decisions.get(fingerprint);
  const tolerance = group.tolerances.get(currency)?.amount ?? null;
  const is_strict = strict.status !== 'break' || group.untolerated.has(fingerprint) || isWhole(decision);
  const assessment = is_strict || tolerance === null ? strict : assess(records, { ...group, tolerance });
  const { status, tolerated } = assessment;
  const settlement_date = clearings.at(-1)?.settlement_date ?? null;
  const matches = matchesOf(records);
  const counted = lines.length === 0 ? null : countedLineOf(lines);
  const undecided: ItemContent = {
    id: itemIdOf(first),
    company_id: first.company_id,
    status,
    kind: assessment.kind,
    class: classOf(assessment, clearings),
    rule: status === 'accepted' && tolerated.length > 0 ? 'tolerance' : weakestOf(matches),
    vcn_id: (purchases[0] ?? clearings[0])?.card_id ?? null,
    merchant_name: merchantOf(records),
    ...members,
    statement_line_id: lines[0]?.statement_line_id ?? null,
    matches,
    alternatives: alternativesOf(group.offers, key_offers, records),
    tolerated,
    currency,
    sides: assessment.sides,
    settlement_date,
    period_date: settlement_date ?? lines.at(-1)?.booking_date ?? null,
    account_id: counted?.account_id ?? null,
    booking_date: counted?.booking_date ?? null,
    due_date: assessment.due_date,
    next_change_ms: leastOf([assessment.next_change_ms, assessment.next_bucket_ms]),
    opened_at_ms: first.arrived_at_ms,
    frozen_item_id: records.frozen_item_id,
    is_touched: group.touched.size > 0 && isTouched(group.touched, records),
  };
  return applyDecision(undecided, assessment, decision);
}

/** Whether a person decided about the item as it is, whatever rules accept of it. */
function isWhole(decision: Act | undefined): boolean {
  return decision?.action === 'ignore' || decision?.action === 'accept';
}

/** Whether an act of a person concerns a record of the item. */
function isTouched(touched: ReadonlySet<number>, { purchases, clearings, lines }: ItemRecords): boolean {
  const isOneOf = (kind: RecordKey['kind'], { id }: { readonly id: number }) => touched.has(itemIdOf({ kind, id }));
  return (
    purchases.some((one) => isOneOf('authorization', one)) ||
    clearings.some((one) => isOneOf('clearing', one)) ||
    lines.some((one) => isOneOf('line', one))
  );
}

/**
 * The item under the decision of a person. Ignored items leave every total; a break can be
 * accepted; a confirmed proposal is none. Both keep their kind and due date.
 */
function applyDecision(item: ItemContent, assessment: Assessment, decision: Act | undefined): ItemContent {
  const status = decision === undefined ? item.status : statusUnder(decision.action, item);
  if (status === item.status) return item;
  return { ...item, status, next_change_ms: assessment.next_change_ms };
}

function statusUnder(action: ActKind, { status, due_date }: ItemContent): ItemStatus {
  if (action === 'ignore') return 'ignored';
  if (action === 'accept') return status === 'break' ? 'accepted' : status;
  if (status !== 'proposed') return status;
  return due_date === null ? 'matched' : 'awaiting';
}

/** The record of an item that arrived first; of several, by kind, then by id (decision: items). */
function firstOf({ purchases, clearings, lines }: ItemRecords): Arrival {
  let first: Arrival | null = null;
  const consider = (kind: RecordKey['kind'], id: number, company_id: number, arrived_at_ms: number): void => {
    assert(first === null || first.company_id === company_id, 'an item has records of several companies');
    // Kinds are considered in their order.
    const is_earlier =
      first === null ||
      arrived_at_ms < first.arrived_at_ms ||
      (arrived_at_ms === first.arrived_at_ms && kind === first.kind && id < first.id);
    if (is_earlier) first = { kind, id, company_id, arrived_at_ms };
  };
  for (const { id, company_id, decided_at_ms } of purchases) consider('authorization', id, company_id, decided_at_ms);
  for (const { id, company_id, recorded_at_ms } of clearings) consider('clearing', id, company_id, recorded_at_ms);
  for (const { id, company_id, recorded_at_ms } of lines) consider('line', id, company_id, recorded_at_ms);
  assert(first !== null, 'an item has a record');
  return first;
}

interface Arrival extends RecordKey {
  readonly company_id: number;
  readonly arrived_at_ms: number;
}

/**
 * The class that describes an item: that of the clearing which its break is about, else of its
 * newest first presentment that is no refund, else of its newest clearing.
 */
function classOf({ concerned }: Assessment, clearings: readonly ClearedAmount[]): ClearingClass | null {
  const isPurchase = (clearing: ClearedAmount) =>
    clearing.cycle === 'first_presentment' &&
    clearing.class !== 'refund_linked' &&
    clearing.class !== 'refund_unlinked';
  const described = concerned.findLast(isPurchase) ?? clearings.findLast(isPurchase) ?? clearings.at(-1);
  return described?.class ?? null;
}

function merchantOf({ purchases, clearings }: ItemRecords): string | null {
  return [...purchases, ...clearings].find(({ merchant_name }) => merchant_name !== null)?.merchant_name ?? null;
}
