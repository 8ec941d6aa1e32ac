import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { makeOwner } from '@tallystick/harness';
import { fixedClock } from '@tallystick/kernel';
import {
  changeRows,
  database_names,
  readRows,
  type ScratchDatabase,
  scratchDatabase,
  testAuditMac,
} from '@tallystick/test-support';
import { connect } from '../src/connection/connection.ts';
import { migrate } from '../src/connection/migrations/migrate.ts';
import { migrations, mikroOrmPersistence, OlderSchema, UnusableSchema } from '../src/index.ts';

const skip = database_names.includes('postgres') ? false : 'there is no Postgres';

describe('a schema on Postgres', { skip }, () => {
  async function scratch(t: TestContext) {
    const database = await scratchDatabase('postgres');
    t.after(() => database.dispose());
    const open = async (schema: string | undefined, database_url = database.database_url) => {
      const persistence = await mikroOrmPersistence({
        audit_mac: testAuditMac,
        clock: fixedClock('2030-01-01T00:00:00Z'),
        database_url,
        schema,
      });
      t.after(() => persistence.close());
      return persistence;
    };
    return { database, open };
  }

  /** The relations of a schema and their columns, indexes, constraints and triggers. */
  async function catalogue(database: ScratchDatabase, schema: string) {
    const rows = await readRows<{ definition: string }>(database, catalogueOf(schema));
    return rows.map((row) => ({ ...row, definition: row.definition.replaceAll(/"?(order|b_1|public)"?\./g, '') }));
  }

  const catalogueOf = (schema: string) => `
    select 'column' as kind, table_name || '.' || column_name as name,
        concat_ws(' ', data_type, is_nullable, column_default, collation_name, generation_expression) as definition
      from information_schema.columns where table_schema = '${schema}'
    union all select 'index', indexname, indexdef from pg_indexes where schemaname = '${schema}'
    union all select 'constraint', conname, pg_get_constraintdef(oid) from pg_constraint
      where connamespace = '${schema}'::regnamespace
    union all select 'trigger', tgname, pg_get_triggerdef(t.oid)
      from pg_trigger t join pg_class c on c.oid = tgrelid where not tgisinternal and relnamespace = '${schema}'::regnamespace
    union all select 'function', proname, prosrc from pg_proc where pronamespace = '${schema}'::regnamespace
    union all select 'sequence', sequencename, data_type::text from pg_sequences where schemaname = '${schema}'
    order by 1, 2, 3`;

  it('is created by migrate, and has the tables that public has otherwise, name by name', async (t) => {
    const { database, open } = await scratch(t);
    // The host has tables with our names.
    await changeRows(database, 'create table cards (id bigint); create table tallystick_events (own text)');
    await changeRows(
      database,
      `create table tallystick_migrations (own text); insert into tallystick_migrations values ('of the host')`,
    );
    // "order" must be quoted.
    await Promise.all((await Promise.all([open('order'), open('order'), open('b_1')])).map((one) => one.migrate()));
    const { database: other, open: openOther } = await scratch(t);
    await (await openOther(undefined)).migrate();
    const expected = await catalogue(other, 'public');
    assert.ok(expected.length > 500);
    assert.deepEqual(await catalogue(database, 'order'), await catalogue(database, 'b_1'));
    assert.deepEqual(await catalogue(database, 'b_1'), expected);
    assert.deepEqual(
      (await readRows(database, 'select own from public.tallystick_migrations')).map(({ own }) => own),
      ['of the host'],
    );
    const tables = `select tablename from pg_tables where schemaname = 'public' order by 1`;
    assert.deepEqual(
      (await readRows(database, tables)).map(({ tablename }) => tablename),
      ['cards', 'tallystick_events', 'tallystick_migrations'],
    );
  });

  it('is the same for a process that finds it by the search_path of its URL', async (t) => {
    const { database, open } = await scratch(t);
    const persistence = await open('mine');
    await persistence.migrate();
    await persistence.unitOfWork.run(makeOwner);
    const url = new URL(database.database_url);
    url.searchParams.set('options', '-c search_path=elsewhere -c work_mem=1MB');
    const other = await open('mine', url.href);
    await other.unitOfWork.run(makeOwner);
    assert.equal((await readRows(database, 'select id from mine.tallystick_companies')).length, 2);
  });

  it('need not be creatable by the role when it exists, and one sentence says so when it does not', async (t) => {
    const { database, open } = await scratch(t);
    const role = `limited_${process.pid}_${Date.now()}`;
    await changeRows(database, `create role ${role} login; create schema existing authorization ${role}`);
    try {
      const url = new URL(database.database_url);
      url.username = role;
      const existing = await open('existing', url.href);
      await existing.migrate();
      const missing = await open('missing', url.href);
      await assert.rejects(missing.migrate(), (error: Error) => {
        assert.ok(error instanceof UnusableSchema);
        assert.match(error.message, /schema missing does not exist/);
        return true;
      });
      await existing.close();
      await missing.close();
    } finally {
      await changeRows(database, `drop owned by ${role} cascade; drop role ${role}`);
    }
  });

  it('is not migrated by a connection that works elsewhere, as behind a pooler', async (t) => {
    const { database } = await scratch(t);
    const connection = await connect({ database_url: database.database_url, schema: 'mine' });
    t.after(() => connection.close());
    assert(connection.dialect === 'postgres');
    connection.long.on('connect', (client) => void client.query('set search_path = public'));
    await assert.rejects(migrate(connection), (error: Error) => {
      assert.ok(error instanceof UnusableSchema);
      assert.match(error.message, /search_path of a connection is public instead of mine: .*pooler/);
      return true;
    });
    assert.deepEqual(await readRows(database, `select 1 from pg_tables where schemaname = 'public'`), []);
  });

  for (const [name, value, ours] of [
    ['array_nulls', 'off', 'on'],
    ['bytea_output', 'escape', 'hex'],
    ['extra_float_digits', '-15', '1'],
    ['standard_conforming_strings', 'off', 'on'],
    ['DateStyle', 'German, DMY', 'ISO, MDY'],
    ['IntervalStyle', 'sql_standard', 'postgres'],
    ['TimeZone', 'Europe/Berlin', 'UTC'],
    ['default_transaction_isolation', 'repeatable read', 'read committed'],
  ]) {
    it(`is not migrated by a connection with another ${name}`, async (t) => {
      const { database } = await scratch(t);
      const connection = await connect({ database_url: database.database_url });
      t.after(() => connection.close());
      assert(connection.dialect === 'postgres');
      const set = { text: 'select set_config($1, $2, false)', values: [name, value] };
      connection.long.on('connect', (client) => void client.query(set));
      await assert.rejects(migrate(connection), (error: Error) => {
        assert.ok(error instanceof UnusableSchema);
        assert.ok(error.message.includes(`: ${name} is ${value} instead of ${ours}: let the connection pooler`));
        return true;
      });
    });
  }

  it('that does not exist lacks every migration, and a check does not create it', async (t) => {
    const { database, open } = await scratch(t);
    const persistence = await open('missing');
    await assert.rejects(persistence.migrate({ accepts_newer: false, only_checks: true }), (error: unknown) => {
      assert.ok(error instanceof OlderSchema);
      assert.deepEqual(
        error.migrations,
        migrations.map(({ name }) => name),
      );
      return true;
    });
    assert.deepEqual(await readRows(database, `select 1 from pg_namespace where nspname = 'missing'`), []);
  });

  for (const name of ['', 'A', 'a-b', 'a"b', 'a b', '1a', 'pg_mine', 'information_schema', 'a'.repeat(64)]) {
    it(`is not ${JSON.stringify(name)}`, async () => {
      await assert.rejects(
        connect({ database_url: 'postgres://localhost/none', schema: name }),
        (error: unknown) => error instanceof UnusableSchema,
      );
    });
  }
});
