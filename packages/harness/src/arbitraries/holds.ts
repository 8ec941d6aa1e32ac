import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { availableIn, holdEndOn, purchasesOf, type ReferenceCard, windowOn } from '../reference/card.ts';
import type { ReferenceModel } from '../reference/model.ts';
import { holdOf, type Purchase } from '../reference/purchase.ts';
import type { AuthorizationWire, HoldDays } from '../system.ts';
import { type AuthorizationPlan, authorizationOf, plainPlan } from './authorizations.ts';
import { pick, pickOf } from './picks.ts';

/** The release of a hold by hand. */
export interface ReleasePlan {
  readonly card_pick: number;
  readonly purchase_pick: number;
  /** Whether a purchase that holds nothing may be named. */
  readonly any: boolean;
}

/** Purchases, and increments of the last one when its window is over. */
export interface LateIncrementPlan {
  readonly card_pick: number;
  readonly requests: readonly AuthorizationPlan[];
  /** From the end of the window, milliseconds. */
  readonly offset_ms: number;
  readonly increments: readonly AuthorizationPlan[];
  /** What the first increment asks for beside the amount that the window has left. */
  readonly excess: number;
}

/** A purchase whose hold ends on a special day. */
export interface SpecialDayPlan {
  readonly card_pick: number;
  readonly day: 'clock_change' | 'leap_day';
  /** The local hour of the purchase. */
  readonly hour: number;
  readonly request: AuthorizationPlan;
}

export function releasePlan(): fc.Arbitrary<ReleasePlan> {
  return fc.record({
    card_pick: fc.nat({ max: 5 }),
    purchase_pick: fc.nat({ max: 20 }),
    any: fc.boolean(),
  });
}

/** Days that a company may have, and two numbers that it may not. */
export function holdDays(): fc.Arbitrary<HoldDays> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant<HoldDays>(null) },
    { weight: 2, arbitrary: fc.constant<HoldDays>('never') },
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 12 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 365, 366) },
  );
}

export function lateIncrementPlan(): fc.Arbitrary<LateIncrementPlan> {
  return fc.record({
    card_pick: fc.nat({ max: 5 }),
    requests: fc.array(plainPlan('request'), { minLength: 1, maxLength: 3 }),
    offset_ms: fc.constantFrom(0, 1, 1_000, 86_400_000),
    increments: fc.array(fc.oneof(plainPlan('incremental'), plainPlan('incremental_advice')), {
      minLength: 1,
      maxLength: 3,
    }),
    excess: fc.constantFrom(1, 1, 0, -1),
  });
}

export function specialDayPlan(): fc.Arbitrary<SpecialDayPlan> {
  return fc.record({
    card_pick: fc.nat({ max: 5 }),
    day: fc.constantFrom('clock_change' as const, 'clock_change' as const, 'leap_day' as const),
    hour: fc.nat({ max: 23 }),
    request: plainPlan('request'),
  });
}

/**
 * A card, one with aging velocity if there is one, and the next instant at which a hold of it begins
 * that ends on a day of the plan; null if it has none while the card is valid.
 */
export function specialDayOf(
  { card_pick, day, hour }: SpecialDayPlan,
  { cards, now_ms, hold_days }: ReferenceModel,
): { readonly card: ReferenceCard; readonly at_ms: number | null } {
  const card = pickOf(cards, card_pick, ({ controls }) => controls.aging_velocity_time_zone !== null)!;
  const { aging_velocity_time_zone: zone, valid_ending_on } = card.controls;
  const end_ms = holdEndOn(card, now_ms, hold_days);
  if (end_ms === null) return { card, at_ms: null };
  const local = (at_ms: number) => Temporal.Instant.fromEpochMilliseconds(at_ms).toZonedDateTimeISO(zone ?? 'UTC');
  const earliest = local(end_ms).toPlainDate();
  const special =
    day === 'leap_day' ? leapDayFrom(earliest) : local(end_ms).getTimeZoneTransition('next')?.toPlainDate();
  if (special === undefined || special.toString() > valid_ending_on) return { card, at_ms: null };
  const begins = local(now_ms).add(earliest.until(special)).with({ hour });
  return { card, at_ms: Math.max(now_ms, begins.epochMilliseconds) };
}

function leapDayFrom(earliest: Temporal.PlainDate): Temporal.PlainDate {
  let year = earliest.year;
  while (!isLeap(year) || Temporal.PlainDate.compare({ year, month: 2, day: 29 }, earliest) < 0) year += 1;
  return Temporal.PlainDate.from({ year, month: 2, day: 29 });
}

function isLeap(year: number): boolean {
  return Temporal.PlainDate.from({ year, month: 1, day: 1 }).inLeapYear;
}

export function lateIncrementsOf(
  plan: LateIncrementPlan,
  model: ReferenceModel,
  card: ReferenceCard,
  { trace_id }: AuthorizationWire,
): readonly AuthorizationWire[] {
  const about = purchasesOf(card).findLast((purchase) => purchase.message.trace_id === trace_id);
  const left = about === undefined ? 1 : availableIn(card, about.window, model.now_ms) + plan.excess;
  const amount = { kind: 'cents', cents: Math.max(1, left) } as const;
  const card_pick = model.cards.indexOf(card);
  const asked = plan.increments.map((increment) => ({ ...increment, card_pick }));
  const [first, ...others] = asked;
  return [{ ...first!, kind: 'incremental', amount } as const, ...others].map((increment) => {
    return { ...authorizationOf(increment, model), card_number: card.card_number, incremental: true, trace_id };
  });
}

/** The purchase whose hold a plan releases; undefined if the card has none. */
export function releasedPurchase(plan: ReleasePlan, model: ReferenceModel, card: ReferenceCard): Purchase | undefined {
  const purchases = purchasesOf(card);
  if (plan.any) return pick(purchases, plan.purchase_pick);
  return pickOf(purchases, plan.purchase_pick, (purchase) => holdOf(purchase, model.now_ms) > 0);
}

/** A card whose window ends within a week, so that a hold survives it, if there is one. */
export function pickWindowed(model: ReferenceModel, at: number): ReferenceCard {
  const soon_ms = model.now_ms + 7 * 86_400_000;
  return pickOf(model.cards, at, (card) => windowOn(card, model.now_ms).end_ms <= soon_ms)!;
}
