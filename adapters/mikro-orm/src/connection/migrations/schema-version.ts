/** What is found when the schema of a database is not that of this version. */

/** The database has migrations that this version does not know: a newer version applied them. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
  /** The names of these migrations, in order. */
  readonly migrations: readonly string[];

  constructor(migrations: readonly string[]) {
    super(`the database has migrations of a newer version: ${migrations.join(', ')}`);
    this.migrations = migrations;
  }
}

/** The database lacks migrations of this version, and the caller does not apply them. */
export class OlderSchema extends Error {
  override readonly name = 'OlderSchema';
  /** The names of these migrations, in order. */
  readonly migrations: readonly string[];

  constructor(migrations: readonly string[]) {
    super(`the database has not the migrations of this version: ${migrations.join(', ')}`);
    this.migrations = migrations;
  }
}

export interface MigrateOptions {
  /** Accepts migrations of a newer version, for a return to this version. */
  readonly accepts_newer: boolean;
  /** Writes nothing, and rejects with `OlderSchema` when migrations are missing. */
  readonly only_checks?: boolean;
}
