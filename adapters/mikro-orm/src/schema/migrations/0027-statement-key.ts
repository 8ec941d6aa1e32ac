import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/**
 * The setting of the statement key with which the items of a company were made. Versions before knew
 * only the default, and so do those that still run.
 */
export function statementKey(dialect: Dialect): readonly string[] {
  const { text } = words(dialect);
  return [
    `alter table reconciliation_companies add column statement_key ${text} not null default 'bin+sequence'`,
    `alter table reconciliation_companies add column remake ${text}`,
  ];
}
