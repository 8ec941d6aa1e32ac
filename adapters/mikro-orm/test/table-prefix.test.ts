import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { makeOwner } from '@tallystick/harness';
import { fixedClock, Violation } from '@tallystick/kernel';
import { changeRows, readRows, type ScratchDatabase, scratchDatabase, testAuditMac } from '@tallystick/test-support';
import { connect } from '../src/connection/connection.ts';
import { type AddPrefix, tablePrefix } from '../src/connection/table-prefix.ts';
import { migrations, mikroOrmPersistence, UnusableSchema } from '../src/index.ts';

describe('a table prefix on SQLite', () => {
  async function scratch(t: TestContext) {
    const database = await scratchDatabase('sqlite');
    t.after(() => database.dispose());
    const open = async (table_prefix: string | undefined) => {
      const persistence = await mikroOrmPersistence({
        audit_mac: testAuditMac,
        clock: fixedClock('2030-01-01T00:00:00Z'),
        database_url: database.database_url,
        table_prefix,
      });
      t.after(() => persistence.close());
      return persistence;
    };
    return { database, open };
  }

  /** The schema, as SQLite stores it. */
  async function schemaOf(database: ScratchDatabase, names = '%') {
    const rows = await readRows<{ type: string; name: string; tbl_name: string; sql: string | null }>(
      database,
      `select type, name, tbl_name, sql from sqlite_master where name like '${names}' escape '\\'
         and name not like 'sqlite\\_%' escape '\\' order by type, name`,
    );
    return rows.map(({ sql, ...row }) => ({ ...row, sql: sql?.replaceAll(/["`]/g, '') ?? null }));
  }

  it('is on every name of the schema, which is otherwise the same, name by name', async (t) => {
    const { database, open } = await scratch(t);
    const { database: plain, open: openPlain } = await scratch(t);
    await (await openPlain(undefined)).migrate();
    // The host has tables with our names.
    await changeRows(database, 'create table cards (own text); create table events (own text)');
    await changeRows(database, `create table migrations (own text); insert into migrations values ('of the host')`);
    await changeRows(database, `create table authorizations (own text); create index clearings_page on events (own)`);
    await changeRows(database, `create trigger clearings_enter after insert on cards begin delete from events; end`);
    const of_host = await schemaOf(database);
    await Promise.all((await Promise.all([open('ta_'), open('ta_'), open('other')])).map((one) => one.migrate()));

    const add = await tablePrefix('ta_', migrations);
    const expected = (await schemaOf(plain)).map((row) => ({
      ...row,
      name: `ta_${row.name}`,
      tbl_name: `ta_${row.tbl_name}`,
      sql: row.sql && add(row.sql),
    }));
    const made = await schemaOf(database, 'ta\\_%');
    assert.ok(expected.length > 150);
    assert.deepEqual(made, expected);
    // Without the rewriting itself: no text of a statement, in any place, is without the prefix.
    const unprefixed = new Set(
      (await schemaOf(plain)).filter(({ type }) => type !== 'trigger').map(({ name }) => name),
    );
    for (const { sql, type } of made) {
      for (const [word] of (type === 'trigger' ? (sql ?? '') : '').matchAll(/\w+/g))
        assert.ok(!unprefixed.has(word), sql!);
    }
    assert.equal((await schemaOf(database, 'other%')).length, expected.length);
    const others = (await schemaOf(database)).filter(({ name }) => !/^(ta_|other)/.test(name));
    assert.deepEqual(others, of_host);
    assert.deepEqual(await readRows(database, 'select own from migrations'), [{ own: 'of the host' }]);
  });

  it('lets several instances use one file, each with rows of its own', async (t) => {
    const { database, open } = await scratch(t);
    const [one, other] = [await open('one_'), await open('other_')];
    await Promise.all([one.migrate(), other.migrate()]);
    await Promise.all([one.unitOfWork.run(makeOwner), one.unitOfWork.run(makeOwner), other.unitOfWork.run(makeOwner)]);
    assert.equal((await readRows(database, 'select id from one_companies')).length, 2);
    assert.deepEqual(await readRows(database, 'select id from other_companies'), [{ id: 1 }]);
  });

  it('is on our statements in a transaction of the host, and not on those of the host', async (t) => {
    const { database, open } = await scratch(t);
    await changeRows(database, 'create table companies (own text)');
    const persistence = await open('ta_');
    await persistence.migrate();
    for (const end of ['rollback', 'commit'] as const) {
      const transaction = await persistence.begin();
      await transaction.host.execute({ text: 'insert into companies values (?)', values: [end] });
      await persistence.joining(transaction.host).run(makeOwner);
      await transaction[end]();
    }
    assert.deepEqual(await readRows(database, 'select own from companies'), [{ own: 'commit' }]);
    assert.equal((await readRows(database, 'select id from ta_companies')).length, 1);
  });

  for (const name of ['A', 'a-b', 'a"b', 'a b', '1a', 'sqlite_', 'a'.repeat(32)]) {
    it(`is not ${JSON.stringify(name)}`, async () => {
      await assert.rejects(
        connect({ database_url: 'sqlite::memory:', table_prefix: name }),
        (error: unknown) => error instanceof UnusableSchema,
      );
    });
  }

  it('is refused on Postgres, as a schema is on SQLite', async () => {
    for (const options of [
      { database_url: 'postgres://localhost/none', table_prefix: 'a_' },
      { database_url: 'sqlite::memory:', schema: 'a' },
    ]) {
      await assert.rejects(connect(options), (error: unknown) => error instanceof UnusableSchema);
    }
  });
});

describe('the prefix in a statement', () => {
  const add: Promise<AddPrefix> = tablePrefix('p_', migrations);

  for (const [what, sql, expected] of [
    ['a table', 'select * from events', 'select * from p_events'],
    ['a quoted table', 'select "events"."id" from "events"', 'select "p_events"."id" from "p_events"'],
    ['an alias', 'select e.id from events as e', 'select e.id from p_events as e'],
    ['tables in a list', 'select 1 from events e, clearings c', 'select 1 from p_events e, p_clearings c'],
    ['a sub-query', 'select (select 1 from mails), 2 from mails', 'select (select 1 from p_mails), 2 from p_mails'],
    [
      'a column with the name of a table',
      'select statements, imports.statements from imports order by statements',
      'select statements, p_imports.statements from p_imports order by statements',
    ],
    [
      'a list of columns',
      'insert into imports (id, statements) values (?, ?)',
      'insert into p_imports (id, statements) values (?, ?)',
    ],
    ['an assignment', 'update imports set statements = 1', 'update p_imports set statements = 1'],
    ['an alias of a result', 'select count(*) as events from events', 'select count(*) as events from p_events'],
    ['a string', `select 'events' from events`, `select 'events' from p_events`],
    [
      'a string about the catalogue',
      `select seq from sqlite_sequence where name = 'events'`,
      `select seq from sqlite_sequence where name = 'p_events'`,
    ],
    [
      'a comment',
      'select 1 /* from events */ from events -- events',
      'select 1 /* from events */ from p_events -- events',
    ],
    ['a parameter', 'select $events from events where id = :events', 'select $events from p_events where id = :events'],
    ['a pragma', 'pragma table_info(`events`)', 'pragma table_info(`p_events`)'],
    ['an index', 'select 1 from events e indexed by events_page', 'select 1 from p_events e indexed by p_events_page'],
    ['another table', 'select 1 from cards join events_2', 'select 1 from cards join events_2'],
  ] as const) {
    it(`is right in ${what}`, async () => {
      assert.equal((await add)(sql), expected);
    });
  }

  it('is refused where a common table expression hides a table', async () => {
    const prefix = await add;
    for (const sql of [
      'with events as (select 1) select * from events',
      'with events as materialized (select 1) select * from events',
      'with recursive events (id) as (select 1) select * from events',
    ]) {
      assert.throws(() => prefix(sql), Violation);
    }
  });
});
