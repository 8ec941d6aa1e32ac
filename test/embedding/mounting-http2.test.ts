import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { createHttpApp, createMetrics, createNodeHandler, type HttpAppPorts } from '@tallystick/koa';
import { sandbox_keys } from '@tallystick/test-support';
import { startService } from '../http/service.ts';

it('the interface is also served by a host that speaks HTTP/2', async (t) => {
  let ports: HttpAppPorts | undefined;
  await startService(t, 'sqlite', (given) => {
    ports = given;
    return given;
  });
  const app = createHttpApp({ ...ports!, metrics: createMetrics({ process_metrics: false }) });
  const handler = createNodeHandler(app, { prefix: '/cards' });
  // Node's requests of HTTP/2 have the interface of those of HTTP/1.
  const server = createServer((req, res) =>
    handler(req as unknown as IncomingMessage, res as unknown as ServerResponse),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.after(async () => {
    client.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  const send = async (method: string, path: string, body?: string) => {
    const stream = client.request({
      ':method': method,
      ':path': `/cards${path}`,
      authorization: `Bearer ${sandbox_keys.client}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    });
    stream.on('error', () => undefined);
    stream.end(body);
    const [headers] = await once(stream, 'response');
    stream.setEncoding('utf8');
    return { status: headers[':status'], text: (await stream.toArray()).join('') };
  };

  const made = await send('POST', '/v1/virtualcards', JSON.stringify({ data: { total_card_amount: 5 } }));
  assert.equal(made.status, 200, made.text);
  const listed = await send('GET', '/v1/virtualcards?page[limit]=1');
  assert.deepEqual(JSON.parse(listed.text).links, { first: '/cards/v1/virtualcards?page[limit]=1', next: null });
  assert.equal((await send('DELETE', `/v1/virtualcards/${JSON.parse(made.text).data.id}`)).status, 204);
  const large = await send('POST', '/v1/virtualcards', JSON.stringify({ data: 'x'.repeat(2_000_000) }));
  assert.equal(large.status, 413, large.text);
  const table = await send('GET', '/v1/reconciliation/items.csv');
  assert.equal(table.status, 200);
  assert.match(table.text, /^id,/);
  assert.equal((await send('GET', '/v1/virtualcards')).status, 200);
});
