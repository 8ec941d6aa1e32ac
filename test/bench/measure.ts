/** A ratio that a row must reach: a minimum for throughput, a maximum for cost. */
export interface Target {
  readonly kind: 'at_least' | 'at_most';
  readonly ratio: number;
}

/**
 * One row of the report. `ours` and `baseline` are medians of interleaved repetitions, in `unit`.
 */
export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly baseline: number;
  readonly baseline_name: string;
  readonly ratio: number;
  /** Null: shown only for comparison. */
  readonly target: Target | null;
  readonly ok: boolean | null;
  readonly note: string | null;
}

/** The middle value; for an even count the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle];
  if (high === undefined) throw new RangeError('a median needs a value');
  const low = sorted[middle - 1];
  return sorted.length % 2 === 1 || low === undefined ? high : (low + high) / 2;
}

/** The value below which `share` (0..1) of the values are. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  if (value === undefined) throw new RangeError('a percentile needs a value');
  return value;
}

/**
 * Runs the contenders in turns, `repetitions` times, and reverses the order each time, so that
 * other load on the machine affects all of them equally. Returns the median of each.
 */
export async function interleave<Name extends string>(
  repetitions: number,
  contenders: Readonly<Record<Name, () => Promise<number> | number>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(contenders) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    for (const name of repetition % 2 === 0 ? names : names.toReversed()) {
      globalThis.gc?.();
      values[name].push(await contenders[name]());
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(values[name])])) as Record<Name, number>;
}

/**
 * The time of the machine's monotonic clock in milliseconds with fractions. All processes of the
 * machine read the same clock, so a time of one can be subtracted from a time of another.
 * `performance.timeOrigin` cannot: it is read from the wall clock when each process starts.
 */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * Makes a row and compares it with its target. Throws a `RangeError` when the figures have no
 * ratio, because one of them is not a positive number.
 */
export function row(
  name: string,
  unit: string,
  figures: { readonly ours: number; readonly baseline: number; readonly baseline_name: string },
  target: Target | null,
  note: string | null = null,
): Row {
  for (const figure of [figures.ours, figures.baseline]) {
    if (!(figure > 0 && Number.isFinite(figure))) throw new RangeError(`${name}: ${figure} ${unit} has no ratio`);
  }
  const ratio = figures.ours / figures.baseline;
  const ok = target === null ? null : target.kind === 'at_least' ? ratio >= target.ratio : ratio <= target.ratio;
  return { name, unit, ...figures, ratio, target, ok, note };
}

/** The medians of both, in microseconds, measured in turns. */
export async function pairwise(rounds: number, ours: () => Promise<void>, baseline: () => Promise<void>) {
  const times = { ours: [] as number[], baseline: [] as number[] };
  for (let round = -2; round < rounds; round += 1) {
    for (const [name, work] of [['baseline', baseline] as const, ['ours', ours] as const]) {
      const began_ms = performance.now();
      await work();
      if (round >= 0) times[name].push((performance.now() - began_ms) * 1000);
    }
  }
  return { ours: median(times.ours), baseline: median(times.baseline) };
}
