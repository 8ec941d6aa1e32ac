import { ageOfItem, amountOf, type Item } from '@tallystick/reconciliation';
import { formatTable } from '@tallystick/server';
import { showDecimal } from '../words.ts';

const name_length_max = 24;

/** A table of breaks. `shows_company` adds the column of their company. */
export function describeBreaks(items: readonly Item[], today: string, shows_company: boolean): string {
  const columns = [
    ...(shows_company ? [{ head: 'company', is_number: true }] : []),
    { head: 'item', is_number: true },
    { head: 'kind' },
    { head: 'age', is_number: true },
    { head: 'due' },
    { head: 'authorized', is_number: true },
    { head: 'cleared', is_number: true },
    { head: 'stated', is_number: true },
    { head: 'difference', is_number: true },
    { head: '' },
    { head: 'card', is_number: true },
    { head: 'merchant' },
  ];
  const rows = items.map((item) => {
    const show = (amount: number | null) => (amount === null ? '-' : showDecimal(amount, item.currency));
    return [
      ...(shows_company ? [String(item.company_id)] : []),
      String(item.id),
      item.kind ?? '-',
      String(ageOfItem(item, today) ?? '-'),
      item.due_date ?? '-',
      show(item.authorized),
      show(item.cleared),
      show(item.stated),
      show(item.difference),
      item.currency,
      item.vcn_id === null ? '-' : String(item.vcn_id),
      shorten(item.merchant_name ?? '-'),
    ];
  });
  return formatTable(columns, rows);
}

/** The sums of these items by currency: `12.50 USD, 3.00 EUR`. */
export function describeSums(items: readonly Item[]): string {
  return [...Map.groupBy(items, ({ currency }) => currency)]
    .map(([currency, of_currency]) => {
      const sum = of_currency.reduce((total, item) => total + amountOf(item), 0);
      return `${showDecimal(sum, currency)} ${currency}`;
    })
    .join(', ');
}

function shorten(name: string): string {
  const characters = [...name];
  return characters.length <= name_length_max ? name : `${characters.slice(0, name_length_max - 1).join('')}…`;
}
