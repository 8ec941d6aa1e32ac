import { type Money, money } from '@tallystick/kernel';
import type { ItemContent } from '../item.ts';
import type { ItemRecords } from './item-parts.ts';

/**
 * The amounts of an item (decision: reconciliation, details). Fees count once a clearing is there;
 * a fee line that stands alone is a stated amount like any other. `stated` includes the fees, and
 * is null while fees are all that is stated.
 */
export function amountsOf({
  purchases,
  clearings,
  lines,
  pairings,
}: Omit<ItemRecords, 'is_late_change'>): Pick<
  ItemContent,
  'authorized' | 'cleared' | 'stated' | 'fees' | 'difference'
> {
  const fee_ids = new Set(pairings.filter(({ fit }) => fit === 'fee').map(({ line_id }) => line_id));
  const fees = sumOf(lines.filter(({ id }) => fee_ids.has(id)));
  const is_stated = lines.some(({ id }) => !fee_ids.has(id));
  const authorized = purchases.length === 0 ? null : money(purchases.reduce((sum, one) => sum + one.authorized, 0));
  const cleared = clearings.length === 0 ? null : sumOf(clearings);
  const stated = is_stated ? sumOf(lines) : null;
  const actual = stated === null ? (cleared ?? 0) : stated - fees;
  return { authorized, cleared, stated, fees, difference: money(actual - (authorized ?? cleared ?? 0)) };
}

export function sumOf(records: readonly { readonly amount: number }[]): Money {
  return money(records.reduce((sum, { amount }) => sum + amount, 0));
}
