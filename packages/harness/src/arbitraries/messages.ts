import fc from 'fast-check';
import { kindOf } from '../reference/authorization.ts';
import { gmtDate } from '../reference/calendar.ts';
import {
  authorizedAmount,
  availableBalance,
  type Purchase,
  perTransactionMax,
  purchasesOf,
  type ReferenceCard,
  statusOf,
} from '../reference/card.ts';
import type { ReferenceModel } from '../reference/model.ts';
import type { AuthorizationWire, ClearingWire } from '../system.ts';
import { currencies } from './cards.ts';

/** Whether a message contains a value that the card knows, and whether it is right. */
type Claim = 'absent' | 'right' | 'wrong';

/** An amount: a number of cents, or at, just below or just above a limit of the card. */
export type AmountPlan =
  | { readonly kind: 'cents'; readonly cents: number }
  | { readonly kind: 'percent_of_maximum'; readonly percent: number }
  | { readonly kind: 'near'; readonly limit: 'available' | 'maximum' | 'minimum'; readonly offset: number };

/**
 * The plan of a request or an advice, without numbers and ids. `authorizationOf` turns it into a
 * message about a card of the run.
 */
export interface AuthorizationPlan {
  readonly card_pick: number;
  readonly kind:
    | 'request'
    | 'advice'
    | 'advice_of_decline'
    | 'incremental'
    | 'incremental_advice'
    | 'refund'
    | 'verification';
  readonly amount: AmountPlan;
  readonly expiry: Claim;
  readonly cvc: Claim;
  readonly other_currency: boolean;
  readonly other_billing_currency: boolean;
  readonly mcc: string;
  readonly merchant_pick: number;
  /** Selects an earlier trace_id of the card; null: a new one. Increments always select one. */
  readonly trace_pick: number | null;
  /**
   * Selects an earlier purchase, and the message carries its network reference; null: a new
   * reference.
   */
  readonly reference_pick: number | null;
  /** The message type in words or as four digits. */
  readonly in_words: boolean;
  readonly unknown_number: boolean;
}

/** A reversal of a purchase of the run, or of a purchase that is still to come. */
export interface ReversalPlan {
  readonly card_pick: number;
  readonly purchase_pick: number;
  readonly before_original: boolean;
  /**
   * Tenths of the authorized amount that remain; null: a full reversal without amounts; 0: a full
   * reversal with amounts of zero.
   */
  readonly remaining_tenths: number | null;
  /** How the corrected amounts are sent: in their object, or each under its own name. */
  readonly flat: boolean;
  readonly advice: boolean;
}

/**
 * The plan of a clearing, without numbers and ids. `clearingOf` turns it into a clearing about a
 * card of the run.
 */
export interface ClearingPlan {
  readonly card_pick: number;
  readonly purchase_pick: number;
  /** The data by which it can be matched to the purchase. */
  readonly link: 'reference' | 'short_reference' | 'approval' | 'amount_and_merchant' | 'none';
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
  /** The billing amount differs although the merchant amount does not. */
  readonly fx_drift: boolean;
  readonly by_number: boolean;
  readonly unknown_card: boolean;
}

/** Twice this amount is still an amount that a caller may name. */
const amount_largest = 5 * 10 ** 11;

const mccs = ['5812', '5999', '7011', '4121'] as const;

function amountPlan(): fc.Arbitrary<AmountPlan> {
  return fc.oneof(
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('cents' as const), cents: fc.integer({ min: 1, max: 1_000 }) }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('percent_of_maximum' as const),
        percent: fc.integer({ min: 1, max: 60 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('near' as const),
        limit: fc.constantFrom('available' as const, 'available' as const, 'maximum' as const, 'minimum' as const),
        offset: fc.integer({ min: -1, max: 1 }),
      }),
    },
  );
}

const claim = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Claim>('absent') },
  { weight: 16, arbitrary: fc.constant<Claim>('right') },
  { weight: 1, arbitrary: fc.constant<Claim>('wrong') },
);

function seldom(one_in: number): fc.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: one_in - 1 }).map((drawn) => drawn === one_in - 1);
}

/** Requests and advices, most of which a card approves. */
export function authorizationPlan(): fc.Arbitrary<AuthorizationPlan> {
  return fc.record({
    card_pick: fc.nat({ max: 5 }),
    kind: fc.oneof(
      { weight: 14, arbitrary: fc.constant('request' as const) },
      {
        weight: 7,
        arbitrary: fc.constantFrom(
          'advice' as const,
          'advice_of_decline' as const,
          'incremental' as const,
          'incremental' as const,
          'incremental_advice' as const,
          'refund' as const,
          'verification' as const,
        ),
      },
    ),
    amount: amountPlan(),
    expiry: claim,
    cvc: claim,
    other_currency: seldom(20),
    other_billing_currency: seldom(40),
    mcc: fc.constantFrom('5812', ...mccs),
    merchant_pick: fc.nat({ max: 2 }),
    trace_pick: fc.option(fc.nat({ max: 10 }), { freq: 8 }),
    reference_pick: fc.oneof(
      { weight: 9, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.nat({ max: 10 }) },
    ),
    in_words: fc.boolean(),
    unknown_number: seldom(40),
  });
}

export function reversalPlan(): fc.Arbitrary<ReversalPlan> {
  return fc.record({
    card_pick: fc.nat({ max: 5 }),
    purchase_pick: fc.nat({ max: 20 }),
    before_original: seldom(12),
    remaining_tenths: fc.option(fc.integer({ min: 0, max: 12 }), { freq: 2 }),
    flat: fc.boolean(),
    advice: fc.boolean(),
  });
}

export function clearingPlan(): fc.Arbitrary<ClearingPlan> {
  return fc.record({
    card_pick: fc.nat({ max: 5 }),
    purchase_pick: fc.nat({ max: 20 }),
    link: fc.oneof(
      { weight: 4, arbitrary: fc.constant('reference' as const) },
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          'short_reference' as const,
          'approval' as const,
          'amount_and_merchant' as const,
          'none' as const,
        ),
      },
    ),
    twentieths: fc.oneof(
      { weight: 3, arbitrary: fc.constant(20) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 30 }) },
      { weight: 1, arbitrary: fc.constantFrom(16, 23, 24, 25) },
    ),
    partial: seldom(3),
    clearing_type: fc.constantFrom('DEBIT' as const, 'DEBIT' as const, 'DEBIT' as const, 'CREDIT' as const),
    cycle: fc.oneof(
      { weight: 9, arbitrary: fc.constant(null) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('second_presentment' as const, 'chargeback' as const, 'reversal' as const),
      },
    ),
    earlier_pick: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: 10 }) }),
    fx_drift: seldom(10),
    by_number: fc.boolean(),
    unknown_card: seldom(40),
  });
}

/** The message of a plan, about a card of the run as the model knows it. Valid by construction. */
export function authorizationOf(asked: AuthorizationPlan, model: ReferenceModel): AuthorizationWire {
  const adds = asked.kind.startsWith('incremental');
  const card = adds ? pickUsed(model.cards, asked.card_pick) : pick(model.cards, asked.card_pick)!;
  // Without a purchase to add to, an increment would only be one more decline.
  const plan: AuthorizationPlan =
    adds && asked.trace_pick === null && purchasesOf(card).length === 0 ? { ...asked, kind: 'request' } : asked;
  const onto = plan.kind.startsWith('incremental') ? increasable(card, plan, model.now_ms) : undefined;
  const amount = plan.kind === 'verification' ? 0 : amountOf(plan.amount, card, model.now_ms);
  const serial = model.fresh();
  return {
    card_number: plan.unknown_number ? unknownNumber(card.card_number) : card.card_number,
    ...claimed('expiry', plan.expiry, card.expiry, '2001-01'),
    ...claimed('cvc', plan.cvc, card.cvc, card.cvc === '000' ? '001' : '000'),
    ...typeAndFlags(plan),
    trace_id: onto?.message.trace_id ?? traceOf(plan, card) ?? `${model.world.tag}T${serial}`,
    system_trace_audit_number: String(serial % 1_000_000).padStart(6, '0'),
    transaction_date_time: Temporal.Instant.fromEpochMilliseconds(model.now_ms).toString(),
    ...amountsOf(amount, card, model, plan.other_currency),
    ...(plan.other_billing_currency ? { billing_currency: other(model.world.billing_currency) } : {}),
    mcc: plan.mcc,
    merchant_id: `merchant-${plan.merchant_pick}`,
    net_reference_number: referenceOf(plan, card) ?? freshReference(serial, model.now_ms),
  };
}

/** The reversal of a plan, with the amounts and the trace_id of its original. */
export function reversalOf(plan: ReversalPlan, model: ReferenceModel): AuthorizationWire {
  const card = pickUsed(model.cards, plan.card_pick);
  const original = plan.before_original ? undefined : pick(purchasesOf(card), plan.purchase_pick);
  const serial = model.fresh();
  const authorized = original === undefined ? 100 : authorizedAmount(original);
  const amounts = amountsOf(original?.amount ?? 100, card, model, false);
  const remaining =
    plan.remaining_tenths === null
      ? null
      : Math.min(Math.floor((authorized * plan.remaining_tenths) / 10), amount_largest);
  const scale = (of: number) => (authorized === 0 ? 0 : Math.floor((of * (remaining ?? 0)) / Math.max(1, authorized)));
  return {
    card_number: card.card_number,
    message_type_indicator: plan.advice ? '0420' : '0400',
    trace_id: original?.message.trace_id ?? `${model.world.tag}T${serial}`,
    system_trace_audit_number: String(serial % 1_000_000).padStart(6, '0'),
    transaction_date_time: Temporal.Instant.fromEpochMilliseconds(model.now_ms).toString(),
    ...amounts,
    mcc: original?.message.mcc ?? mccs[0],
    ...(remaining === null
      ? {}
      : corrected(
          plan,
          card.controls.currency === null
            ? { billing_amount: remaining, settlement_amount: remaining, transaction_amount: remaining }
            : {
                billing_amount: scale(amounts.billing_amount),
                settlement_amount: null,
                transaction_amount: remaining,
              },
        )),
  };
}

function corrected(
  { flat }: ReversalPlan,
  amounts: NonNullable<AuthorizationWire['replacement_amounts']>,
): Partial<AuthorizationWire> {
  if (!flat) return { replacement_amounts: amounts };
  return {
    'replacement_amounts.billing_amount': amounts.billing_amount,
    'replacement_amounts.settlement_amount': amounts.settlement_amount,
    'replacement_amounts.transaction_amount': amounts.transaction_amount,
  };
}

/** The original of a reversal that arrived before it. */
export function lateOriginalOf(reversal: AuthorizationWire, model: ReferenceModel): AuthorizationWire {
  const {
    replacement_amounts: _none,
    'replacement_amounts.billing_amount': _no_billing,
    'replacement_amounts.settlement_amount': _no_settlement,
    'replacement_amounts.transaction_amount': _no_transaction,
    ...said
  } = reversal;
  return {
    ...said,
    message_type_indicator: '0100',
    system_trace_audit_number: String(model.fresh() % 1_000_000).padStart(6, '0'),
  };
}

/** The clearing of a plan, about a card of the run as the model knows it. Valid by construction. */
export function clearingOf(plan: ClearingPlan, model: ReferenceModel): ClearingWire {
  const card = pickUsed(model.cards, plan.card_pick);
  const purchase = pick(purchasesOf(card), plan.purchase_pick);
  const earlier =
    plan.earlier_pick === null && plan.cycle === null ? undefined : pick(card.clearings, plan.earlier_pick ?? 0);
  const serial = model.fresh();
  const whole = purchase === undefined || purchase.amount === 0 ? 100 : authorizedAmount(purchase) || purchase.amount;
  const amount = Math.floor((whole * plan.twentieths) / 20);
  const amounts = amountsOf(Math.min(Math.max(1, amount), amount_largest), card, model, false);
  const again = plan.cycle !== null && earlier !== undefined ? earlier.message : undefined;
  return {
    ...(plan.by_number && !plan.unknown_card
      ? { card_number: card.card_number }
      : { vcn_id: plan.unknown_card ? 2_000_000_000 : card.id }),
    network_financial_transaction_id: `${model.world.tag}C${serial}`,
    clearing_type: again?.clearing_type ?? plan.clearing_type,
    ...(plan.partial && plan.cycle === null ? { partial: true } : {}),
    ...(plan.cycle === null ? {} : { cycle: plan.cycle }),
    ...amounts,
    ...(plan.fx_drift && card.controls.currency === null ? { billing_amount: amounts.billing_amount + 1 } : {}),
    ...(again === undefined
      ? {}
      : {
          billing_amount: again.billing_amount,
          merchant_amount: again.merchant_amount,
          merchant_currency: again.merchant_currency,
        }),
    settlement_date: gmtDate(model.now_ms).toString(),
    ...(purchase === undefined ? {} : { authorization_date: gmtDate(purchase.at_ms).toString() }),
    acquirer_reference_data: earlier?.message.acquirer_reference_data ?? `${17_000_000_000_000_000 + serial}`,
    ...(again === undefined ? linkOf(plan, purchase, serial) : linkAgain(again)),
    mcc: purchase?.message.mcc ?? mccs[0],
  };
}

function linkOf(plan: ClearingPlan, purchase: Purchase | undefined, serial: number): Partial<ClearingWire> {
  const approval = purchase?.approval_code ?? undefined;
  const reference = purchase?.message.net_reference_number;
  const code = approval === undefined ? {} : { approval_code: approval };
  if (purchase === undefined || plan.link === 'none') return { merchant_id: `elsewhere-${serial}` };
  switch (plan.link) {
    case 'reference':
      return reference === undefined ? code : { ...code, net_reference_number: reference };
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

function typeAndFlags(plan: AuthorizationPlan): Partial<AuthorizationWire> & { message_type_indicator: string } {
  const advice = plan.kind.includes('advice');
  const words = advice ? 'Authorization Advice' : 'Authorization Request';
  return {
    message_type_indicator: plan.in_words ? words : advice ? '0120' : '0100',
    ...(plan.kind.startsWith('incremental') ? { incremental: true } : {}),
    ...(plan.kind === 'advice_of_decline' ? { response_code: '05' } : {}),
    ...(plan.kind === 'refund' ? { card_holder_transaction_type_code: plan.in_words ? '280000' : '20' } : {}),
  };
}

/** Billing and merchant amounts with the given limit amount. */
function amountsOf(
  limit_amount: number,
  card: ReferenceCard,
  model: ReferenceModel,
  other_currency: boolean,
): Pick<AuthorizationWire, 'billing_amount' | 'billing_currency' | 'merchant_amount' | 'merchant_currency'> {
  const { billing_currency } = model.world;
  const card_currency = card.controls.currency ?? billing_currency;
  const merchant_currency = other_currency ? other(card_currency) : card_currency;
  const converted = merchant_currency === billing_currency ? limit_amount : limit_amount * 2;
  return card.controls.currency === null
    ? { billing_amount: limit_amount, billing_currency, merchant_amount: converted, merchant_currency }
    : { billing_amount: converted, billing_currency, merchant_amount: limit_amount, merchant_currency };
}

function amountOf(plan: AmountPlan, card: ReferenceCard, now_ms: number): number {
  const maximum = perTransactionMax(card.controls);
  const limits = () => ({
    available: availableBalance(card, now_ms),
    maximum,
    minimum: card.controls.per_transaction_min,
  });
  const cents = () => {
    if (plan.kind === 'cents') return plan.cents;
    if (plan.kind === 'percent_of_maximum') return Math.ceil((maximum * plan.percent) / 100);
    return limits()[plan.limit] + plan.offset;
  };
  return Math.min(Math.max(1, cents()), amount_largest);
}

/** Mostly an open purchase, sometimes any, so that some increments find nothing open. */
function increasable(card: ReferenceCard, plan: AuthorizationPlan, now_ms: number): Purchase | undefined {
  const purchases = purchasesOf(card);
  const open = purchases.filter((purchase) => statusOf(purchase, now_ms) === 'open');
  return plan.trace_pick === null ? (open.at(-1) ?? purchases.at(-1)) : pick(purchases, plan.trace_pick);
}

function traceOf(plan: AuthorizationPlan, card: ReferenceCard): string | undefined {
  if (plan.trace_pick === null || plan.kind !== 'request') return undefined;
  return pick(
    card.messages.filter((answered) => kindOf(answered.message) !== 'reversal'),
    plan.trace_pick,
  )?.message.trace_id;
}

function referenceOf(plan: AuthorizationPlan, card: ReferenceCard): string | undefined {
  return plan.reference_pick === null
    ? undefined
    : pick(purchasesOf(card), plan.reference_pick)?.message.net_reference_number;
}

/** Three characters for the network, six unique ones, four for the date. */
function freshReference(serial: number, now_ms: number): string {
  const { month, day } = gmtDate(now_ms);
  return `MCC${String(serial).padStart(6, '0')}${String(month).padStart(2, '0')}${String(day).padStart(2, '0')}`;
}

function claimed(name: 'expiry' | 'cvc', claim_made: Claim, right: string, wrong: string): Partial<AuthorizationWire> {
  return claim_made === 'absent' ? {} : { [name]: claim_made === 'right' ? right : wrong };
}

/** A number that belongs to no card and fails the Luhn check. */
function unknownNumber(known: string): string {
  const last = Number(known.at(-1));
  return `${known.slice(0, -1)}${(last + 1) % 10}`;
}

function other(currency: string): string {
  return currencies.find((candidate) => candidate !== currency)!;
}

/** A card for an integer of any size: one with purchases, if there is one. */
function pickUsed(cards: readonly ReferenceCard[], at: number): ReferenceCard {
  return (
    pick(
      cards.filter((card) => purchasesOf(card).length > 0),
      at,
    ) ?? pick(cards, at)!
  );
}

/** One of the items for an integer of any size; undefined if there are none. */
export function pick<Item>(items: readonly Item[], at: number): Item | undefined {
  return items.length === 0 ? undefined : items[at % items.length];
}
