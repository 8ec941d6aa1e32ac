import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sandbox_keys } from '@tallystick/access';
import { Temporal } from '@tallystick/kernel';
import {
  type DatabaseName,
  database_names,
  type ScratchDatabase,
  type ServerProcess,
  scratchDatabase,
  startServer,
} from '@tallystick/test-support';
import { createSandboxClient, type Json } from '../src/devtools/sandbox-client.ts';

interface Issued {
  readonly id: string;
  readonly valid_starting_on: string;
}

async function issue(url: string): Promise<Issued> {
  const answer = await createSandboxClient(url).post('client', '/v1/virtualcards', {
    data: { total_card_amount: 100 },
  });
  return answer.data as Issued;
}

/** A request whose headers the server has received, and for whose body it waits. */
async function beginRequest(url: string, body: string): Promise<ClientRequest> {
  const request = httpRequest(`${url}/v1/virtualcards`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sandbox_keys.client}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  });
  request.flushHeaders();
  await once(request, 'continue');
  return request;
}

async function outputHas(server: ServerProcess, words: RegExp): Promise<void> {
  const ended = server.exited.then(() => 'ended' as const);
  while (!words.test(server.output())) {
    if ((await Promise.race([delay(5), ended])) === 'ended') assert.match(server.output(), words);
  }
}

/** Databases and servers of a suite, removed when it has ended. */
function surroundings(name: DatabaseName) {
  const scratches: ScratchDatabase[] = [];
  const servers: ServerProcess[] = [];
  after(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await Promise.all(scratches.map((scratch) => scratch.dispose()));
  });
  return {
    async database(): Promise<string> {
      const scratch = await scratchDatabase(name);
      scratches.push(scratch);
      return scratch.database_url;
    },
    async started(database_url: string, env: Record<string, string> = {}): Promise<ServerProcess> {
      const server = await startServer({ database_url, env });
      servers.push(server);
      return server;
    },
  };
}

for (const name of database_names) {
  describe(`the server on ${name}`, () => {
    const { database, started } = surroundings(name);

    it('starts on an empty database, prints keys and a first request, and exits with status 0', async () => {
      const server = await started(await database());
      for (const key of Object.values(sandbox_keys)) assert.ok(server.output().includes(key));
      const curl = /curl -s (\S+)[\s\\]+-H '([^:]+): ([^']+)' \\\n\s+-H '([^:]+): ([^']+)' -d '([^']+)'/.exec(
        server.output(),
      );
      assert.ok(curl, server.output());
      const [, url = '', name_1 = '', value_1 = '', name_2 = '', value_2 = '', body = ''] = curl;
      const answer = await fetch(url, { method: 'POST', headers: { [name_1]: value_1, [name_2]: value_2 }, body });
      assert.equal(answer.status, 200);
      assert.deepEqual(await server.stop(), { code: 0, signal: null });
    });

    it('has the same cards and the same clock after SIGKILL and a restart', async () => {
      const database_url = await database();
      const first = await started(database_url);
      const move = { data: { set: '2099-05-06T07:08:09Z', frozen: true } };
      await createSandboxClient(first.url).post('operator', '/sandbox/v1/clock', move);
      const { id } = await issue(first.url);
      await first.kill();
      const second = await started(database_url);
      const found = await createSandboxClient(second.url).get(`/v1/virtualcards/${id}`);
      assert.equal((found.data as Issued).id, id);
      assert.equal((await issue(second.url)).valid_starting_on, '2099-05-06');
      await second.stop();
    });

    it('finishes the request in flight at SIGTERM, accepts no other, and exits with status 0', async () => {
      const database_url = await database();
      const server = await started(database_url);
      const body = JSON.stringify({ data: { total_card_amount: 4200 } });
      const request = await beginRequest(server.url, body);
      server.signal('SIGTERM');
      await outputHas(server, /SIGTERM/);
      await assert.rejects(fetch(`${server.url}/healthz`), TypeError);
      const [[response]] = (await Promise.all([once(request, 'response'), request.end(body)])) as [
        [IncomingMessage],
        unknown,
      ];
      assert.equal(response.statusCode, 200);
      assert.equal(response.headers.connection, 'close');
      const answer = JSON.parse((await response.toArray()).join('')) as { data: Issued };
      assert.deepEqual(await server.exited, { code: 0, signal: null });

      const again = await started(database_url);
      const found = await createSandboxClient(again.url).get(`/v1/virtualcards/${answer.data.id}`);
      assert.equal((found.data as Issued).id, answer.data.id);
      await again.stop();
    });

    it('shows a moved clock to every process with the first request after the answer', async () => {
      const database_url = await database();
      const [one, other] = await Promise.all([started(database_url), started(database_url)]);
      const day = Temporal.Now.plainDateISO('UTC');
      for (let days = 1; days <= 8; days++) {
        const [mover, witness] = days % 2 === 0 ? [one, other] : [other, one];
        const date = day.add({ days }).toString();
        const move = { data: { set: `${date}T12:00:00Z`, frozen: true } };
        const answer = await createSandboxClient(mover.url).post('operator', '/sandbox/v1/clock', move);
        assert.equal(Temporal.Instant.from((answer.data as { now: string }).now).toString(), `${date}T12:00:00Z`);
        assert.equal((await issue(witness.url)).valid_starting_on, date);
        assert.equal((await issue(mover.url)).valid_starting_on, date);
      }
      await Promise.all([one.stop(), other.stop()]);
    });

    it('creates one company when two processes open the same empty sandbox at the same time', async () => {
      const database_url = await database();
      const both = await Promise.all([started(database_url), started(database_url)]);
      const lists = (await Promise.all(both.map(({ url }) => createSandboxClient(url).get('/v1/realcards')))) as [
        Json,
        Json,
      ];
      assert.deepEqual(lists[0], lists[1]);
      assert.equal((lists[0].data as unknown[]).length, 1);
      await Promise.all(both.map((server) => server.stop()));
    });
  });
}

describe('a server that does not stop in time', () => {
  const { database, started } = surroundings('sqlite');

  it('exits with status 1 when a request takes longer than a shutdown may', async () => {
    const server = await started(await database(), { SHUTDOWN_MS_MAX: '50' });
    const request = await beginRequest(server.url, 'never sent');
    const cut = once(request, 'error');
    server.signal('SIGTERM');
    assert.deepEqual(await server.exited, { code: 1, signal: null });
    await cut;
    assert.match(server.output(), /longer than 50 ms/);
  });

  it('exits immediately at the second signal', async () => {
    const server = await started(await database());
    const request = await beginRequest(server.url, 'never sent');
    const cut = once(request, 'error');
    server.signal('SIGINT');
    await outputHas(server, /SIGINT/);
    server.signal('SIGTERM');
    assert.deepEqual(await server.exited, { code: 1, signal: null });
    await cut;
  });
});

describe('a server that cannot start', () => {
  const { database, started } = surroundings('sqlite');

  it('refuses to start on keys that do not fit its database', async () => {
    const database_url = await database();
    const server = await started(database_url);
    await issue(server.url);
    await server.stop();
    const other_keys = Buffer.alloc(32, 'another').toString('base64');
    await assert.rejects(started(database_url, { TALLYSTICK_KEYS: other_keys }), /keys do not fit the database/);
  });

  it('reports every problem of its configuration, with status 2', async () => {
    await assert.rejects(
      startServer({ database_url: 'mysql://x', env: { PORT: 'x' } }),
      /status 2[\s\S]*PORT[\s\S]*DATABASE_URL/,
    );
  });

  it('refuses a sandbox that was not requested explicitly in production', async () => {
    const env = { SANDBOX: undefined, DATABASE_URL: undefined, TALLYSTICK_KEYS: undefined, NODE_ENV: 'production' };
    await assert.rejects(startServer({ database_url: '', env }), /status 2[\s\S]*refused when NODE_ENV is production/);
  });

  it('names a port that is in use', async (t) => {
    const holder = createServer().listen(0, '127.0.0.1');
    t.after(() => holder.close());
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    await assert.rejects(
      started(await database(), { PORT: String(port) }),
      new RegExp(`status 1[\\s\\S]*Port ${port} on 127.0.0.1 is in use`),
    );
  });

  it('names the database that does not answer, without its password', async () => {
    await assert.rejects(
      startServer({ database_url: 'postgres://someone:hunter2@127.0.0.1:1/cards' }),
      (error: Error) =>
        /status 1[\s\S]*someone@127\.0\.0\.1:1\/cards cannot be used: .*ECONNREFUSED/.test(error.message) &&
        !error.message.includes('hunter2'),
    );
  });

  it('names the folder in which it may not write', async () => {
    await assert.rejects(
      startServer({ database_url: 'sqlite:/dev/null/tallystick.db' }),
      /status 1[\s\S]*sqlite:\/dev\/null\/tallystick.db cannot be used/,
    );
    await assert.rejects(
      startServer({ database_url: 'sqlite::memory:', env: { ARCHIVE_FOLDER: '/dev/null/archive' } }),
      /status 1[\s\S]*ARCHIVE_FOLDER=\/dev\/null\/archive cannot be used/,
    );
    await assert.rejects(
      startServer({ database_url: 'sqlite::memory:', env: { SPOOL_FOLDER: '/dev/null/spool' } }),
      /status 1[\s\S]*SPOOL_FOLDER=\/dev\/null\/spool cannot be used/,
    );
  });

  it('keeps uploads in SPOOL_FOLDER, and answers 503 while it is gone', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-spool-'));
    const server = await startServer({ database_url: 'sqlite::memory:', env: { SPOOL_FOLDER: folder } });
    t.after(() => server.kill());
    const headers = { authorization: `Bearer ${sandbox_keys.bank}`, 'content-type': 'application/x-ndjson' };
    const upload = async () => {
      const answer = await fetch(`${server.url}/bank/v1/records`, { method: 'POST', headers, body: '{}\n' });
      return [answer.status, answer.headers.get('retry-after')];
    };
    assert.deepEqual(await upload(), [200, null]);
    rmSync(folder, { recursive: true });
    assert.deepEqual(await upload(), [503, '1']);
  });
});

describe('a sandbox in memory', () => {
  it('leaves nothing in the folder in which it runs', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-in-memory-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const env = { TALLYSTICK_KEYS: undefined };
    const server = await startServer({ database_url: 'sqlite::memory:', env, folder });
    t.after(() => server.kill());
    await issue(server.url);
    await server.stop();
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe('outside the sandbox', () => {
  it('refuses the fixed keys and has no clock to move', async (t) => {
    const scratch = await scratchDatabase('sqlite');
    t.after(() => scratch.dispose());
    const server = await startServer({ database_url: scratch.database_url, env: { SANDBOX: undefined } });
    t.after(() => server.stop());
    assert.doesNotMatch(server.output(), /tly_test/);
    for (const path of ['/v1/virtualcards', '/v1/realcards']) {
      const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${sandbox_keys.client}` } });
      assert.equal(answer.status, 401);
    }
    const move = await fetch(`${server.url}/sandbox/v1/clock`, { method: 'POST' });
    assert.equal(move.status, 404);
  });
});
