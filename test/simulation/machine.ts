/**
 * A machine on which one process runs. Its clock may be wrong, it may stand still, and it may die
 * for good: what its process waited for never comes.
 */
export class Machine {
  readonly name: string;
  /** How far its clock is ahead of simulated time, milliseconds. */
  readonly skew_ms: number;
  /** Its timers that come due before this time fire at this time. */
  still_until_ms = 0;
  #is_dead = false;
  readonly #on_death = new Set<() => void>();

  constructor(name: string, skew_ms: number) {
    this.name = name;
    this.skew_ms = skew_ms;
  }

  get is_dead(): boolean {
    return this.#is_dead;
  }

  /** Calls the function when the process dies, unless the returned function was called before. */
  onDeath(run: () => void): () => void {
    this.#on_death.add(run);
    return () => this.#on_death.delete(run);
  }

  die(): void {
    if (this.#is_dead) return;
    this.#is_dead = true;
    for (const run of this.#on_death) run();
    this.#on_death.clear();
  }
}
