import type { Steps } from '@tallystick/kernel';
import { pairKeyOf, pairsBetween, type StatementPair } from '../act.ts';
import { dayOf } from '../calendar.ts';
import { type CardLine, type ClearedAmount, isPairable } from '../records.ts';
import { coveringIndexes } from './find-sums.ts';
import { compareClearings, compareLines, type Pairing, pairing_days_max } from './pair-lines.ts';

/** Lines that together make up a clearing, or clearings that together make up a line. */
export interface CoveringSet {
  /** One of the two lists has one member. Ids ascend. */
  readonly line_ids: readonly number[];
  readonly clearing_ids: readonly number[];
  /** Purchases positive, credits negative. */
  readonly amount: number;
  /** The most days between the settlement and the booking of two members. */
  readonly days: number;
}

export interface CoveringSets {
  /** Each is the only set of each of its records. No two have a common record. */
  readonly applied: readonly CoveringSet[];
  /** The others, best first: fewest members, then oldest. At most 10 of each record. */
  readonly offers: readonly CoveringSet[];
  /** How many partial sets the search examined. */
  readonly examined: number;
}

/** The records that nothing explains yet, and that a covering set may explain. */
export interface Leftovers {
  readonly clearings: readonly ClearedAmount[];
  readonly lines: readonly CardLine[];
}

/** How many records near a record may be members of its sets (decision: reconciliation). */
export const candidates_max = 30;

/** How many sets of one record are listed. */
const offers_max = 10;

/**
 * How many sets of one record are counted. One with more is so ambiguous that all its candidates
 * count as members of several sets.
 */
const sets_max = 1_000;

/**
 * The sets of a record depend only on leftovers of its currency that are at most so many days away:
 * four steps of 3 days, from a record over a set of it and a common member to the candidates of the
 * record of another set.
 */
export const covering_reach_days = 4 * pairing_days_max;

/**
 * The records that covering sets may be made of: card lines without an acquirer reference that are
 * no fee, and clearings, that no pairing explains. A line with a reference belongs to the clearing
 * of that reference or to none.
 */
export function leftoversOf(
  { clearings, lines }: Leftovers,
  pairings: readonly Pick<Pairing, 'line_id' | 'clearing_id' | 'fit'>[],
): Leftovers {
  const line_ids = new Set(pairings.map(({ line_id }) => line_id));
  const clearing_ids = new Set(pairings.filter(({ fit }) => fit !== 'fee').map(({ clearing_id }) => clearing_id));
  return {
    clearings: clearings.filter(({ id, amount }) => amount !== 0 && !clearing_ids.has(id)),
    lines: lines.filter(
      (line) =>
        isPairable(line) && !line.is_fee && line.amount !== 0 && !line_ids.has(line.id) && line.statement_key === null,
    ),
  };
}

/**
 * Finds the covering sets among leftovers of one company: one line for up to 5 clearings, or one
 * clearing for up to 5 lines of one account. All members have the currency and the sign of the
 * record that they make up, and are at most 3 days away from it; of more than 30 such the nearest
 * count. A set with a pair that a person undid is none. The result depends on which leftovers there
 * are, never on their order (decision: reconciliation, covering sets). A step for each record:
 * thousands may be left over on the same days.
 */
export function* findCoveringSets(leftovers: Leftovers, bars: readonly StatementPair[]): Steps<CoveringSets> {
  if (leftovers.lines.length === 0 || leftovers.clearings.length === 0) return { applied: [], offers: [], examined: 0 };
  return yield* new CoveringSearch(leftovers, bars).find();
}

export function pairingsOf(set: CoveringSet): readonly Pairing[] {
  return pairsBetween(set).map((pair) => ({ ...pair, rule: 'covering_set', fit: 'exact', days: set.days }));
}

/**
 * A leftover with what the search compares. `order`: its place among all of its kind, oldest first.
 */
interface Leftover {
  readonly kind: 'clearing' | 'line';
  readonly id: number;
  readonly order: number;
  readonly amount: number;
  readonly currency: string;
  /** Since 1970. */
  readonly day: number;
  /** Null for a clearing. */
  readonly account_id: number | null;
  sets: number;
}

class CoveringSearch {
  readonly #clearings: readonly Leftover[];
  readonly #lines: readonly Leftover[];
  readonly #bars: ReadonlySet<string>;
  readonly #pairs_found = new Set<string>();
  readonly #listed: { readonly set: CoveringSet; readonly of: readonly Leftover[] }[] = [];
  #examined = 0;
  readonly #clearings_by_place: LeftoversByPlace;
  readonly #lines_by_place: LeftoversByPlace;

  constructor({ clearings, lines }: Leftovers, bars: readonly StatementPair[]) {
    this.#clearings = clearings.toSorted(compareClearings).map(({ id, amount, currency, settlement_date }, order) => {
      return { kind: 'clearing', id, order, amount, currency, day: dayOf(settlement_date), account_id: null, sets: 0 };
    });
    this.#lines = lines.toSorted(compareLines).map(({ id, amount, currency, booking_date, account_id }, order) => {
      return { kind: 'line', id, order, amount, currency, day: dayOf(booking_date), account_id, sets: 0 };
    });
    this.#clearings_by_place = byPlace(this.#clearings);
    this.#lines_by_place = byPlace(this.#lines);
    this.#bars = new Set(bars.map(pairKeyOf));
  }

  *find(): Steps<CoveringSets> {
    for (const [subjects, others] of [
      [this.#lines, this.#clearings_by_place],
      [this.#clearings, this.#lines_by_place],
    ] as const) {
      for (const subject of subjects) {
        for (const candidates of candidatesOf(subject, others)) {
          this.#findSetsOf(subject, candidates);
          yield;
        }
      }
    }
    const isApplied = ({ of }: { readonly of: readonly Leftover[] }) => of.every(({ sets }) => sets === 1);
    const [applied, offers] = [this.#listed.filter(isApplied), this.#listed.filter((listed) => !isApplied(listed))];
    return {
      applied: applied.map(({ set }) => set),
      offers: offers.sort((a, b) => a.of.length - b.of.length).map(({ set }) => set),
      examined: this.#examined,
    };
  }

  #findSetsOf(subject: Leftover, candidates: readonly Leftover[]): void {
    const allowed = candidates.filter((candidate) => !this.#bars.has(pairKeyOfLeftovers(subject, candidate)));
    let found = 0;
    this.#examined += coveringIndexes(
      allowed.map(({ amount }) => Math.abs(amount)),
      Math.abs(subject.amount),
      (indexes) => {
        const members = indexes.map((index) => allowed[index]!);
        // A line and a clearing that make up each other are one set.
        if (members.length === 1 && this.#isFoundBefore(pairKeyOfLeftovers(subject, members[0]!))) return false;
        const of = [subject, ...members];
        for (const one of of) one.sets += 1;
        found += 1;
        if (found <= offers_max) this.#listed.push({ set: setOf(subject, members), of });
        return found === sets_max;
      },
    );
    if (found === sets_max) for (const one of [subject, ...allowed]) one.sets += sets_max;
  }

  #isFoundBefore(pair: string): boolean {
    if (this.#pairs_found.has(pair)) return true;
    this.#pairs_found.add(pair);
    return false;
  }
}

/** By place and account, oldest first. */
type LeftoversByPlace = ReadonlyMap<string, ReadonlyMap<number | null, readonly Leftover[]>>;

function byPlace(leftovers: readonly Leftover[]): LeftoversByPlace {
  const places = Map.groupBy(leftovers, placeOf);
  return new Map(
    [...places].map(([place, of_place]) => [place, Map.groupBy(of_place, ({ account_id }) => account_id)]),
  );
}

/**
 * The records of the other kind that may be members of a set of this one: the nearest of each account,
 * oldest first. Looks only at as many as it needs, because thousands may be on one day.
 */
function* candidatesOf(subject: Leftover, by_place: LeftoversByPlace): Generator<readonly Leftover[]> {
  const placeAfter = (days: number) => by_place.get(placeOf({ ...subject, day: subject.day + days }));
  const places = near_days.flatMap((days) => placeAfter(days) ?? []);
  for (const account_id of new Set(places.flatMap((place) => [...place.keys()]))) {
    const nearest: Leftover[] = [];
    for (const place of places) {
      for (const candidate of place.get(account_id) ?? []) {
        if (nearest.length === candidates_max) break;
        if (Math.abs(candidate.amount) <= Math.abs(subject.amount)) nearest.push(candidate);
      }
    }
    yield nearest.sort((a, b) => a.order - b.order);
  }
}

/** The distances of candidates in days, the nearest first; of two, the earlier day. */
const near_days = [0, ...Array.from({ length: pairing_days_max }, (_, at) => [-1 - at, 1 + at]).flat()];

/** What the members of a set have in common with its record, but for days between them. */
function placeOf({ currency, amount, day }: Pick<Leftover, 'currency' | 'amount' | 'day'>): string {
  return `${currency} ${Math.sign(amount)} ${day}`;
}

function pairKeyOfLeftovers(one: Leftover, other: Leftover): string {
  const [line, clearing] = one.kind === 'line' ? [one, other] : [other, one];
  return pairKeyOf({ line_id: line.id, clearing_id: clearing.id });
}

function distance(one: Leftover, other: Leftover): number {
  return Math.abs(one.day - other.day);
}

function setOf(subject: Leftover, members: readonly Leftover[]): CoveringSet {
  const ids = members.map(({ id }) => id).sort((a, b) => a - b);
  const is_line = subject.kind === 'line';
  return {
    line_ids: is_line ? [subject.id] : ids,
    clearing_ids: is_line ? ids : [subject.id],
    amount: subject.amount,
    days: Math.max(...members.map((member) => distance(member, subject))),
  };
}
