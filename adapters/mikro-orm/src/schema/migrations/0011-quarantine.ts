import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/** Messages that were refused and must not be lost, from the network and from files. */
export function quarantine(dialect: Dialect): readonly string[] {
  const { id, text, bytes, unique } = words(dialect);
  return [
    `create table quarantine (
      id ${id},
      identity_sha256 ${bytes} not null,
      source ${text} not null,
      import_id bigint,
      ordinal bigint,
      "position" bigint,
      status ${text} not null,
      reason ${text} not null,
      explanation ${text} not null,
      excerpt ${text} not null,
      message_sealed ${bytes} not null,
      "count" bigint not null,
      first_seen_at_ms bigint not null,
      last_seen_at_ms bigint not null,
      applied_at_ms bigint,
      clearing_id bigint,
      request_id ${text}
    )`,
    unique('quarantine_identity', 'quarantine', 'identity_sha256'),
    `create index quarantine_page on quarantine (status, id)`,
  ];
}
