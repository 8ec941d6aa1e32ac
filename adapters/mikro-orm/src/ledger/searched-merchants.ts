import type { MerchantSearch } from '@tallystick/cards';

/**
 * The searches by merchant that a pass has made as for credits: these find whatever the same search
 * finds for a debit. `NeighbourSearch` asks the same again, as for a credit.
 */
export class SearchedMerchants {
  readonly #searched = new Set<string>();

  note(card_id: number, searches: readonly MerchantSearch[]): void {
    for (const search of searches) this.#searched.add(nameOf(card_id, search));
  }

  /** Those of the searches of a card that were not made yet. */
  unmade(card_id: number, searches: readonly MerchantSearch[]): readonly MerchantSearch[] {
    return searches.filter((search) => !this.#searched.has(nameOf(card_id, search)));
  }
}

function nameOf(
  card_id: number,
  { merchant_id, since_ms, merchant_amount, billing_amount }: Omit<MerchantSearch, 'is_credit'>,
): string {
  return `${card_id} ${since_ms} ${merchant_amount} ${billing_amount} ${merchant_id}`;
}
