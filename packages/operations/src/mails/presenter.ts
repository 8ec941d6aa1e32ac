import { type KeptMessage, type Mail, maskAddress } from '@tallystick/cards';
import { toInstantText } from '@tallystick/kernel';

/** The fields of a mail as answers show it. */
export type MailResource = ReturnType<typeof presentMail>;

/** A mail as operators see it, with the address masked. */
export function presentMail(one: Mail) {
  return {
    id: String(one.id),
    company_id: one.company_id,
    vcn_id: one.card_id,
    recipient: maskAddress(one.recipient),
    state: one.state,
    attempts: one.attempts,
    error: one.error,
    created_at: toInstantText(one.created_at_ms),
    next_attempt_at: one.due_at_ms === null ? null : toInstantText(one.due_at_ms),
    finished_at: one.finished_at_ms === null ? null : toInstantText(one.finished_at_ms),
    type: 'mail' as const,
    url: `/operator/v1/mails/${one.id}`,
  };
}

/** The fields of a stored mail as lists show it. */
export type MailboxResource = ReturnType<typeof presentMailboxItem>;

/** A stored mail as lists show it. */
export function presentMailboxItem({ id, to, subject, received_at_ms }: KeptMessage) {
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
