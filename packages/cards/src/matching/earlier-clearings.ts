import type { Clearing } from '../records/clearing.ts';

/** The clearings of a card that come before one of them in the canonical order, in that order. */
export class EarlierClearings {
  readonly #all: Clearing[] = [];
  readonly #by_reference = new Map<string, Clearing[]>();
  readonly #undone = new Set<number>();

  constructor(clearings: Iterable<Clearing> = []) {
    for (const clearing of clearings) this.add(clearing);
  }

  get all(): readonly Clearing[] {
    return this.#all;
  }

  add(clearing: Clearing): void {
    const { acquirer_reference_data: reference, match_rule, cycle, clearing_id } = clearing;
    this.#all.push(clearing);
    // A reversal whose clearing was not found counts as a credit (rule 7) and undoes nothing.
    if (match_rule === 1 && cycle === 'reversal' && clearing_id !== null) this.#undone.add(clearing_id);
    if (reference === null) return;
    const same = this.#by_reference.get(reference);
    if (same === undefined) this.#by_reference.set(reference, [clearing]);
    else same.push(clearing);
  }

  withReference(acquirer_reference_data: string | null): readonly Clearing[] {
    return (acquirer_reference_data !== null && this.#by_reference.get(acquirer_reference_data)) || [];
  }

  /** Whether a reversal among them undid the clearing with this id by rule 1. */
  isUndone(id: number): boolean {
    return this.#undone.has(id);
  }
}
