import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { answerBrokenRequest } from '../../src/answer/broken-request.ts';

/** Returns the answer of a server to these bytes, until it closes. */
async function answerTo(t: TestContext, bytes: string): Promise<string> {
  const server = createServer((_, response) => response.end('fine'));
  server.on('clientError', answerBrokenRequest);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

for (const [what, bytes, status, code] of [
  ['no HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
  ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
  ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400, 'malformed_request'],
  ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
] as const) {
  test(`bytes that are not a request (${what}) are answered with the usual error body`, async (t) => {
    const answer = await answerTo(t, bytes);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Record<string, string>;
    assert.deepEqual(Object.keys(body), ['error', 'code', 'request_id']);
    assert.equal(body.code, code);
    assert.ok(answer.includes(`X-Request-Id: ${body.request_id}\r\n`));
  });
}
