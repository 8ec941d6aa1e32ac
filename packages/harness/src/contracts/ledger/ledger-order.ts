import {
  type AuthorizationMessage,
  type Clearing,
  type ClearingChange,
  clearingChangeOf,
  neighbours_max,
  no_changes,
} from '@tallystick/cards';
import { money } from '@tallystick/kernel';
import { assertEqual, assertIncludes } from '../assertions.ts';
import { type ContractRule, rule } from '../rule.ts';
import { type CardStorage, idsOf, rising } from '../storage/storage.ts';
import { type CardUnderTest, freshCard, freshCards, nothing_in_common } from './card-under-test.ts';

const later = { settlement_date: '2026-05-22' } as const;
const earlier = { settlement_date: '2026-05-19' } as const;

/**
 * What a pass needs to match clearings again when an earlier one or an authorization comes later.
 */
export const ledger_order_contract: readonly ContractRule<CardStorage>[] = [
  rule('a changed clearing has its new match and effect, and all else as it was', async (storage) => {
    const card = await freshCard(storage);
    const before = await card.recordClearing({ sent: { authorization_date: null } });
    const change = {
      ...clearingChangeOf(before),
      authorization_id: 12,
      clearing_id: 13,
      match_rule: 3,
      review: true,
      class: 'partial',
      authorization_date: '2026-05-18',
      net_reference_number: 'MCC1234569999',
      sent: { authorization_date: null, net_reference_number: '   123456    ' },
      cleared_effect: money(7),
      hold_effect: money(3),
      uses: 0,
    } as const;
    await changeClearings(storage, card, change);
    const { network_financial_transaction_id } = before;
    const { clearings } = await card.look(card.clearing({ ...later, network_financial_transaction_id }));
    assertIncludes(clearings, [{ ...before, ...change }], 'the clearings');
  }),
  rule('a clearing that was changed to have two ids is found by either, on any card', async (storage) => {
    const cards = await freshCards(storage, 2);
    const row = await cards[0]!.recordClearing({ synthetic_id: true });
    const synthetic = row.network_financial_transaction_id;
    const change = {
      ...clearingChangeOf(row),
      network_financial_transaction_id: `${synthetic} of the network`,
      synthetic_id: false,
      paired_transaction_id: synthetic,
    };
    await changeClearings(storage, cards[0]!, change);
    await assertFoundByBothIds(cards, { ...row, ...change });
  }),
  rule('a clearing that was inserted with two ids is found by either, on any card', async (storage) => {
    const cards = await freshCards(storage, 2);
    const synthetic = `S-${cards[0]!.id}`;
    const row = await cards[0]!.recordClearing({ paired_transaction_id: synthetic });
    await assertFoundByBothIds(cards, row);
  }),
  rule('a card has the number of its provisional clearings, and the last settlement date', async (storage) => {
    const card = await freshCard(storage);
    const counted = async () => {
      const [row] = (await card.look(card.authorization({ trace_id: 'T-none' }))).cards;
      return [row?.provisional_clearings, row?.settled_through];
    };
    assertEqual(await counted(), [0, null], 'of a new card');
    const first = await card.recordClearing({ match_rule: 8, ...later });
    await card.recordClearing({ match_rule: 3, ...earlier });
    await card.recordClearing({ match_rule: 1, ...earlier });
    assertEqual(await counted(), [2, later.settlement_date], 'after clearings');
    await changeClearings(storage, card, { ...clearingChangeOf(first), match_rule: 2, clearing_id: 1 });
    assertEqual(await counted(), [1, later.settlement_date], 'after a match that is final');
    await changeClearings(storage, card, { ...clearingChangeOf(first), match_rule: 2, clearing_id: 1, review: true });
    assertEqual(await counted(), [1, later.settlement_date], 'after a change of another field');
  }),
  rule(
    'an authorization is loaded with the clearings that may belong to it, and what these may belong to',
    async (storage) => {
      const card = await freshCard(storage);
      const reference = { net_reference_number: 'MCCNEIGHB0520' };
      const named = await card.recordClearing({ ...nothing_in_common, ...reference, approval_code: 'QQ6666' });
      const coded = await card.recordClearing({ ...nothing_in_common, approval_code: 'QQ6666' });
      const of_merchant = await card.recordClearing({ ...nothing_in_common, merchant_id: 'M-near', match_rule: 6 });
      const rival = await card.recordAuthorization('T-rival', { ...nothing_in_common_root, merchant_id: 'M-near' });
      const of_code = await card.recordAuthorization('T-of-code', {
        ...nothing_in_common_root,
        approval_code: 'QQ6666',
      });
      const message = card.authorization({ trace_id: 'T-new', ...reference, merchant_id: 'M-near' });
      const state = await card.look(message);
      assertIncludes(idsOf(state.clearings), [named.id, coded.id, of_merchant.id], 'the clearings');
      assertIncludes(idsOf(state.authorizations), [rival.id, of_code.id], 'the authorizations');
    },
  ),
  rule(
    'an authorization message is loaded with the clearings of the authorization that it may change',
    async (storage) => {
      const card = await freshCard(storage);
      const root = await card.recordAuthorization('T-cleared', {
        ...nothing_in_common_root,
        cleared: money(10),
        status: 'cleared',
      });
      const fields = { ...nothing_in_common, authorization_id: root.id, match_rule: 6 };
      const paid = await card.recordClearing({ ...fields, acquirer_reference_data: 'ARD-N' });
      const refund = await card.recordClearing({ ...nothing_in_common, clearing_id: paid.id, clearing_type: 'CREDIT' });
      const disputed = await card.recordClearing({ ...nothing_in_common, acquirer_reference_data: 'ARD-N' });
      const message = card.authorization({ trace_id: 'T-cleared', message_type: '0400', ...nothing_in_common_message });
      const { clearings } = await card.look(message);
      assertIncludes(idsOf(clearings), [paid.id, refund.id, disputed.id], 'the clearings');
    },
  ),
  rule(
    'a message that may change an amount is loaded with the clearings that another amount may fit',
    async (storage) => {
      const card = await freshCard(storage);
      const merchant = { merchant_id: 'M-raised' };
      await card.recordAuthorization('T-raised', { ...nothing_in_common_root, ...merchant });
      const coded = { ...nothing_in_common, approval_code: 'QQ8888' };
      const fits = await card.recordClearing({ ...coded, ...merchant, billing_amount: money(7_777), match_rule: 8 });
      const refund = await card.recordClearing({ ...coded, clearing_type: 'CREDIT', match_rule: 7 });
      const rival = await card.recordAuthorization('T-code', { ...nothing_in_common_root, approval_code: 'QQ8888' });
      for (const fields of [{ incremental: true }, { message_type: '0120' }, { message_type: '0400' }] as const) {
        const message = card.authorization({ trace_id: 'T-raised', ...nothing_in_common_message, ...fields });
        const state = await card.look(message);
        assertIncludes(idsOf(state.clearings), [fits.id, refund.id], 'the clearings');
        assertIncludes(idsOf(state.authorizations), [rival.id], 'the authorizations');
      }
    },
  ),
  rule(
    'a clearing before others in the canonical order is loaded with their authorizations and neighbours',
    async (storage) => {
      const card = await freshCard(storage);
      const root = await card.recordAuthorization('T-shared', {
        ...nothing_in_common_root,
        approval_code: 'QQ7777',
        net_reference_number: 'MCCSHARED0520',
        cleared: money(10),
        status: 'cleared',
      });
      const by_reference = { ...nothing_in_common, net_reference_number: 'MCCSHARED0520', ...later };
      const first = await card.recordClearing({ ...by_reference, authorization_id: root.id, match_rule: 3 });
      const state = await card.look(card.clearing({ ...nothing_in_common, approval_code: 'QQ7777', ...earlier }));
      assertIncludes(idsOf(state.authorizations), [root.id], 'the authorizations');
      assertIncludes(idsOf(state.clearings), [first.id], 'the clearings');
    },
  ),
  rule(
    'the cards of which not all neighbours are loaded are named, and of the others all are loaded',
    async (storage) => {
      for (const { recorded, sent } of crowds) {
        const [busy, ...others] = await freshCards(storage, 3);
        const crowd = await busy!.recordClearings(neighbours_max + 2, recorded);
        const loaded: number[] = [];
        for (const card of others) loaded.push(...idsOf(await card.recordClearings(neighbours_max - 100, recorded)));
        const messages = [busy!, ...others].map((card) => card.authorization({ trace_id: 'T-new', ...sent }));
        const { clearings, cut_card_ids } = await busy!.look(...messages);
        assertNamedOrLoaded(busy!.id, cut_card_ids, idsOf(clearings), idsOf(crowd));
        const of_others = clearings.filter(({ card_id }) => card_id !== busy!.id);
        assertEqual(rising(idsOf(of_others)), rising(loaded), 'the clearings of the others');
      }
    },
  ),
  rule('the clearings that a message itself needs are all loaded, however many they are', async (storage) => {
    const card = await freshCard(storage);
    const coded = { ...nothing_in_common, approval_code: 'QQ9999' };
    const recorded = await card.recordClearings(neighbours_max + 1, coded);
    for (const day of [earlier, later]) {
      const { clearings, cut_card_ids } = await card.look(card.clearing({ ...coded, ...day }));
      assertEqual(rising(idsOf(clearings)), rising(idsOf(recorded)), 'the clearings');
      assertEqual(cut_card_ids, [], 'the cards that are named');
    }
  }),
];

/** A ledger names a card of which it does not load all neighbours, and no other. */
export function assertNamedOrLoaded(
  card_id: number,
  cut_card_ids: readonly number[],
  loaded: readonly number[],
  crowd: readonly number[],
): void {
  if (cut_card_ids.length === 0) assertIncludes(loaded, crowd, 'the clearings of a card that is not named');
  else assertEqual(cut_card_ids, [card_id], 'the cards that are named');
}

/** Clearings that an authorization concerns: what they have in common, and what its message has. */
export const crowds: readonly {
  readonly recorded: Partial<Clearing>;
  readonly sent: Partial<AuthorizationMessage>;
}[] = [
  {
    recorded: { ...nothing_in_common, merchant_id: 'M-busy' },
    sent: { net_reference_number: null, merchant_id: 'M-busy' },
  },
  {
    recorded: { ...nothing_in_common, approval_code: 'QQ9999' },
    sent: { net_reference_number: null, merchant_id: null, message_type: '0120', approval_code: 'QQ9999' },
  },
  {
    recorded: { ...nothing_in_common, net_reference_number: 'MCCCROWDS0520' },
    sent: { net_reference_number: 'MCCCROWDS0520', merchant_id: null },
  },
];

/** An authorization that shares nothing with the records of the rules. */
export const nothing_in_common_root = { approval_code: null, net_reference_number: null, merchant_id: null };
const nothing_in_common_message = { net_reference_number: null, merchant_id: null };

/** Changes a recorded clearing in a pass of its own. */
export function changeClearings(storage: CardStorage, card: CardUnderTest, change: ClearingChange): Promise<null> {
  const message = card.authorization({ trace_id: 'T-never-recorded' });
  return storage.ledger.pass([message], () => ({
    changes: { ...no_changes, clearings_changed: [change] },
    result: null,
  }));
}

async function assertFoundByBothIds(cards: readonly CardUnderTest[], clearing: Clearing): Promise<void> {
  for (const card of cards) {
    for (const network_financial_transaction_id of [
      clearing.network_financial_transaction_id,
      clearing.paired_transaction_id!,
    ]) {
      const message = card.clearing({ ...nothing_in_common, ...later, network_financial_transaction_id });
      assertIncludes((await card.look(message)).clearings, [clearing], 'the clearings');
    }
  }
}
