import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/** The progress of backfills (src/backfill). */
export function authorizationKeys(dialect: Dialect): readonly string[] {
  const { text } = words(dialect);
  return [
    `create table backfills (
      name ${text} not null primary key,
      state ${text} not null,
      checkpoint bigint not null,
      until bigint not null,
      copied_at_ms bigint
    )`,
  ];
}
