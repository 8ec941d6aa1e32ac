import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { kindOf } from '../reference/authorization.ts';
import { amount_max } from '../reference/bounds.ts';
import { gmtDate } from '../reference/calendar.ts';
import { availableBalance, perTransactionMax, purchasesOf, type ReferenceCard } from '../reference/card.ts';
import type { ReferenceModel } from '../reference/model.ts';
import { isLive, type Purchase, reportedAmount } from '../reference/purchase.ts';
import type { AuthorizationWire } from '../system.ts';
import { currencies } from './cards.ts';
import { type MerchantPlan, merchantId, merchantOf, merchantPlan } from './merchants.ts';
import { pick, pickUsed, seldom } from './picks.ts';
import { type SayPlan, sayOf, sayPlan } from './says.ts';

/** Whether a message contains a value that the card knows, and whether it is right. */
type Claim = 'absent' | 'right' | 'wrong';

/** An amount: a number of cents, at or beside a limit of the card, or the largest that an amount may be. */
export type AmountPlan =
  | { readonly kind: 'cents'; readonly cents: number }
  | { readonly kind: 'percent_of_maximum'; readonly percent: number }
  | { readonly kind: 'near'; readonly limit: 'available' | 'maximum' | 'minimum'; readonly offset: number }
  | { readonly kind: 'largest' };

/**
 * The kinds of requests and advices. An advice of ours is one of a decision of ours: it has the
 * trace_id of a purchase. An oversized request has an amount above the largest.
 */
export const message_kinds = [
  ...(['request', 'verification', 'refund', 'incremental', 'oversized'] as const),
  ...(['advice', 'advice_of_ours', 'advice_of_decline', 'incremental_advice'] as const),
] as const;

export type MessageKind = (typeof message_kinds)[number];

/**
 * The plan of a request or an advice, without numbers and ids. `authorizationOf` turns it into a
 * message about a card of the run.
 */
export interface AuthorizationPlan {
  readonly card_pick: number;
  readonly kind: MessageKind;
  readonly amount: AmountPlan;
  readonly expiry: Claim;
  readonly cvc: Claim;
  readonly other_currency: boolean;
  readonly other_billing_currency: boolean;
  readonly mcc: string;
  readonly merchant_pick: number;
  readonly merchant: MerchantPlan;
  /**
   * Selects an earlier trace_id of the card; null: a new one. Increments and advices of ours always
   * select one.
   */
  readonly trace_pick: number | null;
  /**
   * Selects an earlier purchase, and the message carries its network reference; null: a new
   * reference.
   */
  readonly reference_pick: number | null;
  /** Tenths of the amount that was reported before, for an advice of a decision of ours. */
  readonly reported_tenths: number;
  /** The message type in words or as four digits. */
  readonly in_words: boolean;
  readonly unknown_number: boolean;
  readonly say: SayPlan;
}

export const mccs = ['5812', '5999', '7011', '4121'] as const;

function amountPlan(): fc.Arbitrary<AmountPlan> {
  const kind = <const Kind extends AmountPlan['kind']>(name: Kind) => fc.constant(name);
  const limit = fc.constantFrom('available' as const, 'available' as const, 'maximum' as const, 'minimum' as const);
  return new ShrinkingToCents(
    fc.oneof(
      { weight: 1, arbitrary: fc.record({ kind: kind('cents'), cents: fc.integer({ min: 1, max: 1_000 }) }) },
      {
        weight: 5,
        arbitrary: fc.record({ kind: kind('percent_of_maximum'), percent: fc.integer({ min: 1, max: 60 }) }),
      },
      { weight: 2, arbitrary: fc.record({ kind: kind('near'), limit, offset: fc.integer({ min: -1, max: 1 }) }) },
      { weight: 1, arbitrary: fc.record({ kind: kind('largest') }) },
    ),
  );
}

/** Amounts of which a card approves several. */
function smallAmountPlan(): fc.Arbitrary<AmountPlan> {
  return new ShrinkingToCents(
    fc.integer({ min: 12, max: 30 }).map((percent) => ({ kind: 'percent_of_maximum' as const, percent })),
  );
}

/**
 * Amounts of a few cents. A system that rounds wrong does so for some amounts only, so halving an
 * amount or the limit that it depends on would miss them: 1 and 6 as floats of a dollar add up to less
 * than 7 cents, and 29, 57 and 58 are the first that are cut off alone. They are few, because
 * fast-check tries all of them again after each step that it shrinks.
 */
const shrunk_cents: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 9, 29, 57, 58];

/** Tries each amount of `shrunk_cents` in place of a drawn one. */
class ShrinkingToCents extends fc.Arbitrary<AmountPlan> {
  readonly #drawn: fc.Arbitrary<AmountPlan>;

  constructor(drawn: fc.Arbitrary<AmountPlan>) {
    super();
    this.#drawn = drawn;
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<AmountPlan> {
    return new fc.Value(this.#drawn.generate(random, bias).value, undefined);
  }

  override canShrinkWithoutContext(_value: unknown): _value is AmountPlan {
    return false;
  }

  override shrink(plan: AmountPlan): fc.Stream<fc.Value<AmountPlan>> {
    return fc.stream(fewerCents(plan)).map((fewer) => new fc.Value(fewer, undefined));
  }
}

function* fewerCents(plan: AmountPlan): IterableIterator<AmountPlan> {
  for (const cents of shrunk_cents) {
    if (plan.kind !== 'cents' || cents < plan.cents) yield { kind: 'cents', cents };
  }
}

const claim = fc.oneof(
  { withCrossShrink: true },
  { weight: 8, arbitrary: fc.constant<Claim>('absent') },
  { weight: 16, arbitrary: fc.constant<Claim>('right') },
  { weight: 1, arbitrary: fc.constant<Claim>('wrong') },
);

function kindOfMessage(kinds: readonly MessageKind[]): fc.Arbitrary<MessageKind> {
  const weighed: readonly { readonly weight: number; readonly names: readonly MessageKind[] }[] = [
    { weight: 28, names: ['request'] },
    { weight: 6, names: ['advice_of_ours'] },
    {
      weight: 14,
      names: [
        ...(['advice', 'advice_of_decline', 'incremental', 'incremental', 'incremental_advice'] as const),
        ...(['refund', 'verification'] as const),
      ],
    },
    { weight: 1, names: ['oversized'] },
  ];
  const wanted = weighed
    .map(({ weight, names }) => ({ weight, names: names.filter((name) => kinds.includes(name)) }))
    .filter(({ names }) => names.length > 0);
  const arbitraries = wanted.map(({ weight, names }) => ({ weight, arbitrary: fc.constantFrom(...names) }));
  return fc.oneof({ withCrossShrink: true }, ...arbitraries);
}

/** Requests and advices of some kinds, most of which a card approves. */
export function authorizationPlan(kinds: readonly MessageKind[] = message_kinds): fc.Arbitrary<AuthorizationPlan> {
  return fc.record({
    card_pick: fc.nat({ max: 5 }),
    kind: kindOfMessage(kinds),
    amount: amountPlan(),
    expiry: claim,
    cvc: claim,
    other_currency: seldom(12),
    other_billing_currency: seldom(40),
    mcc: fc.constantFrom('5812', ...mccs),
    merchant_pick: fc.nat({ max: 2 }),
    merchant: merchantPlan(),
    trace_pick: fc.option(fc.nat({ max: 10 }), { freq: 8 }),
    reference_pick: fc.oneof(
      { withCrossShrink: true },
      { weight: 6, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.nat({ max: 10 }) },
    ),
    reported_tenths: fc.oneof(
      { withCrossShrink: true },
      { weight: 1, arbitrary: fc.constant(10) },
      { weight: 2, arbitrary: fc.integer({ min: 0, max: 20 }) },
    ),
    in_words: fc.boolean(),
    unknown_number: seldom(40),
    say: sayPlan(),
  });
}

/** Plans of one kind that a card approves unless a limit or a date declines them. */
export function plainPlan(kind: AuthorizationPlan['kind']): fc.Arbitrary<AuthorizationPlan> {
  return fc.tuple(authorizationPlan(), smallAmountPlan()).map(([plan, small]) => ({
    ...plan,
    kind,
    amount: small,
    expiry: 'absent' as const,
    cvc: 'absent' as const,
    other_currency: false,
    other_billing_currency: false,
    mcc: '5812',
    merchant: { name: 'Hotel (Ost)', country: 'DEU', card_present: true },
    trace_pick: null,
    reference_pick: null,
    unknown_number: false,
    say: { answer: 'approve' as const, tenths: 0, is_allowed: false },
  }));
}

/**
 * The message of a plan, about a card of the run as the model knows it: the named one, or the one
 * that the plan picks. Valid by construction.
 */
export function authorizationOf(
  asked: AuthorizationPlan,
  model: ReferenceModel,
  on?: ReferenceCard,
): AuthorizationWire {
  const refers = isAboutKnown(asked);
  const card = on ?? (refers ? pickUsed(model.cards, asked.card_pick) : pick(model.cards, asked.card_pick)!);
  // Without a purchase to refer to, an increment would only be one more decline.
  const plan: AuthorizationPlan =
    refers && asked.trace_pick === null && purchasesOf(card).length === 0 ? { ...asked, kind: 'request' } : asked;
  const about = isAboutKnown(plan) ? knownPurchase(card, plan, model.now_ms) : undefined;
  const serial = model.fresh();
  const amount = amountOf(plan, card, about, model.now_ms);
  return {
    card_number: plan.unknown_number ? unknownNumber(card.card_number) : card.card_number,
    ...claimed('expiry', plan.expiry, card.expiry, '2001-01'),
    ...claimed('cvc', plan.cvc, card.cvc, card.cvc === '000' ? '001' : '000'),
    ...typeAndFlags(plan),
    trace_id: about?.message.trace_id ?? traceOf(plan, card) ?? `${model.world.tag}T${serial}`,
    system_trace_audit_number: String(serial % 1_000_000).padStart(6, '0'),
    transaction_date_time: Temporal.Instant.fromEpochMilliseconds(model.now_ms).toString(),
    ...amountsOf(amount, card, model, plan.other_currency),
    ...(plan.other_billing_currency ? { billing_currency: other(model.world.billing_currency) } : {}),
    mcc: plan.mcc,
    merchant_id: merchantId(plan.merchant_pick),
    ...merchantOf(plan.merchant, model.world),
    ...(model.stand_in === null ? {} : sayOf(plan.say, amount)),
    net_reference_number: referenceOf(plan, card) ?? freshReference(serial, model.now_ms),
  };
}

function isAboutKnown({ kind }: AuthorizationPlan): boolean {
  return kind.startsWith('incremental') || kind === 'advice_of_ours';
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
export function amountsOf(
  limit_amount: number,
  card: ReferenceCard,
  model: ReferenceModel,
  other_currency: boolean,
): Pick<AuthorizationWire, 'billing_amount' | 'billing_currency' | 'merchant_amount' | 'merchant_currency'> {
  const { billing_currency } = model.world;
  const card_currency = card.controls.currency ?? billing_currency;
  const merchant_currency = other_currency ? other(card_currency) : card_currency;
  const converted = merchant_currency === billing_currency ? limit_amount : Math.min(limit_amount * 2, amount_max);
  return card.controls.currency === null
    ? { billing_amount: limit_amount, billing_currency, merchant_amount: converted, merchant_currency }
    : { billing_amount: converted, billing_currency, merchant_amount: limit_amount, merchant_currency };
}

function amountOf(plan: AuthorizationPlan, card: ReferenceCard, about: Purchase | undefined, now_ms: number): number {
  if (plan.kind === 'verification') return 0;
  if (plan.kind === 'oversized') return amount_max + 1;
  if (plan.kind === 'advice_of_ours' && about !== undefined) {
    return Math.min(Math.floor((reportedAmount(about) * plan.reported_tenths) / 10), amount_max);
  }
  const maximum = perTransactionMax(card.controls);
  const limits = () => ({
    available: availableBalance(card, now_ms),
    maximum,
    minimum: card.controls.per_transaction_min,
  });
  const { amount } = plan;
  const cents = () => {
    if (amount.kind === 'largest') return amount_max;
    if (amount.kind === 'cents') return amount.cents;
    if (amount.kind === 'percent_of_maximum') return Math.ceil((maximum * amount.percent) / 100);
    return limits()[amount.limit] + amount.offset;
  };
  return Math.min(Math.max(1, cents()), amount_max);
}

/** Mostly a purchase that can still grow, sometimes any. */
function knownPurchase(card: ReferenceCard, plan: AuthorizationPlan, now_ms: number): Purchase | undefined {
  const purchases = purchasesOf(card);
  if (plan.trace_pick !== null) return pick(purchases, plan.trace_pick);
  return purchases.findLast((purchase) => isLive(purchase, now_ms)) ?? purchases.at(-1);
}

function traceOf(plan: AuthorizationPlan, card: ReferenceCard): string | undefined {
  if (plan.trace_pick === null) return undefined;
  const originals = card.messages.filter(({ message }) => kindOf(message) !== 'reversal');
  return pick(originals, plan.trace_pick)?.message.trace_id;
}

function referenceOf(plan: AuthorizationPlan, card: ReferenceCard): string | undefined {
  return plan.reference_pick === null
    ? undefined
    : pick(purchasesOf(card), plan.reference_pick)?.message.net_reference_number;
}

/** Three characters for the network, six unique ones, four for the date. */
export function freshReference(serial: number, now_ms: number): string {
  const month_and_day = gmtDate(now_ms).slice(5).replace('-', '');
  return `MCC${String(serial).padStart(6, '0')}${month_and_day}`;
}

function claimed(name: 'expiry' | 'cvc', claim_made: Claim, right: string, wrong: string): Partial<AuthorizationWire> {
  return claim_made === 'absent' ? {} : { [name]: claim_made === 'right' ? right : wrong };
}

/** A number that belongs to no card and fails the Luhn check. */
function unknownNumber(known: string): string {
  const last = Number(known.at(-1));
  return `${known.slice(0, -1)}${(last + 1) % 10}`;
}

export function other(currency: string): string {
  return currencies.find((candidate) => candidate !== currency)!;
}
