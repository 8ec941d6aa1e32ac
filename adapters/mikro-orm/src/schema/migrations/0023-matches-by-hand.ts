import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/**
 * What people chose of the authorization of a clearing (docs/adr/0037). Null: nobody did. A server
 * of the version before leaves the column as it is, but matches such a clearing by the rules when a
 * message concerns it. The next pass of this version that concerns it matches it as chosen again.
 */
export function matchesByHand(dialect: Dialect): readonly string[] {
  const { text } = words(dialect);
  return [`alter table clearings add column choices ${text}`];
}
