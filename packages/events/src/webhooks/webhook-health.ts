import type { Attempt, Delivery } from './delivery.ts';
import type { WebhookStatus } from './webhook.ts';

/** How the last attempts to reach a webhook ended. Retries of one delivery count, too. */
export interface WebhookHealth {
  /** The failed attempts since the last success. */
  readonly failures_in_a_row: number;
  /** When the first of them was made; null without a failure. */
  readonly failing_since_ms: number | null;
}

/**
 * The failures in a row from which an active webhook counts as failing. A courier then sends it one
 * request at a time.
 */
export const failures_until_failing = 3;

export function isFailing(status: WebhookStatus, { failures_in_a_row }: WebhookHealth): boolean {
  return status === 'active' && failures_in_a_row >= failures_until_failing;
}

interface Result {
  readonly delivery: Pick<Delivery, 'webhook_id'>;
  readonly attempt: Pick<Attempt, 'status' | 'at_ms'>;
}

/** What the results of a batch change in the health of one webhook. */
export interface HealthChange {
  readonly webhook_id: number;
  /** Whether an attempt succeeded: failures from before the batch no longer count. */
  readonly succeeded: boolean;
  /** The failures since the last success of the batch, and the time of the first of them. */
  readonly failures: number;
  readonly since_ms: number | null;
}

/** The changes of a batch of results, which are in the order of their attempts; in id order. */
export function healthChanges(results: readonly Result[]): readonly HealthChange[] {
  const changes = new Map<number, HealthChange>();
  for (const { delivery, attempt } of results) {
    const { webhook_id } = delivery;
    const before = changes.get(webhook_id) ?? { webhook_id, succeeded: false, failures: 0, since_ms: null };
    const is_success = attempt.status !== null && attempt.status >= 200 && attempt.status <= 299;
    changes.set(
      webhook_id,
      is_success
        ? { webhook_id, succeeded: true, failures: 0, since_ms: null }
        : { ...before, failures: before.failures + 1, since_ms: before.since_ms ?? attempt.at_ms },
    );
  }
  return [...changes.values()].sort((a, b) => a.webhook_id - b.webhook_id);
}

export function changedHealth(before: WebhookHealth, { succeeded, failures, since_ms }: HealthChange): WebhookHealth {
  if (succeeded) return { failures_in_a_row: failures, failing_since_ms: since_ms };
  return {
    failures_in_a_row: before.failures_in_a_row + failures,
    failing_since_ms: before.failing_since_ms ?? since_ms,
  };
}
