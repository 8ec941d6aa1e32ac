import { compareTexts, dayOf } from '../calendar.ts';
import type { Item } from '../item.ts';
import { entryKeyOfClearing, entryKeyOfLine, isPairingKey } from '../pairing/entry-key.ts';
import { ClearingsByDay } from '../pairing/nearest-clearing.ts';
import { type Pairing, rest_days_max } from '../pairing/pair-lines.ts';
import { type CardLine, type ClearedAmount, isPairable, type LastRecords, type StatementRecords } from '../records.ts';

/** The records of frozen items. They never change, and what comes later has an item of its own. */
export interface FrozenRecords {
  /** The frozen item of each authorization, by its id. */
  readonly authorizations: ReadonlyMap<number, number>;
  readonly clearings: ReadonlyMap<number, number>;
  readonly lines: ReadonlyMap<number, number>;
  /** By `entryKeyOfClearing`, what lines came late for. */
  readonly cleared: FrozenPlaces;
  /**
   * By `entryKeyOfLine` of lines that were frozen without a clearing, what clearings came late for.
   */
  readonly booked: FrozenPlaces;
}

type FrozenPlaces = ReadonlyMap<string, ClearingsByDay<FrozenPlace>>;

interface FrozenPlace {
  readonly item_id: number;
  /** The last line, or clearing, that is not late for it (`LastRecords`). */
  readonly last_id: number;
  /** Of a line its booking date. */
  readonly settlement_date: string;
}

/** The records of these frozen items. `periods`: those that have them, by id. */
export function frozenRecordsOf(
  items: readonly Item[],
  clearings: ReadonlyMap<number, ClearedAmount>,
  lines: ReadonlyMap<number, CardLine>,
  periods: ReadonlyMap<number, LastRecords>,
): FrozenRecords {
  const itemsBy = (idsOf: (item: Item) => readonly number[]) =>
    new Map(items.flatMap((item) => idsOf(item).map((id): [number, number] => [id, item.id])));
  const cleared: (FrozenPlace & { readonly key: string })[] = [];
  const booked: (FrozenPlace & { readonly key: string })[] = [];
  for (const { id: item_id, period_id, clearing_ids, line_ids } of items) {
    const { last_clearing_id, last_line_id } = periods.get(period_id!)!;
    for (const id of clearing_ids) {
      const clearing = clearings.get(id);
      if (clearing === undefined) continue;
      const { settlement_date } = clearing;
      cleared.push({ key: entryKeyOfClearing(clearing), item_id, last_id: last_line_id, settlement_date });
    }
    if (clearing_ids.length > 0) continue;
    for (const id of line_ids) {
      const line = lines.get(id);
      if (line === undefined || !isPairable(line)) continue;
      booked.push({
        key: entryKeyOfLine(line),
        item_id,
        last_id: last_clearing_id,
        settlement_date: line.booking_date,
      });
    }
  }
  return {
    authorizations: itemsBy((item) => item.authorization_ids),
    clearings: itemsBy((item) => item.clearing_ids),
    lines: itemsBy((item) => item.line_ids),
    cleared: placesOf(cleared),
    booked: placesOf(booked),
  };
}

function placesOf(places: readonly (FrozenPlace & { readonly key: string })[]): FrozenPlaces {
  const in_order = places
    .filter(({ key }) => isPairingKey(key))
    .sort((a, b) => compareTexts(a.settlement_date, b.settlement_date) || a.item_id - b.item_id);
  return new Map(
    [...Map.groupBy(in_order, ({ key }) => key)].map(([key, of_key]) => [key, new ClearingsByDay(of_key)]),
  );
}

/** Records that are one item. Clearings are in the canonical order. */
interface Joined extends StatementRecords {
  readonly pairings: readonly Pick<Pairing, 'fit'>[];
}

/**
 * The frozen item for which records came after its closing; null when they came for none. Clearings
 * came for the item to whose clearing or authorization they belong, or for a line without a
 * clearing that they would explain. A line without a clearing came for that of its reference. Of
 * several items the nearest by date counts, at most 35 days away: a key that comes again later is
 * that of another purchase. What was open when the item was frozen carries forward, and a line that
 * differs from its statement changes nothing.
 */
export function frozenItemOf({ clearings, lines, pairings }: Joined, frozen: FrozenRecords): number | null {
  for (const { authorization_id, clearing_id } of clearings) {
    const of_clearing = clearing_id === null ? undefined : frozen.clearings.get(clearing_id);
    const of_purchase = authorization_id === null ? undefined : frozen.authorizations.get(authorization_id);
    const found = of_clearing ?? of_purchase;
    if (found !== undefined) return found;
  }
  if (clearings.length === 0) {
    return firstOf(lines.filter(isPairable), (line) =>
      nearestOf(frozen.cleared, entryKeyOfLine(line), line.booking_date, line),
    );
  }
  if (pairings.some(({ fit }) => fit !== 'fee')) return null;
  return firstOf(clearings, (one) => nearestOf(frozen.booked, entryKeyOfClearing(one), one.settlement_date, one));
}

function firstOf<One>(of: readonly One[], find: (one: One) => number | null): number | null {
  for (const one of of) {
    const found = find(one);
    if (found !== null) return found;
  }
  return null;
}

function nearestOf(places: FrozenPlaces, key: string, date: string, { id }: { readonly id: number }): number | null {
  const isLate = ({ last_id }: FrozenPlace): boolean => id > last_id;
  return places.get(key)?.nearest(dayOf(date), rest_days_max, isLate)?.item_id ?? null;
}
