import type { Connection } from './connection.ts';
import { faultOf } from './faults.ts';

/**
 * The advisory lock that lets one process at a time migrate a Postgres database. Any number, the
 * same in all processes.
 */
const migration_lock = 7_311_855_129;

/** MikroORM's table of applied migrations on SQLite, as MikroORM creates it. */
const migrations_table = `create table if not exists migrations (
    id integer not null primary key autoincrement, name text not null, executed_at datetime not null default (strftime('%s', 'now') * 1000)
  )`;

/**
 * Applies the missing migrations, all or none. A second process waits and then finds nothing to do.
 */
export async function migrate(connection: Connection): Promise<void> {
  try {
    if (connection.dialect === 'sqlite') {
      // MikroORM checks for its own table and then creates it, so two processes would both create
      // it.
      await connection.immediately((database) => database.exec(migrations_table));
      // One transaction that takes the write lock before it reads which migrations were applied.
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
