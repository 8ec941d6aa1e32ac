/**
 * `npm run simulate`: runs seeds of the simulation, and shrinks the first that fails.
 * docs/testing.md describes it.
 */

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseOptions } from '../../apps/server/src/parse-options.ts';
import { oneOf, wholeNumber } from '../runner/option-values.ts';
import { storage_names } from './databases/world-storage.ts';
import { fault_names } from './faults/plan.ts';
import { commandOf, minimise } from './minimise.ts';
import { type SimulationOptions, type SimulationResult, simulate } from './run.ts';
import { runSeeds, type SeedRun } from './workers.ts';
import { activities } from './workload/activities.ts';

const activity_names = activities.map(({ name }) => name);
const usage = `npm run simulate -- [--seed S] [--seeds N] [--days D] [--nodes N] [--faults all|none|NAME,...]
    [--without ACTIVITY,...] [--activities N] [--workers N] [--keep] [--trace] [--database ${storage_names.join('|')}]

Faults: ${fault_names.join(', ')}
Activities: ${activity_names.join(', ')}`;

/** The exit status of options that are wrong. */
const usage_status = 2;
const year_ms = 365.25 * 86_400_000;

const values = readOptions();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const { first_seed, seeds, workers, options } = values;
const reached = new Map<string, number>();
const sums = { seeds: 0, failed: 0, messages: 0, steps: 0, simulated_ms: 0, processor_s: 0 };
let first_failed: SimulationResult | null = null;
let reported_ms = Date.now();
await runSeeds(
  Array.from({ length: seeds }, (_, at) => ({ ...options, seed: first_seed + at })),
  workers,
  ended,
  values.trace ? ['--trace'] : [],
);
if (seeds > 1) console.log(summary());
if (first_failed !== null) {
  process.exitCode = 1;
  await showSmallest(first_failed);
}

function ended({ result, processor_s }: SeedRun): void {
  sums.seeds += 1;
  sums.messages += result.messages;
  sums.steps += result.steps;
  sums.simulated_ms += result.simulated_ms;
  sums.processor_s += processor_s;
  for (const [what, count] of result.reached) reached.set(what, (reached.get(what) ?? 0) + count);
  const has_failed = result.violations.length > 0;
  if (has_failed) {
    sums.failed += 1;
    first_failed ??= result;
  }
  if (has_failed || seeds <= 20) console.log(lineOf(result, processor_s));
  if (has_failed) console.log(violationsOf(result));
  if (Date.now() - reported_ms < 10_000) return;
  reported_ms = Date.now();
  console.error(`${sums.seeds} of ${seeds} seeds, ${sums.messages} messages, ${sums.failed} failed`);
}

function summary(): string {
  const { seeds: done, failed, messages, steps, simulated_ms, processor_s } = sums;
  const years = simulated_ms / year_ms;
  const faults_reached = [...reached.keys()].filter((what) => what.startsWith('fault: ')).toSorted();
  return [
    `${done} seeds, ${failed} failed: ${messages} messages, ${steps} steps and ${years.toFixed(1)} years in ${processor_s.toFixed(0)} s of the processor`,
    `(${(messages / processor_s).toFixed(0)} messages a second, ${((years / processor_s) * 60).toFixed(2)} years a minute)`,
    ...faults_reached.map((what) => `  ${what}: ${reached.get(what)}`),
  ].join('\n');
}

/** Shows the smallest run that still fails, and keeps it for `simulation.test.ts`. */
async function showSmallest(found: SimulationResult): Promise<void> {
  console.error('searching for a smaller run that fails in the same way');
  const { options: smallest, result } = await minimise(found, (options) => simulate(options));
  console.log(`\n${violationsOf(result)}\n\n${result.story.join('\n')}\n\n${commandOf(smallest)}`);
  if (!values.keep) return;
  const { by, problem } = result.violations[0]!;
  const path = fileURLToPath(new URL(`seeds/${by.replaceAll(' ', '-')}-${smallest.seed}.json`, import.meta.url));
  writeFileSync(path, `${JSON.stringify({ options: smallest, showed: `${by}: ${problem}` }, null, 2)}\n`);
  console.log(`kept in ${path}`);
}

function lineOf(result: SimulationResult, processor_s: number): string {
  const { options: of_seed, hash, messages, simulated_ms, steps, violations } = result;
  const days = (simulated_ms / 86_400_000).toFixed(1);
  const found = violations.length === 0 ? 'passed' : 'FAILED';
  return `seed ${of_seed.seed}: ${found}; ${messages} messages, ${steps} steps, ${days} days in ${processor_s.toFixed(1)} s; ${of_seed.faults?.join(' ') || 'no faults'}; ${hash.slice(0, 16)}`;
}

function violationsOf({ violations }: SimulationResult): string {
  return violations.map(({ at_ms, by, problem }) => `  ${new Date(at_ms).toISOString()} ${by}: ${problem}`).join('\n');
}

function readOptions() {
  try {
    const { values } = parseOptions({
      options: {
        seed: { type: 'string', default: '1' },
        seeds: { type: 'string', default: '1' },
        days: { type: 'string' },
        nodes: { type: 'string' },
        faults: { type: 'string', default: 'all' },
        without: { type: 'string' },
        activities: { type: 'string' },
        workers: { type: 'string', default: '1' },
        keep: { type: 'boolean', default: false },
        trace: { type: 'boolean', default: false },
        database: { type: 'string', default: 'memory' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const { days, nodes, faults, without, activities: activities_max, database } = values;
    const seeds = wholeNumber('--seeds', values.seeds, 1);
    const options: Omit<SimulationOptions, 'seed'> = {
      ...(days === undefined ? {} : { days: daysOf(days) }),
      ...(nodes === undefined ? {} : { nodes: wholeNumber('--nodes', nodes, 1) }),
      ...(database === 'memory' ? {} : { database: oneOf('--database', database, storage_names) }),
      ...(faults === 'all'
        ? {}
        : {
            faults: faults === 'none' ? [] : faults.split(',').map((name) => oneOf('--faults', name, fault_names)),
            draws_faults: false,
          }),
      ...(without === undefined
        ? {}
        : { without: without.split(',').map((name) => oneOf('--without', name, activity_names)) }),
      ...(activities_max === undefined ? {} : { activities_max: wholeNumber('--activities', activities_max) }),
    };
    return {
      ...values,
      first_seed: wholeNumber('--seed', values.seed),
      seeds,
      workers: Math.min(seeds, wholeNumber('--workers', values.workers, 1)),
      options,
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(usage_status);
  }
}

function daysOf(text: string): number {
  const days = Number(text);
  if (days > 0 && days < Number.POSITIVE_INFINITY) return days;
  throw new Error(`--days ${text} is not a number of days above 0`);
}
