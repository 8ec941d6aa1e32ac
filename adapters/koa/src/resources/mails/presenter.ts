import { type Mail, maskAddress } from '@tallystick/cards';
import { toInstantText } from '@tallystick/kernel';
import type { MinimalItem } from '../../answer/answer.ts';

const path = '/operator/v1/mails';

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
    url: mailUrl(one),
  };
}

/** The fields of a mail with `Prefer: return-minimal`. */
export function presentMinimalMail(one: Mail): MinimalItem {
  return { id: String(one.id), type: 'mail', url: mailUrl(one) };
}

function mailUrl({ id }: Mail): string {
  return `${path}/${id}`;
}
