import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Outbox, relayEvents, relayEventsOf, type Webhook } from '@tallystick/events';
import { database_names, type ScratchDatabase, scratchDatabase, until } from '@tallystick/test-support';
import pg from 'pg';
import type { Persistence, Tx } from '../src/index.ts';
import { makeCompany, noon_ms, openPersistence } from './contract/fixture.ts';

if (database_names.includes('postgres')) {
  describe('relays of several processes on postgres', () => {
    let database: ScratchDatabase;
    let here: Persistence;
    let there: Persistence;

    before(async () => {
      database = await scratchDatabase('postgres');
      here = await openPersistence(database);
      there = await openPersistence(database);
      await here.migrate();
    });
    after(async () => {
      await here?.close();
      await there?.close();
      await database?.dispose();
    });

    /** Registers a webhook for all events of a new company. */
    function subscriber(): Promise<Webhook> {
      return here.unitOfWork.run(async (tx) => {
        const { id } = await makeCompany(tx);
        return await tx.webhooks.insert({
          company_id: id,
          callback_url: 'https://hooks.example/',
          event_type_ids: [1],
          status: 'active',
          secret_sealed: new Uint8Array([1]),
          previous_secret_sealed: null,
          previous_secret_until_ms: null,
          created_at_ms: noon_ms,
        });
      });
    }

    async function appendIn(tx: Tx, company_id: number, count: number): Promise<readonly number[]> {
      const event = {
        company_id,
        event_type: 'x',
        payload: {},
        previous: null,
        created_at_ms: noon_ms,
        request_id: null,
      };
      return (await tx.events.append(Array.from({ length: count }, () => event))).map(({ id }) => id);
    }

    const append = ({ company_id }: Webhook, count: number) =>
      here.unitOfWork.run((tx) => appendIn(tx, company_id, count));

    async function relayOnce({ unitOfWork }: Persistence, limit = 100) {
      return await unitOfWork.run((tx) => relayEvents(tx, noon_ms, limit));
    }

    /** The ids of the events that have a delivery, in the order of the sequence numbers. */
    async function delivered({ id }: Webhook): Promise<readonly number[]> {
      const { items } = await here.unitOfWork.read((tx) => tx.deliveries.list(id, {}, { limit: 100 }));
      const deliveries = items.map(({ delivery }) => delivery).toSorted((a, b) => a.sequence - b.sequence);
      assert.deepEqual(
        deliveries.map(({ sequence }) => sequence),
        deliveries.map((_, place) => place + 1),
      );
      return deliveries.map(({ event_id }) => event_id);
    }

    /** Relays in a transaction that is held between taking the events and numbering them. */
    async function hold(relay: (tx: { readonly outbox: Outbox }) => Promise<unknown>) {
      const taken = Promise.withResolvers<Tx>();
      const released = Promise.withResolvers<void>();
      const ended = here.unitOfWork.run(async (tx) => {
        const activeWebhooks: Outbox['activeWebhooks'] = async (company_ids) => {
          taken.resolve(tx);
          await released.promise;
          return await tx.outbox.activeWebhooks(company_ids);
        };
        await relay({ outbox: { ...tx.outbox, activeWebhooks } });
      });
      await Promise.race([taken.promise, ended]);
      return {
        async release() {
          released.resolve();
          await ended;
        },
        ended,
        released,
      };
    }

    it('number no later event of a company while one is held between taking and committing', async () => {
      const webhook = await subscriber();
      const first = await append(webhook, 2);
      const held = await hold((tx) => relayEvents(tx, noon_ms, 2));
      const second = await append(webhook, 2);
      assert.deepEqual(await relayOnce(there), { events: 0, passed_over: true, offers: [] });
      await held.release();
      await relayOnce(there);
      assert.deepEqual(await delivered(webhook), [...first, ...second]);
    });

    it('relay the other companies while one is held, however many events it left', async () => {
      const [webhook, other] = [await subscriber(), await subscriber()];
      await append(webhook, 1);
      const held = await hold((tx) => relayEvents(tx, noon_ms, 1));
      await append(webhook, 50);
      const events = await append(other, 1);
      const relayed = await relayOnce(there, 5);
      assert.deepEqual([relayed.events, relayed.passed_over], [1, true]);
      assert.deepEqual(await delivered(other), events);
      await held.release();
      await relayOnce(there);
      assert.equal((await delivered(webhook)).length, 51);
    });

    it('number events by their commits, even if their ids were drawn in another order', async () => {
      const webhook = await subscriber();
      const drawn = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const late = here.unitOfWork.run(async (tx) => {
        const ids = await appendIn(tx, webhook.company_id, 1);
        drawn.resolve();
        await released.promise;
        return ids;
      });
      await drawn.promise;
      const early = await there.unitOfWork.run((tx) => appendIn(tx, webhook.company_id, 1));
      released.resolve();
      const ids = await late;
      assert.ok(ids[0]! < early[0]!);
      await relayOnce(there);
      assert.deepEqual(await delivered(webhook), [...early, ...ids]);
    });

    it('leave the events of a company to a change of its webhooks that takes them', async () => {
      const webhook = await subscriber();
      const first = await append(webhook, 1);
      const change = await hold((tx) => relayEventsOf(tx, webhook.company_id, noon_ms));
      const second = await append(webhook, 1);
      assert.deepEqual(await relayOnce(there), { events: 0, passed_over: true, offers: [] });
      await change.release();
      await relayOnce(there);
      assert.deepEqual(await delivered(webhook), [...first, ...second]);
    });

    it('are waited for by a change of webhooks, which takes the events that follow', async () => {
      const webhook = await subscriber();
      const first = await append(webhook, 1);
      const held = await hold((tx) => relayEvents(tx, noon_ms, 1));
      const second = await append(webhook, 1);
      const change = there.unitOfWork.run(async (tx) => {
        await relayEventsOf(tx, webhook.company_id, noon_ms);
        await tx.webhooks.find(webhook.company_id, webhook.id, { for_update: true });
      });
      await untilLocksAreAwaited(database);
      await held.release();
      await change;
      assert.deepEqual(await delivered(webhook), [...first, ...second]);
    });

    it('continue when the connection of the one that holds the events is lost', async () => {
      const webhook = await subscriber();
      const events = await append(webhook, 2);
      const held = await hold((tx) => relayEvents(tx, noon_ms, 1));
      assert.equal((await relayOnce(there)).passed_over, true);
      await administer(
        database,
        `select pg_terminate_backend(pid, 60000) from pg_locks where locktype = 'advisory' and database = (
           select oid from pg_database where datname = current_database())`,
      );
      const relayed = await relayOnce(there);
      assert.deepEqual([relayed.events, relayed.passed_over], [2, false]);
      assert.deepEqual(await delivered(webhook), events);
      held.released.resolve();
      await assert.rejects(held.ended);
    });
  });
}

async function administer(database: ScratchDatabase, statement: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: database.database_url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Resolves when a transaction waits for an advisory lock. */
async function untilLocksAreAwaited(database: ScratchDatabase): Promise<void> {
  const statement = `select 1 from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  await until(async () => (await administer(database, statement)).length > 0);
}
