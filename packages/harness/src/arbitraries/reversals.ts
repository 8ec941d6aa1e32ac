import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { amount_max } from '../reference/bounds.ts';
import { purchasesOf, type ReferenceCard } from '../reference/card.ts';
import type { ReferenceModel } from '../reference/model.ts';
import { authorizedAmount, type Purchase, standingOf } from '../reference/purchase.ts';
import type { AuthorizationWire } from '../system.ts';
import { amountsOf, mccs } from './authorizations.ts';
import { pick, pickOf, pickUsed, seldom } from './picks.ts';

/** How much of an amount a reversal leaves, and how its message says so. */
export interface CorrectionPlan {
  /**
   * Tenths of the authorized amount that remain; null: a full reversal without amounts; 0: a full
   * reversal with amounts of zero.
   */
  readonly remaining_tenths: number | null;
  /** The amounts that the message names: in both currencies, or in one of them. */
  readonly named: 'both' | 'limit_currency' | 'other_currency';
  /** Whether an amount that is not named is sent as 0, otherwise as null. */
  readonly zero: boolean;
  /** Whether the merchant's currency is not that of the limits. */
  readonly abroad: boolean;
  /** How the corrected amounts are sent: in their object, or each under its own name. */
  readonly flat: boolean;
  readonly advice: boolean;
}

export interface ReversalPlan extends CorrectionPlan {
  readonly card_pick: number;
  readonly purchase_pick: number;
  /** Whether a purchase whose hold has ended is preferred. */
  readonly late: boolean;
}

/** Reversals that come before their original, and what comes after them with their trace_id. */
export interface EarlyReversalPlan {
  readonly card_pick: number;
  /** Hundredths of the card's total. */
  readonly hundredths: number;
  readonly corrections: readonly CorrectionPlan[];
  readonly advice_of_decline: boolean;
  /** Whether the original is an advice, otherwise a request. */
  readonly original_is_advice: boolean;
  /** Whether a request with this trace_id comes again, which is another transaction. */
  readonly again: boolean;
}

function correctionPlan(full_one_in: number): fc.Arbitrary<CorrectionPlan> {
  return fc.record({
    remaining_tenths: fc.option(fc.integer({ min: 0, max: 12 }), { freq: full_one_in }),
    named: fc.oneof(
      { weight: 3, arbitrary: fc.constant('both' as const) },
      { weight: 2, arbitrary: fc.constant('limit_currency' as const) },
      { weight: 1, arbitrary: fc.constant('other_currency' as const) },
    ),
    zero: fc.boolean(),
    abroad: seldom(3),
    flat: fc.boolean(),
    advice: fc.boolean(),
  });
}

export function reversalPlan(): fc.Arbitrary<ReversalPlan> {
  return fc
    .tuple(
      fc.record({ card_pick: fc.nat({ max: 5 }), purchase_pick: fc.nat({ max: 20 }), late: seldom(3) }),
      correctionPlan(2),
    )
    .map(([picks, correction]) => ({ ...picks, ...correction }));
}

export function earlyReversalPlan(): fc.Arbitrary<EarlyReversalPlan> {
  return fc.record({
    card_pick: fc.nat({ max: 5 }),
    hundredths: fc.integer({ min: 1, max: 60 }),
    corrections: fc.array(correctionPlan(4), { minLength: 1, maxLength: 3 }),
    advice_of_decline: seldom(3),
    original_is_advice: seldom(3),
    again: seldom(3),
  });
}

/** The reversal of a plan, with the amounts and the trace_id of its original. */
export function reversalOf(
  plan: ReversalPlan,
  model: ReferenceModel,
  card: ReferenceCard = pickUsed(model.cards, plan.card_pick),
): AuthorizationWire {
  const isLate = (purchase: Purchase) => plan.late && standingOf(purchase, model.now_ms).hold_is_over;
  const original = pickOf(purchasesOf(card), plan.purchase_pick, isLate);
  return reversalMessage(plan, model, card, {
    trace_id: original?.message.trace_id ?? `${model.world.tag}T${model.fresh()}`,
    authorized: original === undefined ? 100 : authorizedAmount(original),
    amount: original?.amount ?? 100,
    mcc: original?.message.mcc ?? mccs[0],
  });
}

export function fullReversalOf({ message }: Purchase, model: ReferenceModel): AuthorizationWire {
  return { ...message, message_type_indicator: '0400', system_trace_audit_number: freshAuditNumber(model) };
}

/**
 * The messages of a plan in order: the reversals, then all that has their trace_id. Each is valid,
 * except a reversal that names only the amount of another currency.
 */
export function earlyReversalOf(plan: EarlyReversalPlan, model: ReferenceModel): readonly AuthorizationWire[] {
  const card = pick(model.cards, plan.card_pick)!;
  const whole = Math.max(1, Math.floor((card.controls.total_card_amount * plan.hundredths) / 100));
  const amount = Math.min(whole, amount_max);
  const original = { trace_id: `${model.world.tag}T${model.fresh()}`, authorized: amount, amount, mcc: mccs[0] };
  const reversals = plan.corrections.map((correction) => reversalMessage(correction, model, card, original));
  const sent = (message_type_indicator: string): AuthorizationWire => ({
    ...unamended(reversals[0]!),
    ...amountsOf(amount, card, model, false),
    system_trace_audit_number: freshAuditNumber(model),
    message_type_indicator,
  });
  return [
    ...reversals,
    ...(plan.advice_of_decline ? [{ ...sent('0120'), response_code: '05' }] : []),
    sent(plan.original_is_advice ? '0120' : '0100'),
    ...(plan.again ? [sent('0100')] : []),
  ];
}

interface Original {
  readonly trace_id: string;
  /** Limit currency. */
  readonly authorized: number;
  readonly amount: number;
  readonly mcc: string;
}

function reversalMessage(
  plan: CorrectionPlan,
  model: ReferenceModel,
  card: ReferenceCard,
  { trace_id, authorized, amount, mcc }: Original,
): AuthorizationWire {
  const amounts = amountsOf(amount, card, model, plan.abroad);
  return {
    card_number: card.card_number,
    message_type_indicator: plan.advice ? '0420' : '0400',
    trace_id,
    system_trace_audit_number: freshAuditNumber(model),
    transaction_date_time: Temporal.Instant.fromEpochMilliseconds(model.now_ms).toString(),
    ...amounts,
    mcc,
    ...(plan.remaining_tenths === null
      ? {}
      : corrected(plan, card, Math.min(Math.floor((authorized * plan.remaining_tenths) / 10), amount_max))),
  };
}

/** The corrected amounts. The amount of the other currency is twice the remaining one. */
function corrected(plan: CorrectionPlan, card: ReferenceCard, remaining: number): Partial<AuthorizationWire> {
  const absent = plan.zero ? 0 : null;
  const in_limit = plan.named === 'other_currency' ? absent : remaining;
  const in_other = plan.named === 'limit_currency' ? absent : Math.min(remaining * (plan.abroad ? 2 : 1), amount_max);
  const limited_in_billing = card.controls.currency === null;
  const amounts = {
    billing_amount: limited_in_billing ? in_limit : in_other,
    settlement_amount: absent,
    transaction_amount: limited_in_billing ? in_other : in_limit,
  };
  if (!plan.flat) return { replacement_amounts: amounts };
  return {
    'replacement_amounts.billing_amount': amounts.billing_amount,
    'replacement_amounts.settlement_amount': amounts.settlement_amount,
    'replacement_amounts.transaction_amount': amounts.transaction_amount,
  };
}

/** The message without corrected amounts, as its original has none. */
function unamended(reversal: AuthorizationWire): AuthorizationWire {
  const {
    replacement_amounts: _none,
    'replacement_amounts.billing_amount': _no_billing,
    'replacement_amounts.settlement_amount': _no_settlement,
    'replacement_amounts.transaction_amount': _no_transaction,
    ...original
  } = reversal;
  return original;
}

function freshAuditNumber(model: ReferenceModel): string {
  return String(model.fresh() % 1_000_000).padStart(6, '0');
}
