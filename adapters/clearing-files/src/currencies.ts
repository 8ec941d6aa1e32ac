import { amount_max } from '@tallystick/kernel';
import { data } from 'currency-codes';

/** A currency of ISO 4217. */
export interface Currency {
  /** Three letters, as the product names a currency. */
  readonly code: string;
  /** Three digits, as the files of the network name it. */
  readonly number: string;
  /** The decimals of its minor unit. Every amount of the product is in minor units. */
  readonly decimals: number;
}

/** The codes for tests and for the absence of a currency: no amount is in them. */
const no_currencies: readonly string[] = ['XTS', 'XXX'];

/** Newer than the list of the library: since March 2025 the number 532 is that of XCG. */
const later_currencies: readonly Currency[] = [{ code: 'XCG', number: '532', decimals: 2 }];

const currencies: readonly Currency[] = [
  ...data
    .filter(({ code }) => !no_currencies.includes(code))
    .map(({ code, number, digits }) => ({ code, number, decimals: digits })),
  ...later_currencies,
];

const by_code = new Map(currencies.map((currency) => [currency.code, currency]));
const by_number = new Map(currencies.map((currency) => [currency.number, currency]));

export function currencyOfCode(code: string): Currency | null {
  return by_code.get(code) ?? null;
}

/** By the three digits of ISO 4217, without the zeros before them, or with more. */
export function currencyOfNumber(number: string): Currency | null {
  return /^\d{1,9}$/.test(number) ? (by_number.get(number.replace(/^0+/, '').padStart(3, '0')) ?? null) : null;
}

/** By its code or its number, as a file states it. */
export function currencyOf(stated: string): Currency | null {
  return currencyOfCode(stated.toUpperCase()) ?? currencyOfNumber(stated);
}

/**
 * An amount with a number of decimals, in minor units of the currency. Null when the conversion
 * leaves a remainder, or the amount is larger than the product accepts.
 */
export function toMinorUnits(amount: number, decimals: number, currency: Currency): number | null {
  if (!Number.isSafeInteger(amount)) return null;
  const surplus = decimals - currency.decimals;
  if (surplus > 0 && amount % 10 ** surplus !== 0) return null;
  const minor_units = surplus > 0 ? amount / 10 ** surplus : amount * 10 ** -surplus;
  return minor_units <= amount_max ? minor_units : null;
}
