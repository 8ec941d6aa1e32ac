import { randomInt } from 'node:crypto';

/** The numbers of runs in the short and in the full run. */
export interface Counts {
  readonly short: number;
  readonly full: number;
}

const size = process.env.TALLYSTICK_TEST_SIZE ?? 'short';

/** Whether this is the long run (`npm test -- --long`). */
export const long_run: boolean = size === 'long';

/** Whether this is the full run (`npm test -- --full`, `.ci/run`) or the long one. */
export const full_run: boolean = size === 'full' || long_run;

/** How many times as many runs as the full run the long run has. */
const long_factor = 10;

/** The seed of the short and the full run: a commit does not fail because of values that no other run draws. */
export const usual_seed = 20_260;

/**
 * The seed of every random choice of the tests: `--seed <n>` of the command line reproduces a
 * failure. The long run generates one. The end of each run shows it, and so does a failing property.
 */
export const test_seed: number = given('TALLYSTICK_TEST_SEED') ?? (long_run ? randomInt(2 ** 31) : usual_seed);

/**
 * Returns how many times to run a property or a random sequence: `--runs <n>` of the command line,
 * otherwise by the size of the run.
 */
export function testRuns(counts: Counts): number {
  const counted = long_run ? counts.full * long_factor : full_run ? counts.full : counts.short;
  return given('TALLYSTICK_TEST_RUNS') ?? counted;
}

/** Returns the seed and the number of runs, as fast-check's parameters for every property. */
export function propertyParameters(counts: Counts = { short: 100, full: 300 }): {
  readonly numRuns: number;
  readonly seed: number;
} {
  return { numRuns: testRuns(counts), seed: test_seed };
}

function given(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new TypeError(`${variable} is "${text}"; it must be an integer`);
  return value;
}
