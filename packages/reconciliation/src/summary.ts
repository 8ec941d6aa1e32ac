import { type ClearingClass, clearing_classes } from '@tallystick/cards';
import { type AgeBucket, bucketOf } from './age.ts';
import {
  age_buckets,
  amountOf,
  type BreakKind,
  break_kinds,
  type ItemContent,
  type ItemStatus,
  item_statuses,
} from './item.ts';

/** What the items of a cell have in common. */
export interface CellKey {
  readonly currency: string;
  readonly status: ItemStatus;
  readonly kind: BreakKind | null;
  readonly class: ClearingClass | null;
  /** Of breaks, YYYY-MM-DD; null otherwise: only breaks have an age. */
  readonly due_date: string | null;
}

/** How many items of a company have the same key, and the sum of their amounts. */
export interface SummaryCell extends CellKey {
  readonly count: number;
  /** Of `amountOf`, in minor units of `currency`. */
  readonly sum: number;
}

export interface CountAndSum {
  readonly count: number;
  /** Minor units. */
  readonly sum: number;
}

/** The totals of the items of one company and currency (decision: reconciliation, summary). */
export interface Summary {
  readonly by_status: Readonly<Record<ItemStatus, CountAndSum>>;
  /** Of breaks. What is accepted or ignored is none. */
  readonly by_kind: Readonly<Record<BreakKind, CountAndSum>>;
  /** Of the items with a clearing that are not ignored. */
  readonly by_class: Readonly<Record<ClearingClass, CountAndSum>>;
  /** Of breaks, by the days from their due date. */
  readonly by_age: Readonly<Record<AgeBucket, CountAndSum>>;
}

/** The cell of an item. */
export function cellOf(item: ItemContent): SummaryCell {
  const { currency, status, kind, due_date } = item;
  const age_from = status === 'break' ? due_date : null;
  return { currency, status, kind, class: item.class, due_date: age_from, count: 1, sum: amountOf(item) };
}

/**
 * How the cells change when items change: one cell for each key that is concerned, with the
 * difference of its count and sum. Cells that do not change are left out.
 */
export function cellChanges(
  changes: Iterable<{ readonly before: ItemContent | null; readonly after: ItemContent | null }>,
): readonly SummaryCell[] {
  const cells = new Map<string, SummaryCell>();
  const add = (item: ItemContent | null, sign: 1 | -1): void => {
    if (item === null) return;
    const cell = cellOf(item);
    const key = cellKeyOf(cell);
    const { count, sum } = cells.get(key) ?? { count: 0, sum: 0 };
    cells.set(key, { ...cell, count: count + sign, sum: sum + sign * cell.sum });
  };
  for (const { before, after } of changes) {
    add(before, -1);
    add(after, 1);
  }
  return [...cells.values()].filter(({ count, sum }) => count !== 0 || sum !== 0);
}

/** The key of a cell as a key of maps. */
export function cellKeyOf({ currency, status, kind, class: its_class, due_date }: CellKey): string {
  return [currency, status, kind ?? '', its_class ?? '', due_date ?? ''].join(' ');
}

/** The totals by currency: amounts of different currencies are never added up. */
export function summarize(cells: Iterable<SummaryCell>, now_ms: number): ReadonlyMap<string, Summary> {
  const by_currency = Map.groupBy(cells, ({ currency }) => currency);
  return new Map([...by_currency].map(([currency, of_currency]) => [currency, summaryOf(of_currency, now_ms)]));
}

function summaryOf(cells: readonly SummaryCell[], now_ms: number): Summary {
  const counted = cells.filter(({ status }) => status !== 'ignored');
  const breaks = cells.filter(({ status }) => status === 'break');
  const buckets = age_buckets.map(({ name }) => name);
  return {
    by_status: totals(item_statuses, cells, ({ status }) => status),
    by_kind: totals(break_kinds, breaks, ({ kind }) => kind),
    by_class: totals(clearing_classes, counted, (cell) => cell.class),
    by_age: totals(buckets, breaks, ({ due_date }) => (due_date === null ? null : bucketOf(due_date, now_ms))),
  };
}

function totals<Key extends string>(
  keys: readonly Key[],
  cells: readonly SummaryCell[],
  keyOf: (cell: SummaryCell) => Key | null,
): Record<Key, CountAndSum> {
  const groups = Map.groupBy(cells, keyOf);
  const entries = keys.map((key): [Key, CountAndSum] => {
    const of_key = groups.get(key) ?? [];
    return [
      key,
      {
        count: of_key.reduce((total, { count }) => total + count, 0),
        sum: of_key.reduce((total, { sum }) => total + sum, 0),
      },
    ];
  });
  return Object.fromEntries(entries) as Record<Key, CountAndSum>;
}
