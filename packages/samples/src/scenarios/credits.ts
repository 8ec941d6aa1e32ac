import { type FormatAbilities, withReferences } from '../format-abilities.ts';
import type { SampleClearing } from './messages.ts';
import { byReference } from './purchases.ts';
import { kind, type Purchase, type ScenarioDraft, type ScenarioKind } from './scenario.ts';

/** What a merchant sends back without a new authorization states no reference of the purchase. */
const without_references = { clearing_type: 'CREDIT', net_reference_number: null, approval_code: null } as const;

/** Scenarios of credits (rules 3 to 7). */
const refunds: readonly ScenarioKind[] = [
  kind('refund_by_reference', { weight: 2, records: withReferences(2) }, (draft) => {
    const purchase = draft.purchase();
    const refund = purchase.amount / 2;
    buy(draft, purchase, { cleared: purchase.amount - refund });
    const change = { billing_amount: refund, clearing_type: 'CREDIT' } as const;
    draft.clear(purchase, change, { ...byReference(draft, purchase), class: 'refund_linked' });
  }),
  kind('refund_at_the_same_merchant', { weight: 2, records: 2 }, (draft) => {
    const purchase = draft.purchase();
    const refund = purchase.amount / 2;
    const earlier = buy(draft, purchase, { cleared: purchase.amount - refund });
    const change = { ...without_references, billing_amount: refund };
    draft.clear(purchase, change, { rule: 7, class: 'refund_linked', authorization: purchase, earlier });
  }),
  kind('refund_of_the_whole_amount', { weight: 1, records: 2 }, (draft) => {
    const purchase = draft.purchase();
    buy(draft, purchase, { cleared: 0 });
    const outcome = { rule: 6, class: 'refund_linked', review: true, authorization: purchase } as const;
    draft.clear(purchase, without_references, outcome);
  }),
  kind('refund_of_a_force_post', { weight: 1, records: 2 }, (draft) => {
    const purchase = draft.purchase();
    const refund = purchase.amount / 2;
    const earlier = draft.clear(purchase, {}, { rule: 8, class: 'force_post' });
    const change = { ...without_references, billing_amount: refund };
    draft.clear(purchase, change, { rule: 7, class: 'refund_linked', earlier });
    draft.standsAlone(purchase.amount - refund, 1);
  }),
  kind('refund_without_a_purchase', { weight: 2, records: 1 }, (draft) => {
    const purchase = draft.purchase();
    draft.clear(purchase, { clearing_type: 'CREDIT' }, { rule: 7, class: 'refund_unlinked' });
    draft.standsAlone(-purchase.amount, 0);
  }),
  kind('refund_of_one_of_two_purchases', { weight: 1, records: 3 }, (draft) => {
    const first = draft.purchase();
    const second = draft.purchase({ amount: first.amount + 100, merchant_id: first.merchant_id });
    buy(draft, first, { cleared: first.amount });
    buy(draft, second, { cleared: second.amount });
    const refund = first.amount / 2;
    const change = { ...without_references, billing_amount: refund };
    draft.clear(first, change, { rule: 7, class: 'refund_unlinked', review: true });
    draft.standsAlone(-refund, 0);
  }),
  kind('refunds_above_the_purchase', { weight: 1, records: 3 }, (draft) => {
    const purchase = draft.purchase();
    const refund = (purchase.amount * 60) / 100;
    const earlier = buy(draft, purchase, { cleared: purchase.amount - 2 * refund });
    const change = { ...without_references, billing_amount: refund };
    const outcome = { rule: 7, class: 'refund_linked', authorization: purchase, earlier } as const;
    draft.clear(purchase, change, outcome);
    draft.clear(purchase, change, { ...outcome, review: true });
  }),
  kind('authorized_refund', { weight: 1, records: 1 }, (draft) => {
    const purchase = draft.purchase();
    const refund = { card_holder_transaction_type_code: '20' };
    draft.advise(purchase, { status: 'cleared', cleared: -purchase.amount, uses: 0 }, refund);
    const change = { clearing_type: 'CREDIT' } as const;
    draft.clear(purchase, change, { ...byReference(draft, purchase), class: 'refund_linked' });
  }),
];

const twoReversals = ({ reversal }: FormatAbilities): number | null => (reversal ? 2 : null);

/** Scenarios of message reversals (rule 1). */
const reversals: readonly ScenarioKind[] = [
  kind('reversal', { weight: 2, records: twoReversals }, (draft) => {
    const purchase = draft.purchase();
    const earlier = buy(draft, purchase, { cleared: 0 });
    draft.clear(purchase, reversalOf(earlier), {
      rule: 1,
      class: 'reversal',
      authorization: purchase,
      earlier,
    });
  }),
  kind('reversal_of_a_force_post', { weight: 1, records: twoReversals }, (draft) => {
    const purchase = draft.purchase();
    const earlier = draft.clear(purchase, {}, { rule: 8, class: 'force_post' });
    draft.clear(purchase, reversalOf(earlier), { rule: 1, class: 'reversal', earlier });
    draft.standsAlone(0, 1);
  }),
  kind('reversal_without_a_clearing', { weight: 1, records: ({ reversal }) => (reversal ? 1 : null) }, (draft) => {
    const purchase = draft.purchase();
    const change = { clearing_type: 'CREDIT', cycle: 'reversal' } as const;
    draft.clear(purchase, change, { rule: 7, class: 'reversal', review: true });
    draft.standsAlone(-purchase.amount, 0);
  }),
];

export const credit_scenarios: readonly ScenarioKind[] = [...refunds, ...reversals];

/** An authorization that is cleared exactly, and what it has cleared in the end. */
export function buy(
  draft: ScenarioDraft,
  purchase: Purchase,
  { cleared }: { readonly cleared: number },
): SampleClearing {
  draft.advise(purchase, { status: 'cleared', cleared });
  return draft.clear(purchase, {}, { ...byReference(draft, purchase), class: 'exact' });
}

function reversalOf({ input: { acquirer_reference_data } }: SampleClearing) {
  return { acquirer_reference_data, clearing_type: 'CREDIT', cycle: 'reversal' } as const;
}
