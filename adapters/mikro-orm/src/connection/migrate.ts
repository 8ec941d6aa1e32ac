import type { Connection } from './connection.ts';
import { faultOf } from './faults.ts';

/** The advisory lock under which one process at a time migrates a Postgres database: any number, the same in all of them. */
const migration_lock = 7_311_855_129;

/** Where MikroORM notes on SQLite which migrations were applied, as it makes it itself. */
const migrations_table = `create table if not exists migrations (
    id integer not null primary key autoincrement, name text not null, executed_at datetime not null default (strftime('%s', 'now') * 1000)
  )`;

/** Applies the migrations that are missing, all or none. A second process waits, and then finds nothing to do. */
export async function migrate(connection: Connection): Promise<void> {
  try {
    if (connection.dialect === 'sqlite') {
      // MikroORM looks for its own table and then makes it: two processes would both make it.
      await connection.immediately((database) => database.exec(migrations_table));
      // One transaction that takes the write lock first, before it looks which migrations are there.
      await connection.orm.migrator.up();
      return;
    }
    const client = await connection.pool.connect();
    try {
      await client.query('select pg_advisory_lock($1)', [migration_lock]);
      await connection.orm.migrator.up();
    } finally {
      await client.query('select pg_advisory_unlock($1)', [migration_lock]).catch(() => {});
      client.release();
    }
  } catch (error) {
    throw faultOf(error);
  }
}
