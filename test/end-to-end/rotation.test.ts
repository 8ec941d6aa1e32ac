import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clearing_formats } from '@tallystick/clearing-files';
import {
  database_names,
  migratedDatabase,
  readRows,
  runAdmin,
  type ScratchDatabase,
  type ServerProcess,
  send,
  sendUntilAdmitted,
  startServer,
  testRuns,
} from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';
import { authorize, availableBalance, type Card, issue, purchase } from './purchases.ts';
import { filesAsPlaces } from './traces.ts';

const key = (id: string) => `${id}:${Buffer.alloc(32, `the key ${id}`).toString('base64')}`;

/**
 * The ring in the steps of a rotation: the new key known to all, then in front, then without the
 * old one.
 */
const rings = {
  both_old_first: [key('k1'), key('k2'), key('index')].join(','),
  both_new_first: [key('k2'), key('k1'), key('index')].join(','),
  new_alone: [key('k2'), key('index')].join(','),
};

const operator = { key: 'operator' } as const;

/**
 * Imports two files with one id. The second one is held, with its records staged. Returns its path.
 */
async function holdFile(url: string, { id }: Pick<Card, 'id'>, status = 'completed'): Promise<string> {
  const csv = clearing_formats.find(({ name }) => name === 'csv')!;
  const paths: string[] = [];
  for (const billing_amount of [100, 101]) {
    const input = {
      vcn_id: Number(id),
      network_financial_transaction_id: `TX-${billing_amount}`,
      billing_amount,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2030-03-16',
    } as const;
    const content = { sequence: 1, created_on: '2030-03-16', mode: 'production', clearings: [{ input }] } as const;
    const body = Buffer.concat([...csv.write!(content, 'totals')]).toString();
    const { json } = await send(url, 'POST', '/operator/v1/imports?name=a.csv', { ...operator, body });
    paths.push(json.data.url);
    assert.equal(json.data.status, billing_amount === 100 ? status : 'held');
  }
  return paths.at(-1)!;
}

interface NumberRow {
  readonly id: number;
  readonly number_key_id: string;
  readonly number_sealed: Uint8Array;
}

/** The columns of bytes, as `table.column`, with those of their values that begin as one sealed with k1. */
async function bytesColumns(database: ScratchDatabase): Promise<ReadonlyMap<string, number>> {
  const columns = await readRows<{ table_name: string; column_name: string }>(
    database,
    database.name === 'sqlite'
      ? `select m.name as table_name, c.name as column_name from sqlite_master m, pragma_table_info(m.name) c
         where m.type = 'table' and lower(c.type) = 'blob'`
      : `select table_name, column_name from information_schema.columns
         where table_schema = 'public' and data_type = 'bytea'`,
  );
  const head = Buffer.from('\x01\x02k1', 'latin1').toString('hex');
  const hex = (column: string) => (database.name === 'sqlite' ? `lower(hex(${column}))` : `encode(${column}, 'hex')`);
  const found = new Map<string, number>();
  for (const { table_name, column_name } of columns) {
    const sql = `select count(*) as count from ${table_name} where ${hex(column_name)} like '${head}%'`;
    const [row] = await readRows<{ count: number }>(database, sql);
    found.set(`${table_name}.${column_name}`.replace('tallystick_', ''), Number(row!.count));
  }
  return found;
}

/** Columns of bytes that no key of the ring seals: hashes, and values of filters. */
const unsealed_columns = [
  'api_keys.secret_sha256',
  'console_sessions.token_sha256',
  'event_filter_blocks.entries',
  'event_filter_blocks.first_key',
  'idempotency_records.request_sha256',
  'one_time_links.token_sha256',
  'portal_links.token_sha256',
  'quarantine.identity_sha256',
  'unknown_number_messages.number_index',
  'virtual_card_metadata.entry',
  'virtual_cards.number_index',
];

describe('key rotation', { concurrency: true }, () => {
  for (const name of database_names) {
    describe(`with cards in use, ${name}`, { concurrency: 1 }, () => {
      let database: ScratchDatabase;
      const servers: ServerProcess[] = [];
      const cards: Card[] = [];
      before(async () => {
        database = await migratedDatabase(name);
      });
      after(async () => {
        await Promise.all(servers.map((server) => server.kill()));
        await database?.dispose();
      });
      const startWith = async (TALLYSTICK_KEYS: string): Promise<ServerProcess> => {
        const server = await startServer({ database_url: database.database_url, env: { TALLYSTICK_KEYS } });
        servers.push(server);
        return server;
      };
      const numbers = (): Promise<readonly NumberRow[]> =>
        readRows<NumberRow>(
          database,
          'select id, number_key_id, number_sealed from tallystick_virtual_cards order by id',
        );

      /** Reads the card with its number and code, and uses it with them. */
      const use = async (url: string, card: Card): Promise<void> => {
        const { card_number, cvc, expiry } = await reveal(url, card);
        const decided = await authorize(url, purchase(card_number, 100, { cvc, expiry }));
        assert.equal(decided.json.data.response_code, '00', decided.text);
      };
      const reveal = async (url: string, card: Card): Promise<Card> => {
        const read = await sendUntilAdmitted(url, 'GET', `/v1/virtualcards/${card.id}?show_card_number=true`);
        assert.equal(read.status, 200, read.text);
        const { card_number, cvc, expiry } = read.json.data;
        assert.deepEqual([card_number, cvc, expiry], [card.card_number, card.cvc, card.expiry]);
        return read.json.data;
      };
      /** Uses old and new cards, from several callers, until `done`. Returns the number of uses. */
      const useUntil = async (url: string, done: Promise<unknown>): Promise<number> => {
        let over = false;
        const finished = done.finally(() => {
          over = true;
        });
        let uses = 0;
        const callers = Array.from({ length: 3 }, async (_, caller) => {
          for (let turn = 0; !over; turn += 1) {
            if (turn % 10 === 0) cards.push(await issue(url, { total_card_amount: 1_000_000 }));
            else await use(url, cards[(caller * 31 + turn * 17) % cards.length]!);
            uses += 1;
          }
        });
        await Promise.all([finished, ...callers]);
        return uses;
      };

      it('reads and uses every card before, during and after, and leaves no value of the old key', async () => {
        const [old_first, new_first] = await Promise.all([
          startWith(rings.both_old_first),
          startWith(rings.both_new_first),
        ]);
        const wanted = testRuns({ short: 40, full: 40 });
        while (cards.length < wanted) {
          const more = Array.from({ length: 20 }, () => issue(old_first.url, { total_card_amount: 1_000_000 }));
          cards.push(...(await Promise.all(more)));
        }
        const held = await holdFile(old_first.url, cards[0]!);
        const before_it = await numbers();
        assert.ok(before_it.every(({ number_key_id }) => number_key_id === 'k1'));

        // The new ring is distributed node by node. For a while both rings are in use, and each
        // node reads what the others write.
        const both = [old_first.url, new_first.url];
        await Promise.all(
          both.map((url) => issue(url, { total_card_amount: 1_000_000 }).then((card) => cards.push(card))),
        );
        await Promise.all(both.flatMap((url) => cards.slice(-6).map((card) => use(url, card))));
        await useUntil(new_first.url, old_first.stop());

        const options = { database_url: database.database_url, env: { TALLYSTICK_KEYS: rings.both_new_first } };
        const rotating = runAdmin(['keys', 'rotate'], options);
        const uses = await useUntil(new_first.url, rotating);
        assert.ok(uses > 0, 'cards were in use while keys were rotated');
        const { newest_key_id, card_numbers, staged_batches } = await rotating;
        assert.deepEqual([newest_key_id, staged_batches], ['k2', 1]);
        assert.ok(Number(card_numbers) >= before_it.length, `${card_numbers} of ${before_it.length} were sealed again`);

        const after_it = await numbers();
        assert.equal(after_it.length, cards.length);
        assert.deepEqual(
          after_it.filter(({ number_key_id }) => number_key_id !== 'k2'),
          [],
        );
        const { card_vault } = createVault(parseKeyRing(rings.new_alone));
        for (const [at, { number_sealed }] of after_it.entries()) {
          const { card_number } = cards.find(({ id }) => Number(id) === after_it[at]!.id) as Card;
          assert.equal(card_vault.open(number_sealed).reveal(), card_number);
        }

        // Everything still works without the old key.
        const alone = await startWith(rings.new_alone);
        for (let at = 0; at < cards.length; at += 20) {
          await Promise.all(cards.slice(at, at + 20).map((card) => reveal(alone.url, card)));
        }
        const body = { data: { note: 'the sender confirmed it' } };
        const released = await send(alone.url, 'POST', `${held}/release`, { ...operator, body });
        assert.deepEqual([released.json.data?.status, released.json.data?.applied], ['completed', 1], released.text);
        const last = cards.at(-1) as Card;
        await use(alone.url, last);
        const balance = await availableBalance(alone.url, last.id);
        assert.ok(balance < 1_000_000 && balance === (await availableBalance(new_first.url, last.id)));
        // The last one to close the file of SQLite removes its log. Of two at the same time neither may.
        await alone.stop();
        await new_first.stop();

        const old_ones = before_it.map(({ number_sealed }) => Buffer.from(number_sealed));
        if (name === 'sqlite') {
          const left = filesAsPlaces(database).filter(({ bytes }) => old_ones.some((old) => bytes.includes(old)));
          assert.deepEqual(
            left.map(({ name }) => name),
            [],
            'values sealed by the old key are not even in the free space of the file',
          );
        }
        const rows = (await numbers()).map(({ number_sealed }) => Buffer.from(number_sealed).toString('hex'));
        assert.ok(old_ones.every((old) => !rows.includes(old.toString('hex'))));
      });

      it('seals every column that holds a sealed value, so that the old key can be removed', async () => {
        const scratch = await migratedDatabase(name);
        try {
          const options = { database_url: scratch.database_url, env: { TALLYSTICK_KEYS: rings.both_old_first } };
          const server = await startServer(options);
          servers.push(server);
          const { url } = server;
          const post = async (path: string, body: unknown, key: 'client' | 'operator' = 'client') => {
            const made = await send(url, 'POST', path, { key, body });
            assert.ok(made.status === 200 || made.status === 204, made.text);
            return made.json?.data;
          };
          const once = {
            body: { data: { total_card_amount: 5_000 }, show_card_number: true },
            headers: { 'Idempotency-Key': 'once' },
          };
          const first = await send(url, 'POST', '/v1/virtualcards', once);
          assert.equal(first.status, 200, first.text);
          await post('/v1/virtualcards', { data: { total_card_amount: 5_000, emails: ['ann@example.com'] } });
          const signed = { company_id: 1, role: 'client', name: 'signed', signing_secret: 'a signing secret' };
          await post('/operator/v1/keys', { data: signed }, 'operator');
          const anna = { handle: 'anna', name: 'Anna', grants: [] };
          const { url: person } = await post('/operator/v1/people', { data: anna }, 'operator');
          await post(`${person}/reset-totp`, undefined, 'operator');
          const webhook = await post('/v1/webhooks', {
            data: { callback_url: 'https://example.com/', event_type_ids: [3] },
          });
          await post(`/v1/webhooks/${webhook.id}/rotate-secret`, {});
          const endpoint = { data: { url: 'https://example.com/decide', status: 'inactive' } };
          const put = await send(url, 'PUT', '/v1/decision-endpoint', { key: 'client', body: endpoint });
          assert.equal(put.status, 200, put.text);
          await post('/v1/decision-endpoint/rotate-secret', {});
          await holdFile(url, { id: '999' }, 'completed_with_quarantine');
          const token = await fetch(`${url}/oauth/token`, {
            method: 'POST',
            headers: { Authorization: `Basic ${btoa('sandbox-aisp:sandbox-aisp-secret')}` },
            body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'accounts' }),
          });
          assert.equal(token.status, 200, await token.text());
          await post('/sandbox/v1/clock', { data: { advance: 'PT0S' } }, 'operator'); // the mail is sent

          const before_it = await bytesColumns(scratch);
          const sealed = [...before_it].filter(([, count]) => count > 0).map(([column]) => column);
          const others = [...before_it.keys()].filter((column) => !sealed.includes(column)).toSorted();
          assert.deepEqual(others, unsealed_columns, 'this test fills each column that a key of the ring seals');
          assert.ok(sealed.includes('idempotency_records.answer_sealed'));

          await server.stop();
          await runAdmin(['keys', 'rotate'], { ...options, env: { TALLYSTICK_KEYS: rings.both_new_first } });
          const left = [...(await bytesColumns(scratch))].filter(([, count]) => count > 0);
          assert.deepEqual(left, [], 'values of the old key');

          const alone = await startServer({ ...options, env: { TALLYSTICK_KEYS: rings.new_alone } });
          servers.push(alone);
          const repeated = await send(alone.url, 'POST', '/v1/virtualcards', once);
          assert.equal(repeated.text, first.text, 'an answer outlives the key that sealed it');
          assert.equal(repeated.headers.get('Idempotent-Replayed'), 'true');
          const actions = await send(alone.url, 'GET', '/operator/v1/audit?filter[action]=keys.rotated', operator);
          assert.deepEqual(
            actions.json.data.map(({ actor, object }: { actor: string; object: string }) => [actor, object]),
            [['command', 'key_ring:k2']],
          );
        } finally {
          await scratch.dispose();
        }
      });
    });
  }
});
