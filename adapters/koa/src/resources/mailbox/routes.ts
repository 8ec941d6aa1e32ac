import { listMailbox, readMailbox } from '@tallystick/cards';
import type { Sealer } from '@tallystick/kernel';
import * as z from 'zod';
import { list, resource } from '../../answer/answer.ts';
import { type Route, route } from '../../request/route.ts';
import { presentMailboxItem, presentMinimalMailboxItem } from './presenter.ts';
import { mailbox_item, mailbox_message } from './shapes.ts';

const of_mailbox = { area: 'sandbox_mailbox', tag: 'Sandbox' } as const;

/**
 * `/sandbox/v1/mailbox`: the mails that the sandbox stored instead of sending them. Only in the
 * sandbox.
 */
export function mailboxRoutes({ sealer }: { readonly sealer: Sealer }): readonly Route[] {
  return [
    route({
      ...of_mailbox,
      method: 'GET',
      path: '/sandbox/v1/mailbox',
      operation_id: 'sandbox.mailbox.list',
      summary: 'List the mails that the sandbox stored instead of sending them, newest first',
      query: { paged: true },
      answer: z.array(mailbox_item),
      async transaction(tx, { query }) {
        return list(query, await listMailbox(tx, sealer, query.page), presentMailboxItem, presentMinimalMailboxItem);
      },
    }),
    route({
      ...of_mailbox,
      method: 'GET',
      path: '/sandbox/v1/mailbox/:id',
      operation_id: 'sandbox.mailbox.read',
      summary: 'Read a mail that the sandbox stored',
      answer: mailbox_message,
      async transaction(tx, { id }) {
        const message = await readMailbox(tx, sealer, id);
        return resource({ ...presentMailboxItem(message), text: message.text, html: message.html });
      },
    }),
  ];
}
