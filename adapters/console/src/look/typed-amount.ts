import { decimalsOf, invalid, showDecimal } from '@tallystick/kernel';
import { textOf } from '../form.ts';
import { minorUnits, parseSearch, search_length_max } from '../search/parse-search.ts';

/**
 * Reads an amount that a person typed into a field of a form: `1,250.00`. Returns minor units;
 * undefined for an empty field. Refuses (`validation_failed`) what is no amount of the currency, or
 * has two meanings.
 */
export function typedAmount(form: FormData, name: string, currency: string): number | undefined {
  const typed = textOf(form, name);
  return typed === '' ? undefined : readTypedAmount(typed, name, currency);
}

/** The same for a text that is part of the field `path`. */
export function readTypedAmount(typed: string, path: string, currency: string): number {
  const amount = amountIn(typed, currency);
  if (amount !== undefined && amount >= 0) return amount;
  const example = showDecimal(125_000, currency);
  throw invalid({ path, message: `must be an amount in ${currency}, such as ${example}` });
}

/** The amount that a text is, in minor units of the currency; undefined: it is none, or has two meanings. */
export function amountIn(typed: string, currency: string): number | undefined {
  const reading = typed.length > search_length_max ? null : parseSearch(typed);
  const is_alone = reading !== null && reading.at === null && reading.kind === null;
  if (!is_alone || (reading.currency ?? currency) !== currency) return undefined;
  const [amount, ...others] = minorUnits(reading, decimalsOf(currency));
  return others.length === 0 ? amount : undefined;
}

/** An amount as a field of a form shows it; empty for null. */
export function amountText(amount: number | null | undefined, currency: string): string {
  return amount === null || amount === undefined ? '' : showDecimal(amount, currency);
}
