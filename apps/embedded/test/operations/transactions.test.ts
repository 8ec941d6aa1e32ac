import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HostTransaction } from '@tallystick/kernel';
import { createOperations } from '@tallystick/koa';
import { type DatabaseName, scratchDatabase } from '@tallystick/test-support';
import { createKeyRingText } from '@tallystick/vault';
import Database from 'better-sqlite3';
import pg from 'pg';
import pino from 'pino';
import { closeContainer, createContainer } from '../../src/composition/container.ts';
import { tokens } from '../../src/composition/tokens.ts';
import { createOperationGroups } from '../../src/operations/create-operation-groups.ts';
import { isRefusal, type OperationGroups } from '../../src/operations/index.ts';
import { readOptions } from '../../src/read-options.ts';
import { fromBetterSqlite3, fromPg } from '../../src/tx/index.ts';

interface World {
  readonly groups: OperationGroups;
  readonly company_id: string;
  /** The host's own connection. */
  readonly tx: HostTransaction;
  run(text: string): Promise<void>;
}

type Disposing = { after(cleanup: () => unknown): void };

async function openWorld(t: Disposing, name: DatabaseName): Promise<World> {
  const closing = new AsyncDisposableStack();
  t.after(() => closing.disposeAsync());
  const scratch = await scratchDatabase(name);
  closing.defer(() => scratch.dispose());
  const container = createContainer(readOptions({ database: scratch.database_url, keys: createKeyRingText() }));
  container.bind(tokens.logger).toConstantValue(pino({ level: 'silent' }));
  closing.defer(() => closeContainer(container));
  const persistence = await container.getAsync(tokens.database);
  await persistence.migrate();
  const groups = createOperationGroups({
    operations: createOperations(await container.getAsync(tokens.http_ports)),
    joining: (host) => persistence.joining(host),
  });
  const { id } = await groups.operator.companies.create({ name: 'Example', customer_number: '1' });
  await addRealCard(groups, id);
  return { groups, company_id: id, ...(await openHost(closing, name, scratch.database_url)) };
}

function addRealCard({ operator }: OperationGroups, company_id: string, tx?: HostTransaction) {
  const real_card = { company_id, alias: 'Travel', billing_currency: 'USD', account_range: '555555' };
  return operator.realCards.create(real_card, { tx });
}

async function openHost(
  closing: AsyncDisposableStack,
  name: DatabaseName,
  database_url: string,
): Promise<Pick<World, 'tx' | 'run'>> {
  if (name === 'sqlite') {
    const database = new Database(database_url.slice('sqlite:'.length));
    closing.defer(async () => void database.close());
    return { tx: fromBetterSqlite3(database), run: async (text) => void database.exec(text) };
  }
  const client = new pg.Client(database_url);
  await client.connect();
  closing.defer(() => client.end());
  return { tx: fromPg(client), run: async (text) => void (await client.query(text)) };
}

/** What everybody sees of a company: its cards and events. */
async function visible({ groups, company_id }: World) {
  const company = groups.company(company_id);
  const { items: cards } = await company.cards.list();
  const { items: events } = await company.events.list();
  return { cards: cards.map(({ id }) => id), events: events.map(({ event_type }) => event_type) };
}

for (const name of ['sqlite', 'postgres'] as const) {
  describe(`calls in a transaction of the host on ${name}`, () => {
    it('leave nothing when the host rolls back', async (t) => {
      const world = await openWorld(t, name);
      const { cards, webhooks } = world.groups.company(world.company_id);
      await world.run('begin');
      const { id } = await cards.issue({ total_card_amount: 5_000 }, { tx: world.tx });
      await webhooks.create({ callback_url: 'https://hooks.example.com' }, { tx: world.tx });
      assert.equal((await cards.read(id, { tx: world.tx })).id, id);
      assert.equal((await Array.fromAsync(cards.list({ limit: 1, tx: world.tx }))).length, 1);
      await world.run('rollback');
      assert.deepEqual(await visible(world), { cards: [], events: [] });
      assert.deepEqual((await webhooks.list()).items, []);
    });

    it('are there together when the host commits', async (t) => {
      const world = await openWorld(t, name);
      const { cards } = world.groups.company(world.company_id);
      await world.run('begin');
      const { id } = await cards.issue({ total_card_amount: 5_000 }, { tx: world.tx });
      await cards.update(id, { total_card_amount: 6_000 }, { tx: world.tx });
      await world.run('commit');
      assert.deepEqual(await visible(world), { cards: [id], events: ['virtualcard.updated', 'virtualcard.created'] });
    });

    it('can use a company that the same transaction has created', async (t) => {
      const world = await openWorld(t, name);
      const { tx, groups } = world;
      await world.run('begin');
      const { id } = await groups.operator.companies.create({ name: 'New', customer_number: '2' }, { tx });
      await addRealCard(groups, id, tx);
      const card = await groups.company(id).cards.issue({ total_card_amount: 5_000 }, { tx });
      await world.run('commit');
      assert.equal((await groups.company(id).cards.read(card.id)).status, 'Approved');
    });

    it('leave the transaction usable when they are refused', async (t) => {
      const world = await openWorld(t, name);
      const { cards } = world.groups.company(world.company_id);
      await world.run('begin');
      const { id } = await cards.issue({ total_card_amount: 5_000 }, { tx: world.tx });
      const refused = await cards.update(id, { total_card_amount: -1 }, { tx: world.tx }).catch((error) => error);
      assert.ok(isRefusal(refused, 'validation_failed'));
      assert.deepEqual(
        refused.fields.map(({ path }) => path),
        ['total_card_amount'],
      );
      await world.run('commit');
      assert.deepEqual((await visible(world)).cards, [id]);
    });
  });
}
