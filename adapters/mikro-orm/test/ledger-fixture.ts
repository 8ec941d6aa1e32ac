import { createHash } from 'node:crypto';
import {
  type Authorization,
  type AuthorizationMessage,
  type ClearingMessage,
  type Fold,
  type Ledger,
  type LedgerCard,
  type LedgerChanges,
  type LedgerState,
  Pan,
} from '@tallystick/cards';
import { type Clock, fixedClock, money } from '@tallystick/kernel';
import { type ScratchDatabase, scratchDatabase } from '@tallystick/test-support';
import { type Connection, connect } from '../src/connection/connection.ts';
import { migrate } from '../src/connection/migrate.ts';
import { ledgerOn } from '../src/ledger/ledger.ts';

export const noon_ms = Date.UTC(2026, 4, 20, 12);

/** A ledger on a connection of its own, as a process has it. */
export interface OpenLedger {
  readonly connection: Connection;
  readonly ledger: Ledger;
  close(): Promise<void>;
}

export async function openLedger(
  database_url: string,
  clock: Clock = fixedClock(Temporal.Instant.fromEpochMilliseconds(noon_ms)),
): Promise<OpenLedger> {
  const connection = await connect({ database_url });
  return {
    connection,
    ledger: ledgerOn(connection, clock),
    close: () => connection.orm.close(true).then(() => endPool(connection)),
  };
}

async function endPool(connection: Connection): Promise<void> {
  if (connection.dialect === 'postgres' && !connection.pool.ended) await connection.pool.end();
}

/** A migrated scratch database with one company, one real card and virtual cards 1..`cards`, each with a limit of 1,000. */
export async function seededDatabase(
  name: ScratchDatabase['name'],
  cards: number,
  columns: Readonly<Record<string, string | number | null>> = {},
): Promise<ScratchDatabase> {
  const database = await scratchDatabase(name);
  const { connection, close } = await openLedger(database.database_url);
  await migrate(connection);
  await run(connection, `insert into companies (id, name, customer_number, created_at_ms) values (1, 'Acme', '1', 0)`);
  await run(
    connection,
    `insert into real_cards (id, company_id, alias, billing_currency, account_range, velocity_enabled, is_default, created_at_ms)
       values (1, 1, 'Travel', 'USD', '555555', ${literal(name, true)}, ${literal(name, true)}, 0)`,
  );
  for (let id = 1; id <= cards; id += 1) {
    const row: Record<string, string | number | null | boolean | Uint8Array> = {
      id,
      company_id: 1,
      rcn_id: 1,
      template_id: 1,
      status: 'Approved',
      last4: '0000',
      expiry: '2028-05',
      number_index: indexOf(id),
      number_sealed: new Uint8Array([1]),
      number_key_id: 'k',
      created_at_ms: 0,
      per_transaction_min: 0,
      per_transaction_max: 1_000,
      per_transaction_max_defaulted: true,
      total_card_amount: 1_000,
      transactions_max: null,
      recurring: 'Continuous',
      valid_starting_on: '2026-01-01',
      valid_ending_on: '2028-05-31',
      window_start_ms: 0,
      held: 0,
      cleared: 0,
      uses: 0,
      next_hold_end_ms: null,
      ...columns,
    };
    const values = Object.values(row).map((value) => literal(name, value));
    await run(connection, `insert into virtual_cards (${Object.keys(row).join(', ')}) values (${values.join(', ')})`);
  }
  await close();
  return database;
}

/** Runs SQL beside the ledger and gives its rows; counts come as numbers. */
export async function run(connection: Connection, sql: string): Promise<Record<string, unknown>[]> {
  if (connection.dialect === 'postgres') return (await connection.pool.query(sql)).rows;
  return await connection.exclusively((database) => {
    const statement = database.prepare(sql);
    if (statement.reader) return statement.all() as Record<string, unknown>[];
    statement.run();
    return [];
  });
}

function literal(name: ScratchDatabase['name'], value: string | number | null | boolean | Uint8Array): string {
  if (value instanceof Uint8Array) {
    const digits = Buffer.from(value).toString('hex');
    return name === 'sqlite' ? `x'${digits}'` : `'\\x${digits}'`;
  }
  if (typeof value === 'boolean') return name === 'sqlite' ? String(Number(value)) : String(value);
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** The index of card `id`'s number. */
export function indexOf(id: number): Uint8Array {
  return createHash('sha256').update(`card ${id}`).digest();
}

export function authorizationMessage(
  card_id: number,
  fields: Partial<AuthorizationMessage> = {},
): AuthorizationMessage {
  return {
    kind: 'authorization',
    pan: new Pan('5555550000000000'),
    number_index: indexOf(card_id),
    expiry: null,
    cvc: null,
    message_type: '0100',
    incremental: false,
    trace_id: 'T1',
    system_trace_audit_number: '000001',
    transaction_date_time_ms: noon_ms,
    billing_amount: money(10),
    billing_currency: 'USD',
    merchant_amount: money(10),
    merchant_currency: 'USD',
    mcc: '5812',
    response_code: null,
    approval_code: null,
    card_holder_transaction_type_code: null,
    replacement_amounts: null,
    net_reference_number: 'MCC1234560520',
    merchant_id: 'M1',
    details: { merchant_name: 'Joe\'s "Diner" é\u{1f37d}', settlement_date: '0520', nested: { a: [1, null] } },
    request_id: 'request-1',
    ...fields,
  };
}

export function clearingMessage(card_id: number, fields: Partial<ClearingMessage> = {}): ClearingMessage {
  return {
    kind: 'clearing',
    number_index: indexOf(card_id),
    vcn_id: null,
    network_financial_transaction_id: 'F1',
    cycle: 'first_presentment',
    clearing_type: 'DEBIT',
    partial: false,
    billing_amount: money(10),
    billing_currency: 'USD',
    merchant_amount: money(10),
    merchant_currency: 'USD',
    acquirer_reference_data: '12345678901234567',
    approval_code: 'A00001',
    net_reference_number: 'MCC1234560520',
    merchant_id: 'M1',
    mcc: '5812',
    settlement_date: '2026-05-20',
    authorization_date: null,
    details: { merchant_name: 'Diner' },
    request_id: null,
    ...fields,
  };
}

export const no_changes: LedgerChanges = {
  counters: [],
  authorizations_inserted: [],
  authorizations_changed: [],
  clearings_inserted: [],
  events: [],
  unknown_numbers: [],
};

/** The row that records a message on a card as approved, or as declined when it would go over the total. */
export function recorded(
  state: LedgerState,
  card: LedgerCard,
  message: AuthorizationMessage,
  id: number,
  approved: boolean,
): Authorization {
  const amount = approved ? message.billing_amount : money(0);
  return {
    id,
    company_id: card.company_id,
    card_id: card.id,
    root_id: id,
    message_type: message.message_type,
    incremental: message.incremental,
    trace_id: message.trace_id,
    system_trace_audit_number: message.system_trace_audit_number,
    transaction_date_time_ms: message.transaction_date_time_ms,
    decided_at_ms: state.now_ms,
    decline_code: approved ? null : 'F',
    approval_code: approved ? `A${String(id).padStart(5, '0')}` : null,
    billing_amount: message.billing_amount,
    merchant_amount: message.merchant_amount,
    merchant_currency: message.merchant_currency,
    mcc: message.mcc,
    merchant_id: message.merchant_id,
    net_reference_number: message.net_reference_number,
    details: message.details,
    request_id: message.request_id,
    window_start_ms: 0,
    status: approved ? 'open' : 'declined',
    authorized: amount,
    held: amount,
    cleared: money(0),
    uses: approved ? 1 : 0,
    hold_end_ms: null,
  };
}

/**
 * A decision of one rule: a message is approved while the holds of its card stay within the total, and a message that is
 * recorded already changes nothing. Answers each message with whether it was approved, or null for an unknown number.
 */
export function spend(messages: readonly AuthorizationMessage[]): Fold<(boolean | null)[]> {
  return (state) => {
    const cards = new Map(state.cards.map((card) => [Buffer.from(card.number_index).toString('hex'), card]));
    const counters = new Map(state.cards.map((card) => [card.id, { ...card.counters }]));
    const seen = new Map(
      state.authorizations.map((row) => [`${row.card_id} ${row.trace_id}`, row.decline_code === null]),
    );
    const inserted: Authorization[] = [];
    const answers = messages.map((message, at) => {
      const card = cards.get(Buffer.from(message.number_index).toString('hex'));
      const counter = card && counters.get(card.id);
      if (card === undefined || counter === undefined) return null;
      const known = seen.get(`${card.id} ${message.trace_id}`);
      if (known !== undefined) return known;
      const approved = counter.held + message.billing_amount <= card.total_card_amount;
      inserted.push(recorded(state, card, message, state.authorization_ids[at] ?? 0, approved));
      seen.set(`${card.id} ${message.trace_id}`, approved);
      if (approved) {
        counters.set(card.id, {
          ...counter,
          held: money(counter.held + message.billing_amount),
          uses: counter.uses + 1,
        });
      }
      return approved;
    });
    const events = inserted.map((row, at) => ({
      id: state.event_ids[at] ?? 0,
      company_id: row.company_id,
      event_type: 'virtualcard.realtime.auths',
      payload: { id: row.id, vcn_id: row.card_id, billing_amount: row.billing_amount, mcc: row.mcc },
      previous: null,
      created_at_ms: state.now_ms,
      request_id: row.request_id,
    }));
    return {
      changes: {
        ...no_changes,
        counters: [...counters].map(([card_id, changed]) => ({ card_id, counters: changed })),
        authorizations_inserted: inserted,
        events,
      },
      result: answers,
    };
  };
}
