/**
 * `npm test`: the `*.test.ts` of packages, adapters, apps and test, on the databases and queues
 * that this machine has. docs/testing.md documents the switches; `npm test -- --help` lists them.
 *
 * The end of a run lists the slowest files, what did not run and what failed. With `--require`, a
 * part that is not there fails the run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { installNode24 } from '@tallystick/test-support';
import { type Failure, failuresOf, failuresText } from './runner/failures.ts';
import { openMigrated } from './runner/open-migrated.ts';
import { createMemoryFolder, type Found, type OptionalPart, optional_parts } from './runner/optional-parts.ts';
import { durationText, printProgress, slowestFilesText, wrap } from './runner/report.ts';
import { fewDrawsText, leftParts } from './runner/sizes.ts';
import { helpText, readSwitches, type Switches, SwitchProblem } from './runner/switches.ts';
import { type TestFiles, type TestProcess, testFiles } from './runner/test-files.ts';
import {
  estimatedSeconds,
  type FileTime,
  fileTimesOf,
  readRecordedTimes,
  withTimes,
  writeRecordedTimes,
} from './runner/times.ts';

/**
 * A process in which no test begins for longer than this has failed: it hangs. With `--runs` and in
 * the long run, a test may take any time.
 */
const test_minutes_max = 15;

/** From this number of files on, the databases that tests copy are made once for all of them. */
const files_sharing_min = 6;

/** Many tests make many short-lived objects: with room for them, they are collected less often. */
const young_space = '--max-semi-space-size=32';

/** What each test process loads before its file. */
const loaded_first = ['watch-process', 'promise-tracking', 'seed-properties'].map(
  (name) => new URL(`runner/${name}.ts`, import.meta.url),
);

const root = fileURLToPath(new URL('..', import.meta.url));
const optional_names = optional_parts.map(({ name }) => name);

/** What the long run also tests on Node 24: what is published (ADR 0063). */
const published = ['packages/', 'adapters/', 'apps/embedded/', 'test/embedding/'];

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
  if (switches.node !== null && !process.version.startsWith(`v${switches.node}.`)) return await runOnNode24(args);
  const code = await runChosen(switches);
  if (switches.size !== 'long' || switches.node !== null || switches.only.length > 0) return code;
  const words = ['--full', '--node', '24', '--seed', String(switches.seed)];
  const on_node_24 = await runOnNode24([...words, ...published.flatMap((path) => ['--only', path])]);
  const with_hosts = await exitCodeOf('npm', ['run', 'pack:check', '--', '--all-hosts']);
  return Math.max(code, on_node_24, with_hosts);
}

async function exitCodeOf(command: string, args: readonly string[], env = process.env): Promise<number> {
  const child = spawn(command, args, { cwd: root, env, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** Runs this program on Node 24, and returns its exit code. */
async function runOnNode24(args: readonly string[]): Promise<number> {
  const node = await installNode24();
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const program = fileURLToPath(import.meta.url);
  return await exitCodeOf(node, [...process.execArgv, program, ...args], env);
}

async function runChosen(switches: Switches): Promise<number> {
  const recorded = readRecordedTimes();
  const files = testFiles(root, switches.only, switches.size, recorded);
  if (files.chosen.length === 0) {
    return refuse(`--only: no test file has ${switches.only.map((text) => `"${text}"`).join(' or ')} in its path`);
  }
  const started_ms = performance.now();
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interruption.abort(new Error(signal)));
  }
  if (process.env.TALLYSTICK_TEST_FOLDER === undefined) {
    const folder = createMemoryFolder();
    if (folder !== null) process.env.TALLYSTICK_TEST_FOLDER = folder;
  }
  const expected_s = estimatedSeconds(recorded, files.chosen, switches.size);
  const expected = expected_s === null ? '' : `, about ${durationText(expected_s)} when nothing else runs`;
  console.log(wrap(`The ${switches.size} run: ${filesText(files)}${expected}.`));
  const asked = { size: switches.size, required: switches.required, files: files.chosen };
  const parts = await Promise.all(optional_parts.map(async (part) => ({ part, found: await part.find(asked) })));
  try {
    const missing = missingRequirements(switches, parts);
    for (const what of missing) console.error(wrap(what));
    if (missing.length > 0) return 1;
    const environment = Object.assign({}, ...parts.map(({ found }) => found.environment));
    const migrated = files.chosen.length < files_sharing_min ? null : await openMigrated(root, environment);
    const outcome = await runTests(switches, files, parts, migrated?.urls ?? '{}', interruption.signal).finally(() =>
      migrated?.close(),
    );
    const elapsed_s = (performance.now() - started_ms) / 1000;
    report(switches, files, parts, elapsed_s, outcome);
    if (switches.record && switches.size !== 'long') {
      const whole_s = switches.only.length === 0 && outcome.passed ? elapsed_s : null;
      const failed = new Set(outcome.failures.map(({ file }) => file));
      const times = outcome.times.filter(({ file }) => !failed.has(file));
      writeRecordedTimes(withTimes(recorded, switches.size, times, files.all, whole_s));
    }
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
  /** The signal that interrupted the run; null when it came to its end. */
  readonly interrupted: string | null;
  readonly failures: readonly Failure[];
  /** Of the files that ended. */
  readonly times: readonly FileTime[];
}

function refuse(problem: string): number {
  console.error(wrap(`npm test: ${problem}. npm test -- --help lists the switches.`));
  return 2;
}

function countText(count: number): string {
  return count === 1 ? '1 test file' : `${count} test files`;
}

function filesText({ all, chosen }: TestFiles): string {
  return `${chosen.length === all.length ? '' : `${chosen.length} of `}${all.length} test files`;
}

function missingRequirements({ required }: Switches, parts: readonly PartFound[]): readonly string[] {
  return parts.flatMap(({ part, found }) => {
    const problem = found.problem ?? part.requirement?.() ?? null;
    return problem !== null && required.includes(part.name) ? [`${part.name} is required: ${problem}`] : [];
  });
}

async function runTests(
  switches: Switches,
  files: TestFiles,
  parts: readonly PartFound[],
  migrated_urls: string,
  interruption: AbortSignal,
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-runner-'));
  const times_folder = mkdtempSync(join(folder, 'times-'));
  try {
    const shared: Record<string, readonly string[]> = {};
    const paths = files.processes.map((process) => {
      const path = process.files.length > 1 ? writeShared(folder, process) : join(root, process.name);
      if (process.files.length > 1) shared[path] = process.files;
      return path;
    });
    const namesOf = (path: string) => shared[path] ?? [path.slice(root.length)];
    const tests = run({
      // In this order: the runner of tests keeps it.
      files: paths,
      concurrency: switches.concurrency,
      cwd: root,
      execArgv: ['--conditions=source', young_space, ...loaded_first.map((url) => `--import=${url}`)],
      signal: interruption,
      env: {
        ...process.env,
        ...Object.assign({}, ...parts.map(({ found }) => found.environment)),
        ...(switches.runs === null ? {} : { TALLYSTICK_TEST_RUNS: String(switches.runs) }),
        ...(switches.runs === null && switches.size !== 'long'
          ? { TALLYSTICK_TEST_MINUTES: String(test_minutes_max) }
          : {}),
        TALLYSTICK_TEST_MIGRATED: migrated_urls,
        TALLYSTICK_TEST_SIZE: switches.size,
        TALLYSTICK_TEST_SEED: String(switches.seed),
        TALLYSTICK_TEST_TIMES: times_folder,
      },
    });
    const found = failuresOf(tests, root);
    const timesOf = fileTimesOf(tests, root, shared, times_folder);
    const ended = new Set<string>();
    let passed = true;
    tests.on('test:complete', ({ name, file }) => {
      if (name === file && !interruption.aborted) for (const one of namesOf(name)) ended.add(one);
    });
    tests.on('test:summary', ({ success }) => {
      if (!success) passed = false;
    });
    printProgress(tests, { root, namesOf, files_count: files.chosen.length, interruption });
    tests.resume();
    await new Promise((resolve, reject) => tests.once('end', resolve).once('error', reject));
    const failures = interruption.aborted ? found.filter(({ file }) => ended.has(file)) : found;
    return {
      passed: passed && failures.length === 0 && !interruption.aborted,
      interrupted: interruption.aborted ? (interruption.reason as Error).message : null,
      failures,
      times: timesOf().filter(({ file }) => ended.has(file)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Writes a program that runs the files in one process. A test with the name of each file precedes the
 * tests of the file, which may be declared in a module that several files use. A file that cannot be
 * loaded fails as a test of its name, and the others run.
 */
function writeShared(folder: string, { name, files }: TestProcess): string {
  const path = join(folder, `${name}.mjs`);
  const program = [
    "import { test } from 'node:test';",
    `for (const path of ${JSON.stringify(files)}) {`,
    '  test(path, () => {});',
    `  await import(${JSON.stringify(new URL('..', import.meta.url).href)} + path).catch((error) =>`,
    '    test(path, () => { throw error; }));',
    '}',
  ];
  writeFileSync(path, program.join('\n'));
  return path;
}

function report(
  switches: Switches,
  files: TestFiles,
  parts: readonly PartFound[],
  elapsed_s: number,
  { passed, interrupted, failures, times }: Outcome,
): void {
  const used = parts.flatMap(({ part, found }) => (found.problem === null ? [`${part.name} (${found.how})`] : []));
  const left_out = [
    ...(switches.only.length === 0
      ? []
      : [`${countText(files.all.length - files.chosen.length)} that --only leaves out`]),
    ...parts.flatMap(({ part, found }) => (found.problem === null ? [] : [`${part.tests}: ${found.problem}`])),
  ];
  const processor_s = times.reduce((sum, time) => sum + (time.processor_s ?? 0), 0);
  if (times.length > 1) console.log(`\n${slowestFilesText(times)}`);
  const print = (text: string) => console.log(wrap(text));
  const on = `${switches.concurrency} at once on ${availableParallelism()} cores`;
  print(
    `\nThe ${switches.size} run took ${durationText(elapsed_s)}, ${on}: ${countText(times.length)}, ${durationText(processor_s)} of processor time.`,
  );
  print(`With: ${[`Node ${process.versions.node}`, 'sqlite', ...used].join(', ')}.`);
  print(`Random values from seed ${switches.seed}; --seed ${switches.seed} draws the same again.`);
  for (const what of left_out) print(`NOT RUN: ${what}`);
  if (switches.size === 'short') {
    if (files.left.length > 0) {
      print('LEFT to npm test -- --full, which .ci/run uses:');
      for (const { what, count } of leftParts(files.left)) print(`  - ${what} (${countText(count)})`);
    }
    const few = fewDrawsText(root, files.chosen);
    if (few !== '') print(few);
  }
  if (failures.length > 0) console.log(`\n${failuresText(failures, switches.seed)}\n`);
  if (interrupted !== null) {
    print(
      `INTERRUPTED by ${interrupted}: ${countText(times.length)} ended, ${files.chosen.length - times.length} not run.`,
    );
  } else console.log(passed ? 'All tests passed.' : 'SOME TESTS FAILED.');
}
