import { mail_states } from '@tallystick/cards';
import * as z from 'zod';
import {
  created_at,
  id_number,
  id_text,
  resource_url,
  resourceType,
  shown_instant,
  text_or_null,
  type_names,
} from '../fields.ts';

export const mail_state = z
  .enum(mail_states)
  .describe('`pending`: it is or will be attempted. `failed`: it is not attempted any more, unless it is retried')
  .register(type_names, { id: 'MailState' });

/** A mail as an operator sees it: its card and its state. */
export const mail = z
  .object({
    id: id_text,
    company_id: id_number.describe('The company of the card'),
    vcn_id: id_number.describe('The virtual card that the mail is about'),
    recipient: z.string().describe('The address, masked: j***@example.com'),
    state: mail_state,
    attempts: z.int().min(0).describe('Attempts since the mail was queued or retried'),
    error: text_or_null.describe('Why the last attempt failed, such as "refused 451"; null: none has failed'),
    created_at,
    queued_by: z.string().describe('Who asked for it: `key:17`, or the `actor` of a call in process'),
    next_attempt_at: shown_instant.nullable().describe('When it is attempted next, UTC; null unless it is pending'),
    finished_at: shown_instant.nullable().describe('When it was sent or failed, UTC; null while it is pending'),
    type: resourceType('mail'),
    url: resource_url,
  })
  .meta({ id: 'Mail', description: 'The state of a mail about a card' })
  .register(type_names, { id: 'CardMail' });

const item = z.object({
  id: id_text,
  to: z.string().describe('The address of its recipient'),
  subject: z.string().describe('Its subject'),
  received_at: shown_instant.describe('When the mailbox stored it, UTC'),
  type: resourceType('mailboxmessage'),
  url: resource_url,
});

export const mailbox_item = item.meta({ id: 'MailboxItem', description: 'A stored mail in a list' });

export const mailbox_message = item
  .extend({
    text: z.string().describe('The message as text, with the one-time link'),
    html: z.string().describe('The message as HTML'),
  })
  .meta({ id: 'MailboxMessage', description: 'A stored mail' });
