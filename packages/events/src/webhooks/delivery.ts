/**
 * A delivery: one event in transit to one webhook.
 *
 *   pending ──2xx──────────────────────────> succeeded
 *   pending ──anything else, attempts left─> pending, due by the schedule
 *   pending ──anything else, the fifth─────> failed
 *   pending ──410──────────────────────────> failed
 *   failed, succeeded ──retry, recover─────> pending, due now, a new round of the schedule
 *   pending ──retry────────────────────────> the same
 *
 * A pending delivery of an inactive webhook waits. Deleting the webhook deletes its deliveries.
 * Between a worker's claim and its record of the answer a delivery is leased: no other worker sends
 * it, unless the lease expires because the worker died. A retry during this time waits for that
 * attempt. The attempt is then recorded but no longer decides the state, because its round is over.
 */
import { toStorableText } from '@tallystick/kernel';
import { nextAttemptDue } from './retry-schedule.ts';
import type { WebhookAnswer } from './webhook-sender.ts';

export const delivery_states = ['pending', 'succeeded', 'failed'] as const;

export type DeliveryState = (typeof delivery_states)[number];

/** A delivery as stored. Times are epoch milliseconds of the service's clock. */
export interface Delivery {
  readonly id: number;
  readonly company_id: number;
  readonly webhook_id: number;
  readonly event_id: number;
  /** 1, 2, 3 ... per webhook, assigned by the relay: `X-Webhook-Sequence`. */
  readonly sequence: number;
  /** The name of the event type to which this webhook subscribed. */
  readonly event_type: string;
  readonly state: DeliveryState;
  /** Attempts made in all rounds. */
  readonly attempts: number;
  /** 1, 2, 3 ...: how often the schedule was started. */
  readonly round: number;
  /** The time of the first attempt of the current round; null before it. */
  readonly round_started_at_ms: number | null;
  /** Attempts made in the current round, 0..5. */
  readonly round_attempts: number;
  /** When the next attempt is due; null unless pending. */
  readonly due_at_ms: number | null;
  readonly created_at_ms: number;
  /** When it last left `pending`; null before. */
  readonly finished_at_ms: number | null;
}

/** One attempt of a delivery, kept 30 days. */
export interface Attempt {
  readonly delivery_id: number;
  /** 1, 2, 3 ... over all rounds. */
  readonly number: number;
  readonly at_ms: number;
  /** The headers that signed the request: `signatureOf`. */
  readonly signature: string;
  /** The HTTP status of the answer, or null when there was no answer. */
  readonly status: number | null;
  /** Why there was no answer; null when there was one. */
  readonly error: string | null;
  readonly duration_ms: number;
  /** The first 4 KiB of the answer. */
  readonly excerpt: string | null;
  readonly retry_after: string | null;
}

/**
 * Returns the delivery and the attempt to record, after an attempt that began at `at_ms` with
 * this signature received this answer.
 */
export function afterAttempt(
  delivery: Delivery,
  answer: WebhookAnswer,
  at_ms: number,
  signature: string,
): { readonly delivery: Delivery; readonly attempt: Attempt } {
  const answered = answer.kind === 'answered';
  const attempt: Attempt = {
    delivery_id: delivery.id,
    number: delivery.attempts + 1,
    at_ms,
    signature,
    status: answered ? answer.status : null,
    error: answered ? null : `${answer.error}: ${answer.detail}`,
    duration_ms: answer.duration_ms,
    // The excerpt must be storable: an answer that could not be recorded would delay the record of
    // all others.
    excerpt: answered ? toStorableText(answer.excerpt) : null,
    retry_after: answered && answer.retry_after !== null ? toStorableText(answer.retry_after) : null,
  };
  const made = {
    ...delivery,
    attempts: delivery.attempts + 1,
    round_started_at_ms: delivery.round_started_at_ms ?? at_ms,
    round_attempts: delivery.round_attempts + 1,
  };
  const due_at_ms = isGone(answer) ? null : nextAttemptDue(made.round_started_at_ms, made.round_attempts);
  if (isSuccess(answer))
    return { attempt, delivery: { ...made, state: 'succeeded', due_at_ms: null, finished_at_ms: at_ms } };
  if (due_at_ms === null) return { attempt, delivery: { ...made, state: 'failed', due_at_ms, finished_at_ms: at_ms } };
  return { attempt, delivery: { ...made, due_at_ms } };
}

/** Returns the delivery with the schedule started again. */
export function newRound(delivery: Delivery, now_ms: number): Delivery {
  const round = delivery.round + 1;
  return { ...delivery, state: 'pending', round, round_started_at_ms: null, round_attempts: 0, due_at_ms: now_ms };
}

/** Only 2xx is a success; a redirect is not. */
export function isSuccess(answer: WebhookAnswer): boolean {
  return answer.kind === 'answered' && answer.status >= 200 && answer.status <= 299;
}

/** 410: the endpoint will never take this delivery. */
function isGone(answer: WebhookAnswer): boolean {
  return answer.kind === 'answered' && answer.status === 410;
}

/**
 * How long finished deliveries and the log of attempts are kept unless the operator chooses
 * otherwise, in days of service time. A delivery counts from its end, an attempt from its time.
 * Pending deliveries are never deleted.
 */
export const deliveries_kept_days_default = 30;
