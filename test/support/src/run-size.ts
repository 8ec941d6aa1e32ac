/** Whether this is the long run (`npm test -- --full`, `.ci/run`). */
export const full_run: boolean = process.env.TALLYSTICK_TEST_FULL === '1';

/**
 * How many times to run a property or a random sequence: `--runs <n>` of the command line, else by the size of the run.
 */
export function testRuns(counts: { readonly short: number; readonly full: number }): number {
  return given('TALLYSTICK_TEST_RUNS') ?? (full_run ? counts.full : counts.short);
}

/** `--seed <n>` of the command line, to see a failure again; else undefined, and the library draws one. */
export function testSeed(): number | undefined {
  return given('TALLYSTICK_TEST_SEED');
}

/** The two above, as fast-check's parameters. */
export function propertyParameters(counts: { readonly short: number; readonly full: number }): {
  numRuns: number;
  seed?: number;
} {
  const seed = testSeed();
  return { numRuns: testRuns(counts), ...(seed === undefined ? {} : { seed }) };
}

function given(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new TypeError(`${variable} is "${text}"; it must be an integer`);
  return value;
}
