import { createHmac } from 'node:crypto';
import type { Attempt, Delivery, Event } from '@tallystick/events';
import type { History, ReceivedDelivery, WebhookSecret } from '../../history.ts';
import { laneOf } from './events.ts';
import type { Invariant } from './invariant.ts';

/** Minutes after the first attempt (service specification 6.4). */
const schedule = [0, 10, 28, 78, 108];

function sequenceOf({ after }: { readonly after?: Delivery | undefined }): number {
  return after?.sequence ?? 0;
}

export const sequences_have_no_gap: Invariant = {
  name: 'sequences have no gap',
  says: 'the deliveries of a webhook are numbered 1, 2, 3 in the order of their events',
  begin() {
    const sequences = new Map<number, number>();
    const last_events = new Map<string, number>();
    return {
      *step(step) {
        const changes = step.changes('deliveries').toSorted((a, b) => sequenceOf(a) - sequenceOf(b));
        for (const { key, before, after } of changes) {
          if (after === undefined) continue;
          const { webhook_id, sequence, event_id } = after;
          if (before !== undefined) {
            if (before.sequence !== sequence || before.event_id !== event_id)
              yield `delivery ${key} has another number`;
            continue;
          }
          const previous = sequences.get(webhook_id) ?? 0;
          if (sequence !== previous + 1) yield `webhook ${webhook_id}: delivery ${sequence} follows ${previous}`;
          sequences.set(webhook_id, sequence);
          const event = step.state.events.get(event_id);
          const lane = `webhook ${webhook_id}: ${event === undefined ? '' : laneOf(event, step)}`;
          const previous_event = last_events.get(lane) ?? 0;
          if (event_id <= previous_event) yield `${lane}: event ${event_id} is delivered after ${previous_event}`;
          last_events.set(lane, event_id);
        }
      },
    };
  },
};

function* wrongState(key: number, after: Delivery, attempt: Attempt | undefined): Iterable<string> {
  const { state, round_attempts, round_started_at_ms, due_at_ms } = after;
  const what = `delivery ${key} after attempt ${round_attempts} of its round`;
  const is_success =
    attempt?.status !== null && attempt?.status !== undefined && Math.floor(attempt.status / 100) === 2;
  if (round_attempts > schedule.length) yield `${what}: there are five attempts`;
  if (state === 'pending' && round_started_at_ms !== null) {
    const minutes = schedule[round_attempts];
    const right = minutes === undefined ? null : round_started_at_ms + minutes * 60_000;
    if (due_at_ms !== right) yield `${what} is due at ${due_at_ms}, not ${right}`;
  }
  if (attempt === undefined) return;
  if (state === 'succeeded' && !is_success) yield `${what} succeeded by status ${attempt.status}`;
  if (state !== 'succeeded' && is_success) yield `${what} is ${state} after status ${attempt.status}`;
  const is_last = round_attempts === schedule.length || attempt.status === 410;
  if (state === 'failed' && !is_last) yield `${what} has failed too early`;
}

export const retries_follow_the_schedule: Invariant = {
  name: 'retries follow the schedule',
  says: 'a delivery is tried again 10, 28, 78 and 108 minutes after its first attempt, and only after a failure',
  begin: () => ({
    *step(step) {
      const attempts = new Map<number, Attempt>();
      for (const { before, after } of step.changes('delivery_attempts')) {
        if (before === undefined && after !== undefined) attempts.set(after.delivery_id, after);
      }
      for (const { key, before, after } of step.changes('deliveries')) {
        if (before === undefined || after === undefined) continue;
        const attempt = attempts.get(key);
        const is_same_round = before.round === after.round;
        yield* wrongState(key, after, is_same_round ? attempt : undefined);
        if (attempt === undefined) {
          if (after.attempts !== before.attempts) yield `delivery ${key} counts an attempt that is not recorded`;
        } else if (before.due_at_ms === null || attempt.at_ms < before.due_at_ms) {
          if (is_same_round) yield `delivery ${key} was tried at ${attempt.at_ms}, and is due at ${before.due_at_ms}`;
        }
      }
      // A claim of an inactive webhook: it was inactive before the claim and after it.
      for (const { key, before, after } of step.changes('delivery_leases')) {
        if (after === undefined || before?.token === after.token) continue;
        const { webhook_id = 0 } = step.state.deliveries.get(key) ?? {};
        const statuses = [step.before, step.state].map(({ webhooks }) => webhooks.get(webhook_id)?.status);
        if (statuses.every((status) => status === 'inactive')) yield `delivery ${key} is sent to an inactive webhook`;
      }
    },
    *end({ state, now_ms }) {
      for (const { id, webhook_id, due_at_ms } of state.deliveries.values()) {
        if (due_at_ms === null || due_at_ms > now_ms - 60_000) continue;
        if (state.webhooks.get(webhook_id)?.status === 'active') yield `delivery ${id} is due since ${due_at_ms}`;
      }
    },
  }),
};

function isSigned(received: ReceivedDelivery, secrets: readonly WebhookSecret[]): boolean {
  const { headers, callback_url, body } = received;
  const text = `${headers['x-timestamp']}\nPOST\n${callback_url}\n${body}`;
  return secrets.some(
    ({ secret }) => createHmac('sha256', secret).update(text).digest('hex') === headers['x-signature'],
  );
}

/** The body of a delivery (service specification 2.7). */
function bodyOf({ created_at_ms, id, payload, previous }: Event, type: string): string {
  const date = new Date(created_at_ms).toISOString();
  return JSON.stringify({ data: { date, 'event-id': id, payload, previous, type } });
}

/** Reads the requests that receivers got once each. */
function reader(): (history: History) => readonly ReceivedDelivery[] {
  let read = 0;
  return ({ deliveries }) => {
    const fresh = deliveries.slice(read);
    read = deliveries.length;
    return fresh;
  };
}

export const receivers_get_what_was_committed: Invariant = {
  name: 'receivers get what was committed',
  says: 'a receiver gets committed events only, with the same body at every attempt, signed by its secret',
  begin() {
    const newRequests = reader();
    const bodies = new Map<string, string>();
    const numbered = new Map<string, number>();
    return {
      *step({ history, state, changes }) {
        for (const { key, before, after } of changes('deliveries')) {
          if (before === undefined && after !== undefined) numbered.set(`${after.webhook_id} ${after.sequence}`, key);
        }
        for (const received of newRequests(history)) {
          const { headers, body, callback_url } = received;
          const id = headers['webhook-id'] ?? '';
          const sequence = Number(headers['x-webhook-sequence']);
          const what = `delivery ${id}, number ${sequence}, to ${callback_url}`;
          const webhook = state.webhooks.values().find((one) => one.callback_url === callback_url);
          const secrets = history.webhook_secrets.filter(({ webhook_id }) => webhook_id === webhook?.id);
          if (secrets.length > 0 && !isSigned(received, secrets)) yield `${what} is not signed by its secret`;
          if (sequence === 0) continue; // a test delivery
          const before = bodies.get(id);
          if (before !== undefined && before !== body) yield `${what} has another body than before`;
          bodies.set(id, body);
          const delivery = state.deliveries.get(numbered.get(`${webhook?.id} ${sequence}`) ?? 0);
          if (delivery === undefined) {
            if (webhook !== undefined && before === undefined) yield `${what} is not committed`;
            continue;
          }
          const event = state.events.get(delivery.event_id);
          if (event === undefined) yield `${what} is of event ${delivery.event_id}, which is not committed`;
          else if (!sameText(body, bodyOf(event, delivery.event_type))) yield `${what} has the body ${body}`;
        }
      },
    };
  },
};

/** Whether the bodies say the same: an instant may be written with or without milliseconds. */
function sameText(one: string, other: string): boolean {
  const withoutDate = (body: string) =>
    body.replace(/"date":"([^"]*)"/, (_all, date: string) => `"date":${Date.parse(date)}`);
  return withoutDate(one) === withoutDate(other);
}

export const attempts_were_made: Invariant = {
  name: 'attempts were made',
  says: 'an attempt that is recorded with a status reached its receiver, which answered so',
  begin() {
    const newRequests = reader();
    const answered = new Map<string, number>();
    return {
      *step({ history, state, changes }) {
        for (const { callback_url, headers, status } of newRequests(history)) {
          const name = `${callback_url} ${headers['x-webhook-sequence']} ${status}`;
          answered.set(name, (answered.get(name) ?? 0) + 1);
        }
        for (const { before, after } of changes('delivery_attempts')) {
          if (before !== undefined || after === undefined || after.status === null) continue;
          const delivery = state.deliveries.get(after.delivery_id);
          const url = state.webhooks.get(delivery?.webhook_id ?? 0)?.callback_url;
          if (delivery === undefined || url === undefined) continue;
          const name = `${url} ${delivery.sequence} ${after.status}`;
          const count = answered.get(name) ?? 0;
          if (count === 0)
            yield `attempt ${after.number} of delivery ${delivery.id} records a status ${after.status} that nobody answered`;
          answered.set(name, count - 1);
        }
      },
    };
  },
};
