import { assert } from '@tallystick/kernel';

/**
 * The rows of one kind that a transaction holds: the rows that it inserted, and those that it read
 * for update. Writing transactions run one after the other here, so nothing else depends on it. But
 * on a database, a use case that reads a row, changes it and writes it back without holding it
 * would lose changes. So that is a `Violation`.
 */
export class HeldRows {
  readonly #kind: string;
  readonly #ids = new Set<number>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  hold(id: number): void {
    this.#ids.add(id);
  }

  assertHeld(id: number): void {
    assert(this.#ids.has(id), `${this.#kind} ${id} is written without being held for update`);
  }
}
