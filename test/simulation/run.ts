import { type RetentionKind, retention_kinds } from '@tallystick/kernel';
import type { State } from '@tallystick/memory';
import { default_settings } from 'tallystick/inversify';
import { openStorage, type StorageName } from './databases/world-storage.ts';
import { beginFaults, drawFaults, endFaults, type FaultName, fault_names } from './faults/plan.ts';
import { Processes } from './faults/processes.ts';
import { Auditor } from './oracles/auditor/auditor.ts';
import { checkRebuild } from './oracles/rebuild-check.ts';
import { compareWithReference } from './oracles/reference.ts';
import type { PlantedBug } from './planted/planted-bug.ts';
import { SeededRandom } from './random.ts';
import { storyOf, withoutNumbers } from './story.ts';
import { activities } from './workload/activities.ts';
import { addCompany } from './workload/companies.ts';
import { type Report, World } from './world.ts';

export interface SimulationOptions {
  readonly seed: number;
  /** How much time is simulated, days; drawn when absent. */
  readonly days?: number;
  /** Drawn when absent. */
  readonly nodes?: number;
  /** Where the processes store; in memory when absent. */
  readonly database?: StorageName;
  /** Of which the seed draws some; every kind when absent. */
  readonly faults?: readonly FaultName[];
  /** Whether the seed draws of the faults, or has all of them; true when absent. */
  readonly draws_faults?: boolean;
  /** The names of activities that are left out. */
  readonly without?: readonly string[];
  /** The run begins no activity after this number. */
  readonly activities_max?: number;
  /** A bug to be found, in tests of the simulation. */
  readonly bug?: PlantedBug;
  /** What is to find the bug: the run ends with the first violation of it. */
  readonly ends_with?: string;
}

export interface SimulationResult {
  /** With everything that the seed has drawn. */
  readonly options: SimulationOptions;
  readonly start_ms: number;
  /** Equal in every run of the seed with these options. */
  readonly hash: string;
  readonly messages: number;
  readonly activities: number;
  readonly steps: number;
  readonly simulated_ms: number;
  /** How often each activity, fault and answer was reached, by name. */
  readonly reached: ReadonlyMap<string, number>;
  /** What must not happen, and did. Empty: the run has passed. */
  readonly violations: readonly Report[];
  /** What happened to the subject of the first violation, a line each. Empty when the run has passed. */
  readonly story: readonly string[];
}

const day_ms = 86_400_000;
/** A run ends after this many violations: what follows is mostly of the same cause. */
const violations_max = 5;
/** Everything due is done within this time after the faults. */
const quiet_ms = 6 * 3_600_000;

/** Days at which something changes: summer time in both directions, ends of months and years. */
const special_days = [
  '2026-03-07',
  '2026-03-28',
  '2026-04-04',
  '2026-09-05',
  '2026-10-03',
  '2026-10-24',
  '2026-10-31',
  '2027-02-27',
  '2027-12-30',
  '2028-02-28',
];

/** About how many activities a seed begins, however long it is. */
const activities_of_seed = [50, 200, 800];

/** Runs one seed. `onTrace` gets every call, answer, delivery and fault as a line without numbers of cards. */
export async function simulate(
  options: SimulationOptions,
  onTrace?: (line: string) => void,
): Promise<SimulationResult> {
  const { seed } = options;
  const draws = new SeededRandom(`${seed}/options`);
  const start_ms = Date.parse(`${draws.branch('start').pick(special_days)}T00:00:00Z`) + draws.below(2 * day_ms);
  const days = options.days ?? draws.branch('days').pick([0.05, 1, 10, 60, 400]);
  const nodes = options.nodes ?? draws.branch('nodes').between(1, 3);
  const mean_ms = (days * day_ms) / draws.branch('activities').pick(activities_of_seed);
  const allowed = options.faults ?? fault_names;
  const faults = options.draws_faults === false ? allowed : drawFaults(draws, allowed);
  const storage = await openStorage(options.database ?? 'memory');
  const world = new World(seed, start_ms, storage, options.bug);
  if (onTrace !== undefined) {
    world.onTrace = (at_ms, line) => onTrace(`${new Date(at_ms).toISOString()} ${withoutNumbers(line)}`);
  }
  const processes = new Processes(world, nodes, faults);
  const auditor = new Auditor({
    history: world.history,
    nowMs: () => world.time.now_ms,
    committed: () => world.committed,
    audit_mac: world.audit_mac,
    kept_days: keptDays(),
    ids_follow_commits: options.database !== 'postgres',
  });

  let audited: State | null = null;
  let seen = 0;
  const audit = (): void => {
    const { committed, observations } = world;
    if (committed === audited && observations === seen) return;
    audited = committed;
    seen = observations;
    for (const { invariant, problem } of auditor.checkStep()) world.report(invariant, problem);
  };
  const isEnough = () =>
    world.reports.length >= violations_max || world.reports.some(({ by }) => by === options.ends_with);
  const runUntil = async (until_ms: number, isOver: () => boolean = () => false): Promise<void> => {
    while (!isEnough() && !isOver() && (await world.time.step(until_ms))) audit();
  };

  await world.time.until(processes.keepUp());
  await world.time.until(addCompany(world));
  beginFaults(world, faults);
  processes.beginFaults();
  const begun = beginActivities(world, mean_ms, options);
  await runUntil(start_ms + days * day_ms);

  begun.stop();
  endFaults(world);
  processes.endFaults();
  world.becomeQuiet();
  world.time.stayFor(60_000);
  await runUntil(world.time.now_ms + quiet_ms);
  await runUntil(world.time.now_ms + quiet_ms, () => world.activities_open === 0);
  // What only the day decides, such as what is overdue.
  world.time.stayFor(60_000);
  await runUntil(world.time.now_ms + 60_000);
  if (world.reports.length === 0) {
    if (world.activities_open > 0) world.report('quiet phase', `${world.activities_open} activities do not end`);
    for (const { invariant, problem } of auditor.checkEnd()) world.report(invariant, problem);
    for (const problem of compareWithReference(world.history, world.committed))
      world.report('reference model', problem);
  }
  if (world.reports.length === 0) await world.time.until(checkRebuild(world));
  if (world.reports.length === 0) await world.time.until(Promise.all([...world.nodes].map((node) => node.stop())));
  await storage.close();
  return {
    options: { ...options, days, nodes, faults },
    start_ms,
    hash: world.digest(),
    messages: world.requests,
    activities: begun.count(),
    steps: world.time.steps,
    simulated_ms: world.time.now_ms - start_ms,
    reached: world.reached,
    violations: world.reports,
    story: world.reports.length === 0 ? [] : storyOf(world, world.reports[0]!),
  };
}

function keptDays(): Partial<Record<RetentionKind, number>> {
  const kept: Partial<Record<RetentionKind, number>> = {};
  for (const kind of retention_kinds) kept[kind] = default_settings.kept_days[kind] ?? Number.POSITIVE_INFINITY;
  return kept;
}

/** Begins activities at random times. */
function beginActivities(
  world: World,
  mean_ms: number,
  { without = [], activities_max = Number.POSITIVE_INFINITY }: SimulationOptions,
) {
  const random = world.random.branch('activities');
  let count = 0;
  let is_over = false;

  const next = (): void => {
    world.time.after(random.wait(mean_ms), () => {
      if (is_over || count >= activities_max) return;
      const possible = activities.filter(({ isPossible }) => isPossible?.(world) ?? true);
      count += 1;
      const { name, run } = random.pickWeighted(possible);
      if (!without.includes(name)) world.begin(name, () => run(world));
      next();
    });
  };

  next();
  return {
    count: () => count,
    stop() {
      is_over = true;
    },
  };
}
