import { Temporal } from 'temporal-polyfill';
import type { AuthorizationView, BalanceView, CardView, ClearingView, CreatedCard, EventView } from '../system.ts';
import { type HttpAnswer, isObject } from './connection.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A card as an answer has it (service specification 2.1). An absent field of a control is null. */
export function cardOf(data: unknown, answer: HttpAnswer): CardView {
  const card = fieldsOf(data, answer);
  return {
    id: idOf(card.id),
    status: card.status,
    available_balance: card.available_balance,
    uses: card.uses ?? null,
    total_card_amount: card.total_card_amount,
    per_transaction_min: card.per_transaction_min,
    per_transaction_max: card.per_transaction_max,
    transactions_max: card.transactions_max ?? null,
    recurring: card.recurring ?? null,
    authorization_hold_days: card.authorization_hold_days ?? null,
    aging_velocity_time_zone: card.aging_velocity_time_zone ?? null,
    currency: card.currency ?? null,
    valid_starting_on: card.valid_starting_on,
    valid_ending_on: card.valid_ending_on,
    expiry: card.expiry,
    template_id: idOf(card.template_id),
    notified: card.notified,
    frozen: card.frozen,
    balance: balanceOf(card.balance, answer),
    metadata: card.metadata,
    emails: card.emails,
    supplier_id: idOf(card.supplier_id),
    merchant_controls: card.merchant_controls,
    authorizations: listOf(card.authorizations, 'status', ({ id, status }) => ({ id: idOf(id), status })),
    clearings: listOf(card.clearings, 'match_rule', (clearing) => clearingAnswerOf(clearing, answer)),
  } as CardView;
}

/** The composition of the balance, if the server shows it. */
function balanceOf(data: unknown, answer: HttpAnswer): BalanceView | undefined {
  if (data === undefined) return undefined;
  const { window_start, window_ends, next_hold_end, ...balance } = fieldsOf(data, answer);
  const instant = (text: unknown) => (text === null ? null : instantOf(text, 'an instant of a balance', answer));
  return {
    ...balance,
    window_start_ms: instant(window_start),
    window_end_ms: instant(window_ends),
    next_hold_end_ms: instant(next_hold_end),
  } as BalanceView;
}

/** A new card, with its number and code in plain text. */
export function createdCardOf(data: unknown, answer: HttpAnswer): CreatedCard {
  const { card_number, cvc } = fieldsOf(data, answer);
  if (!/^\d{12,19}$/.test(String(card_number)) || !/^\d{3,4}$/.test(String(cvc))) {
    throw answer.fault('with show_card_number, `card_number` and `cvc` must be in plain text');
  }
  return { card: cardOf(data, answer), card_number: String(card_number), cvc: String(cvc) };
}

export function authorizationAnswerOf(data: unknown, answer: HttpAnswer): AuthorizationView {
  const item = fieldsOf(data, answer);
  return {
    id: idOf(item.id ?? null),
    response_code: item.response_code,
    vcn_response: item.vcn_response,
    issuer_response: item.issuer_response,
    approval_code: item.approval_code ?? null,
    status: item.status,
    left: leftOf(item.decision),
  } as AuthorizationView;
}

/** What the facts of a decision say that its window had left. */
function leftOf(decision: unknown): number | undefined {
  const { facts = [] } = (decision ?? {}) as {
    readonly facts?: readonly { readonly name: string; readonly value: number }[];
  };
  return facts.find(({ name }) => name === 'available_after' || name === 'available')?.value;
}

export function clearingAnswerOf(data: unknown, answer: HttpAnswer): ClearingView {
  const item = fieldsOf(data, answer);
  return {
    id: idOf(item.id),
    class: item.class ?? null,
    match_rule: item.match_rule ?? null,
    review: item.review ?? null,
    authorization_id: idOf(item.authorization_id ?? null),
    clearing_id: idOf(item.clearing_id ?? null),
  } as ClearingView;
}

/** The types of the events of cards (6), with the second name of an authorization's. */
const event_types: Readonly<Record<string, string>> = {
  'virtualcard.created': 'virtualcard.created',
  'virtualcard.updated': 'virtualcard.updated',
  'virtualcard.deleted': 'virtualcard.deleted',
  'virtualcard.realtime.auths': 'virtualcard.realtime.auths',
  'virtualcard.realtime.iccp.all': 'virtualcard.realtime.auths',
  'virtualcard.clearings': 'virtualcard.clearings',
};

/**
 * An event of a card; null for any other. The payload of a card has its id as `id`, those of messages
 * have it as `vcn_id` (2.8, 2.9, 2.10).
 */
export function eventOf(data: unknown, answer: HttpAnswer): EventView | null {
  const { event_type, payload, created_at } = fieldsOf(data, answer);
  const known = event_types[String(event_type)];
  if (known === undefined) return null;
  if (!isObject(payload)) throw answer.fault('an event has no payload');
  return {
    event_type: known,
    vcn_id: idOf(payload.vcn_id ?? payload.id) as number,
    created_at_ms: instantOf(created_at, 'created_at of an event', answer),
  };
}

function instantOf(shown: unknown, what: string, answer: HttpAnswer): number {
  try {
    return Temporal.Instant.from(String(shown)).epochMilliseconds;
  } catch {
    throw answer.fault(`${what} must be an instant in ISO 8601, not ${JSON.stringify(shown)}`);
  }
}

function fieldsOf(data: unknown, answer: HttpAnswer): Fields {
  if (!isObject(data)) throw answer.fault('`data` is not an object');
  return data;
}

/** Null when the items do not have the field by which they are compared. */
function listOf<Item>(items: unknown, compared: string, read: (item: Fields) => Item): readonly Item[] | null {
  if (!Array.isArray(items) || !items.every((item) => isObject(item) && item[compared] !== undefined)) return null;
  return items.map(read);
}

/** Ids are texts of digits in resources, and numbers in payloads. Another text stays as it is. */
function idOf(id: unknown): unknown {
  return typeof id === 'string' && /^\d+$/.test(id) && String(Number(id)) === id ? Number(id) : id;
}
