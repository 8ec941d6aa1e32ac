import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/** What an installation must keep: the fingerprint of its index key. */
export function installation(dialect: Dialect): readonly string[] {
  const { given_id, text } = words(dialect);
  return [
    `create table installation (id ${given_id}, index_fingerprint ${text})`,
    `insert into installation (id, index_fingerprint) values (1, null)`,
  ];
}
