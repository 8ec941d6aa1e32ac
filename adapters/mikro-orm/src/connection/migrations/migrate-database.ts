/** Migrations of a database that nothing else of this process uses: for command lines. */
import type { SchemaMigration } from '../../schema/migrations/index.ts';
import { connect } from '../connection.ts';
import { findApplied, migrate } from './migrate.ts';
import { printMissing } from './print-missing.ts';

/** See `ConnectionOptions`. */
export interface DatabaseToMigrate {
  readonly database_url: string;
  readonly schema?: string | undefined;
  readonly migrations?: readonly SchemaMigration[];
}

/**
 * Applies the missing migrations as `Persistence.migrate` does, and closes the database. Returns
 * their names. Needs no keys. Rejects as `mikroOrmPersistence` and `migrate` do.
 */
export async function migrateDatabase(database: DatabaseToMigrate): Promise<readonly string[]> {
  const connection = await connect(database);
  try {
    const before = new Set(await findApplied(connection));
    await migrate(connection);
    return (await findApplied(connection)).filter((name) => !before.has(name));
  } finally {
    await connection.close();
  }
}

/**
 * Returns the migrations that the database lacks, as `printMigrations` does, and changes nothing.
 */
export async function printMissingMigrations(database: DatabaseToMigrate): Promise<string> {
  const connection = await connect(database);
  try {
    return await printMissing(connection);
  } finally {
    await connection.close();
  }
}
