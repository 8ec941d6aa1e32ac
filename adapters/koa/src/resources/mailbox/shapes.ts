import * as z from 'zod';
import { id_text } from '../fields.ts';

const item = z.object({
  id: id_text,
  to: z.string().describe('The address'),
  subject: z.string(),
  received_at: z.string(),
  type: z.literal('mailboxmessage'),
  url: z.string(),
});

export const mailbox_item = item.meta({ id: 'MailboxItem' });

export const mailbox_message = item
  .extend({ text: z.string().describe('The message as text; the one-time link is in it'), html: z.string() })
  .meta({ id: 'MailboxMessage' });
