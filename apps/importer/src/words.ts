import { match_rules } from '@tallystick/cards';
import { showDecimal as showPlainDecimal } from '@tallystick/kernel';

/** An amount in minor units as people write it: `-1,250.00`. */
export function showDecimal(amount: number, currency: string): string {
  return showPlainDecimal(amount, currency).replace(/\d(?=(?:\d{3})+(?:\.|$))/g, '$&,');
}

/** With its currency: `-1,250.00 USD`. */
export function showAmount(amount: number, currency: string): string {
  return `${showDecimal(amount, currency)} ${currency}`;
}

/** `1,205`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 record`, `1,205 records`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** A change of a sum in minor units: `-12.50 USD`, `+12.50 USD`. */
export function showChange(amount: number, currency: string): string {
  return `${amount > 0 ? '+' : ''}${showAmount(amount, currency)}`;
}

/** `3 network reference`; rules without a number are named by words. */
export function nameRule(rule: string): string {
  const found = match_rules.find((one) => String(one.rule) === rule);
  if (rule === 'ard') return 'acquirer reference';
  return found === undefined ? rule.replaceAll('_', ' ') : `${rule} ${found.name}`;
}
