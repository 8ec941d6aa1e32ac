import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it, type TestContext } from 'node:test';
import { checkedFetch, UndocumentedAnswer } from '../src/checked-fetch.ts';

/** The URL of a server that ends with the test. */
async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('an answer of the service fails the test when the service has no document', async (t) => {
  const url = await serve(t, ({ url: path }, res) => {
    res.setHeader('X-Request-Id', 'r1');
    res.statusCode = path === '/openapi.json' ? 503 : 200;
    res.end('{}');
  });
  await assert.rejects(checkedFetch(`${url}/v1/virtualcards`), UndocumentedAnswer);
});

it('an answer of the service fails the test when its document cannot be read', async (t) => {
  const url = await serve(t, ({ url: path }, res) => {
    if (path === '/openapi.json') res.destroy();
    else res.setHeader('X-Request-Id', 'r1').end('{}');
  });
  await assert.rejects(checkedFetch(`${url}/v1/virtualcards`), UndocumentedAnswer);
});

it('an answer of another server needs no document', async (t) => {
  const url = await serve(t, ({ url: path }, res) => {
    res.statusCode = path === '/openapi.json' ? 404 : 200;
    res.end('taken');
  });
  const answer = await checkedFetch(`${url}/callback`);
  assert.equal(await answer.text(), 'taken');
});
