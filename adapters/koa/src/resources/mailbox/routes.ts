import { type KeptMessage, listMailbox, readMailbox } from '@tallystick/cards';
import { type Sealer, toInstantText } from '@tallystick/kernel';
import * as z from 'zod';
import { list, type MinimalItem, resource } from '../../answer/answer.ts';
import { type Route, route } from '../../request/route.ts';
import { mailbox_item, mailbox_message } from './shapes.ts';

const of_mailbox = { area: 'sandbox_mailbox', tag: 'Sandbox' } as const;

/** `/sandbox/v1/mailbox`: what the sandbox would have mailed. There in the sandbox only. */
export function mailboxRoutes({ sealer }: { readonly sealer: Sealer }): readonly Route[] {
  return [
    route({
      ...of_mailbox,
      method: 'GET',
      path: '/sandbox/v1/mailbox',
      summary: 'List the mails that the sandbox kept instead of sending them, newest first',
      query: { paged: true },
      answer: z.array(mailbox_item),
      async transaction(tx, { query }) {
        return list(query, await listMailbox(tx, sealer, query.page), item, minimal);
      },
    }),
    route({
      ...of_mailbox,
      method: 'GET',
      path: '/sandbox/v1/mailbox/:id',
      summary: 'Read a mail that the sandbox kept',
      answer: mailbox_message,
      async transaction(tx, { id }) {
        const message = await readMailbox(tx, sealer, id);
        return resource({ ...item(message), text: message.text, html: message.html });
      },
    }),
  ];
}

function item({ id, to, subject, received_at_ms }: KeptMessage) {
  const type = 'mailboxmessage' as const;
  return {
    id: String(id),
    to,
    subject,
    received_at: toInstantText(received_at_ms),
    type,
    url: `/sandbox/v1/mailbox/${id}`,
  };
}

function minimal(message: KeptMessage): MinimalItem {
  const { id, type, url } = item(message);
  return { id, type, url };
}
