import fc from 'fast-check';
import { daysAfter, gmtDate, recurring_values } from '../reference/calendar.ts';
import { perTransactionMax, type ReferenceCard, usedIn, windowOn } from '../reference/card.ts';
import type { ReferenceModel } from '../reference/model.ts';
import type { CardRequest, MerchantControlsWire, World } from '../system.ts';
import { merchantControls } from './merchants.ts';

/**
 * The plan of a card, without dates and ids, so that it is valid at any time and in any world.
 * `cardRequest` turns it into the request for a certain day and world.
 */
export interface CardPlan {
  readonly total_card_amount: number;
  /** Tenths of the maximum; null: not sent. */
  readonly min_tenths: number | null;
  /** Tenths of the total; null: not sent, and the maximum follows the total. */
  readonly max_tenths: number | null;
  readonly control:
    | { readonly kind: 'velocity'; readonly recurring: string | null; readonly transactions_max: number | null }
    | { readonly kind: 'aging'; readonly hold_days: number; readonly zone: string };
  /** Days from today; null: not sent. */
  readonly starts_in_days: number | null;
  readonly ends:
    | null
    | { readonly kind: 'days_after_start'; readonly days: number }
    | { readonly kind: 'valid_for'; readonly months: number };
  readonly currency: string | null;
  /** Selects one of the templates that fit the control; null: no template is named. */
  readonly template_pick: number | null;
  readonly emails: readonly string[] | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly supplier_id: number | null;
  readonly merchant_controls: MerchantControlsWire | null;
}

/** Zones whose clocks change at midnight, at other hours, by half an hour, or never. */
export const zones: readonly string[] = [
  'America/New_York',
  'Europe/Berlin',
  'America/Havana',
  'Atlantic/Azores',
  'Africa/Cairo',
  'Asia/Beirut',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Asia/Kathmandu',
  'UTC',
];

export const currencies: readonly string[] = ['USD', 'EUR', 'JPY'];

/**
 * Small totals, so that a few purchases reach every limit; occasionally the largest valid total.
 */
const totalAmount = fc.oneof(
  { withCrossShrink: true },
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 2_000 }) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 500_000 }) },
  { weight: 1, arbitrary: fc.constant(10 ** 12) },
);

const emailList = fc.uniqueArray(fc.constantFrom('a@example.com', 'b@example.com', 'c@example.com'), { minLength: 1 });

/** As JSON of 8,192 bytes, which is the most, and of one byte more. Both have far fewer characters. */
const largest_metadata = { note: `${'é'.repeat(4_090)}-` };
const oversized_metadata = { note: 'é'.repeat(4_091) };

const validMetadata: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  { withCrossShrink: true },
  {
    weight: 20,
    arbitrary: fc.dictionary(fc.constantFrom('order', 'note'), fc.string({ maxLength: 20 }), { maxKeys: 2 }),
  },
  { weight: 1, arbitrary: fc.constant(largest_metadata) },
);

const velocity = fc.record({
  kind: fc.constant('velocity' as const),
  // Short windows end within a run more often.
  recurring: fc.option(fc.constantFrom(...recurring_values, 'Daily', 'Daily', 'Weekly', 'Weekly')),
  transactions_max: fc.option(fc.integer({ min: 0, max: 4 })),
});

const aging = fc.record({
  kind: fc.constant('aging' as const),
  hold_days: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 365 })),
  zone: fc.constantFrom(...zones),
});

/** Cards that are valid by construction. */
export function cardPlan(): fc.Arbitrary<CardPlan> {
  return fc.record({
    total_card_amount: totalAmount,
    min_tenths: fc.oneof(
      { withCrossShrink: true },
      { weight: 6, arbitrary: fc.constant(null) },
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 2 }) },
      { weight: 1, arbitrary: fc.integer({ min: 3, max: 10 }) },
    ),
    max_tenths: fc.option(fc.integer({ min: 1, max: 10 }), { freq: 3 }),
    control: fc.oneof({ withCrossShrink: true }, { weight: 3, arbitrary: velocity }, { weight: 2, arbitrary: aging }),
    starts_in_days: fc.option(fc.integer({ min: -3, max: 2 }), { freq: 2 }),
    ends: fc.oneof(
      { withCrossShrink: true },
      { weight: 4, arbitrary: fc.constant(null) },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('days_after_start' as const),
          days: fc.oneof(fc.integer({ min: 3, max: 40 }), fc.integer({ min: 3, max: 900 })),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('valid_for' as const), months: fc.integer({ min: 1, max: 24 }) }),
      },
    ),
    currency: fc.oneof(
      { withCrossShrink: true },
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom(...currencies) },
    ),
    template_pick: fc.option(fc.nat({ max: 20 }), { freq: 2 }),
    emails: fc.option(emailList),
    metadata: fc.option(validMetadata),
    supplier_id: fc.option(fc.nat(), { freq: 2 }),
    merchant_controls: merchantControls(),
  });
}

/** In a world without a template for aging velocity, its cards have no control of time. */
export function cardRequest(plan: CardPlan, now_ms: number, world: World): CardRequest {
  const control = plan.control.kind === 'aging' && !hasAging(world) ? uncontrolled : plan.control;
  const max = plan.max_tenths === null ? plan.total_card_amount : tenths(plan.max_tenths, plan.total_card_amount);
  const today = gmtDate(now_ms);
  const start = daysAfter(today, plan.starts_in_days ?? 0);
  const required_control = control.kind === 'aging' ? 'AGING_VELOCITY' : 'VELOCITY';
  const templates = world.templates.filter((template) => template.required_control === required_control);
  const template = plan.template_pick === null ? undefined : templates[plan.template_pick % templates.length];
  return absentOnes({
    total_card_amount: plan.total_card_amount,
    per_transaction_max: plan.max_tenths === null ? null : max,
    per_transaction_min: plan.min_tenths === null ? null : tenths(plan.min_tenths, max),
    ...(control.kind === 'velocity'
      ? { recurring: control.recurring, transactions_max: control.transactions_max }
      : { authorization_hold_days: control.hold_days, aging_velocity_time_zone: control.zone }),
    valid_starting_on: plan.starts_in_days === null ? null : start,
    valid_ending_on: plan.ends?.kind === 'days_after_start' ? daysAfter(start, plan.ends.days) : null,
    valid_for: plan.ends?.kind === 'valid_for' ? plan.ends.months : null,
    currency: plan.currency,
    template_id: template?.id ?? null,
    emails: plan.emails,
    metadata: plan.metadata,
    supplier_id: plan.supplier_id,
    merchant_controls: world.merchant_controls ? plan.merchant_controls : null,
  });
}

const uncontrolled = { kind: 'velocity', recurring: null, transactions_max: null } as const;

function hasAging({ templates }: World): boolean {
  return templates.some(({ required_control }) => required_control === 'AGING_VELOCITY');
}

/** One error in an otherwise valid request, and the field that a refusal has to name. */
export interface Flaw {
  readonly field: string;
  readonly change: Readonly<Record<string, unknown>>;
}

/** Flaws that make any valid create request invalid. */
export const flaws: readonly Flaw[] = [
  { field: 'total_card_amount', change: { total_card_amount: null } },
  { field: 'total_card_amount', change: { total_card_amount: 0 } },
  { field: 'total_card_amount', change: { total_card_amount: -1 } },
  { field: 'total_card_amount', change: { total_card_amount: 0.5 } },
  { field: 'total_card_amount', change: { total_card_amount: '100' } },
  { field: 'total_card_amount', change: { total_card_amount: 10 ** 12 + 1 } },
  {
    field: 'per_transaction_max',
    change: { total_card_amount: 100, per_transaction_min: 0, per_transaction_max: 101 },
  },
  {
    field: 'per_transaction_min',
    change: { total_card_amount: 100, per_transaction_min: 51, per_transaction_max: 50 },
  },
  { field: 'per_transaction_min', change: { per_transaction_min: -1 } },
  { field: 'transactions_max', change: { ...velocityOnly(), transactions_max: -1 } },
  { field: 'transactions_max', change: { ...velocityOnly(), transactions_max: 1.5 } },
  { field: 'recurring', change: { ...velocityOnly(), recurring: 'daily' } },
  { field: 'recurring', change: { ...velocityOnly(), recurring: 'Hourly' } },
  { field: 'authorization_hold_days', change: { ...agingOnly(), authorization_hold_days: null } },
  { field: 'authorization_hold_days', change: { ...agingOnly(), authorization_hold_days: 0 } },
  { field: 'authorization_hold_days', change: { ...agingOnly(), authorization_hold_days: 366 } },
  { field: 'aging_velocity_time_zone', change: { ...agingOnly(), aging_velocity_time_zone: null } },
  { field: 'aging_velocity_time_zone', change: { ...agingOnly(), aging_velocity_time_zone: 'America/Nowhere' } },
  { field: 'recurring', change: { ...agingOnly(), recurring: 'Daily' } },
  { field: 'transactions_max', change: { ...agingOnly(), transactions_max: 3 } },
  { field: 'valid_starting_on', change: { valid_starting_on: '2026-02-30' } },
  { field: 'valid_starting_on', change: { valid_starting_on: '2199-01-01', valid_ending_on: null, valid_for: null } },
  {
    field: 'valid_ending_on',
    change: { valid_ending_on: '2001-01-01', valid_starting_on: '2000-01-01', valid_for: null },
  },
  { field: 'valid_for', change: { valid_for: 0, valid_ending_on: null } },
  { field: 'valid_for', change: { valid_for: 25, valid_ending_on: null } },
  { field: 'currency', change: { currency: 'usd' } },
  { field: 'template_id', change: { template_id: 999_999_999 } },
  {
    field: 'emails',
    change: { emails: ['a@b.example', 'b@b.example', 'c@b.example', 'd@b.example', 'e@b.example', 'f@b.example'] },
  },
  { field: 'metadata', change: { metadata: oversized_metadata } },
];

export function flawedCard(): fc.Arbitrary<{ readonly plan: CardPlan; readonly flaw: Flaw }> {
  return fc.record({ plan: cardPlan(), flaw: fc.constantFrom(...flaws) });
}

export function flawedRequest(plan: CardPlan, flaw: Flaw, now_ms: number, world: World): CardRequest {
  return absentOnes({ ...cardRequest(plan, now_ms, world), ...flaw.change });
}

/**
 * An update of the named fields. It may be valid or invalid; the model decides. Dates are days from
 * today.
 */
export interface UpdatePlan {
  readonly total_card_amount: number | 'what is used' | 'below what is used' | null;
  readonly per_transaction_min: number | null;
  readonly per_transaction_max: number | 'as it is' | null;
  readonly transactions_max: number | null;
  readonly starts_in_days: number | null;
  readonly ends_in_days: number | null;
  readonly template_pick: number | null;
  readonly recurring: string | null;
  readonly emails: readonly string[] | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly merchant_controls: MerchantControlsWire | null;
  /** The fields that are sent as null, which resets them. */
  readonly resets: readonly string[];
}

/** The fields of a card that null resets, and one that has no default. */
const resettable = [
  'per_transaction_min',
  'per_transaction_max',
  'transactions_max',
  'valid_starting_on',
  'valid_ending_on',
  'template_id',
  'total_card_amount',
  'emails',
  'metadata',
  'merchant_controls',
] as const;

/** Updates, most of which name one or two fields. */
export function updatePlan(): fc.Arbitrary<UpdatePlan> {
  const seldom = <Value>(arbitrary: fc.Arbitrary<Value>) =>
    fc.oneof({ withCrossShrink: true }, { weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
  return fc.record({
    total_card_amount: fc.oneof(
      { withCrossShrink: true },
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 3, arbitrary: totalAmount },
      {
        weight: 3,
        arbitrary: fc.constantFrom('what is used' as const, 'what is used' as const, 'below what is used' as const),
      },
    ),
    per_transaction_min: seldom(fc.integer({ min: 0, max: 300 })),
    per_transaction_max: seldom(fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.constant('as it is' as const))),
    transactions_max: seldom(fc.integer({ min: 0, max: 5 })),
    starts_in_days: seldom(fc.integer({ min: -2, max: 5 })),
    ends_in_days: seldom(fc.integer({ min: -1, max: 60 })),
    template_pick: seldom(fc.nat({ max: 20 })),
    recurring: fc.oneof(
      { withCrossShrink: true },
      { weight: 20, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constant('Daily') },
    ),
    emails: seldom(emailList),
    metadata: seldom(
      fc.oneof(
        { withCrossShrink: true },
        { weight: 9, arbitrary: validMetadata },
        { weight: 1, arbitrary: fc.constant(oversized_metadata) },
      ),
    ),
    merchant_controls: merchantControls(),
    resets: fc.oneof(
      { withCrossShrink: true },
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.subarray([...resettable], { maxLength: 2 }) },
    ),
  });
}

export function updateRequest(plan: UpdatePlan, card: ReferenceCard, { now_ms, world }: ReferenceModel): CardRequest {
  const { controls } = card;
  const today = gmtDate(now_ms);
  const used = usedIn(card, windowOn(card, now_ms), now_ms);
  const totals = { 'what is used': used, 'below what is used': used - 1 };
  const { starts_in_days, ends_in_days, template_pick, resets, ...amounts } = plan;
  const changes = absentOnes({
    ...amounts,
    ...(typeof amounts.total_card_amount === 'string' ? { total_card_amount: totals[amounts.total_card_amount] } : {}),
    ...(amounts.per_transaction_max === 'as it is' ? { per_transaction_max: perTransactionMax(controls) } : {}),
    valid_starting_on: starts_in_days === null ? null : daysAfter(today, starts_in_days),
    valid_ending_on: ends_in_days === null ? null : daysAfter(today, ends_in_days),
    merchant_controls: world.merchant_controls ? amounts.merchant_controls : null,
    template_id: template_pick === null ? null : world.templates[template_pick % world.templates.length]!.id,
  });
  const known = resets.filter((name) => name !== 'merchant_controls' || world.merchant_controls);
  return { ...changes, ...Object.fromEntries(known.map((name) => [name, null])) };
}

function velocityOnly(): Readonly<Record<string, unknown>> {
  return { authorization_hold_days: null, aging_velocity_time_zone: null, template_id: null };
}

function agingOnly(): Readonly<Record<string, unknown>> {
  return {
    authorization_hold_days: 7,
    aging_velocity_time_zone: 'UTC',
    recurring: null,
    transactions_max: null,
    template_id: null,
  };
}

function tenths(count: number, of: number): number {
  return Math.max(count === 0 ? 0 : 1, Math.floor((of * count) / 10));
}

/** Removes nulls, as most clients do. */
function absentOnes(request: Record<string, unknown>): CardRequest {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null));
}
