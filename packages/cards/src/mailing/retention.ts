import { daysBefore } from '@tallystick/kernel';
import type { MailboxStore, OneTimeLinkStore } from './ports.ts';

/**
 * How long a sent mail is kept after it was sent unless the operator chooses otherwise, in days of
 * the service's clock. Pending and failed mails stay.
 */
export const mails_kept_days_default = 30;

/** How long the hash of a link is kept after the link expired. */
export const one_time_links_kept_days = 30;

export const mailbox_kept_days = 30;

export interface LinkRetentionTx {
  readonly one_time_links: Pick<OneTimeLinkStore, 'purge'>;
  readonly mailbox: Pick<MailboxStore, 'purge'>;
}

/**
 * Drops one-time links and messages of the mailbox that were kept long enough, at most `limit` of
 * each kind. Returns how many of the kind that lost most: fewer than `limit` when none is left.
 */
export async function purgeLinks(tx: LinkRetentionTx, now_ms: number, limit: number): Promise<number> {
  return Math.max(
    await tx.one_time_links.purge(daysBefore(now_ms, one_time_links_kept_days), limit),
    await tx.mailbox.purge(daysBefore(now_ms, mailbox_kept_days), limit),
  );
}
