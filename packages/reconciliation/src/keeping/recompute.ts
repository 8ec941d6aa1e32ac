import { inTurns, type Steps } from '@tallystick/kernel';
import { recordsOfAct } from '../act.ts';
import type { ItemContent } from '../item.ts';
import { itemIdOf, type RecordKey, recordsOf } from '../item-id.ts';
import { composeItems } from '../items/compose-items.ts';
import { pairingsOf } from '../pairing/covering-sets.ts';
import type { Entry, ItemChanges, ReconciliationStore } from '../ports.ts';
import type { Coverage, Tolerances } from '../records.ts';
import { breakDayChanges } from './break-days.ts';
import { cellChanges, matchCellChanges } from './cells.ts';
import { ClosedGroup } from './closed-group.ts';
import {
  type CoveredGroup,
  coveringSetsOf,
  type KnownSets,
  leftovers_max_default,
  withKnownSets,
} from './covering-region.ts';
import type { ItemChange } from './item-change.ts';
import { type OpenGroup, pairGroup } from './open-group.ts';

/** What is to be recomputed: records that arrived or changed, and items. */
export interface Seeds {
  readonly records: readonly RecordKey[];
  readonly item_ids: readonly number[];
}

/** What items depend on beside their records. */
export interface Circumstances {
  readonly company_id: number;
  readonly coverage: Coverage;
  readonly tolerances: Tolerances;
  readonly now_ms: number;
  /** The most stored leftovers within reach of a change that are looked at in the transaction. */
  readonly leftovers_max?: number | undefined;
}

/** The circumstances of a company as they are now. */
export async function readCircumstances(
  store: Pick<ReconciliationStore, 'readCoverage' | 'readTolerances'>,
  company_id: number,
  now_ms: number,
): Promise<Circumstances> {
  const coverage = await store.readCoverage(company_id);
  return { company_id, coverage, tolerances: await store.readTolerances(company_id), now_ms };
}

/** The differences between stored items and what their records make. */
export interface Recomputed extends Pick<CoveredGroup, 'changed' | 'is_searched'> {
  readonly changes: ItemChanges;
  readonly items: readonly ItemChange[];
}

/**
 * Recomputes the items of everything that the seeds may concern, and returns the differences.
 * Writes nothing. The items depend on the stored records, acts and frozen items, not on the seeds:
 * to recompute more than necessary changes nothing else. With `known` sets no others are looked
 * for. The work gives way (ADR 0054).
 */
export async function recompute(
  store: ReconciliationStore,
  seeds: Seeds,
  { company_id, coverage, tolerances, now_ms, leftovers_max = leftovers_max_default }: Circumstances,
  known: KnownSets | null = null,
): Promise<Recomputed> {
  const group = new ClosedGroup(store, company_id);
  for (const record of seeds.records) group.addRecord(record);
  for (const id of seeds.item_ids) group.addItem(id);
  const paired = await pairGroup(store, company_id, group);
  const { open, sets, changed, is_searched } =
    known === null
      ? await coveringSetsOf(store, company_id, group, paired, seeds.records, leftovers_max)
      : await withKnownSets(store, company_id, group, paired, known);
  const composing = composeItems({
    ...open,
    records: { purchases: [...group.purchases.values()], clearings: open.clearings, lines: open.lines },
    pairings: [...open.pairings, ...sets.applied.flatMap(pairingsOf)],
    bars: open.hands.bars,
    offers: sets.offers,
    tolerances,
    touched: new Set(open.acts.flatMap(recordsOfAct)),
    coverage,
    now_ms,
  });
  const contents = await inTurns(composing, store.giveWay);
  const items = await inTurns(itemChangeSteps(group, contents), store.giveWay);
  const entries = await inTurns(entryChangeSteps(company_id, group, open, contents), store.giveWay);
  const rows = items.map((change) => ({ ...change, is_new_row: isNewRow(change) }));
  return {
    items,
    changed,
    is_searched,
    changes: {
      company_id,
      inserted: rows.flatMap(({ after, is_new_row }) => (after !== null && is_new_row ? after : [])),
      updated: rows.flatMap(({ after, is_new_row }) => (after !== null && !is_new_row ? after : [])),
      removed_ids: rows.flatMap(({ before, after, is_new_row }) =>
        before !== null && (after === null || is_new_row) ? before.id : [],
      ),
      entries_inserted: entries.inserted,
      entries_updated: entries.updated,
      entries_removed: entries.removed,
      cells: cellChanges(items),
      match_cells: matchCellChanges(items),
      break_days: breakDayChanges(items, arrivalsOf(group), now_ms),
    },
  };
}

/**
 * Returns when the newest record of an item arrived that no stored item has; null when there is
 * none.
 */
function arrivalsOf({ purchases, clearings, lines, items, entries }: ClosedGroup) {
  const known = new Set([...items.values()].flatMap((item) => item.authorization_ids));
  const isNew = (kind: 'clearing' | 'line', id: number): boolean => !entries.has(itemIdOf({ kind, id }));
  return ({ authorization_ids, clearing_ids, line_ids }: ItemContent): number | null => {
    const arrivals = [
      ...authorization_ids.filter((id) => !known.has(id)).map((id) => purchases.get(id)!.decided_at_ms),
      ...clearing_ids.filter((id) => isNew('clearing', id)).map((id) => clearings.get(id)!.recorded_at_ms),
      ...line_ids.filter((id) => isNew('line', id)).map((id) => lines.get(id)!.recorded_at_ms),
    ];
    return arrivals.reduce<number | null>((newest, at_ms) => Math.max(newest ?? at_ms, at_ms), null);
  };
}

/** Changes of a company that change nothing, to be filled in. */
export function noItemChanges(company_id: number): ItemChanges {
  return {
    company_id,
    inserted: [],
    updated: [],
    removed_ids: [],
    entries_inserted: [],
    entries_updated: [],
    entries_removed: [],
    cells: [],
    match_cells: [],
    break_days: null,
  };
}

/** Whether nothing differs. */
export function isUnchanged(changes: ItemChanges): boolean {
  const { inserted, updated, removed_ids } = changes;
  return [inserted, updated, removed_ids].every((changed) => changed.length === 0) && entriesChanged(changes) === 0;
}

/** How many entries differ. */
export function entriesChanged({ entries_inserted, entries_updated, entries_removed }: ItemChanges): number {
  return entries_inserted.length + entries_updated.length + entries_removed.length;
}

/** Whether the new state of an item is a new row: a stored one keeps these fields. */
function isNewRow({ before, after }: ItemChange): boolean {
  if (before === null || after === null) return true;
  return (
    before.vcn_id !== after.vcn_id || before.opened_at_ms !== after.opened_at_ms || before.currency !== after.currency
  );
}

/** The differences of the items that are not frozen. */
function* itemChangeSteps(group: ClosedGroup, contents: readonly ItemContent[]): Steps<readonly ItemChange[]> {
  const composed = new Map(contents.map((content) => [content.id, content]));
  const changes: ItemChange[] = [];
  for (const before of group.items.values()) {
    if (before.period_id === null && !composed.has(before.id)) changes.push({ before, after: null });
  }
  for (const content of contents) {
    yield;
    const before = group.items.get(content.id) ?? null;
    // The retention time of a record takes the name of its merchant. The item keeps it.
    const known = before !== null && hasSameRecords(before, content) ? before.merchant_name : null;
    const after = { ...content, merchant_name: content.merchant_name ?? known };
    if (before !== null && isSameContent(before, after)) continue;
    const is_older_only = before !== null && isSameContent({ ...before, next_change_ms: after.next_change_ms }, after);
    const version = versionOf(group, content) + (is_older_only ? 0 : 1);
    changes.push({ before, after: { ...after, version, period_id: null, assignee: assigneeOf(group, content) } });
  }
  return changes;
}

/** Whether two items have the same authorizations and clearings. */
function hasSameRecords(one: ItemContent, other: ItemContent): boolean {
  return (
    one.authorization_ids.join() === other.authorization_ids.join() &&
    one.clearing_ids.join() === other.clearing_ids.join()
  );
}

/**
 * The highest version of the items that had the records of an item; 0 when none had them. An item
 * that was merged and comes apart again does not repeat a version.
 */
function versionOf(group: ClosedGroup, { id, clearing_ids, line_ids }: ItemContent): number {
  const own = group.items.get(id);
  if (own !== undefined) return own.version;
  const entries = recordsOf({ clearing_ids, line_ids }).flatMap((record) => group.entries.get(itemIdOf(record)) ?? []);
  const items = entries.flatMap(({ item_id }) => group.items.get(item_id) ?? []);
  return Math.max(0, ...items.map(({ version }) => version));
}

/**
 * Who takes care of an item: who did so before, else who did so for an item of which it has records.
 * When items merge, the one that stays keeps its assignee; each part of an item that comes apart has
 * that of the whole.
 */
function assigneeOf(group: ClosedGroup, content: ItemContent): string | null {
  const own = recordsOf(content).map(itemIdOf);
  const ids = [content.id, ...own, ...own.flatMap((id) => group.entries.get(id)?.item_id ?? [])];
  return ids.map((id) => group.items.get(id)?.assignee ?? null).find((assignee) => assignee !== null) ?? null;
}

/** The differences of the entries of the records that are not frozen. */
function* entryChangeSteps(
  company_id: number,
  group: ClosedGroup,
  open: OpenGroup,
  contents: readonly ItemContent[],
): Steps<{
  readonly inserted: readonly Entry[];
  readonly updated: readonly Entry[];
  readonly removed: readonly Entry[];
}> {
  const inserted: Entry[] = [];
  const updated: Entry[] = [];
  const left = new Map(open.leftover_entries);
  const keep = (before: Entry | undefined, entry: Entry): void => {
    if (before?.key !== entry.key) inserted.push(entry);
    else if (before.item_id !== entry.item_id) updated.push(entry);
  };
  for (const { id: item_id, clearing_ids, line_ids } of contents) {
    yield;
    for (const record of recordsOf({ clearing_ids, line_ids })) {
      const own_id = itemIdOf(record);
      keep(group.entries.get(own_id), { company_id, key: group.keyOf(record), record, item_id });
      const leftover_key = open.leftover_keys.get(own_id);
      if (leftover_key === undefined) continue;
      keep(left.get(own_id), { company_id, key: leftover_key, record, item_id });
      left.delete(own_id);
    }
  }
  // Of lines that have no item any more: of other codes than those of cards, as statements have
  // them.
  const shown = new Set(contents.flatMap(({ line_ids }) => line_ids));
  const gone = open.lines
    .filter(({ id }) => !shown.has(id))
    .flatMap(({ id }) => group.entries.get(itemIdOf({ kind: 'line', id })) ?? []);
  return { inserted, updated, removed: [...left.values(), ...gone] };
}

/** Whether a stored item has the content that was composed: equal fields, and equal lists as JSON. */
function isSameContent(before: ItemContent, content: ItemContent): boolean {
  const names = Object.keys(content) as (keyof ItemContent)[];
  return names.every((name) => {
    const [one, other] = [before[name], content[name]];
    return one === other || (Array.isArray(other) && JSON.stringify(one) === JSON.stringify(other));
  });
}
