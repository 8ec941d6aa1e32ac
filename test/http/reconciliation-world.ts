import assert from 'node:assert/strict';
import { recorded_lines_max, type StatementLine } from '@tallystick/accounts';
import { money } from '@tallystick/kernel';
import { authorization, type Reply, type Service } from './service.ts';

export const account_number = '1000000001';

/** A card of the sandbox's company. */
export interface Card {
  readonly id: number;
  readonly number: string;
}

let references = 0;

/** An acquirer reference of 17 digits that no other record has. */
export function newReference(): string {
  references += 1;
  return `5${String(references).padStart(16, '0')}`;
}

export async function issueCard({ send }: Service, key?: string): Promise<Card> {
  const body = { data: { total_card_amount: 1_000_000 }, show_card_number: true };
  const reply = await send('POST', '/v1/virtualcards', { body, ...(key === undefined ? {} : { key }) });
  return { id: Number(reply.json.data.id), number: reply.json.data.card_number };
}

/** An approved authorization. Returns the id of its record. */
export async function authorize(
  { send }: Service,
  card: Card,
  amount: number,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const body = authorization(card.number, { billing_amount: amount, merchant_amount: amount, ...changes });
  const reply = await send('POST', '/network/v1/authorizations', { key: 'network', body });
  assert.equal(reply.json.data.response_code, '00', reply.text);
  const { json } = await send('GET', `/v1/virtualcards/${card.id}/authorizations`);
  return Number(json.data[0].id);
}

/** A clearing that settles on a date. */
export async function clear(
  { send }: Service,
  card: Card,
  amount: number,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<Reply> {
  references += 1;
  const data = {
    vcn_id: card.id,
    network_financial_transaction_id: `TX-${references}`,
    billing_amount: amount,
    billing_currency: 'USD',
    merchant_amount: amount,
    merchant_currency: 'USD',
    merchant_id: 'M-77',
    merchant_name: 'Paper & Ink',
    clearing_type: 'DEBIT',
    settlement_date: '2030-03-15',
    ...changes,
  };
  const reply = await send('POST', '/network/v1/clearings', { key: 'network', body: { data } });
  assert.equal(reply.status, 200, reply.text);
  return reply;
}

/** A purchase that was authorized and cleared by the same network reference. */
export async function buy(
  service: Service,
  card: Card,
  { authorized, cleared = authorized, ...changes }: { authorized: number; cleared?: number; [field: string]: unknown },
): Promise<void> {
  references += 1;
  const net_reference_number = `MCC${String(references).padStart(6, '0')}0315`;
  await authorize(service, card, authorized, { net_reference_number });
  await clear(service, card, cleared, { net_reference_number, ...changes });
}

/** Opens the company's account with a balance of 10,000.00 and its first statement. */
export async function openAccount({ persistence, company_id }: Service): Promise<number> {
  const first = { as_of: '2030-03-10', balance: money(1_000_000) };
  const account = await persistence.unitOfWork.run((tx) =>
    tx.accounts.insert({
      company_id,
      number: account_number,
      currency: 'USD',
      kind: 'deposit',
      name: null,
      created_at_ms: 0,
      first_statement: null,
      last_statement: null,
    }),
  );
  const ends = { id: account.id, first_statement: first, last_statement: first };
  await persistence.unitOfWork.run((tx) => tx.accounts.updateEnds(ends));
  return account.id;
}

/** Books lines on the account: debits are negative. */
export async function book(
  { persistence, company_id }: Service,
  account_id: number,
  lines: readonly (Partial<StatementLine> & { readonly amount: StatementLine['amount'] })[],
): Promise<void> {
  assert.ok(lines.length <= recorded_lines_max);
  const whole = lines.map((line) => ({
    account_id,
    company_id,
    currency: 'USD',
    statement_id: null,
    place: null,
    occurrence: 1,
    bank_reference: null,
    booking_date: '2030-03-15',
    value_date: '2030-03-15',
    bai_code: '821',
    text: 'CARD PURCHASE',
    acquirer_reference: null,
    balance_after: null,
    standing: null,
    recorded_at_ms: Date.parse('2030-03-15T10:00:00Z'),
    ...line,
  }));
  await persistence.unitOfWork.run((tx) => tx.accounts.recordLines(whole));
}
