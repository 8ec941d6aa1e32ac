import { type HostTransaction, UnusableTransaction } from '@tallystick/kernel';

/** What is used of a `Database` of better-sqlite3. */
export interface BetterSqlite3Database {
  readonly inTransaction: boolean;
  prepare(text: string): BetterSqlite3Statement;
}

export interface BetterSqlite3Statement {
  readonly reader: boolean;
  safeIntegers(toggle: boolean): unknown;
  all(...values: unknown[]): unknown[];
  run(...values: unknown[]): { readonly changes: number };
}

/**
 * The transaction that is open on a handle of better-sqlite3: the host has run `begin immediate` and
 * will run `commit` or `rollback`. Not within `database.transaction(...)`, whose function must not
 * wait for anything. The handle's `defaultSafeIntegers` has no effect on what is read here.
 */
export function fromBetterSqlite3(database: BetterSqlite3Database): HostTransaction {
  if (typeof (database as Partial<BetterSqlite3Database> | null)?.prepare !== 'function') {
    throw new UnusableTransaction('fromBetterSqlite3 takes a Database of better-sqlite3');
  }
  return {
    dialect: 'sqlite',
    handle: database,
    async execute({ text, values }) {
      const statement = database.prepare(text);
      const given = values.map((value) => (typeof value === 'boolean' ? Number(value) : value));
      if (!statement.reader) return { rows: [], changes: statement.run(...given).changes };
      statement.safeIntegers(false);
      return { rows: statement.all(...given) as readonly Readonly<Record<string, unknown>>[], changes: 0 };
    },
  };
}
