import { AsyncLocalStorage } from 'node:async_hooks';
import type { Timers } from '@tallystick/kernel';
import { EventHeap, type Scheduled } from './event-heap.ts';
import type { Machine } from './machine.ts';
import type { SeededRandom } from './random.ts';

/** How often every poll fires, whatever is due: there is work without a known time. */
const round_every_ms = 24 * 3_600_000;
/** A wait that is shorter is no poll. */
const poll_ms_min = 100;

/** How often nothing is left to do while a database has not answered yet. */
const idle_max = 1_000;

const drained = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/**
 * Simulated time: one queue of everything that happens later, in the order of time and, at the same
 * time, in a random order. A step runs the first entry and everything that follows from it without
 * waiting.
 *
 * A wait that is begun within a wait of the same length is a poll. Time jumps over polls while
 * nothing is due, and they go on in their rhythm when something is. Once a day each of them fires,
 * whatever is due.
 */
export class SimulatedTime {
  now_ms: number;
  steps = 0;
  /** What is waited for after each step beside what follows from it; null: nothing. */
  afterStep: (() => Promise<void>) | null = null;
  readonly #random: SeededRandom;
  readonly #entries = new EventHeap();
  readonly #polls = new EventHeap();
  /** The length of the wait whose end began the present work. */
  readonly #waited = new AsyncLocalStorage<number>();
  #sequence = 0;
  /** When work is due that no entry announces; the past: now. */
  #dueAt: () => number = () => Number.POSITIVE_INFINITY;
  /** Until then no poll is jumped over. */
  #awake_until_ms = 0;
  #rounded_at_ms: number;

  constructor(start_ms: number, random: SeededRandom) {
    this.now_ms = start_ms;
    this.#rounded_at_ms = start_ms;
    this.#random = random;
  }

  /** Names the instants at which the polls find work. */
  jumpTo(dueAt: () => number): void {
    this.#dueAt = dueAt;
  }

  /** Polls at their own times for a while, as after a fault that the next poll mends. */
  stayFor(ms: number): void {
    this.#awake_until_ms = Math.max(this.#awake_until_ms, this.now_ms + ms);
    // Those that time has jumped over are late, and time does not go back to them.
    if (this.#polls.firstMs() < this.now_ms) this.#wakePolls(this.now_ms, false);
  }

  /** Runs something of the world at a time, unless the returned function is called. */
  after(ms: number, run: () => void, machine: Machine | null = null): () => void {
    return this.#add(ms, run, machine, this.#entries);
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /**
   * The time of a process on this machine. `only_polls`: for a part whose waits all end when time is
   * at what is due, because it finds nothing to do before.
   */
  timersOf(machine: Machine, { only_polls } = { only_polls: false }): Timers {
    const started_ms = this.now_ms;
    let turn: (() => void)[] = [];
    const after: Timers['after'] = (ms, run) => {
      // Instants are whole milliseconds.
      const waited_ms = Math.max(0, Math.ceil(ms));
      const is_poll = waited_ms >= poll_ms_min && (only_polls || this.#waited.getStore() === waited_ms);
      return this.#add(
        waited_ms,
        () => this.#waited.run(waited_ms, run),
        machine,
        is_poll ? this.#polls : this.#entries,
      );
    };
    return {
      nowMs: () => this.now_ms + machine.skew_ms,
      monotonicNow: () => this.now_ms - started_ms,
      after,
      pause: (ms, { signal } = {}) =>
        new Promise((resolve) => {
          const end = () => {
            cancel();
            signal?.removeEventListener('abort', end);
            resolve();
          };
          const cancel = after(signal?.aborted ? 0 : ms, end);
          signal?.addEventListener('abort', end);
        }),
      nextTurn: () =>
        new Promise((resolve) => {
          turn.push(resolve);
          if (turn.length > 1) return;
          this.#add(
            0,
            () => {
              const resolvers = turn;
              turn = [];
              for (const resolve of resolvers) resolve();
            },
            machine,
            this.#entries,
          );
        }),
    };
  }

  /** Runs the next entry until `until_ms`. Returns false when there is none. */
  async step(until_ms: number): Promise<boolean> {
    const entry = this.#next(until_ms);
    if (entry === null) {
      if (until_ms < Number.POSITIVE_INFINITY) this.now_ms = Math.max(this.now_ms, until_ms);
      return false;
    }
    this.now_ms = entry.at_ms;
    this.steps += 1;
    entry.run();
    await this.#settle();
    return true;
  }

  /** Runs entries until the work has ended. Rejects when nothing is left that could end it. */
  async until<Result>(work: Promise<Result>): Promise<Result> {
    let is_ended = false;
    const end = () => {
      is_ended = true;
    };
    work.then(end, end);
    await this.#settle();
    for (let idle = 0; !is_ended; ) {
      if (await this.step(Number.POSITIVE_INFINITY)) idle = 0;
      else if (this.afterStep === null || idle > idle_max) throw new Error('nothing is left that would end the work');
      else {
        idle += 1;
        await this.#settle();
      }
    }
    return await work;
  }

  async #settle(): Promise<void> {
    await drained();
    if (this.afterStep !== null) await this.afterStep();
  }

  #next(until_ms: number): Scheduled | null {
    for (;;) {
      const entry = this.#first(until_ms);
      if (entry === null) return null;
      if (entry.machine?.is_dead) continue;
      const still_until_ms = entry.machine?.still_until_ms ?? 0;
      if (entry.at_ms >= still_until_ms) return entry;
      entry.at_ms = still_until_ms;
      this.#entries.push(entry);
    }
  }

  #first(until_ms: number): Scheduled | null {
    const entry_ms = this.#entries.firstMs();
    const poll_ms = this.#polls.firstMs();
    if (poll_ms > this.#awake_until_ms) {
      const round_ms = this.#rounded_at_ms + round_every_ms;
      const from_ms = Math.max(this.now_ms, Math.min(this.#dueAt(), round_ms));
      if (poll_ms < from_ms) {
        if (entry_ms <= Math.min(from_ms, until_ms)) return this.#entries.pop();
        if (from_ms > until_ms) return null;
        this.#wakePolls(from_ms, from_ms >= round_ms);
        return this.#first(until_ms);
      }
    }
    if (Math.min(entry_ms, poll_ms) > until_ms) return null;
    if (entry_ms === poll_ms) return (this.#random.below(2) === 0 ? this.#entries : this.#polls).pop();
    return (entry_ms < poll_ms ? this.#entries : this.#polls).pop();
  }

  /** The polls that were jumped over: each at its own place in its rhythm, or all of them now. */
  #wakePolls(from_ms: number, is_round: boolean): void {
    this.#polls.delay(from_ms, ({ wait_ms }) => from_ms + (is_round ? 0 : this.#random.below(wait_ms)));
    if (!is_round) return;
    this.#rounded_at_ms = from_ms;
    this.#awake_until_ms = from_ms;
  }

  #add(ms: number, run: () => void, machine: Machine | null, heap: EventHeap): () => void {
    const at_ms = this.now_ms + ms;
    const rank = this.#random.below(2 ** 30);
    const entry: Scheduled = {
      at_ms,
      wait_ms: ms,
      rank,
      sequence: this.#sequence,
      run,
      machine,
      is_cancelled: false,
    };
    this.#sequence += 1;
    heap.push(entry);
    return () => {
      entry.is_cancelled = true;
    };
  }
}
