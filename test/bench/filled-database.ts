import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { mikroOrmPersistence, type Persistence } from '@tallystick/mikro-orm';
import { type ScratchDatabase, scratchDatabase, testAuditMac } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import pg from 'pg';

export type DatabaseName = ScratchDatabase['name'];

/** A scratch database with the service's tables, filled by SQL. */
export interface FilledDatabase {
  readonly name: DatabaseName;
  readonly database_url: string;
  /** The service's own persistence. */
  readonly persistence: Persistence;
  /** Executes statements on a separate connection. */
  execute(sql: string): Promise<void>;
  /** Completes the database's work after filling: statistics, checkpoints. */
  settle(): Promise<void>;
  /**
   * Adds events with these ids as fast writers would: only those segments are not indexed that
   * writers may leave, and one id is missing until the second of them is full.
   */
  appendBurst(from: number, to: number): Promise<void>;
  dispose(): Promise<void>;
}

/** The size of a segment of the event log (`event_index.segment_size`). */
const segment_size = 512;

/** Machine time. */
export const clock = { nowMs: () => Date.now() };

/** The blind index of the number of card `id`, which the bench's messages contain. */
export function numberIndex(id: number): Uint8Array {
  return createHash('sha256').update(String(id)).digest();
}

/** The card of authorization `i` is the remainder of this multiple of `i`. */
const stride = 7919;
/** The end of the holds: before those that the bench adds, and after the bench. */
const hold_end_ms = (Math.floor(Date.now() / 86_400_000) + 20) * 86_400_000 + 1_000;

/** The number of rows at the start. */
export interface Fill {
  readonly cards: number;
  readonly authorizations: number;
  readonly events: number;
}

/**
 * A migrated database with the rows. They are generated inside the database, because sending a
 * million rows one by one takes long.
 */
export async function filledDatabase(name: DatabaseName, fill: Fill): Promise<FilledDatabase> {
  const scratch = await scratchDatabase(name);
  const persistence = await mikroOrmPersistence({
    audit_mac: testAuditMac,
    database_url: scratch.database_url,
    clock,
  });
  await persistence.migrate();
  const beside = name === 'sqlite' ? besideSqlite(scratch.database_url) : await besidePostgres(scratch.database_url);
  const { execute, settle } = beside;
  await execute(
    `insert into tallystick_companies (id, name, customer_number, created_at_ms) values (1, 'Acme', '1', 0), (2, 'Apex', '2', 0)`,
  );
  await execute(`insert into tallystick_real_cards (id, company_id, alias, billing_currency, account_range, velocity_enabled,
    is_default, created_at_ms) values (1, 1, 'Travel', 'USD', '555555', ${beside.yes}, ${beside.yes}, 0)`);
  await execute(cardsSql(beside, fill));
  if (fill.authorizations > 0) {
    await execute(authorizationsSql(beside, fill.cards, fill.authorizations));
    // In the order of the tree, which is many times faster than the order of the ids.
    for (let from = 1; from <= fill.cards; from += 50_000) {
      await execute(keysSql(beside, fill, from, Math.min(fill.cards, from + 49_999)));
    }
  }
  // In steps, like a growing log.
  for (let from = 1; from <= fill.events; from += 100_000) {
    await execute(eventsSql(beside, from, Math.min(fill.events, from + 99_999)));
  }
  await persistence.event_index.run();
  await settle();
  return {
    name,
    database_url: scratch.database_url,
    persistence,
    execute,
    settle,
    async appendBurst(from, to) {
      const last = to - (to % segment_size) + 2 * segment_size - 2;
      await execute(eventsSql(beside, from, to - (to % segment_size) - 1));
      await persistence.event_index.run();
      await execute(eventsSql(beside, to - (to % segment_size), last));
    },
    dispose: async () => {
      await persistence.close();
      await beside.close();
      await scratch.dispose();
    },
  };
}

interface Beside {
  readonly execute: (sql: string) => Promise<void>;
  readonly settle: FilledDatabase['settle'];
  readonly close: () => Promise<void>;
  /** `i` from..to. */
  readonly series: (from: number, to: number) => string;
  readonly index: string;
  readonly bytes: string;
  readonly yes: string;
  readonly no: string;
  readonly afterIds: (table: string) => string;
  /** A number in hexadecimal digits. */
  readonly hex: (value: string) => string;
}

function besideSqlite(url: string): Beside {
  const path = url.slice('sqlite:'.length);
  const database = new Database(path);
  database.pragma('synchronous = off');
  database.pragma('cache_size = -262144');
  database.pragma('temp_store = memory');
  database.pragma('busy_timeout = 10000');
  database.function('number_index', { deterministic: true }, (id) => numberIndex(Number(id)));
  return {
    execute: async (sql) => void database.exec(sql),
    settle: async () => {
      database.pragma('wal_checkpoint(truncate)');
      // Filling did not wait for the disk. The next measurement must not wait for it.
      const file = openSync(path, 'r+');
      fsyncSync(file);
      closeSync(file);
    },
    close: async () => void database.close(),
    series: (from, to) =>
      `(with recursive s (i) as (select ${from} union all select i + 1 from s where i < ${to}) select i from s)`,
    index: 'number_index(i)',
    bytes: `x'01'`,
    yes: '1',
    no: '0',
    afterIds: () => '',
    hex: (value) => `printf('%x', ${value})`,
  };
}

async function besidePostgres(url: string): Promise<Beside> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`set synchronous_commit = off`);
  await client.query(`set maintenance_work_mem = '512MB'`);
  return {
    execute: async (sql) => void (await client.query(sql)),
    settle: async () => {
      // Like autovacuum, which may be off, and leaves empty tables alone: their statistics would mislead plans.
      const { rows } = await client.query<{ names: string }>(
        `select string_agg(oid::regclass::text, ', ') as names from pg_class
          where relkind = 'r' and relname like 'tallystick\\_%' and pg_relation_size(oid) > 0`,
      );
      await client.query(`vacuum analyze ${rows[0]!.names}`);
      await client.query('checkpoint');
    },
    close: async () => await client.end(),
    series: (from, to) => `generate_series(${from}::bigint, ${to}::bigint) as s (i)`,
    index: 'sha256(i::text::bytea)',
    bytes: `'\\x01'::bytea`,
    yes: 'true',
    no: 'false',
    afterIds: (table) => `; select setval('${table}_id_seq', (select max(id) from ${table}))`,
    hex: (value) => `to_hex(${value})`,
  };
}

/** With authorizations, each card holds the amount of its open one. */
function cardsSql({ series, index, bytes, yes, afterIds }: Beside, { cards: count, authorizations }: Fill): string {
  const [held, next_hold_end] = authorizations >= count ? [1200, hold_end_ms] : [0, 'null'];
  return `insert into tallystick_virtual_cards (id, company_id, rcn_id, template_id, status, last4, expiry, number_index,
      number_sealed, number_key_id, created_at_ms, per_transaction_min, per_transaction_max, per_transaction_max_defaulted,
      total_card_amount, recurring, valid_starting_on, valid_ending_on, window_start_ms, held, cleared, uses,
      next_hold_end_ms)
    select i, 1, 1, 1, 'Approved', cast(1000 + i % 9000 as text), '2099-12', ${index},
      ${bytes}, 'k', 0, 0, 1000000000000, ${yes}, 1000000000000, 'Continuous', '2020-01-01', '2099-12-31', 0, ${held}, 0, 0,
      ${next_hold_end}
    from ${series(1, count)} where i <= ${count}${afterIds('tallystick_virtual_cards')}`;
}

/** Cleared purchases, and of each card the last one open. */
function authorizationsSql({ series, no, afterIds }: Beside, cards: number, count: number): string {
  const open = `i > ${count - cards}`;
  return `insert into tallystick_authorizations (id, company_id, card_id, root_id, message_type, incremental, trace_id,
      system_trace_audit_number, transaction_date_time_ms, decided_at_ms, approval_code, billing_amount, merchant_amount,
      merchant_currency, mcc, merchant_id, net_reference_number, window_start_ms, status, authorized, held, cleared,
      uses, hold_end_ms, details, event_id)
    select i, 1, 1 + (i * ${stride}) % ${cards}, i, '0100', ${no}, 'OLD' || i, cast(100000 + i % 900000 as text),
      1600000000000 + i, 1600000000000 + i, cast(100000 + i % 900000 as text), 1200, 1200, 'USD', '5812',
      'M' || (i % 5000), 'MCC' || cast(100000 + (i * 31) % 900000 as text) || '1120', 0,
      case when ${open} then 'open' else 'cleared' end, 1200, case when ${open} then 1200 else 0 end,
      case when ${open} then 0 else 1200 end, 1, ${hold_end_ms}, '{"merchant_name":"Merchant ' || (i % 5000) || '"}', i
    from ${series(1, count)} where i <= ${count}${afterIds('tallystick_authorizations')}`;
}

/** The keys of the same authorizations, of the cards `from` to `to`. */
function keysSql({ series, hex }: Beside, { cards, authorizations }: Fill, from: number, to: number): string {
  const inverse = inverseOf(stride, cards);
  const sortable = (value: string) => `${hex(`length(${hex(value)})`)} || ${hex(value)}`;
  const kinds = [
    `'a' || cast(100000 + i % 900000 as text) || '|' || ${sortable('i')}`,
    `case when i > ${authorizations - cards} then 'h' || ${sortable(`cast(${hold_end_ms} as bigint)`)} || ${sortable('i')} end`,
    `'mOLD' || i || '|0100' || cast(100000 + i % 900000 as text) || '|' || ${hex('1600000000000 + i')}`,
    `'n' || cast(100000 + (i * 31) % 900000 as text) || '|' || ${sortable('i')}`,
    `'p' || ${sortable('i')}`,
  ];
  const rounds = Math.ceil(authorizations / cards);
  return `insert into tallystick_authorization_keys (card_id, key, authorization_id)
    select card_id, key, i from (
      select card_id, i, kind, case kind ${kinds.map((key, kind) => `when ${kind} then ${key}`).join(' ')} end as key from (
        select c.card_id, k.kind, ((c.card_id - 1) * ${inverse}) % ${cards} + r.round * ${cards} as i
        from (select i as card_id from ${series(from, to)}) c
          cross join (select i as kind from ${series(0, kinds.length - 1)}) k
          cross join (select i as round from ${series(0, rounds)}) r
      ) each_key where i between 1 and ${authorizations}
    ) keys where key is not null order by 1, 2`;
}

/** The number whose product with `value` has the remainder 1. */
function inverseOf(value: number, modulus: number): number {
  let inverse = 0;
  while ((inverse * value) % modulus !== 1 % modulus) inverse += 1;
  return inverse;
}

/**
 * Events as authorizations write them. Every filter has common values, rare values, and values in
 * between.
 */
function eventsSql({ series, afterIds }: Beside, from: number, to: number): string {
  const at = '1700000000000 + i * 1000';
  const amount = '(i * 7919) % 1000000';
  const values: Record<string, string> = {
    id: 'i',
    company_id: 'case when i % 10 = 0 then 2 else 1 end',
    event_type: `case when i % 1000 = 0 then 'virtualcard.created' else 'virtualcard.realtime.auths' end`,
    created_at_ms: at,
    merchant_amount: amount,
    billing_amount: amount,
    transaction_date_time_ms: at,
    approval_code: 'cast(100000 + (i * 31) % 900000 as text)',
    net_reference_number: `'MCC' || cast(100000 + (i * 31) % 900000 as text) || '1120'`,
    card_number: `'************' || cast(1000 + (i * 17) % 9000 as text)`,
    financial_network_code: `'MCC'`,
    mcc_description: `case when i % 100000 = 1 then 'Zoos' else 'Eating places' end`,
    mcc: `case when i % 100000 = 1 then '7998' when i % 3 = 0 then '5812' else cast(5000 + i % 800 as text) end`,
    merchant_name: `'Merchant ' || (i % 5000)`,
    merchant_id: `'M' || (i % 5000)`,
    decline_reason: `case when i % 10000 = 0 then 'J' when i % 20 = 0 then 'F' end`,
    rcn_alias: `'Travel'`,
    rcn_id: '1',
    transaction_type: `case when i % 50 = 0 then 'Reversal Request' else 'Authorization Request' end`,
    vcn_id: '1 + (i * 7919) % 100000',
    payload_id: 'cast(i as text)',
    status: `case when i % 20 = 0 then 'declined' else 'open' end`,
    request_id: `'request-' || i`,
    payload: `'[0,' || i || ',1,' || (1 + (i * 7919) % 100000) || ',1,"Travel",'
      || '"************1234","Authorization Request","Authorization Request",'
      || '"OLD' || i || '","123456","2026-05-20T12:00:00Z",'
      || (${amount}) || ',"USD",' || (${amount}) || ',"USD",'
      || '"M1","Merchant ' || (i % 5000) || '","Portland","OR",'
      || '"5812","Eating places","MCC1234561120","1234",'
      || 'null,"00","MCC",null,'
      || 'null,null,"1120",'
      || '{"billing_amount":null,"settlement_amount":null,"transaction_amount":null},"open",'
      || 'null,null,"Valid","Approved","00","A1B2C3",'
      || '{"code":"V","reason":"no reason to decline applies","facts":[{"name":"asked","value":12},{"name":"available_after","value":9}]}]'`,
  };
  return `insert into tallystick_events (${Object.keys(values).join(', ')}) select ${Object.values(values).join(', ')}
    from ${series(from, to)} where i <= ${to}${afterIds('tallystick_events')}`;
}
