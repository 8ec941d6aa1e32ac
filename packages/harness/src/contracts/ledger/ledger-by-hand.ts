import { type Authorization, type Clearing, clearingChangeOf, neighbours_max } from '@tallystick/cards';
import { assert } from '@tallystick/kernel';
import { itemIdOf, noItemChanges } from '@tallystick/reconciliation';
import { assertEqual, assertIncludes } from '../assertions.ts';
import { newAct } from '../reconciliation/new-act.ts';
import { newApproval } from '../reconciliation/new-approval.ts';
import { newItem } from '../reconciliation/new-item.ts';
import { newPeriod } from '../reconciliation/new-period.ts';
import { type ContractRule, rule } from '../rule.ts';
import { idsOf, type StorageUnderTest } from '../storage/storage.ts';
import { freshCard, nothing_in_common } from './card-under-test.ts';
import { assertNamedOrLoaded, changeClearings, nothing_in_common_root } from './ledger-order.ts';
import { rematchLookup } from './network-messages.ts';

/** What a pass needs to match clearings by hand, and what it keeps of that. */
export const ledger_by_hand_contract: readonly ContractRule<StorageUnderTest>[] = [
  rule(
    'a match by hand is loaded with both authorizations, their clearings and neighbours, and what refers to it',
    async (storage) => {
      const card = await freshCard(storage);
      const [present, chosen] = [
        await card.recordAuthorization('T-present', nothing_in_common_root),
        await card.recordAuthorization('T-chosen', { ...nothing_in_common_root, approval_code: 'QQ4444' }),
      ];
      const of = (root: Authorization, fields: Partial<Clearing> = {}) =>
        card.recordClearing({ ...nothing_in_common, match_rule: 6, authorization_id: root.id, ...fields });
      // Only a clearing that no reference settles has neighbours by its merchant.
      const settled = { net_reference_number: 'MCCBYHAND0520', match_rule: 3, merchant_id: 'M-by-hand' };
      const named = await of(present, settled);
      const beside = [await of(present), await of(chosen)];
      const refund = await card.recordClearing({
        ...nothing_in_common,
        clearing_type: 'CREDIT',
        clearing_id: named.id,
      });
      const undone = await card.recordClearing({ ...nothing_in_common, cycle: 'reversal', clearing_id: refund.id });
      const coded = await card.recordClearing({ ...nothing_in_common, approval_code: 'QQ4444' });
      const fits = { ...nothing_in_common_root, merchant_id: 'M-by-hand', billing_amount: named.billing_amount };
      const rival = await card.recordAuthorization('T-rival', fits);
      const state = await card.look(rematchLookup(card.id, named.id, chosen.id));
      assertIncludes(idsOf(state.authorizations), [present.id, chosen.id, rival.id], 'the authorizations');
      const expected = idsOf([named, ...beside, refund, undone, coded]);
      assertIncludes(idsOf(state.clearings), expected, 'the clearings');
      assert(state.event_ids.length >= 1, 'a match by hand has no id for its event');
      const taken = await card.look(rematchLookup(card.id, named.id, null));
      assertIncludes(idsOf(taken.authorizations), [present.id, rival.id], 'the authorizations without a new one');
    },
  ),
  rule(
    'a match by hand on a card with more neighbours than a pass reads is loaded with all that moves with it',
    async (storage) => {
      const card = await freshCard(storage);
      const crowd = { ...nothing_in_common, merchant_id: 'M-crowd' };
      const [present, chosen] = [
        await card.recordAuthorization('T-present', { ...nothing_in_common_root, merchant_id: 'M-crowd' }),
        await card.recordAuthorization('T-chosen', { ...nothing_in_common_root, merchant_id: 'M-crowd' }),
      ];
      const of = (root: Authorization) => card.recordClearing({ ...crowd, match_rule: 6, authorization_id: root.id });
      const [named, ...beside] = [await of(present), await of(present), await of(chosen)];
      const refund = await card.recordClearing({
        ...nothing_in_common,
        clearing_type: 'CREDIT',
        clearing_id: named.id,
      });
      const undone = await card.recordClearing({ ...nothing_in_common, cycle: 'reversal', clearing_id: refund.id });
      const many = await card.recordClearings(neighbours_max + 2, crowd);
      const state = await card.look(rematchLookup(card.id, named.id, chosen.id));
      assertNamedOrLoaded(card.id, state.cut_card_ids, idsOf(state.clearings), idsOf(many));
      assertIncludes(idsOf(state.authorizations), [present.id, chosen.id], 'the authorizations');
      assertIncludes(idsOf(state.clearings), idsOf([named, ...beside, refund, undone]), 'the clearings');
    },
  ),
  rule('what people chose about a clearing is kept', async (storage) => {
    const card = await freshCard(storage);
    const { id } = await card.recordClearing(nothing_in_common);
    const load = async () => {
      const { clearings } = await card.look(rematchLookup(card.id, id, null));
      return clearings.find((row) => row.id === id)!;
    };
    assertEqual((await load()).choices, null, 'the choices of a new clearing');
    for (const choices of [
      [
        { authorization_id: 7, is_match: true },
        { authorization_id: 8, is_match: false },
      ],
      null,
    ]) {
      await changeClearings(storage, card, { ...clearingChangeOf(await load()), choices });
      assertEqual((await load()).choices, choices, 'the choices');
    }
  }),
  rule(
    'a match by hand is overtaken by an act that was not seen or waits, and by an item that is gone or closed',
    async (storage) => {
      const card = await freshCard(storage);
      const { company_id } = card;
      const { id } = await card.recordClearing(nothing_in_common);
      const item = newItem({ id: itemIdOf({ kind: 'clearing', id }), company_id, clearing_ids: [id] });
      const overtaken = async (newest_id: number, approval_id: number | null = null) => {
        const seen_acts = { company_id, item_ids: [item.id], records: [item.id], newest_id, approval_id };
        const state = await card.look({ ...rematchLookup(card.id, id, null), seen_acts });
        return state.overtaken_clearing_ids ?? [];
      };
      assertEqual(await overtaken(0), [id], 'the item is gone');
      const act = await storage.unitOfWork.run(async ({ reconciliation }) => {
        await reconciliation.lockCompany(company_id);
        await reconciliation.write({ ...noItemChanges(company_id), inserted: [item] });
        const [first, last] = await reconciliation.insertActs([
          newAct(company_id, item.id),
          newAct(company_id, item.id),
        ]);
        assert(first !== undefined && last !== undefined, 'the acts were not inserted');
        return { seen_id: first.id, newest_id: last.id };
      });
      assertEqual(await overtaken(act.seen_id), [id], 'an act that was not seen');
      assertEqual(await overtaken(act.newest_id), [], 'the newest act was seen');
      const approval = await storage.unitOfWork.run(async ({ reconciliation }) => {
        await reconciliation.lockCompany(company_id);
        return (await reconciliation.insertApprovals([newApproval(company_id, item.id)]))[0]!;
      });
      assertEqual(await overtaken(act.newest_id), [id], 'an act that waits');
      assertEqual(await overtaken(act.newest_id, approval.id), [], 'it is that act');
      await storage.unitOfWork.run(({ reconciliation }) =>
        reconciliation.updateApproval({ ...approval, status: 'refused' }),
      );
      assertEqual(await overtaken(act.newest_id), [], 'an act that waited');
      await storage.unitOfWork.run(async ({ reconciliation }) => {
        await reconciliation.lockCompany(company_id);
        await reconciliation.freeze(await reconciliation.insertPeriod(newPeriod(company_id, '2026-05-20')), [item]);
      });
      assertEqual(await overtaken(act.newest_id), [id], 'a closed period has the item');
    },
  ),
];
