import { createHmac } from 'node:crypto';
import type { Clock, Random } from '@tallystick/kernel';
import { memoryDeliveryQueue, memoryVault } from '@tallystick/memory';
import {
  type Attempt,
  type Courier,
  type CourierLimits,
  createCourier,
  type Delivery,
  sealWebhookSecret,
  type Webhook,
  type WebhookAnswer,
  type WebhookRequest,
  type WebhookSender,
} from '../src/index.ts';
import { watchedDesk } from './watched-desk.ts';

export const start_ms = Date.UTC(2026, 0, 15, 12);
export const hmac = (secret: Uint8Array, message: Uint8Array) =>
  new Uint8Array(createHmac('sha256', secret).update(message).digest());
export const secret = 'a secret of some length';
export const ok: WebhookAnswer = { kind: 'answered', status: 200, excerpt: '', retry_after: null, duration_ms: 1 };
export const failed: WebhookAnswer = { kind: 'answered', status: 503, excerpt: '', retry_after: null, duration_ms: 1 };

export const { sealer } = memoryVault();

let drawn = 0;
export const random: Random = {
  below: () => 0,
  bytes: (count) => {
    drawn += 1;
    return new Uint8Array(count).fill(drawn);
  },
};

interface Sent extends WebhookRequest {
  /** Ends the request. */
  answer(answer: WebhookAnswer): void;
}

/** A sender whose requests end when the test ends them, or immediately by a rule. */
export class HeldSender implements WebhookSender {
  readonly sent: Sent[] = [];
  rule: ((request: WebhookRequest) => WebhookAnswer) | null = null;

  send(request: WebhookRequest): Promise<WebhookAnswer> {
    return new Promise((resolve) => {
      this.sent.push({ ...request, answer: resolve });
      if (this.rule !== null) resolve(this.rule(request));
    });
  }

  inFlightTo(url: string): number {
    return this.sent.filter((request) => request.callback_url === url).length;
  }

  async close(): Promise<void> {}
}

/** A courier over a desk in memory, with a clock and a sender that the test moves. */
export function setUp(limits: Partial<CourierLimits> = {}) {
  const desk = watchedDesk();
  const queue = memoryDeliveryQueue();
  const sender = new HeldSender();
  let now_ms = start_ms;
  const clock: Clock = { nowMs: () => now_ms };
  const faults: unknown[] = [];
  const pauses_ms: number[] = [];
  const attempts: Attempt[] = [];
  const courier: Courier = createCourier({
    desk,
    queue,
    sender,
    sealer,
    hmac,
    random,
    clock,
    machine_clock: clock,
    pause(ms) {
      pauses_ms.push(ms);
      return turn();
    },
    observer: {
      attempted: (_webhook, _delivery, attempt) => attempts.push(attempt),
      faulted: (error) => faults.push(error),
    },
    limits: { gather_ms: 0, ...limits },
  });
  let next_id = 0;
  return {
    desk,
    queue,
    sender,
    courier,
    faults,
    pauses_ms,
    attempts,
    moveTo: (at_ms: number) => {
      now_ms = at_ms;
    },
    webhook(id: number, change: Partial<Webhook> = {}): Webhook {
      const webhook: Webhook = {
        id,
        company_id: 1,
        callback_url: `https://hooks-${id}.example/`,
        event_type_ids: [1],
        status: 'active',
        secret_sealed: sealWebhookSecret(sealer, secret),
        previous_secret_sealed: null,
        previous_secret_until_ms: null,
        created_at_ms: start_ms,
        ...change,
      };
      desk.tables.webhooks.set(id, webhook);
      return webhook;
    },
    deliveries(webhook_id: number, count: number): readonly Delivery[] {
      return Array.from({ length: count }, (_, place) => {
        next_id += 1;
        const id = next_id;
        desk.tables.events.set(id, {
          id,
          company_id: 1,
          event_type: 'virtualcard.created',
          payload: { id },
          previous: null,
          created_at_ms: start_ms,
          request_id: null,
        });
        const delivery: Delivery = {
          id,
          company_id: 1,
          webhook_id,
          event_id: id,
          sequence: place + 1,
          event_type: 'virtualcard.created',
          state: 'pending',
          attempts: 0,
          round: 1,
          round_started_at_ms: null,
          round_attempts: 0,
          due_at_ms: start_ms,
          created_at_ms: start_ms,
          finished_at_ms: null,
        };
        desk.tables.deliveries.set(id, delivery);
        return delivery;
      });
    },
  };
}

/** Lets all pending callbacks run. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
