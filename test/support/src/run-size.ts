import { randomInt } from 'node:crypto';

/** The numbers of runs in the short and in the long run. */
export interface Counts {
  readonly short: number;
  readonly full: number;
}

/** Whether this is the long run (`npm test -- --full`, `.ci/run`). */
export const full_run: boolean = process.env.TALLYSTICK_TEST_FULL === '1';

/**
 * The seed of every random choice of the tests: `--seed <n>` of the command line reproduces a
 * failure. The test runner generates one and prints it. A test file that is run alone generates a
 * seed, and a failing property prints it.
 */
export const test_seed: number = given('TALLYSTICK_TEST_SEED') ?? randomInt(2 ** 31);

/**
 * Returns how many times to run a property or a random sequence: `--runs <n>` of the command line,
 * otherwise by the size of the run.
 */
export function testRuns(counts: Counts): number {
  return given('TALLYSTICK_TEST_RUNS') ?? (full_run ? counts.full : counts.short);
}

/** Returns the seed and the number of runs, as fast-check's parameters for every property. */
export function propertyParameters(counts: Counts = { short: 100, full: 1_000 }): {
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
