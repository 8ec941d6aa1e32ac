import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import {
  database_names,
  type ServerProcess,
  sandbox_keys,
  scratchDatabase,
  send,
  startServer,
  until,
} from '@tallystick/test-support';
import pg from 'pg';
import { authorizationBody } from '../bench/http-requests.ts';

/** The statements of the guide, with partitions that begin at this id. */
function statementsFrom(id: number): string {
  const guide = readFileSync(new URL('../../docs/sizing.md', import.meta.url), 'utf8');
  const [, statements] = /```sql\n(.*?)```/s.exec(guide) ?? [];
  assert.ok(statements, 'docs/sizing.md has no SQL');
  return statements.replaceAll('50000000', String(id)).replaceAll('100000000', String(id + 1_000_000));
}

it('decides, lists and reconciles on the partitions of the guide', {
  skip: !database_names.includes('postgres'),
  // What a lost trigger does not tell would be waited for.
  timeout: 120_000,
}, async () => {
  const database = await scratchDatabase('postgres');
  const client = new pg.Client(database.database_url);
  let server: ServerProcess | null = null;
  const ask = async (method: string, path: string, key: string, body?: object) => {
    const reply = await send(server!.url, method, path, body === undefined ? { key } : { key, body });
    assert.equal(reply.status, 200, reply.text);
    return JSON.parse(reply.text);
  };
  const listed = async (path: string, text: string) => {
    const { data } = await ask('GET', path, sandbox_keys.client);
    return JSON.stringify(data).includes(text);
  };
  try {
    await client.connect();
    server = await startServer(database);
    const body = { data: { total_card_amount: 100_000 }, show_card_number: true };
    const { card_number } = (await ask('POST', '/v1/virtualcards', sandbox_keys.client, body)).data;
    const decide = async (trace_id: string) => {
      const { data } = await ask('POST', '/network/v1/authorizations', sandbox_keys.network, {
        data: authorizationBody(card_number, trace_id),
      });
      assert.equal(data.response_code, '00');
      return data as { readonly id: number; readonly approval_code: string };
    };
    const before = await decide('BEFORE');
    await server.stop();

    const { rows } = await client.query(
      'select greatest((select max(id) from tallystick_events), (select max(id) from tallystick_authorizations)) + 1 as next',
    );
    await client.query(
      `select setval('tallystick_events_id_seq', $1), setval('tallystick_authorizations_id_seq', $1)`,
      [rows[0].next],
    );
    await client.query(statementsFrom(Number(rows[0].next)));
    server = await startServer(database);
    const after = await decide('AFTER');
    assert.equal((await decide('BEFORE')).id, before.id, 'a repeated message is found in its partition');
    assert.equal((await client.query('select count(*)::int as count from authorizations_later')).rows[0].count, 1);
    assert.equal((await client.query('select count(*)::int as count from events_later')).rows[0].count, 1);

    for (const { approval_code } of [before, after]) {
      assert.ok(await listed(`/v1/events?filter[payload.approval_code]=${approval_code}`, approval_code));
    }
    for (const { id } of [before, after]) {
      await until(() => listed('/v1/reconciliation/items', `"authorization_ids":[${id}]`));
    }
  } finally {
    await server?.kill();
    await client.end();
    await database.dispose();
  }
});
