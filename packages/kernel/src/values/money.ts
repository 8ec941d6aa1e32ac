import { assert } from '../errors/assert.ts';

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
