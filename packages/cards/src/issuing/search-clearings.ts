import { invalidQuery, type Page, type PageRequest } from '@tallystick/kernel';
import type { Clearing } from '../records/clearing.ts';
import type { VirtualCard } from './card.ts';
import type { CardsTx, ClearingSearch } from './ports.ts';

export interface FoundClearing {
  readonly clearing: Clearing;
  readonly card: VirtualCard;
}

/**
 * Finds clearings of the cards of a company by what names them, newest first. Refuses
 * (`invalid_query`) a search for nothing: clearings in general are listed by card.
 */
export async function searchClearings(
  tx: { readonly cards: Pick<CardsTx['cards'], 'list' | 'searchClearings'> },
  company_id: number,
  search: ClearingSearch,
  page: PageRequest,
): Promise<Page<FoundClearing>> {
  if (Object.values(search).every((value) => value === undefined)) {
    throw invalidQuery({ path: 'id', message: 'or another filter is required' });
  }
  const { items, next } = await tx.cards.searchClearings(company_id, search, page);
  const ids = [...new Set(items.map(({ card_id }) => card_id))];
  const found = ids.length === 0 ? [] : (await tx.cards.list(company_id, { ids }, { limit: ids.length })).items;
  const cards = new Map(found.map((card) => [card.id, card]));
  return { items: items.map((clearing) => ({ clearing, card: cards.get(clearing.card_id)! })), next };
}
