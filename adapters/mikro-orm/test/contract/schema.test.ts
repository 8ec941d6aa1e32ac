import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { database_names, type ScratchDatabase, scratchDatabase } from '@tallystick/test-support';
import type { Database } from 'better-sqlite3';
import { type Connection, connect } from '../../src/connection/connection.ts';
import { migrate } from '../../src/connection/migrations/migrate.ts';

/**
 * Returns every table, column, default, index and constraint from the catalogue of the database.
 */
async function catalogue(connection: Connection): Promise<unknown> {
  if (connection.dialect === 'postgres') {
    const { rows } = await connection.pool.query(`
      select 'column' as kind, table_name || '.' || column_name as name,
        concat_ws(' ', data_type, is_nullable, column_default, collation_name, generation_expression) as definition
      from information_schema.columns where table_schema = 'public'
      union all select 'index', indexname, indexdef from pg_indexes where schemaname = 'public'
      union all select 'constraint', conname, pg_get_constraintdef(oid) from pg_constraint
        where connamespace = 'public'::regnamespace
      order by 1, 2, 3`);
    return rows;
  }
  return await connection.immediately((database) => {
    const all = (sql: string) => database.prepare(sql).all() as { name: string; sql: string | null }[];
    return all(
      "select name, sql from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
    ).map(({ name, sql }) => ({
      name,
      autoincrement: /autoincrement/i.test(sql ?? ''),
      generated: /generated always as \((.*?)\) stored/i.exec(sql ?? '')?.[1] ?? null,
      columns: all(`pragma table_xinfo(${name})`),
      foreign_keys: all(`pragma foreign_key_list(${name})`),
      indexes: all(`pragma index_list(${name})`)
        .map((index) => ({
          ...index,
          seq: 0,
          // The key only: the other columns of a table without rowid are in its primary key.
          columns: (all(`pragma index_xinfo(${index.name})`) as object[] as { key: 0 | 1 }[]).filter(({ key }) => key),
          where: where(index.name),
        }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    }));

    function where(index: string): string | null {
      const [row] = all(`select name, sql from sqlite_master where name = '${index}'`);
      return (
        /\bon\b(.*)$/i
          .exec(row?.sql ?? '')?.[1]
          ?.replaceAll(/[`"]/g, '')
          .trim()
          .split(' ')
          .slice(1)
          .join(' ') ?? null
      );
    }
  });
}

interface Column {
  readonly name: string;
  readonly cid?: number;
  readonly definition?: string;
}

/** Each column with its definition, by `table.column`. */
function columnsOf(tables: unknown): ReadonlyMap<string, string> {
  const rows = tables as readonly (Column & { readonly kind?: string; readonly columns?: readonly Column[] })[];
  return new Map(
    rows.flatMap(({ kind, name, definition, columns = [] }) => [
      ...(kind === 'column' ? [[name, definition ?? ''] as const] : []),
      ...columns.map(({ cid: _, ...column }) => [`${name}.${column.name}`, JSON.stringify(column)] as const),
    ]),
  );
}

/** Returns the columns that differ between the migrations and the entities, and where each is. */
function columnDifferences(migrated: unknown, described: unknown): readonly string[] {
  const made = columnsOf(migrated);
  const wanted = columnsOf(described);
  return [...new Set([...made.keys(), ...wanted.keys()])].flatMap((column) => {
    const of_migration = made.get(column);
    const of_entity = wanted.get(column);
    if (of_migration === of_entity) return [];
    if (of_migration === undefined) return `${column} is in the entities but in no migration`;
    if (of_entity === undefined)
      return `${column} is in a migration but in no entity; add it to its entity in src/schema/tables`;
    return `${column} is ${of_migration} by the migrations, but ${of_entity} by the entities`;
  });
}

async function withDatabase<Result>(
  name: ScratchDatabase['name'],
  work: (database: ScratchDatabase, connection: Connection) => Promise<Result>,
): Promise<Result> {
  const database = await scratchDatabase(name);
  const connection = await connect(database);
  try {
    return await work(database, connection);
  } finally {
    await connection.close();
    await database.dispose();
  }
}

for (const name of database_names) {
  describe(`the tables, on ${name}`, () => {
    it('are created by the migrations exactly as the entities describe them', async () => {
      const migrated = await withDatabase(name, async (_database, connection) => {
        await migrate(connection);
        // Entities describe no triggers: those that count clearings have statements of each
        // database.
        const update = (await connection.orm.schema.getUpdateSchemaSQL()).replaceAll(
          /^(drop (trigger|function) .*|set names .*|)\n/gm,
          '',
        );
        const drop = 'drop table tallystick_migrations';
        if (connection.dialect === 'postgres') await connection.pool.query(drop);
        else await connection.immediately((database) => database.exec(drop));
        return { update, tables: await catalogue(connection) };
      });
      const described = await withDatabase(name, async (_database, connection) => {
        await connection.orm.schema.create();
        return await catalogue(connection);
      });
      const differences = columnDifferences(migrated.tables, described);
      assert.deepEqual(differences, [], differences.join('\n'));
      assert.equal(migrated.update, '');
      assert.deepEqual(migrated.tables, described);
    });

    it('have the names of the fields, in snake_case', async () => {
      await withDatabase(name, async (_database, connection) => {
        const columns = [...connection.orm.getMetadata().getAll().values()].flatMap(({ tableName, props }) =>
          props.map(({ name: field, fieldNames }) => ({ field: `${tableName}.${field}`, fieldNames })),
        );
        assert.ok(columns.length > 100);
        for (const { field, fieldNames } of columns) {
          assert.match(field, /^[a-z0-9_]+\.[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
          assert.deepEqual(fieldNames, [field.split('.')[1]], `${field} is stored in a column of another name`);
        }
      });
    });

    it('are created once when several processes migrate concurrently, and then stay unchanged', async () => {
      await withDatabase(name, async (database, connection) => {
        const others = await Promise.all([connect(database), connect(database), connect(database)]);
        await Promise.all([connection, ...others].map((each) => migrate(each)));
        const before = await catalogue(connection);
        await migrate(others[0]!);
        assert.deepEqual(await catalogue(connection), before);
        for (const other of others) await other.close();
      });
    });
  });
}

describe('the README', () => {
  it('states the purpose of every index', async () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    await withDatabase('sqlite', async (_database, connection) => {
      await migrate(connection);
      assert.equal(connection.dialect, 'sqlite');
      const made = await connection.immediately((database) =>
        database.prepare("select name from sqlite_master where type = 'index' and sql is not null").pluck().all(),
      );
      const described = new Set([...readme.matchAll(/`([a-z_0-9]+)`/g)].map(([, name]) => name));
      const undescribed = made
        .map((name) => String(name).replace('tallystick_', ''))
        .filter((name) => !described.has(name));
      assert.deepEqual(
        undescribed,
        [],
        `the README of adapters/mikro-orm must state the purpose of ${undescribed.join(', ')}`,
      );
    });
  });
});

describe('the file of SQLite', () => {
  it('can be read only by this user', async () => {
    const scratch = await scratchDatabase('sqlite');
    const path = join(dirname(scratch.database_url.slice('sqlite:'.length)), 'tallystick.db');
    const connection = await connect({ database_url: `sqlite:${path}` });
    await migrate(connection);
    for (const file of [path, `${path}-wal`]) assert.equal(statSync(file).mode & 0o777, 0o600, file);
    await connection.close();
    await scratch.dispose();
  });

  it('is written to the disk by every commit', async () => {
    await withDatabase('sqlite', async (_database, connection) => {
      assert.equal(connection.dialect, 'sqlite');
      const settings = await connection.immediately((database) =>
        ['journal_mode', 'synchronous', 'foreign_keys'].map((name) => database.pragma(name, { simple: true })),
      );
      assert.deepEqual(settings, ['wal', 2, 1]);
    });
  });

  it('is written to the disk again by commits after work without a sync, also after a failure', async () => {
    await withDatabase('sqlite', async (_database, connection) => {
      assert.equal(connection.dialect, 'sqlite');
      const synchronous = (database: Database) => database.pragma('synchronous', { simple: true });
      assert.equal(await connection.immediatelyWithoutSync(synchronous), 1);
      assert.equal(await connection.immediately(synchronous), 2);
      const failing = connection.immediatelyWithoutSync(() => {
        throw new Error('planted');
      });
      await assert.rejects(failing, /planted/);
      assert.equal(await connection.immediately(synchronous), 2);
    });
  });
});
