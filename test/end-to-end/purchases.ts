import { type Reply, send, sendUntilAdmitted } from '@tallystick/test-support';

/** A card as its issuer knows it. */
export interface Card {
  readonly id: string;
  readonly card_number: string;
  readonly cvc: string;
  readonly expiry: string;
}

/** The wire object of a message. */
export type Message = Readonly<Record<string, unknown>>;

let purchases = 0;

/** An authorization request in USD that is unique in this process. */
export function purchase(card_number: string, amount: number, change: Message = {}): Message {
  purchases += 1;
  return {
    card_number,
    message_type_indicator: '0100',
    trace_id: `TR${purchases}`,
    system_trace_audit_number: String(purchases % 1_000_000).padStart(6, '0'),
    transaction_date_time: '2030-03-15T10:00:00Z',
    billing_amount: amount,
    billing_currency: 'USD',
    merchant_amount: amount,
    merchant_currency: 'USD',
    mcc: '5734',
    merchant_id: `M${purchases}`,
    merchant_name: 'Paper & Ink',
    ...change,
  };
}

/** Issues a card and returns it with its number. Throws if it is refused. */
export async function issue(url: string, data: Message, headers: Readonly<Record<string, string>> = {}): Promise<Card> {
  const body = { data, show_card_number: true };
  const issued = await sendUntilAdmitted(url, 'POST', '/v1/virtualcards', { body, headers });
  if (issued.status !== 200) throw new Error(`no card was issued: ${issued.text}`);
  return issued.json.data as Card;
}

export function authorize(url: string, message: Message): Promise<Reply> {
  return send(url, 'POST', '/network/v1/authorizations', { key: 'network', body: { data: message } });
}

export function clear(url: string, message: Message): Promise<Reply> {
  return send(url, 'POST', '/network/v1/clearings', { key: 'network', body: { data: message } });
}

/** The available balance of the card, over HTTP. */
export async function availableBalance(url: string, id: string): Promise<number> {
  return (await send(url, 'GET', `/v1/virtualcards/${id}`)).json.data.available_balance as number;
}
