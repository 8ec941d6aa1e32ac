/**
 * `npm run simulate`: runs seeds of the simulation, and shrinks the first that fails.
 * docs/testing.md describes it.
 */

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseOptions } from '../../apps/server/src/parse-options.ts';
import { type StorageName, storage_names } from './databases/world-storage.ts';
import { type FaultName, fault_names } from './faults/plan.ts';
import { commandOf, minimise } from './minimise.ts';
import { type SimulationOptions, type SimulationResult, simulate } from './run.ts';
import { runSeeds, type SeedRun } from './workers.ts';

const usage = `npm run simulate -- [--seed S] [--seeds N] [--days D] [--nodes N] [--faults all|none|NAME,...]
    [--without ACTIVITY,...] [--activities N] [--workers N] [--keep] [--database ${storage_names.join('|')}]

Faults: ${fault_names.join(', ')}`;

/** The exit status of options that are wrong. */
const usage_status = 2;
const year_ms = 365.25 * 86_400_000;

const values = readOptions();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const first_seed = integer('seed', values.seed);
const seeds = integer('seeds', values.seeds);
const { faults } = values;
const options: Omit<SimulationOptions, 'seed'> = {
  ...(values.days === undefined ? {} : { days: Number(values.days) }),
  ...(values.nodes === undefined ? {} : { nodes: integer('nodes', values.nodes) }),
  ...(values.database === 'memory' ? {} : { database: databaseOf(values.database) }),
  ...(faults === 'all' ? {} : { faults: faultsOf(faults), draws_faults: false }),
  ...(values.without === undefined ? {} : { without: values.without.split(',') }),
  ...(values.activities === undefined ? {} : { activities_max: integer('activities', values.activities) }),
};
const reached = new Map<string, number>();
const sums = { seeds: 0, failed: 0, messages: 0, steps: 0, simulated_ms: 0, processor_s: 0 };
let first_failed: SimulationResult | null = null;
let told_ms = Date.now();
await runSeeds(
  Array.from({ length: seeds }, (_, at) => ({ ...options, seed: first_seed + at })),
  Math.min(seeds, integer('workers', values.workers)),
  ended,
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
  if (Date.now() - told_ms < 10_000) return;
  told_ms = Date.now();
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
  const { options: smallest, result } = await minimise(found, simulate);
  console.log(`\n${violationsOf(result)}\n${commandOf(smallest)}`);
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

function faultsOf(text: string): readonly FaultName[] {
  const names = text === 'none' ? [] : text.split(',');
  const unknown = names.find((name) => !fault_names.includes(name as FaultName));
  if (unknown !== undefined) throw new TypeError(`--faults ${unknown}: it must be one of ${fault_names.join(', ')}`);
  return names as readonly FaultName[];
}

function databaseOf(text: string): StorageName {
  const name = storage_names.find((one) => one === text);
  if (name === undefined) throw new TypeError(`--database ${text}: it must be one of ${storage_names.join(', ')}`);
  return name;
}

function integer(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new TypeError(`--${name} ${text}: it must be a whole number`);
  return value;
}

function readOptions() {
  try {
    return parseOptions({
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
        database: { type: 'string', default: 'memory' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(usage_status);
  }
}
