import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type Database from 'better-sqlite3';

/** A connection of a library that knows nothing of the other connections of this process. */
export interface ForeignConnection {
  exec(sql: string): void;
  close(): void;
}

/** The SQLite of Node. */
export const openNodeSqlite = (path: string): ForeignConnection => new DatabaseSync(path);

/**
 * Loads a second copy of better-sqlite3 into this process, as two versions of it in `node_modules`
 * do.
 */
export function secondBetterSqlite3(): { readonly library: typeof Database; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-second-sqlite-'));
  const require = createRequire(import.meta.url);
  const source = dirname(require.resolve('better-sqlite3/package.json'));
  // Without the sources of SQLite.
  cpSync(source, folder, { recursive: true, filter: (path) => !['deps', 'src'].includes(basename(path)) });
  return {
    library: require(folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
