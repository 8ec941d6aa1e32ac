import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/** Webhooks, the outbox that the relay empties, and deliveries with their attempts. */
export function webhooks(dialect: Dialect): readonly string[] {
  const { id, given_id, text, bytes, unique } = words(dialect);
  return [
    `create table webhooks (
      id ${id},
      company_id bigint not null,
      callback_url ${text} not null,
      event_type_ids ${text} not null,
      status ${text} not null,
      secret_sealed ${bytes} not null,
      previous_secret_sealed ${bytes},
      previous_secret_until_ms bigint,
      last_sequence bigint not null,
      created_at_ms bigint not null
    )`,
    `create index webhooks_page on webhooks (company_id, id)`,
    `create table webhook_event_types (
      company_id bigint not null,
      event_type_id bigint not null,
      webhook_id bigint not null,
      primary key (company_id, event_type_id)
    )`,
    `create index webhook_event_types_webhook on webhook_event_types (webhook_id)`,
    `create table event_outbox (event_id ${given_id})`,
    // Events that were there before anyone could subscribe to them are not delivered: nothing is put in the outbox for them.
    `create table deliveries (
      id ${id},
      company_id bigint not null,
      webhook_id bigint not null,
      event_id bigint not null,
      sequence bigint not null,
      event_type ${text} not null,
      state ${text} not null,
      attempts bigint not null,
      round_started_at_ms bigint,
      round_attempts bigint not null,
      due_at_ms bigint,
      created_at_ms bigint not null,
      finished_at_ms bigint,
      lease ${text},
      lease_until_machine_ms bigint
    )`,
    `create index deliveries_page on deliveries (webhook_id, id)`,
    `create index deliveries_due on deliveries (webhook_id, due_at_ms, id) where state = 'pending'`,
    `create index deliveries_finished on deliveries (finished_at_ms) where state <> 'pending'`,
    unique('deliveries_sequence', 'deliveries', 'webhook_id, sequence'),
    `create table delivery_attempts (
      delivery_id bigint not null,
      number bigint not null,
      at_ms bigint not null,
      status bigint,
      error ${text},
      duration_ms bigint not null,
      excerpt ${text},
      retry_after ${text},
      primary key (delivery_id, number)
    )`,
    `create index delivery_attempts_age on delivery_attempts (at_ms)`,
  ];
}
