import type { Item } from './item.ts';

/** What closing a period reads of an item. */
type PlacedItem = Pick<Item, 'status' | 'period_date' | 'period_id'>;

/**
 * Whether closing a period through a date freezes an item: it is open, matched, accepted or
 * ignored, and its period has come to its end: that of its newest clearing's settlement date, else
 * of its line's booking date. Other items stay open and carry forward (decision: reconciliation,
 * periods).
 */
export function isFrozenBy({ status, period_date, period_id }: PlacedItem, closed_through: string): boolean {
  if (period_id !== null || period_date === null || period_date > closed_through) return false;
  return status === 'matched' || status === 'accepted' || status === 'ignored';
}

/** Whether an item is an open break of a period that ends on a date. Closing counts these. */
export function isOpenBreakOf({ status, period_date, period_id }: PlacedItem, closed_through: string): boolean {
  return period_id === null && status === 'break' && period_date !== null && period_date <= closed_through;
}
