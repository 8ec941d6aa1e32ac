import type { WebhookAnswer, WebhookRequest, WebhookSender } from '@tallystick/events';
import type { Machine } from '../machine.ts';
import type { World } from '../world.ts';

/** What a receiver does with a request. */
export type ReceiverConduct = 'accepts' | 'fails' | 'refuses' | 'hangs' | 'is_late' | 'loses_answer' | 'is_down';

/** The longest time of a request; the sender of the product ends it then. */
const request_ms_max = 15_000;

/** The receivers of webhooks, and the connections to them. */
export class Receivers {
  conductOf: () => ReceiverConduct = () => 'accepts';
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  senderOf(machine: Machine): WebhookSender {
    return { send: (request) => this.#send(request, machine), close: async () => {} };
  }

  async #send(request: WebhookRequest, machine: Machine): Promise<WebhookAnswer> {
    const { time, random, history, trace } = this.#world;
    if (machine.is_dead) return await new Promise<never>(() => {});
    const conduct = this.conductOf();
    const duration_ms = conduct === 'hangs' ? request_ms_max : random.between(1, conduct === 'is_late' ? 14_000 : 200);
    const arrives_ms = random.below(Math.min(duration_ms, 100));
    const status = conduct === 'fails' ? 503 : conduct === 'refuses' ? 404 : 200;
    const is_answered = conduct !== 'hangs' && conduct !== 'loses_answer' && conduct !== 'is_down';
    if (conduct !== 'is_down') {
      time.after(arrives_ms, () => {
        trace(`received ${request.callback_url} ${conduct} ${request.body}`);
        history.deliveries.push({ at_ms: time.now_ms, ...request, status: is_answered ? status : null });
      });
    }
    await new Promise<void>((resolve) => void time.after(duration_ms, resolve, machine));
    if (is_answered) return { kind: 'answered', status, excerpt: '', retry_after: null, duration_ms };
    const error = conduct === 'hangs' ? 'timeout' : 'connection_failed';
    return { kind: 'unanswered', error, detail: error, duration_ms };
  }
}
