import type { InferKyselyDB } from '@mikro-orm/sqlite';
import type { Kysely, SelectQueryBuilder } from 'kysely';
import type { Dialect } from '../schema/dialect.ts';
import type { entities } from '../schema/schema.ts';

/** The tables as queries see them, drawn from the entities. On SQLite a boolean is read as 0 or 1. */
export type Tables = InferKyselyDB<(typeof entities)[number]>;

/** What a store works on: the open transaction, on the ORM's connection. */
export interface Session {
  readonly dialect: Dialect;
  readonly db: Kysely<Tables>;
}

/** Holds the rows until the transaction ends. On SQLite the whole database is held already. */
export function heldForUpdate<Table extends keyof Tables, Row>(
  { dialect }: Session,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return dialect === 'postgres' ? query.forUpdate() : query;
}

/** The same, without waiting: rows that another transaction holds are passed over. */
export function heldOrPassedOver<Table extends keyof Tables, Row>(
  { dialect }: Session,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return dialect === 'postgres' ? query.forUpdate().skipLocked() : query;
}

export function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

export function parsedOrNull<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value);
}
