import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { usual_seed } from '@tallystick/test-support';
import { wrap } from './report.ts';

/** A switch of `npm test --`, as `--help` and docs/testing.md show it. */
export interface Switch {
  /** The switch with a placeholder for its value: `--only TEXT`. */
  readonly usage: string;
  readonly meaning: string;
}

/**
 * `short` is `npm test`: what is run before a commit. `full` is `.ci/run`: what a landing needs.
 * `long` draws other random values each time, and more of them.
 */
export type Size = 'short' | 'full' | 'long';

/** The switches of a command line. */
export interface Switches {
  readonly help: boolean;
  readonly size: Size;
  /** Whether the times of this run are written to `recorded-times.json`. */
  readonly record: boolean;
  /** Names of the optional parts that must be available. */
  readonly required: readonly string[];
  /**
   * How often each property and random sequence runs; null for the number that belongs to the size
   * of the run.
   */
  readonly runs: number | null;
  /** The seed of all random values of this run: a random one in the long run, else the same each time. */
  readonly seed: number;
  /** Texts of which a file's path must contain one. Without texts every file runs. */
  readonly only: readonly string[];
  /** The major version of the Node that runs the tests; null for the one that runs everything. */
  readonly node: 24 | null;
  /** The number of test files that run at the same time, each in a separate process. */
  readonly concurrency: number;
}

/** The command line is wrong. The message is for the user. */
export class SwitchProblem extends Error {}

/**
 * The default of `--concurrency`: two more than there are cores, because many tests wait for
 * servers. At most four, because their connections to Postgres add up.
 */
export const concurrency_default: number = Math.min(availableParallelism() + 2, 4);

/** Returns all switches, in the order in which they are documented. */
export function switchesOf(optional_names: readonly string[]): readonly Switch[] {
  return [
    { usage: '--only TEXT', meaning: 'run only the files with TEXT in their path; can be repeated' },
    { usage: '--full', meaning: 'the full run: all files, more random values, larger loads' },
    { usage: '--long', meaning: 'the long run: other random values each time, ten times as many' },
    { usage: '--runs N', meaning: 'run every property and random sequence N times' },
    {
      usage: '--seed N',
      meaning: 'begin all random values from N, to repeat a failure; the end of each run shows its seed',
    },
    {
      usage: '--require NAME',
      meaning: `fail when NAME is not available, instead of leaving out its tests: ${optional_names.join(', ')}; can be repeated`,
    },
    {
      usage: '--concurrency N',
      meaning: `test files that run at the same time; here ${concurrency_default} by default`,
    },
    {
      usage: '--node 24',
      meaning: 'run the tests on Node 24, the oldest on which what is published runs; --long also does so',
    },
    { usage: '--record', meaning: 'write the times of the files to test/runner/recorded-times.json' },
    { usage: '--help', meaning: 'show this list' },
  ];
}

/** Reads the arguments of `npm test --`. Throws a `SwitchProblem`. */
export function readSwitches(args: readonly string[], optional_names: readonly string[]): Switches {
  const { values, tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      full: { type: 'boolean', default: false },
      long: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      require: { type: 'string', multiple: true, default: [] },
      runs: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      concurrency: { type: 'string' },
      node: { type: 'string' },
    },
  });
  const flags = ['help', 'full', 'long', 'record'];
  const known = [...flags, 'require', 'runs', 'seed', 'only', 'concurrency', 'node'];
  for (const token of tokens) {
    if (token.kind === 'positional') {
      throw new SwitchProblem(`"${token.value}" is not a switch; to run one file: npm test -- --only ${token.value}`);
    }
    if (token.kind !== 'option') continue;
    if (!known.includes(token.name)) throw new SwitchProblem(`there is no switch ${token.rawName}`);
    if (flags.includes(token.name) && token.value !== undefined) {
      throw new SwitchProblem(`${token.rawName} takes no value`);
    }
    const value_missing = token.value === undefined || token.value === '' || token.value.startsWith('--');
    if (!flags.includes(token.name) && value_missing) throw new SwitchProblem(`${token.rawName} requires a value`);
  }
  if (values.full === true && values.long === true) throw new SwitchProblem('--full and --long are two sizes of a run');
  if (values.long === true && values.record === true) throw new SwitchProblem('--record: the long run has no record');
  const size = values.long === true ? 'long' : values.full === true ? 'full' : 'short';
  const required = values.require as string[];
  for (const name of required) {
    if (!optional_names.includes(name)) {
      throw new SwitchProblem(`--require ${name}: it can be ${optional_names.join(' or ')}`);
    }
  }
  if (values.node !== undefined && values.node !== '24') {
    throw new SwitchProblem(`--node ${values.node}: it can be 24`);
  }
  const number = (name: 'runs' | 'seed' | 'concurrency', min: number): number | null => {
    const text = values[name] as string | undefined;
    if (text === undefined) return null;
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= min) return value;
    throw new SwitchProblem(`--${name} ${text}: it must be an integer from ${min} on`);
  };
  return {
    help: values.help as boolean,
    size,
    record: values.record as boolean,
    required,
    runs: number('runs', 1),
    seed: number('seed', 0) ?? (size === 'long' ? randomInt(2 ** 31) : usual_seed),
    only: values.only as string[],
    node: values.node === undefined ? null : 24,
    concurrency: number('concurrency', 1) ?? concurrency_default,
  };
}

/** Returns the text that `--help` prints. */
export function helpText(optional_names: readonly string[]): string {
  const lines = switchesOf(optional_names).map(({ usage, meaning }) =>
    wrap(`  ${usage.padEnd(17)} ${meaning}`, ' '.repeat(20)),
  );
  return [
    'npm test -- [switches]',
    '',
    'Runs every *.test.ts of packages, adapters, apps and test.',
    '',
    ...lines,
    '',
    'docs/testing.md has examples, and the environment variables.',
  ].join('\n');
}
