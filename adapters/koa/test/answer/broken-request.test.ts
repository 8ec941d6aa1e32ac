import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { machine_timers } from '@tallystick/kernel';
import { repeatableRandom, until } from '@tallystick/test-support';
import { createHttpServer } from '../../src/connection/http-server.ts';

interface Edge {
  readonly port: number;
  /** Requests that the test answers, in the order in which they began. */
  readonly begun: { readonly path: string; readonly res: ServerResponse }[];
  /** Resolves when the server has met bytes that are not a request. */
  readonly broken: Promise<unknown>;
  /** The lines of the log. */
  readonly logged: object[];
  /** Their messages. */
  readonly messages: (string | undefined)[];
}

/** A server that answers `/slow...` when the test does, and other paths immediately. */
async function edge(t: TestContext): Promise<Edge> {
  const begun: { path: string; res: ServerResponse }[] = [];
  const logged: object[] = [];
  const messages: (string | undefined)[] = [];
  const server = createHttpServer(
    (req, res) => {
      if (req.url?.startsWith('/slow')) begun.push({ path: req.url, res });
      else res.end(`answer to ${req.url}`);
    },
    {
      log: {
        info(fields, message) {
          logged.push(fields);
          messages.push(message);
        },
      },
      metrics: { request: () => undefined },
      timers: machine_timers,
      random: repeatableRandom(1),
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const broken = new Promise((resolve) => server.once('clientError', resolve));
  return { port: (server.address() as AddressInfo).port, begun, broken, logged, messages };
}

/** A connection that sends these bytes. `received` is what it was sent so far. */
function sendTo(t: TestContext, { port }: Edge, bytes: string) {
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => undefined);
  socket.write(bytes);
  const closed = once(socket, 'close');
  return {
    socket,
    /** All that was received when the connection ended. */
    async whole() {
      await closed;
      return received;
    },
    /** Waits until the answer to a path has arrived. */
    async has(text: string) {
      while (!received.includes(text)) await Promise.race([once(socket, 'data'), closed]);
    },
  };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const garbage = 'this is not HTTP\r\n\r\n';

/** The status lines in the order in which they were received. */
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

function bodyOf(text: string): Record<string, string> {
  return JSON.parse(text.slice(text.lastIndexOf('\r\n\r\n'))) as Record<string, string>;
}

for (const [what, bytes, status, code] of [
  ['no HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
  ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
  ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400, 'malformed_request'],
  ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ['a path without end', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'headers_too_large'],
  ['a request for a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
] as const) {
  it(`answers bytes that are not a request (${what}) with the usual error body, and logs it`, async (t) => {
    const server = await edge(t);
    const answer = await sendTo(t, server, bytes).whole();
    assert.deepEqual(statuses(answer), [status]);
    const body = bodyOf(answer);
    assert.deepEqual(Object.keys(body), ['error', 'code', 'request_id']);
    assert.equal(body.code, code);
    assert.ok(answer.includes(`X-Request-Id: ${body.request_id}\r\n`));
    assert.deepEqual(server.logged, [{ request_id: body.request_id, status, code }]);
    assert.deepEqual(server.messages, ['not a request']);
  });
}

it('logs a request that ends within its body as cut off', async (t) => {
  const server = await edge(t);
  const { socket, whole } = sendTo(t, server, 'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc');
  await until(() => server.begun.length === 1);
  socket.end();
  await whole();
  assert.deepEqual(server.messages, ['request cut off']);
});

describe('bytes that are not a request, after requests on the same connection', () => {
  it('are answered after the answer that is being made, which is whole', async (t) => {
    const server = await edge(t);
    const client = sendTo(t, server, get('/slow') + garbage);
    await until(() => server.begun.length === 1);
    const large = 'x'.repeat(3_000_000);
    server.begun[0]?.res.end(large);
    const text = await client.whole();
    assert.deepEqual(statuses(text), [200, 400]);
    assert.ok(text.includes(large));
    assert.equal(bodyOf(text).code, 'malformed_request');
  });

  it('are answered after an answer that is being sent', async (t) => {
    const server = await edge(t);
    const client = sendTo(t, server, get('/slow'));
    await until(() => server.begun.length === 1);
    const { res } = server.begun[0]!;
    res.writeHead(200, { 'Content-Length': '10' });
    res.write('first');
    await client.has('first');
    client.socket.write(garbage);
    await server.broken;
    res.end('later');
    const text = await client.whole();
    assert.deepEqual(statuses(text), [200, 400]);
    assert.ok(text.includes('firstlater'));
  });

  it('are answered after the answers to several requests, in their order', async (t) => {
    const server = await edge(t);
    const paths = ['/a', '/slow-1', '/b', '/slow-2', '/c'];
    const client = sendTo(t, server, paths.map(get).join('') + garbage + get('/never'));
    await until(() => server.begun.length === 1);
    server.begun[0]?.res.end('answer to /slow-1');
    await until(() => server.begun.length === 2);
    server.begun[1]?.res.end('answer to /slow-2');
    const text = await client.whole();
    assert.deepEqual(statuses(text), [200, 200, 200, 200, 200, 400]);
    assert.deepEqual(
      [...text.matchAll(/answer to (\S*?)(?=HTTP)/g)].map(([, path]) => path),
      paths,
    );
  });

  it('are answered also when they are half a request and the client closes its side', async (t) => {
    const server = await edge(t);
    const client = sendTo(t, server, `${get('/slow')}POST /v1/virtualcards HTTP/1.1\r\nHost`);
    client.socket.end();
    await until(() => server.begun.length === 1);
    server.begun[0]?.res.end('answer to /slow');
    const text = await client.whole();
    assert.deepEqual(statuses(text), [200, 400]);
    assert.ok(text.includes('answer to /slow'));
  });

  it('are answered in the place of the request whose body they break', async (t) => {
    const server = await edge(t);
    const chunked = 'POST /slow-2 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nno length\r\n';
    const client = sendTo(t, server, get('/slow-1') + chunked);
    await until(() => server.begun.length === 1);
    server.begun[0]?.res.end('answer to /slow-1');
    const text = await client.whole();
    assert.deepEqual(statuses(text), [200, 400]);
    assert.deepEqual(
      server.begun.map(({ path }) => path),
      ['/slow-1'],
    );
  });

  it('are not answered when the answer to the request that they break was sent', async (t) => {
    const server = await edge(t);
    const head = 'POST /early HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n';
    const client = sendTo(t, server, head);
    await client.has('answer to /early');
    client.socket.write('no length\r\n');
    assert.deepEqual(statuses(await client.whole()), [200]);
  });
});

describe('pipelined requests', () => {
  it('begin one after another, and a client that has closed its side gets all answers', async (t) => {
    const server = await edge(t);
    const client = sendTo(t, server, get('/slow-1') + get('/slow-2') + get('/a'));
    client.socket.end();
    await until(() => server.begun.length === 1);
    server.begun[0]?.res.end('answer to /slow-1');
    await until(() => server.begun.length === 2);
    server.begun[1]?.res.end('answer to /slow-2');
    const text = await client.whole();
    assert.deepEqual(
      [...text.matchAll(/answer to (\S*?)(?=HTTP|$)/g)].map(([, path]) => path),
      ['/slow-1', '/slow-2', '/a'],
    );
  });

  it('are at most 32 behind the first: the connection closes after their whole answers', async (t) => {
    const server = await edge(t);
    const fits = sendTo(t, server, get('/slow') + get('/a').repeat(32));
    await until(() => server.begun.length === 1);
    server.begun[0]?.res.end('first');
    await fits.has('answer to /a');
    const paths = Array.from({ length: 39 }, (_, at) => `/${at}-`);
    const flood = sendTo(t, server, get('/slow') + paths.map(get).join(''));
    await until(() => server.begun.length === 2);
    const large = 'x'.repeat(3_000_000);
    server.begun[1]?.res.end(large);
    const text = await flood.whole();
    assert.deepEqual(statuses(text), Array(33).fill(200));
    assert.ok(text.includes(large));
    assert.deepEqual(
      [...text.matchAll(/answer to (\S*?)(?=HTTP|$)/g)].map(([, path]) => path),
      paths.slice(0, 32),
    );
  });

  it('do not begin after an answer that closes the connection', async (t) => {
    const server = await edge(t);
    const client = sendTo(t, server, get('/slow-1') + get('/slow-2'));
    await until(() => server.begun.length === 1);
    server.begun[0]?.res.writeHead(200, { Connection: 'close' }).end('last');
    assert.deepEqual(statuses(await client.whole()), [200]);
    assert.equal(server.begun.length, 1);
  });
});
