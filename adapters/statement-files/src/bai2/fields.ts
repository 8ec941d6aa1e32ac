import { isDay, type Money, money, sum_max } from '@tallystick/kernel';

/** YYMMDD of this century, or YYYYMMDD, as YYYY-MM-DD; null for none. */
export function dayOf(text: string): string | null {
  const digits = text.length === 6 ? `20${text}` : text;
  if (!/^\d{8}$/.test(digits)) return null;
  const day = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
  return isDay(day) ? day : null;
}

/** YYYY-MM-DD as YYMMDD. Throws a `RangeError` for a year that the format cannot state. */
export function shortDay(day: string): string {
  if (!day.startsWith('20')) throw new RangeError(`a BAI2 file states years from 2000 to 2099, not ${day}`);
  return day.slice(2).replaceAll('-', '');
}

/**
 * Reads digits with an optional sign as minor units: the format implies the decimals of the
 * currency. Null when they are no amount, or one that is larger than the product accepts.
 */
export function amountOf(text: string): Money | null {
  if (!/^[+-]?\d{1,18}$/.test(text)) return null;
  const amount = Number(text);
  return Math.abs(amount) <= sum_max ? money(amount) : null;
}

/** What follows an amount: when its funds are available. */
export interface Funds {
  /** YYYY-MM-DD, of type V; null when none is stated; undefined when it cannot be read. */
  readonly value_date: string | null | undefined;
}

const distributions_max = 1_000;

/** Fields in their order. `next` and `peek` are null after the last one. */
export interface Fields {
  next(): string | null;
  /** What `next` returns the next time. */
  peek(): string | null;
}

/**
 * Reads a funds type and the fields that belong to it. Returns what is wrong with it as a text.
 *
 * - none, 0, 1, 2, Z: nothing follows
 * - S: three amounts; V: a value date and a time, which some banks leave off; D: a count, and a
 *   pair of days and amount for each
 */
export function readFunds(fields: Fields): Funds | string {
  const type = fields.next() ?? '';
  const none: Funds = { value_date: null };
  switch (type.toUpperCase()) {
    case '':
    case '0':
    case '1':
    case '2':
    case 'Z':
      return none;
    case 'S': {
      const amounts = [fields.next(), fields.next(), fields.next()];
      const are_amounts = amounts.every((amount) => amount === null || amount === '' || amountOf(amount) !== null);
      return are_amounts ? none : 'has a funds type S without three amounts';
    }
    case 'V': {
      const date = fields.next() ?? '';
      if (/^(?:[\d:]{4,8})?$/.test(fields.peek() ?? '')) fields.next();
      return /^0*$/.test(date) ? none : { value_date: dayOf(date) ?? undefined };
    }
    case 'D': {
      const count = fields.next() ?? '';
      if (!/^\d{1,4}$/.test(count) || Number(count) > distributions_max) {
        return `has a funds type D without a count up to ${distributions_max}`;
      }
      for (let part = 0; part < Number(count); part += 1) {
        const [days, amount] = [fields.next() ?? '', fields.next() ?? ''];
        if (!/^\d{1,4}$/.test(days) || amountOf(amount) === null) {
          return `has a funds type D without ${count} pairs of days and an amount`;
        }
      }
      return none;
    }
    default:
      return `has the funds type "${type}", which is not one of 0, 1, 2, S, V, D and Z`;
  }
}
