import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createNetwork } from '@tallystick/cards';
import pg from 'pg';
import { filledDatabase } from './filled-database.ts';
import type { Bench } from './main.ts';
import { interleave, row } from './measure.ts';
import { byCallers, no_codes, plain_quarantine, purchases, random } from './messages.ts';

const callers = 64;
const clients = 32;
const cards = 1_000;

/**
 * Decides and records in process on Postgres, against pgbench, which writes the same rows with one
 * authorization per transaction.
 */
export const decide_postgres: Bench = {
  name: 'decide-postgres',
  async run({ quick, repetitions, postgres, log }) {
    if (!postgres) return [];
    const time_ms = quick ? 1_000 : 3_000;
    const pgbench = pgbenchPath();
    const baseline_name = pgbench === null ? `node-pg, ${clients} clients` : `pgbench, ${clients} clients`;
    log(
      `${callers} callers over ${cards} cards, ${time_ms} ms each time, on Postgres; ${pgbench ?? 'without pgbench'}`,
    );
    const fill = { cards, authorizations: 0, events: 0 };
    const ours = await filledDatabase('postgres', fill);
    const theirs = await filledDatabase('postgres', fill);
    const network = createNetwork({ ledger: ours.persistence.ledger, vault: no_codes, random, ...plain_quarantine });
    const baseline = () =>
      pgbench === null ? nodeClients(theirs.database_url, time_ms) : runPgbench(pgbench, theirs.database_url, time_ms);
    await byCallers(callers, purchases(callers * 20, cards), network.authorize);
    const medians = await interleave(repetitions, {
      ours: () => byCallers(callers, purchases(quick ? 20_000 : 60_000, cards), network.authorize, time_ms),
      baseline,
    });
    await ours.dispose();
    await theirs.dispose();
    return [
      row(
        'decide and record, Postgres, 64 callers',
        '/s',
        { ...medians, baseline_name },
        { kind: 'at_least', ratio: 2.5 },
        pgbench === null ? 'pgbench was not found: the baseline is a loop of prepared statements in Node' : null,
      ),
    ];
  },
};

/** The path of pgbench, from PATH or the usual folders; null if it is not found. */
function pgbenchPath(): string | null {
  const folders = (process.env.PATH ?? '').split(':');
  for (let version = 20; version >= 12; version -= 1) folders.push(`/usr/lib/postgresql/${version}/bin`);
  return folders.map((folder) => join(folder, 'pgbench')).find((path) => existsSync(path)) ?? null;
}

/**
 * The statements of one authorization: read a card by its number and lock it, update it, insert
 * both rows. `{card}` and `{number}` vary. A colon within the statements is followed by a space,
 * because pgbench would otherwise read a variable.
 */
const statements = [
  `select v.id, v.company_id, v.rcn_id, r.alias, r.billing_currency, v.status, v.last4, v.per_transaction_min,
     v.per_transaction_max, v.total_card_amount, v.transactions_max, v.valid_starting_on, v.valid_ending_on, v.held,
     v.cleared, v.uses
   from tallystick_virtual_cards v join tallystick_real_cards r on r.id = v.rcn_id
   where v.number_index = sha256({card}::text::bytea) for update of v`,
  `update tallystick_virtual_cards set held = held + 12, uses = uses + 1, next_hold_end_ms = 1782518401000 where id = {card}::bigint`,
  `insert into tallystick_authorizations (id, company_id, card_id, root_id, message_type, incremental, trace_id,
     system_trace_audit_number, transaction_date_time_ms, decided_at_ms, approval_code, billing_amount,
     merchant_amount, merchant_currency, mcc, merchant_id, net_reference_number, window_start_ms, status, authorized,
     held, cleared, uses, hold_end_ms, request_id, details, facts, event_id)
   values (nextval('tallystick_authorizations_id_seq'), 1, {card}::bigint, currval('tallystick_authorizations_id_seq'), '0100', false, 'B' || {number}::text, '123456',
     1780000000000 + {number}::bigint, 1780000000000, ({number}::bigint % 900000)::text, 12, 12, 'USD', '5812', 'M123',
     'MCC' || (100000 + {number}::bigint % 900000)::text || '0520', 0, 'open', 12, 12, 0, 1, 1782518401000, 'request-1',
     '{"merchant_name": "Merchant 123","merchant_city": "Portland","merchant_state_or_country_code": "OR","mcc_description": "Eating places","acquirer_ica": "1234","financial_network_code": "MCC","settlement_date": "0520"}',
     '[1,1,12,null,0,0,0,1000000000000,null]', nextval('tallystick_events_id_seq'))`,
  `insert into tallystick_authorization_keys (card_id, key, authorization_id)
   select {card}::bigint, k.key, currval('tallystick_authorizations_id_seq') from (values
     ('mB' || {number}::text || '|0100123456|' || to_hex(1780000000000 + {number}::bigint)),
     ('p' || lpad(to_hex(currval('tallystick_authorizations_id_seq')), 7, '0')),
     ('a' || ({number}::bigint % 900000)::text || '|' || lpad(to_hex(currval('tallystick_authorizations_id_seq')), 7, '0')),
     ('n' || (100000 + {number}::bigint % 900000)::text || '|' || lpad(to_hex(currval('tallystick_authorizations_id_seq')), 7, '0')),
     ('hb19f079a6a68' || lpad(to_hex(currval('tallystick_authorizations_id_seq')), 7, '0'))) as k (key)`,
  `insert into tallystick_events (id, company_id, event_type, created_at_ms, merchant_amount, billing_amount,
     transaction_date_time_ms, approval_code, net_reference_number, card_number, financial_network_code,
     mcc_description, mcc, merchant_name, merchant_id, rcn_alias, rcn_id, transaction_type, vcn_id, payload_id, status, request_id,
     payload)
   values (currval('tallystick_events_id_seq'), 1, 'virtualcard.realtime.auths', 1780000000000, 12, 12, 1780000000000 + {number}::bigint,
     ({number}::bigint % 900000)::text, 'MCC' || (100000 + {number}::bigint % 900000)::text || '0520',
     '************1234', 'MCC', 'Eating places', '5812', 'Merchant 123', 'M123', 'Travel', 1, 'Authorization Request',
     {card}::bigint, currval('tallystick_authorizations_id_seq')::text, 'open', 'request-1',
     '[0,' || currval('tallystick_authorizations_id_seq')::text || ',1,' || {card}::text || ',1,"Travel","************1234","Authorization Request","Authorization Request","B' || {number}::text || '","123456","2026-05-20T12.00.00Z",12,"USD",12,"USD","M123","Merchant 123","Portland","OR","5812","Eating places","MCC1234560520","1234",null,null,"MCC",null,null,null,"0520",{"billing_amount": null,"settlement_amount": null,"transaction_amount": null},"open",null,null,"Valid","Approved","00","123456",{"code": "V","reason": "no reason to decline applies","facts": [{"name": "asked","value": 12},{"name": "available_after","value": 999999999988}]}]')`,
  `insert into tallystick_event_outbox (event_id, company_id, event_type)
   values (currval('tallystick_events_id_seq'), 1, 'virtualcard.realtime.auths')`,
];

async function runPgbench(pgbench: string, database_url: string, time_ms: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-bench-'));
  try {
    const script = join(folder, 'authorization.sql');
    const body = statements.map((text) => `${filled(text, ':card', ':number').replace(/\s+/g, ' ')};`);
    writeFileSync(
      script,
      [
        `\\set card random(1, ${cards})`,
        '\\set number random(1, 1000000000000)',
        'begin;',
        ...body,
        'commit;',
        '',
      ].join('\n'),
    );
    const seconds = String(Math.max(1, Math.round(time_ms / 1000)));
    const { stdout } = await promisify(execFile)(pgbench, [
      ...['--no-vacuum', '--protocol=prepared', `--client=${clients}`, '--jobs=2', `--time=${seconds}`],
      ...[`--file=${script}`, '--random-seed=rand', database_url],
    ]);
    const tps = /tps = ([\d.]+)/.exec(stdout)?.[1];
    if (tps === undefined) throw new Error(`pgbench reported no rate: ${stdout}`);
    return Number(tps);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The baseline without pgbench: as many clients of node-pg, each with one authorization per
 * transaction.
 */
async function nodeClients(database_url: string, time_ms: number): Promise<number> {
  const started_ms = performance.now();
  const counts = await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new pg.Client({ connectionString: database_url });
      await client.connect();
      let count = 0;
      while (performance.now() - started_ms < time_ms) {
        const values = { card: random.below(cards) + 1, number: random.below(1_000_000_000_000) };
        await client.query('begin');
        for (const [at, template] of statements.entries()) {
          const used = [...new Set(template.match(/\{(card|number)\}/g) ?? [])].map((name) => name.slice(1, -1));
          const place = (name: string) => `$${used.indexOf(name) + 1}`;
          const text = filled(template, place('card'), place('number'));
          await client.query({ name: `s${at}`, text, values: used.map((name) => values[name as keyof typeof values]) });
        }
        await client.query('commit');
        count += 1;
      }
      await client.end();
      return count;
    }),
  );
  return (counts.reduce((sum, count) => sum + count, 0) * 1000) / (performance.now() - started_ms);
}

function filled(text: string, card: string, number: string): string {
  return text.replaceAll('{card}', card).replaceAll('{number}', number);
}
