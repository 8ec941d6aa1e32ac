import type { Steps } from '@tallystick/kernel';
import { pairKeyOf, type StatementPair } from '../act.ts';
import { dayOf } from '../calendar.ts';
import type { StatementRecords } from '../records.ts';
import { coveringIndexes } from './find-sums.ts';
import { compareClearings, compareLines, pairing_days_max } from './pair-lines.ts';

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

export interface FoundSets {
  /** Each is the only set of each of its records. No two have a common record. */
  readonly applied: readonly CoveringSet[];
  /** The others, best first: fewest members, then oldest. At most 10 of each record. */
  readonly offers: readonly CoveringSet[];
}

/** The records that nothing explains yet, and that a covering set may explain. */
export type Leftovers = StatementRecords;

/** How many records near a record may be members of its sets (decision: reconciliation). */
export const candidates_max = 30;

/** How many sets of one record are listed. */
export const offers_max = 10;

/**
 * How many sets of one record are counted. One with so many is so ambiguous that all its candidates
 * count as members of several sets.
 */
const sets_max = 1_000;

/**
 * A leftover with what the search compares. `order`: its place among all of its kind, oldest first.
 * `sets`: how many sets have it.
 */
export interface Leftover {
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
  /** Of a line: the clearings of its amount that were found to make it up. */
  readonly pairs: Leftover[];
}

/** A set that was found, its record first. */
export interface Found {
  readonly of: readonly [Leftover, ...Leftover[]];
  /** Among the sets of its record. */
  readonly place: number;
}

export interface Subjects {
  readonly lines: readonly Leftover[];
  readonly clearings: readonly Leftover[];
}

/** Finds the sets of records among those that were added to it, a day or all days at a time. */
export class CoveringSearch {
  readonly #bars = new Set<string>();
  readonly #days = new Map<number, Readonly<Record<Leftover['kind'], Map<string, Place>>>>();
  #added = 0;
  /** How many partial sets the search examined. */
  examined = 0;

  /** Adds leftovers, which are on later days than those before, and returns them, oldest first. */
  add({ clearings, lines }: Leftovers, bars: readonly StatementPair[]): Subjects {
    for (const bar of bars) this.#bars.add(pairKeyOf(bar));
    return {
      clearings: clearings
        .toSorted(compareClearings)
        .map(({ id, amount, currency, settlement_date }) =>
          this.#add({ kind: 'clearing', id, amount, currency, day: dayOf(settlement_date), account_id: null }),
        ),
      lines: lines
        .toSorted(compareLines)
        .map(({ id, amount, currency, booking_date, account_id }) =>
          this.#add({ kind: 'line', id, amount, currency, day: dayOf(booking_date), account_id }),
        ),
    };
  }

  #add(fields: Omit<Leftover, 'order' | 'sets' | 'pairs'>): Leftover {
    const leftover = { ...fields, order: this.#added, sets: 0, pairs: [] };
    this.#added += 1;
    const day = this.#days.get(leftover.day) ?? { clearing: new Map(), line: new Map() };
    this.#days.set(leftover.day, day);
    const place = day[leftover.kind].get(placeOf(leftover)) ?? new Map<number | null, Leftover[]>();
    day[leftover.kind].set(placeOf(leftover), place);
    const of_account = place.get(leftover.account_id);
    if (of_account === undefined) place.set(leftover.account_id, [leftover]);
    else of_account.push(leftover);
    return leftover;
  }

  /** Leaves the records of a day out of later searches. */
  forget(day: number): void {
    this.#days.delete(day);
  }

  /**
   * Finds the sets of these records, and counts them with their members. A step for each record.
   */
  *findSetsOf(subjects: readonly Leftover[]): Steps<readonly Found[]> {
    const listed: Found[] = [];
    for (const subject of subjects) {
      const others = subject.kind === 'line' ? 'clearing' : 'line';
      const placeOn = (day: number) => this.#days.get(day)?.[others].get(placeOf(subject));
      let place = 0;
      for (const candidates of candidatesOf(subject, placeOn)) {
        for (const of of this.#findSets(subject, candidates)) {
          listed.push({ of, place });
          place += 1;
        }
        yield;
      }
    }
    return listed;
  }

  #findSets(subject: Leftover, candidates: readonly Leftover[]): readonly Found['of'][] {
    const allowed = candidates.filter((candidate) => !this.#bars.has(pairKeyOfLeftovers(subject, candidate)));
    const listed: Found['of'][] = [];
    let found = 0;
    this.examined += coveringIndexes(
      allowed.map(({ amount }) => Math.abs(amount)),
      Math.abs(subject.amount),
      (indexes) => {
        const members = indexes.map((index) => allowed[index]!);
        // A line and a clearing that make up each other are one set.
        if (members.length === 1 && isFoundBefore(subject, members[0]!)) return false;
        const of = [subject, ...members] as const;
        for (const one of of) one.sets += 1;
        found += 1;
        if (found <= offers_max) listed.push(of);
        return found === sets_max;
      },
    );
    if (found === sets_max) for (const one of [subject, ...allowed]) one.sets += sets_max;
    return listed;
  }
}

/** Lines are searched before the clearings that may be their pairs. */
function isFoundBefore(subject: Leftover, member: Leftover): boolean {
  if (subject.kind === 'clearing') return member.pairs.includes(subject);
  subject.pairs.push(member);
  return false;
}

/** The leftovers of a day, currency and sign by account, oldest first. */
type Place = Map<number | null, Leftover[]>;

/**
 * The records of the other kind that may be members of a set of this one: the nearest of each
 * account, oldest first. Looks only at as many as it needs, because thousands may be on one day.
 */
function* candidatesOf(subject: Leftover, placeOn: (day: number) => Place | undefined): Generator<readonly Leftover[]> {
  const places = near_days.flatMap((days) => placeOn(subject.day + days) ?? []);
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

/** What the members of a set have in common with its record. */
function placeOf({ currency, amount }: Pick<Leftover, 'currency' | 'amount'>): string {
  return `${currency} ${Math.sign(amount)}`;
}

function pairKeyOfLeftovers(one: Leftover, other: Leftover): string {
  const [line, clearing] = one.kind === 'line' ? [one, other] : [other, one];
  return pairKeyOf({ line_id: line.id, clearing_id: clearing.id });
}

function distance(one: Leftover, other: Leftover): number {
  return Math.abs(one.day - other.day);
}

function setOf({ of: [subject, ...members] }: Found): CoveringSet {
  const ids = members.map(({ id }) => id).sort((a, b) => a - b);
  const is_line = subject.kind === 'line';
  return {
    line_ids: is_line ? [subject.id] : ids,
    clearing_ids: is_line ? ids : [subject.id],
    amount: subject.amount,
    days: Math.max(...members.map((member) => distance(member, subject))),
  };
}

/** Fewest members first, then the order in which `findCoveringSets` finds them. */
export function compareFound(a: Found, b: Found): number {
  const [one, other] = [a.of[0]!, b.of[0]!];
  return (
    a.of.length - b.of.length ||
    Number(one.kind === 'clearing') - Number(other.kind === 'clearing') ||
    one.order - other.order ||
    a.place - b.place
  );
}

/** The sets that are found, once all that may have a common record with them are. */
export function toSets(found: readonly Found[]): FoundSets {
  const isApplied = ({ of }: Found) => of.every(({ sets }) => sets === 1);
  return {
    applied: found.filter(isApplied).map(setOf),
    offers: found
      .filter((one) => !isApplied(one))
      .sort(compareFound)
      .map(setOf),
  };
}
