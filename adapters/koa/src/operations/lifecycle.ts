/**
 * Whether the server still accepts work, and how many requests are in flight.
 *
 *   serving --stop()--> stopping
 *
 * While stopping, answers have the header `Connection: close` and `/readyz` returns 503, so that
 * clients and load balancers use another server. Requests in flight are completed. The server
 * closes its listener, then waits for `idle()`.
 */
export interface Lifecycle {
  readonly stopping: boolean;
  /** Aborted by `stop`, for work that another process can continue. */
  readonly signal: AbortSignal;
  /** Requests whose answer has not been passed to the network yet. */
  readonly in_flight: number;
  /** Begins to stop. A repeated call changes nothing. */
  stop(): void;
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
  /** Counts a received request. Returns a function to call once, when its answer is sent. */
  enter(): () => void;
}

/** A lifecycle that is serving, with nothing in flight. */
export function createLifecycle(): Lifecycle {
  const stop = new AbortController();
  let in_flight = 0;
  let waiting: (() => void)[] = [];
  const leave = () => {
    in_flight -= 1;
    if (in_flight > 0) return;
    const resolved = waiting;
    waiting = [];
    for (const resolve of resolved) resolve();
  };
  return {
    get stopping() {
      return stop.signal.aborted;
    },
    signal: stop.signal,
    get in_flight() {
      return in_flight;
    },
    stop() {
      stop.abort();
    },
    idle() {
      return in_flight === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve));
    },
    enter() {
      in_flight += 1;
      return leave;
    },
  };
}
