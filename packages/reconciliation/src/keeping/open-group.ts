import { type Act, recordsOfPairs } from '../act.ts';
import { type StandingActs, standingActs } from '../acts/standing-acts.ts';
import { itemIdOf } from '../item-id.ts';
import { type FrozenRecords, frozenRecordsOf } from '../items/frozen-records.ts';
import { ignoredRecords } from '../items/ignored-records.ts';
import type { Leftovers } from '../pairing/covering-search.ts';
import { leftoversOf } from '../pairing/covering-sets.ts';
import { type EntryPlace, leftoverPlacesOf } from '../pairing/entry-key.ts';
import type { Pairing } from '../pairing/pair-lines.ts';
import { pairRecords } from '../pairing/pair-records.ts';
import { periodsOf } from '../periods/periods-of-items.ts';
import type { Entry, ReconciliationStore } from '../ports.ts';
import type { CardLine, ClearedAmount } from '../records.ts';
import type { ClosedGroup } from './closed-group.ts';

/** The records of a closed group that no closing froze, with what pairs them. */
export interface OpenGroup extends StandingActs {
  readonly clearings: readonly ClearedAmount[];
  readonly lines: readonly CardLine[];
  readonly frozen: FrozenRecords;
  readonly acts: readonly Act[];
  /** Made by people and by statement key. */
  readonly pairings: readonly Pairing[];
  /** What these do not explain and no person ignored. */
  readonly leftovers: Leftovers;
  /** The keys of the leftovers, by the record's own id. */
  readonly leftover_keys: ReadonlyMap<number, string>;
  /** The stored entries of leftovers of the group, by the record's own id. */
  readonly leftover_entries: ReadonlyMap<number, Entry>;
}

/** Loads the rest of the group and pairs what is not frozen. */
export async function pairGroup(
  store: ReconciliationStore,
  company_id: number,
  group: ClosedGroup,
): Promise<OpenGroup> {
  let acts: readonly Act[] = [];
  for (let is_loaded = false; !is_loaded; ) {
    await group.load();
    acts = await store.actsOn(company_id, group.records());
    // A pair that a person made may join records that nothing else joins.
    const { pins } = standingActs(acts).hands;
    const records = recordsOfPairs(pins);
    is_loaded = records.every((record) => group.has(record));
    for (const record of records) group.addRecord(record);
  }
  const standing = standingActs(acts);
  const frozen = await frozenOf(store, company_id, group);
  const clearings = [...group.clearings.values()].filter(({ id }) => !frozen.clearings.has(id));
  const lines = [...group.lines.values()].filter(({ id }) => !frozen.lines.has(id));
  const pairings = pairRecords({ clearings, lines }, standing.hands);
  const records = { purchases: [...group.purchases.values()], clearings, lines };
  const leftovers = leftoversOf(records, pairings, ignoredRecords(standing, { records, pairings, frozen }));
  const stored = await store.entriesOf(company_id, storedPlacesOf(group));
  return {
    clearings,
    lines,
    frozen,
    acts,
    ...standing,
    pairings,
    leftovers,
    leftover_keys: new Map(leftoverPlacesOf(leftovers).map(({ key, record }) => [itemIdOf(record), key])),
    leftover_entries: new Map(stored.map((entry) => [itemIdOf(entry.record), entry])),
  };
}

async function frozenOf(
  store: ReconciliationStore,
  company_id: number,
  { items, clearings, lines }: ClosedGroup,
): Promise<FrozenRecords> {
  const frozen_items = [...items.values()].filter(({ period_id }) => period_id !== null);
  return frozenRecordsOf(frozen_items, clearings, lines, await periodsOf(store, company_id, frozen_items));
}

/** Where entries of leftovers may be stored: only a record that has an entry by its key has one. */
function storedPlacesOf({ clearings, lines, entries }: ClosedGroup): readonly EntryPlace[] {
  return leftoverPlacesOf({
    clearings: [...clearings.values()].filter(({ id }) => entries.has(itemIdOf({ kind: 'clearing', id }))),
    lines: [...lines.values()].filter(({ id }) => entries.has(itemIdOf({ kind: 'line', id }))),
  });
}
