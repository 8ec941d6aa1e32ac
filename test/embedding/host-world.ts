import { createCompany } from '@tallystick/access';
import { type CardReading, createRealCard, issueCard } from '@tallystick/cards';
import { fixedClock, type HostTransaction, type UnitOfWork } from '@tallystick/kernel';
import { mikroOrmPersistence, type Persistence, type PersistencePorts, type Tx } from '@tallystick/mikro-orm';
import { type DatabaseName, migratedDatabase, type ScratchDatabase } from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';
import Database from 'better-sqlite3';
import pg from 'pg';

export const start_ms = Date.UTC(2026, 0, 15, 12);
export const host_keys = createVault(parseKeyRing(Buffer.alloc(32, 'embedding').toString('base64')));

const call = { actor: 'test', request_id: null, now_ms: start_ms };

function issueWith(tx: Tx, company_id: number, request: Readonly<Record<string, unknown>> = {}): Promise<CardReading> {
  return issueCard(
    tx,
    { vault: host_keys.card_vault, random: host_keys.random },
    { ...call, company_id },
    { total_card_amount: 1_000, ...request },
  );
}

/** Issues a card of the company in this unit of work. */
export async function issueIn(unit: UnitOfWork<Tx>, company_id: number): Promise<void> {
  await unit.run((tx) => issueWith(tx, company_id));
}

/** A migrated database with a company and its account range: what a host shares with an instance. */
export interface HostWorld {
  readonly scratch: ScratchDatabase;
  readonly persistence: Persistence;
  readonly company_id: number;
  /** The handle of a database in memory that the host shares with the instance. */
  readonly shared: Database.Database | null;
  /** Issues a card in this unit of work. */
  issue(unit: UnitOfWork<Tx>, request?: Readonly<Record<string, unknown>>): Promise<CardReading>;
  /** The same within a unit of work. */
  issueWith(tx: Tx, request?: Readonly<Record<string, unknown>>): Promise<CardReading>;
  /** What is committed. */
  state(): Promise<HostState>;
  /** The settings of a transaction on Postgres. */
  settingsIn(host: HostTransaction): Promise<unknown>;
  dispose(): Promise<void>;
}

/** Ids in order, and the number of entries. */
export interface HostState {
  readonly cards: readonly number[];
  readonly events: number;
  readonly outbox: number;
  readonly host_rows: readonly number[];
}

const select_state = {
  cards: 'select id from tallystick_virtual_cards order by id',
  events: "select id from tallystick_events where event_type = 'virtualcard.created'",
  outbox: 'select event_id as id from tallystick_event_outbox',
  host_rows: 'select id from host_rows order by id',
} as const;

async function stateFrom(ids: (text: string) => Promise<readonly number[]>): Promise<HostState> {
  return {
    cards: await ids(select_state.cards),
    events: (await ids(select_state.events)).length,
    outbox: (await ids(select_state.outbox)).length,
    host_rows: await ids(select_state.host_rows),
  };
}

async function stateOnSqlite(scratch: ScratchDatabase, shared: Database.Database | null): Promise<HostState> {
  const database = shared ?? new Database(scratch.database_url.slice('sqlite:'.length), { readonly: true });
  try {
    return await stateFrom(async (text) => database.prepare<[], number>(text).pluck().all());
  } finally {
    if (shared === null) database.close();
  }
}

async function stateOnPostgres(scratch: ScratchDatabase): Promise<HostState> {
  const client = new pg.Client(scratch.database_url);
  await client.connect();
  try {
    return await stateFrom(async (text) => (await client.query<{ id: string }>(text)).rows.map(({ id }) => Number(id)));
  } finally {
    await client.end();
  }
}

export async function hostWorld(
  name: DatabaseName,
  { is_shared = false, ...options }: Partial<PersistencePorts> & { readonly is_shared?: boolean } = {},
): Promise<HostWorld> {
  const scratch = await migratedDatabase(name);
  const shared = is_shared ? new Database(':memory:') : null;
  const persistence = await mikroOrmPersistence({
    ...(shared === null ? {} : { database: shared }),
    database_url: scratch.database_url,
    clock: fixedClock(start_ms),
    audit_mac: host_keys.audit_mac,
    ...options,
  });
  await persistence.migrate();
  const company_id = await persistence.unitOfWork.run(async (tx) => {
    const { id } = await createCompany(tx, call, { name: 'Example Ltd', customer_number: '4711' });
    await createRealCard(
      tx,
      { ...call, company_id: id },
      { alias: 'Travel', billing_currency: 'USD', account_range: '555555' },
    );
    return id;
  });
  return {
    scratch,
    persistence,
    company_id,
    shared,
    issue: (unit, request) => unit.run((tx) => issueWith(tx, company_id, request)),
    issueWith: (tx, request) => issueWith(tx, company_id, request),
    state: () => (scratch.name === 'sqlite' ? stateOnSqlite(scratch, shared) : stateOnPostgres(scratch)),
    async settingsIn(host) {
      const text = `select string_agg(name || ' ' || setting, ';' order by name) as settings from pg_catalog.pg_settings`;
      return (await host.execute({ text, values: [] })).rows;
    },
    async dispose() {
      await persistence.close();
      shared?.close();
      await scratch.dispose();
    },
  };
}
