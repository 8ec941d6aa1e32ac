import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, type ListenOptions, type Socket, type TcpNetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { machine_timers } from '@tallystick/kernel';
import { freePort, loopbackCertificate, repeatableRandom } from '@tallystick/test-support';
import { noteKnownCaller } from '../../src/connection/connections.ts';
import { createHttpServer } from '../../src/connection/http-server.ts';

/** A server that has room for four connections. It knows the caller of `/known/` by the rest of the path. */
async function start(t: TestContext, where: ListenOptions = { host: '127.0.0.1', port: 0 }, is_tls = true) {
  const { key, cert } = await loopbackCertificate();
  const server = createHttpServer(
    (req, res) => {
      const [, kind, owner] = req.url!.split('/');
      if (kind === 'known') noteKnownCaller(req, owner!);
      res.end();
    },
    {
      log: { info: () => undefined },
      metrics: { request: () => undefined },
      timers: machine_timers,
      random: repeatableRandom(1),
      connections_max: 4,
      tls: is_tls ? { certificate: cert, key, client_ca: null } : undefined,
    },
  );
  server.listen(where);
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Sends a request on a connection of its own, and keeps the connection. */
async function ask(t: TestContext, port: number, path: string, changes: Partial<TcpNetConnectOpts> = {}) {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...changes });
  t.after(() => socket.destroy());
  socket.on('error', () => undefined);
  await again(socket, path);
  return socket;
}

/** Sends a request on a connection. */
async function again(socket: Socket, path: string): Promise<void> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
}

async function assertClosed(sockets: readonly Socket[], expected: readonly boolean[]): Promise<void> {
  await Promise.all(sockets.filter((_, at) => expected[at]).map((socket) => socket.closed || once(socket, 'close')));
  assert.deepEqual(
    sockets.map(({ closed }) => closed),
    expected,
  );
}

it('the oldest connection of a stranger is closed when there are too many, and no known one', async (t) => {
  const port = await start(t);
  const known = await ask(t, port, '/known/a');
  const strangers = [];
  for (let at = 0; at < 5; at += 1) strangers.push(await ask(t, port, '/'));
  await assertClosed([known, ...strangers], [false, true, true, false, false, false]);
  known.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.match(String((await once(known, 'data'))[0]), /^HTTP\/1\.1 200 /);
});

it('without a stranger, that of the known caller with most is closed whose last request is the oldest', async (t) => {
  const port = await start(t);
  const known = [];
  for (const owner of ['b', 'a', 'a', 'c']) known.push(await ask(t, port, `/known/${owner}`));
  await again(known[1]!, '/known/a');
  const network = await ask(t, port, '/known/network');
  await assertClosed([...known, network], [false, false, true, false, false]);
});

it('a known caller with more than half of all loses one before a stranger does', async (t) => {
  const port = await start(t);
  const stranger = await ask(t, port, '/');
  const many = [];
  for (let at = 0; at < 3; at += 1) many.push(await ask(t, port, '/known/a'));
  const other = await ask(t, port, '/');
  await assertClosed([stranger, ...many, other], [false, true, false, false, false]);
});

it('connections from one port to two addresses are two', async (t) => {
  const port = await start(t, { host: '0.0.0.0', port: 0 });
  const from = { localAddress: '127.0.0.1', localPort: await freePort() };
  const known = await ask(t, port, '/known/a', from);
  const second = await ask(t, port, '/', { ...from, host: '127.0.0.2' });
  assert.equal(second.closed, false);
  const others = [];
  for (let at = 0; at < 3; at += 1) others.push(await ask(t, port, '/'));
  await assertClosed([known, second, ...others], [false, true, false, false, false]);
});

it('connections to a Unix socket are counted', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'connections-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'socket');
  await start(t, { path }, false);
  const all = [];
  for (const target of ['/known/a', '/', '/', '/', '/']) {
    const socket = connect({ path });
    t.after(() => socket.destroy());
    await again(socket, target);
    all.push(socket);
  }
  await assertClosed(all, [false, true, false, false, false]);
});
