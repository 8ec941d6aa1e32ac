import type Database from 'better-sqlite3';

/** The version of better-sqlite3 that the tests run with. */
const sqlite_version = '13.0.3';

/**
 * Loads better-sqlite3. It is an optional peer dependency, because it is large and native: a host
 * on Postgres does not install it. Rejects with one sentence when it is not installed.
 */
export async function loadSqlite(): Promise<typeof Database> {
  try {
    return (await import('better-sqlite3')).default;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error;
    // Without the cause, whose message would be shown in place of this one.
    throw new Error(
      `a database on SQLite needs the package better-sqlite3: run npm install better-sqlite3@${sqlite_version}`,
    );
  }
}
