/** A monotonic clock that a test moves, with the pauses that end at its times. */
export class TestTime {
  #now_ms = 1_000;
  #pauses: { readonly at_ms: number; readonly resolve: () => void }[] = [];

  readonly monotonicNow = () => this.#now_ms;

  readonly pause = (ms: number) =>
    new Promise<void>((resolve) => {
      this.#pauses.push({ at_ms: this.#now_ms + ms, resolve });
    });

  /** Moves on by `ms` as if the process did nothing else: no pause ends. */
  block(ms: number): void {
    this.#now_ms += ms;
  }

  /** Moves on by `ms`, and ends each pause at its time. */
  async advance(ms: number): Promise<void> {
    const until_ms = this.#now_ms + ms;
    await settled();
    for (;;) {
      const next = this.#pauses.toSorted((a, b) => a.at_ms - b.at_ms)[0];
      if (next === undefined || next.at_ms > until_ms) break;
      this.#pauses = this.#pauses.filter((pause) => pause !== next);
      this.#now_ms = Math.max(this.#now_ms, next.at_ms);
      next.resolve();
      await settled();
    }
    this.#now_ms = until_ms;
    await settled();
  }
}

/** Lets every pending continuation run. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));
