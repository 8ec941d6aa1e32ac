/**
 * The driver's own object within a transaction that this adapter began. The host's code may keep it
 * for longer than the transaction lasts: a late statement must not run on the connection, which
 * others use by then.
 */
import { UnusableTransaction } from '@tallystick/kernel';
import type { Database } from 'better-sqlite3';
import type { PoolClient } from 'pg';

/** Whether the transaction of a handle is over, and the statements in progress. */
export interface Guard {
  is_over: boolean;
  in_progress: number;
}

const over = 'the transaction is over: use its handle only until it is committed or rolled back';
const ended_elsewhere = 'the transaction ends with the call that began it: do not end or release its handle';

function assertUsable({ is_over }: Guard): void {
  if (is_over) throw new UnusableTransaction(over);
}

/** The client, whose `query` rejects once the transaction is over. */
export function guardedClient(client: PoolClient, guard: Guard): PoolClient {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of the client cannot be repeated here
  function query(...given: any[]): unknown {
    if (guard.is_over) return Promise.reject(new UnusableTransaction(over));
    const result = (client.query as (...all: unknown[]) => unknown)(...given);
    if (!(result instanceof Promise)) return result;
    guard.in_progress += 1;
    return result.finally(() => {
      guard.in_progress -= 1;
    });
  }
  return new Proxy(client, {
    get(target, name) {
      if (name === 'query') return query;
      if (name === 'release' || name === 'end') return refuseEnd;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The database, whose methods and statements throw once the transaction is over. */
export function guardedDatabase(database: Database, guard: Guard): Database {
  return guarded(database, guard);
}

function guarded<Target extends object>(given: Target, guard: Guard): Target {
  const proxy: Target = new Proxy(given, {
    get(target, name) {
      if (name === 'close') return refuseEnd;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || name === 'constructor') return value;
      return (...values: unknown[]) => {
        assertUsable(guard);
        const result: unknown = value.apply(target, values);
        // Methods that set an option return their object.
        if (result === target) return proxy;
        return name === 'prepare' ? guarded(result as object, guard) : result;
      };
    },
  });
  return proxy;
}

function refuseEnd(): never {
  throw new UnusableTransaction(ended_elsewhere);
}
