import { type AuditLog, auditEntry, type Call, type Page, type PageRequest, Refusal } from '@tallystick/kernel';
import { findCard, refuseCanceled } from '../issuing/read-cards.ts';
import { type Mail, restartMail } from './mail.ts';
import type { MailFilter, MailTx } from './ports.ts';

/** The mails of all companies that match the filter, newest first; for operators. */
export function listMails(tx: Pick<MailTx, 'mails'>, filter: MailFilter, page: PageRequest): Promise<Page<Mail>> {
  return tx.mails.list(filter, page);
}

/** One mail of any company. Refuses `not_found`. */
export async function readMail(
  tx: Pick<MailTx, 'mails'>,
  id: number,
  options?: { readonly for_update?: boolean },
): Promise<Mail> {
  const mail = await tx.mails.find(id, options);
  if (mail === null) throw new Refusal('not_found', `there is no mail ${id}`);
  return mail;
}

/**
 * Sends a failed mail again, from the start of the schedule. Refuses `not_found`;
 * `validation_failed` for a mail that is pending or sent, or whose card was canceled.
 */
export async function retryMail(
  tx: Pick<MailTx, 'cards' | 'mails'> & { readonly audit: AuditLog },
  call: Omit<Call, 'company_id'>,
  id: number,
): Promise<Mail> {
  const mail = await readMail(tx, id, { for_update: true });
  const { company_id, card_id, state } = mail;
  if (state !== 'failed') {
    throw new Refusal('validation_failed', `mail ${id} is ${state}: only one that failed can be sent again`);
  }
  refuseCanceled(await findCard(tx, { company_id }, card_id), 'mailed');
  const restarted = restartMail(mail, call.now_ms);
  await tx.mails.restart(restarted);
  await tx.audit.record(auditEntry({ ...call, company_id }, 'mail.retried', `mail:${id}`), call.now_ms);
  return restarted;
}
