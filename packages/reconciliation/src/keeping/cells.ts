import type { ClearingClass } from '@tallystick/cards';
import {
  amountOf,
  type BreakKind,
  type ItemContent,
  type ItemMatch,
  type ItemStatus,
  type MatchedBy,
} from '../item.ts';
import { sideOf } from '../items/difference.ts';

/** What the items of a cell of the summary have in common. */
export interface CellKey {
  readonly currency: string;
  readonly status: ItemStatus;
  readonly kind: BreakKind | null;
  readonly class: ClearingClass | null;
  /** Of breaks, YYYY-MM-DD; null otherwise: only breaks have an age. */
  readonly due_date: string | null;
}

/** How many items of a company have the same key, and the sum of their amounts. */
export interface SummaryCell extends CellKey {
  readonly count: number;
  /** Of `amountOf`, in minor units of `currency`. */
  readonly sum: number;
}

export interface MatchCellKey {
  /** Of the newest clearing of their items, YYYY-MM-DD; null without one. */
  readonly settlement_date: string | null;
  /**
   * What made the matches. Of `item`: `person` when an act concerns the items, null when none does.
   */
  readonly rule: MatchedBy | null;
  /** `item`: the cell counts items, not matches. */
  readonly side: ItemMatch['side'] | 'item';
}

/**
 * How many matches of the items of a company, or how many items, have the same key; of the rule
 * `tolerance`, how many differences it accepts.
 */
export interface MatchCell extends MatchCellKey {
  readonly count: number;
}

export function cellOf(item: ItemContent): SummaryCell {
  const { currency, status, kind, due_date } = item;
  const age_from = status === 'break' ? due_date : null;
  return { currency, status, kind, class: item.class, due_date: age_from, count: 1, sum: amountOf(item) };
}

/**
 * How many matches an item has, and how many differences the rule `tolerance` accepts, one cell for
 * each, and one for the item.
 */
export function matchCellsOf({ settlement_date, matches, tolerated, is_touched }: ItemContent): readonly MatchCell[] {
  return [
    { settlement_date, rule: is_touched ? 'person' : null, side: 'item', count: 1 },
    ...matches.filter(isMade).map(({ rule, side }) => ({ settlement_date, rule, side, count: 1 })),
    ...tolerated.map((one) => ({ settlement_date, rule: 'tolerance' as const, side: sideOf(one), count: 1 })),
  ];
}

/** A clearing that belongs to no other record is in a match of its own, which matches nothing. */
function isMade({ side, authorization_id, values }: ItemMatch): boolean {
  return side === 'statement' || authorization_id !== null || (values.earlier_clearing_id ?? null) !== null;
}

export function cellKeyOf({ currency, status, kind, class: its_class, due_date }: CellKey): string {
  return [currency, status, kind ?? '', its_class ?? '', due_date ?? ''].join(' ');
}

export function matchCellKeyOf({ settlement_date, rule, side }: MatchCellKey): string {
  return `${settlement_date ?? ''} ${rule ?? ''} ${side}`;
}

/** Adds up cells by their keys. */
export class CellSums<Cell extends { readonly count: number; readonly sum?: number }> {
  readonly #keyOf: (cell: Cell) => string;
  readonly #cells = new Map<string, Cell>();

  constructor(keyOf: (cell: Cell) => string) {
    this.#keyOf = keyOf;
  }

  /** Adds a cell, or takes it away with the sign -1. */
  add(cell: Cell, sign: 1 | -1): void {
    const key = this.#keyOf(cell);
    const before = this.#cells.get(key);
    const count = (before?.count ?? 0) + sign * cell.count;
    const sum = cell.sum === undefined ? {} : { sum: (before?.sum ?? 0) + sign * cell.sum };
    this.#cells.set(key, { ...cell, count, ...sum });
  }

  /** The cells whose count or sum is not 0. */
  different(): readonly Cell[] {
    return [...this.#cells.values()].filter(({ count, sum = 0 }) => count !== 0 || sum !== 0);
  }
}

type ContentChanges = Iterable<{ readonly before: ItemContent | null; readonly after: ItemContent | null }>;

/** How the cells of the summary change when items change, as differences of counts and sums. */
export function cellChanges(changes: ContentChanges): readonly SummaryCell[] {
  return changesOf(changes, new CellSums<SummaryCell>(cellKeyOf), (item) => [cellOf(item)]);
}

/** How the cells of matches change when items change, as differences of counts. */
export function matchCellChanges(changes: ContentChanges): readonly MatchCell[] {
  return changesOf(changes, new CellSums<MatchCell>(matchCellKeyOf), matchCellsOf);
}

function changesOf<Cell extends { readonly count: number }>(
  changes: ContentChanges,
  sums: CellSums<Cell>,
  cellsOf: (item: ItemContent) => readonly Cell[],
): readonly Cell[] {
  for (const { before, after } of changes) {
    if (before !== null) for (const cell of cellsOf(before)) sums.add(cell, -1);
    if (after !== null) for (const cell of cellsOf(after)) sums.add(cell, 1);
  }
  return sums.different();
}
