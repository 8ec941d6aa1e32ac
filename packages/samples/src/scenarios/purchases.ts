import { withReferences } from '../format-abilities.ts';
import { kind, type Purchase, type ScenarioDraft, type ScenarioKind } from './scenario.ts';

const uncleared: readonly ScenarioKind[] = [
  kind('open', { weight: 6, records: 0 }, (draft) => {
    const purchase = draft.purchase();
    draft.request(purchase, { status: 'open', held: purchase.amount });
  }),
  kind('reversed', { weight: 2, ordered: true, records: 0 }, (draft) => {
    const purchase = draft.purchase();
    draft.request(purchase, { status: 'reversed', uses: 0 });
    draft.reverse(purchase);
  }),
  kind('declined', { weight: 2, records: 0 }, (draft) => {
    draft.advise(draft.purchase(), { status: 'declined', uses: 0 }, { response_code: '05', approval_code: null });
  }),
];

/** One authorization and one clearing, of the amounts that their class is about. */
const amounts: readonly ScenarioKind[] = [
  // These also fill the rest of a deck.
  amountKind('purchase', 30, 'exact', (purchase) => ({ cleared: purchase.amount })),
  kind('requested_purchase', { weight: 20, records: 1 }, (draft) => {
    const purchase = draft.purchase();
    draft.request(purchase, { status: 'cleared', cleared: purchase.amount });
    draft.clear(purchase, { approval_code: null }, { ...withoutCode(draft, purchase), class: 'exact' });
  }),
  kind('sent_by_message_before', { weight: 8, records: 1 }, (draft) => {
    const purchase = draft.purchase();
    draft.advise(purchase, { status: 'cleared', cleared: purchase.amount });
    draft.clear(purchase, {}, { ...byReference(draft, purchase), class: 'exact', sent_before: true });
  }),
  amountKind('tip', 6, 'tip', ({ amount }, { draw }) => ({ cleared: (amount * draw.between(105, 120)) / 100 }), '5812'),
  amountKind(
    'tip_at_a_hotel',
    3,
    'tip',
    ({ amount }, { draw }) => ({ cleared: (amount * draw.between(105, 115)) / 100 }),
    '3501',
  ),
  amountKind('over', 3, 'over', ({ amount }, { draw }) => ({ cleared: (amount * draw.between(101, 140)) / 100 })),
  amountKind('over_at_a_hotel', 1, 'over', ({ amount }) => ({ cleared: (amount * 116) / 100 }), '7011'),
  amountKind('under', 4, 'under', ({ amount }, { draw }) => ({ cleared: (amount * draw.between(50, 99)) / 100 })),
  kind('late', { weight: 3, records: 1 }, (draft) => {
    const purchase = draft.purchase();
    // Rule 6 reaches 35 days.
    const days = draft.by_reference === 6 ? 34 : 40;
    draft.advise(purchase, { status: 'cleared', cleared: purchase.amount });
    draft.clear(purchase, { days }, { ...byReference(draft, purchase), class: 'late' });
  }),
  kind('late_by_code_and_merchant', { weight: 2, records: withReferences(1) }, (draft) => {
    const purchase = draft.purchase();
    draft.advise(purchase, { status: 'cleared', cleared: purchase.amount });
    const change = { days: 33, net_reference_number: null };
    draft.clear(purchase, change, { rule: 5, class: 'late', authorization: purchase });
  }),
];

const currencies: readonly ScenarioKind[] = [
  foreignKind('foreign_purchase', 'exact', ({ amount }) => amount),
  foreignKind('exchange_rate_moved', 'fx_drift', ({ amount }, { draw }) => (amount * draw.between(101, 110)) / 100),
  convertedKind('converted_by_merchant', 2, 'fx_drift', ({ amount }, { draw }) => {
    return (amount * draw.between(103, 120)) / 100;
  }),
  convertedKind('converted_far_above', 1, 'over', ({ amount }) => (amount * 130) / 100),
  convertedKind('converted_far_below', 1, 'under', ({ amount }) => (amount * 70) / 100),
];

/** Several clearings of one authorization, and several authorizations of one clearing. */
const parts: readonly ScenarioKind[] = [
  partsKind('two_parts', 2),
  partsKind('three_parts', 3),
  kind('first_part_only', { weight: 2, records: withReferences(1) }, (draft) => {
    const purchase = draft.purchase();
    const part = purchase.amount / 4;
    const { partial } = draft.able;
    draft.advise(
      purchase,
      partial
        ? { status: 'partially_cleared', held: purchase.amount - part, cleared: part }
        : { status: 'cleared', cleared: part },
    );
    const change = { billing_amount: part, partial: true };
    draft.clear(purchase, change, { ...byReference(draft, purchase), class: partial ? 'partial' : 'under' });
  }),
  kind('increased_before_clearing', { weight: 2, ordered: true, records: 1 }, (draft) => {
    const purchase = draft.purchase();
    const increment = draft.amount();
    const billing_amount = purchase.amount + increment;
    draft.advise(purchase, { status: 'cleared', cleared: billing_amount });
    draft.increase(purchase, increment);
    draft.clear(purchase, { billing_amount }, { ...byReference(draft, purchase), class: 'exact' });
  }),
  kind('lowered_before_clearing', { weight: 2, ordered: true, records: 1 }, (draft) => {
    const purchase = draft.purchase();
    const billing_amount = purchase.amount / 2;
    draft.advise(purchase, { status: 'cleared', cleared: billing_amount });
    draft.reverse(purchase, billing_amount);
    draft.clear(purchase, { billing_amount }, { ...byReference(draft, purchase), class: 'exact' });
  }),
  kind('cleared_after_reversal', { weight: 1, ordered: true, records: withReferences(1) }, (draft) => {
    const purchase = draft.purchase();
    draft.advise(purchase, { status: 'cleared', cleared: purchase.amount });
    draft.reverse(purchase);
    draft.clear(purchase, {}, { ...byReference(draft, purchase), class: 'over' });
  }),
];

/** Scenarios of rules 3 and 4, or 6 without references, and of all classes of amounts. */
export const purchase_scenarios: readonly ScenarioKind[] = [...uncleared, ...amounts, ...currencies, ...parts];

/** The scenario of one record that fills a deck. */
export const plain_purchase: ScenarioKind = amounts[0]!;

/**
 * The outcome of a clearing that has the reference and the approval code of its purchase. In a
 * format without references it must have the merchant and the amount of the purchase.
 */
export function byReference(
  { by_reference }: ScenarioDraft,
  purchase: Purchase,
): { readonly rule: 3 | 4 | 6; readonly review: boolean; readonly authorization: Purchase } {
  return { rule: by_reference, review: by_reference === 6, authorization: purchase };
}

/**
 * The outcome of a clearing that has the reference of its purchase, but no approval code: six
 * characters of the reference are not enough then, and the merchant and the amount find it.
 */
export function withoutCode(
  { able }: ScenarioDraft,
  purchase: Purchase,
): { readonly rule: 3 | 6; readonly review?: true; readonly authorization: Purchase } {
  if (able.references === 'whole') return { rule: 3, authorization: purchase };
  return { rule: 6, review: true, authorization: purchase };
}

/** One clearing of an amount in the currency of the card. */
function amountKind(
  name: string,
  weight: number,
  its_class: 'exact' | 'tip' | 'over' | 'under',
  amountOf: (purchase: Purchase, draft: ScenarioDraft) => { readonly cleared: number },
  mcc = '5411',
): ScenarioKind {
  // Rule 6 finds no other amount.
  return kind(name, { weight, records: its_class === 'exact' ? 1 : withReferences(1) }, (draft) => {
    const purchase = draft.purchase({ mcc });
    const { cleared } = amountOf(purchase, draft);
    draft.advise(purchase, { status: 'cleared', cleared });
    draft.clear(purchase, { billing_amount: cleared }, { ...byReference(draft, purchase), class: its_class });
  });
}

/** A purchase in euros: the merchant's amount is the authorized one. */
function foreignKind(
  name: string,
  its_class: 'exact' | 'fx_drift',
  billedOf: (purchase: Purchase, draft: ScenarioDraft) => number,
): ScenarioKind {
  return kind(name, { weight: 4, records: 1 }, (draft) => {
    const purchase = euros(draft);
    const billing_amount = billedOf(purchase, draft);
    draft.advise(purchase, { status: 'cleared', cleared: billing_amount });
    draft.clear(purchase, { billing_amount }, { ...byReference(draft, purchase), class: its_class });
  });
}

/** A purchase authorized in euros whose merchant charges in the currency of the card. */
function convertedKind(
  name: string,
  weight: number,
  its_class: 'fx_drift' | 'over' | 'under',
  billedOf: (purchase: Purchase, draft: ScenarioDraft) => number,
): ScenarioKind {
  return kind(name, { weight, records: withReferences(1) }, (draft) => {
    const purchase = euros(draft);
    const billing_amount = billedOf(purchase, draft);
    draft.advise(purchase, { status: 'cleared', cleared: billing_amount });
    draft.clear(
      purchase,
      { billing_amount, merchant_amount: billing_amount, merchant_currency: 'USD' },
      // Only rule 3 asks for a review of another currency.
      { ...byReference(draft, purchase), class: its_class, review: draft.by_reference === 3 },
    );
  });
}

function euros(draft: ScenarioDraft): Purchase {
  const amount = draft.amount();
  return draft.purchase({ amount, merchant_amount: (amount * 9) / 10, merchant_currency: 'EUR' });
}

/**
 * Parts of one authorization, of which the last is final. A format without parts makes each final.
 */
function partsKind(name: string, count: number): ScenarioKind {
  return kind(name, { weight: 2, records: withReferences(count) }, (draft) => {
    const part = draft.amount();
    const purchase = draft.purchase({ amount: part * count });
    draft.advise(purchase, { status: 'cleared', cleared: purchase.amount });
    for (let number = 1; number <= count; number += 1) {
      const partial = number < count;
      const before = draft.able.partial ? 'partial' : 'under';
      const change = { billing_amount: part, partial };
      draft.clear(purchase, change, { ...byReference(draft, purchase), class: partial ? before : 'exact' });
    }
  });
}
