import { decimalsOf, type Money, money, sum_max } from '@tallystick/kernel';

/**
 * A decimal number, in minor units of the currency. Null when it is none, is negative, leaves a
 * remainder, or is larger than the product accepts.
 */
export function minorUnitsOf(text: string, currency: string): Money | null {
  const found = /^\+?(?=\.?\d)(\d{0,18})(?:\.(\d{0,17}))?$/.exec(text);
  if (found === null) return null;
  const decimals = decimalsOf(currency);
  const [, whole = '', fraction = ''] = found;
  if (/[^0]/.test(fraction.slice(decimals))) return null;
  const minor_units = Number(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  return minor_units <= sum_max ? money(minor_units) : null;
}

/** Minor units without their sign, as a decimal number. */
export function decimalOf(amount: number | bigint, currency: string): string {
  const decimals = decimalsOf(currency);
  const digits = String(amount)
    .replace('-', '')
    .padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
