import { dateOf, daysAfter } from '../calendar.ts';
import type { Item } from '../item.ts';
import { itemIdOf, recordsOf } from '../item-id.ts';
import { openSinceMs } from '../items/findings.ts';
import { CellSums } from './cells.ts';
import type { ItemChange } from './item-change.ts';

/**
 * How many more breaks of a currency and due date were open at the end of a day than at the end of
 * the day before; below 0: fewer. With the cells of today they tell how many were open at the end of
 * each day.
 */
export interface BreakDay {
  /** YYYY-MM-DD, in UTC. */
  readonly day: string;
  readonly currency: string;
  /** YYYY-MM-DD. */
  readonly due_date: string;
  readonly count: number;
}

export function breakDayKeyOf({ day, currency, due_date }: BreakDay): string {
  return `${day} ${currency} ${due_date}`;
}

/** Changes of the numbers of open breaks by day. */
export interface BreakDayChanges {
  readonly added: readonly BreakDay[];
  /** Days before this one are removed. */
  readonly kept_from: string;
}

/** For how many days before today the numbers of open breaks are kept. */
export const break_days_kept = 30;

/**
 * The days on which breaks opened, changed their due date or were resolved; null when none did. A
 * break that opened by the clock counts on the day on which it did, and one that a record opened or
 * resolved on the day on which that arrived, whenever items are brought up to date. `arrivedAt`: when
 * the newest record of an item arrived that no stored item has yet; null when there is none.
 */
export function breakDayChanges(
  changes: readonly ItemChange[],
  arrivedAt: (item: Item) => number | null,
  now_ms: number,
): BreakDayChanges | null {
  const sums = new CellSums<BreakDay>(breakDayKeyOf);
  const kept_from = daysAfter(dateOf(now_ms), -break_days_kept);
  const add = (item: Item | null, at_ms: number, sign: 1 | -1): void => {
    const day = dateOf(Math.min(at_ms, now_ms));
    if (item === null || item.due_date === null || day < kept_from) return;
    sums.add({ day, currency: item.currency, due_date: item.due_date, count: 1 }, sign);
  };
  const counted = changes.filter((change) => isCounted(change) || isMissed(change, now_ms));
  if (counted.length === 0) return null;
  const successors = successorsOf(changes, counted);
  for (const { before, after } of counted) {
    const next = after ?? successors.get(before!.id) ?? null;
    const arrived_ms = next === null ? null : arrivedAt(next);
    const at_ms = changedAt({ before, after: next }, arrived_ms, now_ms);
    if (isBreak(before)) add(before, at_ms, -1);
    if (isBreak(after)) add(after, at_ms, 1);
    if (isBreak(before) || isBreak(after) || before!.next_change_ms! > at_ms) continue;
    add(before, before!.next_change_ms!, 1);
    add(before, at_ms, -1);
  }
  return { added: sums.different(), kept_from };
}

function isBreak(item: Item | null): boolean {
  return item?.status === 'break' && item.due_date !== null;
}

/** Whether a change moves the number of breaks of a due date. */
function isCounted({ before, after }: ItemChange): boolean {
  const placeOf = (item: Item | null) => (item !== null && isBreak(item) ? `${item.currency} ${item.due_date}` : null);
  return placeOf(before) !== placeOf(after);
}

/**
 * Whether an item fell due and was resolved before it was brought up to date: it was a break in
 * between. A purchase that was cleared in part awaits more, and is no break without it.
 */
function isMissed({ before, after }: ItemChange, now_ms: number): boolean {
  if (before?.status !== 'awaiting' || before.class === 'partial' || isBreak(after)) return false;
  return before.due_date !== null && before.next_change_ms !== null && before.next_change_ms <= now_ms;
}

/** The items that have the first records of items that are no more, by the ids of these. */
function successorsOf(changes: readonly ItemChange[], counted: readonly ItemChange[]): ReadonlyMap<number, Item> {
  const gone = new Set(counted.flatMap(({ before, after }) => (after === null ? before!.id : [])));
  if (gone.size === 0) return new Map();
  return new Map(
    changes.flatMap(({ after }) =>
      after === null
        ? []
        : recordsOf(after)
            .map(itemIdOf)
            .filter((id) => gone.has(id))
            .map((id): [number, Item] => [id, after]),
    ),
  );
}

function changedAt({ before, after }: ItemChange, arrived_ms: number | null, now_ms: number): number {
  if (after === null || !isBreak(after) || isBreak(before)) return arrived_ms ?? now_ms;
  // A break of the clock opened when the item said that it would change.
  const clock_ms = before?.next_change_ms ?? Number.POSITIVE_INFINITY;
  if (arrived_ms !== null) return Math.min(clock_ms, Math.max(arrived_ms, openSinceMs(after)));
  return Math.min(clock_ms, now_ms);
}
