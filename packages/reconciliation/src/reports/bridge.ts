import { type ClearingClass, clearing_classes } from '@tallystick/cards';
import { type Money, money } from '@tallystick/kernel';
import { compareTexts } from '../calendar.ts';
import { break_kinds, type Item } from '../item.ts';
import { sideOf } from '../items/difference.ts';
import { sumOf } from '../items/item-amounts.ts';

/** The part of an account's book that a bridge leads over: booking dates, both ends included. */
export interface BridgeRange {
  readonly account_id: number;
  /** YYYY-MM-DD; null: from the first line of the account. */
  readonly from: string | null;
  /** YYYY-MM-DD; null: to the last line of the account. */
  readonly to: string | null;
}

/** A card line as a bridge sees it. */
export interface BridgeLine {
  readonly id: number;
  readonly account_id: number;
  /** YYYY-MM-DD. */
  readonly booking_date: string;
  /** In the account's currency: credits positive, debits negative. */
  readonly amount: number;
  readonly is_fee: boolean;
}

/**
 * What a difference comes from: the kind of a break or the class of a clearing, a line of the same
 * item that was booked on other dates (`timing`) or on another account, what the rule `tolerance`
 * accepted, or what has become of lines without a clearing. `pending`: the line is in no item yet.
 */
export const difference_kinds = [
  ...break_kinds,
  ...clearing_classes.filter((name) => name !== 'suspected_duplicate'),
  'tolerance',
  'timing',
  'other_account',
  'awaiting',
  'proposed',
  'accepted',
  'ignored',
  'pending',
] as const;

export type DifferenceKind = (typeof difference_kinds)[number];

/** An amount by which two steps of the bridge differ, in the account's sign. */
export interface BridgeDifference {
  /** Null for lines that are in no item yet. */
  readonly item_id: number | null;
  /**
   * `statement`: between card lines and clearings. `authorization`: between these and authorized.
   */
  readonly step: 'statement' | 'authorization';
  readonly kind: DifferenceKind;
  /** Minor units. */
  readonly amount: number;
}

/** A card line that is a break and has no clearing. */
export interface UnexplainedLine {
  readonly line_id: number;
  /** Minor units. */
  readonly amount: number;
}

export interface DifferenceSum extends Pick<BridgeDifference, 'step' | 'kind'> {
  readonly count: number;
  /** Minor units. */
  readonly sum: number;
}

/** How many differences, and how many unexplained lines, a bridge lists by default. */
export const bridge_listed_max = 100_000;

/**
 * The way from the opening to the closing balance of an account, in its sign (decision:
 * reconciliation, bridge):
 *
 * - `opening_balance + card_lines + other_lines = closing_balance`
 * - `card_lines = clearings + fees + differences of the statement step + unexplained_sum`
 * - `clearings = authorized + differences of the authorization step`
 *
 * Sums and counts are of all differences and lines, also of those that are not listed.
 */
export interface Bridge {
  readonly opening_balance: Money;
  readonly card_lines: Money;
  readonly other_lines: Money;
  readonly closing_balance: Money;
  readonly clearings: Money;
  readonly fees: Money;
  readonly authorized: Money;
  /** The first ones, in the order of their lines. */
  readonly differences: readonly BridgeDifference[];
  readonly differences_count: number;
  /** Of each step and kind that has differences, in their order. */
  readonly difference_sums: readonly DifferenceSum[];
  /** The first ones, in the order of the book. */
  readonly unexplained: readonly UnexplainedLine[];
  readonly unexplained_count: number;
  readonly unexplained_sum: Money;
}

export interface BridgeOptions {
  /** How many differences, and how many unexplained lines, are listed. */
  readonly listed_max?: number;
  /** Called with every difference, listed or not. */
  readonly onDifference?: (difference: BridgeDifference) => void;
  /** Called with every unexplained line, listed or not. */
  readonly onUnexplained?: (line: UnexplainedLine) => void;
}

/** Adds up a bridge while lines and items are read. */
export interface BridgeBuilder {
  /** Adds a line of the range that is no card line. */
  addOther(amount: number): void;
  /** Adds a card line of the range that is in no item yet. */
  addPending(line: BridgeLine): void;
  /**
   * Adds an item with a card line of the range, once. `lines` are all its lines, also those of
   * other dates and accounts.
   */
  addItem(item: Item, lines: readonly BridgeLine[]): void;
  /** The bridge of what was added. */
  end(): Bridge;
}

export function buildBridge(
  range: BridgeRange,
  opening_balance: number,
  { listed_max = bridge_listed_max, onDifference, onUnexplained }: BridgeOptions = {},
): BridgeBuilder {
  const sums = { card_lines: 0, other_lines: 0, clearings: 0, fees: 0, authorized: 0, unexplained_sum: 0 };
  const differences: BridgeDifference[] = [];
  const totals = new Map<string, { readonly count: number; readonly sum: number }>();
  const unexplained: UnexplainedLine[] = [];
  let unexplained_count = 0;

  function differ(difference: Omit<BridgeDifference, 'amount'>, amount: number): void {
    if (amount === 0) return;
    const key = `${difference.step} ${difference.kind}`;
    const { count, sum } = totals.get(key) ?? { count: 0, sum: 0 };
    totals.set(key, { count: count + 1, sum: sum + amount });
    const found = { ...difference, amount: money(amount) };
    if (differences.length < listed_max) differences.push(found);
    onDifference?.(found);
  }

  function sumsOfDifferences(): readonly DifferenceSum[] {
    return steps.flatMap((step) =>
      difference_kinds.flatMap((kind) => {
        const total = totals.get(`${step} ${kind}`);
        return total === undefined ? [] : { step, kind, count: total.count, sum: money(total.sum) };
      }),
    );
  }

  /** Lines without a clearing: what is no break by now is a difference with a name. */
  function addLone({ id: item_id, status }: Item, lines: readonly BridgeLine[]): void {
    for (const { id, amount } of lines) {
      if (status !== 'break') {
        differ({ item_id, step: 'statement', kind: status === 'matched' ? 'accepted' : status }, amount);
        continue;
      }
      const line = { line_id: id, amount: money(amount) };
      if (unexplained.length < listed_max) unexplained.push(line);
      unexplained_count += 1;
      sums.unexplained_sum += amount;
      onUnexplained?.(line);
    }
  }

  /** An item counts where its first line is. Its other lines are differences by their dates. */
  function addCleared(item: Item, cleared: number, lines: readonly BridgeLine[]): void {
    const { id: item_id, authorized } = item;
    const is_home = isIn(range, firstOf(lines));
    const paid = lines.filter(({ is_fee }) => !is_fee);
    if (is_home) {
      const booked = sumOf(paid);
      const tolerated = toleratedOf(item);
      sums.clearings -= cleared;
      sums.authorized -= authorized ?? 0;
      differ({ item_id, step: 'statement', kind: 'tolerance' }, tolerated.statement);
      const stated = booked + cleared - tolerated.statement;
      differ({ item_id, step: 'statement', kind: item.kind ?? awaitedOr(item, 'amount') }, stated);
      differ({ item_id, step: 'authorization', kind: 'tolerance' }, tolerated.authorization);
      let rest = (authorized ?? 0) - cleared - tolerated.authorization;
      for (const [kind, credited] of creditsOf(item)) {
        differ({ item_id, step: 'authorization', kind }, credited);
        rest -= credited;
      }
      differ({ item_id, step: 'authorization', kind: item.class ?? 'amount' }, rest);
    }
    for (const line of paid) {
      if (isIn(range, line) === is_home) continue;
      const kind = isOn(range, line) && isOn(range, firstOf(lines)) ? 'timing' : 'other_account';
      differ({ item_id, step: 'statement', kind }, is_home ? -line.amount : line.amount);
    }
  }

  return {
    addOther(amount) {
      sums.other_lines += amount;
    },
    addPending({ amount }) {
      sums.card_lines += amount;
      differ({ item_id: null, step: 'statement', kind: 'pending' }, amount);
    },
    addItem(item, lines) {
      const in_range = lines.filter((line) => isIn(range, line));
      sums.card_lines += sumOf(in_range);
      if (item.status === 'ignored') {
        differ({ item_id: item.id, step: 'statement', kind: 'ignored' }, sumOf(in_range));
      } else if (item.cleared === null) {
        addLone(item, in_range);
      } else {
        sums.fees += sumOf(in_range.filter(({ is_fee }) => is_fee));
        addCleared(item, item.cleared, lines);
      }
    },
    end: () => ({
      opening_balance: money(opening_balance),
      card_lines: money(sums.card_lines),
      other_lines: money(sums.other_lines),
      closing_balance: money(opening_balance + sums.card_lines + sums.other_lines),
      clearings: money(sums.clearings),
      fees: money(sums.fees),
      authorized: money(sums.authorized),
      differences,
      differences_count: totals.values().reduce((all, { count }) => all + count, 0),
      difference_sums: sumsOfDifferences(),
      unexplained,
      unexplained_count,
      unexplained_sum: money(sums.unexplained_sum),
    }),
  };
}

const steps = ['statement', 'authorization'] as const satisfies readonly BridgeDifference['step'][];

/** Classes that correct what was cleared. They are no difference of the purchase itself. */
const correction_classes: ReadonlySet<string> = new Set<ClearingClass>([
  'reversal',
  'refund_linked',
  'refund_unlinked',
  'dispute',
]);

/** What the corrections of an item gave back, by class, in the account's sign. */
function creditsOf({ matches }: Item): ReadonlyMap<ClearingClass, number> {
  const credits = new Map<ClearingClass, number>();
  for (const { side, class: its_class, values } of matches) {
    if (side !== 'authorization' || its_class === null || !correction_classes.has(its_class)) continue;
    credits.set(its_class, (credits.get(its_class) ?? 0) - Number(values.amount));
  }
  return credits;
}

/** What the rule `tolerance` accepts of each step, in the account's sign. */
function toleratedOf({ tolerated }: Item): Readonly<Record<BridgeDifference['step'], number>> {
  const sums = { statement: 0, authorization: 0 };
  for (const difference of tolerated) sums[sideOf(difference)] -= difference.amount;
  return sums;
}

/** What a difference without a break comes from. */
function awaitedOr({ status }: Item, otherwise: DifferenceKind): DifferenceKind {
  return status === 'awaiting' || status === 'proposed' ? status : otherwise;
}

/**
 * The line at which an item counts: the first by booking date, then by account and by id, that is no
 * fee; of an item with nothing but fees the first of these.
 */
export function firstOf(lines: readonly BridgeLine[]): BridgeLine {
  const [first] = lines.toSorted(
    (a, b) =>
      Number(a.is_fee) - Number(b.is_fee) ||
      compareTexts(a.booking_date, b.booking_date) ||
      a.account_id - b.account_id ||
      a.id - b.id,
  );
  return first!;
}

/** Whether a line is of the account and dates of a bridge. */
export function isIn(range: BridgeRange, line: BridgeLine): boolean {
  const { from, to } = range;
  return (
    line.account_id === range.account_id &&
    (from === null || line.booking_date >= from) &&
    (to === null || line.booking_date <= to)
  );
}

function isOn({ account_id }: BridgeRange, line: BridgeLine): boolean {
  return line.account_id === account_id;
}
