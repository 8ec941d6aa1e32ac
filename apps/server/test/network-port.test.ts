import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { sandbox_keys } from '@tallystick/access';
import { scratchDatabase, startServer } from '@tallystick/test-support';

async function started(t: TestContext, env: Record<string, string>) {
  const database = await scratchDatabase('sqlite');
  t.after(() => database.dispose());
  const server = await startServer({ database_url: database.database_url, env });
  t.after(() => server.kill());
  return server;
}

async function post(url: string, path: string, role: 'client' | 'network', data: object) {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox_keys[role]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ data, show_card_number: role === 'client' ? true : undefined }),
  });
  return { status: answer.status, json: (await answer.json()) as { data: Record<string, string>; code: string } };
}

const purchase = {
  message_type_indicator: '0100',
  billing_amount: 100,
  billing_currency: 'USD',
  merchant_amount: 100,
  merchant_currency: 'USD',
  mcc: '5812',
  trace_id: 'T1',
  system_trace_audit_number: '1',
  transaction_date_time: '2030-01-01T00:00:00Z',
};

describe('NETWORK_PORT', () => {
  it('receives messages of the network, which the main port then does not, and nothing else', async (t) => {
    const server = await started(t, { NETWORK_PORT: '0' });
    const network_url = /^Messages of the card network: (http\S+)$/m.exec(server.output())?.[1] ?? '';
    const { json } = await post(server.url, '/v1/virtualcards', 'client', { total_card_amount: 1_000 });
    const message = { ...purchase, card_number: json.data.card_number };
    const path = '/network/v1/authorizations';

    const decided = await post(network_url, path, 'network', message);
    assert.deepEqual([decided.status, decided.json.data.response_code], [200, '00']);
    for (const spelled of [path, `${path}?x=1`]) {
      assert.equal((await post(server.url, spelled, 'network', message)).json.code, 'not_found');
    }
    assert.equal((await fetch(network_url + path)).status, 405);
    for (const other of ['/v1/virtualcards', '/v1/virtualcards?x=1', '/docs', '/openapi.json', '/oauth2/token', '/']) {
      assert.equal((await fetch(network_url + other)).status, 404, other);
    }
    for (const url of [server.url, network_url]) {
      assert.deepEqual([(await fetch(`${url}/healthz`)).status, (await fetch(`${url}/metrics`)).status], [200, 200]);
    }
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
    await assert.rejects(fetch(`${network_url}/healthz`));
  });

  it('that is in use is named when the server does not start', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await assert.rejects(
      started(t, { NETWORK_PORT: String(port) }),
      new RegExp(`Port ${port} on 127.0.0.1 is in use: .* set NETWORK_PORT`),
    );
  });
});
