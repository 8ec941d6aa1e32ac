import { mail_states } from '@tallystick/cards';
import * as z from 'zod';
import { created_at, id_number, id_text, resource_url, resourceType, shown_instant, type_names } from '../fields.ts';

export const mail_state = z.enum(mail_states).register(type_names, { id: 'MailState' });

/** A mail as an operator sees it: its card and its state. */
export const mail = z
  .object({
    id: id_text,
    company_id: id_number,
    vcn_id: id_number.describe('The virtual card that the mail is about'),
    recipient: z.string().describe('The address, masked: j***@example.com'),
    state: mail_state,
    attempts: z.int().min(0).describe('Attempts since the mail was queued or retried'),
    error: z.string().nullable().describe('Why the last attempt failed, such as "refused 451"'),
    created_at,
    next_attempt_at: shown_instant.nullable().describe('Null unless the mail is pending'),
    finished_at: shown_instant.nullable().describe('When the mail was sent or failed'),
    type: resourceType('mail'),
    url: resource_url,
  })
  .meta({ id: 'Mail', description: 'The state of a mail about a card' })
  .register(type_names, { id: 'CardMail' });

const item = z.object({
  id: id_text,
  to: z.string().describe('The address'),
  subject: z.string(),
  received_at: shown_instant,
  type: resourceType('mailboxmessage'),
  url: resource_url,
});

export const mailbox_item = item.meta({ id: 'MailboxItem', description: 'A stored mail in a list' });

export const mailbox_message = item
  .extend({ text: z.string().describe('The message as text, with the one-time link'), html: z.string() })
  .meta({ id: 'MailboxMessage', description: 'A stored mail' });
