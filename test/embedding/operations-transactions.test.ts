import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DatabaseName, database_names, migratedDatabase } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import pg from 'pg';
import { type CompanyOperations, createKeys, createTallystick, isRefusal, type Tallystick } from 'tallystick';
import { fromBetterSqlite3, fromPg, type HostTransaction } from 'tallystick/tx';

interface World {
  readonly tally: Tallystick;
  /** Begins a transaction on the host's own connection. */
  begin(): Promise<HostTransaction>;
  run(text: string): Promise<void>;
}

async function openWorld(closing: AsyncDisposableStack, name: DatabaseName): Promise<World> {
  const scratch = await migratedDatabase(name);
  closing.defer(() => scratch.dispose());
  const tally = closing.use(await createTallystick({ database: scratch.database_url, keys: await createKeys() }));
  await tally.migrate();
  return { tally, ...(await openHost(closing, name, scratch.database_url)) };
}

let companies = 0;

/** Creates a company with a real card, in the transaction if there is one. Returns its id. */
async function createCompany({ operator }: Tallystick, tx?: HostTransaction): Promise<string> {
  companies += 1;
  const { id } = await operator.companies.create({ name: 'Example', customer_number: `C${companies}` }, { tx });
  const real_card = { company_id: id, alias: 'Travel', billing_currency: 'USD', account_range: '555555' };
  await operator.realCards.create(real_card, { tx });
  return id;
}

async function openHost(
  closing: AsyncDisposableStack,
  name: DatabaseName,
  database_url: string,
): Promise<Pick<World, 'begin' | 'run'>> {
  if (name === 'sqlite') {
    const database = new Database(database_url.slice('sqlite:'.length));
    closing.defer(async () => void database.close());
    const run = async (text: string): Promise<void> => void database.exec(text);
    return { run, begin: () => run('begin').then(() => fromBetterSqlite3(database)) };
  }
  const client = new pg.Client(database_url);
  await client.connect();
  closing.defer(() => client.end());
  const run = async (text: string): Promise<void> => void (await client.query(text));
  return { run, begin: () => run('begin').then(() => fromPg(client)) };
}

/** What everybody sees of a company: its cards and events. */
async function visible(company: CompanyOperations) {
  const { items: cards } = await company.cards.list();
  const { items: events } = await company.events.list();
  return { cards: cards.map(({ id }) => id), events: events.map(({ event_type }) => event_type) };
}

for (const name of database_names) {
  describe(`calls in a transaction of the host on ${name}`, () => {
    const closing = new AsyncDisposableStack();
    let world: World;
    before(async () => {
      world = await openWorld(closing, name);
    });
    after(() => closing.disposeAsync());

    it('leave nothing when the host rolls back', async () => {
      const company = world.tally.company(await createCompany(world.tally));
      const { cards, webhooks } = company;
      const tx = await world.begin();
      const { id } = await cards.issue({ total_card_amount: 5_000 }, { tx });
      await webhooks.create({ callback_url: 'https://hooks.example.com' }, { tx });
      assert.equal((await cards.read(id, { tx })).id, id);
      assert.equal((await Array.fromAsync(cards.list({ limit: 1, tx }))).length, 1);
      await world.run('rollback');
      assert.deepEqual(await visible(company), { cards: [], events: [] });
      assert.deepEqual((await webhooks.list()).items, []);
    });

    it('are there together when the host commits', async () => {
      const company = world.tally.company(await createCompany(world.tally));
      const { cards } = company;
      const tx = await world.begin();
      const { id } = await cards.issue({ total_card_amount: 5_000 }, { tx });
      await cards.update(id, { total_card_amount: 6_000 }, { tx });
      await world.run('commit');
      assert.deepEqual(await visible(company), { cards: [id], events: ['virtualcard.updated', 'virtualcard.created'] });
    });

    it('can use a company that the same transaction has created', async () => {
      const { tally } = world;
      const tx = await world.begin();
      const id = await createCompany(tally, tx);
      const card = await tally.company(id).cards.issue({ total_card_amount: 5_000 }, { tx });
      await world.run('commit');
      assert.equal((await tally.company(id).cards.read(card.id)).status, 'Approved');
    });

    it('leave the transaction usable when they are refused', async () => {
      const company = world.tally.company(await createCompany(world.tally));
      const { cards } = company;
      const tx = await world.begin();
      const { id } = await cards.issue({ total_card_amount: 5_000 }, { tx });
      const refused = await cards.update(id, { total_card_amount: -1 }, { tx }).catch((error) => error);
      assert.ok(isRefusal(refused, 'validation_failed'));
      assert.deepEqual(
        refused.fields.map(({ path }) => path),
        ['total_card_amount'],
      );
      await world.run('commit');
      assert.deepEqual((await visible(company)).cards, [id]);
    });
  });
}
