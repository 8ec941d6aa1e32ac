/**
 * The messages that a card network would send, made from a few fields: a purchase, and what follows
 * it (decision: sandbox). The service handles them like messages of the network.
 */
import {
  type Call,
  invalid,
  isStorable,
  isWithin,
  type Money,
  money,
  type Random,
  Refusal,
  RequestFields,
  scale,
  Temporal,
} from '@tallystick/kernel';
import { utcDateAt } from '@tallystick/velocity';
import type { VirtualCard } from '../issuing/card.ts';
import type { CardsTx } from '../issuing/ports.ts';
import { findCard } from '../issuing/read-cards.ts';
import type { CardVault } from '../numbers/card-vault.ts';
import {
  type Authorization,
  type AuthorizationMessage,
  isStandingRoot,
  limitAmount,
  limitCurrency,
  message_types,
} from '../records/authorization.ts';
import type { ClearingMessage } from '../records/clearing.ts';
import { isMcc, normalizeAuthorization, normalizeClearing } from '../records/message.ts';

export interface SimulationPorts {
  readonly vault: CardVault;
  readonly random: Random;
}

type SimulationTx = { readonly cards: Pick<CardsTx['cards'], 'find' | 'findAuthorization' | 'number'> };

/** A purchase as a person describes it. Null and absent: the default. */
export interface PurchaseRequest {
  readonly vcn_id: number | string;
  /** Minor units of `currency`, at least 1. */
  readonly amount: number;
  /**
   * The merchant's currency. By default the card's currency, else the billing currency of its real
   * card. The network converts at a rate of 1.
   */
  readonly currency?: string | null;
  /** Four digits; 5411, groceries, by default. */
  readonly mcc?: string | null;
  readonly merchant_name?: string | null;
  /** By default made of the name. */
  readonly merchant_id?: string | null;
  /** ISO 3166-1; by default not sent. */
  readonly merchant_country?: string | null;
  /** By default not sent. */
  readonly card_present?: boolean | null;
}

/**
 * What follows a purchase: all of it, or an amount in minor units of the currency of the card's
 * limits.
 */
export interface FollowUpRequest {
  readonly amount?: number | null;
}

const merchant_default = { mcc: '5411', merchant_name: 'Corner Grocer' } as const;
const merchant_name_length_max = 60;

/**
 * The authorization request for a purchase with a card of the company. Refuses
 * (`validation_failed`) invalid fields, and (`not_found`) a card of another company.
 */
export async function simulatePurchase(
  tx: SimulationTx,
  ports: SimulationPorts,
  call: Call,
  request: PurchaseRequest,
): Promise<AuthorizationMessage> {
  const fields = new RequestFields(request);
  fields.require('vcn_id');
  fields.require('amount');
  const vcn_id = fields.readId('vcn_id');
  const amount = fields.readAmount('amount', 1);
  const currency = fields.readText(
    'currency',
    (text) => /^[A-Z]{3}$/.test(text),
    'a currency code of three capital letters, such as USD',
  );
  const mcc = fields.readText('mcc', isMcc, 'four digits') ?? merchant_default.mcc;
  const merchant_name =
    fields.readText(
      'merchant_name',
      (text) => isWithin(text, merchant_name_length_max) && text.trim() !== '' && isStorable(text),
      `text of 1 to ${merchant_name_length_max} characters`,
    ) ?? merchant_default.merchant_name;
  fields.refuseInvalid();
  const card = await findCard(tx, call, vcn_id!);
  const sent = {
    ...(await plainCard(tx, ports, card)),
    ...identifiers(ports.random, call.now_ms),
    message_type_indicator: message_types['0100'],
    explain: true,
    trace_id: digits(ports.random, 15),
    billing_amount: amount!,
    billing_currency: card.billing_currency,
    merchant_amount: amount!,
    merchant_currency: currency ?? limitCurrency(card),
    net_reference_number: `MCC${digits(ports.random, 6)}${utcDateAt(call.now_ms).slice(5).replace('-', '')}`,
    mcc,
    merchant_id: request.merchant_id ?? merchantIdOf(merchant_name),
    merchant_name,
    merchant_country: request.merchant_country,
    card_present: request.card_present,
  };
  return normalizeAuthorization(sent, ports.vault, call.request_id);
}

/**
 * The clearing of an authorization: by default of all that has not cleared. A smaller amount is a
 * part, after which others follow; a network may also clear more. Refuses (`conflict`) an
 * authorization that was declined, and without an amount one of which nothing is left to clear.
 */
export async function simulateClearing(
  tx: SimulationTx,
  ports: SimulationPorts,
  call: Call,
  authorization_id: number,
  request: FollowUpRequest,
): Promise<ClearingMessage> {
  const asked = readAmount(request);
  const { card, authorization } = await findPurchase(tx, call, authorization_id);
  const uncleared = Math.max(0, authorization.authorized - authorization.cleared);
  const amount = asked ?? uncleared;
  if (amount === 0) throw new Refusal('conflict', `nothing of authorization ${authorization.id} is left to clear`);
  return clearingOf(tx, ports, call, {
    card,
    authorization,
    amount,
    clearing_type: 'DEBIT',
    partial: amount < uncleared,
  });
}

/**
 * A refund: a clearing of the type CREDIT, by default of all that has cleared. Refuses (`conflict`)
 * an authorization of which nothing has cleared.
 */
export async function simulateRefund(
  tx: SimulationTx,
  ports: SimulationPorts,
  call: Call,
  authorization_id: number,
  request: FollowUpRequest,
): Promise<ClearingMessage> {
  const asked = readAmount(request);
  const { card, authorization } = await findPurchase(tx, call, authorization_id);
  const { cleared } = authorization;
  const amount = asked ?? cleared;
  if (cleared <= 0) {
    throw new Refusal(
      'conflict',
      `nothing of authorization ${authorization.id} has cleared, so nothing can be refunded`,
    );
  }
  return clearingOf(tx, ports, call, { card, authorization, amount, clearing_type: 'CREDIT', partial: false });
}

/**
 * The reversal of an authorization: by default in full. An amount is what the reversal takes away.
 * Refuses (`conflict`) an authorization that was declined or is reversed, and (`validation_failed`)
 * an amount above the authorized one.
 */
export async function simulateReversal(
  tx: SimulationTx,
  ports: SimulationPorts,
  call: Call,
  authorization_id: number,
  request: FollowUpRequest,
): Promise<AuthorizationMessage> {
  const asked = readAmount(request);
  const { card, authorization } = await findPurchase(tx, call, authorization_id);
  const { id, authorized, status, trace_id, net_reference_number, mcc, merchant_id, details } = authorization;
  const amount = asked ?? authorized;
  if (status === 'reversed' || status === 'cleared' || authorized === 0) {
    throw new Refusal('conflict', `nothing of authorization ${id} is left to reverse`);
  }
  if (amount > authorized) {
    throw invalid({ path: 'amount', message: `must be at most ${authorized}, the authorized amount, not ${amount}` });
  }
  const corrected = amountsOf(card, authorization, authorized - amount);
  const sent = {
    ...(await plainCard(tx, ports, card)),
    ...identifiers(ports.random, call.now_ms),
    message_type_indicator: message_types['0400'],
    explain: true,
    trace_id,
    net_reference_number,
    ...amountsOf(card, authorization, authorized),
    billing_currency: card.billing_currency,
    merchant_currency: authorization.merchant_currency,
    mcc,
    merchant_id,
    merchant_name: textOf(details.merchant_name),
    ...(amount === authorized
      ? {}
      : {
          replacement_amounts: {
            billing_amount: corrected.billing_amount,
            transaction_amount: corrected.merchant_amount,
          },
        }),
  };
  return normalizeAuthorization(sent, ports.vault, call.request_id);
}

interface Purchase {
  readonly card: VirtualCard;
  readonly authorization: Authorization;
}

async function findPurchase(tx: SimulationTx, call: Call, authorization_id: number): Promise<Purchase> {
  const authorization = await tx.cards.findAuthorization(call.company_id, authorization_id);
  if (authorization === null) throw new Refusal('not_found', `there is no authorization ${authorization_id}`);
  const { id, root_id, card_id, status } = authorization;
  if (!isStandingRoot(authorization)) {
    const why = status === 'declined' || root_id === null ? `is ${status}` : `belongs to authorization ${root_id}`;
    throw new Refusal('conflict', `authorization ${id} ${why}; nothing follows it`);
  }
  return { card: await findCard(tx, call, card_id), authorization };
}

async function clearingOf(
  tx: SimulationTx,
  { vault, random }: SimulationPorts,
  { now_ms, request_id }: Call,
  {
    card,
    authorization,
    amount,
    clearing_type,
    partial,
  }: Purchase & { readonly amount: number; readonly clearing_type: 'DEBIT' | 'CREDIT'; readonly partial: boolean },
): Promise<ClearingMessage> {
  const { approval_code, net_reference_number, mcc, merchant_id, merchant_currency, details } = authorization;
  const { number_sealed } = await tx.cards.number(card.id);
  const sent = {
    card_number: vault.open(number_sealed).reveal(),
    network_financial_transaction_id: `SANDBOX${digits(random, 15)}`,
    acquirer_reference_data: digits(random, 17),
    approval_code,
    net_reference_number,
    clearing_type,
    partial,
    ...amountsOf(card, authorization, amount),
    billing_currency: card.billing_currency,
    merchant_currency,
    mcc,
    merchant_id,
    merchant_name: textOf(details.merchant_name),
    authorization_date: utcDateAt(authorization.decided_at_ms),
    settlement_date: utcDateAt(now_ms),
  };
  return normalizeClearing(sent, vault, request_id);
}

/** The amount that a follow-up names; null when it names none. */
function readAmount(request: FollowUpRequest): Money | null {
  const fields = new RequestFields(request);
  const amount = fields.readAmount('amount', 1);
  fields.refuseInvalid();
  return amount;
}

/**
 * An amount in the currency of the card's limits, in both currencies of the authorization and at
 * its rate.
 */
function amountsOf(
  card: VirtualCard,
  authorization: Authorization,
  amount: number,
): { readonly billing_amount: Money; readonly merchant_amount: Money } {
  const whole = limitAmount(card, authorization);
  const convert = (other: number): Money => {
    return other === whole || whole === 0 ? money(amount) : scale(amount, other, whole);
  };
  return {
    billing_amount: convert(authorization.billing_amount),
    merchant_amount: convert(authorization.merchant_amount),
  };
}

async function plainCard(tx: SimulationTx, { vault }: SimulationPorts, { id, expiry }: VirtualCard) {
  const { number_sealed } = await tx.cards.number(id);
  const pan = vault.open(number_sealed);
  return { card_number: pan.reveal(), cvc: vault.cvc(pan, expiry), expiry };
}

function identifiers(random: Random, now_ms: number) {
  return {
    system_trace_audit_number: digits(random, 6),
    transaction_date_time: Temporal.Instant.fromEpochMilliseconds(now_ms).toString(),
  };
}

/** Purchases at one merchant have one id. */
function merchantIdOf(merchant_name: string): string {
  const name = merchant_name
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[^A-Z]+/g, '-');
  return `SANDBOX-${name}`.slice(0, 24);
}

function digits(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.below(10)).join('');
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
