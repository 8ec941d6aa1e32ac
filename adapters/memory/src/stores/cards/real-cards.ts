import type { AccountRangeUsage, RealCard, RealCardStore } from '@tallystick/cards';
import { newestFirst } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';

export function realCardStore({ cards, companies, real_cards }: State): RealCardStore {
  function defaultOf(company_id: number): RealCard | undefined {
    return real_cards.values().find((card) => card.company_id === company_id && card.is_default);
  }

  function usage(): readonly AccountRangeUsage[] {
    return real_cards.values().map(({ id, company_id, account_range }) => {
      return { id, company_id, account_range, cards: cards.values().filter(({ rcn_id }) => rcn_id === id).length };
    });
  }

  return {
    async insert(card) {
      companies.assertHas(card.company_id, 'company');
      const former = defaultOf(card.company_id);
      if (card.is_default && former !== undefined) real_cards.set(former.id, { ...former, is_default: false });
      return real_cards.insert(card);
    },
    async find(company_id, id) {
      const card = real_cards.get(id);
      return card?.company_id === company_id ? card : null;
    },
    async findDefault(company_id) {
      return defaultOf(company_id) ?? null;
    },
    async list(company_id, page) {
      const listed = real_cards.values().filter((card) => company_id === null || card.company_id === company_id);
      return newestFirst('real_cards', listed, page);
    },
    async countIssued(account_range) {
      const counts = usage().filter((one) => one.account_range.startsWith(account_range));
      return counts.reduce((sum, one) => sum + one.cards, 0);
    },
    usage: async () => usage(),
  };
}
