export interface HostStatement {
  /** Postgres: parameters are `$1`, `$2`, ...; SQLite: `?`. */
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface HostResult {
  /**
   * The rows of a statement that returns rows, else none. Numbers are numbers, also 64-bit
   * integers; texts are strings. Bytes are `Uint8Array`; on Postgres they may also be the text `\x`
   * and hexadecimal digits.
   */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The number of rows that were inserted, changed or deleted. */
  readonly changes: number;
}

/**
 * An open transaction of the host application, in which calls take part: what they write commits or
 * rolls back with the rest of it. Created by `fromPg` and its siblings.
 */
export interface HostTransaction {
  readonly dialect: 'sqlite' | 'postgres';
  /**
   * The host's own object, such as its `pg` client. Calls with the same handle run one after
   * another.
   */
  readonly handle: object;
  /**
   * Runs one statement and names no prepared statement. Rejects with the error of the host's driver,
   * or with `UnusableTransaction`.
   */
  execute(statement: HostStatement): Promise<HostResult>;
}

/** The caller passed a transaction that cannot be used. The message says what to do. */
export class UnusableTransaction extends Error {
  override readonly name = 'UnusableTransaction';
}

/** Runs the work after the earlier work with the same handle, whether that resolved or rejected. */
export type HandleQueue = <Result>(handle: object, work: () => Promise<Result>) => Promise<Result>;

/**
 * A queue for each handle of a host, which is one connection: it cannot do two things at the same
 * time. A handle that nothing else keeps is forgotten.
 */
export function createHandleQueue(): HandleQueue {
  const ends = new WeakMap<object, Promise<void>>();
  return (handle, work) => {
    const result = (ends.get(handle) ?? Promise.resolve()).then(work);
    ends.set(handle, result.then(nothing, nothing));
    return result;
  };
}

const nothing = (): void => undefined;
