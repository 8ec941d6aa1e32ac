import { type HostTransaction, UnusableTransaction } from '@tallystick/kernel';
import { identityOf } from '../connection/sqlite/database-file.ts';
import type { SqliteConnection } from '../connection/sqlite/sqlite-connection.ts';
import { another_database, none_open, only_reads, unusable } from './host-errors.ts';
import { type OpenedHost, savepoint } from './opened-host.ts';

/** The handles on the database of each connection: a handle stays on one database. */
const known = new WeakMap<SqliteConnection, WeakSet<object>>();

/**
 * Begins a savepoint in the transaction. Throws `UnusableTransaction` when none is open, when it is
 * on another database, and when it is known to read only: with other handles the first write shows
 * it.
 */
export async function openOnSqlite(connection: SqliteConnection, host: HostTransaction): Promise<OpenedHost> {
  await assertOpen(host);
  const handles = known.get(connection) ?? new WeakSet();
  known.set(connection, handles);
  if (!handles.has(host.handle)) {
    await assertSameDatabase(connection, host);
    handles.add(host.handle);
  }
  await assertWrites(host);
  await host.execute({ text: `savepoint ${savepoint}`, values: [] });
  return { async restore() {} };
}

/** A savepoint outside a transaction would begin one, which nobody would end. */
async function assertOpen(host: HostTransaction): Promise<void> {
  try {
    await host.execute({ text: 'begin', values: [] });
  } catch (error) {
    if (error instanceof Error && error.message.includes('within a transaction')) return;
    throw unusable(error);
  }
  await host.execute({ text: 'rollback', values: [] });
  throw new UnusableTransaction(none_open);
}

async function assertWrites(host: HostTransaction): Promise<void> {
  const { rows } = await host.execute({ text: 'pragma query_only', values: [] });
  const is_opened_to_read = (host.handle as { readonly readonly?: unknown }).readonly === true;
  if (is_opened_to_read || rows[0]?.query_only === 1) throw new UnusableTransaction(only_reads);
}

async function assertSameDatabase(connection: SqliteConnection, host: HostTransaction): Promise<void> {
  const { rows } = await host.execute({
    text: "select file from pragma_database_list where name = 'main'",
    values: [],
  });
  const file = String(rows[0]?.file ?? '');
  const own_file = connection.path;
  const is_same = own_file === null || file === '' ? own_file === null && file === '' : isSameFile(own_file, file);
  if (!is_same || !(await hasSameId(connection, host))) throw new UnusableTransaction(another_database);
}

const select_id = 'select installation_id from tallystick_installation where id = 1';

/** Tells databases in memory from each other, and one that is not migrated. */
async function hasSameId(connection: SqliteConnection, host: HostTransaction): Promise<boolean> {
  const own = connection.readNow((database) => database.prepare<[], string>(select_id).pluck().get());
  try {
    const { rows } = await host.execute({ text: select_id, values: [] });
    return rows[0]?.installation_id === own;
  } catch (error) {
    // Another database in memory may have no such table.
    if (error instanceof Error && /no such (table|column)/.test(error.message)) return false;
    throw unusable(error);
  }
}

function isSameFile(one: string, other: string): boolean {
  try {
    return identityOf(one) === identityOf(other);
  } catch {
    return false;
  }
}
