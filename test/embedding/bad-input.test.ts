import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { database_names, scratchDatabase } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import pg from 'pg';
import { createKeys, createTallystick, type TallystickOptions, UnusableDatabase, UnusableOptions } from 'tallystick';

const memory = 'sqlite::memory:';

/** Creates an instance with options that the compiler refuses. Rejects when one opens. */
async function refusalOf(options: unknown): Promise<Error> {
  try {
    const tally = await createTallystick(options as TallystickOptions);
    await tally.close();
  } catch (error) {
    return error as Error;
  }
  throw new assert.AssertionError({ message: 'an instance was opened' });
}

const wrong_options: Readonly<Record<string, readonly [unknown, RegExp]>> = {
  'no options': [undefined, /the options must be an object/],
  'a text in place of options': [memory, /the options must be an object/],
  'an unknown option': [{ sandbx: true }, /there is no option sandbx; did you mean sandbox\?/],
  'an unknown port': [{ ports: { mailr: null } }, /there is no option ports\.mailr; did you mean ports\.mailer\?/],
  'a mailer without methods': [{ ports: { mailer: {} } }, /ports\.mailer has no send\(\), close\(\)/],
  'a sender without close': [{ ports: { sender: { send() {} } } }, /ports\.sender has no close\(\)$/],
  'a vault without codes': [{ ports: { numbers: { seal() {}, open() {}, index() {} } } }, /numbers has no cvc\(\)/],
  'ports that are a text': [{ ports: 'mailer' }, /ports must be an object/],
  'ports that are null': [{ ports: null }, /ports must be an object/],
  'a logger without methods': [{ logger: {} }, /logger has no debug\(\), info\(\), warn\(\), error\(\)/],
  'a logger that is null': [{ logger: null }, /logger must be an object/],
  'a clock without nowMs': [{ clock: {} }, /clock has no nowMs\(\)/],
  'a number as a text': [{ decision_ms_max: '5000' }, /decision_ms_max must be an integer/],
  'a boolean as a text': [{ sandbox: 'yes' }, /sandbox must be true or false/],
  'networks that are a text': [{ webhook_networks: '10.0.0.0/8' }, /webhook_networks must be a list/],
  'proxies that are everyone': [{ trusted_proxies: ['0.0.0.0/0'] }, /trusted_proxies must not have a network as wide/],
  'mail without a server': [{ mail: {} }, /mail\.smtp_url must be a text; mail\.from must be a text/],
  'days that are a number': [{ kept_days: 5 }, /kept_days must be an object/],
  'mails without an address for links': [
    { ports: { mailer: { send() {}, close() {} } } },
    /public_url is required with mails/,
  ],
  'a sandbox with a clock': [{ sandbox: true, clock: { nowMs: () => 0 } }, /clock and sandbox exclude each other/],
  'an unknown database': [{ database: 'mysql://host/cards' }, /database must be sqlite:<file>/],
  'an unknown object as the database': [{ database: new Date() }, /database must be sqlite:<file>/],
  'a schema in capitals': [{ database: 'postgres://127.0.0.1:9/none', schema: 'Cards' }, /"Cards" cannot be a schema/],
  'a closed handle as the database': [{ database: new Database(':memory:').close() }, /the database handle is closed/],
  'null as the database': [{ database: null }, /database must be sqlite:<file>/],
};

describe('options that cannot be used', () => {
  for (const [what, [changed, message]] of Object.entries(wrong_options)) {
    it(`refuses ${what} in one sentence, and opens nothing`, async () => {
      const options =
        typeof changed === 'object' ? { database: memory, keys: await createKeys(), ...changed } : changed;
      const earlier = process.getActiveResourcesInfo().length;
      const error = await refusalOf(options);
      assert.ok(error instanceof UnusableOptions, String(error));
      assert.match(error.message, message);
      assert.ok(!error.message.includes('\n'));
      assert.equal(process.getActiveResourcesInfo().length, earlier);
    });
  }

  it('never repeats the text of wrong keys', async () => {
    for (const keys of ['hunter2', 'k1:hunter2', 'hunter2,hunter2', '', 42, { hunter2: true }]) {
      const error = await refusalOf({ database: memory, keys });
      assert.ok(error instanceof UnusableOptions, String(error));
      assert.match(error.message, /keys /);
      assert.doesNotMatch(`${error.message} ${error.stack} ${String(error.cause)}`, /hunter2|is not a function/);
    }
  });
});

/** Writes the migration of a newer version. */
async function plantMigration(database_url: string): Promise<void> {
  const text = "insert into tallystick_migrations (name, executed_at) values ('9999-newer', '2030-01-01T00:00:00Z')";
  if (database_url.startsWith('sqlite:')) {
    const database = new Database(database_url.slice('sqlite:'.length));
    database.exec(text);
    database.close();
    return;
  }
  const client = new pg.Client(database_url);
  await client.connect();
  await client.query(text);
  await client.end();
}

describe('a database that cannot be used', () => {
  for (const name of database_names) {
    it(`refuses a schema that is newer than the library, and closes everything, on ${name}`, async (t) => {
      const scratch = await scratchDatabase(name);
      // On Postgres this fails while a connection of the refused instance is open.
      t.after(() => scratch.dispose());
      const options = { database: scratch.database_url, keys: await createKeys() };
      const first = await createTallystick(options);
      await first.migrate();
      await first.close();
      await plantMigration(scratch.database_url);
      const error = await refusalOf(options);
      assert.ok(error instanceof UnusableDatabase, String(error));
      assert.match(
        error.message,
        /migrated by a newer version of Tallystick: this one does not know 9999-newer\. Install/,
      );
      const accepting = await createTallystick({ ...options, accepts_newer_schema: true });
      assert.deepEqual((await accepting.operator.companies.list()).items, []);
      await accepting.close();
    });
  }
});

describe('the life of an instance', () => {
  it('may be closed twice and at the same time, and then refuses calls in one sentence', async () => {
    const tally = await createTallystick({ database: memory, sandbox: true });
    await tally.migrate();
    await tally.start();
    const { cards } = tally.company(1);
    await Promise.all([tally.close(), tally.close()]);
    await tally.close();
    await nextTurn();
    const closed = { name: 'UnusableDatabase', message: 'this instance is closed: create another one' };
    for (const call of [
      () => cards.list(),
      () => cards.issue({ total_card_amount: 1_000 }),
      () => tally.company(1).cards.read(1),
      () => tally.migrate(),
      () => tally.start(),
      () => tally.subscribe('late', ['all'], async () => {}),
      () => tally.subscriptions(),
      () => tally.metrics(),
    ]) {
      await assert.rejects(async () => await call(), closed);
    }
    assert.throws(() => tally.on(['all'], () => {}), closed);
  });

  it('answers mounted requests with 503 once it is closed', async () => {
    const tally = await createTallystick({ database: memory, sandbox: true });
    await tally.migrate();
    const handler = tally.fetchHandler({ prefix: '/cards' });
    const headers = { Authorization: 'Bearer tly_test_client_sandbox' };
    const request = () => new Request('http://shop.example/cards/v1/virtualcards', { headers });
    assert.equal((await handler(request())).status, 200);
    await tally.close();
    const answer = await handler(request());
    assert.equal(answer.status, 503);
    assert.match(await answer.text(), /the service is stopping/);
  });

  it('cannot start before it is migrated, and can after', async () => {
    await using tally = await createTallystick({ database: memory, sandbox: true });
    await assert.rejects(tally.start(), { name: 'UnusableDatabase', message: /call migrate\(\) first/ });
    assert.throws(() => tally.nodeHandler(), { name: 'UnusableDatabase', message: /call migrate\(\) first/ });
    await tally.migrate();
    await tally.start();
  });
});
