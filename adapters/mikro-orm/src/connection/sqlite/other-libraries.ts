/**
 * Whether this process has loaded a SQLite library besides the better-sqlite3 of the connections: a
 * second copy of it, or another one (ADR 0021).
 */
import { createRequire } from 'node:module';

/** `node:sqlite`. Takes a microsecond. Not noticed within a worker. */
export function hasNodeSqlite(): boolean {
  const { moduleLoadList = [] } = process as { readonly moduleLoadList?: readonly string[] };
  return moduleLoadList.includes('NativeModule sqlite');
}

/** Without `@mikro-orm/sqlite`, which uses the better-sqlite3 of the connections. */
const of_package =
  /^.*[\\/]node_modules[\\/](?:@(?!mikro-orm[\\/])[^\\/]+[\\/])?[^\\/]*(?:sqlite|sqlcipher|libsql)[^\\/]*(?=[\\/])/;

/**
 * Two packages whose names are those of SQLite libraries. Takes the longer the more modules the
 * process has loaded, a tenth of a millisecond for a thousand. Not noticed within a bundle.
 */
export function hasOtherPackage(): boolean {
  const loaded = Object.keys(createRequire(process.execPath).cache);
  return new Set(loaded.flatMap((file) => of_package.exec(file)?.[0] ?? [])).size > 1;
}
