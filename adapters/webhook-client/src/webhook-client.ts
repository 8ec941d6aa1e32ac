import type { IncomingHttpHeaders } from 'node:http';
import { type WebhookAnswer, type WebhookSender, webhook_request_ms_max } from '@tallystick/events';
import { machine_timers, type Timers } from '@tallystick/kernel';
import type { Dispatcher } from 'undici';
import { type ConnectionPorts, explain, guardedAgent, toDialableUrl } from './guarded-agent.ts';

/**
 * The stored part of an answer. The rest is read up to a limit, so that the connection can be
 * reused.
 */
const excerpt_bytes_max = 4_096;
const answer_bytes_max = 65_536;

/** The most callback URLs that are remembered as checked. */
const dialable_max = 10_000;

export interface WebhookClientPorts extends ConnectionPorts {
  /** In milliseconds; `webhook_request_ms_max` when absent, and at most. */
  readonly request_time_ms?: number;
}

/** A sender over undici. */
export function webhookClient(ports: WebhookClientPorts): WebhookSender {
  const { guard, timers = machine_timers } = ports;
  const time_ms = Math.min(ports.request_time_ms ?? webhook_request_ms_max, webhook_request_ms_max);
  const agent = guardedAgent(ports, time_ms);

  /**
   * URLs whose text was checked. The text of a URL and the guard never change. A restart of the map
   * limits its size.
   */
  const dialable = new Map<string, { readonly origin: string; readonly path: string }>();

  function dialableTarget(text: string) {
    let target = dialable.get(text);
    if (target === undefined) {
      const { origin, pathname, search } = toDialableUrl(text, guard);
      target = { origin, path: pathname + search };
      if (dialable.size >= dialable_max) dialable.clear();
      dialable.set(text, target);
    }
    return target;
  }

  return {
    send(request) {
      const exchange = new Exchange(timers, time_ms);
      try {
        const { origin, path } = dialableTarget(request.callback_url);
        const { headers, body } = request;
        // The exchange limits the time of the whole request.
        agent.dispatch({ origin, path, method: 'POST', headers, body, headersTimeout: 0, bodyTimeout: 0 }, exchange);
      } catch (error) {
        exchange.onResponseError(null, error);
      }
      return exchange.answer;
    },
    close: () => agent.close(),
  };
}

/**
 * One request and its answer. undici's own promises, streams and signals would take longer than the
 * request itself.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<WebhookAnswer>;
  readonly #timers: Timers;
  readonly #time_ms: number;
  readonly #started_ms: number;
  readonly #stopTimer: () => void;
  #resolve!: (answer: WebhookAnswer) => void;
  #is_over = false;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #retry_after: string | null = null;
  readonly #kept: Buffer[] = [];
  #bytes = 0;

  constructor(timers: Timers, time_ms: number) {
    this.#timers = timers;
    this.#time_ms = time_ms;
    this.#started_ms = timers.monotonicNow();
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#stopTimer = timers.after(time_ms, () => this.#giveUp(), { keeps_alive: false });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#is_over) controller.abort(timeOut());
  }

  /** Called for each interim answer, too: only the last one counts. */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    { 'retry-after': retry_after }: IncomingHttpHeaders,
  ): void {
    this.#status = status;
    this.#retry_after = typeof retry_after === 'string' ? retry_after.slice(0, 100) : null;
  }

  /** Keeps the first 4 KiB. After 64 KiB the rest is not read, and the connection is closed. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes < excerpt_bytes_max) this.#kept.push(chunk.subarray(0, excerpt_bytes_max - this.#bytes));
    this.#bytes += chunk.length;
    if (this.#bytes <= answer_bytes_max) return;
    this.onResponseEnd();
    controller.abort(new Error('the answer is too long'));
  }

  onResponseEnd(): void {
    this.#end({
      kind: 'answered',
      status: this.#status,
      excerpt: this.#bytes === 0 ? '' : Buffer.concat(this.#kept).toString('utf8'),
      retry_after: this.#retry_after,
      duration_ms: this.#durationMs(),
    });
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#end({ kind: 'unanswered', ...explain(error, this.#time_ms), duration_ms: this.#durationMs() });
  }

  #giveUp(): void {
    this.onResponseError(null, timeOut());
    this.#controller?.abort(timeOut());
  }

  #end(answer: WebhookAnswer): void {
    if (this.#is_over) return;
    this.#is_over = true;
    this.#stopTimer();
    this.#resolve(answer);
  }

  #durationMs(): number {
    return Math.round(this.#timers.monotonicNow() - this.#started_ms);
  }
}

function timeOut(): DOMException {
  return new DOMException('no answer in time', 'TimeoutError');
}
