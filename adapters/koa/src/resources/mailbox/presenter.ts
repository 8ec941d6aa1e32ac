import type { KeptMessage } from '@tallystick/cards';
import { toInstantText } from '@tallystick/kernel';
import type { MinimalItem } from '../../answer/answer.ts';

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

/** The fields of a stored mail with `Prefer: return-minimal`. */
export function presentMinimalMailboxItem(message: KeptMessage): MinimalItem {
  const { id, type, url } = presentMailboxItem(message);
  return { id, type, url };
}
