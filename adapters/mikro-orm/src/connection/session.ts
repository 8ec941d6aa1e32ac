import type { InferKyselyDB } from '@mikro-orm/sql';
import type { GiveWay } from '@tallystick/kernel';
import type { Kysely, SelectQueryBuilder } from 'kysely';
import type { Dialect } from '../schema/dialect.ts';
import type { entities } from '../schema/entities.ts';

/**
 * The tables as queries see them, derived from the entities. On SQLite a boolean is read as 0 or 1.
 */
export type Tables = InferKyselyDB<(typeof entities)[number]>;

/** The open transaction of a store, on the ORM's connection. */
export interface Session {
  readonly dialect: Dialect;
  readonly db: Kysely<Tables>;
  /** For long work between two statements. Does nothing where other work of the process must not run. */
  readonly giveWay: GiveWay;
  /**
   * Adds work that runs as the last work of the transaction, immediately before the commit. Does
   * not run when the transaction rolls back.
   */
  beforeCommit(work: () => Promise<void>): void;
}

/** Locks the rows until the transaction ends. On SQLite the whole database is locked already. */
export function lockForUpdate<Table extends keyof Tables, Row>(
  { dialect }: Session,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return dialect === 'postgres' ? query.forUpdate() : query;
}

/** Locks the rows without waiting: skips rows that another transaction holds. */
export function lockOrSkip<Table extends keyof Tables, Row>(
  { dialect }: Session,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return dialect === 'postgres' ? query.forUpdate().skipLocked() : query;
}

export function toJsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

export function parseOrNull<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value);
}
