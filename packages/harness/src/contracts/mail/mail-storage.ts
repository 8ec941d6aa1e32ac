import type { CompanyStore } from '@tallystick/access';
import type { Mail, MailTx, OneTimeLink } from '@tallystick/cards';
import type { Lease } from '@tallystick/kernel';
import type { SharedStorage } from '../storage/storage.ts';
import { uniqueHash } from '../unique.ts';

export interface MailStorageTx extends Pick<MailTx, 'mails' | 'one_time_links' | 'mailbox'> {
  readonly companies: CompanyStore;
}

export type MailStorage = SharedStorage<MailStorageTx>;

/** Service time and machine time at the start of every rule. */
export const now_ms = Date.UTC(2026, 4, 20, 12);
export const lease: Lease = { token: 'one', machine_ms: 5_000, until_machine_ms: 35_000 };

/** Queues one mail for each recipient. Returns the mails, the oldest first. */
export async function queueMails(
  { unitOfWork }: MailStorage,
  company_id: number,
  recipients: readonly string[],
  created_at_ms = now_ms,
): Promise<readonly Mail[]> {
  return await unitOfWork.run(async ({ mails }) => {
    await mails.queue({ company_id, card_id: 1, kind: 'card_details', recipients, created_at_ms, queued_by: 'key:1' });
    const { items } = await mails.list({ company_id }, { limit: recipients.length || 1 });
    return items.toReversed();
  });
}

/** Finishes every due mail, so that a rule finds only its own. */
export async function endDueMails({ unitOfWork }: MailStorage): Promise<void> {
  const all: Lease = {
    token: 'end',
    machine_ms: Number.MAX_SAFE_INTEGER - 1,
    until_machine_ms: Number.MAX_SAFE_INTEGER,
  };
  await unitOfWork.run(async ({ mails }) => {
    const claimed = await mails.claimDue(Number.MAX_SAFE_INTEGER, all, {
      limit: 10_000,
      per_company_max: 10_000,
      after_company_id: 0,
    });
    await mails.record(
      claimed.map(({ mail }) => ({
        mail: { ...mail, state: 'failed', due_at_ms: null, finished_at_ms: now_ms },
        lease: all.token,
      })),
    );
  });
}

/** A link of the mail with a token that no other link has. */
export function linkOf({ id, company_id, card_id }: Mail): Omit<OneTimeLink, 'id' | 'used_at_ms'> {
  const times = { created_at_ms: now_ms, expires_at_ms: now_ms + 1_000 };
  return { mail_id: id, company_id, card_id, token_sha256: uniqueHash(), ...times };
}
