import type { Dialect } from './dialect.ts';

/** The table of applied migrations, as MikroORM creates it. */
export const migrations_table: Readonly<Record<Dialect, string>> = {
  sqlite: `create table if not exists tallystick_migrations (
    id integer not null primary key autoincrement, name text not null, executed_at datetime not null default (strftime('%s', 'now') * 1000)
  )`,
  postgres: `create table if not exists tallystick_migrations (
    id serial primary key, name varchar(255) not null, executed_at timestamptz(6) not null default current_timestamp(6)
  )`,
};
