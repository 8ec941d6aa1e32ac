import type { ItemContent, ItemMatch, MatchedBy } from './item.ts';

/** What the matches of a cell have in common. */
export interface MatchCellKey {
  /** Of the newest clearing of their items, YYYY-MM-DD; null without one. */
  readonly settlement_date: string | null;
  readonly rule: MatchedBy;
  readonly side: ItemMatch['side'];
}

/** How many matches of the items of a company have the same key. */
export interface MatchCell extends MatchCellKey {
  readonly count: number;
}

/** How many matches an item has, one cell for each rule and side. */
export function matchCellsOf({ settlement_date, matches }: ItemContent): readonly MatchCell[] {
  return matches.filter(isMade).map(({ rule, side }) => ({ settlement_date, rule, side, count: 1 }));
}

/** A clearing that belongs to no other record is in a match of its own, which matches nothing. */
function isMade({ side, authorization_id, values }: ItemMatch): boolean {
  return side === 'statement' || authorization_id !== null || (values.earlier_clearing_id ?? null) !== null;
}

/** How the cells change when items change. Cells that do not change are left out. */
export function matchCellChanges(
  changes: Iterable<{ readonly before: ItemContent | null; readonly after: ItemContent | null }>,
): readonly MatchCell[] {
  const cells = new Map<string, MatchCell>();
  for (const { before, after } of changes) {
    if (before !== null) for (const cell of matchCellsOf(before)) addMatchCell(cells, cell, -1);
    if (after !== null) for (const cell of matchCellsOf(after)) addMatchCell(cells, cell, 1);
  }
  return [...cells.values()].filter(({ count }) => count !== 0);
}

/** Adds a cell to others by their keys, or takes it away. */
export function addMatchCell(cells: Map<string, MatchCell>, cell: MatchCell, sign: 1 | -1): void {
  const key = matchCellKeyOf(cell);
  cells.set(key, { ...cell, count: (cells.get(key)?.count ?? 0) + sign * cell.count });
}

/** The key of a cell as a key of maps. */
export function matchCellKeyOf({ settlement_date, rule, side }: MatchCellKey): string {
  return `${settlement_date ?? ''} ${rule} ${side}`;
}
