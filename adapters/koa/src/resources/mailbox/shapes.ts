import { id_text, resource_url, type ShapeOf, shown_instant } from '@tallystick/operations';
import * as z from 'zod';
import type { MailboxResource } from './presenter.ts';

const item = z.object({
  id: id_text,
  to: z.string().describe('The address'),
  subject: z.string(),
  received_at: shown_instant,
  type: z.literal('mailboxmessage'),
  url: resource_url,
} satisfies ShapeOf<MailboxResource>);

export const mailbox_item = item.meta({ id: 'MailboxItem', description: 'A stored mail in a list' });

export const mailbox_message = item
  .extend({ text: z.string().describe('The message as text, with the one-time link'), html: z.string() })
  .meta({ id: 'MailboxMessage', description: 'A stored mail' });
