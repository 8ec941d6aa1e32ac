import { createHash } from 'node:crypto';
import type { AuthorizationMessage, ClearingMessage, Ledger, QuarantinePorts } from '@tallystick/cards';
import { authorizationMessage as authorizationOf, clearingMessage as clearingOf } from '@tallystick/harness';
import { type Clock, fixedClock } from '@tallystick/kernel';
import { migratedDatabase, type ScratchDatabase, testAuditMac } from '@tallystick/test-support';
import { type Connection, connect } from '../src/connection/connection.ts';
import { migrate } from '../src/connection/migrations/migrate.ts';
import { type Resting, restingOn } from '../src/connection/resting.ts';
import { ledgerOn } from '../src/ledger/ledger.ts';

export const noon_ms = Date.UTC(2026, 4, 20, 12);

/** A ledger on a separate connection, as in a separate process. */
export interface OpenLedger {
  readonly connection: Connection;
  readonly ledger: Ledger;
  readonly rest: Resting['rest'];
  close(): Promise<void>;
}

export async function openLedger(
  database_url: string,
  clock: Clock = fixedClock(noon_ms),
  decision_ms_max?: number,
): Promise<OpenLedger> {
  const connection = await connect({ database_url, decision_ms_max });
  const resting = restingOn(connection);
  return {
    connection,
    ledger: ledgerOn(connection, { clock, audit_mac: testAuditMac }),
    rest: resting.rest,
    close: () => connection.close(),
  };
}

/**
 * A migrated scratch database with one company, one real card and virtual cards 1..`cards`, each
 * with a limit of 1,000.
 */
export async function seededDatabase(
  name: ScratchDatabase['name'],
  cards: number,
  columns: Readonly<Record<string, string | number | null>> = {},
): Promise<ScratchDatabase> {
  const database = await migratedDatabase(name);
  await seed(database, cards, columns);
  return database;
}

/** Does the same to an empty database. */
export async function seed(
  { name, database_url }: Pick<ScratchDatabase, 'name' | 'database_url'>,
  cards: number,
  columns: Readonly<Record<string, string | number | null>> = {},
): Promise<void> {
  const { connection, close } = await openLedger(database_url);
  await migrate(connection);
  await run(
    connection,
    `insert into tallystick_companies (id, name, customer_number, created_at_ms) values (1, 'Acme', '1', 0)`,
  );
  await run(
    connection,
    `insert into tallystick_real_cards (id, company_id, alias, billing_currency, account_range, velocity_enabled, is_default, created_at_ms)
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
    await run(
      connection,
      `insert into tallystick_virtual_cards (${Object.keys(row).join(', ')}) values (${values.join(', ')})`,
    );
  }
  await close();
}

/** Runs SQL outside the ledger and returns its rows; counts are numbers. */
export async function run(connection: Connection, sql: string): Promise<Record<string, unknown>[]> {
  if (connection.dialect === 'postgres') return (await connection.pool.query(sql)).rows;
  return await connection.immediately((database) => {
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

/** Returns the index of the number of card `id`. */
export function indexOf(id: number): Uint8Array {
  return createHash('sha256').update(`card ${id}`).digest();
}

/** A request of 10 for card `card_id`. */
export function authorizationMessage(card_id: number, fields: Partial<AuthorizationMessage> = {}) {
  return authorizationOf(indexOf(card_id), fields);
}

/** A debit of 10 for card `card_id`. */
export function clearingMessage(card_id: number, fields: Partial<ClearingMessage> = {}): ClearingMessage {
  return clearingOf(indexOf(card_id), fields);
}

/** For passes in which nothing is refused: seals nothing. */
export const plain_quarantine: QuarantinePorts = {
  sealer: { seal: (_purpose, clear) => clear, open: (_purpose, sealed) => sealed, isCurrent: () => true },
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
};
