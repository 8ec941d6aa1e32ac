import { type ClearingInput, namesNothing } from '@tallystick/cards';
import type { FileContent, WrittenClearing } from '@tallystick/imports';
import fc from 'fast-check';

/** The content of a file, with clearings that can be taken more than once. */
export interface TestContent extends FileContent {
  readonly clearings: readonly WrittenClearing[];
}

export function arbitraryContent(clearing: fc.Arbitrary<WrittenClearing>): fc.Arbitrary<TestContent> {
  return fc.record({
    sequence: fc.integer({ min: 1, max: 999_999 }),
    created_on: arbitrary_day,
    mode: fc.constantFrom('production', 'test'),
    clearings: fc.array(clearing, { maxLength: 30 }),
  });
}

export const arbitrary_day: fc.Arbitrary<string> = fc
  .date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2099-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

const currency = fc.constantFrom('USD', 'EUR', 'JPY', 'GBP', 'CHF');
const amount = fc.integer({ min: 0, max: 1_000_000_000_000 });

/** The fields of a clearing that every format has, without the card. */
export function arbitraryFields(
  text: fc.Arbitrary<string>,
): fc.Arbitrary<Omit<ClearingInput, 'card_number' | 'vcn_id' | 'net_reference_number'>> {
  const optional = fc.option(text, { nil: null });
  return fc
    .record({
      network_financial_transaction_id: text.filter((id) => !namesNothing(id)),
      billing_amount: amount,
      billing_currency: currency,
      merchant: fc.option(fc.record({ merchant_amount: amount, merchant_currency: currency }), { nil: null }),
      clearing_type: fc.constantFrom('DEBIT', 'CREDIT'),
      settlement_date: arbitrary_day,
      authorization_date: fc.option(arbitrary_day, { nil: null }),
      acquirer_ica: optional,
      acquirer_reference_data: optional,
      approval_code: fc.option(
        fc.stringMatching(/^[0-9A-Z]{6}$/).filter((code) => code !== '000000'),
        { nil: null },
      ),
      exchange_rate: fc.option(fc.stringMatching(/^\d{1,4}\.\d{1,5}[1-9]$/), { nil: null }),
      mcc: fc.option(fc.stringMatching(/^\d{3}[1-9]$/), { nil: null }),
      merchant_id: optional,
      merchant_name: optional,
    })
    .map(({ merchant, ...fields }) => ({
      ...fields,
      ...(merchant ?? { merchant_amount: null, merchant_currency: null }),
    }));
}
