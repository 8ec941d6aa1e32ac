import { inTurns } from '@tallystick/kernel';
import { recordsOfPairs } from '../act.ts';
import { standingActs } from '../acts/standing-acts.ts';
import { itemIdOf, type RecordKey, recordsOf } from '../item-id.ts';
import {
  type CoveringSet,
  type CoveringSets,
  covering_reach_days,
  findCoveringSets,
  type Leftovers,
} from '../pairing/covering-sets.ts';
import { joinDates, type LeftoverDates, leftoverKeysAround } from '../pairing/entry-key.ts';
import type { Entry, ReconciliationStore } from '../ports.ts';
import { isPairable } from '../records.ts';
import type { ClosedGroup } from './closed-group.ts';
import { type OpenGroup, pairGroup } from './open-group.ts';

const no_sets: CoveringSets = { applied: [], offers: [], examined: 0 };

/**
 * The covering sets of the leftovers of a group. A leftover that came, went or changed may change
 * the sets of all leftovers within reach, so these join the group. The sets of each leftover of the
 * group depend on the leftovers within its own reach, which are looked at without joining it.
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
  const reached = new Set<string>();
  for (;;) {
    const all_changed = changedLeftovers(group, open, seed_ids);
    const dates = datesOf({
      clearings: [...open.leftovers.clearings, ...all_changed.clearings],
      lines: [...open.leftovers.lines, ...all_changed.lines],
    });
    // Usually no line is left over near them, so there are no sets.
    if (!(await hasLinesNear(store, company_id, dates, open))) return { open, sets: no_sets };
    const changed = datesOf(all_changed).filter((one) => !reached.has(textOf(one)));
    for (const one of changed) reached.add(textOf(one));
    let is_larger = false;
    for (const entry of await entriesNear(store, company_id, changed)) is_larger = join(group, entry) || is_larger;
    if (!is_larger) {
      const { sets, missing } = await findSets(store, company_id, group, open);
      if (missing.length === 0) return { open, sets };
      for (const record of missing) group.addRecord(record);
    }
    open = await pairGroup(store, company_id, group);
  }
}

/** Returns whether the record was not in the group. */
function join(group: ClosedGroup, { record, item_id }: Entry): boolean {
  if (group.has(record)) return false;
  group.addRecord(record);
  group.addItem(item_id);
  return true;
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

function textOf({ currency, from, to }: LeftoverDates): string {
  return `${currency} ${from} ${to}`;
}

/** Whether a line is left over within reach: stored, or of the group. */
async function hasLinesNear(
  store: ReconciliationStore,
  company_id: number,
  dates: readonly LeftoverDates[],
  { leftovers, leftover_entries }: OpenGroup,
): Promise<boolean> {
  if (leftovers.lines.length > 0) return true;
  // A line that was left over until now may have had sets with what is near it.
  if ([...leftover_entries.values()].some(({ record }) => record.kind === 'line')) return true;
  for (const range of joinDates(dates, 2 * covering_reach_days)) {
    const { from, to } = leftoverKeysAround('line', range, covering_reach_days);
    if ((await store.entriesBetween(company_id, from, to)).length > 0) return true;
  }
  return false;
}

/** The stored leftovers within reach of these dates. */
async function entriesNear(
  store: ReconciliationStore,
  company_id: number,
  dates: readonly LeftoverDates[],
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const range of joinDates(dates, 2 * covering_reach_days)) {
    for (const kind of ['clearing', 'line'] as const) {
      const { from, to } = leftoverKeysAround(kind, range, covering_reach_days);
      entries.push(...(await store.entriesBetween(company_id, from, to)));
    }
  }
  return entries;
}

/**
 * The sets that have records of the group, and the records that such an applied set lacks there.
 */
async function findSets(store: ReconciliationStore, company_id: number, group: ClosedGroup, open: OpenGroup) {
  const { leftovers, acts } = open;
  const near = (await entriesNear(store, company_id, datesOf(leftovers))).filter(({ record }) => !group.has(record));
  const items = await store.items(company_id, [...new Set(near.map(({ item_id }) => item_id))]);
  const frozen_ids = new Set(items.filter(({ period_id }) => period_id !== null).map(({ id }) => id));
  const others = near.filter(({ item_id }) => !frozen_ids.has(item_id)).map(({ record }) => record);
  const idsOf = (wanted: RecordKey['kind']) => others.filter(({ kind }) => kind === wanted).map(({ id }) => id);
  const other_acts = await store.actsOn(company_id, others);
  const { bars } = standingActs(new Map([...acts, ...other_acts].map((act) => [act.id, act])).values()).hands;
  const all = {
    clearings: [...leftovers.clearings, ...(await store.clearings(company_id, idsOf('clearing')))],
    lines: [...leftovers.lines, ...(await store.lines(company_id, idsOf('line'))).filter(isPairable)],
  };
  const found = await inTurns(findCoveringSets(all, bars), store.giveWay);
  const isOfGroup = (set: CoveringSet) => recordsOf(set).some((record) => group.has(record));
  const applied = found.applied.filter(isOfGroup);
  return {
    sets: { ...found, applied, offers: found.offers.filter(isOfGroup) },
    missing: applied.flatMap(recordsOf).filter((record) => !group.has(record)),
  };
}
