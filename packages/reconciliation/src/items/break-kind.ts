import { isCardLine } from '@tallystick/accounts';
import { type AuthorizationStatus, match_reach_days } from '@tallystick/cards';
import { dateOf, day_ms, daysAfter, startOf } from '../calendar.ts';
import { type BreakKind, break_kinds, type Difference, type ItemContent, type ItemStatus } from '../item.ts';
import { cancelledGroupsOf, isMessageReversal } from '../pairing/cancelled-clearings.ts';
import { clustersOf, linkOf } from '../pairing/clusters.ts';
import { isDistant } from '../pairing/distant-pairs.ts';
import { pairing_days_max } from '../pairing/pair-lines.ts';
import {
  type AuthorizedPurchase,
  type CardLine,
  type ClearedAmount,
  type Coverage,
  isPairable,
  type StatementRecords,
} from '../records.ts';
import { nextBucketAt } from './age.ts';
import { differenceKeyOf, differenceOfPurchase, differenceOfSet } from './difference.ts';
import { sumOf } from './item-amounts.ts';
import type { ItemRecords } from './item-parts.ts';

/** What an assessment depends on beside the records. */
export interface Criteria {
  readonly coverage: Coverage;
  /** The differences that matches of people accept, as `differenceKeyOf` has them. */
  readonly accepted: ReadonlySet<string>;
  /** The largest difference that the rule `tolerance` accepts, in minor units; null: none. */
  readonly tolerance: number | null;
  readonly now_ms: number;
}

/** The state of an item before any decision of a person about it as a whole. */
export interface Assessment {
  readonly status: Exclude<ItemStatus, 'ignored'>;
  readonly kind: BreakKind | null;
  /** The clearings that the break is about, in the canonical order; empty when it is about none. */
  readonly concerned: readonly ClearedAmount[];
  readonly due_date: string | null;
  /** When status, kind or due date change by themselves; null: never. */
  readonly next_change_ms: number | null;
  /** When the age bucket of a break changes; null when it does not. */
  readonly next_bucket_ms: number | null;
  readonly sides: 1 | 2 | 3;
  /** The differences that the rule `tolerance` accepts. */
  readonly tolerated: readonly Difference[];
}

/** Something that is missing or differs. */
interface Finding {
  /** Null: it is awaited until `from_ms`, and not missed after it. */
  readonly kind: BreakKind | null;
  readonly due_date: string;
  /** From when on it is a break; until then it is awaited. */
  readonly from_ms: number;
  readonly clearings: readonly ClearedAmount[];
  /** Of the kind `amount`: what is left; null when it is not known, and of other kinds. */
  readonly difference: Difference | null;
}

/** How many days a clearing is awaited when its hold never ends. */
const endless_hold_days = match_reach_days;

/**
 * Decides the status of an item and the kind of its break at an instant (decision: reconciliation,
 * statuses and kinds): the worst of what is missing or differs. A difference that is accepted is no
 * break. An item of which nothing else is left is accepted, unless a match of it is a proposal:
 * what a person has to check is no match whose difference a rule accepts.
 */
export function assess(records: ItemRecords, { coverage, accepted, tolerance, now_ms }: Criteria): Assessment {
  const findings = findingsOf(records, coverage);
  const pending = findings.filter(({ from_ms }) => from_ms > now_ms);
  const present = findings.filter(({ kind, from_ms }) => kind !== null && from_ms <= now_ms);
  const is_proposed = isProposed(records);
  const left = present.filter(({ difference }) => difference === null || !accepted.has(differenceKeyOf(difference)));
  const tolerated = is_proposed || tolerance === null ? nothing_tolerated : toleratedOf(left, tolerance);
  const breaks = left.filter(({ difference }) => difference === null || !tolerated.has(differenceKeyOf(difference)));
  const awaited = pending.length > 0 ? 'awaiting' : 'matched';
  const without_break = present.length > 0 ? 'accepted' : awaited;
  const status = breaks.length > 0 ? 'break' : is_proposed ? 'proposed' : without_break;
  const kinds = status === 'break' ? breaks : status === 'accepted' ? present : [];
  const kind = break_kinds.find((one) => kinds.some((found) => found.kind === one)) ?? null;
  const shown = kind === null ? pending : kinds.filter((found) => found.kind === kind);
  const due_date = leastOf(shown.map((finding) => finding.due_date));
  return {
    status,
    kind,
    concerned:
      kind === null
        ? []
        : records.clearings.filter((clearing) => shown.some((finding) => finding.clearings.includes(clearing))),
    due_date,
    next_change_ms: leastOf(pending.map(({ from_ms }) => from_ms)),
    next_bucket_ms: status !== 'break' || due_date === null ? null : nextBucketAt(due_date, now_ms),
    sides: sidesOf(records, coverage),
    tolerated: [...tolerated.values()],
  };
}

const nothing_tolerated: ReadonlyMap<string, Difference> = new Map();

/**
 * The differences of at most the tolerance, if their sum is also at most the tolerance. Without
 * that a purchase of many parts would be accepted with many times as much.
 */
function toleratedOf(findings: readonly Finding[], tolerance: number): ReadonlyMap<string, Difference> {
  const small = findings.flatMap(({ difference }) =>
    difference !== null && Math.abs(difference.amount) <= tolerance ? [difference] : [],
  );
  const tolerated = new Map(small.map((difference) => [differenceKeyOf(difference), difference]));
  return Math.abs(sumOf([...tolerated.values()])) <= tolerance ? tolerated : nothing_tolerated;
}

/** The least of these that is not null; null when there is none. */
export function leastOf<Value extends string | number>(values: readonly (Value | null)[]): Value | null {
  return values.reduce((least, value) => (least === null || (value !== null && value < least) ? value : least), null);
}

function findingsOf(records: ItemRecords, coverage: Coverage): readonly Finding[] {
  const { purchases, clearings } = records;
  const undone = undoneBy(clearings);
  const standing = clearings.filter(({ id }) => !undone.has(id));
  const settled = undone.size === 0 ? undone : resolvedDuplicates(clearings, undone);
  return [
    ...(records.frozen_item_id !== null && !isUndoneAgain(records) ? [lateChange(records)] : []),
    ...standing.filter(({ id }) => !settled.has(id)).flatMap((clearing) => findByClass(clearing, records)),
    ...purchases.flatMap((purchase) => findAwaited(purchase, clearings)),
    ...findOnStatement(records, coverage),
  ];
}

/** A break at once, due on a settlement or booking date. */
function breakAtOnce(
  kind: BreakKind,
  due_date: string,
  clearings: readonly ClearedAmount[],
  difference: Difference | null = null,
): Finding {
  return { kind, due_date, from_ms: Number.NEGATIVE_INFINITY, clearings, difference };
}

/** What came for an item after a closing froze it. */
function lateChange({ clearings, lines }: ItemRecords): Finding {
  const settled = leastOf(clearings.map(({ settlement_date }) => settlement_date));
  const booked = leastOf(lines.map(({ booking_date }) => booking_date));
  return breakAtOnce('late_change', settled ?? booked!, clearings);
}

/**
 * Breaks that a class makes at once. Late clearings, reversals, refunds, exact, tip, partial, under
 * and fx_drift make none. A force post for which several authorizations fit is a proposal.
 */
function findByClass(clearing: ClearedAmount, { purchases, clearings }: ItemRecords): readonly Finding[] {
  const kind = kindOfClass(clearing);
  if (kind === null) return [];
  const purchase = kind === 'amount' ? purchases.find(({ id }) => id === clearing.authorization_id) : undefined;
  const difference = purchase === undefined ? null : differenceOfPurchase(purchase, clearings);
  return [breakAtOnce(kind, clearing.settlement_date, [clearing], difference)];
}

function kindOfClass({ class: its_class, is_tie }: ClearedAmount): BreakKind | null {
  if (its_class === 'suspected_duplicate') return 'suspected_duplicate';
  if (its_class === 'force_post') return is_tie ? null : 'unauthorized';
  return its_class === 'over' ? 'amount' : null;
}

/**
 * The ids of the clearings that a message reversal undid. They are no break of their class any
 * more, and no proposal.
 */
function undoneBy(clearings: readonly ClearedAmount[]): ReadonlySet<number | null> {
  if (clearings.length < 2) return nothing_undone;
  return new Set(clearings.filter(isMessageReversal).map(({ clearing_id }) => clearing_id));
}

const nothing_undone: ReadonlySet<number | null> = new Set();

/**
 * The ids of suspected duplicates that stand instead of a clearing that was undone: of equal
 * clearings a reversal undoes one, and which one depends on the order of arrival (docs/adr/0033).
 */
function resolvedDuplicates(
  clearings: readonly ClearedAmount[],
  undone: ReadonlySet<number | null>,
): ReadonlySet<number | null> {
  const equals = Map.groupBy(
    clearings.filter(({ cycle }) => cycle === 'first_presentment'),
    ({ acquirer_reference, amount }) => `${acquirer_reference} ${amount}`,
  );
  return new Set(
    [...equals.values()].flatMap((its) => {
      const isDuplicate = (one: ClearedAmount): boolean => one.class === 'suspected_duplicate';
      const replaced = its.filter((one) => undone.has(one.id) && !isDuplicate(one)).length;
      const left = its.filter((one) => !undone.has(one.id) && isDuplicate(one));
      return left.slice(0, replaced).map(({ id }) => id);
    }),
  );
}

/**
 * The clearing that an authorization awaits until its hold ends, or 35 days when it never ends. A
 * hold that was released by hand awaits nothing. A partial clearing awaits the next one, but needs
 * no more once the hold has ended.
 */
function findAwaited(
  { id, status, authorized, hold_end_ms, decided_at_ms }: AuthorizedPurchase,
  all_clearings: readonly ClearedAmount[],
): readonly Finding[] {
  if (authorized === 0 || !awaiting_statuses.includes(status)) return [];
  const from_ms = hold_end_ms ?? decided_at_ms + endless_hold_days * day_ms;
  const clearings = all_clearings.filter(({ authorization_id }) => authorization_id === id);
  const kind = status === 'partially_cleared' ? null : 'uncleared';
  return [{ kind, due_date: dateOf(from_ms), from_ms, clearings, difference: null }];
}

const awaiting_statuses: readonly AuthorizationStatus[] = ['open', 'expired', 'partially_cleared'];

/** What is missing or differs between the clearings and the lines of an item. */
function findOnStatement(records: ItemRecords, coverage: Coverage): readonly Finding[] {
  const { clearings, lines } = records;
  if (clearings.length === 0) return lines.flatMap(findAlone);
  const sides = statedSides(records);
  const stated = new Set(sides.flatMap((side) => side.clearings).map(({ id }) => id));
  const needless = cancelledWithoutLine(clearings, stated);
  const unstated = clearings.filter((one) => !stated.has(one.id) && !needless.has(one.id) && needsLine(one, coverage));
  return [
    ...sides.flatMap(findDifference),
    ...unstated.map((one) => missingAfter('unstated', one.settlement_date, [one])),
  ];
}

/**
 * A line that differs from its statement, or a card line that no clearing explains. The clearing is
 * awaited like the line of a clearing.
 */
function findAlone(line: CardLine): readonly Finding[] {
  if (line.standing === 'differs') return [breakAtOnce('bank_line_differs', line.booking_date, [])];
  return isCardLine(line) ? [missingAfter('unexplained_line', line.booking_date, [])] : [];
}

/** What should have come by the end of the third day after a date. */
function missingAfter(kind: BreakKind, date: string, clearings: readonly ClearedAmount[]): Finding {
  const due_date = daysAfter(date, pairing_days_max);
  return { kind, due_date, from_ms: startOf(due_date) + day_ms, clearings, difference: null };
}

/**
 * The earliest instant from which a break of this kind and due date can be one: what is missing is
 * awaited until then. Negative infinity for a break at once.
 */
export function openSinceMs({ kind, due_date }: Pick<ItemContent, 'kind' | 'due_date'>): number {
  if (due_date === null || kind === null) return Number.NEGATIVE_INFINITY;
  if (kind === 'uncleared') return startOf(due_date);
  return kind === 'unstated' || kind === 'unexplained_line' ? startOf(due_date) + day_ms : Number.NEGATIVE_INFINITY;
}

function findDifference({ clearings, lines }: StatementRecords): readonly Finding[] {
  const difference = differenceOfSet(clearings, lines);
  if (difference.amount === 0) return [];
  const settled = leastOf(clearings.map(({ settlement_date }) => settlement_date))!;
  return [breakAtOnce('amount', settled, clearings, difference)];
}

/** The clearings that have a line which is no fee, with their lines, each group that pairs join. */
function statedSides({ clearings, lines, pairings }: ItemRecords): readonly StatementRecords[] {
  if (pairings.length === 0) return [];
  const clusters = clustersOf(pairings.filter(({ fit }) => fit !== 'fee').map(linkOf));
  return clusters.map(({ clearing_ids, line_ids }) => ({
    clearings: clearings.filter(({ id }) => clearing_ids.has(id)),
    lines: lines.filter(({ id }) => line_ids.has(id)),
  }));
}

/**
 * The clearings that were undone, and their reversals, of which the bank booked none: they need no
 * line. When it booked one of them, the others are missing.
 */
function cancelledWithoutLine(clearings: readonly ClearedAmount[], stated: ReadonlySet<number>): ReadonlySet<number> {
  return new Set(
    cancelledGroupsOf(clearings)
      .filter((group) => !group.some((id) => stated.has(id)))
      .flat(),
  );
}

/**
 * Whether a late change moved nothing in the end: all that came for the frozen item was undone
 * again, and nothing was booked.
 */
function isUndoneAgain({ clearings, lines }: ItemRecords): boolean {
  return lines.length === 0 && cancelledGroupsOf(clearings).flat().length === clearings.length;
}

/**
 * Whether a clearing needs a statement line: it settled on or after the first date of a statement
 * in its currency. Nobody books an amount of 0.
 */
function needsLine({ currency, settlement_date, amount }: ClearedAmount, coverage: Coverage): boolean {
  const first = coverage.get(currency);
  return amount !== 0 && first !== undefined && settlement_date >= first;
}

/**
 * Whether a match needs a person: rules 5 to 7 or a match under review that nobody
 * confirmed, several records that fit equally well, a covering set, or a line that was booked far
 * from the settlement.
 */
function isProposed({ clearings, pairings }: ItemRecords): boolean {
  const undone = undoneBy(clearings);
  return (
    pairings.some((pairing) => pairing.rule === 'covering_set' || isDistant(pairing)) ||
    clearings.some((clearing) => !undone.has(clearing.id) && isProposal(clearing))
  );
}

/** Whether the match of a clearing is a proposal. */
export function isProposal(clearing: ClearedAmount): boolean {
  const { is_chosen, is_tie, review, match_rule, authorization_id, clearing_id } = clearing;
  if (is_chosen) return false;
  return is_tie || review || (match_rule >= 5 && match_rule <= 7 && (authorization_id ?? clearing_id) !== null);
}

/** How many of authorization, clearing and statement the item has or needs. */
function sidesOf({ purchases, clearings, lines }: ItemRecords, coverage: Coverage): 1 | 2 | 3 {
  const awaits_clearing = purchases.some((purchase) => findAwaited(purchase, []).length > 0);
  const has_line = lines.some(isPairable);
  const clearing = clearings.length > 0 || has_line || awaits_clearing;
  // Only for clearings: when statements begin to cover a currency, items without one stay as they
  // are.
  const needless = new Set(cancelledGroupsOf(clearings).flat());
  const statement = has_line || clearings.some((one) => !needless.has(one.id) && needsLine(one, coverage));
  // A line that cannot be paired is a side by itself.
  return Math.max(1, Number(purchases.length > 0) + Number(clearing) + Number(statement)) as 1 | 2 | 3;
}
