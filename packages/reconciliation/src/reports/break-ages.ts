import type { Call } from '@tallystick/kernel';
import { dateOf, daysAfter, startOf } from '../calendar.ts';
import { type AgeBucket, age_buckets, bucketOf } from '../items/age.ts';
import { type BreakDay, break_days_kept } from '../keeping/break-days.ts';
import type { SummaryCell } from '../keeping/cells.ts';
import type { ReconciliationTx } from '../ports.ts';

/** How many breaks were open at the end of a day, by their age on that day. */
export interface BreakAges {
  /** YYYY-MM-DD, in UTC. */
  readonly day: string;
  readonly by_age: Readonly<Record<AgeBucket, number>>;
}

/**
 * The breaks that were open at the end of each of the last 30 days, today first, by currency. Counts
 * back from the cells of today by what changed on each day.
 */
export function agesOfBreaks(
  cells: Iterable<SummaryCell>,
  changes: readonly BreakDay[],
  now_ms: number,
): ReadonlyMap<string, readonly BreakAges[]> {
  const today = dateOf(now_ms);
  const of_day = Map.groupBy(changes, ({ day }) => day);
  const open = new Map<string, Map<string, number>>();
  const add = (currency: string, due_date: string, count: number): void => {
    const of_currency = open.get(currency) ?? new Map<string, number>();
    open.set(currency, of_currency.set(due_date, (of_currency.get(due_date) ?? 0) + count));
  };
  for (const { currency, status, due_date, count } of cells) {
    if (status === 'break' && due_date !== null) add(currency, due_date, count);
    else add(currency, today, 0);
  }
  const ages = new Map<string, BreakAges[]>();
  for (let back = 0; back < break_days_kept; back += 1) {
    const day = daysAfter(today, -back);
    for (const [currency, by_due_date] of open) {
      const listed = ages.get(currency) ?? [];
      ages.set(currency, listed);
      listed.push({ day, by_age: countByAge(by_due_date, day) });
    }
    for (const { currency, due_date, count } of of_day.get(day) ?? []) add(currency, due_date, -count);
  }
  return ages;
}

function countByAge(by_due_date: ReadonlyMap<string, number>, day: string): BreakAges['by_age'] {
  const counts = Object.fromEntries(age_buckets.map(({ name }) => [name, 0])) as Record<AgeBucket, number>;
  // Below 0 where a record that had arrived before resolved what an act opened: nothing was open.
  for (const [due_date, count] of by_due_date) counts[bucketOf(due_date, startOf(day))] += Math.max(0, count);
  return counts;
}

/** The ages of the company's breaks over the last 30 days, by currency. Reads counters only. */
export async function readBreakAges(
  { reconciliation }: Pick<ReconciliationTx, 'reconciliation'>,
  { company_id, now_ms }: Pick<Call, 'company_id' | 'now_ms'>,
): Promise<ReadonlyMap<string, readonly BreakAges[]>> {
  const cells = await reconciliation.cells(company_id);
  return agesOfBreaks(cells, await reconciliation.breakDays(company_id), now_ms);
}
