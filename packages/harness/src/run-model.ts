import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import type { MessageKind } from './arbitraries/authorizations.ts';
import { cardPlan } from './arbitraries/cards.ts';
import { nextOfKind, startInstant } from './arbitraries/clocks.ts';
import type { Choice } from './choice.ts';
import { createCard } from './commands/cards.ts';
import { type CommandName, commandSequence, meansOf } from './commands/command-sequence.ts';
import { compareAll, moveClock } from './comparison.ts';
import { type Coverage, coverageOf, type Demand, unreached } from './coverage.ts';
import type { FaultName, FaultPoint } from './faults.ts';
import type { Reach } from './reach.ts';
import type { Case } from './reference/cases.ts';
import { ReferenceModel } from './reference/model.ts';
import { listingOf, problemOf } from './report/failure-report.ts';
import { recorded } from './report/recording.ts';
import { type FailedSequence, reproductionOf } from './report/reproduction.ts';
import { type CapabilityName, can, capabilitiesOf, requireMembers, type System, type SystemStart } from './system.ts';

export interface ModelRun {
  /**
   * A system with a new company and a frozen clock. Created once per sequence, also while shrinking.
   */
  readonly system: (start: SystemStart) => Promise<System>;
  readonly runs: number;
  /** If absent, a random seed. */
  readonly seed?: number;
  /** The longest sequence; the default is 30. */
  readonly commands_max?: number;
  /** Default: every command for which the system has the capabilities. */
  readonly commands?: Choice<CommandName>;
  /** The kinds of requests and advices that the network sends. Default: all. */
  readonly messages?: Choice<MessageKind>;
  /** The faults that are injected. Default: none. */
  readonly faults?: readonly FaultName[];
  /** What the run has to reach: else it fails. Not with `path`, which repeats one sequence. */
  readonly demand?: Demand;
  /**
   * How many sequences may be run to shrink a failing one; 0: it is not shrunk. Then the shortest so
   * far is reported. Default: 2,000.
   */
  readonly shrink_sequences_max?: number;
  /** The path of a failure, to reproduce its shrunk sequence immediately. */
  readonly path?: string;
  readonly replay_path?: string;
  /** The command that repeats a failure. Default: a call of `runModel`. */
  readonly repeat?: (seed: number, path: string, replay_path: string) => string;
  /** Called with the module that reproduces a failure without the harness, to write it to a file. */
  readonly writeReproduction?: (module_text: string) => Promise<void>;
}

export interface ModelRunResult {
  readonly failed: boolean;
  readonly seed: number;
  readonly runs: number;
  readonly shrinks: number;
  /** How often the sequences reached what the system can reach, by kind, as far as they agreed. */
  readonly coverage: Coverage;
  /**
   * The steps of the failing sequence in order, beginning with the initial cards; empty if nothing
   * failed.
   */
  readonly steps: readonly string[];
  /** What was sent, what differs, and how to reproduce it; null if nothing failed. */
  readonly report: string | null;
  /**
   * The text of a module that sends the failing sequence again: it needs nothing of the harness, and
   * exports `reproduce(open)`. Null if no sequence failed.
   */
  readonly reproduction: string | null;
}

/** The last failing sequence: after shrinking, the shortest. */
interface Failure extends FailedSequence {
  readonly problem: string;
  /** True: the start or one of the first cards already differs. */
  readonly is_before_commands: boolean;
}

/**
 * Drives the system and the reference model through random sequences and compares them after every
 * step. Resolves with the result. `report` names the seed and the path of a failure, and the
 * shortest sequence that shows it. Rejects with a RangeError or a TypeError when an option is wrong.
 */
export async function checkModel(options: ModelRun): Promise<ModelRunResult> {
  const { runs, commands_max = 30, shrink_sequences_max = 2_000 } = options;
  if (!Number.isSafeInteger(runs) || runs < 1)
    throw new RangeError(`runs is ${runs}: it must be a whole number of at least 1`);
  const reached = new Map<Case, number>();
  const faults = new Map<FaultPoint, number>();
  let failure: Failure | null = null;
  let shrink_sequences = 0;
  const means = meansOf({ ...options, commands_max });
  let surroundings = {
    files_without_ids: false,
    merchant_controls: false,
    capabilities: new Set<CapabilityName>() as Reach['capabilities'],
  };
  const property = fc.asyncProperty(
    // First, so that it is shrunk first: when another value shrinks, fast-check does not learn which
    // commands ran then.
    commandSequence({ ...options, commands_max }),
    fc.array(cardPlan(), { minLength: 1, maxLength: 2 }),
    startInstant(),
    fc.noShrink(fc.noBias(fc.integer())),
    async (commands, cards, start_ms, seed) => {
      if (failure !== null) shrink_sequences += 1;
      // Ends the shrinking: fast-check keeps the last sequence that failed.
      if (shrink_sequences > shrink_sequences_max) throw new fc.PreconditionFailure(true);
      const opened = await options.system({ start_ms, seed });
      requireMembers(opened);
      const capabilities = capabilitiesOf(opened);
      const { files_without_ids = false, merchant_controls = false } = opened.world;
      surroundings = { files_without_ids, merchant_controls, capabilities };
      const model = new ReferenceModel(opened.world, capabilities);
      const { system, calls } = recorded(opened, (name) => {
        if (name !== 'readCard') model.latest.clear();
      });
      let is_before_commands = true;
      try {
        await begin(model, system, start_ms);
        for (const plan of cards) await createCard(plan).run(model, system);
        // fast-check shrinks no commands that did not run in the first failure.
        if (failure?.is_before_commands) return;
        is_before_commands = false;
        await fc.asyncModelRun(() => ({ model, real: system }), commands);
        await compareAll(model, system);
        addTo(reached, model.reached);
        addTo(faults, model.faults);
      } catch (error) {
        failure = { world: opened.world, seed, calls, problem: problemOf(error, model.latest), is_before_commands };
        throw error;
      } finally {
        await opened.close();
      }
    },
  );
  const details = await fc.check(property, {
    numRuns: runs,
    endOnFailure: shrink_sequences_max === 0,
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.path === undefined ? {} : { path: options.path }),
  });
  const { counterexample } = details;
  const shown = details.failed && failure !== null ? reportOf(failure, options, details) : null;
  if (shown !== null) await options.writeReproduction?.(shown.reproduction);
  const coverage = coverageOf(reached, faults, { ...surroundings, means, commits: new Set(faults.keys()) });
  const is_whole = !details.failed && options.path === undefined && options.demand !== undefined;
  const missing = is_whole ? unreached(options.demand, coverage) : [];
  return {
    failed: details.failed || missing.length > 0,
    seed: details.seed,
    runs: details.numRuns,
    shrinks: details.numShrinks,
    coverage,
    steps: counterexample === null ? [] : stepsOf(counterexample),
    report: shown?.report ?? otherFailure(details, missing),
    reproduction: shown?.reproduction ?? null,
  };
}

function addTo<Key>(sums: Map<Key, number>, counts: ReadonlyMap<Key, number>): void {
  for (const [key, times] of counts) sums.set(key, (sums.get(key) ?? 0) + times);
}

/**
 * Moves the clock to the planned start of the sequence. A system that begins later than planned is
 * moved to its next instant of the same kind.
 */
async function begin(model: ReferenceModel, system: System, start_ms: number): Promise<void> {
  const to_ms = nextOfKind(start_ms, model.now_ms);
  if (can(system, 'advanceClock') && to_ms !== model.now_ms) await moveClock(model, system, to_ms);
}

/** Like `checkModel`, but throws the report when the two differ. */
export async function runModel(options: ModelRun): Promise<ModelRunResult> {
  const result = await checkModel(options);
  if (result.report !== null) throw new Error(result.report);
  return result;
}

type Counterexample = readonly [Iterable<unknown>, readonly unknown[], number, number];

function stepsOf([commands, cards, start_ms]: Counterexample): string[] {
  const start = `start at ${Temporal.Instant.fromEpochMilliseconds(start_ms)}`;
  return [start, ...cards.map((plan) => `create card ${JSON.stringify(plan)}`), ...doneCommands(commands)];
}

/** fast-check prints the commands that ran, one after another, and its replay path in a comment. */
function doneCommands(commands: Iterable<unknown>): string[] {
  return [...commands].map(String);
}

interface Found {
  readonly interrupted: boolean;
  readonly seed: number;
  readonly numRuns: number;
  readonly numShrinks: number;
  readonly counterexamplePath: string | null;
  readonly counterexample: Counterexample | null;
}

function reportOf(
  failure: Failure,
  { repeat = defaultRepeat }: ModelRun,
  { interrupted, seed, numRuns, numShrinks, counterexamplePath, counterexample }: Found,
): { readonly report: string; readonly reproduction: string } {
  const replay_path = /replayPath="([^"]*)"/.exec(String(counterexample?.[0]))?.[1] ?? '';
  const again = repeat(seed, counterexamplePath ?? '', replay_path);
  const report = [
    failure.problem,
    listingOf(failure),
    `shortest sequence after ${numRuns} runs and ${numShrinks} shrinks; seed ${seed}`,
    ...(interrupted ? ['there may be a shorter one: the limit of `shrink_sequences_max` was reached'] : []),
    `repeat it: ${again}`,
  ];
  return { report: report.join('\n'), reproduction: reproductionOf(failure, `${failure.problem}\n\n${again}`) };
}

/** The report when no sequence failed. */
function otherFailure(
  { failed, errorInstance, numRuns, seed }: Found & { readonly failed: boolean; readonly errorInstance: unknown },
  missing: readonly string[],
): string | null {
  if (failed) return `no sequence could be run: ${errorInstance}`;
  if (missing.length === 0) return null;
  return [`${numRuns} sequences of the seed ${seed} did not reach what was demanded`, ...missing].join('\n  ');
}

function defaultRepeat(seed: number, path: string, replay_path: string): string {
  return `await runModel({ ...options, runs: 1, seed: ${seed}, path: '${path}', replay_path: '${replay_path}' });`;
}
