import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/**
 * The progress of the retention of each kind of rows, when a record was reduced, and the deliveries
 * of an event.
 */
export function retention(dialect: Dialect): readonly string[] {
  const { text } = words(dialect);
  return [
    `create table retention (
      kind ${text} not null primary key,
      after_id bigint not null,
      left_id bigint,
      began_at_ms bigint not null,
      lease ${text},
      lease_until_machine_ms bigint
    )`,
    `alter table authorizations add column reduced_at_ms bigint`,
    `alter table clearings add column reduced_at_ms bigint`,
    `create index deliveries_event on deliveries (event_id)`,
  ];
}
