import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Temporal } from '@tallystick/kernel';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import { rebuild } from '@tallystick/reconciliation';
import {
  type CrashOrder,
  crashEnvironment,
  database_names,
  migratedDatabase,
  readRows,
  type ScratchDatabase,
  type ServerProcess,
  send,
  startServer,
  test_keys,
  testRuns,
} from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';

/** After any day on which the tests may run: the clock of a server only moves forward. */
const first_day = '2126-03-16';

/** How often a server is killed: before and after the first commit of breaks, the second, and so on. */
const kills = testRuns({ short: 2, full: 2 });

interface BreakEvent {
  readonly name: string;
  readonly item_id: number;
  readonly age: string | null;
}

/** The events of breaks in the event log, oldest first. */
async function breakEvents(database: ScratchDatabase): Promise<readonly BreakEvent[]> {
  const rows = await readRows<{ event_type: string; payload: string | BreakEvent }>(
    database,
    "select event_type, payload from tallystick_events where event_type like 'reconciliation.break.%' order by id",
  );
  return rows.map(({ event_type, payload }) => {
    const { item_id, age } = typeof payload === 'string' ? (JSON.parse(payload) as BreakEvent) : payload;
    return { name: event_type.slice('reconciliation.break.'.length), item_id, age: age ?? null };
  });
}

async function untilEvents(database: ScratchDatabase, wanted: number): Promise<readonly BreakEvent[]> {
  for (const until_ms = performance.now() + 60_000; performance.now() < until_ms; await delay(20)) {
    const events = await breakEvents(database);
    if (events.length >= wanted) return events;
  }
  return assert.fail(`not ${wanted} events of breaks: ${JSON.stringify(await breakEvents(database))}`);
}

async function moveClock({ url }: ServerProcess, set: string): Promise<void> {
  const moved = await send(url, 'POST', '/sandbox/v1/clock', {
    key: 'operator',
    body: { data: { set, frozen: true } },
  });
  assert.equal(moved.status, 200, moved.text);
}

async function makeCard({ url }: ServerProcess): Promise<number> {
  const body = { data: { total_card_amount: 1_000_000 } };
  return Number((await send(url, 'POST', '/v1/virtualcards', { body })).json.data.id);
}

/** A clearing without authorization, which is a break at once. */
async function forcePost({ url }: ServerProcess, vcn_id: number, transaction_id: string): Promise<void> {
  const data = {
    vcn_id,
    network_financial_transaction_id: transaction_id,
    billing_amount: 700,
    billing_currency: 'USD',
    clearing_type: 'DEBIT',
    settlement_date: first_day,
  };
  const cleared = await send(url, 'POST', '/network/v1/clearings', { key: 'network', body: { data } });
  assert.equal(cleared.status, 200, cleared.text);
}

/** The breaks that the metrics count, by kind and age; only those that are not 0. */
async function countedBreaks({ url }: ServerProcess): Promise<Readonly<Record<string, number>>> {
  const { text } = await send(url, 'GET', '/metrics', { key: 'operator' });
  const lines = text.matchAll(/^tallystick_reconciliation_breaks\{kind="([^"]+)",age="([^"]+)"\} (\S+)$/gm);
  const counts = [...lines].map(([, kind, age, count]) => [`${kind} ${age}`, Number(count)] as const);
  assert.ok(counts.length > 0, text.slice(0, 500));
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

/** What a rebuild would change in the database. */
async function differencesIn({ database_url }: ScratchDatabase): Promise<readonly number[]> {
  const { audit_mac } = createVault(parseKeyRing(test_keys));
  const clock = { nowMs: () => Date.parse(`${first_day}T12:00:00Z`) };
  const persistence = await mikroOrmPersistence({ database_url, clock, audit_mac });
  try {
    const { unitOfWork } = persistence;
    const found = await rebuild({ unitOfWork, clock }, { company_id: null, check_only: true });
    return [found.items_different, found.entries_different, found.cells_different];
  } finally {
    await persistence.close();
  }
}

for (const name of database_names) {
  describe(`a break, on ${name}`, () => {
    it('is opened, ages at each bucket and is resolved, with one event each, and the metrics count it', async (t) => {
      const database = await migratedDatabase(name);
      t.after(() => database.dispose());
      const server = await startServer(database);
      t.after(() => server.stop());
      await moveClock(server, `${first_day}T12:00:00Z`);
      await forcePost(server, await makeCard(server), 'TX-1');
      const [opened] = await untilEvents(database, 1);
      const { item_id } = opened!;
      const expected: BreakEvent[] = [{ name: 'opened', item_id, age: '0-1' }];
      assert.deepEqual(await countedBreaks(server), { 'unauthorized 0-1': 1 });
      for (const [day, age] of [
        ['2126-03-18', '2-3'],
        ['2126-03-20', '4-7'],
        ['2126-03-24', '8-30'],
        ['2126-04-16', 'over 30'],
      ] as const) {
        const eve = Temporal.PlainDate.from(day).subtract({ days: 1 });
        await moveClock(server, `${eve}T23:59:59Z`);
        // A read brings the items up to date: an event of this second would be there.
        assert.equal((await send(server.url, 'GET', '/v1/reconciliation/summary')).status, 200);
        assert.deepEqual(await breakEvents(database), expected, `the events before ${day}`);
        await moveClock(server, `${day}T00:00:00Z`);
        expected.push({ name: 'aged', item_id, age });
        assert.deepEqual(await untilEvents(database, expected.length), expected);
        assert.deepEqual(await countedBreaks(server), { [`unauthorized ${age}`]: 1 });
      }
      const act = (action: string) =>
        send(server.url, 'POST', `/v1/reconciliation/items/${item_id}/${action}`, { body: { data: { note: 'x' } } });
      assert.equal((await act('accept')).status, 200);
      expected.push({ name: 'resolved', item_id, age: null });
      assert.deepEqual(await breakEvents(database), expected);
      assert.deepEqual(await countedBreaks(server), {});
      assert.equal((await act('reopen')).status, 200);
      expected.push({ name: 'opened', item_id, age: 'over 30' });
      assert.deepEqual(await breakEvents(database), expected);
    });

    it('has one event, and items equal rebuilt ones, when SIGKILL ends servers as they record them', async (t) => {
      const database = await migratedDatabase(name);
      t.after(() => database.dispose());
      let server = await startServer(database);
      t.after(() => server.kill());
      await moveClock(server, `${first_day}T12:00:00Z`);
      const card_id = await makeCard(server);
      for (let kill = 0; kill < kills; kill += 1) {
        await server.stop();
        const crash: CrashOrder = {
          phase: 'reconciliation_items',
          nth: 1 + Math.floor(kill / 2),
          moment: kill % 2 === 0 ? 'before' : 'after',
        };
        const killed = await startServer({ ...database, env: crashEnvironment(crash) });
        t.after(() => killed.kill());
        let ended = false;
        void killed.exited.then(() => {
          ended = true;
        });
        for (let at = 0; !ended; at += 1) {
          await forcePost(killed, card_id, `TX-${kill}-${at}`).catch(() => 'the server was killed');
        }
        assert.equal((await killed.exited).signal, 'SIGKILL');
        server = await startServer(database);
      }
      const cleared = (await readRows(database, 'select id from tallystick_clearings')).length;
      const events = await untilEvents(database, cleared);
      assert.deepEqual(
        events.map((event) => event.name),
        Array(cleared).fill('opened'),
      );
      assert.equal(new Set(events.map(({ item_id }) => item_id)).size, cleared, 'each break once');
      await server.stop();
      assert.equal((await breakEvents(database)).length, cleared, 'the events after the end');
      assert.deepEqual(await differencesIn(database), [0, 0, 0], 'what a rebuild would change');
    });
  });
}
