import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { relayEvents } from '@tallystick/events';
import { database_names, readRows, scratchDatabase } from '@tallystick/test-support';
import type { Persistence, Tx } from '../src/index.ts';
import { makeCompany, migrateWithSmallSegments, noon_ms, openPersistence } from './contract/fixture.ts';

const skip = database_names.includes('postgres') ? false : 'there is no Postgres';
const places = [{ schema: 'one' }, { schema: 'two' }] as const;

describe('two installations in one database, on postgres', { skip }, () => {
  async function open(t: TestContext) {
    const database = await scratchDatabase('postgres');
    t.after(() => database.dispose());
    await Promise.all(places.map((place) => migrateWithSmallSegments(database, place)));
    const [one, two] = await Promise.all(places.map((place) => openPersistence(database, undefined, place)));
    t.after(() => Promise.all([one!.close(), two!.close()]));
    return { database, one: one!, two: two! };
  }

  const subscribe = ({ unitOfWork }: Persistence) =>
    unitOfWork.run(async (tx) => {
      const { id } = await makeCompany(tx);
      await tx.webhooks.insert({
        company_id: id,
        callback_url: 'https://hooks.example/',
        event_type_ids: [1],
        status: 'active',
        secret_sealed: new Uint8Array([1]),
        previous_secret_sealed: null,
        previous_secret_until_ms: null,
        created_at_ms: noon_ms,
      });
      return id;
    });

  async function append(tx: Tx, company_id: number, count: number) {
    const event = {
      company_id,
      event_type: 'x',
      payload: {},
      previous: null,
      created_at_ms: noon_ms,
      request_id: null,
    };
    await tx.events.append(Array.from({ length: count }, () => event));
  }

  it('relay and index the events of each alone', async (t) => {
    const { database, one, two } = await open(t);
    const [company_of_one, company_of_two] = [await subscribe(one), await subscribe(two)];
    await Promise.all([
      one.unitOfWork.run((tx) => append(tx, company_of_one, 40)),
      two.unitOfWork.run((tx) => append(tx, company_of_two, 20)),
    ]);
    await Promise.all([one, two].map(({ unitOfWork }) => unitOfWork.run((tx) => relayEvents(tx, noon_ms, 100))));
    await Promise.all([one.event_index.run(), two.event_index.run()]);
    for (const [installation, events, indexed_below] of [
      ['one', 40, 32],
      ['two', 20, 16],
    ] as const) {
      const count = async (of: string) =>
        (await readRows(database, `select 1 from ${installation}.tallystick_${of}`)).length;
      assert.equal(await count('events'), events);
      assert.equal(await count('event_outbox'), 0);
      const index = await readRows(database, `select indexed_below from ${installation}.tallystick_event_index`);
      assert.equal(Number(index[0]!.indexed_below), indexed_below);
    }
  });

  it('do not wait for each other, whatever locks one of them holds', { timeout: 60_000 }, async (t) => {
    const { one, two } = await open(t);
    const [company_of_one, company_of_two] = [await subscribe(one), await subscribe(two)];
    assert.equal(company_of_one, company_of_two);
    await one.unitOfWork.run((tx) => append(tx, company_of_one, 1));
    await two.unitOfWork.run((tx) => append(tx, company_of_two, 40));
    const [held, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holder = one.unitOfWork.run(async (tx) => {
      await tx.bank.lockNames();
      await tx.imports.lockDecisions();
      assert.equal((await tx.outbox.take(10)).events.length, 1);
      // A writer of events.
      await append(tx, company_of_one, 1);
      held.resolve();
      await ended.promise;
    });
    try {
      await held.promise;
      await two.unitOfWork.run(async (tx) => {
        await tx.bank.lockNames();
        await tx.imports.lockDecisions();
        const { events, passed_over } = await tx.outbox.take(100);
        assert.equal(events.length, 40);
        assert.equal(passed_over, false);
      });
      // It waits for open writers of its own only.
      await two.event_index.run();
      assert.equal(await two.event_index.unindexedSegments(), 0);
    } finally {
      ended.resolve();
      await holder;
    }
  });
});
