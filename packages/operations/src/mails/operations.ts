import {
  type KeptMessage,
  listMailbox,
  listMails,
  type Mail,
  type MailFilter,
  mail_states,
  maskAddress,
  readMail,
  readMailbox,
  retryMail,
} from '@tallystick/cards';
import type { Sealer } from '@tallystick/kernel';
import { toInstantText } from '@tallystick/kernel';
import * as z from 'zod';
import { type Query, readChoiceFilter, readCompanyFilter, readIdFilter, withoutAbsent } from '../call/query.ts';
import { filter_id, showAs } from '../fields.ts';
import { type Operation, operation, operatorCall, present } from '../operation.ts';
import { mail, mail_state, mailbox_item, mailbox_message } from './shapes.ts';

const mail_filter = z
  .object({
    state: mail_state.describe('Only mails in this state'),
    company_id: filter_id.describe('Only mails about cards of this company'),
    vcn_id: filter_id.describe('Only mails about this card'),
  })
  .partial();

/** `/operator/v1/mails`: the state of the mails about cards, and a retry of failed ones. */
export function mailOperations(): readonly Operation[] {
  return [
    operation('mails', {
      id: 'operator.mails.list',
      summary: 'List the mails about cards, newest first; addresses are masked',
      query: { paged: true, filter: mail_filter },
      answer: z.array(mail),
      async read(tx, { query }) {
        return present(await listMails(tx, readMailFilter(query), query.page), presentMail);
      },
    }),
    operation('mails', {
      id: 'operator.mails.read',
      summary: 'Read the state of a mail',
      parameters: ['id'],
      answer: mail,
      async read(tx, { id }) {
        return presentMail(await readMail(tx, id));
      },
    }),
    operation('mails', {
      id: 'operator.mails.retry',
      summary: 'Send a failed mail again, from the start of the schedule',
      parameters: ['id'],
      description:
        'A mail that is sent or pending is refused (`validation_failed`), and so is a mail of a Canceled card.',
      answer: mail,
      async write(tx, call) {
        return presentMail(await retryMail(tx, operatorCall(call), call.id));
      },
    }),
  ];
}

/**
 * `/sandbox/v1/mailbox`: the mails that the sandbox stored instead of sending them. Only in the
 * sandbox.
 */
export function mailboxOperations({ sealer }: { readonly sealer: Sealer }): readonly Operation[] {
  return [
    operation('sandbox_mailbox', {
      id: 'sandbox.mailbox.list',
      summary: 'List the mails that the sandbox stored instead of sending them, newest first',
      query: { paged: true },
      answer: z.array(mailbox_item),
      async read(tx, { query }) {
        return present(await listMailbox(tx, sealer, query.page), presentMailboxItem);
      },
    }),
    operation('sandbox_mailbox', {
      id: 'sandbox.mailbox.read',
      summary: 'Read a mail that the sandbox stored',
      parameters: ['id'],
      answer: mailbox_message,
      async read(tx, { id }) {
        const message = await readMailbox(tx, sealer, id);
        return { ...presentMailboxItem(message), text: message.text, html: message.html };
      },
    }),
  ];
}

function readMailFilter(query: Query): MailFilter {
  const company_id = readCompanyFilter(query);
  const card_id = readIdFilter(query, 'vcn_id', 'a card');
  const state = readChoiceFilter(query, 'state', mail_states);
  return withoutAbsent({ company_id, card_id, state });
}

/** A mail as operators see it, with the address masked. */
export function presentMail(one: Mail) {
  return showAs(mail, {
    ...one,
    id: String(one.id),
    vcn_id: one.card_id,
    recipient: maskAddress(one.recipient),
    created_at: toInstantText(one.created_at_ms),
    next_attempt_at: one.due_at_ms === null ? null : toInstantText(one.due_at_ms),
    finished_at: one.finished_at_ms === null ? null : toInstantText(one.finished_at_ms),
    type: 'mail',
    url: `/operator/v1/mails/${one.id}`,
  });
}

function presentMailboxItem({ id, to, subject, received_at_ms }: KeptMessage) {
  const received_at = toInstantText(received_at_ms);
  const url = `/sandbox/v1/mailbox/${id}`;
  return showAs(mailbox_item, { id: String(id), to, subject, received_at, type: 'mailboxmessage', url });
}
