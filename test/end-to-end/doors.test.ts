/**
 * The doors at which callers are not known yet, on a real server: the authorisation server and the
 * pages of users (ADR 0059).
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  database_names,
  migratedDatabase,
  readRows,
  type ScratchDatabase,
  type ServerProcess,
  send,
  sqliteFile,
  startServer,
} from '@tallystick/test-support';
import pg from 'pg';
import { authorize, issue, purchase } from './purchases.ts';

/** A user of the sandbox. */
const [user_name, password] = ['alex', 'sandbox'];

interface Asked {
  readonly method?: 'GET' | 'POST';
  readonly form?: Readonly<Record<string, string>>;
  readonly authorization?: string;
  /** The address that the request is from. */
  readonly from?: string;
}

async function ask({ url }: ServerProcess, path: string, { method = 'GET', form, authorization, from }: Asked = {}) {
  const body = form === undefined ? '' : String(new URLSearchParams(form));
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    'Content-Length': body.length,
    ...(authorization === undefined ? {} : { Authorization: authorization }),
  };
  const sent = request(url + path, {
    method,
    headers,
    agent: false,
    ...(from === undefined ? {} : { localAddress: from }),
  });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, retry_after: answer.headers['retry-after'], text: await text(answer) };
}

const askForToken = (server: ServerProcess, client_id: string, secret = `${client_id}-secret`) =>
  ask(server, '/oauth/token', {
    method: 'POST',
    form: { grant_type: 'client_credentials', scope: 'accounts' },
    authorization: `Basic ${Buffer.from(`${client_id}:${secret}`).toString('base64')}`,
  });

async function logIn(server: ServerProcess, typed: string, from: string) {
  const page = await ask(server, '/consents', { from });
  const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const form = { form_token, user_name, password: typed };
  return await ask(server, '/consents/login', { method: 'POST', form, from });
}

/** Locks the database against every write, until the function that it returns is called. */
async function lock(database: ScratchDatabase): Promise<() => Promise<unknown>> {
  if (database.name === 'sqlite') {
    const script = fileURLToPath(new URL('lock-holder.ts', import.meta.url));
    const holder = spawn(process.execPath, [script, sqliteFile(database)], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(holder.stdout, 'data');
    return () => {
      holder.stdin.end();
      return once(holder, 'exit');
    };
  }
  const client = new pg.Client(database.database_url);
  await client.connect();
  await client.query('begin');
  await client.query('lock table tallystick_authorisation_records in exclusive mode');
  return () => client.end();
}

for (const name of database_names) {
  const start = async (t: TestContext, env: Record<string, string> = {}) => {
    const database = await migratedDatabase(name);
    t.after(() => database.dispose());
    const server = await startServer({ database_url: database.database_url, env });
    t.after(() => server.kill());
    return { database, server };
  };

  describe(`the authorisation server and the pages of users, on ${name}`, () => {
    it('answer 503 with Retry-After while the database is locked, and go on afterwards', async (t) => {
      const { database, server } = await start(t);
      const issued = await askForToken(server, 'sandbox-aisp');
      const unlock = await lock(database);
      const refused = await Promise.all([
        askForToken(server, 'sandbox-aisp'),
        ask(server, '/oauth/revoke', {
          method: 'POST',
          form: { token: JSON.parse(issued.text).access_token },
          authorization: `Basic ${Buffer.from('sandbox-aisp:sandbox-aisp-secret').toString('base64')}`,
        }),
        logIn(server, password, '127.0.0.1'),
      ]).finally(unlock);
      assert.deepEqual(
        refused.map(({ status, retry_after }) => [status, retry_after]),
        refused.map(() => [503, '1']),
      );
      assert.equal(JSON.parse(refused[0]!.text).error, 'temporarily_unavailable');
      assert.equal((await askForToken(server, 'sandbox-aisp')).status, 200);
      assert.equal((await logIn(server, password, '127.0.0.1')).status, 303);
    });

    it('let a user in after wrong passwords from another address, which write one entry for an auditor', async (t) => {
      const { database, server } = await start(t);
      const counts = () =>
        readRows(
          database,
          `select (select count(*) from tallystick_authorisation_records) as records,
             (select count(*) from tallystick_audit_entries where action = 'user.login_failed') as entries`,
        );
      // The first token makes the keys of the authorisation server.
      await askForToken(server, 'sandbox-aisp');
      const [before] = await counts();
      const wrong = await Promise.all(Array.from({ length: 4 }, () => logIn(server, 'wrong', '127.0.0.2')));
      assert.deepEqual(
        wrong.map(({ status }) => status),
        [401, 401, 401, 401],
      );
      const [after] = await counts();
      assert.deepEqual([after?.records, Number(after?.entries)], [before?.records, 1]);
      // Twelve attempts are one more than are made at once from one address.
      const late = Promise.allSettled(Array.from({ length: 12 }, () => logIn(server, 'wrong', '127.0.0.2')));
      assert.equal((await logIn(server, password, '127.0.0.3')).status, 303);
      await server.kill();
      await late;
    });

    it('report every wrong password to an auditor, by a job and when the server stops', async (t) => {
      const { database, server } = await start(t);
      const failed = `select details from tallystick_audit_entries where action = 'user.login_failed' order by id`;
      const counted = async () =>
        (await readRows<{ details: string }>(database, failed)).map(({ details }) => JSON.parse(details).failures);
      const failTwice = () => Promise.all([1, 2].map(() => logIn(server, 'wrong', '127.0.0.2')));
      await failTwice();
      const body = { data: { advance: 'PT0S' } };
      assert.equal((await send(server.url, 'POST', '/sandbox/v1/clock', { key: 'operator', body })).status, 200);
      assert.deepEqual(await counted(), [1, 1]);
      await failTwice();
      await server.stop();
      assert.deepEqual(await counted(), [1, 1, 1, 1]);
    });

    it('serve known callers while more strangers than places fail at every door, and refuse nobody', async (t) => {
      // 32 places at a door.
      const { server } = await start(t, { REQUESTS_MAX: '256' });
      const { card_number } = await issue(server.url, { total_card_amount: 1_000_000, recurring: 'Continuous' });
      const payload = Buffer.from(JSON.stringify({ sub: 'sandbox-aisp', iss: 'sandbox-aisp' })).toString('base64url');
      const made_up = `tly_test_1000000_${'A'.repeat(43)}`;
      const strangers = [
        ['GET', '/accounts', `Bearer ${'a'.repeat(43)}`, ''],
        ['POST', '/network/v1/authorizations', `Bearer ${made_up}`, '{}'],
        ['POST', '/oauth/token', null, `grant_type=client_credentials&client_assertion=e30.${payload}.AA`],
        ['POST', '/consents/login', null, 'form_token=x&user_name=alex&password=wrong'],
      ] as const;
      let failed = 0;
      const many_failed = Promise.withResolvers<void>();
      for (const [method, path, authorization, body] of strangers) {
        const head = [
          `${method} ${path} HTTP/1.1`,
          'Host: x',
          ...(authorization === null ? [] : [`Authorization: ${authorization}`]),
          'Content-Type: application/x-www-form-urlencoded',
          `Content-Length: ${body.length}`,
        ];
        for (let at = 0; at < 40; at += 1) {
          const { port, hostname } = new URL(server.url);
          const socket = connect({ port: Number(port), host: hostname });
          t.after(() => socket.destroy());
          socket.on('error', () => undefined);
          const sendNext = () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
          socket.on('data', (bytes) => {
            if (!String(bytes).startsWith('HTTP/1.1 ')) return;
            failed += 1;
            if (failed === 160) many_failed.resolve();
            sendNext();
          });
          sendNext();
        }
      }
      await many_failed.promise;
      for (let at = 0; at < 30; at += 1) {
        const decided = await authorize(server.url, purchase(card_number, 100));
        assert.deepEqual([decided.status, decided.json.data.response_code], [200, '00']);
        assert.equal((await send(server.url, 'GET', '/v1/virtualcards')).status, 200);
        assert.equal((await askForToken(server, 'sandbox-aisp-2')).status, 200);
      }
      assert.equal((await logIn(server, password, '127.0.0.2')).status, 303);
      const metrics = (await send(server.url, 'GET', '/metrics')).text;
      assert.match(metrics, /^tallystick_http_requests_refused_total 0$/m);
    });

    it('keep the rate limit of a third party, which only its own requests use up', async (t) => {
      const { server } = await start(t, { RATE_LIMIT_PER_MINUTE: '2' });
      for (let sent = 0; sent < 3; sent += 1)
        assert.equal((await askForToken(server, 'sandbox-aisp', 'x')).status, 401);
      const statuses = [];
      for (let sent = 0; sent < 3; sent += 1) statuses.push(await askForToken(server, 'sandbox-aisp'));
      assert.deepEqual(
        statuses.map(({ status }) => status),
        [200, 200, 429],
      );
      assert.match(statuses[2]?.retry_after ?? '', /^\d+$/);
      assert.equal((await askForToken(server, 'sandbox-aisp-2')).status, 200);
    });
  });
}
