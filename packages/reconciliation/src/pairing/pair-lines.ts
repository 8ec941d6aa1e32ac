import { pairKeyOf, type StatementPair } from '../act.ts';
import { compareTexts, dayOf } from '../calendar.ts';
import type { CardLine, ClearedAmount } from '../records.ts';
import { FreeLines } from './free-lines.ts';
import { ClearingsByDay } from './nearest-clearing.ts';

export interface PairableClearing extends Pick<ClearedAmount, 'id' | 'transaction_id' | 'settlement_date'> {
  readonly amount: number;
  /** The purchase that it belongs to: equal for its parts, reversals, disputes and refunds. */
  readonly purchase: string;
  /** Of a clearing that was undone and its reversals (`cancelledGroupsOf`). */
  readonly is_cancelled: boolean;
}

/** What pairing reads of a card line. */
export type PairableLine = Pick<
  CardLine,
  'id' | 'account_id' | 'amount' | 'is_fee' | 'booking_date' | 'bank_reference' | 'acquirer_reference'
>;

/** What people decided about pairs of a line and a clearing. */
export interface HandPairs {
  /** Pairs that a person made: no rule undoes one. */
  readonly pins: readonly StatementPair[];
  /** Pairs that a person undid: no rule makes one. */
  readonly bars: readonly StatementPair[];
}

/** A line that belongs to a clearing. Several lines may belong to one clearing, and vice versa. */
export interface Pairing extends StatementPair {
  readonly rule: 'ard' | 'covering_set' | 'person';
  /** `exact`: amount and date fit. `fee`: a fee of the purchase. `rest`: only the key fits. */
  readonly fit: 'exact' | 'fee' | 'rest';
  /** From the settlement to the booking; negative when it was booked before. */
  readonly days: number;
}

/** The most days between the settlement of a clearing and the booking of its line. */
export const pairing_days_max = 3;

/**
 * The most days for a line of which only the key fits, and for a fee. A key that comes again later
 * is that of another purchase.
 */
export const rest_days_max = 35;

/**
 * The most pairs of lines and clearings of which only the key fits. With more left of one purchase
 * nothing joins: it would explain nothing, and people match what belongs together.
 */
export const rest_pairs_max = 10_000;

/**
 * Pairs the card lines of one company, currency and statement key with its clearings. The result
 * depends on what is there, never on the order in which it arrived:
 *
 * 1. Pairs that people made. Their lines are in no other pair, and their clearings in none of
 *    step 2.
 * 2. Equal amounts within 3 days, the nearest dates first, each record once. Clearings that stand
 *    come before those that were undone and their reversals. One of these takes none while a
 *    standing clearing of its purchase and amount lacks its line, at most 35 days away.
 * 3. Fees join the clearing of the key with the nearest date.
 * 4. What is left of the lines joins what is left of the clearings, of those that stand if there are
 *    any, when these belong to one purchase; when none is left, it joins the nearest clearing, when
 *    all belong to one purchase (decision: a line with a clearing's reference but another amount).
 *    Not with more than 10,000 pairs.
 *
 * A pair that a person undid is never made. Costs n log n of the records, and the pairs of step 4.
 */
export function pairLines(
  clearings: readonly PairableClearing[],
  lines: readonly PairableLine[],
  hands: HandPairs,
): readonly Pairing[] {
  if (clearings.length === 0 || lines.length === 0) return [];
  return new KeyPairing(clearings, lines, hands).pair();
}

/**
 * The pairs of people, whatever the keys of their records. Pairs of unknown records are left out.
 */
export function pairByHand(
  clearings: ReadonlyMap<number, Pick<PairableClearing, 'settlement_date'>>,
  lines: ReadonlyMap<number, Pick<PairableLine, 'booking_date' | 'is_fee'>>,
  pins: readonly StatementPair[],
): readonly Pairing[] {
  return pins.flatMap(({ line_id, clearing_id }): Pairing[] => {
    const line = lines.get(line_id);
    const clearing = clearings.get(clearing_id);
    if (line === undefined || clearing === undefined) return [];
    const fit = line.is_fee ? 'fee' : 'exact';
    return [{ line_id, clearing_id, rule: 'person', fit, days: daysApart(clearing, line) }];
  });
}

class KeyPairing {
  readonly #clearings: readonly PairableClearing[];
  readonly #lines: readonly PairableLine[];
  readonly #pinned_clearings: ReadonlySet<number>;
  readonly #bars: ReadonlySet<string>;
  readonly #pairings: Pairing[] = [];

  constructor(clearings: readonly PairableClearing[], lines: readonly PairableLine[], hands: HandPairs) {
    const pinned_lines = new Set(hands.pins.map(({ line_id }) => line_id));
    const fees = new Set(lines.filter(({ is_fee }) => is_fee).map(({ id }) => id));
    this.#clearings = clearings.toSorted(compareClearings);
    this.#lines = lines.filter(({ id }) => !pinned_lines.has(id)).sort(compareLines);
    this.#pinned_clearings = new Set(
      hands.pins.filter(({ line_id }) => !fees.has(line_id)).map(({ clearing_id }) => clearing_id),
    );
    this.#bars = new Set(hands.bars.map(pairKeyOf));
  }

  pair(): readonly Pairing[] {
    const taken = this.#pairExact();
    this.#joinFees();
    const rest = this.#lines.filter(({ id, is_fee }) => !is_fee && !taken.has(id));
    if (rest.length > 0) this.#joinRest(rest);
    return this.#pairings;
  }

  /** Returns the ids of the lines that were paired. */
  #pairExact(): ReadonlySet<number> {
    const by_place = new Map<string, FreeLines<PairableLine>>();
    for (const line of this.#lines) {
      if (line.is_fee) continue;
      const place = placeOf(line.amount, dayOf(line.booking_date));
      const free = by_place.get(place) ?? new FreeLines<PairableLine>();
      free.add(line);
      by_place.set(place, free);
    }
    const taken = new Set<number>();
    const open = this.#clearings.filter(({ id }) => !this.#pinned_clearings.has(id));
    const lacking = this.#takeNearest(
      open.filter(({ is_cancelled }) => !is_cancelled),
      by_place,
      taken,
    );
    const cancelled = open.filter(({ is_cancelled }) => is_cancelled);
    if (cancelled.length > 0) this.#takeNearest(unlessLacking(cancelled, lacking), by_place, taken);
    return taken;
  }

  /** Pairs each clearing with the nearest line of its amount. Returns those that got none. */
  #takeNearest(
    clearings: readonly PairableClearing[],
    by_place: ReadonlyMap<string, FreeLines<PairableLine>>,
    taken: Set<number>,
  ): readonly PairableClearing[] {
    let waiting = clearings.map((clearing) => ({ clearing, day: dayOf(clearing.settlement_date) }));
    for (let distance = 0; distance <= pairing_days_max; distance += 1) {
      // An earlier booking comes first in the order of lines.
      const offsets = distance === 0 ? [0] : [-distance, distance];
      waiting = waiting.filter(({ clearing, day }) => {
        const isAllowed = (line: PairableLine): boolean => this.#isAllowed(clearing, line);
        for (const days of offsets) {
          const line = by_place.get(placeOf(clearing.amount, day + days))?.takeFirst(isAllowed) ?? null;
          if (line === null) continue;
          taken.add(line.id);
          this.#add(clearing, line, 'exact', days);
          return false;
        }
        return true;
      });
    }
    return waiting.map(({ clearing }) => clearing);
  }

  #joinFees(): void {
    const fees = this.#lines.filter(({ is_fee }) => is_fee);
    if (fees.length === 0) return;
    const by_day = new ClearingsByDay(this.#clearings);
    for (const fee of fees) this.#joinNearest(fee, by_day, 'fee');
  }

  #joinRest(rest: readonly PairableLine[]): void {
    const exact = new Set(this.#pairings.filter(({ fit }) => fit === 'exact').map(({ clearing_id }) => clearing_id));
    const open = this.#clearings.filter(({ id }) => !exact.has(id) && !this.#pinned_clearings.has(id));
    const standing = open.filter(({ is_cancelled }) => !is_cancelled);
    const left = standing.length > 0 ? standing : open;
    const candidates = left.length > 0 ? left : this.#clearings;
    if (candidates.some(({ purchase }) => purchase !== candidates[0]!.purchase)) return;
    if (rest.length * left.length > rest_pairs_max) return;
    const by_day = new ClearingsByDay(candidates);
    for (const line of rest) {
      if (left.length === 0) this.#joinNearest(line, by_day, 'rest');
      else this.#joinAll(line, by_day);
    }
  }

  #joinNearest(line: PairableLine, by_day: ClearingsByDay<PairableClearing>, fit: Pairing['fit']): void {
    const isAllowed = (clearing: PairableClearing): boolean => this.#isAllowed(clearing, line);
    const clearing = by_day.nearest(dayOf(line.booking_date), rest_days_max, isAllowed);
    if (clearing !== null) this.#add(clearing, line, fit, daysApart(clearing, line));
  }

  #joinAll(line: PairableLine, by_day: ClearingsByDay<PairableClearing>): void {
    for (const clearing of by_day.within(dayOf(line.booking_date), rest_days_max)) {
      if (this.#isAllowed(clearing, line)) this.#add(clearing, line, 'rest', daysApart(clearing, line));
    }
  }

  #add(clearing: PairableClearing, line: PairableLine, fit: Pairing['fit'], days: number): void {
    this.#pairings.push({ line_id: line.id, clearing_id: clearing.id, rule: 'ard', fit, days });
  }

  #isAllowed(clearing: PairableClearing, line: PairableLine): boolean {
    return this.#bars.size === 0 || !this.#bars.has(pairKeyOf({ line_id: line.id, clearing_id: clearing.id }));
  }
}

/** The cancelled clearings but for those whose purchase lacks a line of the same amount nearby. */
function unlessLacking(
  cancelled: readonly PairableClearing[],
  lacking: readonly PairableClearing[],
): readonly PairableClearing[] {
  const wantOf = ({ purchase, amount }: PairableClearing) => `${purchase} ${amount}`;
  const by_want = Map.groupBy(lacking, wantOf);
  const days = new Map([...by_want].map(([want, of_want]) => [want, new ClearingsByDay(of_want)]));
  return cancelled.filter((one) => {
    const its = days.get(wantOf(one));
    return its === undefined || its.nearest(dayOf(one.settlement_date), rest_days_max, () => true) === null;
  });
}

/** The days from the settlement to the booking. */
function daysApart(
  { settlement_date }: Pick<PairableClearing, 'settlement_date'>,
  { booking_date }: Pick<PairableLine, 'booking_date'>,
): number {
  return dayOf(booking_date) - dayOf(settlement_date);
}

/** Where an exact pair is looked up. */
function placeOf(amount: number, day: number): string {
  return `${amount} ${day}`;
}

type OrderFields = Pick<PairableClearing, 'id' | 'amount' | 'settlement_date' | 'transaction_id'>;

/**
 * By settlement date, then debits before credits, then by transaction id, whenever they arrived.
 */
export function compareClearings(a: OrderFields, b: OrderFields): number {
  return (
    compareTexts(a.settlement_date, b.settlement_date) ||
    Number(a.amount < 0) - Number(b.amount < 0) ||
    compareTexts(a.transaction_id, b.transaction_id) ||
    a.id - b.id
  );
}

/**
 * By booking date, then by the bank's reference, whenever they arrived; lines without one come last.
 * Those of one reference, or without one, by amount, acquirer reference and account; of two that are
 * equal in all this, the one that was recorded first.
 */
export function compareLines(a: PairableLine, b: PairableLine): number {
  const by_date = compareTexts(a.booking_date, b.booking_date);
  if (by_date !== 0) return by_date;
  if (a.bank_reference !== b.bank_reference) {
    if (a.bank_reference === null || b.bank_reference === null) return a.bank_reference === null ? 1 : -1;
    return compareTexts(a.bank_reference, b.bank_reference);
  }
  return (
    a.amount - b.amount ||
    compareTexts(a.acquirer_reference ?? '', b.acquirer_reference ?? '') ||
    a.account_id - b.account_id ||
    a.id - b.id
  );
}
