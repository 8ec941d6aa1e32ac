/**
 * Whether this process has loaded a SQLite library besides the better-sqlite3 of the connections:
 * `node:sqlite`, a second copy of it, or another package (ADR 0021, 0023).
 */
import { createRequire } from 'node:module';

/** Without `@mikro-orm/sqlite`, which uses the better-sqlite3 of the connections. */
const of_package =
  /^.*[\\/]node_modules[\\/](?:@(?!mikro-orm[\\/])[^\\/]+[\\/])?[^\\/]*(?:sqlite|sqlcipher|libsql)[^\\/]*(?=[\\/])/;

/**
 * Packages are looked for once in this number of calls, because a process has many: this takes a
 * tenth of a millisecond for a thousand modules.
 */
const calls_per_look = 1_024;

let calls = 0;
let is_found = false;

/**
 * Takes a microsecond most times. A package that was loaded in the last 1,024 calls may be missed,
 * and so is one within a bundle, and `node:sqlite` in a worker.
 */
export function hasOtherLibrary(): boolean {
  if (is_found) return true;
  const { moduleLoadList = [] } = process as { readonly moduleLoadList?: readonly string[] };
  is_found = moduleLoadList.includes('NativeModule sqlite') || (calls % calls_per_look === 0 && hasTwoPackages());
  calls += 1;
  return is_found;
}

function hasTwoPackages(): boolean {
  const loaded = Object.keys(createRequire(process.execPath).cache);
  return new Set(loaded.flatMap((file) => of_package.exec(file)?.[0] ?? [])).size > 1;
}
