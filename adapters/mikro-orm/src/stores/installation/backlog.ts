import { type Backlog, type BacklogStore, backlog_names } from '@tallystick/kernel';
import { type RawBuilder, sql } from 'kysely';
import type { Session } from '../../connection/session.ts';
import { is_failing } from '../webhooks/webhooks.ts';

export function backlogStore({ db }: Session): BacklogStore {
  return {
    async count(now_ms, max) {
      const waiting: Readonly<Record<keyof Backlog, RawBuilder<unknown>>> = {
        deliveries_due: sql`tallystick_webhooks w
          join tallystick_deliveries d on d.webhook_id = w.id and d.state = 'pending' and d.due_at_ms <= ${now_ms}
          where w.status = 'active'`,
        events_unrelayed: sql`tallystick_event_outbox`,
        mails_due: sql`tallystick_mails where state = 'pending' and due_at_ms <= ${now_ms}`,
        mails_failed: sql`tallystick_mails where state = 'failed'`,
        audit_entries_unsealed: sql`tallystick_audit_entries where number is null`,
        webhooks_failing: sql`tallystick_webhooks where ${is_failing}`,
        imports_held: sql`tallystick_imports where status = 'held'`,
        imports_in_part: sql`tallystick_imports where status = 'completed_with_quarantine'`,
        quarantine_open: sql`tallystick_quarantine where status = 'quarantined'`,
      };
      const counts = backlog_names.map(
        (name) => sql`(select count(*) from (select 1 from ${waiting[name]} limit ${max}) counted) as ${sql.ref(name)}`,
      );
      const { rows } = await sql<Backlog>`select ${sql.join(counts)}`.execute(db);
      const [counted] = rows as [Backlog];
      return Object.fromEntries(backlog_names.map((name) => [name, Number(counted[name])])) as Backlog;
    },
  };
}
