import { compareTexts, daysAfter } from '../calendar.ts';
import type { RecordKey, RecordKind } from '../item-id.ts';
import type { CardLine, ClearedAmount, StatementRecords } from '../records.ts';
import { covering_reach_days } from './covering-sets.ts';

/**
 * The key under which a clearing and the lines that may be its pair find each other: the currency
 * and the statement key. Without a reference the settlement date takes its place, and nothing is
 * found by it.
 */
export function entryKeyOfClearing(row: Pick<ClearedAmount, 'currency' | 'statement_key' | 'settlement_date'>): string {
  return entryKeyOf(row.currency, row.statement_key, row.settlement_date);
}

/** The key of a line, with the booking date when it has no reference. */
export function entryKeyOfLine(row: Pick<CardLine, 'currency' | 'statement_key' | 'booking_date'>): string {
  return entryKeyOf(row.currency, row.statement_key, row.booking_date);
}

/** A record under a key. */
export interface EntryPlace {
  readonly key: string;
  readonly record: RecordKey;
}

/** Where the entries of clearings and lines under these keys are. */
export function entryPlacesOf({ clearings, lines }: StatementRecords): readonly EntryPlace[] {
  return [
    ...clearings.map((row) => placeOf('clearing', row.id, entryKeyOfClearing(row))),
    ...lines.map((row) => placeOf('line', row.id, entryKeyOfLine(row))),
  ];
}

/** Where the entries of leftovers are. */
export function leftoverPlacesOf({ clearings, lines }: StatementRecords): readonly EntryPlace[] {
  return [
    ...clearings.map((row) =>
      placeOf('clearing', row.id, leftoverKeyOf('clearing', row.currency, row.settlement_date)),
    ),
    ...lines.map((row) => placeOf('line', row.id, leftoverKeyOf('line', row.currency, row.booking_date))),
  ];
}

function placeOf(kind: RecordKind, id: number, key: string): EntryPlace {
  return { key, record: { kind, id } };
}

const no_reference = '-';

function entryKeyOf(currency: string, statement_key: string | null, date: string): string {
  return `${currency} ${statement_key ?? no_reference + date}`;
}

/** Whether records of this key find each other by it: it was made from an acquirer reference. */
export function isPairingKey(key: string): boolean {
  return !key.startsWith(no_reference, key.indexOf(' ') + 1);
}

/**
 * The key of a record that no pairing explains: one that a covering set may explain. Keys of one
 * kind and currency sort by date. No other key begins so.
 */
export function leftoverKeyOf(kind: 'clearing' | 'line', currency: string, date: string): string {
  return `${leftover}${kind} ${currency} ${date}`;
}

const leftover = '~';

export function isLeftoverKey(key: string): boolean {
  return key.startsWith(leftover);
}

/** Keys from one to another, both included. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

export const all_keys: KeyRange = { from: '', to: `${leftover}~` };

/** The keys of the leftovers of a kind and currency on these dates and some days around them. */
export function leftoverKeysAround(
  kind: 'clearing' | 'line',
  { currency, from, to }: LeftoverDates,
  days: number,
): KeyRange {
  return {
    from: leftoverKeyOf(kind, currency, daysAfter(from, -days)),
    to: leftoverKeyOf(kind, currency, daysAfter(to, days)),
  };
}

/** Dates of leftovers of a currency, YYYY-MM-DD, both included. */
export interface LeftoverDates {
  readonly currency: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Dates of leftovers that changed and whose covering sets are to be found. `mark`: the number of
 * the first walk that looks at them, of which only one has not ended; null until one begins. What
 * changes later has dates of its own.
 */
export interface UnsearchedDates extends LeftoverDates {
  readonly mark: number | null;
}

/** Adds dates to those that no walk looks at yet. */
export function addUnsearched(
  unsearched: readonly UnsearchedDates[],
  dates: readonly LeftoverDates[],
): readonly UnsearchedDates[] {
  if (dates.length === 0) return unsearched;
  const waiting = joinDates([...unsearched.filter(({ mark }) => mark === null), ...dates], 2 * covering_reach_days);
  return [...unsearched.filter(({ mark }) => mark !== null), ...waiting.map((one) => ({ ...one, mark: null }))];
}

/** Joins dates that are at most so many days apart, so that each range is read once. */
export function joinDates(dates: readonly LeftoverDates[], days: number): readonly LeftoverDates[] {
  const joined: LeftoverDates[] = [];
  const in_order = dates.toSorted((a, b) => compareTexts(a.currency, b.currency) || compareTexts(a.from, b.from));
  for (const next of in_order) {
    const last = joined.at(-1);
    if (last !== undefined && last.currency === next.currency && next.from <= daysAfter(last.to, days)) {
      if (next.to > last.to) joined[joined.length - 1] = { ...last, to: next.to };
    } else {
      joined.push(next);
    }
  }
  return joined;
}
