import { mail_states } from '@tallystick/cards';
import { id_number, id_text, resource_url, type ShapeOf, shown_instant, type_names } from '@tallystick/operations';
import * as z from 'zod';
import type { MailResource } from './presenter.ts';

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
    created_at: shown_instant,
    next_attempt_at: shown_instant.nullable().describe('Null unless the mail is pending'),
    finished_at: shown_instant.nullable().describe('When the mail was sent or failed'),
    type: z.literal('mail'),
    url: resource_url,
  } satisfies ShapeOf<MailResource>)
  .meta({ id: 'Mail', description: 'The state of a mail about a card' })
  .register(type_names, { id: 'CardMail' });
