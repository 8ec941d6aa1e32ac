import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { cardPlan } from './arbitraries/cards.ts';
import { nextOfKind, startInstant } from './arbitraries/clocks.ts';
import type { Choice } from './choice.ts';
import { createCard } from './commands/cards.ts';
import { type CommandName, commandSequence } from './commands/command-sequence.ts';
import { compareAll } from './comparison.ts';
import { type Case, cases } from './reference/cases.ts';
import { ReferenceModel } from './reference/model.ts';
import { capabilitiesOf, type System, type SystemStart } from './system.ts';

export interface ModelRun {
  /**
   * A system with a new company and a frozen clock. Created once per sequence, also while shrinking.
   */
  readonly system: (start: SystemStart) => Promise<System>;
  /** The number of sequences. */
  readonly runs: number;
  /** If absent, a random seed. */
  readonly seed?: number;
  /** The longest sequence; the default is 30. */
  readonly commands_max?: number;
  /** Default: every command for which the system has the capabilities. */
  readonly commands?: Choice<CommandName>;
  /** Whether a failing sequence is shrunk, which takes many sequences more. Default: it is. */
  readonly shrink?: boolean;
  /** The path of a failure, to reproduce its shrunk sequence immediately. */
  readonly path?: string;
  readonly replay_path?: string;
}

export interface ModelRunResult {
  readonly failed: boolean;
  readonly seed: number;
  readonly runs: number;
  readonly shrinks: number;
  /** How often the sequences reached each case of the specification, as far as they agreed. */
  readonly reached: Readonly<Record<Case, number>>;
  /**
   * The steps of the failing sequence in order, beginning with the initial cards; empty if nothing
   * failed.
   */
  readonly steps: readonly string[];
  /** The difference and how to reproduce it; null if there is none. */
  readonly report: string | null;
}

/**
 * Drives the system and the reference model through random sequences and compares them after every
 * step. Resolves with the result. `report` names the seed and the path of a failure, and the
 * shortest sequence that shows it.
 */
export async function checkModel(options: ModelRun): Promise<ModelRunResult> {
  const commands_max = options.commands_max ?? 30;
  const reached = Object.fromEntries(cases.map((reachable) => [reachable, 0])) as Record<Case, number>;
  const property = fc.asyncProperty(
    startInstant(),
    fc.array(cardPlan(), { minLength: 1, maxLength: 2 }),
    commandSequence({ commands_max, commands: options.commands, replay_path: options.replay_path }),
    fc.noShrink(fc.noBias(fc.integer())),
    async (start_ms, cards, commands, seed) => {
      const system = await options.system({ start_ms, seed });
      try {
        const model = new ReferenceModel(system.world, capabilitiesOf(system));
        await begin(model, system, start_ms);
        for (const plan of cards) await createCard(plan).run(model, system);
        await fc.asyncModelRun(() => ({ model, real: system }), commands);
        await compareAll(model, system);
        for (const [reachable, times] of model.reached) reached[reachable] += times;
      } finally {
        await system.close();
      }
    },
  );
  const details = await fc.check(property, {
    numRuns: options.runs,
    endOnFailure: options.shrink === false,
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.path === undefined ? {} : { path: options.path }),
  });
  const { counterexample } = details;
  const steps = counterexample === null ? [] : stepsOf(counterexample);
  return {
    failed: details.failed,
    seed: details.seed,
    runs: details.numRuns,
    shrinks: details.numShrinks,
    reached,
    steps,
    report: details.failed ? reportOf(details, steps) : null,
  };
}

/**
 * Moves the clock to the planned start of the sequence. A system that begins later than planned is
 * moved to its next instant of the same kind.
 */
async function begin(model: ReferenceModel, system: System, start_ms: number): Promise<void> {
  const to_ms = nextOfKind(start_ms, model.now_ms);
  if (system.advanceClock === undefined || to_ms === model.now_ms) return;
  model.advanceClock(to_ms);
  await system.advanceClock(to_ms);
}

/** Like `checkModel`, but throws the report when the two differ. */
export async function runModel(options: ModelRun): Promise<ModelRunResult> {
  const result = await checkModel(options);
  if (result.report !== null) throw new Error(result.report);
  return result;
}

interface Failure {
  readonly seed: number;
  readonly numRuns: number;
  readonly numShrinks: number;
  readonly counterexamplePath: string | null;
  readonly counterexample: readonly [number, readonly unknown[], Iterable<unknown>, number] | null;
  readonly errorInstance: unknown;
}

function stepsOf([start_ms, cards, commands]: readonly [
  number,
  readonly unknown[],
  Iterable<unknown>,
  number,
]): string[] {
  const start = `start at ${Temporal.Instant.fromEpochMilliseconds(start_ms)}`;
  return [start, ...cards.map((plan) => `create card ${JSON.stringify(plan)}`), ...doneCommands(commands)];
}

/** fast-check prints the commands that ran, one after another, and its replay path in a comment. */
function doneCommands(commands: Iterable<unknown>): string[] {
  return [...commands].map(String);
}

function reportOf(failure: Failure, steps: readonly string[]): string {
  const replay_path = /replayPath="([^"]*)"/.exec(String(failure.counterexample?.[2]))?.[1];
  const cause = failure.errorInstance;
  return [
    'the system and the reference model differ',
    cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
    `shortest sequence, after ${failure.numRuns} runs and ${failure.numShrinks} shrinks:`,
    ...steps.map((step) => `  ${step}`),
    `seed ${failure.seed}, path ${failure.counterexamplePath}, replay path ${replay_path ?? '(none)'}`,
    `reproduce it: npm run model -- --runs ${failure.numRuns} --seed=${failure.seed}`,
    `or directly:   npm run model -- --seed=${failure.seed} --path '${failure.counterexamplePath}' --replay-path '${replay_path ?? ''}'`,
  ].join('\n');
}
