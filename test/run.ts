/**
 * `npm test`: every `*.test.ts` of packages, adapters, apps and test, on the databases and queues
 * that this machine has. docs/testing.md documents the switches; `npm test -- --help` lists them.
 *
 * The end of a run lists the slowest files, what did not run and what failed. With `--require`, a
 * part that is not there fails the run.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { failuresOf, failuresText } from './runner/failures.ts';
import { createMemoryFolder } from './runner/memory-folder.ts';
import { type Found, type OptionalPart, optional_parts } from './runner/optional-parts.ts';
import { type FileTime, fileTimesOf, slowestFilesText } from './runner/slowest-files.ts';
import { helpText, readSwitches, type Switches, SwitchProblem } from './runner/switches.ts';
import { type TestFiles, testFiles } from './runner/test-files.ts';

/**
 * A file that takes longer than this has failed: it hangs. With `--runs`, a file may take any time.
 */
const file_minutes_max = 15;

/** Many tests make many short-lived objects: with room for them, they are collected less often. */
const young_space = '--max-semi-space-size=32';

/** What each test process loads before its file. */
const loaded_first = ['time-limit', 'promise-tracking'].map((name) => new URL(`runner/${name}.ts`, import.meta.url));

const root = fileURLToPath(new URL('..', import.meta.url));
const optional_names = optional_parts.map(({ name }) => name);

process.exit(await main(process.argv.slice(2)));

/** Returns the exit code: 0 when all tests passed, 1 when not, 2 when the command line is wrong. */
async function main(args: readonly string[]): Promise<number> {
  let switches: Switches;
  try {
    switches = readSwitches(args, optional_names);
  } catch (error) {
    if (!(error instanceof SwitchProblem)) throw error;
    return refuse(error.message);
  }
  if (switches.help) {
    console.log(helpText(optional_names));
    return 0;
  }
  const files = testFiles(root, switches.only);
  if (files.chosen.length === 0) {
    return refuse(`--only: no test file has ${switches.only.map((text) => `"${text}"`).join(' or ')} in its path`);
  }
  const started_ms = performance.now();
  if (process.env.TALLYSTICK_TEST_FOLDER === undefined) {
    const folder = createMemoryFolder();
    if (folder !== null) process.env.TALLYSTICK_TEST_FOLDER = folder;
  }
  const asked = { full: switches.full, required: switches.required, files: files.chosen };
  const parts = await Promise.all(optional_parts.map(async (part) => ({ part, found: await part.find(asked) })));
  try {
    const missing = missingRequirements(switches, parts);
    for (const what of missing) console.error(what);
    if (missing.length > 0) return 1;
    const outcome = await runTests(switches, files, parts);
    report(switches, files, parts, started_ms, outcome);
    return outcome.passed ? 0 : 1;
  } finally {
    await Promise.all(parts.map(({ found }) => found.stop()));
  }
}

interface PartFound {
  readonly part: OptionalPart;
  readonly found: Found;
}

interface Outcome {
  readonly passed: boolean;
  /** The list of what failed; empty when nothing did. */
  readonly failed_text: string;
  readonly times: readonly FileTime[];
}

function refuse(problem: string): number {
  console.error(`npm test: ${problem}. npm test -- --help lists the switches.`);
  return 2;
}

function missingRequirements({ required }: Switches, parts: readonly PartFound[]): readonly string[] {
  return parts.flatMap(({ part, found }) => {
    const problem = found.problem ?? part.requirement?.() ?? null;
    return problem !== null && required.includes(part.name) ? [`${part.name} is required: ${problem}`] : [];
  });
}

async function runTests(switches: Switches, files: TestFiles, parts: readonly PartFound[]): Promise<Outcome> {
  const together = Object.keys(files.together).map((group) => `test/runner/together/${group}.ts`);
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  const tests = run({
    // In this order: the runner of tests keeps it.
    files: [...files.alone.slice(0, 1), ...together, ...files.alone.slice(1)].map((path) => join(root, path)),
    concurrency: switches.concurrency,
    cwd: root,
    execArgv: ['--conditions=source', young_space, ...loaded_first.map((url) => `--import=${url}`)],
    signal: stopping.signal,
    env: {
      // Many tests start the server or a command: what they compile is kept from one process to the
      // next.
      NODE_COMPILE_CACHE: join(tmpdir(), 'tallystick-compile-cache'),
      ...process.env,
      ...Object.assign({}, ...parts.map(({ found }) => found.environment)),
      ...(switches.full ? { TALLYSTICK_TEST_FULL: '1' } : {}),
      ...(switches.runs === null
        ? { TALLYSTICK_TEST_MINUTES: String(file_minutes_max) }
        : { TALLYSTICK_TEST_RUNS: String(switches.runs) }),
      TALLYSTICK_TEST_SEED: String(switches.seed),
      TALLYSTICK_TEST_TOGETHER: JSON.stringify(files.together),
    },
  });
  const failures = failuresOf(tests, root);
  const times = fileTimesOf(tests, root);
  let passed = true;
  tests.on('test:summary', ({ success }) => {
    if (!success) passed = false;
  });
  const printed = tests.compose(new spec());
  printed.pipe(process.stdout);
  await new Promise((resolve, reject) => printed.once('end', resolve).once('error', reject));
  passed = passed && failures.length === 0 && !stopping.signal.aborted;
  return { passed, failed_text: failures.length === 0 ? '' : failuresText(failures, switches.seed), times };
}

function report(
  switches: Switches,
  files: TestFiles,
  parts: readonly PartFound[],
  started_ms: number,
  { passed, failed_text, times }: Outcome,
): void {
  const seconds = ((performance.now() - started_ms) / 1000).toFixed(1);
  const used = parts.flatMap(({ part, found }) => (found.problem === null ? [`${part.name} (${found.how})`] : []));
  const left_out = [
    ...(switches.only.length === 0
      ? []
      : [`${files.all.length - files.chosen.length} test files that --only leaves out`]),
    ...parts.flatMap(({ part, found }) => (found.problem === null ? [] : [`${part.tests}: ${found.problem}`])),
    ...(switches.full ? [] : ['the long runs of random sequences (npm test -- --full)']),
  ];
  const size = switches.full ? 'long' : 'short';
  if (times.length > 1) console.log(`\n${slowestFilesText(times)}`);
  console.log(
    `\nRan ${files.chosen.length} test files in ${seconds} s, the ${size} run, ${switches.concurrency} at once.`,
  );
  console.log(`With: ${['sqlite', ...used].join(', ')}.`);
  console.log(
    `Random draws began from seed ${switches.seed}: npm test -- --seed ${switches.seed} draws the same again.`,
  );
  for (const what of left_out) console.log(`NOT RUN: ${what}`);
  if (failed_text !== '') console.log(`\n${failed_text}\n`);
  console.log(passed ? 'All tests passed.' : 'SOME TESTS FAILED.');
}
