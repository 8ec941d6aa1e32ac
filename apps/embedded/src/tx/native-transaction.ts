/**
 * What the code of a host uses within `transaction(handle, work)`: the client of a pool of `pg`, the
 * `trx` of Kysely, the `em` of MikroORM, the `tx` of Drizzle on Postgres. On SQLite the handle
 * itself, of better-sqlite3 or of Drizzle, and so a `Client` of pg.
 */
export type NativeTransaction<Handle> = Handle extends { readonly inTransaction: boolean }
  ? Handle
  : Handle extends { readonly $client: { readonly inTransaction: boolean } }
    ? Handle
    : Handle extends { readonly totalCount: number; readonly connect: infer Connect }
      ? ClientOf<Connect>
      : Handle extends { readonly em: infer Em }
        ? Em
        : Handle extends { transactional(...given: never[]): unknown }
          ? Handle
          : Handle extends { readonly isTransaction: boolean; transaction(): infer Builder }
            ? FirstArgumentOf<ExecuteOf<Builder>>
            : Handle extends { transaction: infer Transaction }
              ? FirstArgumentOf<Transaction>
              : Handle;

/** Of the two forms of a pool's `connect`. */
type ClientOf<Connect> = Connect extends { (): Promise<infer Client>; (...given: never[]): unknown } ? Client : never;

type ExecuteOf<Builder> = Builder extends { execute: infer Execute } ? Execute : never;

/** The first argument of the function that is the first argument. */
type FirstArgumentOf<Method> = Method extends (work: infer Work, ...more: never[]) => unknown
  ? Work extends (native: infer Native, ...more: never[]) => unknown
    ? Native
    : never
  : never;
