import type { Item, ReconciliationTx } from '@tallystick/reconciliation';

/** What names the records of an item to a person; null: it has no such record, or nothing is known. */
export interface BreakDetails {
  readonly acquirer_reference: string | null;
  readonly approval_code: string | null;
  readonly account: string | null;
  readonly booking_date: string | null;
  readonly bank_text: string | null;
  readonly bank_reference: string | null;
}

/** The details of each of these items of a company, by its id, of the first record of each kind. */
export async function readBreakDetails(
  { reconciliation }: Pick<ReconciliationTx, 'reconciliation'>,
  company_id: number,
  items: readonly Item[],
): Promise<ReadonlyMap<number, BreakDetails>> {
  const firsts = (ids: (item: Item) => readonly number[]) => [
    ...new Set(items.flatMap((item) => ids(item).slice(0, 1))),
  ];
  const lines = byId(
    await reconciliation.lines(
      company_id,
      firsts(({ line_ids }) => line_ids),
    ),
  );
  const clearings = byId(
    await reconciliation.clearings(
      company_id,
      firsts(({ clearing_ids }) => clearing_ids),
    ),
  );
  const purchases = byId(
    await reconciliation.authorizations(
      company_id,
      firsts((item) => item.authorization_ids),
    ),
  );
  return new Map(
    items.map((item) => {
      const line = lines.get(item.line_ids[0] ?? 0);
      const clearing = clearings.get(item.clearing_ids[0] ?? 0);
      const purchase = purchases.get(item.authorization_ids[0] ?? 0);
      const details: BreakDetails = {
        acquirer_reference: clearing?.acquirer_reference ?? line?.acquirer_reference ?? null,
        approval_code: purchase?.approval_code ?? clearing?.approval_code ?? null,
        account: null,
        booking_date: line?.booking_date ?? null,
        bank_text: line?.text ?? null,
        bank_reference: line?.bank_reference ?? null,
      };
      return [item.id, details];
    }),
  );
}

function byId<Row extends { readonly id: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
