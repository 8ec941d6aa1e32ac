import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  migratedDatabase,
  type Reply,
  readRows,
  runAdmin,
  type ScratchDatabase,
  type ServerProcess,
  send,
  sqliteFile,
  startExitCleanup,
  startServer,
} from '@tallystick/test-support';
import { authorize, type Card, clear, issue, type Message, purchase } from './purchases.ts';

type Holder = ChildProcessByStdio<Writable, Readable, null>;

describe('while another process holds the write lock of SQLite', () => {
  let database: ScratchDatabase;
  let server: ServerProcess;
  let cards: readonly Card[];
  /** A key that the server reads from the database. */
  let key: string;

  before(async () => {
    database = await migratedDatabase('sqlite');
    server = await startServer({
      database_url: database.database_url,
      env: { DECISION_MS_MAX: '1500', NETWORK_WAIT_MS_MAX: '60000' },
    });
    cards = await Promise.all(
      Array.from({ length: 8 }, () => issue(server.url, { total_card_amount: 1_000_000, recurring: 'Continuous' })),
    );
    const created = await runAdmin(['key', 'create', '--company', '1', '--role', 'client', '--name', 'tests'], {
      database_url: database.database_url,
    });
    key = String(created.key);
  });
  after(async () => {
    await server?.kill();
    await database?.dispose();
  });

  /** Runs the work while another process holds the lock, which ends it only afterwards. */
  async function whileHeld<Result>(work: () => Promise<Result>): Promise<Result> {
    const script = fileURLToPath(new URL('lock-holder.ts', import.meta.url));
    const holder: Holder = spawn(process.execPath, [script, sqliteFile(database)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const cleanup = startExitCleanup('kill -KILL "$1"', String(holder.pid));
    const exited = once(holder, 'exit');
    try {
      await once(holder.stdout, 'data');
      return await work();
    } finally {
      holder.stdin.end();
      await exited;
      cleanup.revoke();
    }
  }

  const writeOff = (): Promise<Reply> =>
    send(server.url, 'PATCH', `/v1/virtualcards/${cards[0]?.id}`, { key, body: { data: { metadata: { a: 1 } } } });

  /** What is recorded, read by the test itself. */
  const recorded = (messages: readonly Message[]) =>
    readRows<{ trace_id: string }>(
      database,
      `select trace_id from tallystick_authorizations where trace_id in (${messages.map(({ trace_id }) => `'${trace_id}'`).join(', ')})`,
    );

  it('reads, /readyz and authentication work, also while writes wait', async () => {
    const read = async (path: string) => [path, (await send(server.url, 'GET', path, { key })).status];
    const paths = [
      '/readyz',
      '/metrics',
      '/v1/virtualcards',
      `/v1/virtualcards/${cards[0]?.id}`,
      `/v1/virtualcards/${cards[0]?.id}/authorizations`,
      '/v1/events',
      '/v1/events?filter[payload.merchant_name]=Nobody',
    ];
    const readBesideWaitingWrites = async () => {
      // A company alone has ten places at a time (ADR 0030): one is left for its reads.
      let waiting_count = 9;
      const waiting = Array.from({ length: waiting_count }, () => writeOff().finally(() => (waiting_count -= 1)));
      // Its deadline comes before the end of the wait of the writes, which arrived before it.
      await authorize(server.url, purchase(cards[0]!.card_number, 10));
      const replies = await Promise.all(paths.flatMap((path) => [read(path), read(path)]));
      assert.deepEqual(
        replies.filter(([, status]) => status !== 200),
        [],
      );
      const count = waiting_count;
      await Promise.all(waiting);
      return count;
    };
    let unanswered = 0;
    // On a machine that stalls, the writes may end first; reads that wait for them never are first.
    for (let attempt = 1; unanswered === 0 && attempt <= 5; attempt += 1) {
      unanswered = await whileHeld(readBesideWaitingWrites);
    }
    assert.ok(unanswered > 0, 'the reads were answered while writes waited');
  });

  it('every decision is U, every other write is refused for now, and none happens later', async () => {
    const purchases = cards.flatMap(({ card_number }) => [purchase(card_number, 10), purchase(card_number, 20)]);
    const clearing = {
      card_number: cards[0]?.card_number,
      network_financial_transaction_id: 'held-clearing',
      billing_amount: 5,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2030-03-16',
    };
    // All of them are answered before the lock ends.
    const [decisions, cleared, written] = await whileHeld(() =>
      Promise.all([
        Promise.all(purchases.map((message) => authorize(server.url, message))),
        clear(server.url, clearing),
        Promise.all([writeOff(), writeOff(), writeOff()]),
      ]),
    );
    for (const { status, json } of decisions) {
      assert.deepEqual([status, json.data.vcn_response, json.data.response_code], [503, 'Unable to process', '96']);
    }
    for (const reply of [cleared, ...written]) {
      assert.equal(reply.status, 503, reply.text);
      assert.notEqual(reply.headers.get('retry-after'), null);
    }

    // What still waited would come before these.
    assert.equal((await writeOff()).status, 200);
    const marker = purchase(cards[1]!.card_number, 1);
    assert.equal((await authorize(server.url, marker)).json.data.response_code, '00');
    assert.deepEqual(await recorded(purchases), []);

    const again = await Promise.all([...purchases, ...purchases].map((message) => authorize(server.url, message)));
    assert.deepEqual(
      again.filter(({ json }) => json.data.response_code !== '00'),
      [],
    );
    assert.equal((await recorded(purchases)).length, purchases.length, 'each is decided once');
    assert.equal((await clear(server.url, clearing)).status, 200);
  });
});
