/**
 * A database that stands still, is locked or is away costs decisions, and no more: every message is
 * answered by its deadline, none is decided afterwards, and what does not need a locked card goes
 * on.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type LocalPostgres,
  own_servers_expected,
  type Reply,
  readRows,
  type ServerProcess,
  sandbox_keys,
  send,
  startLocalPostgres,
  startServer,
  until,
} from '@tallystick/test-support';
import pg from 'pg';
import { authorize, type Card, issue, type Message, purchase } from './purchases.ts';

const decision_ms_max = 4_000;
/**
 * No answer takes as long, on any machine that runs the tests. Without a deadline some never come.
 */
const guard_ms = 60_000;

/** Rejects when the work has not ended after `guard_ms`. */
async function guarded<Result>(what: string, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer for ${guard_ms} ms: ${what}`)), guard_ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Approved, or answered with U or another 503 that the caller may repeat. */
function outcomeOf({ status, json, text }: Reply): 'approved' | 'unable' {
  if (status === 200 && json.data.response_code === '00') return 'approved';
  assert.equal(status, 503, text);
  return 'unable';
}

if (own_servers_expected) {
  describe('decisions on a Postgres', { timeout: 600_000 }, () => {
    let postgres: LocalPostgres;
    let server: ServerProcess;
    let observer: pg.Client;
    let cards: readonly Card[];
    const stopped = new Set<number>();

    before(async () => {
      postgres = await startLocalPostgres();
      server = await startServer({
        database_url: postgres.url,
        env: { DECISION_MS_MAX: String(decision_ms_max), NETWORK_WAIT_MS_MAX: '3000', SHUTDOWN_MS_MAX: '20000' },
      });
      cards = await Promise.all(
        Array.from({ length: 6 }, () => issue(server.url, { total_card_amount: 1_000_000, currency: 'USD' })),
      );
      observer = await observe();
    });
    after(async () => {
      goOn();
      await server?.kill();
      await observer?.end().catch(() => {});
      await postgres?.stop();
    });

    async function observe(): Promise<pg.Client> {
      const client = new pg.Client({ connectionString: postgres.url, application_name: 'observer' });
      client.on('error', () => {});
      await client.connect();
      return client;
    }
    /** The backends of the server's connections. */
    async function backends(): Promise<readonly number[]> {
      const { rows } = await observer.query<{ pid: number }>(
        `select pid from pg_stat_activity where application_name = 'tallystick'`,
      );
      return rows.map(({ pid }) => pid);
    }
    function goOn(): void {
      for (const pid of stopped) process.kill(pid, 'SIGCONT');
      stopped.clear();
    }
    /** Resolves when no backend of the server works any more. */
    async function idle(): Promise<void> {
      const working = `select 1 from pg_stat_activity where application_name = 'tallystick' and state <> 'idle'`;
      await until(async () => (await observer.query(working)).rows.length === 0);
    }
    async function authorizations(trace_ids: readonly unknown[]): Promise<number> {
      const list = trace_ids.map((id) => `'${id}'`).join(', ');
      const [row] = await readRows<{ count: number }>(
        { name: 'postgres', database_url: postgres.url },
        `select count(*) as count from tallystick_authorizations where trace_id in (${list})`,
      );
      return row!.count;
    }
    const card = (at: number) => cards[at % cards.length]!;
    const purchases = (count: number): Message[] =>
      Array.from({ length: count }, (_, at) => purchase(card(at).card_number, 100));
    const sendAll = (messages: readonly Message[]) =>
      guarded('authorizations', Promise.all(messages.map((message) => authorize(server.url, message))));

    it('whose backends stand still are all answered by their deadline, and none is decided later', async () => {
      assert.deepEqual(new Set((await sendAll(purchases(12))).map(outcomeOf)), new Set(['approved']));
      const standing = await backends();
      assert.ok(standing.length > 0, 'the server has connections');
      for (const pid of standing) {
        process.kill(pid, 'SIGSTOP');
        stopped.add(pid);
      }
      const messages = purchases(24);
      const outcomes = (await sendAll(messages)).map(outcomeOf);
      goOn();
      await guarded('the work that the backends found in their sockets', idle());
      const approved = messages.filter((_, at) => outcomes[at] === 'approved');
      assert.ok(approved.length < messages.length, 'some messages met a backend that stood still');
      assert.equal(await authorizations(messages.map(({ trace_id }) => trace_id)), approved.length);

      const again = await sendAll([...messages, ...messages]);
      assert.deepEqual(new Set(again.map(outcomeOf)), new Set(['approved']));
      const ids = again.map(({ json }) => json.data.id);
      assert.deepEqual(ids.slice(0, 24), ids.slice(24), 'each message has one outcome');
      assert.equal(new Set(ids).size, 24);
    });

    async function requestsInFlight(): Promise<number> {
      const { text } = await send(server.url, 'GET', '/metrics');
      return Number(/^tallystick_http_requests_in_flight (\d+)$/m.exec(text)?.[1]);
    }

    it('with a locked card go on for all other cards and companies, while 25 requests wait for that card', async () => {
      const locked = card(0);
      const holder = await observe();
      await holder.query('begin');
      await holder.query('select id from tallystick_virtual_cards where id = $1 for update', [locked.id]);
      const on_locked = purchase(locked.card_number, 100);
      const waiting = Array.from({ length: 25 }, () =>
        send(server.url, 'PATCH', `/v1/virtualcards/${locked.id}`, { body: { data: { metadata: { a: 1 } } } }),
      );
      const held = authorize(server.url, on_locked);
      let is_first_answered = false;
      void Promise.race(waiting).finally(() => {
        is_first_answered = true;
      });
      let is_answered = false;
      const answered = Promise.all(waiting).finally(() => {
        is_answered = true;
      });
      let rounds = 0;
      await until(async () => (await requestsInFlight()) >= waiting.length);
      const other = await send(server.url, 'GET', '/operator/v1/companies', { key: sandbox_keys.operator });
      assert.deepEqual([other.status, is_first_answered], [200, false], 'connections are left to others');
      for (; !is_answered || rounds === 0; rounds += 1) {
        const others = [1, 2, 3, 4, 5].map((at) => purchase(card(at).card_number, 1));
        assert.deepEqual(new Set((await sendAll(others)).map(outcomeOf)), new Set(['approved']));
        assert.equal((await send(server.url, 'GET', '/readyz')).status, 200);
      }
      for (const { status, headers, text } of await guarded('changes of the locked card', answered)) {
        assert.equal(status, 503, text);
        assert.ok(headers.get('retry-after') !== null);
      }
      const unable = await guarded('an authorization of the locked card', held);
      assert.deepEqual([unable.status, unable.json.data?.response_code], [503, '96']);
      await holder.query('rollback');
      await holder.end();
      assert.equal(outcomeOf(await authorize(server.url, on_locked)), 'approved');
    });

    it('that ends and starts again are answered meanwhile, and approved afterwards', async () => {
      const messages = purchases(12);
      const sent = sendAll(messages);
      await postgres.restart();
      const outcomes = (await sent).map(outcomeOf);
      assert.equal(outcomes.length, 12);
      const again = await sendAll(messages);
      assert.deepEqual(new Set(again.map(outcomeOf)), new Set(['approved']));
      assert.equal(await authorizations(messages.map(({ trace_id }) => trace_id)), 12);
    });

    it('whose backends stand still do not keep the server from stopping', async () => {
      observer = await observe();
      for (const pid of await backends()) {
        process.kill(pid, 'SIGSTOP');
        stopped.add(pid);
      }
      const late = authorize(server.url, purchase(card(1).card_number, 100)).catch(() => null);
      await guarded('the end of the server', server.stop());
      await late;
      goOn();
    });
  });
}
