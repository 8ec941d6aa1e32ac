import { setImmediate as nextTurn } from 'node:timers/promises';
import { fixedClock, type Timers, type UnitOfWork } from '@tallystick/kernel';
import { type MemoryPersistence, memoryPersistence } from '@tallystick/memory';
import { createSubscriber, type Subscriber, type SubscriptionFailure, type SubscriptionTx } from '../src/index.ts';

export const start_ms = Date.UTC(2026, 0, 15, 12);

/** Turns of the event loop in which work in memory has ended that waits for no timer. */
const turns_until_quiet = 12;

let tokens_drawn = 0;

/** A process with a subscriber. */
export interface SubscribingProcess {
  readonly subscriber: Subscriber;
  readonly failures: SubscriptionFailure[];
  readonly listener_errors: unknown[];
  readonly removed: string[];
  /** The transactions of this process that may write, and those that only read. */
  writes: number;
  reads: number;
  /** How often it looked how far the log is final. */
  looks: number;
  /** Ends the process: its timers never run, and its transactions reject. */
  die(): void;
}

/** An event log in memory, and processes whose machine time the test moves. */
export class SubscriberWorld {
  readonly persistence: MemoryPersistence = memoryPersistence({ clock: fixedClock(start_ms) });
  #now_ms = 0;
  readonly #timers = new Set<{ readonly at_ms: number; readonly run: () => void; readonly lives: () => boolean }>();

  /** Milliseconds of machine time since the start. */
  get elapsed_ms(): number {
    return this.#now_ms;
  }

  get timers_left(): number {
    return this.#timers.size;
  }

  process(): SubscribingProcess {
    let is_dead = false;
    const after: Timers['after'] = (ms, run) => {
      const timer = { at_ms: this.#now_ms + ms, run, lives: () => !is_dead };
      this.#timers.add(timer);
      return () => void this.#timers.delete(timer);
    };
    const assertAlive = (): void => {
      if (is_dead) throw new Error('the process is dead');
    };
    const alive = <Tx>(unitOfWork: UnitOfWork<Tx>): UnitOfWork<Tx> => ({
      run: (work) =>
        unitOfWork.run(async (tx) => {
          assertAlive();
          process.writes += 1;
          return await work(tx);
        }),
      read(work) {
        process.reads += 1;
        return unitOfWork.read(work);
      },
    });
    const { unitOfWork, event_horizon, begin, joining } = this.persistence;
    const failures: SubscriptionFailure[] = [];
    const listener_errors: unknown[] = [];
    const removed: string[] = [];
    const subscriber = createSubscriber({
      unitOfWork: alive(unitOfWork),
      event_horizon: {
        ...event_horizon,
        read() {
          process.looks += 1;
          return event_horizon.read();
        },
      },
      // Storage in memory has no statements that could be repeated.
      dialect: 'postgres',
      begin,
      joining: (host) => alive(joining(host)),
      after,
      clock: fixedClock(start_ms),
      monotonicNow: () => this.#now_ms,
      machineNow: () => start_ms + this.#now_ms,
      random: {
        below: () => 0,
        bytes(count) {
          tokens_drawn += 1;
          return new Uint8Array(count).fill(tokens_drawn);
        },
      },
      failed: (failure) => failures.push(failure),
      removed: (name) => removed.push(name),
      listenerFailed: (error) => listener_errors.push(error),
    });
    const process: SubscribingProcess = {
      subscriber,
      failures,
      listener_errors,
      removed,
      writes: 0,
      reads: 0,
      looks: 0,
      die: () => {
        is_dead = true;
      },
    };
    return process;
  }

  /** Commits this number of events; returns their ids. */
  async happen(count = 1, event_type = 'virtualcard.created', company_id = 1): Promise<readonly number[]> {
    const events = Array.from({ length: count }, (_, place) => ({
      company_id,
      event_type,
      payload: { id: place },
      previous: null,
      created_at_ms: start_ms,
      request_id: null,
    }));
    const stored = await this.persistence.unitOfWork.run((tx) => tx.events.append(events));
    return stored.map(({ id }) => id);
  }

  /** Runs the timers one after another, each at its time, until the condition is met. */
  async until(isMet: () => boolean): Promise<void> {
    for (let steps = 0; steps < 2_000; steps += 1) {
      await this.quiet();
      if (isMet()) return;
      const next = [...this.#timers].sort((a, b) => a.at_ms - b.at_ms)[0];
      if (next === undefined) break;
      this.#runAt(next);
    }
    throw new Error(`the condition is not met after ${this.#now_ms} ms`);
  }

  /** Lets this time pass. */
  async pass(ms: number): Promise<void> {
    const end_ms = this.#now_ms + ms;
    for (;;) {
      await this.quiet();
      const next = [...this.#timers].sort((a, b) => a.at_ms - b.at_ms)[0];
      if (next === undefined || next.at_ms > end_ms) break;
      this.#runAt(next);
    }
    this.#now_ms = end_ms;
  }

  async quiet(): Promise<void> {
    for (let turn = 0; turn < turns_until_quiet; turn += 1) await nextTurn();
  }

  /** The effects of handlers: companies with these names, in the order in which they were written. */
  get effects(): readonly string[] {
    return this.persistence
      .committed()
      .companies.values()
      .map(({ name }) => name);
  }

  /** Writes an effect in the transaction of a handler. */
  async effect(tx: SubscriptionTx, name: string): Promise<void> {
    const host = { ...tx.host, handle: await tx.native() };
    const company = {
      name,
      customer_number: name,
      full_details_in_mail: false,
      hold_days: null,
      status: 'active' as const,
      rate_limit_per_minute: null,
      four_eyes: null,
      endpoint_version: 0,
      created_at_ms: start_ms,
    };
    await this.persistence.joining(host).run((its) => its.companies.insert(company));
  }

  #runAt(timer: { readonly at_ms: number; readonly run: () => void; readonly lives: () => boolean }): void {
    this.#now_ms = Math.max(this.#now_ms, timer.at_ms);
    this.#timers.delete(timer);
    if (timer.lives()) timer.run();
  }
}
