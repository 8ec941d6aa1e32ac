import { type FaultPoint, fault_points } from './faults.ts';
import { isReachable, isStruck, type Reach } from './reach.ts';
import { type Case, cases } from './reference/cases.ts';

type Named<Prefix extends string> = Case extends infer One
  ? One extends `${Prefix} ${infer Name}`
    ? Name extends `${string}:${string}`
      ? never
      : Name
    : never
  : never;

/** What a run can reach, by kind. A rule that is refined (`rule 3: the oldest ...`) is a case. */
interface Names {
  readonly reasons: Named<'reason'>;
  readonly rules: Named<'rule'>;
  readonly classes: Named<'class'>;
  readonly statuses: Named<'status'>;
  readonly cases: Case;
  readonly fault_points: string;
}

export type CoverageKind = keyof Names;

/** What a run has to reach. `'all'` is all that its commands can reach on the system. */
export type Demand = 'all' | { readonly [Kind in CoverageKind]?: 'all' | readonly Names[Kind][] };

/** How often a run reached each name of a kind. */
export type Coverage = Readonly<Record<CoverageKind, Readonly<Record<string, number>>>>;

const kind_of_prefix: Readonly<Record<string, CoverageKind>> = {
  reason: 'reasons',
  rule: 'rules',
  class: 'classes',
  status: 'statuses',
};

/** The cases and the fault points that a run can reach, by kind. */
export function coverageOf(
  reached: ReadonlyMap<Case, number>,
  faults: ReadonlyMap<FaultPoint, number>,
  reach: Reach,
): Coverage {
  const coverage: Record<CoverageKind, Record<string, number>> = {
    reasons: {},
    rules: {},
    classes: {},
    statuses: {},
    cases: {},
    fault_points: {},
  };
  for (const reachable of cases) {
    if (!isReachable(reachable, reach)) continue;
    const [, prefix, name] = /^(\w+) (\w+)$/.exec(reachable) ?? [];
    const kind = kind_of_prefix[prefix ?? ''];
    const times = reached.get(reachable) ?? 0;
    if (kind === undefined) coverage.cases[reachable] = times;
    else coverage[kind][name!] = times;
  }
  for (const point of fault_points) {
    if (isStruck(point, reach)) coverage.fault_points[point] = faults.get(point) ?? 0;
  }
  return coverage;
}

/** What was demanded and not reached, as text for each kind; empty if nothing is missing. */
export function unreached(demand: Demand, coverage: Coverage): readonly string[] {
  const kinds = Object.keys(coverage) as CoverageKind[];
  return kinds.flatMap((kind) => {
    const demanded = demand === 'all' ? 'all' : (demand[kind] ?? []);
    const names = demanded === 'all' ? Object.keys(coverage[kind]) : demanded;
    const missing = names.filter((name) => !coverage[kind][name]);
    return missing.length === 0 ? [] : [`${kind.replace('_', ' ')}: ${missing.join(', ')}`];
  });
}
