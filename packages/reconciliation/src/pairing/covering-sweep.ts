import type { Steps } from '@tallystick/kernel';
import type { StatementPair } from '../act.ts';
import { dayOf } from '../calendar.ts';
import type { RecordKey } from '../item-id.ts';
import {
  CoveringSearch,
  compareFound,
  type Found,
  type FoundSets,
  type Leftover,
  type Leftovers,
  offers_max,
  type Subjects,
  toSets,
} from './covering-search.ts';
import { covering_reach_days } from './covering-sets.ts';
import { pairing_days_max } from './pair-lines.ts';

/**
 * Finds what `findCoveringSets` finds among leftovers of many days, of which only those of about
 * `covering_reach_days` around the present day are kept. Lines are searched before the clearings
 * within reach of them, as they are by `findCoveringSets`, and the sets of a day are known when
 * everything within reach is searched.
 */
export class CoveringSweep {
  readonly #search = new CoveringSearch();
  readonly #days = new Map<number, FoundOnDay>();
  #day: number;

  /** Begins with this day. */
  constructor(first_date: string) {
    this.#day = dayOf(first_date) - 1;
  }

  /**
   * Takes the leftovers of the next day, all of one currency, with the pairs of them that people
   * undid, and returns the sets of the records of an earlier day, `sweep_lag_days` before.
   */
  *next(leftovers: Leftovers, bars: readonly StatementPair[]): Steps<SetsOfDay> {
    this.#day += 1;
    this.#days.set(this.#day, { subjects: this.#search.add(leftovers, bars), of_lines: [], of_clearings: [] });
    const lines_day = this.#days.get(this.#day - pairing_days_max);
    if (lines_day !== undefined) lines_day.of_lines = yield* this.#search.findSetsOf(lines_day.subjects.lines);
    const clearings_day = this.#days.get(this.#day - 2 * pairing_days_max);
    if (clearings_day !== undefined) {
      clearings_day.of_clearings = yield* this.#search.findSetsOf(clearings_day.subjects.clearings);
    }
    const day = this.#day - sweep_lag_days;
    const sets = yield* this.#setsOf(day);
    this.#search.forget(day - pairing_days_max);
    this.#days.delete(day - pairing_days_max);
    return sets;
  }

  *#setsOf(day: number): Steps<SetsOfDay> {
    const subjects = this.#days.get(day)?.subjects ?? { lines: [], clearings: [] };
    const records = [...subjects.clearings, ...subjects.lines];
    const best = new Map<Leftover, Found[]>(records.map((one) => [one, []]));
    const near = [];
    for (let one = day - pairing_days_max; one <= day + pairing_days_max; one += 1) near.push(this.#days.get(one));
    for (const found of [
      ...near.flatMap((one) => one?.of_lines ?? []),
      ...near.flatMap((one) => one?.of_clearings ?? []),
    ]) {
      for (const one of found.of) if (best.has(one)) keepBest(best.get(one)!, found);
      yield;
    }
    const of_day = new Set<Found>();
    for (const found of best.values()) for (const one of found) of_day.add(one);
    return { records: records.map(({ kind, id }) => ({ kind, id })), sets: toSets([...of_day]) };
  }
}

/** How many days after a day its sets are known. */
export const sweep_lag_days = covering_reach_days + pairing_days_max;

export interface SetsOfDay {
  /** The leftovers of the day. */
  readonly records: readonly RecordKey[];
  /** Those of these records, at most 10 of each. */
  readonly sets: FoundSets;
}

interface FoundOnDay {
  readonly subjects: Subjects;
  of_lines: readonly Found[];
  of_clearings: readonly Found[];
}

/** Adds a set to the best of a record, which are in order and at most as many as are listed. */
function keepBest(best: Found[], found: Found): void {
  const at = best.findLastIndex((one) => compareFound(one, found) <= 0) + 1;
  if (at === offers_max) return;
  best.splice(at, 0, found);
  if (best.length > offers_max) best.pop();
}
