import { type ClearingClass, clearing_classes } from '@tallystick/cards';
import type { Call } from '@tallystick/kernel';
import { type BreakKind, break_kinds, type ItemStatus, item_statuses } from '../item.ts';
import { type AgeBucket, age_buckets, bucketOf } from '../items/age.ts';
import type { SummaryCell } from '../keeping/cells.ts';
import type { ReconciliationTx } from '../ports.ts';

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

/**
 * The totals of the company's items, by currency. Ages are counted to the day of the call in UTC.
 */
export async function readSummary(
  { reconciliation }: Pick<ReconciliationTx, 'reconciliation'>,
  { company_id, now_ms }: Pick<Call, 'company_id' | 'now_ms'>,
): Promise<ReadonlyMap<string, Summary>> {
  return summarize(await reconciliation.cells(company_id), now_ms);
}
