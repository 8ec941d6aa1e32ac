import { defineEntity, p } from '@mikro-orm/core';
import type { Mail as MailRecord, MailState } from '@tallystick/cards';
import { id, int } from './columns.ts';

export const Mail = defineEntity({
  name: 'Mail',
  tableName: 'tallystick_mails',
  properties: {
    id: id(),
    company_id: int(),
    card_id: int(),
    kind: p.text().$type<MailRecord['kind']>(),
    recipient: p.text(),
    state: p.text().$type<MailState>(),
    attempts: int(),
    first_attempt_at_ms: int().nullable(),
    due_at_ms: int().nullable(),
    created_at_ms: int(),
    queued_by: p.text(),
    finished_at_ms: int().nullable(),
    error: p.text().nullable(),
    lease: p.text().nullable(),
    lease_until_machine_ms: int().nullable(),
  },
  indexes: [
    { name: 'tallystick_mails_due', properties: ['company_id', 'due_at_ms', 'id'], where: "state = 'pending'" },
    { name: 'tallystick_mails_sent', properties: ['finished_at_ms'], where: "state = 'sent'" },
    { name: 'tallystick_mails_page', properties: ['state', 'id'] },
    { name: 'tallystick_mails_card', properties: ['card_id', 'id'] },
  ],
});

export const OneTimeLink = defineEntity({
  name: 'OneTimeLink',
  tableName: 'tallystick_one_time_links',
  properties: {
    id: id(),
    mail_id: int(),
    company_id: int(),
    card_id: int(),
    token_sha256: p.uint8array(),
    created_at_ms: int(),
    expires_at_ms: int(),
    used_at_ms: int().nullable(),
  },
  indexes: [{ name: 'tallystick_one_time_links_age', properties: ['expires_at_ms'] }],
  uniques: [
    { name: 'tallystick_one_time_links_mail', properties: ['mail_id'] },
    { name: 'tallystick_one_time_links_token', properties: ['token_sha256'] },
  ],
});

/** Messages of the sandbox, sealed as a whole. */
export const MailboxMessage = defineEntity({
  name: 'MailboxMessage',
  tableName: 'tallystick_mailbox_messages',
  properties: {
    id: id(),
    message_sealed: p.uint8array(),
    received_at_ms: int(),
  },
  indexes: [{ name: 'tallystick_mailbox_messages_age', properties: ['received_at_ms'] }],
});
