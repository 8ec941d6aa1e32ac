/**
 * Whether the server still takes work, and how much is in hand.
 *
 *   serving --stop()--> stopping
 *
 * While stopping, answers carry `Connection: close` and `/readyz` is 503, so that clients and load balancers go elsewhere;
 * what is in flight is finished. The server closes its listener, then waits for `idle()`.
 */
export interface Lifecycle {
  readonly stopping: boolean;
  /** Requests whose answer has not been handed to the network yet. */
  readonly in_flight: number;
  /** Begins to stop; a repeat changes nothing. */
  stop(): void;
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
  /** A request has come; returns what to call, once, when its answer is out. */
  enter(): () => void;
}

/** A lifecycle that is serving, with nothing in flight. */
export function createLifecycle(): Lifecycle {
  let stopping = false;
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
      return stopping;
    },
    get in_flight() {
      return in_flight;
    },
    stop() {
      stopping = true;
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
