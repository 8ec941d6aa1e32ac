import { isFailing } from '@tallystick/events';
import { type Backlog, type BacklogStore, backlog_names } from '@tallystick/kernel';
import type { State } from '../../storage/state.ts';
import { healthOf } from '../webhooks/webhooks.ts';

export function backlogStore(state: State): BacklogStore {
  return {
    async count(now_ms, max) {
      const { webhooks, deliveries, mails, imports, audit, audit_hashes, quarantine, outbox } = state;
      const due = ({ due_at_ms, ...its }: { readonly state: string; readonly due_at_ms: number | null }) =>
        its.state === 'pending' && due_at_ms !== null && due_at_ms <= now_ms;
      const isActive = (id: number) => webhooks.get(id)?.status === 'active';
      const held = (status: string) => imports.values().filter((one) => one.status === status);
      const waiting: Readonly<Record<keyof Backlog, readonly unknown[]>> = {
        deliveries_due: deliveries.values().filter((one) => due(one) && isActive(one.webhook_id)),
        events_unrelayed: outbox.keys(),
        mails_due: mails.values().filter(due),
        mails_failed: mails.values().filter((mail) => mail.state === 'failed'),
        audit_entries_unsealed: audit.keys().filter((id) => (audit_hashes.get(id)?.number ?? null) === null),
        webhooks_failing: webhooks.values().filter(({ id, status }) => isFailing(status, healthOf(state, id))),
        imports_held: held('held'),
        imports_in_part: held('completed_with_quarantine'),
        quarantine_open: quarantine.values().filter(({ status }) => status === 'quarantined'),
      };
      return Object.fromEntries(backlog_names.map((name) => [name, Math.min(max, waiting[name].length)])) as Backlog;
    },
  };
}
