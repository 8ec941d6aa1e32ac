import fc from 'fast-check';
import { amount_max } from '../reference/bounds.ts';
import { daysAfter, gmtDate } from '../reference/calendar.ts';
import { purchasesOf, type ReferenceCard } from '../reference/card.ts';
import type { ReferenceModel } from '../reference/model.ts';
import { authorizedAmount, isLive, type Purchase } from '../reference/purchase.ts';
import type { AuthorizationWire, ClearingWire } from '../system.ts';
import {
  type AuthorizationPlan,
  amountsOf,
  authorizationOf,
  authorizationPlan,
  mccs,
  other,
  plainPlan,
} from './authorizations.ts';
import { pick, pickOf, pickUsed, seldom } from './picks.ts';

/** What makes the service refuse a clearing and keep it in quarantine. */
export type ClearingFlaw = 'unknown_card' | 'other_billing_currency' | 'known_elsewhere' | 'known_here';

/**
 * The plan of a clearing, without numbers and ids. `clearingOf` turns it into a clearing about a
 * card of the run.
 */
export interface ClearingPlan {
  readonly card_pick: number;
  readonly purchase_pick: number;
  /** Whether a purchase that waits for a clearing is preferred. */
  readonly awaited: boolean;
  /** The data by which it can be matched to the purchase. */
  readonly link: 'reference' | 'reference_only' | 'short_reference' | 'approval' | 'amount_and_merchant' | 'none';
  /** Twentieths of the authorized amount. */
  readonly twentieths: number;
  readonly partial: boolean;
  readonly clearing_type: 'DEBIT' | 'CREDIT';
  readonly cycle: 'second_presentment' | 'chargeback' | 'reversal' | null;
  /**
   * Selects an earlier clearing, and the message carries its acquirer_reference_data; null: new
   * data.
   */
  readonly earlier_pick: number | null;
  /** The message repeats an earlier clearing under a new id. */
  readonly copies: boolean;
  /** The billing amount differs although the merchant amount does not. */
  readonly fx_drift: boolean;
  /** The merchant charges in another currency than authorized, at a rate of so many twentieths. */
  readonly conversion_twentieths: number | null;
  /** From today to the settlement date. */
  readonly settlement_days: number;
  /** The id comes from a file, and is in no order. */
  readonly synthetic_id: boolean;
  /**
   * The message is the other copy of the last clearing: with an id of the network, or from a file.
   */
  readonly pairs: boolean;
  /** A copy of another format states six characters of the network reference only. */
  readonly states_six: boolean;
  readonly by_number: boolean;
  readonly flaw: ClearingFlaw | null;
}

/** A clearing, and the request or advice that it belongs to, which comes after it. */
export interface ClearingFirstPlan {
  readonly authorization: AuthorizationPlan;
  readonly clearing: ClearingPlan;
  /** By which data the two are connected. */
  readonly link: 'reference' | 'reference_and_code' | 'amount_and_merchant';
  /** An increment follows. */
  readonly increment: AuthorizationPlan | null;
}

export function clearingFirstPlan(): fc.Arbitrary<ClearingFirstPlan> {
  return fc.record({
    authorization: fc.oneof(plainPlan('request'), plainPlan('request'), plainPlan('advice'), authorizationPlan()),
    clearing: clearingPlan().map((plan) => ({
      ...plan,
      cycle: null,
      copies: false,
      pairs: false,
      states_six: false,
      flaw: null,
    })),
    link: fc.constantFrom('reference' as const, 'reference_and_code' as const, 'amount_and_merchant' as const),
    increment: fc.option(plainPlan('incremental'), { freq: 2 }),
  });
}

/** The messages of a plan: the clearing first, then what it belongs to. */
export function clearingFirstOf(
  { authorization, clearing, link }: ClearingFirstPlan,
  model: ReferenceModel,
): { readonly cleared: ClearingWire; readonly authorized: AuthorizationWire } {
  const authorized = authorizationOf(authorization, model);
  // An authorization of an unknown number has no card; its clearing goes to another.
  const named = model.cards.find((known) => known.card_number === authorized.card_number);
  const card = named ?? pickUsed(model.cards, clearing.card_pick);
  const { vcn_id: _none, approval_code: _no_code, ...message } = clearingOf(clearing, model);
  const { billing_amount, merchant_amount, merchant_currency, billing_currency, net_reference_number } = authorized;
  const part = Math.max(1, Math.floor((billing_amount * clearing.twentieths) / 20));
  // A card that is limited in a foreign currency gets no clearing in another (`conversionOf`).
  const in_another = isLimitedAbroad(card, model.world) && merchant_currency !== card.controls.currency;
  const amounts =
    (named === undefined || link === 'amount_and_merchant') && !in_another
      ? { billing_amount, merchant_amount, merchant_currency, billing_currency }
      : amountsOf(Math.min(part, amount_max), card, model, false);
  const cleared: ClearingWire = {
    ...message,
    ...amounts,
    billing_currency: model.world.billing_currency,
    card_number: card.card_number,
    ...(link === 'amount_and_merchant'
      ? { merchant_id: authorized.merchant_id ?? 'nobody' }
      : { net_reference_number: net_reference_number! }),
    ...(link === 'reference_and_code' ? { approval_code: `Q${String(model.fresh()).padStart(5, '0')}` } : {}),
  };
  return { cleared, authorized };
}

/**
 * Purchases with one network reference, what becomes of some, a clearing with the reference, and
 * perhaps one more purchase with it.
 */
export interface SharedReferencePlan {
  readonly card_pick: number;
  readonly requests: readonly AuthorizationPlan[];
  /** What becomes of each purchase before the clearing. */
  readonly fates: readonly ('waits' | 'reversed' | 'released')[];
  readonly holds_end: boolean;
  readonly clearing: ClearingPlan;
  /** Selects the purchase whose approval code the clearing bears; null: it bears none. */
  readonly code_pick: number | null;
  readonly later: AuthorizationPlan | null;
}

export function sharedReferencePlan(): fc.Arbitrary<SharedReferencePlan> {
  const fates: fc.Arbitrary<SharedReferencePlan['fates']> = fc.constantFrom(
    ['waits', 'waits', 'waits'],
    ['waits', 'reversed', 'released'],
    ['released', 'reversed', 'reversed'],
    ['reversed', 'released', 'reversed'],
    ['released', 'released', 'waits'],
  );
  return fc.record({
    card_pick: fc.nat({ max: 5 }),
    requests: fc.array(plainPlan('request'), { minLength: 2, maxLength: 3 }),
    fates,
    holds_end: seldom(3),
    clearing: clearingPlan().map((plan) => ({ ...plan, cycle: null, copies: false, flaw: null })),
    code_pick: fc.option(fc.nat({ max: 2 }), { freq: 2 }),
    later: fc.option(fc.oneof(plainPlan('request'), plainPlan('advice')), { freq: 2 }),
  });
}

/** The requests of a plan, all with one network reference. */
export function sharedReferenceRequests(
  { card_pick, requests }: SharedReferencePlan,
  model: ReferenceModel,
): readonly AuthorizationWire[] {
  const messages = requests.map((plan) => authorizationOf({ ...plan, card_pick }, model));
  return messages.map((message) => ({ ...message, net_reference_number: messages[0]!.net_reference_number! }));
}

/**
 * The clearing of a plan, which the network reference links to the requests, and perhaps an approval
 * code to one of the purchases that they made.
 */
export function sharedReferenceClearing(
  { clearing, code_pick }: SharedReferencePlan,
  model: ReferenceModel,
  { card_number, net_reference_number }: AuthorizationWire,
  made: readonly Purchase[],
): ClearingWire {
  const card = model.cards.find((known) => known.card_number === card_number)!;
  const { vcn_id: _none, approval_code: _no_code, ...message } = clearingOf(clearing, model);
  const amounts = amountsOf(Math.min(message.billing_amount, amount_max), card, model, false);
  const approval_code = code_pick === null ? null : (pick(made, code_pick)?.approval_code ?? null);
  return {
    ...message,
    ...amounts,
    card_number,
    net_reference_number: net_reference_number!,
    ...(approval_code === null ? {} : { approval_code }),
  };
}

export function clearingPlan(): fc.Arbitrary<ClearingPlan> {
  return fc.record({
    card_pick: fc.nat({ max: 5 }),
    purchase_pick: fc.nat({ max: 20 }),
    awaited: fc.boolean(),
    link: fc.oneof(
      { withCrossShrink: true },
      { weight: 3, arbitrary: fc.constant('reference' as const) },
      { weight: 2, arbitrary: fc.constant('reference_only' as const) },
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          'short_reference' as const,
          'approval' as const,
          'amount_and_merchant' as const,
          'amount_and_merchant' as const,
          'none' as const,
        ),
      },
    ),
    twentieths: fc.oneof(
      { withCrossShrink: true },
      { weight: 2, arbitrary: fc.constant(20) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 30 }) },
      { weight: 2, arbitrary: fc.constantFrom(16, 22, 23, 24, 25) },
    ),
    partial: seldom(3),
    clearing_type: fc.constantFrom('DEBIT' as const, 'DEBIT' as const, 'DEBIT' as const, 'CREDIT' as const),
    cycle: fc.oneof(
      { withCrossShrink: true },
      { weight: 6, arbitrary: fc.constant(null) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'second_presentment' as const,
          'chargeback' as const,
          'reversal' as const,
          'reversal' as const,
        ),
      },
    ),
    earlier_pick: fc.oneof(
      { withCrossShrink: true },
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.nat({ max: 10 }) },
    ),
    copies: seldom(12),
    fx_drift: seldom(3),
    conversion_twentieths: fc.oneof(
      { withCrossShrink: true },
      { weight: 7, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom(15, 16, 18, 20, 22, 24, 25) },
    ),
    settlement_days: fc.oneof(
      { withCrossShrink: true },
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.integer({ min: -3, max: 7 }) },
      { weight: 1, arbitrary: fc.constantFrom(-36, -35, -34, -12) },
    ),
    synthetic_id: seldom(4),
    pairs: seldom(10),
    states_six: seldom(3),
    by_number: fc.boolean(),
    flaw: fc.oneof(
      { withCrossShrink: true },
      { weight: 8, arbitrary: fc.constant(null) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'unknown_card' as const,
          'other_billing_currency' as const,
          'known_elsewhere' as const,
          'known_elsewhere' as const,
          'known_elsewhere' as const,
          'known_here' as const,
          'known_here' as const,
        ),
      },
    ),
  });
}

/**
 * The clearing of a plan, about a card of the run as the model knows it. Valid but for its flaw.
 */
export function clearingOf(
  plan: ClearingPlan,
  model: ReferenceModel,
  card: ReferenceCard = pickUsed(model.cards, plan.card_pick),
): ClearingWire {
  const isAwaited = (purchase: Purchase) => plan.awaited && isLive(purchase, model.now_ms);
  const purchase = pickOf(purchasesOf(card), plan.purchase_pick, isAwaited);
  const earlier =
    plan.earlier_pick === null && plan.cycle === null ? undefined : pick(card.clearings, plan.earlier_pick ?? 0);
  const serial = model.fresh();
  const network_financial_transaction_id = `${model.world.tag}C${serial}`;
  const copied = plan.copies || plan.pairs ? card.clearings.at(-1) : undefined;
  if (copied !== undefined) {
    const { synthetic_id, ...message } = copied.message;
    const is_synthetic = model.world.files_without_ids === true && (plan.pairs ? !synthetic_id : synthetic_id);
    const { net_reference_number: known } = message;
    return {
      ...message,
      network_financial_transaction_id,
      ...(is_synthetic ? { synthetic_id: true } : {}),
      // A file may state another date than the network.
      ...(plan.pairs ? { settlement_date: settledOn(plan, model) } : {}),
      ...(plan.states_six && known?.length === 13 ? { net_reference_number: `   ${known.slice(3, 9)}    ` } : {}),
    };
  }
  const whole = purchase === undefined || purchase.amount === 0 ? 100 : authorizedAmount(purchase) || purchase.amount;
  const twentieths = plan.fx_drift ? 20 : plan.twentieths;
  const amount = Math.min(Math.max(1, Math.floor((whole * twentieths) / 20)), amount_max);
  const amounts = amountsOf(amount, card, model, false);
  const again = plan.cycle !== null && earlier !== undefined ? earlier.message : undefined;
  const unknown_card = plan.flaw === 'unknown_card';
  return {
    ...(plan.by_number && !unknown_card
      ? { card_number: card.card_number }
      : { vcn_id: unknown_card ? 2_000_000_000 : card.id }),
    network_financial_transaction_id,
    clearing_type: again?.clearing_type ?? plan.clearing_type,
    ...(plan.partial && plan.cycle === null ? { partial: true } : {}),
    ...(plan.cycle === null ? {} : { cycle: plan.cycle }),
    ...amounts,
    ...(plan.fx_drift && card.controls.currency === null
      ? { billing_amount: Math.min(amounts.billing_amount + 1, amount_max) }
      : {}),
    ...conversionOf(plan, card, purchase, amounts),
    ...(again === undefined
      ? {}
      : {
          billing_amount: again.billing_amount,
          merchant_amount: again.merchant_amount,
          merchant_currency: again.merchant_currency,
        }),
    ...(plan.synthetic_id && plan.flaw === null && model.world.files_without_ids ? { synthetic_id: true } : {}),
    settlement_date: settledOn(plan, model),
    ...(purchase === undefined ? {} : { authorization_date: gmtDate(purchase.at_ms) }),
    acquirer_reference_data: earlier?.message.acquirer_reference_data ?? `${17_000_000_000_000_000 + serial}`,
    ...(again === undefined ? linkOf(plan, purchase, serial) : linkAgain(again)),
    mcc: purchase?.message.mcc ?? mccs[0],
    ...flawOf(plan, card, model),
  };
}

function settledOn({ settlement_days }: ClearingPlan, { now_ms }: ReferenceModel): string {
  return daysAfter(gmtDate(now_ms), settlement_days);
}

/**
 * The amounts of a dynamic conversion. On a card that is limited in a foreign currency, only a
 * clearing in that currency has an amount that its limits can count, so it gets none.
 */
function conversionOf(
  { conversion_twentieths: twentieths }: ClearingPlan,
  card: ReferenceCard,
  purchase: Purchase | undefined,
  amounts: Pick<ClearingWire, 'billing_amount' | 'billing_currency' | 'merchant_currency'>,
): Partial<ClearingWire> {
  if (twentieths === null || isLimitedAbroad(card, amounts)) return {};
  const billed = Math.min(Math.max(1, Math.floor((amounts.billing_amount * twentieths) / 20)), amount_max);
  return {
    billing_amount: billed,
    merchant_amount: Math.floor(billed / 2) + 1,
    merchant_currency: other(purchase?.message.merchant_currency ?? amounts.merchant_currency),
  };
}

function isLimitedAbroad({ controls }: ReferenceCard, message: Pick<ClearingWire, 'billing_currency'>): boolean {
  return controls.currency !== null && controls.currency !== message.billing_currency;
}

/**
 * What is wrong with the clearing. An id that is known elsewhere needs a clearing of another card,
 * one that is known here another clearing of the card.
 */
function flawOf({ flaw }: ClearingPlan, card: ReferenceCard, model: ReferenceModel): Partial<ClearingWire> {
  if (flaw === 'other_billing_currency') return { billing_currency: other(model.world.billing_currency) };
  if (flaw !== 'known_elsewhere' && flaw !== 'known_here') return {};
  const cards = flaw === 'known_here' ? [card] : model.cards.filter((known) => known !== card);
  const known = cards.flatMap(({ clearings }) => clearings).at(-1)?.message.network_financial_transaction_id;
  return known === undefined ? {} : { network_financial_transaction_id: known };
}

function linkOf(plan: ClearingPlan, purchase: Purchase | undefined, serial: number): Partial<ClearingWire> {
  const approval = purchase?.approval_code ?? undefined;
  const reference = purchase?.message.net_reference_number;
  const code = approval === undefined ? {} : { approval_code: approval };
  if (purchase === undefined || plan.link === 'none') return { merchant_id: `elsewhere-${serial}` };
  switch (plan.link) {
    case 'reference':
      return reference === undefined ? code : { ...code, net_reference_number: reference };
    case 'reference_only':
      return reference === undefined ? {} : { net_reference_number: reference };
    case 'short_reference':
      return reference === undefined ? code : { ...code, net_reference_number: `${reference.slice(0, 9)}9999` };
    case 'approval':
      return { ...code, merchant_id: purchase.message.merchant_id ?? 'nobody' };
    case 'amount_and_merchant':
      return { merchant_id: purchase.message.merchant_id ?? 'nobody' };
  }
}

function linkAgain(earlier: ClearingWire): Partial<ClearingWire> {
  return {
    ...(earlier.approval_code === undefined ? {} : { approval_code: earlier.approval_code }),
    ...(earlier.net_reference_number === undefined ? {} : { net_reference_number: earlier.net_reference_number }),
    ...(earlier.merchant_id === undefined ? {} : { merchant_id: earlier.merchant_id }),
  };
}
