import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { changeRows, database_names, readRows, type ScratchDatabase, scratchDatabase } from '@tallystick/test-support';
import { connect } from '../src/connection/connection.ts';
import { findApplied, migrate } from '../src/connection/migrations/migrate.ts';
import { printMissing } from '../src/connection/migrations/print-missing.ts';
import { migration, migrations, printMigrations, type SchemaMigration, UnusableSchema } from '../src/index.ts';

const later: SchemaMigration = {
  kind: 'expand',
  name: '9001-a-column',
  class: migration(() => ['alter table tallystick_companies add column later bigint']),
};

/** Every object of a database with its definition, the default schema or one of its own. */
const catalogues = {
  sqlite: () =>
    `select type, name, sql from sqlite_master where name not like 'sqlite_%'
       and name not like '%migrations' order by type, name`,
  postgres: (schema = 'public') => `
    select 'column' as kind, table_name || '.' || column_name as name,
        concat_ws(' ', data_type, is_nullable, column_default, collation_name, generation_expression) as definition
      from information_schema.columns where table_schema = '${schema}'
    union all select 'index', indexname, indexdef from pg_indexes where schemaname = '${schema}'
    union all select 'constraint', conname, pg_get_constraintdef(oid) from pg_constraint
      where connamespace = '${schema}'::regnamespace
    union all select 'trigger', tgname, pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = tgrelid
      where not tgisinternal and relnamespace = '${schema}'::regnamespace
    union all select 'function', proname, prosrc from pg_proc where pronamespace = '${schema}'::regnamespace
    union all select 'sequence', sequencename, last_value::text from pg_sequences where schemaname = '${schema}'
    order by 1, 2, 3`,
} as const;

/** Rows that migrations insert. Times of the machine differ. */
const seeded = (place: string) => [
  `select id, name, status from ${place}tallystick_purchase_templates order by id`,
  `select segment_size, volume_size, indexed_below, merged_below from ${place}tallystick_event_index`,
  `select id, name from ${place}tallystick_migrations order by id`,
];

/** Runs the text by the database's own command when it is there, else by its driver. */
async function runText(database: ScratchDatabase, text: string): Promise<void> {
  const { name, database_url } = database;
  const [command, options] =
    name === 'sqlite'
      ? (['sqlite3', ['-bail', database_url.slice('sqlite:'.length)]] as const)
      : (['psql', ['-q', '-v', 'ON_ERROR_STOP=1', database_url]] as const);
  const { error, status, stderr } = spawnSync(command, options, { input: text, encoding: 'utf8' });
  if (error === undefined) assert.equal(status, 0, stderr);
  else await changeRows(database, text);
}

const cases = [
  { dialect: 'sqlite', place: {} },
  { dialect: 'postgres', place: {} },
  { dialect: 'postgres', place: { schema: 'order' } },
] as const;

for (const { dialect, place } of cases) {
  if (!database_names.includes(dialect)) continue;
  describe(`the printed migrations for ${dialect} ${JSON.stringify(place)}`, () => {
    const qualifier = 'schema' in place ? `"${place.schema}".` : '';
    const catalogue =
      dialect === 'sqlite' ? catalogues.sqlite() : catalogues.postgres('schema' in place ? 'order' : 'public');
    const stateOf = async (database: ScratchDatabase) => ({
      catalogue: await readRows(database, catalogue),
      rows: await Promise.all(seeded(qualifier).map((sql) => readRows(database, sql))),
    });

    it('make an empty database what migrate makes of it, and leave it nothing to do', async (t) => {
      const [printed, migrated] = [await scratchDatabase(dialect), await scratchDatabase(dialect)];
      t.after(() => Promise.all([printed.dispose(), migrated.dispose()]));
      await runText(printed, await printMigrations({ dialect, ...place }));
      const [by_text, by_call] = await Promise.all(
        [printed, migrated].map(({ database_url }) => connect({ database_url, ...place })),
      );
      t.after(() => Promise.all([by_text!.close(), by_call!.close()]));
      assert.deepEqual(await findApplied(by_call!), []);
      await migrate(by_call!);

      const expected = await stateOf(migrated);
      assert.ok(expected.catalogue.length > 150);
      assert.deepEqual(await stateOf(printed), expected);
      await migrate(by_text!, { accepts_newer: false, only_checks: true });
      await migrate(by_text!);
      assert.deepEqual(await stateOf(printed), expected);
      assert.match(await printMissing(by_text!), /^-- .* every migration/);
    });

    it('are only those that are missing, when they are printed for a database', async (t) => {
      const [database, migrated] = [await scratchDatabase(dialect), await scratchDatabase(dialect)];
      t.after(() => Promise.all([database.dispose(), migrated.dispose()]));
      const older = await connect({ database_url: database.database_url, ...place });
      await migrate(older);
      await older.close();
      const upgraded = [...migrations, later];
      const connection = await connect({ database_url: database.database_url, ...place, migrations: upgraded });
      t.after(() => connection.close());
      const text = await printMissing(connection);
      assert.ok(!text.includes(migrations[0]!.name) && text.includes(later.name));
      await runText(database, text);
      assert.deepEqual(
        await findApplied(connection),
        upgraded.map(({ name }) => name),
      );

      const other = await connect({ database_url: migrated.database_url, ...place, migrations: upgraded });
      t.after(() => other.close());
      await migrate(other);
      assert.deepEqual(await stateOf(database), await stateOf(migrated));
    });
  });
}

it('migrations are not printed with a schema for SQLite, or with one that needs quotes', async () => {
  const isUnusable = (error: unknown) => error instanceof UnusableSchema;
  await assert.rejects(printMigrations({ dialect: 'sqlite', schema: 'a' }), isUnusable);
  await assert.rejects(printMigrations({ dialect: 'postgres', schema: 'a"; drop table b; --' }), isUnusable);
});
