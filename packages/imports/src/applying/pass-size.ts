import type { Ledger } from '@tallystick/cards';
import type { ImportPorts } from '../ports.ts';

/**
 * The time that a pass of a file is to take, milliseconds. A decision about one of its cards waits
 * until the pass ends. A pass that blocks its process is one turn of the event loop (ADR 0054).
 */
const pass_ms = { concurrent: 150, blocking: 10 } as const;

/** A pass has costs that do not depend on its records. Fewer records would only be slower. */
const records_min = 10;

/** To decide about the records of a pass is one turn of the event loop, on every database. */
const records_max = 100;

const records_at_start = { concurrent: records_max, blocking: records_min } as const;

/**
 * How many records the next pass of a file takes, so that it takes about the same time however fast
 * the machine is and however expensive the records are.
 */
export class PassSize {
  readonly #pass_ms: number;
  #records: number;

  constructor({ gather }: Pick<Ledger, 'gather'>) {
    const kind = gather === undefined ? 'concurrent' : 'blocking';
    this.#pass_ms = pass_ms[kind];
    this.#records = records_at_start[kind];
  }

  get records(): number {
    return this.#records;
  }

  /** Notes for how long a pass held its cards, with its waits for others of them. */
  note(records: number, took_ms: number): void {
    // The last pass of a batch may have few records, and says little about more of them.
    if (took_ms <= this.#pass_ms && records < this.#records) return;
    const fitting = Math.floor((records * this.#pass_ms) / Math.max(1, took_ms));
    this.#records = Math.max(records_min, Math.min(fitting, 2 * this.#records, records_max));
  }
}

/** Measures for how long a pass held its cards: without its wait for the first of them. */
export class HoldTime {
  readonly #now: () => number;
  #began_ms: number;

  constructor({ monotonicNow }: Pick<ImportPorts, 'monotonicNow'>) {
    this.#now = monotonicNow;
    this.#began_ms = monotonicNow();
  }

  /** For the bounds of the pass. */
  readonly onHolding = (): void => {
    this.#began_ms = this.#now();
  };

  get ms(): number {
    return this.#now() - this.#began_ms;
  }
}
