import type { KeptMessage } from '@tallystick/cards';
import { toInstantText } from '@tallystick/kernel';
import type { MinimalItem } from '../../answer/answer.ts';

/** The fields of a kept mail as lists show it. */
export type MailboxResource = ReturnType<typeof mailboxItem>;

/** A kept mail as lists show it. */
export function mailboxItem({ id, to, subject, received_at_ms }: KeptMessage) {
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

/** What `Prefer: return-minimal` leaves of it. */
export function minimalMailboxItem(message: KeptMessage): MinimalItem {
  const { id, type, url } = mailboxItem(message);
  return { id, type, url };
}
