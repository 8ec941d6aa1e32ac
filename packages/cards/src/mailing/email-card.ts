import { auditEntry, type Call, RequestFields } from '@tallystick/kernel';
import { email_expected, isEmail } from '../issuing/details.ts';
import type { CardsTx } from '../issuing/ports.ts';
import { type CardReading, findCard, readingOf, refuseCanceled } from '../issuing/read-cards.ts';
import { maskAddress } from './mail.ts';

/**
 * Queues a mail with the card's details to one more address, in the transaction, with its audit
 * entry. It is sent after commit, and the card is marked as notified. Refuses `not_found`; `validation_failed` for an
 * invalid address or a Canceled card.
 */
export async function emailCard(
  tx: Pick<CardsTx, 'cards' | 'mails' | 'audit'>,
  call: Call,
  id: number,
  email: unknown,
): Promise<CardReading> {
  const card = await findCard(tx, call, id, { for_update: true });
  refuseCanceled(card, 'mailed');
  const fields = new RequestFields({ email });
  fields.require('email');
  const recipient = fields.readText('email', isEmail, email_expected);
  fields.refuseInvalid();
  await tx.mails.queue({
    company_id: card.company_id,
    card_id: card.id,
    kind: 'card_details',
    recipients: [recipient!],
    created_at_ms: call.now_ms,
    queued_by: call.actor,
  });
  const details = { recipient: maskAddress(recipient!) };
  await tx.audit.record(auditEntry(call, 'card.mailed', `virtualcard:${card.id}`, details), call.now_ms);
  const notified = { ...card, notified: true };
  if (!card.notified) await tx.cards.update(notified);
  return readingOf(tx, call, notified);
}
