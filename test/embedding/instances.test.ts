import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { database_names, scratchDatabase, scratchFolder } from '@tallystick/test-support';
import { createKeys, createTallystick, type Tallystick, UnusableDatabase, UnusableOptions } from 'tallystick';

async function sandbox(database: string): Promise<Tallystick> {
  const tally = await createTallystick({ database, sandbox: true });
  await tally.migrate();
  return tally;
}

it('two instances in one process share nothing', async () => {
  await using one = await sandbox('sqlite::memory:');
  await using other = await sandbox('sqlite::memory:');
  const card = await one.company(1).cards.issue({ total_card_amount: 5_000 });
  assert.deepEqual((await other.company(1).cards.list()).items, []);
  await one.sandbox.clock.move({ advance: 'P2D' });
  const { now } = await other.sandbox.clock.move({ advance: 'PT1S' });
  assert.ok(Date.parse(now) < Date.now() + 86_400_000, 'the clock of the other has not moved');
  await one.close();
  await other.company(1).cards.issue({ total_card_amount: 5_000 });
  await assert.rejects(one.company(1).cards.read(card.id), UnusableDatabase);
});

it('two instances on one database see what the other has committed', async () => {
  for (const name of database_names) {
    const scratch = await scratchDatabase(name);
    const keys = await createKeys();
    const open = () => createTallystick({ database: scratch.database_url, keys });
    try {
      await using one = await open();
      await one.migrate();
      await using other = await open();
      const company = await one.operator.companies.create({ name: 'Example', customer_number: '1' });
      assert.equal((await other.operator.companies.read(company.id)).name, 'Example');
    } finally {
      await scratch.dispose();
    }
  }
});

it('an instance with other keys is refused before it is open', async () => {
  for (const name of database_names) {
    const scratch = await scratchDatabase(name);
    try {
      await using first = await createTallystick({ database: scratch.database_url, keys: await createKeys() });
      await first.migrate();
      await assert.rejects(
        createTallystick({ database: scratch.database_url, keys: await createKeys() }),
        (error) => error instanceof UnusableDatabase && /the keys do not fit the database/.test(error.message),
      );
    } finally {
      // On Postgres this fails while a connection of the refused instance is open.
      await scratch.dispose();
    }
  }
});

it('use cases throw what to do until the database is migrated', async () => {
  await using tally = await createTallystick({ database: 'sqlite::memory:', keys: await createKeys() });
  assert.throws(() => tally.company(1), /call migrate\(\) first/);
  await assert.rejects(tally.start(), /call migrate\(\) first/);
  await tally.migrate();
  await tally.start();
  await assert.rejects(async () => await tally.company(1).cards.list(), { code: 'not_found' });
});

it('a database that cannot be opened is refused in one sentence', async () => {
  const keys = await createKeys();
  const sentence = (text: RegExp) => (error: unknown) => error instanceof UnusableDatabase && text.test(error.message);
  const unreachable = 'postgres://someone:hunter2@127.0.0.1:9/none';
  await assert.rejects(createTallystick({ database: unreachable, keys }), sentence(/cannot be used: .*ECONNREFUSED/));
  await assert.rejects(
    createTallystick({ database: unreachable, keys }),
    (error) => error instanceof Error && !error.message.includes('hunter2'),
  );
  await assert.rejects(createTallystick({ database: 'sqlite:/dev/null/x.db', keys }), sentence(/ENOTDIR|EEXIST/));
});

it('a database in a folder that does not exist is refused in one sentence, and the folder is not made', async (t) => {
  const folder = join(scratchFolder('tallystick-test-'), 'misspelt');
  t.after(() => rmSync(dirname(folder), { recursive: true }));
  const database = `sqlite:${join(folder, 'tallystick.db')}`;
  const says = `the folder ${folder} does not exist: make it, or correct the address of the database`;
  await assert.rejects(createTallystick({ database, keys: await createKeys() }), {
    name: 'UnusableDatabase',
    message: `the database cannot be used: ${says}`,
  });
  await assert.rejects(createTallystick({ database, sandbox: true }), {
    name: 'UnusableOptions',
    message: `createTallystick: The sandbox keeps its keys in ${join(folder, 'keys')}, which cannot be used: the folder does not exist: make it, or correct its name`,
  });
  assert.equal(existsSync(folder), false);
});

it('a sandbox on the database of a live installation is refused', async () => {
  const scratch = await scratchDatabase('sqlite');
  const keys = await createKeys();
  try {
    const live = await createTallystick({ database: scratch.database_url, keys });
    await live.migrate();
    await live.operator.companies.create({ name: 'Example', customer_number: '1' });
    await live.close();
    const sandboxed = createTallystick({ database: scratch.database_url, keys, sandbox: true });
    await assert.rejects(sandboxed, /companies of a live installation/);
  } finally {
    await scratch.dispose();
  }
});

it('a sandbox without a database is one in memory', async () => {
  await using tally = await createTallystick({ sandbox: true });
  await tally.migrate();
  assert.equal((await tally.operator.companies.list()).items.length, 1);
});

it('options that are no object are refused in one sentence', async () => {
  for (const options of [undefined, null, 'sqlite::memory:']) {
    await assert.rejects(createTallystick(options as never), (error) => error instanceof UnusableOptions);
  }
});

it('options that contradict each other are refused with every problem', async () => {
  const clock = { nowMs: () => 0 };
  const options = { database: 'sqlite::memory:', sandbox: true, clock, schema: 'cards', sandbx: true };
  await assert.rejects(createTallystick(options), (error) => {
    assert.ok(error instanceof UnusableOptions);
    assert.match(error.message, /there is no option sandbx; did you mean sandbox\?/);
    assert.match(error.message, /clock and sandbox exclude each other/);
    assert.match(error.message, /schema is for Postgres/);
    return true;
  });
  await assert.rejects(createTallystick({ database: 'sqlite::memory:' }), /keys is required outside a sandbox/);
  for (const handle of [new Map(), new Date(), {}]) {
    // @ts-expect-error: it is no pool and no database
    await assert.rejects(createTallystick({ database: handle, sandbox: true }), /database must be sqlite:<file>/);
  }
  const pooled = { sandbox: true, database_connections_max: 5 };
  await assert.rejects(createTallystick(pooled), /database_connections_max is for Postgres/);
});
