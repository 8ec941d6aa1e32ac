import pg from 'pg';
import { closeNow } from '../connection/closing.ts';
import type { PostgresConnection } from '../connection/connection.ts';
import { connect_ms_max, optionsWithoutSchema } from '../connection/postgres/postgres-pools.ts';
import { own_types } from '../connection/postgres/postgres-types.ts';

const paths = new WeakMap<PostgresConnection, Promise<string>>();

/**
 * The schemas in which a connection of the host finds its tables, as Postgres writes them. Our
 * connections have only the schema of this instance, and no statement on them returns what the role
 * and the database would have set.
 */
export async function hostSearchPath(connection: PostgresConnection): Promise<string> {
  const known = paths.get(connection);
  if (known !== undefined) return await known;
  const reading = readInPlaceOfAnother(connection);
  paths.set(connection, reading);
  // The next call reads again.
  reading.catch(() => paths.delete(connection));
  return await reading;
}

/** On a connection in the place of one of the pool: there may be none besides those of the pools. */
async function readInPlaceOfAnother({ pool, limit, schema }: PostgresConnection): Promise<string> {
  const replaced = await pool.connect();
  try {
    closeNow(replaced);
    return await limit.connect(connect_ms_max, () => readPath(pool.options, schema));
  } finally {
    replaced.release(true);
  }
}

async function readPath(given: pg.PoolOptions, schema: string): Promise<string> {
  // A pool hides its password from a copy.
  const { password } = given;
  const client = new pg.Client({
    ...given,
    password,
    options: optionsWithoutSchema(given.options ?? '', schema),
    types: own_types,
  });
  // A connection that breaks also rejects its query.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ readonly path: string }>(`select current_setting('search_path') as path`);
    return rows[0]!.path;
  } finally {
    await client.end();
  }
}
