import { type Money, money } from '@tallystick/kernel';
import type { ItemContent } from '../item.ts';
import { ascendingIds } from '../item-id.ts';
import type { ReconciliationRecords } from '../records.ts';

/**
 * The amounts of an item (decision: reconciliation, details). `fees` are those of fee lines, joined
 * or alone. `stated` includes them; beside clearings it is null while fees are all that is stated.
 */
export function amountsOf({
  purchases,
  clearings,
  lines,
}: ReconciliationRecords): Pick<ItemContent, 'authorized' | 'cleared' | 'stated' | 'fees' | 'difference'> {
  const fees = sumOf(lines.filter(({ is_fee }) => is_fee));
  const is_stated = lines.some(({ is_fee }) => !is_fee || clearings.length === 0);
  const authorized = purchases.length === 0 ? null : money(purchases.reduce((sum, one) => sum + one.authorized, 0));
  const cleared = clearings.length === 0 ? null : sumOf(clearings);
  const stated = is_stated ? sumOf(lines) : null;
  const actual = stated === null ? (cleared ?? 0) : stated - fees;
  return { authorized, cleared, stated, fees, difference: money(actual - (authorized ?? cleared ?? 0)) };
}

/** The records of an item and its amounts, of which its fingerprint is made. */
export function membersOf(records: ReconciliationRecords) {
  return {
    authorization_ids: ascendingIds(records.purchases),
    clearing_ids: ascendingIds(records.clearings),
    line_ids: ascendingIds(records.lines),
    ...amountsOf(records),
  };
}

export function sumOf(records: readonly { readonly amount: number }[]): Money {
  return money(records.reduce((sum, { amount }) => sum + amount, 0));
}
