import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import {
  full_run,
  migratedDatabase,
  type ServerProcess,
  sandbox_keys,
  send,
  startServer,
  until,
} from '@tallystick/test-support';

const mebibyte = 1024 * 1024;
const megabyte_body = Buffer.alloc(mebibyte, 'x');

/** Connections that attack at the same time. */
const attackers = full_run ? 1500 : 300;

async function started(t: TestContext, env: Record<string, string> = {}): Promise<ServerProcess> {
  const database = await migratedDatabase('sqlite');
  t.after(() => database.dispose());
  const server = await startServer({ database_url: database.database_url, env });
  t.after(() => server.kill());
  return server;
}

async function metric({ url }: ServerProcess, name: string): Promise<number> {
  const { text } = await send(url, 'GET', '/metrics');
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

const memoryOf = (server: ServerProcess) => metric(server, 'process_resident_memory_bytes');

/** A connection that sends these bytes, and what it was answered. */
interface Attacker {
  readonly socket: Socket;
  /**
   * The status of the first answer; null while there is none. 0: the connection was closed without
   * one.
   */
  status: number | null;
  text: string;
}

function attack(
  t: TestContext,
  { url }: ServerProcess,
  parts: readonly (string | Buffer)[],
  reads = true,
  from = '127.0.0.1',
): Attacker {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, localAddress: from });
  const attacker: Attacker = { socket, status: null, text: '' };
  t.after(() => socket.destroy());
  socket.on('error', () => undefined);
  socket.on('close', () => {
    attacker.status ??= 0;
  });
  if (reads) {
    socket.on('data', (chunk) => {
      attacker.text += String(chunk);
      attacker.status ??= Number(/^HTTP\/1\.1 (\d+)/.exec(attacker.text)?.[1]);
    });
  }
  for (const part of parts) socket.write(part);
  return attacker;
}

/** The head of a request with a body of 1 MiB whose last byte never comes. */
function head(path: string, key?: string): string {
  const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${mebibyte + 1}\r\n\r\n`;
}
/** The same in pieces: its length is not announced. */
function chunkedHead(path: string, key: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
}

describe('strangers who send bodies of 1 MiB to many connections', () => {
  it('take no memory: each is answered before its body is whole', async (t) => {
    const server = await started(t);
    for (const [path, key, status] of [
      ['/card-details/anything', undefined, 410],
      ['/v1/virtualcards', undefined, 401],
      ['/network/v1/authorizations', `tly_test_17_${'A'.repeat(43)}`, 401],
      ['/network/v1/authorizations', sandbox_keys.client, 403],
      ['/nowhere', undefined, 404],
      ['/healthz', undefined, 405],
    ] as const) {
      const before = await memoryOf(server);
      const all: Attacker[] = [];
      while (all.length < attackers) {
        const more = Array.from({ length: 100 }, () => attack(t, server, [head(path, key), megabyte_body]));
        // The time of a head begins with its connection: more heads than these may be late.
        await until(() => more.every(({ socket, status }) => !socket.connecting || status !== null));
        all.push(...more);
      }
      await until(() => all.every((attacker) => attacker.status !== null));
      const grown = (await memoryOf(server)) - before;
      // The kernel resets some of so many connections before the server accepts them, when its
      // bound on waiting connections is small.
      const answered = all.filter((attacker) => attacker.status !== 0);
      assert.ok(answered.length > attackers / 2, path);
      assert.deepEqual(new Set(answered.map((attacker) => attacker.status)), new Set([status]), path);
      assert.ok(grown < (attackers * mebibyte) / 2, `the server grew by ${Math.round(grown / mebibyte)} MiB: ${path}`);
      for (const { socket } of all) socket.destroy();
    }
  });
});

describe('a key that sends more bodies than fit', () => {
  it('is answered 503 past its share, and others are served meanwhile and afterwards', async (t) => {
    const bound = 16 * mebibyte;
    const server = await started(t, { BODIES_BYTES_MAX: String(bound) });
    const announced = '10000\r\n';
    const piece = Buffer.alloc(0x10000, 'x');
    const pieces = Array.from({ length: 15 }, () => [announced, piece, '\r\n']).flat();
    const all = Array.from({ length: 100 }, () =>
      attack(t, server, [chunkedHead('/v1/virtualcards', sandbox_keys.client), ...pieces]),
    );
    await until(() => all.every(({ socket }) => socket.writableLength === 0));
    await until(() => all.filter(({ status }) => status === 503).length >= 80);
    const refused = all.filter(({ status }) => status !== null);
    assert.ok(refused.every(({ status, text }) => status === 503 && /\r\nRetry-After: 1\r\n/.test(text)));
    const held = await metric(server, 'tallystick_http_body_bytes');
    assert.ok(held > 0 && held <= bound / 2, `${held} bytes of bodies`);
    assert.ok((await metric(server, 'tallystick_http_requests_refused_total')) >= 80);

    const issue = () => send(server.url, 'POST', '/v1/virtualcards', { body: { data: { total_card_amount: 5 } } });
    // A share of another owner is free: a message of the network is read, and refused for its
    // content.
    const message = { data: { card_number: '1'.repeat(200_000) } };
    assert.equal(
      (await send(server.url, 'POST', '/network/v1/authorizations', { key: 'network', body: message })).status,
      400,
    );
    for (const { socket } of all) socket.destroy();
    await until(async () => (await metric(server, 'tallystick_http_body_bytes')) === 0);
    assert.equal((await issue()).status, 200);
  });
});

describe('clients that do not read their answers', () => {
  it('take a bounded memory: their connections are closed, and others are served', async (t) => {
    const server = await started(t, { BODIES_BYTES_MAX: String(4 * mebibyte) });
    const count = 100;
    const requests = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(32);
    const all = Array.from({ length: count }, () => attack(t, server, [requests], false));
    const { length: size } = (await send(server.url, 'GET', '/openapi.json')).text;
    const fitting = (4 * mebibyte) / size;
    const answered = 'tallystick_http_request_duration_seconds_count{method="GET",route="/openapi.json",status="200"}';
    // Each connection has an answer in progress, or is closed.
    await until(
      async () =>
        (await metric(server, RegExp.escape(answered))) >= count &&
        (await metric(server, 'tallystick_http_requests_in_flight')) <= fitting + 2,
    );
    const received = all.map(({ socket }) => {
      let bytes = 0;
      socket.on('data', (chunk) => {
        bytes += chunk.length;
      });
      return { socket, bytes: () => bytes };
    });
    await until(() => received.every(({ socket, bytes }) => socket.destroyed || bytes() > 32 * size));
    assert.ok(received.filter(({ bytes }) => bytes() < 32 * size).length >= count / 2);
    assert.equal((await send(server.url, 'GET', '/healthz')).status, 200);
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
  });
});

describe('more connections of strangers than are allowed', () => {
  it('are closed, those of the address that has most of them first, and known callers keep theirs', async (t) => {
    const server = await started(t, { CONNECTIONS_MAX: '20' });
    const request = (key: string) => `GET /v1/virtualcards HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    const known = attack(t, server, [request(sandbox_keys.client)]);
    await until(() => known.status === 200);
    const other = attack(t, server, ['GET '], true, '127.0.0.3');
    const all = Array.from({ length: 100 }, () => attack(t, server, ['GET '], true, '127.0.0.2'));
    await until(() => all.filter(({ status }) => status === 0).length >= 80);
    const late = attack(t, server, [request(sandbox_keys.client)], true, '127.0.0.2');
    await until(() => late.status === 200);
    known.status = null;
    known.text = '';
    known.socket.write(request(sandbox_keys.client));
    await until(() => known.status !== null);
    assert.equal(known.status, 200);
    assert.equal(other.status, null, 'the connection of another stranger is open');
    for (const { socket } of all) socket.destroy();
    await until(async () => (await fetch(`${server.url}/healthz`).catch(() => null))?.status === 200);
  });
});
