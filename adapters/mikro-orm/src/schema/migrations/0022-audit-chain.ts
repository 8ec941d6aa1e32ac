import type { Dialect } from '../dialect.ts';
import type { Look } from './start-backfill.ts';
import { words } from './words.ts';

/**
 * The hash of each audit entry and its place in the chain, and the row of the chain. Entries from
 * before the migration get a hash when they are sealed, and so do those that a server of the
 * version before writes. On a new installation there is no such server, so no such entry is
 * accepted (0); else for a time that begins with the first seal (null).
 */
export async function auditChain(dialect: Dialect, { largest }: Look): Promise<readonly string[]> {
  const { given_id, text } = words(dialect);
  const is_new = (await largest('audit_entries', 'id')) === 0 && (await largest('companies', 'id')) === 0;
  return [
    `alter table audit_entries add column content_hash ${text}`,
    'alter table audit_entries add column number bigint',
    `alter table audit_entries add column link ${text}`,
    'create index audit_entries_unsealed on audit_entries (id) where number is null',
    'create unique index audit_entries_number on audit_entries (number) where number is not null',
    `create table audit_chain (
      id ${given_id},
      number bigint not null,
      link ${text} not null,
      removed_number bigint not null,
      removed_link ${text} not null,
      accepted_number bigint not null,
      accepts_until_machine_ms bigint,
      mac ${text}
    )`,
    `insert into audit_chain (id, number, link, removed_number, removed_link, accepted_number, accepts_until_machine_ms, mac)
      values (1, 0, '', 0, '', 0, ${is_new ? 0 : 'null'}, null)`,
  ];
}
