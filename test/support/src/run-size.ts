import { randomInt } from 'node:crypto';

/** How many runs in the short and in the long run. */
export interface Counts {
  readonly short: number;
  readonly full: number;
}

/** Whether this is the long run (`npm test -- --full`, `.ci/run`). */
export const full_run: boolean = process.env.TALLYSTICK_TEST_FULL === '1';

/**
 * What every random draw of the tests begins from: `--seed <n>` of the command line, to see a failure again. The test
 * runner draws one and tells it; a test file that is run by itself draws its own, which a property that fails prints.
 */
export const test_seed: number = given('TALLYSTICK_TEST_SEED') ?? randomInt(2 ** 31);

/**
 * How many times to run a property or a random sequence: `--runs <n>` of the command line, else by the size of the run.
 */
export function testRuns(counts: Counts): number {
  return given('TALLYSTICK_TEST_RUNS') ?? (full_run ? counts.full : counts.short);
}

/** The two above, as fast-check's parameters: every property has them. */
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
