import type { RetentionKind } from '@tallystick/kernel';
import type { Invariant, Step } from './invariant.ts';

const day_ms = 24 * 60 * 60 * 1_000;

interface Removed {
  readonly kind: RetentionKind;
  readonly key: unknown;
  /** From when its time counts; null: it may not go. */
  readonly from_ms: number | null;
}

/** The rows that went in the step by their age, and not with the object that they belong to. */
function* removedRows({ changes, state }: Step): Iterable<Removed> {
  for (const { key, before, after } of changes('deliveries')) {
    if (before === undefined || after !== undefined || !state.webhooks.has(before.webhook_id)) continue;
    yield { kind: 'deliveries', key, from_ms: before.finished_at_ms };
  }
  for (const { key, before, after } of changes('delivery_attempts')) {
    if (before === undefined || after !== undefined || !state.deliveries.has(before.delivery_id)) continue;
    yield { kind: 'delivery_attempts', key, from_ms: before.at_ms };
  }
  for (const { key, before, after } of changes('events')) {
    if (before !== undefined && after === undefined) yield { kind: 'events', key, from_ms: before.created_at_ms };
  }
  for (const { key, before, after } of changes('mails')) {
    if (before !== undefined && after === undefined) yield { kind: 'mails', key, from_ms: before.finished_at_ms };
  }
  for (const { key, before, after } of changes('audit')) {
    if (before !== undefined && after === undefined) yield { kind: 'audit_entries', key, from_ms: before.at_ms };
  }
  for (const { key, before, after } of changes('consents')) {
    if (before !== undefined && after === undefined) yield { kind: 'consents', key, from_ms: before.created_at_ms };
  }
  for (const { key, before, after } of changes('authorizations')) {
    if (before?.reduced_at_ms !== null || typeof after?.reduced_at_ms !== 'number') continue;
    yield { kind: 'authorizations', key, from_ms: after.held > 0 ? null : after.decided_at_ms };
  }
  for (const { key, before, after } of changes('clearings')) {
    if (before?.reduced_at_ms !== null || typeof after?.reduced_at_ms !== 'number') continue;
    yield { kind: 'clearings', key, from_ms: after.recorded_at_ms };
  }
}

export const only_old_rows_are_removed: Invariant = {
  name: 'only old rows are removed',
  says: 'retention removes or reduces what is older than its time, and nothing that is still needed',
  begin: () => ({
    *step(step) {
      for (const { kind, key, from_ms } of removedRows(step)) {
        const days = step.kept_days[kind];
        if (days === undefined) continue;
        if (from_ms === null || from_ms > step.now_ms - days * day_ms) {
          yield `${kind}: row ${String(key)} of ${from_ms} is removed at ${step.now_ms}, and is kept for ${days} days`;
        }
        if (kind === 'events' && step.before.outbox.has(key as number))
          yield `event ${String(key)} is removed before it was relayed`;
      }
    },
  }),
};
