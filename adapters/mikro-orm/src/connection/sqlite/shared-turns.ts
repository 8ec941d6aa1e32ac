import { type Deadline, Fault, machine_timers } from '@tallystick/kernel';
import type { Database } from 'better-sqlite3';
import { Turns, waitEnd } from './turns.ts';

/**
 * Turns on a handle that the host also uses. A turn begins when no transaction of the host is open:
 * what is done in it must not become part of that transaction.
 */
export class SharedTurns extends Turns {
  readonly #database: Database;
  #is_closing = false;

  constructor(database: Database, timers = machine_timers) {
    super(timers);
    this.#database = database;
  }

  override async take(wait_end: Deadline = waitEnd(this.timers)): Promise<void> {
    await super.take(wait_end);
    await this.#afterTheHost(wait_end);
  }

  override async takeLong(): Promise<void> {
    await super.takeLong();
    await this.#afterTheHost(waitEnd(this.timers));
  }

  async #afterTheHost(wait_end: Deadline): Promise<void> {
    for (let step_ms = 1; this.#database.inTransaction && !this.#is_closing; step_ms = Math.min(step_ms * 2, 50)) {
      if (wait_end.leftMs() <= 0) {
        this.end();
        throw new Fault(
          'a transaction of the host is open on the database in memory: end it, or pass it on as { tx }',
          { retryable: true },
        );
      }
      await this.timers.pause(Math.min(step_ms, wait_end.leftMs()));
    }
  }

  override async close(): Promise<void> {
    this.#is_closing = true;
    await super.close();
  }
}
