import { pairKeyOf, type StatementPair } from '../act.ts';
import { dayOf } from '../calendar.ts';
import type { Alternative, Offers } from '../item.ts';
import { itemIdOf, recordsOf } from '../item-id.ts';
import { isPairable, type StatementRecords } from '../records.ts';
import { cancelledGroupsOf } from './cancelled-clearings.ts';
import { entryKeyOfClearing, entryKeyOfLine, isPairingKey } from './entry-key.ts';
import { ClearingsByDay } from './nearest-clearing.ts';
import {
  compareClearings,
  compareLines,
  type Pairing,
  pairing_days_max,
  rest_days_max,
  rest_pairs_max,
} from './pair-lines.ts';
import { purchaseOf } from './pair-records.ts';

/** How many pairs of one key a record lists, and an item. */
export const key_offers_max = 5;

interface KeyRecords extends StatementRecords {
  readonly pairings: readonly Pairing[];
  readonly bars: readonly StatementPair[];
}

/**
 * Why lines and clearings with one key were not paired, said at both:
 *
 * - A line whose amount no clearing of its key has, of which clearings of several purchases are left:
 *   the nearest of them. Too many pairs are left likewise.
 * - A clearing that fits the line of another one as well as that does, which comes first.
 *
 * At most `key_offers_max` of each record, the nearest first, so a key with thousands of records
 * costs its records and no more.
 */
export function keyOffersOf({ pairings, bars, ...records }: KeyRecords): Offers {
  // In their order, so that what is listed does not depend on the order of arrival.
  const clearings = records.clearings.toSorted(compareClearings);
  const lines = records.lines.toSorted(compareLines);
  const paired_lines = new Set(pairings.map(({ line_id }) => line_id));
  const paired_clearings = new Set(pairings.filter(({ fit }) => fit !== 'fee').map(({ clearing_id }) => clearing_id));
  const cancelled = new Set(cancelledGroupsOf(clearings).flat());
  const left_by_key = Map.groupBy(
    clearings.filter(({ id }) => !paired_clearings.has(id) && !cancelled.has(id)),
    entryKeyOfClearing,
  );
  const offers = new Map<number, Alternative[]>();
  if (left_by_key.size === 0) return offers;
  const barred = new Set(bars.map(pairKeyOf));
  const by_id = new Map(clearings.map((clearing) => [clearing.id, clearing]));
  const offer = (pair: StatementPair, reason: string): void => {
    if (barred.has(pairKeyOf(pair))) return;
    const ids = { clearing_ids: [pair.clearing_id], line_ids: [pair.line_id] };
    const made: Alternative = { rule: 'ard', reason, authorization_id: null, ...ids };
    for (const own of recordsOf(ids).map(itemIdOf)) {
      const known = offers.get(own) ?? [];
      if (known.length < key_offers_max) offers.set(own, [...known, made]);
    }
  };

  const order = new Map(clearings.map(({ id }, at) => [id, at]));
  const exact = pairings.filter(({ rule, fit }) => rule === 'ard' && fit === 'exact');
  const exact_by_key = Map.groupBy(exact, ({ clearing_id }) => entryKeyOfClearing(by_id.get(clearing_id)!));
  for (const [key, left] of left_by_key) {
    const taken = exact_by_key.get(key);
    if (taken === undefined) continue;
    // Of several in one place at one distance the first in order.
    const by_place = new Map<string, Pairing>();
    for (const pairing of taken) {
      const { amount, settlement_date } = by_id.get(pairing.clearing_id)!;
      const place = placeOf(amount, dayOf(settlement_date) + pairing.days, pairing.days);
      const known = by_place.get(place);
      const is_first = known === undefined || order.get(pairing.clearing_id)! < order.get(known.clearing_id)!;
      if (is_first) by_place.set(place, pairing);
    }
    for (const clearing of left) {
      for (let days = -pairing_days_max; days <= pairing_days_max; days += 1) {
        const alike = by_place.get(placeOf(clearing.amount, dayOf(clearing.settlement_date) + days, days));
        if (alike === undefined || purchaseOf(clearing, by_id) === purchaseOf(by_id.get(alike.clearing_id)!, by_id)) {
          continue;
        }
        const { line_id } = alike;
        const reason = 'two clearings fit the line alike; the first by settlement date and transaction id has it';
        offer({ line_id, clearing_id: clearing.id }, reason);
      }
    }
  }

  const lone = lines.filter((line) => isPairable(line) && !line.is_fee && !paired_lines.has(line.id));
  for (const [key, lines_of_key] of Map.groupBy(lone, entryKeyOfLine)) {
    const left = isPairingKey(key) ? (left_by_key.get(key) ?? []) : [];
    const reason = whyNone(new Set(left.map((clearing) => purchaseOf(clearing, by_id))).size, left, lines_of_key);
    if (reason === null) continue;
    const by_day = new ClearingsByDay(left);
    for (const line of lines_of_key) {
      for (const clearing of by_day.nearestFirst(dayOf(line.booking_date), rest_days_max).take(key_offers_max)) {
        offer({ line_id: line.id, clearing_id: clearing.id }, reason);
      }
    }
  }
  return offers;
}

/** Where a line is looked up that was booked so far from a settlement. */
function placeOf(amount: number, booked: number, days: number): string {
  return `${amount} ${booked} ${Math.abs(days)}`;
}

/** Why none of the lines joined what is left; null when nothing speaks for them. */
function whyNone(purchases: number, left: readonly object[], lines: readonly object[]): string | null {
  if (purchases > 1) return 'clearings of several purchases have the reference of the line, and none its amount';
  return left.length * lines.length > rest_pairs_max
    ? `more than ${rest_pairs_max} pairs of lines and clearings have the reference`
    : null;
}
