import { assert } from '../errors.ts';

/**
 * An amount in minor units (cents) of some currency; always a safe integer, never a fraction. May
 * be negative.
 */
export type Money = number & { readonly __brand: 'Money' };

/** The largest single amount that a caller may name, in minor units. */
export const amount_max = 1_000_000_000_000;

/** The largest value that any sum of amounts may reach, in minor units. */
export const sum_max = 1_000_000_000_000_000;

/**
 * Brands an integer of minor units. Throws a `Violation` unless it is an integer within ±`sum_max`.
 */
export function money(minor_units: number): Money {
  assert(Number.isSafeInteger(minor_units) && Math.abs(minor_units) <= sum_max, `not an amount: ${minor_units}`);
  return (minor_units === 0 ? 0 : minor_units) as Money;
}

/**
 * `amount * numerator / denominator`, rounded half up, at most `amount_max`. Exact for all amounts.
 * Throws a `Violation` when a number is negative or the denominator is 0.
 */
export function scale(amount: number, numerator: number, denominator: number): Money {
  assert(amount >= 0 && numerator >= 0 && denominator > 0, `not a scale: ${amount} * ${numerator} / ${denominator}`);
  const base = BigInt(denominator);
  const rounded = (2n * BigInt(amount) * BigInt(numerator) + base) / (2n * base);
  return money(Math.min(Number(rounded), amount_max));
}

/** An upper-case ISO 4217 code that is in use or was. */
export function isCurrency(text: string): boolean {
  return currencies.has(text);
}

/** The wording of what `isCurrency` allows. */
export const currency_expected = 'a three-letter ISO 4217 code in capitals, such as USD';

/**
 * The decimals of the minor unit of a currency by ISO 4217; 2 for a currency that it does not list.
 * The data of `Intl` differ: they state how many decimals people write.
 */
export function decimalsOf(currency: string): number {
  return other_decimals.get(currency) ?? 2;
}

/** The currencies whose minor unit has other than two decimals. */
const other_decimals: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...decimals(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XDR XOF XPF XSU'),
    ...decimals(3, 'BHD IQD JOD KWD LYD OMR TND'),
  }),
);

function decimals(count: number, codes: string): Readonly<Record<string, number>> {
  return Object.fromEntries(codes.split(' ').map((code) => [code, count]));
}

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** An amount in minor units as people write it: `-12.50 USD`. */
export function showAmount(amount: number, currency: string): string {
  return `${showDecimal(amount, currency)} ${currency}`;
}

/** An amount in minor units, without the currency: `-12.50`. Exact for all amounts. */
export function showDecimal(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const sign = amount < 0 ? '-' : '';
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
