import { type Deadline, Fault, machine_timers, type Timers } from '@tallystick/kernel';
import { closed } from '../faults.ts';

/** How long work waits for its turn and for the write lock of another process, milliseconds. */
const wait_ms_max = 5_000;

/** The end of the wait of work that begins to wait now and has no deadline of its own. */
export function waitEnd({ monotonicNow }: Timers = machine_timers, ms = wait_ms_max): Deadline {
  const end_ms = monotonicNow() + ms;
  return { leftMs: () => end_ms - monotonicNow() };
}

/**
 * Lets one user at a time use a connection, in the order in which they asked. Users that may take
 * long have a queue of their own: between two of them, all others that wait have their turn.
 */
export class Turns {
  readonly timers: Timers;
  /** How long its users have waited for the write lock of another process, milliseconds in all. */
  lock_wait_ms = 0;
  readonly #waiting = new Set<() => void>();
  readonly #waiting_long = new Set<() => void>();
  /** How many of those that wait are before the next long turn. */
  #before_long = 0;
  #is_taken = false;
  #is_long = false;
  #is_closed = false;
  /** Resolves after `close`, when the last turn has ended. */
  readonly #free = Promise.withResolvers<void>();

  constructor(timers = machine_timers) {
    this.timers = timers;
  }

  /** Whether anyone waits for the end of the present turn. */
  get is_wanted(): boolean {
    return this.#waiting.size + this.#waiting_long.size > 0;
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
    if (this.#is_closed) throw closed();
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
      const stopWaiting = wait_end && this.timers.after(wait_end.leftMs(), giveUp);
      this.#waiting.add(begin);
    });
  }

  /** Resolves when a turn begins that may take long, however long it has to wait. */
  async takeLong(): Promise<void> {
    if (this.#is_closed) throw closed();
    if (this.#is_taken) {
      if (this.#waiting_long.size === 0 && !this.#is_long) this.#before_long = this.#waiting.size;
      await new Promise<void>((resolve) => this.#waiting_long.add(resolve));
    }
    this.#is_taken = true;
    this.#is_long = true;
  }

  /** Ends the present turn and begins the next. */
  end(): void {
    if (this.#is_long) this.#before_long = this.#waiting.size;
    this.#is_long = false;
    const is_short = this.#waiting_long.size === 0 || (this.#waiting.size > 0 && this.#before_long > 0);
    const queue = is_short ? this.#waiting : this.#waiting_long;
    if (is_short) this.#before_long -= 1;
    const [next] = queue;
    if (next === undefined) {
      this.#is_taken = false;
      if (this.#is_closed) this.#free.resolve();
      return;
    }
    queue.delete(next);
    next();
  }

  /** Rejects later requests, and resolves when every earlier one has had its turn. */
  async close(): Promise<void> {
    this.#is_closed = true;
    if (this.#is_taken) await this.#free.promise;
  }
}
