import { dayOf } from '../calendar.ts';

interface SettledOn<Clearing> {
  /** Since 1970. */
  readonly day: number;
  /** In their order. */
  readonly clearings: readonly Clearing[];
}

/** Clearings by the day on which they settled, among which the nearest to a day is looked up. */
export class ClearingsByDay<Clearing extends { readonly settlement_date: string }> {
  readonly #days: readonly SettledOn<Clearing>[];

  /** `clearings` are in their order, which is by settlement date first. */
  constructor(clearings: readonly Clearing[]) {
    const by_date = Map.groupBy(clearings, ({ settlement_date }) => settlement_date);
    this.#days = [...by_date].map(([date, of_date]) => ({ day: dayOf(date), clearings: of_date }));
  }

  /**
   * Clearings at most so many days away, the nearest first; equally near ones in their order.
   */
  *nearestFirst(day: number, days_max: number): Generator<Clearing> {
    let after = this.#firstNotBefore(day);
    let before = after - 1;
    for (;;) {
      const [earlier, later] = [this.#days[before], this.#days[after]];
      const is_earlier = earlier !== undefined && (later === undefined || day - earlier.day <= later.day - day);
      const found = is_earlier ? earlier : later;
      if (found === undefined || Math.abs(found.day - day) > days_max) return;
      yield* found.clearings;
      if (is_earlier) before -= 1;
      else after += 1;
    }
  }

  /** The first of these that is allowed; null when there is none. */
  nearest(day: number, days_max: number, isAllowed: (clearing: Clearing) => boolean): Clearing | null {
    return this.nearestFirst(day, days_max).find(isAllowed) ?? null;
  }

  /** Clearings at most so many days away, in their order. */
  within(day: number, days_max: number): readonly Clearing[] {
    const found: Clearing[] = [];
    for (let at = this.#firstNotBefore(day - days_max); at < this.#days.length; at += 1) {
      const { day: settled, clearings } = this.#days[at]!;
      if (settled > day + days_max) break;
      for (const clearing of clearings) found.push(clearing);
    }
    return found;
  }

  #firstNotBefore(day: number): number {
    let [from, to] = [0, this.#days.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#days[middle]!.day < day) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
