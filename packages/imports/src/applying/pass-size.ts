import type { Fold } from '@tallystick/cards';
import { turn_work_ms_max } from '@tallystick/kernel';

/**
 * What waits for a pass of a file besides decisions about its cards: nothing in a process that only
 * imports (`alone`), what is to be decided in the same turn (`beside`), or the whole process, because
 * a pass is one turn of its event loop (`blocking`; ADR 0054).
 */
export type PassKind = 'alone' | 'beside' | 'blocking';

interface Bounds {
  /** The time that a pass is to take, milliseconds. A decision about one of its cards waits for it. */
  readonly pass_ms: number;
  /** A pass has costs that do not depend on its records. Fewer records would only be slower. */
  readonly records_min: number;
  /** To decide about the records of a pass is one turn of the event loop, on every database. */
  readonly records_max: number;
  readonly records_at_start: number;
}

const bounds_of: Readonly<Record<PassKind, Bounds>> = {
  alone: { pass_ms: 150, records_min: 10, records_max: Number.POSITIVE_INFINITY, records_at_start: 100 },
  beside: { pass_ms: 150, records_min: 10, records_max: 100, records_at_start: 100 },
  // One record with many neighbours can take as long as a turn may take.
  blocking: { pass_ms: turn_work_ms_max, records_min: 1, records_max: 100, records_at_start: 2 },
};

/**
 * How many records the next pass of a file takes, so that it takes about the same time however fast
 * the machine is and however expensive the records are.
 */
export class PassSize {
  readonly #bounds: Bounds;
  #records: number;

  constructor(kind: PassKind) {
    this.#bounds = bounds_of[kind];
    this.#records = this.#bounds.records_at_start;
  }

  get records(): number {
    return this.#records;
  }

  /** Notes how long a pass took: see `HoldTime`. */
  note(records: number, took_ms: number): void {
    const { pass_ms, records_min, records_max } = this.#bounds;
    // The last pass of a batch may have few records, and says little about more of them.
    if (took_ms <= pass_ms && records < this.#records) return;
    const fitting = Math.floor((records * pass_ms) / Math.max(1, took_ms));
    this.#records = Math.max(records_min, Math.min(fitting, 2 * this.#records, records_max));
  }
}

/**
 * Measures for how long a pass held its cards, without its wait for the first of them. Of a pass that
 * blocks its process, until it has decided: the commit waits for the disk, and fewer records would
 * not make it shorter.
 */
export class HoldTime {
  readonly #now: () => number;
  readonly #is_blocking: boolean;
  #began_ms: number;
  #decided_ms: number | null = null;

  constructor({ monotonicNow, pass_kind }: { readonly monotonicNow: () => number; readonly pass_kind: PassKind }) {
    this.#now = monotonicNow;
    this.#is_blocking = pass_kind === 'blocking';
    this.#began_ms = monotonicNow();
  }

  /** For the bounds of the pass. */
  readonly onHolding = (): void => {
    this.#began_ms = this.#now();
  };

  /** The fold for the pass, which notes when it has decided. */
  during<Result>(fold: Fold<Result>): Fold<Result> {
    return (state) => {
      const folded = fold(state);
      this.#decided_ms = this.#now();
      return folded;
    };
  }

  get ms(): number {
    const ended_ms = this.#is_blocking ? this.#decided_ms : null;
    return (ended_ms ?? this.#now()) - this.#began_ms;
  }
}
