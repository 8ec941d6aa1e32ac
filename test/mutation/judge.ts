import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hook_of_the_process } from '../runner/test-files.ts';
import type { Mutant } from './mutants.ts';
import { type Reach, reaches } from './reach.ts';
import { runTests } from './run-tests.ts';

/** `unreached`: no test runs the changed code. */
export type Verdict = 'killed' | 'survived' | 'unreached';

export interface Judgement {
  readonly verdict: Verdict;
  /** The test that failed, or why the process was ended; null when none did. */
  readonly failed: string | null;
  readonly processor_s: number;
}

/** A test file with what it reaches. */
export interface MeasuredTest {
  readonly file: string;
  readonly reach: Reach;
}

/** Files share a process up to so much processor time, because most of a short file's time is its start. */
const together_s_max = 4;

/** A changed loop may not end. What takes ten times as long as without the change has failed. */
const slower_max = 10;

/** The start of a process on a machine that is busy, processor seconds. */
const start_s_max = 10;

/** Runs the tests that reach the mutant, the quickest first, up to the first that fails. */
export async function judge(
  root: string,
  mutant: Mutant,
  tests: readonly MeasuredTest[],
  environment: Readonly<Record<string, string>>,
): Promise<Judgement> {
  const reaching = inOrder(
    mutant,
    tests.filter(({ reach }) => reaches(reach, mutant)),
  );
  if (reaching.length === 0) return { verdict: 'unreached', failed: null, processor_s: 0 };
  const { path, start, end, replacement } = mutant;
  let processor_s = 0;
  for (const group of groupsOf(root, reaching)) {
    const outcome = await runTests({
      root,
      files: group.map(({ file }) => file),
      change: { file: join(root, path), start, end, replacement },
      processor_s_max: start_s_max + slower_max * secondsOf(group),
      environment,
    });
    processor_s += outcome.processor_s;
    if (!outcome.passed) return { verdict: 'killed', failed: outcome.failed, processor_s };
  }
  return { verdict: 'survived', failed: null, processor_s };
}

/** The tests that are named like the changed file come first, then the quickest. */
function inOrder({ path }: Mutant, tests: readonly MeasuredTest[]): readonly MeasuredTest[] {
  const own = basename(path, '.ts');
  const rank = ({ file }: MeasuredTest) => (basename(file, '.test.ts') === own ? 0 : 1);
  return tests.toSorted((a, b) => rank(a) - rank(b) || a.reach.processor_s - b.reach.processor_s);
}

/** Tests that run in one process, in order. A file with a hook outside of every suite is alone. */
export function groupsOf(
  root: string,
  tests: readonly MeasuredTest[],
): readonly (readonly [MeasuredTest, ...MeasuredTest[]])[] {
  const groups: [MeasuredTest, ...MeasuredTest[]][] = [];
  let last_is_open = false;
  for (const test of tests) {
    const is_alone = hook_of_the_process.test(readFileSync(join(root, test.file), 'utf8'));
    const last = groups.at(-1);
    const fits = last !== undefined && secondsOf(last) + test.reach.processor_s <= together_s_max;
    if (last_is_open && !is_alone && fits) last.push(test);
    else groups.push([test]);
    last_is_open = !is_alone;
  }
  return groups;
}

function secondsOf(tests: readonly MeasuredTest[]): number {
  return tests.reduce((sum, { reach }) => sum + reach.processor_s, 0);
}
