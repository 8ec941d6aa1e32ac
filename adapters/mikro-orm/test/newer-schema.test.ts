import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fixedClock } from '@tallystick/kernel';
import {
  changeRows,
  database_names,
  readRows,
  scratchDatabase,
  tableNames,
  testAuditMac,
} from '@tallystick/test-support';
import pg from 'pg';
import {
  migration,
  migrations,
  mikroOrmPersistence,
  NewerSchema,
  OlderSchema,
  printMissingMigrations,
  type SchemaMigration,
  UnusableSchema,
} from '../src/index.ts';

const skip = database_names.includes('postgres') ? false : 'there is no Postgres';

const newer: SchemaMigration = {
  kind: 'expand',
  name: '9001-of-a-newer-version',
  class: migration(() => ['create table of_a_newer_version (id bigint)']),
};

for (const name of database_names) {
  describe(`a database that a newer version has migrated, on ${name}`, () => {
    it('is refused by an older version, which names the migrations and applies none of its own', async (t) => {
      const scratch = await scratchDatabase(name);
      t.after(() => scratch.dispose());
      const { database_url } = scratch;
      const open = async (known: readonly SchemaMigration[]) => {
        const persistence = await mikroOrmPersistence({
          audit_mac: testAuditMac,
          database_url,
          clock: fixedClock('2030-01-01T00:00:00Z'),
          migrations: known,
        });
        t.after(() => persistence.close());
        return persistence;
      };
      const later: SchemaMigration = { ...newer, name: '9000-only-here', class: migration(() => ['select 1']) };
      const applied = async () =>
        (await readRows(scratch, 'select name from tallystick_migrations')).map((row) => row.name);

      const running = await open(migrations);
      await running.migrate();
      assert.deepEqual(await running.findNewerMigrations(), []);
      await (await open([...migrations, newer])).migrate();
      assert.deepEqual(await running.findNewerMigrations(), [newer.name]);

      const older = await open([...migrations, later]);
      const refused = await older.migrate().then(
        () => assert.fail('the older version started'),
        (error: unknown) => error,
      );
      assert.ok(refused instanceof NewerSchema);
      assert.deepEqual(refused.migrations, [newer.name]);
      assert.ok(!(await applied()).includes(later.name));

      await older.migrate({ accepts_newer: true });
      assert.ok((await applied()).includes(later.name));
    });
  });
}

for (const name of database_names) {
  describe(`a check of the schema on ${name}`, () => {
    it('names the missing migrations, and creates no table in a database of another program', async (t) => {
      const scratch = await scratchDatabase(name);
      t.after(() => scratch.dispose());
      await changeRows(scratch, 'create table of_another_program (id bigint)');
      const persistence = await mikroOrmPersistence({
        audit_mac: testAuditMac,
        database_url: scratch.database_url,
        clock: fixedClock('2030-01-01T00:00:00Z'),
      });
      t.after(() => persistence.close());
      const check = () => persistence.migrate({ accepts_newer: false, only_checks: true });
      const isOlder = (expected: readonly string[]) => (error: unknown) => {
        assert.ok(error instanceof OlderSchema);
        assert.deepEqual(error.migrations, expected);
        return true;
      };

      await assert.rejects(check(), isOlder(migrations.map((one) => one.name)));
      assert.deepEqual(await tableNames(scratch), ['of_another_program']);

      await persistence.migrate();
      await check();
      const last = migrations.at(-1)!.name;
      await changeRows(scratch, `delete from tallystick_migrations where name = '${last}'`);
      await assert.rejects(check(), isOlder([last]));
    });
  });
}

for (const name of database_names) {
  it(`a database that was made before the first release is refused on ${name}, with what to do`, async (t) => {
    const scratch = await scratchDatabase(name);
    t.after(() => scratch.dispose());
    const persistence = await mikroOrmPersistence({
      audit_mac: testAuditMac,
      database_url: scratch.database_url,
      clock: fixedClock('2030-01-01T00:00:00Z'),
    });
    t.after(() => persistence.close());
    await changeRows(scratch, 'create table event_filter_blocks (range_size bigint)');
    const isRefused = (error: Error) => {
      assert.ok(error instanceof UnusableSchema);
      assert.match(error.message, /made before the first release.*use a new, empty database$/);
      return true;
    };
    for (const only_checks of [true, false]) {
      await assert.rejects(persistence.migrate({ accepts_newer: true, only_checks }), isRefused);
    }
    await assert.rejects(printMissingMigrations({ database_url: scratch.database_url }), isRefused);
  });
}

it('a migration that waits for a table on Postgres lets others use it meanwhile', {
  skip,
  timeout: 60_000,
}, async (t) => {
  const scratch = await scratchDatabase('postgres');
  t.after(() => scratch.dispose());
  const { database_url } = scratch;
  const clock = fixedClock('2030-01-01T00:00:00Z');
  const older = await mikroOrmPersistence({ audit_mac: testAuditMac, database_url, clock });
  t.after(() => older.close());
  await older.migrate();
  const altering: SchemaMigration = {
    kind: 'expand',
    name: '9001-a-column',
    class: migration(() => ['alter table tallystick_authorizations add column later bigint']),
  };
  const upgraded = await mikroOrmPersistence({
    audit_mac: testAuditMac,
    database_url,
    clock,
    migrations: [...migrations, altering],
  });
  t.after(() => upgraded.close());

  // A backup reads the table.
  const backup = new pg.Client({ connectionString: database_url });
  const other = new pg.Client({ connectionString: database_url });
  // The database is dropped with open connections when an assertion fails.
  for (const client of [backup, other]) client.on('error', () => {});
  await Promise.all([backup.connect(), other.connect()]);
  await backup.query('begin');
  await backup.query('select count(*) from tallystick_authorizations');
  const migrating = upgraded.migrate();
  const waiting = `select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like 'alter table tallystick_authorizations%'`;
  while ((await other.query(waiting)).rows.length === 0) await delay(5);
  assert.equal((await other.query('select count(*) from tallystick_authorizations')).rows.length, 1);
  assert.deepEqual(await older.findNewerMigrations(), [], 'the backup still reads');
  await backup.query('commit');
  await migrating;
  assert.deepEqual(await older.findNewerMigrations(), [altering.name]);
  await Promise.all([backup.end(), other.end()]);
});
