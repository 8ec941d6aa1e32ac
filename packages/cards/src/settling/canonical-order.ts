import type { ClearingMessage } from '../records/clearing.ts';

/** The fields that the place of a clearing depends on. */
export type OrderFields = Pick<
  ClearingMessage,
  'settlement_date' | 'clearing_type' | 'cycle' | 'acquirer_reference_data' | 'network_financial_transaction_id'
>;

/**
 * The clearings of a card in the canonical order: by settlement date, then debits before credits,
 * then by transaction id (clearing files: matching). A refund of the day of its purchase comes after
 * it. What a reversal or a dispute may refer to comes before it also when its transaction id is
 * greater, because ids that were made from a file are in no order. Times of arrival have no part in
 * it.
 */
export function inCanonicalOrder<Item extends OrderFields>(clearings: Iterable<Item>): Item[] {
  const ordered = [...clearings].sort(compareClearings);
  if (ordered.every(({ cycle }) => cycle === 'first_presentment')) return ordered;
  const by_rank = ordered.toSorted((a, b) => ranks[a.cycle] - ranks[b.cycle]);
  const by_reference = Map.groupBy(by_rank, ({ acquirer_reference_data }) => acquirer_reference_data);
  const placed = new Set<Item>();
  for (const clearing of ordered) {
    const { cycle, acquirer_reference_data: reference } = clearing;
    if (cycle !== 'first_presentment' && reference !== null) {
      for (const other of by_reference.get(reference)!) if (mayReferTo(clearing, other)) placed.add(other);
    }
    placed.add(clearing);
  }
  return [...placed];
}

function compareClearings(a: OrderFields, b: OrderFields): number {
  if (a.settlement_date !== b.settlement_date) return a.settlement_date < b.settlement_date ? -1 : 1;
  if (a.clearing_type !== b.clearing_type) return a.clearing_type === 'DEBIT' ? -1 : 1;
  const id = a.network_financial_transaction_id;
  const other = b.network_financial_transaction_id;
  if (id === other) return 0;
  return id < other ? -1 : 1;
}

/**
 * A clearing may refer to those of a lower rank: a reversal to a dispute, and both to a
 * presentment.
 */
const ranks = { first_presentment: 0, second_presentment: 1, chargeback: 1, reversal: 2 } as const;

/** Whether rule 1 or 2 may find `other`, with the same acquirer reference data, for `clearing`. */
function mayReferTo(clearing: OrderFields, other: OrderFields): boolean {
  return ranks[clearing.cycle] > ranks[other.cycle] && clearing.settlement_date === other.settlement_date;
}
