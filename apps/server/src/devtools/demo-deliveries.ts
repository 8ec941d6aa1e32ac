import assert from 'node:assert/strict';
import { event_types, toCanonicalTypeId } from '@tallystick/events';
import { issue, moveClock, type Scene, showInstant } from './demo-scene.ts';
import {
  findTakenTypes,
  LoopbackUnreachable,
  type LoopbackWebhook,
  openLoopbackWebhook,
  type VerifiedDelivery,
} from './loopback-webhook.ts';
import type { Json } from './sandbox-client.ts';
import { createSequenceWatch } from './sequence-watch.ts';

/** An event as `GET /v1/events` returns it. */
export interface StoryEvent {
  readonly id: string;
  readonly event_type: string;
}

/** The webhook of the story, with a receiver in this process. */
export interface StoryWebhook {
  readonly id: string;
  /** Every attempt that was received, with the receiver's answer. */
  readonly attempts: readonly { readonly delivery: VerifiedDelivery; readonly answered: number }[];
  readonly unverified: () => number;
  /** Whether it subscribes to events of this type. */
  has(event_type: string): boolean;
  /** Sets the receiver's answer from now on. */
  answerWith(status: number): void;
  /** Resolves when the condition is met; rejects after 20 s. */
  until(enough: () => boolean, what: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * The types of the story's events. `all` is not among them, so a listener to all types does not
 * conflict.
 */
const story_type_ids = [2, 3, 6, 7, 11];

const arrival_ms_max = 20_000;

/**
 * Registers the webhook and reports it. Returns null, and reports the reason, if the server cannot
 * deliver to this process.
 */
export async function openStoryWebhook({ sandbox, narrator }: Scene): Promise<StoryWebhook | null> {
  narrator.chapter('A webhook: every event of the story is also delivered');
  const taken = await findTakenTypes(sandbox, ({ id }) =>
    narrator.line(`Webhook ${id} of an earlier story is deleted`),
  );
  const event_type_ids = story_type_ids.filter((id) => {
    const other = taken.get(toCanonicalTypeId(id));
    if (other !== undefined)
      narrator.line(`Type ${id} is already on webhook ${other.id}, ${other.callback_url}`, 'left out');
    return other === undefined;
  });
  if (event_type_ids.length === 0) {
    narrator.line('No event type of the story is free: the story continues without deliveries', 'left out');
    return null;
  }

  const attempts: { readonly delivery: VerifiedDelivery; readonly answered: number }[] = [];
  const waiting = new Set<() => void>();
  let unverified = 0;
  let status = 200;
  const check = (): void => {
    for (const look of waiting) look();
  };
  let webhook: LoopbackWebhook;
  try {
    webhook = await openLoopbackWebhook({
      client: sandbox,
      event_type_ids,
      purpose: 'demo',
      async received(delivery) {
        attempts.push({ delivery, answered: status });
        check();
        return { status };
      },
      unverified() {
        unverified += 1;
      },
    });
  } catch (error) {
    if (!(error instanceof LoopbackUnreachable)) throw error;
    narrator.line(`The server does not reach a receiver on this machine: ${error.message}`);
    narrator.line('The story continues without deliveries', 'left out');
    return null;
  }
  const { id, callback_url } = webhook;
  narrator.line(`Webhook ${id} posts to ${callback_url}`, 'active');
  const names = new Set<string>(event_types.filter((type) => event_type_ids.includes(type.id)).map(({ name }) => name));
  return {
    id,
    attempts,
    unverified: () => unverified,
    has: (event_type) => names.has(event_type),
    answerWith(other) {
      status = other;
    },
    until: (enough, what) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`${what} did not arrive within ${arrival_ms_max / 1_000} s`));
        }, arrival_ms_max);
        const look = (): void => {
          if (!enough()) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () => webhook.close(),
  };
}

/** Each event of the story arrived once, signed, and no sequence number is missing. */
export async function showDeliveries({ narrator }: Scene, webhook: StoryWebhook, events: readonly StoryEvent[]) {
  narrator.chapter('The deliveries of these events');
  const expected = events.filter((event) => webhook.has(event.event_type));
  const attemptsOf = (event: StoryEvent): StoryWebhook['attempts'] =>
    webhook.attempts.filter(({ delivery }) => delivery.data['event-id'] === Number(event.id));
  await webhook.until(() => expected.every((event) => attemptsOf(event).length > 0), 'the delivery of every event');
  for (const event of expected) {
    const [first, ...others] = attemptsOf(event);
    assert.ok(first !== undefined && others.length === 0, `event ${event.id} was delivered more than once`);
    const { sequence, data } = first.delivery;
    assert.equal(data.type, event.event_type);
    narrator.approved(`#${sequence}  ${data.type}, event ${event.id}`, 'signature verified');
  }
  assertWholeSequence(webhook);
  const others = events.length - expected.length;
  if (others > 0) narrator.line(`Of types that this webhook has not subscribed to: ${others}`, 'not delivered');
  narrator.line(`${expected.length} events were delivered: ${describeSequence(webhook)}`);
}

/**
 * A receiver that fails gets the same delivery again, ten minutes after the first attempt and not
 * before.
 */
export async function retryOnce(scene: Scene, webhook: StoryWebhook): Promise<void> {
  const { sandbox, narrator } = scene;
  if (!webhook.has('virtualcard.created')) return;
  narrator.chapter('The receiver is down for a moment');
  webhook.answerWith(503);
  const card = await issue(scene, { total_card_amount: 10_00 });
  const issued_at = scene.now;
  const attempts = (): StoryWebhook['attempts'] =>
    webhook.attempts.filter(
      ({ delivery: { data } }) => data.type === 'virtualcard.created' && data.payload.id === Number(card.id),
    );
  await webhook.until(() => attempts().length === 1, 'the delivery of the card');
  const [first] = attempts();
  assert.ok(first);
  const { sequence } = first.delivery;
  narrator.declined(`#${sequence} reports the card; the receiver answers`, '503: it will be retried');
  webhook.answerWith(200);

  await moveClock(scene, { advance: 'PT9M59S', frozen: true });
  assert.equal(attempts().length, 1, 'it was retried too early');
  narrator.line('Nine minutes and fifty-nine seconds later', 'nothing arrived');
  await moveClock(scene, { advance: 'PT1S', frozen: true });
  await webhook.until(() => attempts().length === 2, 'the second attempt');
  const second = attempts()[1]!;
  assert.equal(second.delivery.sequence, sequence);
  assert.equal(second.delivery.delivery_id, first.delivery.delivery_id);
  assert.equal(second.delivery.body, first.delivery.body, 'every attempt sends the same bytes');
  narrator.approved(`Ten minutes: #${sequence} arrives again, with identical bytes`, '200: delivered, verified');

  const log = (await sandbox.get(`/v1/webhooks/${webhook.id}/deliveries?page[limit]=100`)).data as Json[];
  const entry = log.find(({ event_id }) => event_id === String(first.delivery.data['event-id']));
  assert.ok(entry !== undefined, 'the log has the delivery');
  assert.equal(entry.state, 'succeeded');
  const logged = entry.attempts as { at: string; status: number }[];
  assert.deepEqual(
    logged.map(({ at, status }) => [showInstant(at), status]),
    [
      [showInstant(issued_at), 503],
      [showInstant(issued_at.add({ minutes: 10 })), 200],
    ],
  );
  const row = logged.map(({ at, status }) => `${status} at ${showInstant(at)}`).join(', ');
  narrator.line(`Its log of attempts: ${row}`);
  assertWholeSequence(webhook);
  narrator.line(`In total: ${describeSequence(webhook)}`);
}

function assertWholeSequence(webhook: StoryWebhook): void {
  const watch = createSequenceWatch();
  for (const { delivery } of webhook.attempts) watch.record(delivery.sequence);
  assert.deepEqual(watch.missing(), [], 'numbers of the sequence are missing');
  assert.equal(webhook.unverified(), 0, 'a signature did not verify');
}

function describeSequence({ attempts }: StoryWebhook): string {
  const last = Math.max(...attempts.map(({ delivery }) => delivery.sequence));
  return `every signature verified, #1 to #${last} without a gap`;
}
