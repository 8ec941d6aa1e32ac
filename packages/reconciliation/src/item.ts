import type { ClearingClass } from '@tallystick/cards';
import type { Money } from '@tallystick/kernel';
import type { MatchedIds } from './item-id.ts';

/** The statuses, the one with the highest precedence first (decision: reconciliation). */
export const item_statuses = ['ignored', 'accepted', 'break', 'proposed', 'awaiting', 'matched'] as const;

export type ItemStatus = (typeof item_statuses)[number];

/** The kinds of breaks, the one with the highest precedence first. */
export const break_kinds = [
  'late_change',
  'bank_line_differs',
  'suspected_duplicate',
  'unauthorized',
  'amount',
  'uncleared',
  'unstated',
  'unexplained_line',
] as const;

export type BreakKind = (typeof break_kinds)[number];

/**
 * What made a match: a rule of matching, `ard` for the acquirer reference of a statement line,
 * `covering_set`, or `person`. `tolerance` makes no match: it accepts small differences.
 */
export const matched_by = [
  '1',
  '2',
  '3',
  '4',
  '5',
  '6',
  '7',
  '8',
  'ard',
  'covering_set',
  'person',
  'tolerance',
] as const;

export type MatchedBy = (typeof matched_by)[number];

/** Why two sides belong together. */
export interface ItemMatch extends MatchedIds {
  readonly side: 'authorization' | 'statement';
  readonly rule: MatchedBy;
  readonly class: ClearingClass | null;
  /**
   * The values that made it: of the statement side `{ acquirer_reference, amount, days }`, with an
   * authorization those of `MatchEvidence`.
   */
  readonly values: Readonly<Record<string, string | number | null>>;
}

/** Another way to match a record of the item, best first. */
export interface Alternative extends MatchedIds {
  readonly rule: MatchedBy;
  /** One sentence. */
  readonly reason: string;
}

/** Ways to match a record that were not taken, best first, by `itemIdOf` the record. */
export type Offers = ReadonlyMap<number, readonly Alternative[]>;

/**
 * What does not agree between two sides of an item, and the records that it is between: an
 * authorization from whose amount its clearings differ, or clearings and lines without fees.
 */
export interface Difference extends MatchedIds {
  /** What was stated less cleared, or cleared less authorized; minor units. */
  readonly amount: number;
}

/** What is known of one purchase, lone clearing or lone card line (decision: reconciliation). */
export interface ItemContent {
  /** Derived from its first record: see `item-id.ts`. */
  readonly id: number;
  readonly company_id: number;
  readonly status: ItemStatus;
  /** Of the break, also when it is accepted or ignored; null when there is none. */
  readonly kind: BreakKind | null;
  /** The class that describes the item; null without a clearing. */
  readonly class: ClearingClass | null;
  /**
   * `tolerance` when that rule accepts it, else the weakest of its matches; null when it has none.
   */
  readonly rule: MatchedBy | null;
  readonly vcn_id: number | null;
  readonly merchant_name: string | null;
  /** More than one when a line is matched to clearings of several purchases. Ids ascend. */
  readonly authorization_ids: readonly number[];
  readonly clearing_ids: readonly number[];
  readonly line_ids: readonly number[];
  /**
   * Of a line that differs from the statement of its date: the line there with its reference
   * (`CardLine.statement_line_id`), which has an item of its own. Null: there is none.
   */
  readonly statement_line_id: number | null;
  readonly matches: readonly ItemMatch[];
  readonly alternatives: readonly Alternative[];
  /** The differences that the rule `tolerance` accepts. */
  readonly tolerated: readonly Difference[];
  /** Minor units of `currency`, purchases positive; null when the item does not have that side. */
  readonly authorized: Money | null;
  readonly cleared: Money | null;
  readonly stated: Money | null;
  readonly fees: Money;
  readonly difference: Money;
  readonly currency: string;
  /** How many sides it needs and has: 2 when no statement covers its clearings. */
  readonly sides: 1 | 2 | 3;
  /** Of its newest clearing, YYYY-MM-DD; null without one. */
  readonly settlement_date: string | null;
  /** The newest clearing's settlement date, else the line's booking date; null with neither. */
  readonly period_date: string | null;
  /** The account of the line at which it counts in the bridge; null without a line. */
  readonly account_id: number | null;
  /** When that line was booked, YYYY-MM-DD; null without a line. */
  readonly booking_date: string | null;
  /** When what is missing is due, or since when it is a break, YYYY-MM-DD; null when neither. */
  readonly due_date: string | null;
  /** The next time at which its status or age bucket changes by itself; null: never. */
  readonly next_change_ms: number | null;
  /** When its first record arrived. */
  readonly opened_at_ms: number;
  /** Of a late change, the item of a closed period for which it came; null otherwise. */
  readonly frozen_item_id: number | null;
  /** Whether an act of a person concerns it, also one that was undone: its history is not empty. */
  readonly is_touched: boolean;
}

/** What a filter calls items that nobody is assigned to. */
export const no_assignee = 'none';

/** An item as stored. */
export interface Item extends ItemContent {
  /** Rises when the content changes, but not when a break only becomes older. */
  readonly version: number;
  /** The closed period that froze it; null while it is open. */
  readonly period_id: number | null;
  /** Who takes care of it, by any name that callers use; null: nobody. */
  readonly assignee: string | null;
}

/**
 * The amount of an item in sums: stated less fees, else cleared, else authorized; of a lone line
 * what it states, even a fee.
 */
export function amountOf({ stated, fees, cleared, authorized }: ItemContent): number {
  if (cleared === null && authorized === null) return stated ?? 0;
  return stated !== null ? stated - fees : (cleared ?? authorized ?? 0);
}

/**
 * The members and amounts of an item, in short. A decision of a person holds while the item has the
 * fingerprint that the person saw (decision: reconciliation). It contains ids and amounts, and
 * whether its line differs from a statement: when it does not any more, it is another item.
 */
export function fingerprintOf(
  item: Pick<
    ItemContent,
    'authorization_ids' | 'clearing_ids' | 'line_ids' | 'authorized' | 'cleared' | 'stated' | 'fees' | 'kind'
  >,
): string {
  const members = [item.authorization_ids, item.clearing_ids, item.line_ids].map((ids) => ids.join(','));
  const amounts = [item.authorized, item.cleared, item.stated, item.fees].map((amount) => amount ?? '');
  const differs = item.kind === 'bank_line_differs' ? ['differs'] : [];
  return [...members, ...amounts, ...differs].join('|');
}
