import Database from 'better-sqlite3';
import pg from 'pg';
import type { ScratchDatabase } from './database.ts';

/**
 * Uses the SQLite of the service. A second copy of SQLite in one process, such as Node's, does not
 * know of the connections of the first, and removes their log when it closes.
 */
function openSqlite(database_url: string, options: Database.Options = {}): Database.Database {
  return new Database(sqliteFile({ database_url }), { ...options, timeout: 60_000 });
}

/** A row of a query's result; 64-bit integers as numbers. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Returns the result of a query, read directly from the database on a separate connection, beside
 * running servers. The SQL must mean the same on both databases, or be written for this one.
 */
export async function readRows<Found = Row>(
  { name, database_url }: Pick<ScratchDatabase, 'name' | 'database_url'>,
  sql: string,
): Promise<readonly Found[]> {
  if (name === 'sqlite') {
    const database = openSqlite(database_url, { readonly: true });
    try {
      return database.prepare(sql).all() as Found[];
    } finally {
      database.close();
    }
  }
  const client = new pg.Client({ connectionString: database_url, types: { getTypeParser: parserOf as never } });
  client.on('error', () => {}); // the server ended after the answer
  await client.connect();
  try {
    return (await client.query(sql)).rows as Found[];
  } finally {
    await client.end();
  }
}

/**
 * Changes rows directly in the database, beside running servers. For changes that otherwise only
 * the progress of machine time would make, for example the end of the lease of a process that died.
 */
export async function changeRows(
  { name, database_url }: Pick<ScratchDatabase, 'name' | 'database_url'>,
  sql: string,
): Promise<void> {
  if (name === 'sqlite') {
    const database = openSqlite(database_url);
    try {
      database.exec(sql);
    } finally {
      database.close();
    }
    return;
  }
  const client = new pg.Client({ connectionString: database_url });
  client.on('error', () => {}); // the server ended after the answer
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Returns the names of all tables, including the tables of the migrations. */
export async function tableNames(database: Pick<ScratchDatabase, 'name' | 'database_url'>): Promise<readonly string[]> {
  const rows = await readRows<{ name: string }>(
    database,
    database.name === 'sqlite'
      ? "select name from sqlite_master where type = 'table' order by name"
      : "select tablename as name from pg_tables where schemaname = 'public' order by tablename",
  );
  return rows.map(({ name }) => name);
}

/** Returns the path of a SQLite database's file. */
export function sqliteFile({ database_url }: Pick<ScratchDatabase, 'database_url'>): string {
  return database_url.slice('sqlite:'.length);
}

function parserOf(oid: number, format?: 'text' | 'binary'): unknown {
  const is_bigint = oid === pg.types.builtins.INT8;
  return is_bigint ? Number : pg.types.getTypeParser(oid as never, format as never);
}
