import type { Item } from '../item.ts';
import type { ItemPlace, ReconciliationPorts, ReconciliationTx } from '../ports.ts';
import {
  CellSums,
  cellKeyOf,
  cellOf,
  type MatchCell,
  matchCellKeyOf,
  matchCellsOf,
  type SummaryCell,
} from './cells.ts';
import { noItemChanges } from './recompute.ts';

/** How many items there are, and how many cells differed. */
interface MendedCells {
  readonly items: number;
  readonly different: number;
}

/**
 * Counts the items of a company and reads the cells in one state of the database, while others write.
 * What differs is added to the cells afterwards: each change in between has added to both alike. Two
 * rebuilds at once may add it twice, which the next one corrects.
 */
export async function mendCells(
  { unitOfWork }: ReconciliationPorts,
  company_id: number,
  check_only: boolean,
): Promise<MendedCells> {
  const { items, cells, match_cells } = await unitOfWork.read((tx) => countCells(tx, company_id));
  const different = cells.length + match_cells.length;
  if (different > 0 && !check_only) {
    await unitOfWork.run(async ({ reconciliation }) => {
      await reconciliation.lockCompany(company_id);
      await reconciliation.write({ ...noItemChanges(company_id), cells, match_cells });
    });
  }
  return { items, different };
}

/** How many items there are, and what the cells lack. */
async function countCells({ reconciliation }: ReconciliationTx, company_id: number) {
  const counted = new CellSums<SummaryCell>(cellKeyOf);
  const matches = new CellSums<MatchCell>(matchCellKeyOf);
  let items = 0;
  for (let after: ItemPlace | null = null; ; ) {
    const found: readonly Item[] = await reconciliation.itemsAfter(company_id, after, 5_000);
    for (const item of found) {
      counted.add(cellOf(item), 1);
      for (const cell of matchCellsOf(item)) matches.add(cell, 1);
    }
    const last = found.at(-1);
    if (last === undefined) break;
    items += found.length;
    after = last;
  }
  for (const cell of await reconciliation.cells(company_id)) counted.add(cell, -1);
  for (const cell of await reconciliation.matchCells(company_id)) matches.add(cell, -1);
  return { items, cells: counted.different(), match_cells: matches.different() };
}
