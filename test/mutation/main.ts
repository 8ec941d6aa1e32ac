/**
 * `npm run mutate`: changes the rules of the packages in one place at a time, and runs the tests that
 * reach the place. docs/testing.md describes it.
 */

import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseOptions } from '../../apps/server/src/parse-options.ts';
import { openMigrated } from '../runner/open-migrated.ts';
import { oneOf, wholeNumber } from '../runner/option-values.ts';
import { createMemoryFolder } from '../runner/optional-parts.ts';
import { durationText } from '../runner/report.ts';
import { readArgued } from './argued.ts';
import { groupsOf, judge, type MeasuredTest } from './judge.ts';
import { type Mutant, openSources } from './mutants.ts';
import { ReachMap } from './reach.ts';
import { killed_share_min, type Result, readResults, reportText, resultText } from './report.ts';
import { runTests } from './run-tests.ts';
import { type Chosen, drawSample } from './sample.ts';
import { sourcesByTheme, type Theme, testsOf } from './themes.ts';

const usage =
  'npm run mutate -- [--seed S] [--sample N] [--package NAME] [--file TEXT] [--report FILE] [--resume] [--list] [--workers N]';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(root, 'node_modules/.cache/mutation');
const options = readOptions();
if (options.help) {
  console.log(usage);
  process.exit(0);
}

// People and other work come first.
setPriority(15);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const chosen = choose();
if (options.list) {
  for (const { theme, mutant } of chosen) console.log(`${theme.name}: ${resultText(mutant)}`);
  process.exit(0);
}
/** What tests need beside Node and SQLite. */
const left_out = ['REDIS', 'OWN_SERVERS', 'MOUNTS', 'NODE_20', 'DENO', 'BUN', 'CHROMIUM', 'AUTHLIB', 'CLIENTS'];
const folder = createMemoryFolder();
const environment: Record<string, string> = {
  TALLYSTICK_TEST_SIZE: 'short',
  ...(folder === null ? {} : { TALLYSTICK_TEST_FOLDER: folder }),
  TALLYSTICK_TEST_DATABASES: 'sqlite',
  ...Object.fromEntries(left_out.map((part) => [`TALLYSTICK_TEST_${part}`, 'none'])),
};
const reach_map = new ReachMap(root, join(cache, 'reach.json'));
/** The groups of tests that have passed in one process. */
const together_file = join(cache, 'together.json');
const together: string[] = existsSync(together_file) ? JSON.parse(readFileSync(together_file, 'utf8')) : [];
const migrated = await openMigrated(root, environment);
environment.TALLYSTICK_TEST_MIGRATED = migrated.urls;
try {
  const results = await judgeAll(chosen);
  const { text, killed_share } = reportText(results, readArgued(join(root, 'docs/mutants.md')));
  console.log(`\n${text}`);
  process.exitCode = killed_share < killed_share_min ? 1 : 0;
} finally {
  await migrated.close();
}

function choose(): readonly Chosen[] {
  const sources = openSources(root, 'tsconfig.json');
  const by_theme = new Map(
    [...sourcesByTheme(root)].map(([theme, files]) => {
      const asked = files.filter(
        (path) => path.startsWith(`packages/${options.package}`) && path.includes(options.file),
      );
      return [theme, asked.flatMap(sources.mutantsOf)];
    }),
  );
  sources.close();
  const all = [...by_theme.values()].reduce((sum, mutants) => sum + mutants.length, 0);
  if (all === 0) {
    console.error(`--file ${options.file}: no source of the rules with mutants has this text in its path`);
    process.exit(2);
  }
  const sample = drawSample(by_theme, options.sample, options.seed);
  console.log(`${sample.length} of ${all} mutants, from seed ${options.seed}.`);
  return sample;
}

async function judgeAll(sample: readonly Chosen[]): Promise<readonly Result[]> {
  const known = options.resume ? readResults(options.report) : new Map<string, Result>();
  mkdirSync(dirname(options.report), { recursive: true });
  if (!options.resume) writeFileSync(options.report, '');
  const progress = { started_ms: performance.now(), ended: 0, left: sample.length };
  const results: Result[] = [];
  for (const [theme, of_theme] of Map.groupBy(sample, ({ theme }) => theme)) {
    const tests = await measureTests(theme);
    const tests_name = nameOf(tests);
    const waiting = of_theme.values();
    const work = async (): Promise<void> => {
      for (const { mutant } of waiting) {
        const key = keyOf(mutant);
        const last = known.get(key);
        // More tests kill no fewer mutants.
        const before = last?.verdict === 'killed' || last?.tests === tests_name ? last : undefined;
        const result: Result = before ?? {
          key,
          tests: tests_name,
          theme: theme.name,
          ...mutant,
          ...(await judge(root, mutant, tests, environment)),
        };
        results.push(result);
        progress.left -= 1;
        if (before !== undefined) continue;
        progress.ended += 1;
        appendFileSync(options.report, `${JSON.stringify(result)}\n`);
        const left_s = ((performance.now() - progress.started_ms) / 1000 / progress.ended) * progress.left;
        const place = `${result.verdict} ${result.processor_s.toFixed(1)} s, ${durationText(left_s)} left`;
        console.log(`${results.length}/${sample.length} ${place}: ${theme.name}, ${resultText(result)}`);
      }
    };
    await Promise.all(Array.from({ length: options.workers }, work));
  }
  return results;
}

/** Measures the tests where they have changed, and runs them together without a change. */
async function measureTests(theme: Theme): Promise<readonly MeasuredTest[]> {
  const tests: MeasuredTest[] = [];
  for (const file of testsOf(root, theme)) {
    const known = reach_map.find(file);
    const reach = known ?? (await reach_map.measure(file, environment));
    if (known === null) console.log(`measured ${file}: ${reach.processor_s.toFixed(1)} s`);
    tests.push({ file, reach });
  }
  for (const group of groupsOf(root, tests).filter(({ length }) => length > 1)) {
    const files = group.map(({ file }) => file);
    const name = group.map(({ file, reach }) => `${file} ${reach.hash}`).join(' ');
    if (together.includes(name)) continue;
    const { passed, failed } = await runTests({ root, files, processor_s_max: 600, environment });
    if (!passed) throw new Error(`${files.join(', ')} fail in one process although nothing is changed: ${failed}`);
    together.push(name);
    writeFileSync(together_file, JSON.stringify(together));
  }
  return tests;
}

/** Names a change of a text. */
function keyOf({ path, start, end, replacement }: Mutant): string {
  const hash = createHash('sha256').update(readFileSync(join(root, path)));
  return hash.update(`\n${start} ${end} ${replacement}`).digest('hex').slice(0, 24);
}

/** Names the tests with all that they load. */
function nameOf(tests: readonly MeasuredTest[]): string {
  const hash = createHash('sha256');
  for (const { file, reach } of tests) hash.update(`${file} ${reach.hash}\n`);
  return hash.digest('hex').slice(0, 24);
}

function readOptions() {
  try {
    const { values } = parseOptions({
      options: {
        seed: { type: 'string', default: '1' },
        sample: { type: 'string', default: '500' },
        package: { type: 'string', default: '' },
        file: { type: 'string', default: '' },
        report: { type: 'string', default: join(cache, 'results.jsonl') },
        workers: { type: 'string', default: String(Math.max(1, availableParallelism() - 1)) },
        resume: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const packages = [...sourcesByTheme(root).values()].flat().map((path) => path.split('/')[1]!);
    if (values.package !== '') oneOf('--package', values.package, [...new Set(packages)]);
    return {
      ...values,
      seed: wholeNumber('--seed', values.seed),
      sample: wholeNumber('--sample', values.sample, 1),
      workers: wholeNumber('--workers', values.workers, 1),
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}
