import type { Fold, Ledger } from '@tallystick/cards';
import { turn_work_ms_max } from '@tallystick/kernel';
import type { ImportPorts } from '../ports.ts';

/**
 * The time that a pass of a file is to take, milliseconds. A decision about one of its cards waits
 * until the pass ends. A pass that blocks its process is one turn of the event loop (ADR 0054).
 */
const pass_ms = { concurrent: 150, blocking: turn_work_ms_max } as const;

/**
 * A concurrent pass has costs that do not depend on its records: fewer would only be slower. One
 * record with many neighbours can take a blocking pass as long as it may take.
 */
const records_min = { concurrent: 10, blocking: 1 } as const;

/** To decide about the records of a pass is one turn of the event loop, on every database. */
const records_max = 100;

/** Little enough for a turn when each record has many neighbours. */
const records_at_start = { concurrent: records_max, blocking: 2 } as const;

/**
 * How many records the next pass of a file takes, so that it takes about the same time however fast
 * the machine is and however expensive the records are.
 */
export class PassSize {
  readonly #pass_ms: number;
  readonly #records_min: number;
  #records: number;

  constructor(ledger: Pick<Ledger, 'gather'>) {
    const kind = kindOf(ledger);
    this.#pass_ms = pass_ms[kind];
    this.#records_min = records_min[kind];
    this.#records = records_at_start[kind];
  }

  get records(): number {
    return this.#records;
  }

  /** Notes how long a pass took: see `HoldTime`. */
  note(records: number, took_ms: number): void {
    // The last pass of a batch may have few records, and says little about more of them.
    if (took_ms <= this.#pass_ms && records < this.#records) return;
    const fitting = Math.floor((records * this.#pass_ms) / Math.max(1, took_ms));
    this.#records = Math.max(this.#records_min, Math.min(fitting, 2 * this.#records, records_max));
  }
}

function kindOf({ gather }: Pick<Ledger, 'gather'>): keyof typeof pass_ms {
  return gather === undefined ? 'concurrent' : 'blocking';
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

  constructor({ monotonicNow, ledger }: Pick<ImportPorts, 'monotonicNow' | 'ledger'>) {
    this.#now = monotonicNow;
    this.#is_blocking = kindOf(ledger) === 'blocking';
    this.#began_ms = monotonicNow();
  }

  /** For the bounds of the pass. */
  readonly onHolding = (): void => {
    this.#began_ms = this.#now();
  };

  /** The fold for the pass. */
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
