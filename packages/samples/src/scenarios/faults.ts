import { type FormatAbilities, withReferences } from '../format-abilities.ts';
import { buy } from './credits.ts';
import { byReference } from './purchases.ts';
import { kind, type ScenarioKind } from './scenario.ts';

const twoDisputes = ({ dispute }: FormatAbilities): number | null => (dispute ? 2 : null);

/** Scenarios of second presentments and chargebacks (rule 2). They leave the card as it is. */
const disputes: readonly ScenarioKind[] = [
  kind('second_presentment', { weight: 1, records: twoDisputes }, (draft) => {
    const purchase = draft.purchase();
    const earlier = buy(draft, purchase, { cleared: purchase.amount });
    const { acquirer_reference_data } = earlier.input;
    const change = { acquirer_reference_data, cycle: 'second_presentment' } as const;
    draft.clear(purchase, change, { rule: 2, class: 'dispute', authorization: purchase, earlier });
  }),
  kind('chargeback', { weight: 1, records: twoDisputes }, (draft) => {
    const purchase = draft.purchase();
    const earlier = buy(draft, purchase, { cleared: purchase.amount });
    const { acquirer_reference_data } = earlier.input;
    const change = { acquirer_reference_data, cycle: 'chargeback', clearing_type: 'CREDIT' } as const;
    draft.clear(purchase, change, { rule: 2, class: 'dispute', authorization: purchase, earlier });
  }),
  kind('dispute_without_a_clearing', { weight: 1, records: ({ dispute }) => (dispute ? 1 : null) }, (draft) => {
    draft.clear(draft.purchase(), { cycle: 'second_presentment' }, { rule: 8, class: 'dispute', review: true });
  }),
];

/** Scenarios of repeated clearings (rule 0, and the class for a repetition under another id). */
const repetitions: readonly ScenarioKind[] = [
  kind('same_id_twice', { weight: 2, records: ({ transaction_id }) => (transaction_id ? 2 : null) }, (draft) => {
    const purchase = draft.purchase();
    draft.repeat(buy(draft, purchase, { cleared: purchase.amount }));
  }),
  kind('same_clearing_under_two_ids', { weight: 2, records: withReferences(2) }, (draft) => {
    const purchase = draft.purchase();
    const { acquirer_reference_data } = buy(draft, purchase, { cleared: 2 * purchase.amount }).input;
    const change = { acquirer_reference_data };
    draft.clear(purchase, change, { ...byReference(draft, purchase), class: 'suspected_duplicate' });
  }),
];

const quarantined = (quarantine: string) => ({ rule: null, class: null, quarantine });

/** Scenarios of records that cannot be applied. */
const unusable: readonly ScenarioKind[] = [
  kind('unknown_card', { weight: 1, records: 1 }, (draft) => {
    draft.clear(draft.purchase(), { card: null }, quarantined('unknown_card'));
  }),
  kind('other_billing_currency', { weight: 1, records: 1 }, (draft) => {
    const change = { billing_currency: 'EUR', merchant_currency: 'EUR' };
    draft.clear(draft.purchase(), change, quarantined('other_billing_currency'));
  }),
  kind(
    'id_of_another_card',
    { weight: 1, ordered: true, records: ({ transaction_id }) => (transaction_id ? 2 : null) },
    (draft) => {
      const purchase = draft.purchase();
      const first = buy(draft, purchase, { cleared: purchase.amount });
      const { network_financial_transaction_id } = first.input;
      const { other_card } = draft;
      if (other_card === null) draft.repeat(first);
      else {
        const change = { network_financial_transaction_id, card: other_card };
        draft.clear(draft.purchase(), change, quarantined('transaction_of_another_card'));
      }
    },
  ),
  kind('malformed_record', { weight: 1, records: 1 }, (draft) => {
    draft.clear(draft.purchase(), { malformed: true }, quarantined('malformed_record'));
  }),
  kind('number_of_another_card', { weight: 1, records: ({ masked_number }) => (masked_number ? 1 : null) }, (draft) => {
    draft.clear(draft.purchase(), { other_last4: true }, quarantined('card_mismatch'));
  }),
];

/** Disputes, repetitions and what cannot be applied. */
export const fault_scenarios: readonly ScenarioKind[] = [...disputes, ...repetitions, ...unusable];
