import type { ClaimedMail, MailStore } from '@tallystick/cards';
import { newestFirst } from '../../storage/paging.ts';
import { isLeased, type State } from '../../storage/state.ts';
import { HeldRows } from '../../storage/table.ts';

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

    async list({ state, company_id, card_id }, page) {
      const listed = mails
        .values()
        .filter((mail) => state === undefined || mail.state === state)
        .filter((mail) => company_id === undefined || mail.company_id === company_id)
        .filter((mail) => card_id === undefined || mail.card_id === card_id);
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

    async claimDue(now_ms, { token, machine_ms, until_machine_ms }, { limit, per_company_max, after_company_id }) {
      const due = mails
        .values()
        .filter(({ due_at_ms, state }) => state === 'pending' && due_at_ms !== null && due_at_ms <= now_ms)
        .sort((a, b) => a.due_at_ms! - b.due_at_ms! || a.id - b.id);
      const lanes = [...Map.groupBy(due, ({ company_id }) => company_id)].toSorted(([a], [b]) => a - b);
      const [later, first] = [true, false].map((is_later) =>
        lanes.filter(([company_id]) => company_id <= after_company_id === is_later),
      );
      return [...first!, ...later!]
        .flatMap(([, lane]) => lane.slice(0, per_company_max))
        .filter(({ id }) => !isLeased(mail_leases.get(id), machine_ms))
        .slice(0, limit)
        .map((mail): ClaimedMail => {
          mail_leases.set(mail.id, { token, until_machine_ms });
          return { mail, full_details: companies.get(mail.company_id)?.full_details_in_mail ?? false };
        });
    },

    async record(attempted) {
      for (const { mail, lease } of attempted) {
        if (mail_leases.get(mail.id)?.token !== lease) continue;
        mail_leases.delete(mail.id);
        mails.set(mail.id, mail);
      }
    },

    async backlog() {
      const due_at_ms = mails.values().flatMap((mail) => (mail.state === 'pending' ? [mail.due_at_ms!] : []));
      return { pending: due_at_ms.length, oldest_due_at_ms: due_at_ms.length === 0 ? null : Math.min(...due_at_ms) };
    },
  };
}
