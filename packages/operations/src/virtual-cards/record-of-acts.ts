import { findCard } from '@tallystick/cards';
import * as z from 'zod';
import { showAs } from '../fields.ts';
import { presentMail } from '../mails/operations.ts';
import { mail } from '../mails/shapes.ts';
import { companyCall, type Operation, operation, present } from '../operation.ts';
import { presentAuditEntry } from '../oversight/presenter.ts';
import { audit_entry } from '../oversight/shapes.ts';

const card_audit_entry = audit_entry
  .omit({ company_id: true, source_address: true })
  .meta({ id: 'VirtualCardAuditEntry', description: 'An entry of the audit log about a card' });

const card_mail = mail
  .omit({ company_id: true, url: true })
  .meta({ id: 'VirtualCardMail', description: 'The state of a mail about a card' });

/** What people did to a card, and the mails about it. */
export function recordOfActsOperations(): readonly Operation[] {
  return [
    operation('virtualcards', {
      id: 'virtualCards.audit.list',
      method: 'company.cards.audit',
      summary: 'List what the audit log has about a card, newest first',
      description:
        'Who froze it, ended a hold, mailed its details or saw its number, and why. Changes of its controls are its versions.',
      parameters: ['id'],
      query: { paged: true },
      answer: z.array(card_audit_entry),
      async read(tx, call) {
        const { id } = await findCard(tx, companyCall(call), call.id);
        const page = await tx.audit.list({ object: `virtualcard:${id}` }, call.query.page);
        return present(page, (entry) => showAs(card_audit_entry, presentAuditEntry(entry)));
      },
    }),
    operation('virtualcards', {
      id: 'virtualCards.mails.list',
      method: 'company.cards.mails',
      summary: 'List the mails about a card, newest first; addresses are masked',
      parameters: ['id'],
      query: { paged: true },
      answer: z.array(card_mail),
      async read(tx, call) {
        const { id } = await findCard(tx, companyCall(call), call.id);
        return present(await tx.mails.list({ card_id: id }, call.query.page), (one) =>
          showAs(card_mail, presentMail(one)),
        );
      },
    }),
  ];
}
