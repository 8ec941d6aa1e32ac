import type { Persistence } from '@tallystick/mikro-orm';

/** How long nothing may happen before time goes on although calls wait: for each other, or for time. */
const silence_ms = 5;

/** Members whose calls wait for time. */
const waiting: readonly string[] = ['giveWay', 'rest'];

/** Counts the calls to a database that are in progress. */
export class DatabaseAnswers {
  /** How many calls have ended. */
  ended = 0;
  #in_progress = 0;
  #wake: () => void = () => {};

  /** The same storage; its calls are counted. */
  counted(persistence: Persistence): Persistence {
    return this.#countMembers(persistence);
  }

  /** Counts the work. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#in_progress += 1;
    try {
      return await work();
    } finally {
      this.#in_progress -= 1;
      this.ended += 1;
      this.#wake();
    }
  }

  /** Resolves when no call is in progress, or when none has ended for a while. */
  async answered(): Promise<void> {
    for (let is_silent = false; this.#in_progress > 0 && !is_silent; ) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const silence = setTimeout(resolve, silence_ms, true);
      this.#wake = () => resolve(false);
      is_silent = await promise;
      clearTimeout(silence);
      // What follows from an answer may ask again.
      await new Promise((resolve) => void setImmediate(resolve));
    }
  }

  #countMembers<Part extends object>(part: Part): Part {
    const members = Object.entries(part).map(([name, member]) => [
      name,
      waiting.includes(name) ? member : this.#count(member),
    ]);
    return Object.fromEntries(members) as Part;
  }

  #count(member: unknown): unknown {
    if (typeof member === 'object' && member !== null) return this.#countMembers(member);
    if (typeof member !== 'function') return member;
    return (...given: unknown[]) => {
      const result: unknown = member(...given);
      return result instanceof Promise ? this.during(() => result) : result;
    };
  }
}
