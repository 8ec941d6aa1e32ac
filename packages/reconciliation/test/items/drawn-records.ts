import { type Money, Temporal } from '@tallystick/kernel';
import fc from 'fast-check';
import type {
  ReferenceAuthorization,
  ReferenceClearing,
  ReferenceKey,
  ReferenceLine,
  ReferenceRecords,
} from './plain-records.ts';

/**
 * Authorizations, clearings and card lines of one company, with what makes pairing hard: keys that
 * collide, references of 17 and 23 digits, near dates, equal amounts, credits, disputes, reversals,
 * fees, lines without a reference, and two currencies.
 */
export interface ReconciliationWorld {
  readonly records: ReferenceRecords;
  /** By currency, the first date that a statement covers. */
  readonly coverage: ReadonlyMap<string, string>;
  /** By currency, in minor units. */
  readonly tolerances: ReadonlyMap<string, number>;
  readonly now_ms: number;
}

const first_day = '2026-03-02';
const currencies = ['USD', 'EUR'] as const;
const amounts = [1_000, 1_000, 600, 400, 1_005] as const;

/** Two of them have the same key, and so has the one of 17 digits. Zeros are no reference. */
const references = [
  '74123456061000000000017',
  '74123456062000000000011',
  '41234500000000001',
  '74123456061000000000025',
  '00000000000000000000000',
] as const;

interface LinePlan {
  readonly amount: 'same' | 'other' | 'half' | 'fee';
  readonly reference: 'same' | 'key' | 'none' | 'other';
  /** From the settlement to the booking. */
  readonly days: number;
  readonly account_id: number;
  readonly has_bank_reference: boolean;
  readonly standing: ReferenceLine['standing'];
  readonly is_of_cards: boolean;
}

interface ClearingPlan {
  readonly amount: number;
  readonly outcome: (typeof outcomes)[number];
  readonly cycle: 'first_presentment' | 'reversal' | 'chargeback';
  readonly days: number;
  readonly reference: string | null;
  readonly lines: readonly LinePlan[];
}

interface PurchasePlan {
  readonly currency: string;
  readonly authorized: number | null;
  readonly hold: 'ends' | 'ended' | 'never' | 'released';
  readonly clearings: readonly ClearingPlan[];
}

/** What matching made of a clearing with an authorization, and of one without. */
const outcomes = [
  { with: { class: 'exact', match_rule: 3 }, without: { class: 'force_post', match_rule: 8 } },
  { with: { class: 'tip', match_rule: 4 }, without: { class: 'refund_unlinked', match_rule: 7 } },
  { with: { class: 'over', match_rule: 3 }, without: { class: 'suspected_duplicate', match_rule: 8 } },
  { with: { class: 'exact', match_rule: 6, review: true }, without: { class: 'force_post', match_rule: 8, tie: true } },
  { with: { class: 'partial', match_rule: 3, partial: true }, without: { class: 'force_post', match_rule: 8 } },
  { with: { class: 'late', match_rule: 5 }, without: { class: 'force_post', match_rule: 8 } },
] as const;

function linePlan(): fc.Arbitrary<LinePlan> {
  return fc.record({
    amount: fc.constantFrom(
      'same' as const,
      'same' as const,
      'same' as const,
      'other' as const,
      'half' as const,
      'fee' as const,
    ),
    reference: fc.constantFrom('same' as const, 'same' as const, 'key' as const, 'none' as const, 'other' as const),
    days: fc.constantFrom(0, 0, 1, 3, 4, -1, 40),
    account_id: fc.constantFrom(1, 1, 2),
    has_bank_reference: seldom(5).map((is_without) => !is_without),
    standing: fc.constantFrom(null, null, null, null, null, null, 'differs' as const, 'kept' as const),
    is_of_cards: seldom(8).map((is_other) => !is_other),
  });
}

function clearingPlan(): fc.Arbitrary<ClearingPlan> {
  return fc.record({
    amount: fc.constantFrom(...amounts),
    outcome: fc.constantFrom(...outcomes),
    cycle: fc.constantFrom(
      'first_presentment' as const,
      'first_presentment' as const,
      'first_presentment' as const,
      'reversal' as const,
      'chargeback' as const,
    ),
    days: fc.nat({ max: 5 }),
    reference: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...references) },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    lines: fc.array(linePlan(), { maxLength: 2 }),
  });
}

function purchasePlan(): fc.Arbitrary<PurchasePlan> {
  return fc.record({
    currency: fc.constantFrom(currencies[0], currencies[0], currencies[0], currencies[1]),
    authorized: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...amounts) },
      { weight: 1, arbitrary: fc.constantFrom(null, 0) },
    ),
    hold: fc.constantFrom('ends' as const, 'ends' as const, 'ended' as const, 'never' as const, 'released' as const),
    clearings: fc.array(clearingPlan(), { maxLength: 3 }),
  });
}

/** A world of up to 5 purchases, and of lines that belong to nothing. */
export function reconciliationWorld(): fc.Arbitrary<ReconciliationWorld> {
  return fc
    .record({
      purchases: fc.array(purchasePlan(), { minLength: 1, maxLength: 5 }),
      lone: fc.array(fc.tuple(linePlan(), fc.constantFrom(...references)), { maxLength: 2 }),
      days_later: fc.nat({ max: 50 }),
      first_covered: fc.constantFrom(null, first_day, daysAfter(first_day, 2)),
      // Differences are of 5, and of 5 more or less than some hundreds.
      tolerance: fc.constantFrom(null, null, 4, 5, 405),
    })
    .map(({ purchases, lone, days_later, first_covered, tolerance }) => ({
      records: recordsOf(purchases, lone),
      coverage: new Map(first_covered === null ? [] : [[currencies[0], first_covered] as const]),
      tolerances: new Map(tolerance === null ? [] : [[currencies[0], tolerance] as const]),
      now_ms: startOf(daysAfter(first_day, days_later)) + 12 * 60 * 60 * 1_000,
    }));
}

function recordsOf(plans: readonly PurchasePlan[], lone: readonly (readonly [LinePlan, string])[]): ReferenceRecords {
  const purchases: ReferenceAuthorization[] = [];
  const clearings: ReferenceClearing[] = [];
  const lines: ReferenceLine[] = [];
  for (const plan of plans) {
    const purchase = purchaseOf(plan, purchases.length + 1);
    if (purchase !== null) purchases.push(purchase);
    let earlier: ReferenceClearing | null = null;
    for (const of of plan.clearings) {
      const clearing = clearingOf(of, plan, purchase, earlier, clearings.length + 1);
      clearings.push(clearing);
      earlier ??= clearing;
      for (const line of of.lines) lines.push(lineOf(line, clearing, lines.length + 1));
    }
  }
  for (const [line, reference] of lone) {
    const like = { currency: currencies[0], amount: 1_000, settlement_date: first_day, acquirer_reference: reference };
    lines.push(lineOf(line, like, lines.length + 1));
  }
  return { purchases, clearings, lines };
}

function purchaseOf(plan: PurchasePlan, id: number): ReferenceAuthorization | null {
  const { currency, authorized, hold, clearings } = plan;
  if (authorized === null) return null;
  const first = clearings.filter(({ cycle }) => cycle === 'first_presentment');
  const uncleared = hold === 'released' ? 'released' : hold === 'ended' ? 'expired' : 'open';
  const ends = { ends: daysAfter(first_day, 7), ended: daysAfter(first_day, 1), released: first_day, never: null }[
    hold
  ];
  const is_cleared = first.some(({ outcome }) => outcome.with.class !== 'partial');
  return {
    id,
    company_id: 1,
    card_id: 1 + (id % 2),
    currency,
    authorized: authorized as Money,
    status: is_cleared ? 'cleared' : first.length > 0 ? 'partially_cleared' : uncleared,
    uncleared_status: first.length > 0 ? uncleared : null,
    hold_end_ms: ends === null ? null : startOf(ends),
    decided_at_ms: startOf(first_day) + id,
    merchant_name: `merchant ${id}`,
    billing_amount: authorized as Money,
    merchant_amount: authorized as Money,
    merchant_currency: currency,
    approval_code: null,
    merchant_id: null,
    net_reference_number: null,
    transaction_date_time_ms: startOf(first_day),
  };
}

function clearingOf(
  { amount, outcome, cycle, days, reference }: ClearingPlan,
  { currency }: PurchasePlan,
  purchase: ReferenceAuthorization | null,
  earlier: ReferenceClearing | null,
  id: number,
): ReferenceClearing {
  const refers = cycle !== 'first_presentment' && earlier !== null;
  const made: {
    class: ReferenceClearing['class'];
    match_rule: number;
    review?: boolean;
    tie?: boolean;
    partial?: boolean;
  } = purchase === null ? outcome.without : outcome.with;
  // Most reversals are in full.
  const billed = refers && cycle === 'reversal' && amount !== 400 ? Math.abs(earlier.amount) : amount;
  const is_credit = cycle !== 'first_presentment' || made.class === 'refund_unlinked';
  return {
    id,
    company_id: 1,
    card_id: purchase?.card_id ?? 1,
    currency,
    transaction_id: `T${String(id).padStart(4, '0')}`,
    authorization_id: purchase?.id ?? null,
    clearing_id: refers ? earlier.id : null,
    cycle,
    class: cycle === 'reversal' ? 'reversal' : cycle === 'chargeback' ? 'dispute' : made.class,
    match_rule: refers ? (cycle === 'reversal' ? 1 : 2) : made.match_rule,
    is_chosen: false,
    review: (made.review ?? false) || (made.tie ?? false),
    is_tie: cycle === 'first_presentment' && (made.tie ?? false),
    partial: made.partial ?? false,
    amount: (is_credit ? -billed : amount) as Money,
    settlement_date: daysAfter(first_day, days),
    acquirer_reference: refers ? earlier.acquirer_reference : reference,
    merchant_name: null,
    recorded_at_ms: startOf(first_day) + 100 + id,
    merchant_amount: null,
    merchant_currency: null,
    approval_code: null,
    merchant_id: null,
    net_reference_number: null,
  };
}

function lineOf(
  { amount, reference, days, account_id, has_bank_reference, standing, is_of_cards }: LinePlan,
  like: Pick<ReferenceClearing, 'currency' | 'settlement_date' | 'acquirer_reference'> & { readonly amount: number },
  id: number,
): ReferenceLine {
  const is_fee = amount === 'fee' && is_of_cards;
  const sum = is_fee
    ? 30
    : amount === 'half'
      ? Math.trunc(like.amount / 2)
      : like.amount + (amount === 'other' ? 5 : 0);
  const of_clearing = like.acquirer_reference;
  const key = of_clearing?.length === 23 ? of_clearing.slice(1, 7) + of_clearing.slice(11, 22) : of_clearing;
  return {
    id,
    company_id: 1,
    account_id,
    currency: like.currency,
    amount: sum as Money,
    is_fee,
    bai_code: !is_of_cards ? '475' : is_fee ? '825' : sum < 0 ? '822' : '821',
    booking_date: daysAfter(like.settlement_date, days),
    bank_reference: has_bank_reference ? `B${String(id).padStart(4, '0')}` : null,
    acquirer_reference: { same: of_clearing, key, none: null, other: references[0] }[reference],
    text: '',
    standing,
    statement_line_id: null,
    recorded_at_ms: startOf(first_day) + 200 + id,
  };
}

/** The records of a world as they would be had they arrived in another order. */
export interface Rearrived {
  readonly records: ReferenceRecords;
  /** Which record of the world a new one is. */
  readonly originalOf: (record: ReferenceKey) => ReferenceKey;
}

/**
 * Lets the records of a world arrive in another order: ids and times of arrival follow the order.
 * `draw` has a number for each record, and the smallest comes first.
 */
export function rearrive({ purchases, clearings, lines }: ReferenceRecords, draw: readonly number[]): Rearrived {
  const arrivals = [
    ...purchases.map(({ id }): ReferenceKey => ({ kind: 'authorization', id })),
    ...clearings.map(({ id }): ReferenceKey => ({ kind: 'clearing', id })),
    ...lines.map(({ id }): ReferenceKey => ({ kind: 'line', id })),
  ]
    .map((record, at) => ({ record, at: draw[at % Math.max(1, draw.length)] ?? 0 }))
    .sort((a, b) => a.at - b.at);
  const placeOf = (kind: ReferenceKey['kind'], id: number) =>
    arrivals.findIndex(({ record }) => record.kind === kind && record.id === id) + 1;
  const arrivedAt = (kind: ReferenceKey['kind'], id: number) => startOf(first_day) + Math.floor(placeOf(kind, id) / 2);
  return {
    records: {
      purchases: purchases.map((purchase) => ({
        ...purchase,
        id: placeOf('authorization', purchase.id),
        decided_at_ms: arrivedAt('authorization', purchase.id),
      })),
      clearings: clearings.map((clearing) => ({
        ...clearing,
        id: placeOf('clearing', clearing.id),
        authorization_id:
          clearing.authorization_id === null ? null : placeOf('authorization', clearing.authorization_id),
        clearing_id: clearing.clearing_id === null ? null : placeOf('clearing', clearing.clearing_id),
        recorded_at_ms: arrivedAt('clearing', clearing.id),
      })),
      lines: lines.map((line) => ({
        ...line,
        id: placeOf('line', line.id),
        recorded_at_ms: arrivedAt('line', line.id),
      })),
    },
    originalOf: ({ id }) => arrivals[id - 1]!.record,
  };
}

function startOf(date: string): number {
  return Temporal.PlainDate.from(date).toZonedDateTime('UTC').epochMilliseconds;
}

/** The date some days after another one: YYYY-MM-DD. */
function daysAfter(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** True once in this number of draws. It shrinks to false. */
function seldom(one_in: number): fc.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: one_in - 1 }).map((drawn) => drawn === one_in - 1);
}
