import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/**
 * The wrong codes of a card and their UTC date. A server of an older version goes on writing cards:
 * it leaves both as they are.
 */
export function codeFailures(dialect: Dialect): readonly string[] {
  const { text } = words(dialect);
  return [
    'alter table virtual_cards add column code_failures bigint not null default 0',
    `alter table virtual_cards add column code_failures_on ${text}`,
  ];
}
