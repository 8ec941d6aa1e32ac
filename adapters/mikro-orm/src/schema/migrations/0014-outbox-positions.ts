import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/**
 * The outbox has a position for each event, which is the order of the commits, and the fields that
 * a relay reads. Events that wait at the time of the migration keep the order of their ids.
 */
export function outboxPositions(dialect: Dialect): readonly string[] {
  const { id, text } = words(dialect);
  return [
    `create table event_outbox_unordered as
      select e.id as event_id, e.company_id, e.event_type from event_outbox o join events e on e.id = o.event_id`,
    `drop table event_outbox`,
    `create table event_outbox (
      position ${id},
      event_id bigint not null,
      company_id bigint not null,
      event_type ${text} not null
    )`,
    `insert into event_outbox (event_id, company_id, event_type)
      select event_id, company_id, event_type from event_outbox_unordered order by event_id`,
    `drop table event_outbox_unordered`,
  ];
}
