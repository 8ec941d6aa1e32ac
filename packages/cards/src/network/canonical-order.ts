import type { ClearingMessage } from './clearing.ts';

/** The fields that the place of a clearing depends on. */
export type Placed = Pick<
  ClearingMessage,
  'settlement_date' | 'cycle' | 'acquirer_reference_data' | 'network_financial_transaction_id'
>;

/**
 * Whether `a` comes before `b` in the canonical order of the clearings of a card: by settlement
 * date, then by transaction id (clearing files: matching). What a reversal or a dispute may refer to
 * comes before it also when its transaction id is greater, because ids that were made from a file
 * are in no order. Times of arrival have no part in it.
 */
export function isEarlier(a: Placed, b: Placed): boolean {
  if (mayReferTo(b, a)) return true;
  return !mayReferTo(a, b) && compareClearings(a, b) < 0;
}

/** The clearings in the canonical order. */
export function inCanonicalOrder<Item extends Placed>(clearings: Iterable<Item>): Item[] {
  const ordered = [...clearings].sort(compareClearings);
  if (ordered.every(({ cycle }) => cycle === 'first_presentment')) return ordered;
  const presentments = Map.groupBy(
    ordered.filter(({ cycle, acquirer_reference_data: data }) => cycle === 'first_presentment' && data !== null),
    ({ acquirer_reference_data }) => acquirer_reference_data,
  );
  const placed = new Set<Item>();
  for (const clearing of ordered) {
    if (clearing.cycle !== 'first_presentment') {
      const alike = presentments.get(clearing.acquirer_reference_data) ?? [];
      for (const presentment of alike) if (mayReferTo(clearing, presentment)) placed.add(presentment);
    }
    placed.add(clearing);
  }
  return [...placed];
}

function compareClearings(a: Placed, b: Placed): number {
  if (a.settlement_date !== b.settlement_date) return a.settlement_date < b.settlement_date ? -1 : 1;
  const id = a.network_financial_transaction_id;
  const other = b.network_financial_transaction_id;
  if (id === other) return 0;
  return id < other ? -1 : 1;
}

/** Whether rule 1 or 2 may find `presentment` for `clearing` of the same date. */
function mayReferTo(clearing: Placed, presentment: Placed): boolean {
  return (
    clearing.cycle !== 'first_presentment' &&
    presentment.cycle === 'first_presentment' &&
    clearing.settlement_date === presentment.settlement_date &&
    clearing.acquirer_reference_data !== null &&
    clearing.acquirer_reference_data === presentment.acquirer_reference_data
  );
}
