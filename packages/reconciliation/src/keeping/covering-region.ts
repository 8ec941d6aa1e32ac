import { recordsOfPairs } from '../act.ts';
import { standingActs } from '../acts/standing-acts.ts';
import { itemIdOf, type RecordKey, recordsOf } from '../item-id.ts';
import {
  type CoveringSet,
  type CoveringSets,
  covering_reach_days,
  findCoveringSets,
  type Leftovers,
  leftovers_of_day_max,
} from '../pairing/covering-sets.ts';
import { joinDates, type LeftoverDates, leftoverKeysAround, leftoverKeysOfDays } from '../pairing/entry-key.ts';
import type { Entry, ReconciliationStore } from '../ports.ts';
import type { ClosedGroup } from './closed-group.ts';
import { type OpenGroup, pairGroup } from './open-group.ts';

const no_sets: CoveringSets = { applied: [], offers: [], examined: 0 };

/**
 * The covering sets of the leftovers of a group. A leftover that came, went or changed may change
 * the sets of all leftovers within reach, so these join the group, but for those of days that have
 * no sets because they are crowded. The sets of each leftover of the group depend on the leftovers
 * within its own reach, which are looked at without joining it.
 */
export async function coveringSetsOf(
  store: ReconciliationStore,
  company_id: number,
  group: ClosedGroup,
  paired: OpenGroup,
  seeds: readonly RecordKey[],
): Promise<{ readonly open: OpenGroup; readonly sets: CoveringSets }> {
  let open = paired;
  const seed_ids = new Set(seeds.map(itemIdOf));
  for (;;) {
    const changed = changedLeftovers(group, open, seed_ids);
    const dates = datesOf({
      clearings: [...open.leftovers.clearings, ...changed.clearings],
      lines: [...open.leftovers.lines, ...changed.lines],
    });
    // Usually no line, or no clearing, is left over near them, so there are no sets.
    for (const kind of ['line', 'clearing'] as const) {
      if (!(await hasAnyNear(store, company_id, kind, dates, group, open))) return { open, sets: no_sets };
    }
    let is_larger = false;
    for (const { others, was_crowded, is_crowded } of await daysNear(
      store,
      company_id,
      datesOf(changed),
      group,
      open,
    )) {
      if (was_crowded && is_crowded) continue;
      for (const { record, item_id } of others) {
        group.addRecord(record);
        group.addItem(item_id);
        is_larger = true;
      }
    }
    if (!is_larger) {
      const { sets, missing } = await findSets(store, company_id, group, open);
      if (missing.length === 0) return { open, sets };
      for (const record of missing) group.addRecord(record);
    }
    open = await pairGroup(store, company_id, group);
  }
}

/**
 * The leftovers that are none in the stored entries, those that are none any more, and those that
 * changed or that people have decided about.
 */
function changedLeftovers(group: ClosedGroup, open: OpenGroup, seed_ids: ReadonlySet<number>): Leftovers {
  const { leftover_keys, leftover_entries, acts } = open;
  const handled = new Set(acts.flatMap(({ subject }) => recordsOfPairs(subject.pairs).map(itemIdOf)));
  const isChanged = (own_id: number): boolean => {
    const is_leftover = leftover_keys.has(own_id);
    if (is_leftover !== leftover_entries.has(own_id)) return true;
    return is_leftover && (seed_ids.has(own_id) || handled.has(own_id));
  };
  return {
    clearings: [...group.clearings.values()].filter(({ id }) => isChanged(itemIdOf({ kind: 'clearing', id }))),
    lines: [...group.lines.values()].filter(({ id }) => isChanged(itemIdOf({ kind: 'line', id }))),
  };
}

function datesOf({ clearings, lines }: Leftovers): readonly LeftoverDates[] {
  const dates = new Map<string, LeftoverDates>();
  const add = (currency: string, date: string) => dates.set(`${currency} ${date}`, { currency, from: date, to: date });
  for (const { currency, settlement_date } of clearings) add(currency, settlement_date);
  for (const { currency, booking_date } of lines) add(currency, booking_date);
  return [...dates.values()];
}

/** Whether a record of the kind is left over within reach: stored, or of the group. */
async function hasAnyNear(
  store: ReconciliationStore,
  company_id: number,
  kind: 'clearing' | 'line',
  dates: readonly LeftoverDates[],
  group: ClosedGroup,
  { leftovers, leftover_entries }: OpenGroup,
): Promise<boolean> {
  if (leftovers[kind === 'line' ? 'lines' : 'clearings'].length > 0) return true;
  // One that was left over until now may have had sets with what is near it.
  if (openEntries(group, leftover_entries.values()).some(({ record }) => record.kind === kind)) return true;
  for (const range of joinDates(dates, 2 * covering_reach_days)) {
    const { from, to } = leftoverKeysAround(kind, range, covering_reach_days);
    if ((await store.entriesBetween(company_id, from, to, 1)).length > 0) return true;
  }
  return false;
}

/** Without those of records that a closing froze. */
function openEntries({ items }: ClosedGroup, entries: Iterable<Entry>): readonly Entry[] {
  return [...entries].filter(({ item_id }) => (items.get(item_id)?.period_id ?? null) === null);
}

/** What is left over of one kind and currency on one day. */
interface LeftoverDay {
  readonly key: string;
  /** Those that are stored and not in the group; of a crowded day not all. */
  readonly others: readonly Entry[];
  /** Whether the stored ones were too many for covering sets. */
  readonly was_crowded: boolean;
  /** Whether those are that there are now. */
  readonly is_crowded: boolean;
}

/** The days within reach of these dates. */
async function daysNear(
  store: ReconciliationStore,
  company_id: number,
  dates: readonly LeftoverDates[],
  group: ClosedGroup,
  { leftover_keys, leftover_entries }: OpenGroup,
): Promise<readonly LeftoverDay[]> {
  const before = Map.groupBy(openEntries(group, leftover_entries.values()), ({ key }) => key);
  const now = Map.groupBy(leftover_keys.values(), (key) => key);
  const keys = new Set(dates.flatMap((date) => leftoverKeysOfDays(date, covering_reach_days)));
  const read = async (key: string): Promise<LeftoverDay> => {
    const own = before.get(key)?.length ?? 0;
    const stored = await store.entriesBetween(company_id, key, key, leftovers_of_day_max + 1 + own);
    const others = stored.filter(({ record }) => !group.has(record));
    return {
      key,
      others,
      was_crowded: others.length + own > leftovers_of_day_max,
      is_crowded: others.length + (now.get(key)?.length ?? 0) > leftovers_of_day_max,
    };
  };
  return await Promise.all(Array.from(keys, read));
}

/**
 * The sets that have records of the group, and the records that such an applied set lacks there.
 */
async function findSets(store: ReconciliationStore, company_id: number, group: ClosedGroup, open: OpenGroup) {
  const { leftovers, leftover_keys, acts } = open;
  const days = await daysNear(store, company_id, datesOf(leftovers), group, open);
  const crowded = new Set(days.flatMap(({ key, is_crowded }) => (is_crowded ? key : [])));
  const isUncrowded = (record: RecordKey) => !crowded.has(leftover_keys.get(itemIdOf(record))!);
  const others = days.flatMap((day) => (day.is_crowded ? [] : day.others.map(({ record }) => record)));
  const idsOf = (wanted: RecordKey['kind']) => others.filter(({ kind }) => kind === wanted).map(({ id }) => id);
  const other_acts = await store.actsOn(company_id, others);
  const { bars } = standingActs(new Map([...acts, ...other_acts].map((act) => [act.id, act])).values()).hands;
  const all = {
    clearings: [
      ...leftovers.clearings.filter(({ id }) => isUncrowded({ kind: 'clearing', id })),
      ...(await store.clearings(company_id, idsOf('clearing'))),
    ],
    lines: [
      ...leftovers.lines.filter(({ id }) => isUncrowded({ kind: 'line', id })),
      ...(await store.lines(company_id, idsOf('line'))),
    ],
  };
  const found = findCoveringSets(all, bars);
  const isOfGroup = (set: CoveringSet) => recordsOf(set).some((record) => group.has(record));
  const applied = found.applied.filter(isOfGroup);
  return {
    sets: { ...found, applied, offers: found.offers.filter(isOfGroup) },
    missing: applied.flatMap(recordsOf).filter((record) => !group.has(record)),
  };
}
