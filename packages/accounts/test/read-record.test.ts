import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BankAccount, bank_record_fields, bank_record_kinds, readRecord } from '@tallystick/accounts';
import fc from 'fast-check';

const account: BankAccount = {
  id: 7,
  company_id: 1,
  number: '1000000001',
  currency: 'USD',
  kind: 'deposit',
  name: null,
  created_at_ms: 0,
  first_statement: null,
  last_statement: null,
  profile: null,
};

const caller = { served_company_id: null, now_ms: Date.parse('2030-03-15T10:00:00Z') };

const known = {
  hasCompany: (id: number) => id === 1,
  account: (number: string) => (number === account.number ? account : undefined),
};

const read = (value: unknown) => readRecord(value, caller, known);

function pathsOf(value: unknown): readonly string[] {
  const found = read(value);
  return 'problems' in found ? found.problems.map(({ path }) => path).toSorted() : [];
}

const standing_order = {
  kind: 'standing_order',
  account: account.number,
  reference: 'S1',
  status: 'active',
  frequency: 'EvryDay',
  creditor_scheme_name: 'UK.OBIE.IBAN',
  creditor_identification: 'GB29NWBK60161331926819',
};

describe('a record of the bank', () => {
  test('has the frequencies of the standard', () => {
    const frequencies: Readonly<Record<string, boolean>> = {
      NotKnown: true,
      EvryWorkgDay: true,
      'IntrvlDay:31': true,
      'IntrvlDay:32': false,
      'IntrvlDay:01': false,
      'IntrvlWkDay:09:07': true,
      'IntrvlWkDay:10:01': false,
      'WkInMnthDay:05:07': true,
      'WkInMnthDay:06:01': false,
      'IntrvlMnthDay:24:-05': true,
      'IntrvlMnthDay:07:01': false,
      'QtrDay:SCOTTISH': true,
      'QtrDay:scottish': false,
      'EvryDay ': false,
      Monthly: false,
    };
    for (const [frequency, is_known] of Object.entries(frequencies)) {
      assert.deepEqual(pathsOf({ ...standing_order, frequency }), is_known ? [] : ['frequency'], frequency);
    }
  });

  test('has the date and the amount of a payment together', () => {
    for (const which of ['first', 'next', 'last', 'final']) {
      const [on, amount] = [`${which}_payment_on`, `${which}_payment_amount`];
      assert.deepEqual(pathsOf({ ...standing_order, [on]: '2030-01-01', [amount]: 5 }), []);
      assert.deepEqual(pathsOf({ ...standing_order, [on]: '2030-01-01' }), [amount]);
      assert.deepEqual(pathsOf({ ...standing_order, [amount]: 5 }), [on]);
    }
  });

  test('reports each field that is required, once', () => {
    const required = ['creditor_identification', 'creditor_scheme_name', 'frequency', 'reference', 'status'];
    const bare = { account: account.number };
    assert.deepEqual(pathsOf({ kind: 'standing_order', ...bare }), required);
    assert.deepEqual(pathsOf({ kind: 'standing_order' }), ['account', ...required]);
    assert.deepEqual(pathsOf({ kind: 'standing_order', account: 'unknown' }), ['account', ...required]);
    assert.deepEqual(pathsOf({ kind: 'transaction', ...bare }), [
      'amount',
      'bai_code',
      'bank_reference',
      'booking_date',
    ]);
    assert.deepEqual(pathsOf({ kind: 'profile', ...bare }), []);
  });

  test('shows no more of a card number than its last four digits', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{13,19}$/), (digits) => {
        const found = read({ ...standing_order, creditor_scheme_name: 'UK.OBIE.PAN', creditor_identification: digits });
        assert.ok('record' in found);
        const text = JSON.stringify(found.record);
        assert.ok(text.includes(`"************${digits.slice(-4)}"`) && !text.includes(digits));
      }),
    );
  });

  test('is refused with at least one problem, or is whole, whatever its values', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.string()),
      fc.constantFrom('active', '2030-01-01', account.number, 'UK.OBIE.PAN', '821', 'EvryDay'),
    );
    const record = fc
      .constantFrom(...bank_record_kinds)
      .chain((kind) =>
        fc
          .record(Object.fromEntries(bank_record_fields[kind].map((name) => [name, value])), { requiredKeys: [] })
          .map((fields) => ({ account: account.number, ...fields, kind })),
      );
    fc.assert(
      fc.property(fc.oneof(record, fc.jsonValue()), (one) => {
        const found = read(one);
        if ('problems' in found) assert.ok(found.problems.length > 0);
        else assert.ok(Object.values(found.record.content).every((content) => content !== undefined));
      }),
    );
  });
});
