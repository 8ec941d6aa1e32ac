import { isCardLine } from '@tallystick/accounts';
import { type AuthorizationStatus, match_reach_days } from '@tallystick/cards';
import { dateOf, day_ms, daysAfter, startOf } from '../calendar.ts';
import type { BreakKind, Difference, ItemContent } from '../item.ts';
import { cancelledGroupsOf, isMessageReversal } from '../pairing/cancelled-clearings.ts';
import { clustersOf, linkOf } from '../pairing/clusters.ts';
import { pairing_days_max } from '../pairing/pair-lines.ts';
import type { AuthorizedPurchase, CardLine, ClearedAmount, Coverage, StatementRecords } from '../records.ts';
import { differenceOfPurchase, differenceOfSet } from './difference.ts';
import type { ItemRecords } from './item-parts.ts';

/** Something that is missing or differs. */
export interface Finding {
  /** Null: it is awaited until `from_ms`, and not missed after it. */
  readonly kind: BreakKind | null;
  readonly due_date: string;
  /** From when on it is a break; until then it is awaited. */
  readonly from_ms: number;
  readonly clearings: readonly ClearedAmount[];
  /** Of the kind `amount`: what is left; null when it is not known, and of other kinds. */
  readonly difference: Difference | null;
}

/** All that is missing of an item or differs in it, also what is missed only later. */
export function findingsOf(records: ItemRecords, coverage: Coverage): readonly Finding[] {
  const { purchases, clearings } = records;
  const undone = undoneBy(clearings);
  const standing = clearings.filter(({ id }) => !undone.has(id));
  const settled = undone.size === 0 ? undone : resolvedDuplicates(clearings, undone);
  return [
    ...(records.frozen_item_id !== null && !isUndoneAgain(records) ? [lateChange(records)] : []),
    ...standing.filter(({ id }) => !settled.has(id)).flatMap((clearing) => findByClass(clearing, records)),
    ...purchases.flatMap(findAwaited),
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
export function undoneBy(clearings: readonly ClearedAmount[]): ReadonlySet<number | null> {
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

/** How many days a clearing is awaited when its hold never ends. */
const endless_hold_days = match_reach_days;

/**
 * The clearing that an authorization awaits until its hold ends, or 35 days when it never ends. A
 * hold that was released by hand awaits nothing. A partial clearing awaits the next one, but needs
 * no more once the hold has ended.
 */
export function findAwaited({
  status,
  authorized,
  hold_end_ms,
  decided_at_ms,
}: AuthorizedPurchase): readonly Finding[] {
  if (authorized === 0 || !awaiting_statuses.includes(status)) return [];
  const from_ms = hold_end_ms ?? decided_at_ms + endless_hold_days * day_ms;
  const kind = status === 'partially_cleared' ? null : 'uncleared';
  return [{ kind, due_date: dateOf(from_ms), from_ms, clearings: [], difference: null }];
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
export function needsLine({ currency, settlement_date, amount }: ClearedAmount, coverage: Coverage): boolean {
  const first = coverage.get(currency);
  return amount !== 0 && first !== undefined && settlement_date >= first;
}

/** The least of these that is not null; null when there is none. */
export function leastOf<Value extends string | number>(values: readonly (Value | null)[]): Value | null {
  return values.reduce((least, value) => (least === null || (value !== null && value < least) ? value : least), null);
}
