import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ClearingInput, contentOf } from '../../src/index.ts';
import { numberOf, vault } from '../network-world.ts';

const input = {
  card_number: numberOf(1),
  clearing_type: 'DEBIT',
  cycle: 'first_presentment',
  billing_amount: 1_000,
  billing_currency: 'USD',
  merchant_amount: 900,
  merchant_currency: 'EUR',
  acquirer_reference_data: '55432861234567890',
  approval_code: 'A00001',
  settlement_date: '2026-11-23',
} as const;

const content = (change: Partial<ClearingInput> = {}) => contentOf({ ...input, ...change }, vault);

describe('the content of a clearing without an id', () => {
  test('is the same in copies, and in what no copy has to agree in', () => {
    assert.equal(content(), content({ merchant_name: 'Café', mcc: '5812', net_reference_number: 'MCCABC1231121' }));
  });

  const changes: readonly Partial<ClearingInput>[] = [
    { card_number: numberOf(2) },
    { clearing_type: 'CREDIT' },
    { cycle: 'reversal' },
    { billing_amount: 1_001 },
    { billing_currency: 'GBP' },
    { merchant_amount: 901 },
    { merchant_currency: 'GBP' },
    { acquirer_reference_data: '55432861234567891' },
    { approval_code: 'A00002' },
    { settlement_date: '2026-11-24' },
  ];
  for (const change of changes) {
    test(`is another with ${JSON.stringify(change)}`, () => assert.notEqual(content(change), content()));
  }

  test('is the same without a value, whatever a file writes for none', () => {
    assert.equal(content({ cycle: null }), content());
    const fields = ['merchant_amount', 'merchant_currency', 'acquirer_reference_data', 'approval_code'] as const;
    for (const field of fields) assert.equal(content({ [field]: undefined }), content({ [field]: null }), field);
    for (const none of ['', '000000', ' ']) {
      assert.equal(content({ approval_code: none }), content({ approval_code: null }), `approval code '${none}'`);
    }
  });

  test('names a card by its id when it has no number, and else by the index of the number', () => {
    const { card_number: _, ...unnumbered } = input;
    assert.equal(contentOf({ ...unnumbered, vcn_id: 1 }, vault), contentOf({ ...unnumbered, vcn_id: '1' }, vault));
    assert.notEqual(contentOf({ ...unnumbered, vcn_id: 1 }, vault), contentOf({ ...unnumbered, vcn_id: 2 }, vault));
    assert.ok(!content().includes(numberOf(1)));
  });
});
