import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Fold, PassBounds } from '@tallystick/cards';
import { spend } from '@tallystick/harness';
import { Fault } from '@tallystick/kernel';
import { own_servers_expected, repeatableRandom, startLocalPostgres, until } from '@tallystick/test-support';
import { sql } from 'kysely';
import pg from 'pg';
import { unitOfWorkOn } from '../src/connection/unit-of-work.ts';
import { authorizationMessage, type OpenLedger, openLedger, run, seed } from './ledger-fixture.ts';

function within(ms: number): PassBounds {
  const until_ms = performance.now() + ms;
  return { deadline: { leftMs: () => until_ms - performance.now() } };
}

const isRetryable = (error: unknown) => error instanceof Fault && error.retryable;

/** A proxy to the server which keeps its connections to the server when the client closes them. */
async function proxyThatKeeps(server_url: string): Promise<{ readonly url: string; close(): void }> {
  const url = new URL(server_url);
  const target = { host: url.hostname, port: Number(url.port) };
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(target);
    for (const socket of [client, server]) sockets.add(socket.on('error', () => {}));
    client.on('data', (bytes) => server.write(bytes));
    server.on('data', (bytes) => client.write(bytes));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}

if (own_servers_expected) {
  describe('a backend of Postgres that stands still', () => {
    let postgres: Awaited<ReturnType<typeof startLocalPostgres>>;
    let open: OpenLedger;
    let observer: pg.Client;
    const stopped = new Set<number>();

    before(async () => {
      postgres = await startLocalPostgres();
      await seed({ name: 'postgres', database_url: postgres.url }, 4);
      open = await openLedger(postgres.url);
      observer = new pg.Client({ connectionString: postgres.url, application_name: 'observer' });
      await observer.connect();
    });
    after(async () => {
      goOn();
      await open?.close();
      await observer?.end();
      await postgres?.stop();
    });

    const connection = () => {
      assert(open.connection.dialect === 'postgres');
      return open.connection;
    };

    /** Makes a backend stand still, as a machine does that swaps or waits for its disk. */
    function stop(pid: number): void {
      process.kill(pid, 'SIGSTOP');
      stopped.add(pid);
    }
    /** Lets all backends go on. */
    function goOn(): void {
      for (const pid of stopped) process.kill(pid, 'SIGCONT');
      stopped.clear();
    }
    /** Resolves when the backend has read everything that was sent to it, and has ended. */
    async function ended(pid: number): Promise<void> {
      const there = 'select 1 from pg_stat_activity where pid = $1';
      await until(async () => (await observer.query(there, [pid])).rows.length === 0);
    }
    /** Resolves when the backend has executed a pass, or has ended it at an error. */
    async function executed(pid: number): Promise<void> {
      const last = `select 1 from pg_stat_activity where pid = $1
        and ((query = 'commit' and state = 'idle') or state = 'idle in transaction (aborted)')`;
      await until(async () => (await observer.query(last, [pid])).rows.length > 0);
    }
    /** The backend of the connection that the next user of the pool receives. */
    async function nextBackend(pool: pg.Pool): Promise<number> {
      const client = await pool.connect();
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      client.release();
      return rows[0]!.pid;
    }
    const recorded = async (card_id: number) => {
      const sql = `select count(*) as count from tallystick_authorizations where card_id = ${card_id}`;
      return (await run(open.connection, sql))[0]?.count;
    };

    it('rejects the pass at its deadline, and the next pass uses another connection', async () => {
      const message = authorizationMessage(1, { trace_id: 'T-stands' });
      const pid = await nextBackend(connection().passes);
      stop(pid);
      await assert.rejects(open.ledger.pass([message], spend([message]), within(2_000)), isRetryable);
      assert.deepEqual(await open.ledger.pass([message], spend([message]), within(60_000)), [true]);
      goOn();
      await ended(pid);
      assert.equal(await recorded(1), 1);
    });

    it('does not commit the writes of a pass that it reads after the deadline', async (t) => {
      // A backend usually notices that its client has gone before it commits. Behind a proxy, or
      // when the network fails, it does not.
      const proxy = await proxyThatKeeps(postgres.url);
      t.after(() => proxy.close());
      const behind = await openLedger(proxy.url);
      t.after(() => behind.close());
      assert(behind.connection.dialect === 'postgres');
      const message = authorizationMessage(2, { trace_id: 'T-late' });
      const pid = await nextBackend(behind.connection.passes);
      const standing: Fold<readonly (boolean | null)[]> = (state) => {
        stop(pid);
        return spend([message])(state);
      };
      await assert.rejects(behind.ledger.pass([message], standing, within(2_000)), isRetryable);
      assert.ok(stopped.has(pid), 'the pass had read its card in time');
      goOn();
      await executed(pid);
      assert.equal(await recorded(2), 0, 'nothing is decided after its deadline');
      assert.deepEqual(await open.ledger.pass([message], spend([message]), within(60_000)), [true]);
      assert.equal(await recorded(2), 1);
    });

    it('commits what it reads in time, and the caller receives the outcome', async () => {
      const message = authorizationMessage(3, { trace_id: 'T-in-time' });
      const pid = await nextBackend(connection().passes);
      const standing: Fold<readonly (boolean | null)[]> = (state) => {
        stop(pid);
        setImmediate(goOn);
        return spend([message])(state);
      };
      assert.deepEqual(await open.ledger.pass([message], standing, within(60_000)), [true]);
      assert.equal(await recorded(3), 1);
    });

    it('ends another transaction with a retryable fault, and the next one uses another connection', async () => {
      // The time-outs of look-ups are half a deadline.
      const other = await openLedger(postgres.url, undefined, 4_000);
      assert(other.connection.dialect === 'postgres');
      try {
        const look_ups = unitOfWorkOn(
          other.connection,
          repeatableRandom(1),
          (session) => session,
          other.connection.look_ups,
        );
        const backend = () =>
          look_ups.read(async ({ db }) => {
            const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
            return rows[0]!.pid;
          });
        const pid = await backend();
        stop(pid);
        await assert.rejects(backend(), isRetryable);
        assert.notEqual(await backend(), pid);
      } finally {
        goOn();
        await other.connection.close();
      }
    });

    it('does not keep the connections from being closed', async () => {
      const other = await openLedger(postgres.url);
      assert(other.connection.dialect === 'postgres');
      const message = authorizationMessage(4, { trace_id: 'T-close' });
      await other.ledger.pass([message], spend([message]));
      stop(await nextBackend(other.connection.passes));
      stop(await nextBackend(other.connection.pool));
      await other.connection.close();
      goOn();
    });
  });
}
