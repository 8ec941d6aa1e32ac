import { decimalsOf } from './currency.ts';

/** An amount in minor units as people write it: `-12.50 USD`. */
export function showAmount(amount: number, currency: string): string {
  return `${showDecimal(amount, currency)} ${currency}`;
}

/** The same without the currency: `-12.50`. Exact for all amounts. */
export function showDecimal(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const sign = amount < 0 ? '-' : '';
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
