import { inTurns } from '@tallystick/kernel';
import { pairKeyOf, pairsBetween, recordsOfPairs } from '../act.ts';
import { standingActs } from '../acts/standing-acts.ts';
import type { ItemMatch, Offers } from '../item.ts';
import { idsOfKind, itemIdOf, type RecordKey, recordsOf } from '../item-id.ts';
import { offersByRecord, offersOfItems } from '../items/alternatives.ts';
import type { CoveringSet, Leftovers } from '../pairing/covering-search.ts';
import { covering_reach_days, findCoveringSets } from '../pairing/covering-sets.ts';
import { joinDates, type LeftoverDates, leftoverKeysAround } from '../pairing/entry-key.ts';
import type { Entry, ReconciliationStore } from '../ports.ts';
import { isPairable } from '../records.ts';
import type { ClosedGroup } from './closed-group.ts';
import { type OpenGroup, pairGroup } from './open-group.ts';

/**
 * The most stored leftovers that a step looks at. With more within reach of what changed, the sets
 * are found later by a walk, outside of the transaction (docs/adr/0074).
 */
export const leftovers_max_default = 50;

/** The covering sets of the records of a group. */
export interface SetsOfGroup {
  readonly applied: readonly CoveringSet[];
  readonly offers: Offers;
}

const no_sets: SetsOfGroup = { applied: [], offers: new Map() };

const nothing_changed = { changed: [], is_searched: true } as const;

/** What composing a group needs beside its pairs. */
export interface CoveredGroup {
  readonly open: OpenGroup;
  readonly sets: SetsOfGroup;
  /** The dates of leftovers that changed. */
  readonly changed: readonly LeftoverDates[];
  /** Whether the sets of these dates are found: there may be too many leftovers near them. */
  readonly is_searched: boolean;
}

/**
 * The covering sets of the leftovers of a group. While none of them changed, they are those of the
 * stored items. A leftover that came, went or changed may change the sets of all leftovers within
 * reach, so these join the group, if they are few. The sets of each leftover of the group depend on
 * the leftovers within its own reach, which are looked at without joining it.
 */
export async function coveringSetsOf(
  store: ReconciliationStore,
  company_id: number,
  group: ClosedGroup,
  paired: OpenGroup,
  seeds: readonly RecordKey[],
  leftovers_max: number,
): Promise<CoveredGroup> {
  const seed_ids = new Set(seeds.map(itemIdOf));
  const changed_at_first = datesOf(changedLeftovers(group, paired, seed_ids));
  if (changed_at_first.length === 0) return { open: paired, sets: storedSets(group, paired), ...nothing_changed };
  const searched = { changed: changed_at_first, is_searched: true };
  let open = paired;
  const reached = new Set<string>();
  for (;;) {
    const all_changed = changedLeftovers(group, open, seed_ids);
    const dates = datesOf({
      clearings: [...open.leftovers.clearings, ...all_changed.clearings],
      lines: [...open.leftovers.lines, ...all_changed.lines],
    });
    // Usually no line is left over near them, so there are no sets.
    if (!(await hasLinesNear(store, company_id, dates, open))) return { open, sets: no_sets, ...searched };
    if ((await entriesNear(store, company_id, dates, leftovers_max + 1)).length > leftovers_max) {
      return { open, sets: storedSets(group, open), changed: changed_at_first, is_searched: false };
    }
    const changed = datesOf(all_changed).filter((one) => !reached.has(textOf(one)));
    for (const one of changed) reached.add(textOf(one));
    let is_larger = false;
    for (const entry of await entriesNear(store, company_id, changed, leftovers_max + 1))
      is_larger = join(group, entry) || is_larger;
    if (!is_larger) {
      const { sets, missing } = await findSets(store, company_id, group, open, leftovers_max);
      if (missing.length === 0) return { open, sets, ...searched };
      for (const record of missing) group.addRecord(record);
    }
    open = await pairGroup(store, company_id, group);
  }
}

/** The sets of the stored items that still hold. */
function storedSets(group: ClosedGroup, open: OpenGroup): SetsOfGroup {
  const items = [...group.items.values()].filter(({ period_id }) => period_id === null);
  const applied = items
    .flatMap(({ matches }) => matches.flatMap(toSetOrNone))
    .filter((set) => isPossible(set, group, open));
  return { applied, offers: offersOfLeftovers(offersOfItems(items), open, applied) };
}

function toSetOrNone({ rule, line_ids, clearing_ids, values: { amount, days } }: ItemMatch): readonly CoveringSet[] {
  return rule === 'covering_set' ? [{ line_ids, clearing_ids, amount: amount as number, days: days as number }] : [];
}

/** Whether the members of a set are left over, add up and are no pair that a person undid. */
function isPossible(set: CoveringSet, { clearings, lines }: ClosedGroup, { leftover_keys, hands }: OpenGroup): boolean {
  if (!recordsOf(set).every((record) => leftover_keys.has(itemIdOf(record)))) return false;
  const barred = new Set(hands.bars.map(pairKeyOf));
  if (pairsBetween(set).some((pair) => barred.has(pairKeyOf(pair)))) return false;
  const sumOf = (ids: readonly number[], records: ReadonlyMap<number, { readonly amount: number }>) =>
    ids.reduce((sum, id) => sum + records.get(id)!.amount, 0);
  return sumOf(set.line_ids, lines) === set.amount && sumOf(set.clearing_ids, clearings) === set.amount;
}

/** The offers of records that are left over and that no applied set explains. */
function offersOfLeftovers(offers: Offers, open: OpenGroup, applied: readonly CoveringSet[]): Offers {
  const explained = new Set(applied.flatMap(recordsOf).map(itemIdOf));
  return new Map([...offers].filter(([own_id]) => open.leftover_keys.has(own_id) && !explained.has(own_id)));
}

/** The sets of these records, found by a walk. */
export interface KnownSets {
  readonly records: readonly RecordKey[];
  readonly applied: readonly CoveringSet[];
  readonly offers: Offers;
}

/** The same with sets that a walk found. Other leftovers of the group keep the stored ones. */
export async function withKnownSets(
  store: ReconciliationStore,
  company_id: number,
  group: ClosedGroup,
  paired: OpenGroup,
  known: KnownSets,
): Promise<CoveredGroup> {
  const missing = known.applied.flatMap(recordsOf).filter((record) => !group.has(record));
  for (const record of missing) group.addRecord(record);
  const open = missing.length === 0 ? paired : await pairGroup(store, company_id, group);
  const found = known.applied.filter((set) => isPossible(set, group, open));
  const searched = new Set([...known.records, ...found.flatMap(recordsOf)].map(itemIdOf));
  const stored = storedSets(group, open);
  const applied = [
    ...found,
    ...stored.applied.filter((set) => !recordsOf(set).some((record) => searched.has(itemIdOf(record)))),
  ];
  const offers = new Map([
    ...[...stored.offers].filter(([own_id]) => !searched.has(own_id)),
    ...Array.from(searched, (own_id) => [own_id, known.offers.get(own_id) ?? []] as const),
  ]);
  return { open, sets: { applied, offers: offersOfLeftovers(offers, open, applied) }, ...nothing_changed };
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
    const keys = leftoverKeysAround('line', range, covering_reach_days);
    if ((await store.entriesBetween(company_id, keys, null, 1)).length > 0) return true;
  }
  return false;
}

/** The stored leftovers within reach of these dates, at most so many of each kind and range. */
async function entriesNear(
  store: ReconciliationStore,
  company_id: number,
  dates: readonly LeftoverDates[],
  limit: number,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const range of joinDates(dates, 2 * covering_reach_days)) {
    for (const kind of ['clearing', 'line'] as const) {
      const keys = leftoverKeysAround(kind, range, covering_reach_days);
      entries.push(...(await store.entriesBetween(company_id, keys, null, limit)));
    }
  }
  return entries;
}

/**
 * The sets that have records of the group, and the records that such an applied set lacks there.
 */
async function findSets(
  store: ReconciliationStore,
  company_id: number,
  group: ClosedGroup,
  open: OpenGroup,
  leftovers_max: number,
) {
  const { leftovers, acts } = open;
  const entries = await entriesNear(store, company_id, datesOf(leftovers), leftovers_max + 1);
  const near = entries.filter(({ record }) => !group.has(record));
  const items = await store.items(company_id, [...new Set(near.map(({ item_id }) => item_id))]);
  const frozen_ids = new Set(items.filter(({ period_id }) => period_id !== null).map(({ id }) => id));
  const others = near.filter(({ item_id }) => !frozen_ids.has(item_id)).map(({ record }) => record);
  const other_acts = await store.actsOn(company_id, others);
  const { bars } = standingActs(new Map([...acts, ...other_acts].map((act) => [act.id, act])).values()).hands;
  const all = {
    clearings: [...leftovers.clearings, ...(await store.clearings(company_id, idsOfKind('clearing', others)))],
    lines: [...leftovers.lines, ...(await store.lines(company_id, idsOfKind('line', others))).filter(isPairable)],
  };
  const found = await inTurns(findCoveringSets(all, bars), store.giveWay);
  const isOfGroup = (set: CoveringSet) => recordsOf(set).some((record) => group.has(record));
  const applied = found.applied.filter(isOfGroup);
  return {
    sets: { applied, offers: offersByRecord(found.offers.filter(isOfGroup)) },
    missing: applied.flatMap(recordsOf).filter((record) => !group.has(record)),
  };
}
