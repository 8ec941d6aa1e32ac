import type { Item } from '../item.ts';

/**
 * What is looked for: a clearing that has no line, a line that has no clearing, and of one card a
 * purchase that has no clearing, and a clearing that has no authorization.
 */
export const near_sides = ['unstated_clearing', 'lone_line', 'uncleared_purchase', 'unauthorized_clearing'] as const;

export type NearSide = (typeof near_sides)[number];

/** A question for open items near an amount and a date. */
export interface NearQuestion {
  readonly side: NearSide;
  readonly currency: string;
  /** Of the last two sides only this card; null for the others. */
  readonly vcn_id: number | null;
  /** Minor units, purchases positive; not 0. What is found has the same sign. */
  readonly amount: number;
  /** YYYY-MM-DD. */
  readonly date: string;
  /** `entryKeyOfLine` or `entryKeyOfClearing` of a reference; null without one. */
  readonly key: string | null;
}

/** The most days between a break and what is suggested for it. */
export const near_days_max = 35;

/** How many items of the same amount, greater ones, smaller ones, and with the key are found. */
export const near_items_max = 6;

/** How many items of other amounts are looked at in each direction. */
export const near_items_examined_max = 200;

/** Whether the item is open: a person may match it. Frozen items are none of these. */
export function isOpen({ status }: Item): boolean {
  return status !== 'ignored' && status !== 'accepted' && status !== 'matched';
}

/** What an item has of each side, in the words of the columns that adapters search. */
export const near_columns = {
  unstated_clearing: { has: 'cleared', lacks: 'stated', date: 'settlement_date', record: 'clearing' },
  lone_line: { has: 'stated', lacks: 'cleared', date: 'period_date', record: 'line' },
  uncleared_purchase: { has: 'authorized', lacks: 'cleared', date: 'opened_at_ms', record: 'authorization' },
  unauthorized_clearing: { has: 'cleared', lacks: 'authorized', date: 'settlement_date', record: 'clearing' },
} as const satisfies Readonly<Record<NearSide, object>>;

/** Whether an item may be found for this side. */
export function isNearSide(item: Item, side: NearSide): boolean {
  const { has, lacks } = near_columns[side];
  return isOpen(item) && item[has] !== null && item[lacks] === null;
}
