import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/** A transaction of a host is compared by it: is it on this database? */
export function installationId(dialect: Dialect): readonly string[] {
  const { text } = words(dialect);
  const random = dialect === 'sqlite' ? 'lower(hex(randomblob(16)))' : "replace(gen_random_uuid()::text, '-', '')";
  return [
    `alter table installation add column installation_id ${text}`,
    `update installation set installation_id = ${random}`,
  ];
}
