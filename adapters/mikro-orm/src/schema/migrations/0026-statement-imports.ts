import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/**
 * Imports of bank statements. They pass through phases that a server of an older version does not
 * know and leaves alone, so it never ends one without its lines.
 */
export function statementImports(dialect: Dialect): readonly string[] {
  const { text } = words(dialect);
  return [
    'alter table imports add column statements bigint not null default 0',
    `alter table imports add column waits_for ${text}`,
    `alter table imports add column accepted_problems ${text} not null default '[]'`,
  ];
}
