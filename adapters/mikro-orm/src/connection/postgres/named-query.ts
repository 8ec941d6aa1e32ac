import type { QueryConfig } from 'pg';

/** A statement for a client of Postgres, ready to send. */
export interface NamedQuery extends QueryConfig<unknown[]> {
  /** For a COPY: the messages that follow the statement. */
  readonly copied?: Uint8Array;
}

/** Prepared once per connection under its name. Returns 64-bit integers as numbers. */
export function named(name: string, text: string, values: unknown[]): NamedQuery {
  return { name, text, values, types };
}

export const types = { getTypeParser };

const int8 = 20;
const int8_array = 1016;
const bool = 16;
const bytea = 17;
const float8 = 701;

function getTypeParser(oid: number): (text: string) => unknown {
  switch (oid) {
    case int8:
    case float8:
      return Number;
    case int8_array:
      return (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number));
    case bool:
      return (text) => text === 't';
    case bytea:
      return (text) => Buffer.from(text.slice(2), 'hex');
    default:
      return (text) => text;
  }
}
