import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/** The setting of the statement key that the database is made with. */
export function statementKey(dialect: Dialect): readonly string[] {
  const { text } = words(dialect);
  return [`alter table installation add column statement_key ${text}`];
}
