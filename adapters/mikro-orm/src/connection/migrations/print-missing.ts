import type { Connection } from '../connection.ts';
import { findApplied, refuseMadeBeforeRelease } from './migrate.ts';
import { print } from './print-migrations.ts';

/**
 * Returns those of the migrations that the database lacks, as `printMigrations` does. Rejects with
 * `UnusableSchema` when the database was made before the first release.
 */
export async function printMissing(connection: Connection): Promise<string> {
  const { dialect, migrations } = connection;
  await refuseMadeBeforeRelease(connection);
  return await print({
    dialect,
    schema: connection.dialect === 'postgres' ? connection.schema : undefined,
    migrations,
    applied: await findApplied(connection),
  });
}
