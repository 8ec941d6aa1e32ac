import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/** Mails become one row per address, with a state; the links in them, the sandbox's mailbox, and what companies want in mails. */
export function mail(dialect: Dialect): readonly string[] {
  const { id, text, bytes, boolean, unique } = words(dialect);
  const each_recipient = dialect === 'sqlite' ? 'json_each(recipients)' : 'json_array_elements_text(recipients::json)';
  return [
    `alter table companies add column full_details_in_mail ${boolean} not null default false`,
    // What was queued so far was promised: it goes out.
    `create table queued_mails as select * from mails`,
    `drop table mails`,
    `create table mails (
      id ${id},
      company_id bigint not null,
      card_id bigint not null,
      kind ${text} not null,
      recipient ${text} not null,
      state ${text} not null,
      attempts bigint not null,
      first_attempt_at_ms bigint,
      due_at_ms bigint,
      created_at_ms bigint not null,
      finished_at_ms bigint,
      error ${text},
      lease ${text},
      lease_until_machine_ms bigint
    )`,
    `insert into mails (company_id, card_id, kind, recipient, state, attempts, due_at_ms, created_at_ms)
      select company_id, card_id, kind, r.value, 'pending', 0, created_at_ms, created_at_ms
      from queued_mails cross join ${each_recipient} as r${dialect === 'postgres' ? '(value)' : ''} order by queued_mails.id`,
    `drop table queued_mails`,
    `create index mails_due on mails (due_at_ms, id) where state = 'pending'`,
    `create index mails_sent on mails (finished_at_ms) where state = 'sent'`,
    `create table one_time_links (
      id ${id},
      mail_id bigint not null,
      company_id bigint not null,
      card_id bigint not null,
      token_sha256 ${bytes} not null,
      created_at_ms bigint not null,
      expires_at_ms bigint not null,
      used_at_ms bigint
    )`,
    `create index one_time_links_age on one_time_links (expires_at_ms)`,
    unique('one_time_links_mail', 'one_time_links', 'mail_id'),
    unique('one_time_links_token', 'one_time_links', 'token_sha256'),
    `create table mailbox_messages (
      id ${id},
      message_sealed ${bytes} not null,
      received_at_ms bigint not null
    )`,
    `create index mailbox_messages_age on mailbox_messages (received_at_ms)`,
  ];
}
