import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/** The profile by which a file was read, with a hash of its settings. */
export function profileOfImport(dialect: Dialect): readonly string[] {
  const { text } = words(dialect);
  return [`alter table imports add column read_with ${text}`];
}
