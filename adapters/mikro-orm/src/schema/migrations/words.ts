import type { Dialect } from '../dialect.ts';

/** The few words in which the two databases differ, so that one migration serves both. */
export interface Words {
  /** A primary key that numbers its rows. */
  readonly id: string;
  /** A primary key that is told which number to have. */
  readonly given_id: string;
  /** Text that sorts and compares by bytes. */
  readonly text: string;
  readonly bytes: string;
  readonly boolean: string;
  /** The statement that makes the columns unique together. */
  unique(name: string, table: string, columns: string): string;
  /** The stored column that tells an event's segment. Of 2,048 ids on SQLite, 8,192 on Postgres. */
  readonly event_segment: string;
  /** The statements after which the table numbers its rows from above `id`. */
  afterIds(table: string, id: number): readonly string[];
}

const sqlite: Words = {
  id: 'integer not null primary key autoincrement',
  given_id: 'integer not null primary key',
  text: 'text',
  bytes: 'blob',
  boolean: 'integer',
  unique: (name, table, columns) => `create unique index ${name} on ${table} (${columns})`,
  event_segment: 'bigint generated always as (id >> 11) stored',
  afterIds: () => [],
};

const postgres: Words = {
  id: 'bigserial primary key',
  given_id: 'bigint not null primary key',
  text: 'text collate "C"',
  bytes: 'bytea',
  boolean: 'boolean',
  unique: (name, table, columns) => `alter table ${table} add constraint ${name} unique (${columns})`,
  event_segment: 'bigint generated always as (id >> 13) stored not null',
  afterIds: (table, id) => [`select setval('${table}_id_seq', ${id})`],
};

export function words(dialect: Dialect): Words {
  return { sqlite, postgres }[dialect];
}
