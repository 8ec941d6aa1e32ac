import { showAmount, showDecimal } from '@tallystick/kernel';

export { showAmount, showDecimal };

/** A number as people write it: `1,205`. */
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
