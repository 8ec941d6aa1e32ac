import { type Call, type Page, type PageRequest, Refusal } from '@tallystick/kernel';
import type { ReportsTx, StatedLine } from '../reports/ports.ts';
import type { LineFilter } from './line-filter.ts';

export interface LineOfItem {
  readonly line: StatedLine;
  /** Null: the line is no card line, or no item has it yet. */
  readonly item_id: number | null;
}

/** Lists all statement lines of the company that fit, newest first. */
export async function listLines(
  tx: ReportsTx,
  { company_id }: Pick<Call, 'company_id'>,
  filter: LineFilter,
  page: PageRequest,
): Promise<Page<LineOfItem>> {
  const { items, next } = await tx.reconciliation_reports.listLines(company_id, filter, page);
  return { items: await withItems(tx, company_id, items), next };
}

/** Reads a statement line. Refuses (`not_found`) an unknown id, and that of another company. */
export async function readLine(
  tx: ReportsTx,
  { company_id }: Pick<Call, 'company_id'>,
  id: number,
): Promise<LineOfItem> {
  const [found] = await withItems(tx, company_id, await tx.reconciliation_reports.linesById(company_id, [id]));
  if (found === undefined) throw new Refusal('not_found', 'there is no line with this id');
  return found;
}

/** The lines with their items, in their order. */
export async function withItems(
  { reconciliation_reports }: ReportsTx,
  company_id: number,
  lines: readonly StatedLine[],
): Promise<readonly LineOfItem[]> {
  const places = await reconciliation_reports.itemsOfLines(company_id, lines);
  const item_ids = new Map(places.map(({ line_id, item_id }) => [line_id, item_id]));
  return lines.map((line) => ({ line, item_id: item_ids.get(line.id) ?? null }));
}
