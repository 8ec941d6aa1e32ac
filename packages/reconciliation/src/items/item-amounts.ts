import { type Money, money } from '@tallystick/kernel';
import type { ItemContent } from '../item.ts';
import type { ItemRecords } from './item-parts.ts';

/**
 * The amounts of an item (decision: reconciliation, details). `fees` are those of fee lines, joined
 * or alone. `stated` includes them; beside clearings it is null while fees are all that is stated.
 */
export function amountsOf({
  purchases,
  clearings,
  lines,
}: Pick<ItemRecords, 'purchases' | 'clearings' | 'lines'>): Pick<
  ItemContent,
  'authorized' | 'cleared' | 'stated' | 'fees' | 'difference'
> {
  const fees = sumOf(lines.filter(({ is_fee }) => is_fee));
  const is_stated = lines.some(({ is_fee }) => !is_fee || clearings.length === 0);
  const authorized = purchases.length === 0 ? null : money(purchases.reduce((sum, one) => sum + one.authorized, 0));
  const cleared = clearings.length === 0 ? null : sumOf(clearings);
  const stated = is_stated ? sumOf(lines) : null;
  const actual = stated === null ? (cleared ?? 0) : stated - fees;
  return { authorized, cleared, stated, fees, difference: money(actual - (authorized ?? cleared ?? 0)) };
}

export function sumOf(records: readonly { readonly amount: number }[]): Money {
  return money(records.reduce((sum, { amount }) => sum + amount, 0));
}
