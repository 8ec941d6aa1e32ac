import type { ClaimedMail, MailStore } from '@tallystick/cards';
import { oldestBefore } from '../storage/aging.ts';
import { HeldRows } from '../storage/held-rows.ts';
import { newestFirst } from '../storage/paging.ts';
import type { State } from '../storage/state.ts';
import { isLeased } from '../storage/work-lease.ts';

/** Mails in transit. */
export function mailStore({ companies, mail_leases, mails }: State): MailStore {
  const held = new HeldRows('mail');
  return {
    async queue({ recipients, ...mail }) {
      for (const recipient of recipients) {
        const id = mails.nextId();
        mails.set(id, {
          ...mail,
          id,
          recipient,
          state: 'pending',
          attempts: 0,
          first_attempt_at_ms: null,
          due_at_ms: mail.created_at_ms,
          finished_at_ms: null,
          error: null,
        });
      }
    },

    async list({ state, company_id }, page) {
      const listed = mails
        .values()
        .filter((mail) => state === undefined || mail.state === state)
        .filter((mail) => company_id === undefined || mail.company_id === company_id);
      return newestFirst('mails', listed, page);
    },

    async find(id, options) {
      if (options?.for_update) held.hold(id);
      return mails.get(id) ?? null;
    },

    async restart(mail) {
      held.assertHeld(mail.id);
      const stored = mails.get(mail.id);
      if (stored !== undefined && stored.state !== 'pending') mails.set(mail.id, mail);
    },

    async claimDue(now_ms, limit, { token, machine_ms, until_machine_ms }) {
      const due = mails
        .values()
        .filter(({ due_at_ms, state }) => state === 'pending' && due_at_ms !== null && due_at_ms <= now_ms)
        .filter(({ id }) => !isLeased(mail_leases.get(id), machine_ms))
        .sort((a, b) => a.due_at_ms! - b.due_at_ms! || a.id - b.id);
      return due.slice(0, limit).map((mail): ClaimedMail => {
        mail_leases.set(mail.id, { token, until_machine_ms });
        return { mail, full_details: companies.get(mail.company_id)?.full_details_in_mail ?? false };
      });
    },

    async record(recorded, lease_token) {
      for (const mail of recorded) {
        if (mail_leases.get(mail.id)?.token !== lease_token) continue;
        mail_leases.delete(mail.id);
        mails.set(mail.id, mail);
      }
    },

    async backlog() {
      const due_at_ms = mails.values().flatMap((mail) => (mail.state === 'pending' ? [mail.due_at_ms!] : []));
      return { pending: due_at_ms.length, oldest_due_at_ms: due_at_ms.length === 0 ? null : Math.min(...due_at_ms) };
    },

    async purgeSent(before_ms, limit) {
      const sent = mails.values().filter(({ state }) => state === 'sent');
      const old = oldestBefore(sent, ({ finished_at_ms }) => finished_at_ms, before_ms, limit);
      for (const { id } of old) mails.delete(id);
      return old.length;
    },
  };
}
