import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { event_types, toCanonicalTypeId } from '@tallystick/events';
import { issue, type Json, moveClock, type Scene, showInstant } from './demo-scene.ts';
import { createSequenceWatch } from './listener.ts';
import { findTakenTypes, LoopbackUnreachable, openLoopbackWebhook, type VerifiedDelivery } from './loopback-webhook.ts';

export interface StoryWebhook {
  readonly id: string;
  /** Every attempt that was received, with the receiver's answer. */
  readonly attempts: readonly { readonly delivery: VerifiedDelivery; readonly answered: number }[];
  readonly unverified: () => number;
  has(event_type: unknown): boolean;
  answerWith(status: number): void;
  /** Resolves when the condition is met; rejects after 20 s. */
  until(enough: () => boolean): Promise<void>;
  close(): Promise<void>;
}

/** The types of the story's events. A listener to `all` does not conflict. */
const story_type_ids = [2, 3, 6, 7, 11];

const arrival_ms_max = 20_000;

/** Registers the webhook. Returns null, and reports why, when the story goes on without deliveries. */
export async function openStoryWebhook({ sandbox, narrator }: Scene): Promise<StoryWebhook | null> {
  narrator.chapter('A webhook: the events of cards are also delivered');
  const taken = await findTakenTypes(sandbox, ({ id }) =>
    narrator.line(`Webhook ${id} of an earlier story is deleted`),
  );
  const event_type_ids = story_type_ids.filter((id) => !taken.has(toCanonicalTypeId(id)));
  const attempts: { readonly delivery: VerifiedDelivery; readonly answered: number }[] = [];
  const arrivals = new EventEmitter();
  let unverified = 0;
  let status = 200;
  try {
    if (event_type_ids.length === 0) throw new LoopbackUnreachable('other webhooks have its event types');
    const { id, callback_url, close } = await openLoopbackWebhook({
      client: sandbox,
      event_type_ids,
      purpose: 'demo',
      async received(delivery) {
        attempts.push({ delivery, answered: status });
        arrivals.emit('delivery');
        return { status };
      },
      unverified() {
        unverified += 1;
      },
    });
    narrator.line(`Webhook ${id} posts to ${callback_url}`, 'active');
    const names = new Set<unknown>(event_types.flatMap((type) => (event_type_ids.includes(type.id) ? type.name : [])));
    return {
      id,
      attempts,
      unverified: () => unverified,
      has: (event_type) => names.has(event_type),
      answerWith(other) {
        status = other;
      },
      async until(enough) {
        const signal = AbortSignal.timeout(arrival_ms_max);
        while (!enough()) await once(arrivals, 'delivery', { signal });
      },
      close,
    };
  } catch (error) {
    if (!(error instanceof LoopbackUnreachable)) throw error;
    narrator.line(`The server does not reach a receiver on this machine: ${error.message}`);
    narrator.line('The story continues without deliveries', 'left out');
    return null;
  }
}

/** Each event of the story arrived once, signed, and no sequence number is missing. */
export async function showDeliveries({ narrator }: Scene, webhook: StoryWebhook, events: readonly Json[]) {
  narrator.chapter('The deliveries of these events');
  const expected = events.filter(({ event_type }) => webhook.has(event_type));
  const attemptsOf = ({ id }: Json) =>
    webhook.attempts.filter(({ delivery }) => delivery.data['event-id'] === Number(id));
  await webhook.until(() => expected.every((event) => attemptsOf(event).length > 0));
  for (const event of expected) {
    const [first, ...others] = attemptsOf(event);
    assert.ok(first !== undefined && others.length === 0, `event ${event.id} was delivered more than once`);
    assert.equal(first.delivery.data.type, event.event_type);
    narrator.approved(`#${first.delivery.sequence}  ${event.event_type}, event ${event.id}`, 'signature verified');
  }
  narrator.line(`${expected.length} events delivered: ${describeSequence(webhook)}`);
  const others = new Set(
    events.map(({ event_type }) => String(event_type)).filter((type) => /^reconciliation/.test(type)),
  );
  for (const type of others) narrator.line(`${type} goes only to a webhook of all events`);
}

/** A delivery that fails is repeated ten minutes after the first attempt, and not before. */
export async function retryOnce(scene: Scene, webhook: StoryWebhook): Promise<void> {
  const { narrator } = scene;
  if (!webhook.has('virtualcard.created')) return;
  narrator.chapter('The receiver is down for a moment');
  webhook.answerWith(503);
  const card = await issue(scene, { total_card_amount: 10_00 });
  const attempts = (): StoryWebhook['attempts'] =>
    webhook.attempts.filter(
      ({ delivery: { data } }) => data.type === 'virtualcard.created' && data.payload.id === Number(card.id),
    );
  await webhook.until(() => attempts().length === 1);
  const { delivery } = attempts()[0]!;
  narrator.declined(`#${delivery.sequence} reports the card; the receiver answers`, '503: it will be retried');
  webhook.answerWith(200);
  await moveClock(scene, { advance: 'PT9M59S', frozen: true });
  assert.equal(attempts().length, 1, 'it was retried too early');
  narrator.line('Nine minutes and fifty-nine seconds later', 'nothing arrived');
  await moveClock(scene, { advance: 'PT1S', frozen: true });
  await webhook.until(() => attempts().length === 2);
  const repeated = attempts()[1]!.delivery;
  assert.deepEqual(
    [repeated.sequence, repeated.delivery_id, repeated.body],
    [delivery.sequence, delivery.delivery_id, delivery.body],
  );
  narrator.approved(`${showInstant(scene.now)}: #${delivery.sequence} again, with identical bytes`, '200: delivered');
  narrator.line(`In total: ${describeSequence(webhook)}`);
}

/** Asserts that nothing is missing and every signature is valid. */
function describeSequence({ attempts, unverified }: StoryWebhook): string {
  const watch = createSequenceWatch();
  for (const { delivery } of attempts) watch.record(delivery.sequence);
  assert.deepEqual(watch.missing(), [], 'numbers of the sequence are missing');
  assert.equal(unverified(), 0, 'a signature did not verify');
  return `every signature verified, #1 to #${watch.highest()} without a gap`;
}
