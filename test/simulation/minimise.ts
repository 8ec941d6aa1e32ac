import type { SimulationOptions, SimulationResult } from './run.ts';
import { activities } from './workload/activities.ts';

const day_ms = 86_400_000;

/** The most runs of a search. */
const runs_max = 60;

/**
 * The smallest run that still shows the first violation of a result: the fewest activities, the
 * shortest time, and without the kinds of faults and activities that it does not need.
 */
export async function minimise(
  found: SimulationResult,
  run: (options: SimulationOptions) => Promise<SimulationResult>,
): Promise<{ readonly options: SimulationOptions; readonly result: SimulationResult }> {
  const by = found.violations[0]?.by;
  let result = found;
  let options: SimulationOptions = { ...found.options, draws_faults: false };
  let runs = 0;

  async function tryLess(less: Partial<SimulationOptions>): Promise<boolean> {
    if (runs >= runs_max) return false;
    runs += 1;
    const tried = { ...options, ...less };
    const next = await run(tried);
    if (next.violations[0]?.by !== by) return false;
    options = tried;
    result = next;
    return true;
  }

  await tryLess({ activities_max: result.activities });
  for (let none = 0, all = result.activities; none + 1 < all; ) {
    const middle = Math.floor((none + all) / 2);
    if (await tryLess({ activities_max: middle })) all = Math.min(middle, result.activities);
    else none = middle;
  }
  await tryLess({ days: Math.ceil(((result.violations[0]!.at_ms - result.start_ms) / day_ms) * 100) / 100 });
  for (const fault of options.faults ?? []) {
    await tryLess({ faults: (options.faults ?? []).filter((name) => name !== fault) });
  }
  for (const { name } of activities) {
    if (result.reached.has(`activity: ${name}`)) await tryLess({ without: [...(options.without ?? []), name] });
  }
  for (let nodes = 1; nodes < (options.nodes ?? 1); nodes += 1) if (await tryLess({ nodes })) break;
  return { options, result };
}

/** The command that repeats a run. */
export function commandOf({ seed, days, nodes, faults, without, activities_max, database }: SimulationOptions): string {
  const switches = [
    ['seed', seed],
    ['days', days],
    ['nodes', nodes],
    ['faults', faults === undefined ? undefined : faults.join(',') || 'none'],
    ['without', without?.length ? `'${without.join(',')}'` : undefined],
    ['activities', activities_max],
    ['database', database],
  ] as const;
  const given = switches.filter(([, value]) => value !== undefined).map(([name, value]) => `--${name} ${value}`);
  return `npm run simulate -- ${given.join(' ')}`;
}
