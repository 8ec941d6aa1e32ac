import type { IncomingHttpHeaders } from 'node:http';
import type { SendError, WebhookRequest } from '@tallystick/events';
import type { Timers } from '@tallystick/kernel';
import type { Agent, Dispatcher } from 'undici';
import type { AddressGuard } from './address-guard.ts';
import { explain, toDialableUrl } from './guarded-agent.ts';

/** The most URLs that are remembered as checked. */
const dialable_max = 10_000;

export interface ExchangeBounds {
  /** The time of the whole request, milliseconds. */
  readonly time_ms: number;
  readonly kept_bytes_max: number;
  /**
   * The bytes that are read, so that the connection can be reused. After more, it is closed.
   */
  readonly read_bytes_max: number;
}

export type ExchangeEnd =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly content_type: string | null;
      readonly retry_after: string | null;
      /** The kept part of the body, as text. */
      readonly body: string;
      /** Whether the body has more than the kept part. */
      readonly is_cut: boolean;
      readonly duration_ms: number;
    }
  | { readonly kind: 'unanswered'; readonly error: SendError; readonly detail: string; readonly duration_ms: number };

/** Posts a request, and resolves with its end, also when the signal aborts it. */
export type Exchanger = (request: WebhookRequest, signal?: AbortSignal) => Promise<ExchangeEnd>;

export function createExchanger(agent: Agent, guard: AddressGuard, timers: Timers, bounds: ExchangeBounds): Exchanger {
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

  return ({ callback_url, headers, body }, signal) => {
    const exchange = new Exchange(timers, bounds, signal);
    try {
      const { origin, path } = dialableTarget(callback_url);
      // The exchange limits the time of the whole request.
      agent.dispatch({ origin, path, method: 'POST', headers, body, headersTimeout: 0, bodyTimeout: 0 }, exchange);
    } catch (error) {
      exchange.onResponseError(null, error);
    }
    return exchange.end;
  };
}

/**
 * One request and its answer. undici's own promises, streams and signals would take longer than the
 * request itself.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly end: Promise<ExchangeEnd>;
  readonly #timers: Timers;
  readonly #bounds: ExchangeBounds;
  readonly #started_ms: number;
  readonly #stopWaiting: () => void;
  #resolve!: (end: ExchangeEnd) => void;
  #is_over = false;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: Pick<IncomingHttpHeaders, 'retry-after' | 'content-type'> = {};
  readonly #kept: Buffer[] = [];
  #bytes = 0;

  constructor(timers: Timers, bounds: ExchangeBounds, signal: AbortSignal | undefined) {
    this.#timers = timers;
    this.#bounds = bounds;
    this.#started_ms = timers.monotonicNow();
    this.end = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    const stopTimer = timers.after(bounds.time_ms, () => this.#giveUp(bounds.time_ms), { keeps_alive: false });
    const abandon = () => this.#giveUp(this.#durationMs());
    signal?.addEventListener('abort', abandon);
    this.#stopWaiting = () => {
      stopTimer();
      signal?.removeEventListener('abort', abandon);
    };
    if (signal?.aborted) abandon();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#is_over) controller.abort(timeOut());
  }

  /** Called for each interim answer, too: only the last one counts. */
  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  /** Keeps the first bytes. After `read_bytes_max` the rest is not read, and the connection is closed. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { kept_bytes_max, read_bytes_max } = this.#bounds;
    if (this.#bytes < kept_bytes_max) this.#kept.push(chunk.subarray(0, kept_bytes_max - this.#bytes));
    this.#bytes += chunk.length;
    if (this.#bytes <= read_bytes_max) return;
    this.onResponseEnd();
    controller.abort(new Error('the answer is too long'));
  }

  onResponseEnd(): void {
    this.#finish({
      kind: 'answered',
      status: this.#status,
      content_type: headerText(this.#headers['content-type']),
      retry_after: headerText(this.#headers['retry-after']),
      body: this.#bytes === 0 ? '' : Buffer.concat(this.#kept).toString('utf8'),
      is_cut: this.#bytes > this.#bounds.kept_bytes_max,
      duration_ms: this.#durationMs(),
    });
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#finish({ kind: 'unanswered', ...explain(error, this.#bounds.time_ms), duration_ms: this.#durationMs() });
  }

  #giveUp(after_ms: number): void {
    this.#finish({ kind: 'unanswered', ...explain(timeOut(), after_ms), duration_ms: this.#durationMs() });
    this.#controller?.abort(timeOut());
  }

  #finish(end: ExchangeEnd): void {
    if (this.#is_over) return;
    this.#is_over = true;
    this.#stopWaiting();
    this.#resolve(end);
  }

  #durationMs(): number {
    return Math.round(this.#timers.monotonicNow() - this.#started_ms);
  }
}

function timeOut(): DOMException {
  return new DOMException('no answer in time', 'TimeoutError');
}

/** A header that is sent twice is an array. */
function headerText(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 100) : null;
}
