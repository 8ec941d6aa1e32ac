import { byRecord } from '../approvals/approval.ts';
import type { Item } from '../item.ts';
import { byId, idsOfKind, itemIdOf, recordsOf } from '../item-id.ts';
import { compareClearings } from '../pairing/pair-lines.ts';
import type { ReconciliationTx } from '../ports.ts';
import type { AuthorizedPurchase, ClearedAmount } from '../records.ts';
import { firstOf } from '../reports/bridge.ts';
import type { ReportsTx, StatedLine } from '../reports/ports.ts';

/** The records of an item as people recognize them, each kind in its order. */
export interface NamedRecords {
  /** The line at which the item counts in the bridge, then the others by booking date. */
  readonly lines: readonly StatedLine[];
  readonly clearings: readonly ClearedAmount[];
  readonly authorizations: readonly AuthorizedPurchase[];
  /** The line `Item.statement_line_id`, which is of another item or none. */
  readonly statement_line: StatedLine | null;
}

/** What names an item to a person. Each is that of its first record that has it; null without one. */
export interface ItemNames {
  /** Of a clearing, else of a line. */
  readonly acquirer_reference: string | null;
  /** Of an authorization, else of a clearing. */
  readonly approval_code: string | null;
  /** The number of the account of its first line, which has also the bank's text and reference. */
  readonly account_number: string | null;
  readonly bank_text: string | null;
  readonly bank_reference: string | null;
  readonly statement_line: StatedLine | null;
  /** The act on the item that waits for a second person. */
  readonly open_approval_id: number | null;
}

/** The parts of a transaction that the records of items are read from. */
export type NamesTx = Pick<ReconciliationTx, 'reconciliation'> & ReportsTx;

/** What names each item, by its id. Costs the same few queries however many items there are. */
export async function nameItems(
  tx: NamesTx,
  company_id: number,
  items: readonly Item[],
): Promise<ReadonlyMap<number, ItemNames>> {
  const records = await recordsOfItems(tx, company_id, items);
  const approvals = await openApprovalsOf(tx, company_id, items);
  return new Map(items.map(({ id }) => [id, namesOf(records.get(id)!, approvals.get(id) ?? null)]));
}

/** The records of each item, by its id. Costs the same few queries however many items there are. */
export async function recordsOfItems(
  { reconciliation, reconciliation_reports }: NamesTx,
  company_id: number,
  items: readonly Item[],
): Promise<ReadonlyMap<number, NamedRecords>> {
  const own = items.flatMap(recordsOf);
  const [lines, clearings, authorizations] = await Promise.all([
    reconciliation_reports.linesById(company_id, [...new Set(items.flatMap(linesShownBy))]),
    reconciliation.clearings(company_id, idsOfKind('clearing', own)),
    reconciliation.authorizations(company_id, idsOfKind('authorization', own)),
  ]);
  const known = { lines: byId(lines), clearings: byId(clearings), authorizations: byId(authorizations) };
  return new Map(
    items.map((item) => [
      item.id,
      {
        lines: inOrder(item.line_ids.flatMap((id) => known.lines.get(id) ?? [])),
        clearings: item.clearing_ids.flatMap((id) => known.clearings.get(id) ?? []).sort(compareClearings),
        authorizations: item.authorization_ids.flatMap((id) => known.authorizations.get(id) ?? []),
        statement_line: known.lines.get(item.statement_line_id ?? 0) ?? null,
      },
    ]),
  );
}

/** The ids of the acts that wait for a second person, by the ids of the items. */
export async function openApprovalsOf(
  { reconciliation }: Pick<ReconciliationTx, 'reconciliation'>,
  company_id: number,
  items: readonly Item[],
): Promise<ReadonlyMap<number, number>> {
  const open = await reconciliation.openApprovals(company_id, items.flatMap(recordsOf));
  const by_record = byRecord(open);
  const idsOf = (item: Item) => recordsOf(item).flatMap((record) => by_record.get(itemIdOf(record))?.id ?? []);
  return new Map(items.flatMap((item) => idsOf(item).map((id) => [item.id, id] as const)));
}

export function namesOf(
  { lines, clearings, authorizations, statement_line }: NamedRecords,
  open_approval_id: number | null,
): ItemNames {
  const [line] = lines;
  return {
    acquirer_reference: firstOfAll([...clearings, ...lines].map((record) => record.acquirer_reference)),
    approval_code: firstOfAll([...authorizations, ...clearings].map((record) => record.approval_code)),
    account_number: line?.account_number ?? null,
    bank_text: line?.text ?? null,
    bank_reference: line?.bank_reference ?? null,
    statement_line,
    open_approval_id,
  };
}

function firstOfAll(values: readonly (string | null)[]): string | null {
  return values.find((value) => value !== null) ?? null;
}

function inOrder(lines: readonly StatedLine[]): readonly StatedLine[] {
  if (lines.length === 0) return lines;
  const first = firstOf(lines);
  const others = lines.filter(({ id }) => id !== first.id);
  others.sort((a, b) => (a.booking_date === b.booking_date ? a.id - b.id : a.booking_date < b.booking_date ? -1 : 1));
  return [...lines.filter(({ id }) => id === first.id), ...others];
}

function linesShownBy({ line_ids, statement_line_id }: Item): readonly number[] {
  return statement_line_id === null ? line_ids : [...line_ids, statement_line_id];
}
