import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createNetwork } from '@tallystick/cards';
import { spend } from '@tallystick/harness';
import { database_names } from '@tallystick/test-support';
import type pg from 'pg';
import type { NamedQuery } from '../src/connection/postgres/named-query.ts';
import { sendTogether } from '../src/connection/postgres/send-together.ts';
import {
  authorizationsById,
  begin,
  clearingsByReference,
  clearingsOfMerchants,
  lockByNumber,
  lockByNumberOrId,
  lockDue,
  neighbourClearings,
} from '../src/ledger/postgres-ledger-statements.ts';
import { postgres_lookups } from '../src/ledger/postgres-lookups.ts';
import {
  authorizationMessage,
  clearingMessage,
  indexOf,
  noon_ms,
  openLedger,
  plain_quarantine,
  seededDatabase,
} from './ledger-fixture.ts';

const cards = [1, 2, 3];
/** So many that to read all of them is never the cheapest plan. */
const other_cards = 5_000;
const authorizations_of_each = 500;
const clearings_of_each = 200;

const hexOf = (card_id: number) => Buffer.from(indexOf(card_id)).toString('hex');
const searches = cards.map((card_id) => ({
  card_id,
  merchant_ids: ['M1'],
  since_ms: noon_ms,
  amounts: [7],
  is_credit: true,
}));
const references = cards.map((card_id) => ({ number_index: hexOf(card_id), vcn_id: null }));
const keys = ['approval_code 123456', 'network_reference 123456'] as const;

const lookups: Readonly<Record<string, NamedQuery>> = {
  'cards by number': lockByNumber(cards.map((id) => indexOf(id))),
  'cards by number or id': lockByNumberOrId([indexOf(1)], [2, 3]),
  'cards with a hold due': lockDue(noon_ms, 10),
  'authorizations by id': authorizationsById([1, 2, 3]),
  traces: postgres_lookups.traces(
    cards.map((id) => indexOf(id)),
    cards.map((id) => `T${id}-0`),
  ),
  'holds due and next': postgres_lookups.holdsDueAndNext(cards, noon_ms),
  'roots by reference': postgres_lookups.rootsByReference(references.map((message) => ({ ...message, keys }))),
  'roots of a merchant': postgres_lookups.rootsOfMerchants(searches),
  'clearings around a message': neighbourClearings(
    cards.map((card_id) => ({
      card_id,
      clearings_max: 10,
      root_ids: [],
      root_keys: [],
      roots_of_merchant: [],
      clearing_ids: [1],
      clearing_keys: ['acquirer_reference_data 1', 'approval_code 123456', 'network_reference 123456'],
      clearings_of: [1],
      referring_to: [1],
      clearings_of_merchant: [{ merchant_id: 'M1', since_ms: noon_ms, debits: true }],
    })),
  ),
  windows: postgres_lookups.windows(cards.map((card_id) => ({ card_id, window_start_ms: 0 }))),
  'clearings by reference': clearingsByReference(
    references.map((message) => ({
      ...message,
      transaction_id: 'C1-0',
      referring: true,
      acquirer_reference_data: 'A1',
      approval_code: '100001',
      network_reference: '100001',
    })),
  ),
  'clearings of a merchant': clearingsOfMerchants(searches),
};

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Sort Key'?: readonly string[];
  readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Columns that must be in the condition on an index, because each of its values has many rows. */
const needed_columns: Readonly<Record<string, readonly string[]>> = {
  tallystick_authorization_keys_pkey: ['card_id', 'key'],
  tallystick_authorizations_pkey: ['id'],
  tallystick_clearings_approval: ['card_id', 'approval_code'],
  tallystick_clearings_acquirer_reference: ['card_id', 'acquirer_reference_data'],
  tallystick_clearings_network_reference: ['card_id', 'net_reference_number'],
  tallystick_clearings_reference: ['card_id', 'clearing_id'],
};

/** Tables with one row in this test. */
const single_rows: readonly string[] = ['tallystick_companies', 'tallystick_real_cards'];

/** Why a step of a plan reads more than its lookup asks for; null when it does not. */
function problemOf(node: Plan): string | null {
  if (single_rows.includes(node['Relation Name'] ?? '')) return null;
  if ((node['Rows Removed by Join Filter'] ?? 0) > 0) return 'compares rows only after it has read them';
  if (node['Node Type'] === 'Sort' && !node['Sort Key']?.includes('((v.id + 0))')) return 'sorts what it has read';
  if (node['Node Type'].includes('Seq Scan')) return 'reads a whole table';
  if (!node['Node Type'].includes('Index')) return null;
  const condition = node['Index Cond'] ?? '';
  const columns = needed_columns[node['Index Name'] ?? ''] ?? [];
  const missing = columns.filter((column) => !new RegExp(`\\b${column}\\b.* [<>=]`).test(condition));
  if (missing.length > 0) return `looks up without ${missing.join(', ')}`;
  return condition === '' ? 'reads a whole index' : null;
}

/** Runs each lookup as a pass does, with the plan that a connection keeps for any values. */
async function explain(pool: pg.Pool, check: (name: string, node: Plan) => void): Promise<void> {
  const client = await pool.connect();
  try {
    await sendTogether(client, begin(5_000));
    await client.query('set local plan_cache_mode = force_generic_plan');
    for (const [name, { text, values }] of Object.entries(lookups)) {
      await client.query(`prepare looked_up as ${text}`);
      const { rows } = await client.query(
        `explain (analyze, verbose, format json) execute looked_up(${values!.map(literal).join(', ')})`,
      );
      await client.query('deallocate looked_up');
      const plan: Plan = rows[0]['QUERY PLAN'][0].Plan;
      assert.match(JSON.stringify(plan), /\$1/, 'the plan is for these values only');
      for (const node of nodesOf(plan)) check(name, node);
    }
  } finally {
    await client.query('rollback');
    client.release();
  }
}

function literal(value: unknown): string {
  return Array.isArray(value) ? `'{${value.map(element).join(',')}}'` : `'${value}'`;
}

function element(value: unknown): string {
  return value instanceof Uint8Array ? `"\\\\x${Buffer.from(value).toString('hex')}"` : `"${value}"`;
}

describe('a lookup of a pass on Postgres', {
  skip: database_names.includes('postgres') ? false : 'no Postgres',
}, () => {
  it('reads only the keys that it asks for, whatever the statistics', async (t) => {
    const database = await seededDatabase('postgres', cards.length, {
      per_transaction_max: 1_000_000,
      total_card_amount: 1_000_000,
    });
    t.after(() => database.dispose());
    const open = await openLedger(database.database_url);
    t.after(() => open.close());
    const { connection, ledger } = open;
    assert(connection.dialect === 'postgres');
    await connection.pool.query(`insert into tallystick_virtual_cards
      select (jsonb_populate_record(v, jsonb_build_object('id', 1000 + i, 'number_index', sha256(i::text::bytea)))).*
      from tallystick_virtual_cards v cross join generate_series(1, ${other_cards}) as s (i) where v.id = 1`);
    for (let count = 0; count < authorizations_of_each; count += 50) {
      const messages = cards.flatMap((id) =>
        Array.from({ length: 50 }, (_, at) => authorizationMessage(id, { trace_id: `T${id}-${count + at}` })),
      );
      await ledger.pass(messages, spend(messages));
    }
    const check = (statistics: string) =>
      explain(connection.pool, (name, node) => {
        assert.equal(problemOf(node), null, `${name}, ${statistics}: ${JSON.stringify(node)}`);
      });
    await check('without statistics');
    await connection.pool.query('vacuum analyze');
    await check('with statistics, without clearings');
    const random = { below: () => 1, bytes: (count: number) => new Uint8Array(count) };
    const network = createNetwork({ ledger, vault: { cvcMatches: () => true }, random, ...plain_quarantine });
    await Promise.all(
      cards.flatMap((id) =>
        Array.from({ length: clearings_of_each }, (_, at) =>
          network.clear(
            clearingMessage(id, {
              network_financial_transaction_id: `C${id}-${at}`,
              merchant_id: 'another',
              acquirer_reference_data: `A${at}`,
              approval_code: String(100_000 + at),
              net_reference_number: `MCC${100_000 + at}0520`,
            }),
          ),
        ),
      ),
    );
    await connection.pool.query('vacuum analyze');
    await check('with statistics');
  });
});
