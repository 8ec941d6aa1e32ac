import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type Database from 'better-sqlite3';

/** A connection of a library that knows nothing of the other connections of this process. */
export interface ForeignConnection {
  exec(sql: string): void;
  close(): void;
}

/** The SQLite of Node, which a process must not have loaded before it needs it. */
export function openNodeSqlite(path: string, only_reads = false): ForeignConnection {
  const sqlite: { readonly DatabaseSync: typeof DatabaseSync } = process.getBuiltinModule('node:sqlite');
  return new sqlite.DatabaseSync(path, { readOnly: only_reads });
}

export interface SecondBetterSqlite3 {
  readonly folder: string;
  /** Loaded into this process when it is read, as two versions in `node_modules` are. */
  readonly library: typeof Database;
  remove(): void;
}

/** A second copy of better-sqlite3. */
export function secondBetterSqlite3(): SecondBetterSqlite3 {
  const root = mkdtempSync(join(tmpdir(), 'tallystick-second-sqlite-'));
  const folder = join(root, 'node_modules/better-sqlite3');
  const require = createRequire(import.meta.url);
  const source = dirname(require.resolve('better-sqlite3/package.json'));
  // Without the sources of SQLite.
  cpSync(source, folder, { recursive: true, filter: (path) => !['deps', 'src'].includes(basename(path)) });
  return {
    folder,
    get library() {
      return require(folder);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
