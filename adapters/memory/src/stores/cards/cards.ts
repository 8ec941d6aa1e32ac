import { type CardFilter, type CardStore, type CardVersion, newCounters, type VirtualCard } from '@tallystick/cards';
import { assert, Fault, toHex } from '@tallystick/kernel';
import { newestBelow, newestFirst } from '../../storage/paging.ts';
import { type State, versionKey } from '../../storage/state.ts';
import { HeldRows } from '../../storage/table.ts';
import { cardActivity } from './card-activity.ts';

export function cardStore(state: State): CardStore {
  const { card_ids, cards, companies, numbers, real_cards, templates } = state;
  const held = new HeldRows('card');
  return {
    async insert(card, number, window_start_ms) {
      const index = toHex(number.number_index);
      if (card_ids.has(index)) return null;
      companies.assertHas(card.company_id, 'company');
      real_cards.assertHas(card.rcn_id, 'real card');
      templates.assertHas(card.template_id, 'template');
      const { alias: rcn_alias, billing_currency } = real_cards.get(card.rcn_id)!;
      const id = cards.nextId();
      held.hold(id);
      numbers.set(id, number);
      card_ids.set(index, id);
      return cards.set(id, { ...card, id, rcn_alias, billing_currency, counters: newCounters(window_start_ms) });
    },

    async find(company_id, id, options) {
      const card = cards.get(id);
      if (card === undefined || (company_id ?? card.company_id) !== card.company_id) return null;
      if (options?.for_update) held.hold(id);
      return card;
    },

    async lock(company_id, ids) {
      for (const id of ids) if (cards.get(id)?.company_id === company_id) held.hold(id);
    },

    async list(company_id, filter, page) {
      const of_company = cards.values().filter((card) => (company_id ?? card.company_id) === card.company_id);
      const listed = of_company.filter((card) => meets(card, filter));
      return newestFirst('virtual_cards', listed, page);
    },

    async update(card) {
      held.assertHeld(card.id);
      const { counters, frozen_at_ms } = cards.get(card.id)!;
      cards.set(card.id, { ...card, counters, frozen_at_ms });
    },

    async keepVersion(ended) {
      held.assertHeld(ended.card_id);
      keepCardVersion(state, ended);
    },

    async versionsBelow(card_id, version, limit) {
      return newestBelow(
        state.card_versions.values().filter((row) => row.card_id === card_id),
        version,
        limit,
      );
    },

    async resetCodeFailures(card_id) {
      const card = cards.get(card_id);
      if (card === undefined) return null;
      held.hold(card_id);
      cards.set(card_id, { ...card, counters: { ...card.counters, code_failures: 0, code_failures_on: null } });
      return card;
    },

    async number(card_id) {
      const number = numbers.get(card_id);
      if (number === undefined) throw new Fault('a card has no number', { retryable: false });
      return number;
    },

    async knownNumbers(number_indexes) {
      return number_indexes.filter((index) => card_ids.has(toHex(index)));
    },

    async numbers(ids) {
      return new Map(numbers.entries().filter(([card_id]) => ids.includes(card_id)));
    },

    async sealedByOtherKeys(key_id, limit) {
      const others = numbers.entries().filter(([, { number_key_id }]) => number_key_id !== key_id);
      return others
        .sort(([a], [b]) => a - b)
        .slice(0, limit)
        .map(([card_id, number]) => ({ card_id, number }));
    },

    async reseal(resealed) {
      for (const { card_id, number } of resealed) {
        const { number_index } = numbers.get(card_id)!;
        numbers.set(card_id, { ...number, number_index });
      }
    },

    ...cardActivity(state),
  };
}

/** Violates when the number is kept already. */
export function keepCardVersion({ card_versions }: State, ended: CardVersion): void {
  const key = versionKey(ended.card_id, ended.version);
  assert(!card_versions.has(key), `version ${ended.version} of card ${ended.card_id} is kept already`);
  card_versions.set(key, ended);
}

function meets(card: VirtualCard, { metadata = {}, metadata_value, ids, frozen, ...equalities }: CardFilter): boolean {
  return (
    (ids === undefined || ids.includes(card.id)) &&
    (frozen === undefined || frozen === (card.frozen_at_ms !== null)) &&
    Object.entries(equalities).every(
      ([name, value]) => value === undefined || card[name as keyof VirtualCard] === value,
    ) &&
    Object.entries(metadata).every(([name, text]) => metadataText(card, name) === text) &&
    (metadata_value === undefined ||
      Object.keys(card.metadata ?? {}).some((name) => metadataText(card, name) === metadata_value))
  );
}

/**
 * Returns a top-level value of the metadata as text: text unchanged, other values as JSON. Null has
 * none.
 */
function metadataText({ metadata }: VirtualCard, name: string): string | null {
  if (metadata === null || !Object.hasOwn(metadata, name)) return null;
  const value = metadata[name];
  return typeof value === 'string' || value === null ? value : JSON.stringify(value);
}
