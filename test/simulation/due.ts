import type { State } from '@tallystick/memory';

const never = Number.POSITIVE_INFINITY;

/** When the rows of a table are due. Computed again when a transaction has written to the table. */
interface DueRows {
  readonly tables: readonly (keyof State)[];
  dueMs(state: State): number;
}

const now = Number.NEGATIVE_INFINITY;

const due_rows: readonly DueRows[] = [
  { tables: ['outbox'], dueMs: ({ outbox }) => (outbox.size > 0 ? now : never) },
  {
    tables: ['reconciliation_inbox'],
    dueMs: ({ reconciliation_inbox }) => (reconciliation_inbox.size > 0 ? now : never),
  },
  {
    tables: ['deliveries', 'delivery_leases', 'webhooks'],
    dueMs: ({ deliveries, delivery_leases, webhooks }) =>
      firstOf(deliveries.values(), ({ id, state, due_at_ms, webhook_id }) =>
        state === 'pending' && webhooks.get(webhook_id)?.status === 'active'
          ? Math.max(due_at_ms ?? now, delivery_leases.get(id)?.until_machine_ms ?? now)
          : never,
      ),
  },
  {
    tables: ['mails', 'mail_leases'],
    dueMs: ({ mails, mail_leases }) =>
      firstOf(mails.values(), ({ id, state, due_at_ms }) =>
        state === 'pending' ? Math.max(due_at_ms ?? now, mail_leases.get(id)?.until_machine_ms ?? now) : never,
      ),
  },
  {
    tables: ['cards'],
    dueMs: ({ cards }) => firstOf(cards.values(), ({ counters }) => counters.next_hold_end_ms ?? never),
  },
  {
    tables: ['templates'],
    dueMs: ({ templates }) => firstOf(templates.values(), ({ completes_at_ms }) => completes_at_ms ?? never),
  },
  {
    tables: ['imports'],
    dueMs: ({ imports }) =>
      firstOf(imports.values(), ({ status, phase, is_repeatable, started_at_ms, lease }) => {
        if (status !== 'running') return never;
        // A file that was not read to its end may come again within a day.
        return phase === 'staging' && is_repeatable ? started_at_ms + 86_400_000 : (lease?.until_machine_ms ?? now);
      }),
  },
  {
    tables: ['subscriptions', 'events'],
    dueMs: ({ subscriptions, events }) => {
      const positions = subscriptions.values();
      const hasUnhandled = events
        .values()
        .some(({ id, event_type }) =>
          positions.some(({ after_id, event_types }) => id > after_id && (event_types?.includes(event_type) ?? true)),
        );
      return hasUnhandled ? now : never;
    },
  },
  {
    tables: ['audit_hashes'],
    dueMs: ({ audit_hashes }) => firstOf(audit_hashes.values(), ({ number }) => (number === null ? now : never)),
  },
];

function firstOf<Row>(rows: readonly Row[], dueMs: (row: Row) => number): number {
  let first_ms = never;
  for (const row of rows) first_ms = Math.min(first_ms, dueMs(row));
  return first_ms;
}

/** The first instant at which the jobs of a process find work in the storage. */
export function dueIn(storage: { readonly committed: State }): () => number {
  let seen: State | null = null;
  let known: readonly number[] = [];
  let first_ms = never;
  return () => {
    const state = storage.committed;
    if (state === seen) return first_ms;
    const before = seen;
    known = due_rows.map(({ tables, dueMs }, at) => {
      const is_same =
        before !== null && tables.every((name) => state[name].changesSince(before[name] as never).length === 0);
      return is_same ? known[at]! : dueMs(state);
    });
    seen = state;
    first_ms = Math.min(...known);
    return first_ms;
  };
}
