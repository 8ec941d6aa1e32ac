import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/** The positions of subscriptions in the event log. */
export function subscriptions(dialect: Dialect): readonly string[] {
  const { text } = words(dialect);
  return [
    `create table subscriptions (
      name ${text} not null primary key,
      event_types ${text},
      company_id bigint,
      after_id bigint not null,
      created_at_ms bigint not null,
      lease ${text},
      lease_until_machine_ms bigint
    )`,
  ];
}
