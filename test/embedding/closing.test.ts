import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { machine_timers } from '@tallystick/kernel';
import { database_names, migratedDatabase, readRows } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import pg from 'pg';
import { createTallystick, type Tallystick, type TallystickOptions, UnusableDatabase } from 'tallystick';
import { createContainer, openContainer, openHostLog, readOptions, tokens } from 'tallystick/inversify';

const calls_count = 200;
/** More than one read of an export. */
const clearings_count = 300;
const closed = { name: 'UnusableDatabase', message: 'this instance is closed: create another one' };

/** A database of an instance, named by its address or by a handle of the host. */
interface Place {
  readonly database: NonNullable<TallystickOptions['database']>;
  /** A handle for transactions of the host. */
  readonly handle: Database.Database | pg.Pool | null;
  countCards(): Promise<number>;
  dispose(): Promise<void>;
}

const count_cards = 'select count(*) as cards from tallystick_virtual_cards';

async function openStored(name: 'sqlite' | 'postgres', by: 'address' | 'handle'): Promise<Place> {
  const scratch = await migratedDatabase(name);
  const handle =
    name === 'sqlite'
      ? new Database(scratch.database_url.slice('sqlite:'.length))
      : new pg.Pool({ connectionString: scratch.database_url, max: 4 });
  // A connection that is ending may still be there when the database is dropped.
  if (handle instanceof pg.Pool) handle.on('error', () => {});
  return {
    database: by === 'address' ? scratch.database_url : handle,
    handle,
    countCards: async () => Number((await readRows(scratch, count_cards))[0]!.cards),
    async dispose() {
      await (handle instanceof pg.Pool ? handle.end() : handle.close());
      await scratch.dispose();
    },
  };
}

async function openInMemory(): Promise<Place> {
  const handle = new Database(':memory:');
  return {
    database: handle,
    handle,
    countCards: async () => Number(handle.prepare<[], { cards: number }>(count_cards).get()!.cards),
    dispose: async () => void handle.close(),
  };
}

const places: readonly (readonly [string, () => Promise<Place>])[] = [
  ...database_names.flatMap((name) =>
    (['address', 'handle'] as const).map((by) => [`${name} by ${by}`, () => openStored(name, by)] as const),
  ),
  ['a shared handle in memory', openInMemory],
];

async function open(place: Place): Promise<Tallystick> {
  const tally = await createTallystick({ database: place.database, sandbox: true });
  await tally.migrate();
  return tally;
}

for (const [name, openPlace] of places) {
  describe(`close() on ${name}`, () => {
    it(`lets ${calls_count} calls of the same turn end with their results`, async (t) => {
      const place = await openPlace();
      t.after(() => place.dispose());
      const tally = await open(place);
      const { cards, sandbox } = tally.company(1);
      const { id } = await cards.issue({ total_card_amount: 1_000_000 });
      const works = [
        () => cards.issue({ total_card_amount: 5_000 }),
        () => sandbox.buy({ vcn_id: id, amount: 100 }),
        () => cards.read(id),
        () => cards.list({ limit: 1 }),
        () => tally.subscriptions(),
      ];
      const calls = Array.from({ length: calls_count }, (_, at) => works[at % works.length]!());
      const closing = tally.close();
      const late = assert.rejects(cards.issue({ total_card_amount: 5_000 }), closed);
      await Promise.all(calls);
      await closing;
      await late;
      assert.equal(await place.countCards(), 1 + calls_count / works.length);
      await assert.rejects(cards.read(id), UnusableDatabase);
    });

    it('lets a transaction in progress end with its further calls', async (t) => {
      const place = await openPlace();
      t.after(() => place.dispose());
      const tally = await open(place);
      const { cards } = tally.company(1);
      const begun = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const work = tally.transaction(place.handle as pg.Pool, async (tx) => {
        await cards.issue({ total_card_amount: 5_000 }, { tx });
        begun.resolve();
        await goOn.promise;
        return await cards.issue({ total_card_amount: 5_000 }, { tx });
      });
      await begun.promise;
      const closing = tally.close();
      await assert.rejects(cards.list(), closed);
      goOn.resolve();
      await work;
      await closing;
      assert.equal(await place.countCards(), 2);
    });

    it('answers requests of the Fetch standard of the same turn', async (t) => {
      const place = await openPlace();
      t.after(() => place.dispose());
      const tally = await open(place);
      const ask = () => tally.fetch(new Request('https://host.example/v1/virtualcards'));
      const asked = Array.from({ length: 5 }, ask);
      const closing = tally.close();
      const answers = await Promise.all(asked);
      await closing;
      assert.deepEqual(
        answers.map(({ status }) => status),
        [401, 401, 401, 401, 401],
      );
      assert.equal((await ask()).status, 503);
    });

    it('lets an export in progress end with all its rows', async (t) => {
      const place = await openPlace();
      t.after(() => place.dispose());
      const tally = await open(place);
      const { cards, reconciliation } = tally.company(1);
      const { id: vcn_id } = await cards.issue({ total_card_amount: 1_000_000 });
      const clear = (at: number) =>
        tally.network.clear({
          vcn_id,
          network_financial_transaction_id: `T${at}`,
          clearing_type: 'DEBIT',
          billing_amount: 100,
          billing_currency: 'USD',
          settlement_date: new Date().toISOString().slice(0, 10),
        });
      // No more at once than can be decided in time.
      for (let at = 0; at < clearings_count; at += 25) {
        await Promise.all(Array.from({ length: 25 }, (_, more) => clear(at + more)));
      }
      let closing: Promise<void> | null = null;
      let rows = -1;
      let pieces = 0;
      for await (const piece of reconciliation.items.export()) {
        closing ??= tally.close();
        pieces += 1;
        rows += piece.split('\n').length - 1;
        // The caller writes it elsewhere.
        await machine_timers.nextTurn();
      }
      await closing;
      assert.ok(pieces > 1);
      assert.equal(rows, clearings_count);
    });

    it('ends the iteration of a list with an error where its next page would begin', async (t) => {
      const place = await openPlace();
      t.after(() => place.dispose());
      const tally = await open(place);
      const { cards } = tally.company(1);
      for (let at = 0; at < 5; at += 1) await cards.issue({ total_card_amount: 5_000 });
      const read: string[] = [];
      const iteration = async (): Promise<void> => {
        for await (const { id } of cards.list({ limit: 2 })) {
          read.push(id);
          if (read.length === 3) await tally.close();
        }
      };
      await assert.rejects(iteration(), closed);
      assert.equal(read.length, 4);
    });

    it('is called by await using, and waits for calls whose promises were not awaited', async (t) => {
      const place = await openPlace();
      t.after(() => place.dispose());
      const calls: Promise<unknown>[] = [];
      {
        await using tally = await open(place);
        const { cards } = tally.company(1);
        for (let at = 0; at < 20; at += 1) calls.push(cards.issue({ total_card_amount: 5_000 }));
      }
      assert.equal(await place.countCards(), 20);
      await Promise.all(calls);
    });
  });
}

it('close() waits 10 s for a transaction in progress, whose further calls are then refused in one sentence', {
  timeout: 60_000,
}, async (t) => {
  const place = await openStored('sqlite', 'address');
  t.after(() => place.dispose());
  let endOfWait: (() => void) | null = null;
  const container = createContainer(readOptions({ database: place.database as string, sandbox: true }));
  container.bind(tokens.logger).toConstantValue(openHostLog(undefined));
  container.rebind(tokens.timers).toConstantValue({
    ...machine_timers,
    after(ms, run, options) {
      if (ms !== 10_000) return machine_timers.after(ms, run, options);
      endOfWait = run;
      return () => {};
    },
  });
  const tally = await openContainer(container);
  await tally.migrate();
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const work = tally.transaction(place.handle as Database.Database, async (tx) => {
    begun.resolve();
    await goOn.promise;
    return await tally.company(1).cards.issue({ total_card_amount: 5_000 }, { tx });
  });
  await begun.promise;
  const closing = tally.close();
  while (endOfWait === null) await machine_timers.nextTurn();
  (endOfWait as () => void)();
  await closing;
  goOn.resolve();
  await assert.rejects(work, closed);
  assert.equal(await place.countCards(), 0);
});
