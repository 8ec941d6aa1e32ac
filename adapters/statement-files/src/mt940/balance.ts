import { decimalsOf, isCurrency, isDay, type Money, money } from '@tallystick/kernel';
import { minorUnitsOf } from '../decimal-amounts.ts';

/** A balance as `:60:` and `:62:` state it. */
export interface StatedBalance {
  /** Null: it states none. */
  readonly currency: string | null;
  readonly amount: Money;
}

/** Reads a balance. Returns what is wrong with it as a text. */
export function readBalance(content: string, currency: string | null): StatedBalance | string {
  const [, mark = '', stated = '', digits = ''] = /^([CD])\d{6}([A-Z]{3})?(.*)$/s.exec(content) ?? [];
  if (mark === '') return 'must be C or D, a date as YYMMDD, a currency and an amount';
  if (stated !== '' && !isCurrency(stated)) return `must be in a currency of ISO 4217, not ${stated}`;
  const own_currency = stated === '' ? currency : stated;
  const amount = amountOf(digits.trim(), own_currency);
  if (amount === null) return `must have an amount with a decimal comma, not ${digits}`;
  return { currency: own_currency, amount: money(mark === 'D' ? -amount : amount) };
}

/** The day of a balance, YYYY-MM-DD, even if the rest cannot be read; null: it states none. */
export function balanceDayOf(content: string): string | null {
  return dayOf(content.slice(1, 7));
}

/**
 * YYMMDD as YYYY-MM-DD, of 1980 to 2079; null for none. A value date of 29 or 30 February in a
 * month of fewer days, which banks state that count 30 days for each month, is the last day of the
 * month.
 */
export function dayOf(text: string): string | null {
  const [, year = '', month = '', day = ''] = /^(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  const full_year = `${Number(year) >= 80 ? '19' : '20'}${year}`;
  const days = month === '02' && ['29', '30'].includes(day) ? [day, '29', '28'] : [day];
  return days.map((one) => `${full_year}-${month}-${one}`).find(isDay) ?? null;
}

/**
 * MMDD as YYYY-MM-DD, in the year in which its month is at most six from that of the other day; null
 * for none.
 */
export function entryDayOf(text: string, near: string | null): string | null {
  if (near === null) return null;
  const months = Number(text.slice(0, 2)) - Number(near.slice(5, 7));
  const year = Number(near.slice(0, 4)) + (months > 6 ? -1 : months < -6 ? 1 : 0);
  return dayOf(`${String(year).slice(2)}${text}`);
}

/** By whose decimals an amount is read while the currency is not known. */
export const assumed_currency = 'EUR';

/**
 * A number with a decimal comma or point in minor units, without a sign. Null when it is none,
 * leaves a remainder, or is too large; also when it has three decimals and the currency has fewer:
 * its comma or point may separate thousands.
 */
export function amountOf(text: string, currency: string | null): Money | null {
  const [, whole, fraction = ''] = /^(\d*)(?:[.,](\d*))?$/.exec(text) ?? [];
  const known_currency = currency ?? assumed_currency;
  if (whole === undefined || fraction.length > Math.max(decimalsOf(known_currency), 2)) return null;
  return minorUnitsOf(`${whole}.${fraction}`, known_currency);
}
