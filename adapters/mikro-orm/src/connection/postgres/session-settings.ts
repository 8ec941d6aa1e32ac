import type { ClientBase } from 'pg';
import { UnusableSchema } from '../migrations/schema-name.ts';

/**
 * The settings of a session on which the text of a statement or of its answer depends, as Postgres
 * shows them. A role or a database may have others. Calls inside the transaction of a host also
 * have these values.
 */
export const statement_settings = {
  array_nulls: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
} as const;

/** Those of each of our own connections. The client itself sets its encoding. */
const session_settings = {
  ...statement_settings,
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  default_transaction_isolation: 'read committed',
} as const;

/** The value of the startup parameter `options` that sets them. */
export const session_options: string = Object.entries(session_settings)
  .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
  .join(' ');

/**
 * Throws `UnusableSchema` when the connection has other settings: a connection pooler drops the
 * startup parameter, and the role or the database has a value of its own.
 */
export async function assertSession(client: ClientBase): Promise<void> {
  const names = Object.keys(session_settings);
  const { rows } = await client.query<{ readonly name: string; readonly value: string }>(
    'select name, current_setting(name) as value from unnest($1::text[]) as s (name)',
    [names],
  );
  const others = rows.flatMap(({ name, value }) => {
    const expected = session_settings[name as keyof typeof session_settings];
    return value === expected ? [] : [`${name} is ${value} instead of ${expected}`];
  });
  if (others.length === 0) return;
  throw new UnusableSchema(
    `a connection has settings with which the service cannot work: ${others.join(', ')}: let the connection pooler pass on the startup parameter "options", or change them for the role or the database`,
  );
}
