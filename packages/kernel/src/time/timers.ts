import type { Clock } from './clock.ts';

/**
 * What the product needs of time and of turns of the event loop (ADR 0056). Nothing that a host
 * loads takes it from the globals of the process.
 */
export interface Timers extends Clock {
  /** Machine time, epoch milliseconds, an integer. */
  readonly nowMs: () => number;
  /** Milliseconds since a fixed origin, never going back. */
  readonly monotonicNow: () => number;
  /**
   * Runs something once after a time in milliseconds, unless the returned function is called. Does
   * not wait for a time that has passed: 0 or less.
   */
  readonly after: (ms: number, run: () => void, options?: WaitOptions) => () => void;
  /** Resolves after a time in milliseconds, or as soon as the signal aborts. */
  readonly pause: (ms: number, options?: WaitOptions & { readonly signal?: AbortSignal | undefined }) => Promise<void>;
  /**
   * Resolves in the next turn, in the order of the calls. What has arrived meanwhile is read first.
   */
  readonly nextTurn: () => Promise<void>;
}

export interface WaitOptions {
  /**
   * False: the wait does not keep a process alive that has nothing else to do. True when absent.
   */
  readonly keeps_alive?: boolean;
}

// Taken when this module is loaded: tests of a host replace the globals, and do not move them on.
const { setTimeout, clearTimeout, setImmediate, performance } = globalThis;
const nowMs = Date.now;
const monotonicNow = performance.now.bind(performance);

function after(ms: number, run: () => void, { keeps_alive = true }: WaitOptions = {}): () => void {
  // Node warns of a negative time.
  const timer = setTimeout(run, Math.max(0, ms));
  if (!keeps_alive) timer.unref();
  return () => clearTimeout(timer);
}

/** The timers of the machine, whatever replaces the globals after this module was loaded. */
export const machine_timers: Timers = {
  nowMs: () => nowMs(),
  monotonicNow: () => monotonicNow(),
  after,
  pause: (ms, { signal, ...options } = {}) =>
    new Promise((resolve) => {
      const end = () => {
        cancel();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const cancel = after(signal?.aborted ? 0 : ms, end, options);
      signal?.addEventListener('abort', end);
    }),
  nextTurn: () => new Promise((resolve) => void setImmediate(resolve)),
};

/** A signal that aborts after a time in milliseconds. It does not keep the process alive. */
export function abortAfter({ after }: Pick<Timers, 'after'>, ms: number): AbortSignal {
  const ending = new AbortController();
  after(ms, () => ending.abort(new DOMException(`not done within ${ms} ms`, 'TimeoutError')), { keeps_alive: false });
  return ending.signal;
}
