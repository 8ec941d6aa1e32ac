/** `npm run simulate`: runs seeds of the simulation, and prints what they showed. */

import { parseOptions } from '../../apps/server/src/parse-options.ts';
import { type FaultName, fault_names } from './faults/plan.ts';
import { type SimulationOptions, type SimulationResult, simulate } from './run.ts';

const usage = `npm run simulate -- [--seed S] [--seeds N] [--days D] [--nodes N] [--faults all|none|NAME,...]

Faults: ${fault_names.join(', ')}`;

const values = readOptions();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const first = integer('seed', values.seed);
const count = integer('seeds', values.seeds);
const options: Omit<SimulationOptions, 'seed'> = {
  ...(values.days === undefined ? {} : { days: Number(values.days) }),
  ...(values.nodes === undefined ? {} : { nodes: integer('nodes', values.nodes) }),
  ...(values.faults === 'all' ? {} : { faults: faultsOf(values.faults), draws_faults: false }),
};
for (let seed = first; seed < first + count; seed += 1) {
  const began = process.cpuUsage();
  const result = await simulate({ ...options, seed });
  const { user, system } = process.cpuUsage(began);
  console.log(lineOf(result, (user + system) / 1e6));
  for (const { at_ms, by, problem } of result.violations) {
    console.log(`  ${new Date(at_ms).toISOString()} ${by}: ${problem}`);
    process.exitCode = 1;
  }
}

function lineOf(
  { seed, hash, messages, simulated_ms, steps, faults, violations }: SimulationResult,
  processor_s: number,
): string {
  const days = (simulated_ms / 86_400_000).toFixed(1);
  const found = violations.length === 0 ? 'passed' : `${violations.length} violations`;
  return `seed ${seed}: ${found}; ${messages} messages, ${steps} steps, ${days} days in ${processor_s.toFixed(1)} s; ${faults.join(' ') || 'no faults'}; ${hash.slice(0, 16)}`;
}

function faultsOf(text: string): readonly FaultName[] {
  const names = text === 'none' ? [] : text.split(',');
  const unknown = names.find((name) => !fault_names.includes(name as FaultName));
  if (unknown !== undefined) throw new TypeError(`--faults ${unknown}: it must be one of ${fault_names.join(', ')}`);
  return names as readonly FaultName[];
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
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}
