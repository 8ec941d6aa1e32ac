import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { it, type TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { loopbackCertificate } from '@tallystick/test-support';
import { noteKnownCaller } from '../../src/connection/connections.ts';
import { createHttpServer } from '../../src/connection/http-server.ts';

/** A server within TLS that has room for four connections. It knows the caller of `/known`. */
async function start(t: TestContext) {
  const { key, cert } = await loopbackCertificate();
  const server = createHttpServer(
    (req, res) => {
      if (req.url === '/known') noteKnownCaller(req);
      res.end();
    },
    {
      log: { info: () => undefined },
      metrics: { request: () => undefined },
      connections_max: 4,
      tls: { certificate: cert, key, client_ca: null },
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return port;
}

/** Sends a request on a connection of its own, and keeps the connection. */
async function ask(t: TestContext, port: number, path: string): Promise<Socket> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  t.after(() => socket.destroy());
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
  return socket;
}

it('the oldest connection of a stranger is closed when there are too many, and no known one', async (t) => {
  const port = await start(t);
  const known = await ask(t, port, '/known');
  const strangers = [];
  for (let at = 0; at < 5; at += 1) strangers.push(await ask(t, port, '/'));
  const closed = strangers.slice(0, 2);
  await Promise.all(closed.map((socket) => socket.closed || once(socket, 'close')));
  assert.deepEqual(
    [known, ...strangers].map((socket) => socket.closed),
    [false, true, true, false, false, false],
  );
  known.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.match(String((await once(known, 'data'))[0]), /^HTTP\/1\.1 200 /);
});

it('a further connection is closed when all others are of known callers', async (t) => {
  const port = await start(t);
  const known = [];
  for (let at = 0; at < 4; at += 1) known.push(await ask(t, port, '/known'));
  const late = connect({ port, host: '127.0.0.1' });
  late.on('error', () => undefined);
  await once(late, 'close');
  assert.deepEqual(
    known.map(({ closed }) => closed),
    [false, false, false, false],
  );
  known[0]!.destroy();
  // The server has yet to notice.
  while ((await ask(t, port, '/')).closed);
});
