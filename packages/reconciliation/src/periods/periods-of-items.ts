import type { Item } from '../item.ts';
import type { Period, ReconciliationStore } from '../ports.ts';

/** The closed periods that have these items, by id. */
export async function periodsOf(
  store: Pick<ReconciliationStore, 'findPeriod'>,
  company_id: number,
  items: Iterable<Pick<Item, 'period_id'>>,
): Promise<ReadonlyMap<number, Period>> {
  const periods = new Map<number, Period>();
  for (const { period_id } of items) {
    if (period_id === null || periods.has(period_id)) continue;
    periods.set(period_id, (await store.findPeriod(company_id, period_id))!);
  }
  return periods;
}
