/** The handle of a host in place of the address of a database. */
import type { Database } from 'better-sqlite3';
import type pg from 'pg';
import type { Library } from './sqlite/handles.ts';
import { UnusableHandle } from './unusable-handle.ts';

export type HostHandle =
  /** Connections of our own are opened to its file. */
  | { readonly kind: 'sqlite file'; readonly path: string; readonly library: Library }
  /** The handle itself is the connection: no other one leads to its database. */
  | { readonly kind: 'sqlite memory'; readonly database: Database }
  /** Connections of our own are opened with the same options. */
  | { readonly kind: 'postgres'; readonly options: pg.PoolConfig };

/** Throws `UnusableHandle` for what is no open `Database` of better-sqlite3 and no `Pool` of pg. */
export function hostHandle(handle: object): HostHandle {
  if (isDatabase(handle)) {
    if (!handle.open) throw new UnusableHandle('the database handle is closed: open it before createTallystick');
    // By its own copy of the library: two copies in one process end each other's locks.
    if (!handle.memory) return { kind: 'sqlite file', path: handle.name, library: handle.constructor as Library };
    if (typeof handle.prepare('select 1').pluck().get() === 'bigint') {
      throw new UnusableHandle(
        'the database handle in memory returns BigInt: call safeIntegers(true) on single statements instead of defaultSafeIntegers(true)',
      );
    }
    return { kind: 'sqlite memory', database: handle };
  }
  if (isPool(handle)) return { kind: 'postgres', options: connectionOptions(handle.options) };
  throw new UnusableHandle(
    'the database is no handle that can be used: pass an address, a Database of better-sqlite3, or a Pool of pg',
  );
}

function isDatabase(handle: object): handle is Database {
  return 'memory' in handle && 'name' in handle && 'pragma' in handle;
}

function isPool(handle: object): handle is pg.Pool & { readonly options: pg.PoolConfig } {
  return 'totalCount' in handle && 'connect' in handle && 'options' in handle;
}

const connection_names = [
  'connectionString',
  'host',
  'port',
  'database',
  'user',
  'password',
  'ssl',
  'stream',
  'options',
  'keepAlive',
  'keepAliveInitialDelayMillis',
  'client_encoding',
] as const;

/** What leads to the database. The pool does not enumerate its password. */
function connectionOptions(options: pg.PoolConfig): pg.PoolConfig {
  const given = connection_names.map((name) => [name, options[name]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as pg.PoolConfig;
}
