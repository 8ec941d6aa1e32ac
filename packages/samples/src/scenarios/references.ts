import { withReferences } from '../format-abilities.ts';
import { byReference, withoutCode } from './purchases.ts';
import { kind, type ScenarioKind } from './scenario.ts';

/**
 * Scenarios in which less than the whole reference finds the authorization, and of none (rules 3 to
 * 6, 8).
 */
export const reference_scenarios: readonly ScenarioKind[] = [
  kind(
    'six_characters_of_the_reference',
    { weight: 3, records: ({ format, references }) => (format === 'ipm' || references === 'none' ? null : 1) },
    (draft) => {
      const purchase = draft.purchase();
      const { net_reference_number } = purchase;
      draft.advise(purchase, { status: 'cleared', cleared: purchase.amount });
      const six = `   ${net_reference_number.slice(3, 9)}    `;
      const change = { net_reference_number: six };
      draft.clear(purchase, change, { rule: 4, class: 'exact', authorization: purchase });
    },
  ),
  kind('code_and_merchant', { weight: 3, records: withReferences(1) }, (draft) => {
    const purchase = draft.purchase();
    draft.advise(purchase, { status: 'cleared', cleared: purchase.amount });
    const change = { net_reference_number: null };
    draft.clear(purchase, change, { rule: 5, class: 'exact', authorization: purchase });
  }),
  kind('code_and_merchant_and_more', { weight: 1, records: withReferences(1) }, (draft) => {
    const purchase = draft.purchase();
    const billing_amount = (purchase.amount * 115) / 100;
    draft.advise(purchase, { status: 'cleared', cleared: billing_amount });
    const change = { net_reference_number: null, billing_amount };
    draft.clear(purchase, change, { rule: 5, class: 'over', authorization: purchase });
  }),
  kind('code_and_merchant_too_far_off', { weight: 1, records: withReferences(1) }, (draft) => {
    const purchase = draft.purchase();
    const billing_amount = (purchase.amount * 125) / 100;
    draft.advise(purchase, { status: 'open', held: purchase.amount });
    draft.clear(purchase, { net_reference_number: null, billing_amount }, { rule: 8, class: 'force_post' });
    draft.standsAlone(billing_amount, 1);
  }),
  kind('merchant_and_amount', { weight: 3, records: 1 }, (draft) => {
    const purchase = draft.purchase();
    draft.request(purchase, { status: 'cleared', cleared: purchase.amount });
    draft.clear(
      purchase,
      { net_reference_number: null, approval_code: null },
      { rule: 6, class: 'exact', review: true, authorization: purchase },
    );
  }),
  kind('merchant_and_amount_of_two', { weight: 1, records: 1 }, (draft) => {
    const first = draft.purchase();
    const { amount, merchant_id } = first;
    const second = draft.purchase({ amount, merchant_id });
    draft.request(first, { status: 'open', held: amount });
    draft.request(second, { status: 'open', held: amount });
    const change = { net_reference_number: null, approval_code: null };
    draft.clear(first, change, { rule: 8, class: 'force_post', review: true });
    draft.standsAlone(amount, 1);
  }),
  kind('merchant_and_another_amount', { weight: 2, records: 1 }, (draft) => {
    const purchase = draft.purchase();
    const billing_amount = purchase.amount + 100;
    draft.request(purchase, { status: 'open', held: purchase.amount });
    const change = { net_reference_number: null, approval_code: null, billing_amount };
    draft.clear(purchase, change, { rule: 8, class: 'force_post' });
    draft.standsAlone(billing_amount, 1);
  }),
  kind('one_reference_of_two_open', { weight: 1, records: 1 }, (draft) => {
    const older = draft.purchase();
    const { net_reference_number, merchant_id } = older;
    const newer = draft.purchase({ amount: older.amount + 100, net_reference_number, merchant_id });
    draft.advise(older, { status: 'cleared', cleared: older.amount });
    draft.advise(newer, { status: 'open', held: newer.amount });
    const rule = draft.able.references === 'whole' ? 3 : 6;
    draft.clear(older, { approval_code: null }, { rule, class: 'exact', review: true, authorization: older });
  }),
  kind('one_reference_of_two_one_cleared', { weight: 1, records: 2 }, (draft) => {
    const cleared = draft.purchase();
    const { net_reference_number, merchant_id } = cleared;
    const open = draft.purchase({ amount: cleared.amount + 100, net_reference_number, merchant_id });
    draft.advise(cleared, { status: 'cleared', cleared: cleared.amount });
    draft.advise(open, { status: 'cleared', cleared: open.amount });
    draft.clear(cleared, {}, { ...byReference(draft, cleared), class: 'exact' });
    draft.clear(open, { approval_code: null }, { ...withoutCode(draft, open), class: 'exact' });
  }),
  kind('force_post', { weight: 4, records: 1 }, (draft) => {
    const purchase = draft.purchase();
    draft.clear(purchase, {}, { rule: 8, class: 'force_post' });
    draft.standsAlone(purchase.amount, 1);
  }),
  kind('cleared_although_declined', { weight: 1, records: 1 }, (draft) => {
    const purchase = draft.purchase();
    const declined = { response_code: '05', approval_code: null };
    draft.advise(purchase, { status: 'declined', uses: 0 }, declined);
    draft.clear(purchase, {}, { rule: 8, class: 'force_post' });
    draft.standsAlone(purchase.amount, 1);
  }),
];
