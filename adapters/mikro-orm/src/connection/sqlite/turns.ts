import { type Deadline, Fault, machine_timers, type Timers } from '@tallystick/kernel';

/** How long work waits for its turn and for the write lock of another process, milliseconds. */
const wait_ms_max = 5_000;

/** The end of the wait of work that begins to wait now and has no deadline of its own. */
export function waitEnd({ monotonicNow }: Timers = machine_timers, ms = wait_ms_max): Deadline {
  const end_ms = monotonicNow() + ms;
  return { leftMs: () => end_ms - monotonicNow() };
}

/** Lets one user at a time use a connection, in the order in which they asked. */
export class Turns {
  readonly timers: Timers;
  readonly #waiting = new Set<() => void>();
  #is_taken = false;
  #is_closed = false;

  constructor(timers = machine_timers) {
    this.timers = timers;
  }

  /** Whether anyone waits for the end of the present turn. */
  get is_wanted(): boolean {
    return this.#waiting.size > 0;
  }

  /**
   * Waits for a turn and runs the work in it. Rejects with a retryable fault, and does not run the
   * work, when the turn has not begun by the end of the wait.
   */
  async run<Result>(work: () => Result | Promise<Result>, wait_end?: Deadline): Promise<Result> {
    await this.take(wait_end);
    try {
      return await work();
    } finally {
      this.end();
    }
  }

  /** Resolves when a turn begins. The caller must call `end`. Rejects like `run`. */
  async take(wait_end?: Deadline): Promise<void> {
    if (this.#is_closed) throw new Fault('the database is closed', { retryable: false });
    if (!this.#is_taken) {
      this.#is_taken = true;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        stopWaiting?.();
        resolve();
      };
      const giveUp = () => {
        this.#waiting.delete(begin);
        reject(new Fault('the database was busy for too long', { retryable: true }));
      };
      const stopWaiting = wait_end && this.timers.after(Math.max(0, wait_end.leftMs()), giveUp);
      this.#waiting.add(begin);
    });
  }

  /** Ends the present turn and begins the next. */
  end(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#is_taken = false;
      return;
    }
    this.#waiting.delete(next);
    next();
  }

  /** Rejects later requests, and resolves when every earlier one has had its turn. */
  async close(): Promise<void> {
    if (this.#is_closed) return;
    const last = this.take();
    this.#is_closed = true;
    await last;
    this.end();
  }
}
