import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BankFields } from '../src/reporting/bank-fields.ts';
import { readDirectDebit, readScheduledPayment, readStandingOrder } from '../src/reporting/read-orders.ts';

const account = {
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
} as const;

const creditor = {
  payment_reference: 'R1',
  creditor_scheme_name: 'UK.OBIE.Wallet',
  creditor_identification: 'W1',
  creditor_name: 'Acme',
};

const readers = {
  'a direct debit': {
    read: readDirectDebit,
    whole: { mandate_reference: 'M1', status: 'active', name: 'Power', frequency: 'Monthly' },
    required: ['mandate_reference', 'status', 'name'],
    longest: { mandate_reference: 35, name: 70, frequency: 35 },
  },
  'a standing order': {
    read: readStandingOrder,
    whole: { reference: 'S1', status: 'active', frequency: 'EvryDay', number_of_payments: '3', ...creditor },
    required: ['reference', 'status', 'frequency', 'creditor_scheme_name', 'creditor_identification'],
    longest: {
      reference: 40,
      number_of_payments: 35,
      payment_reference: 35,
      creditor_identification: 256,
      creditor_name: 350,
    },
  },
  'a scheduled payment': {
    read: readScheduledPayment,
    whole: { reference: 'P1', status: 'pending', scheduled_on: '2030-01-01', amount: 5, ...creditor },
    required: ['reference', 'status', 'scheduled_on', 'amount', 'creditor_scheme_name', 'creditor_identification'],
    longest: { reference: 40, payment_reference: 35, creditor_identification: 256, creditor_name: 350 },
  },
} as const;

for (const [what, { read, whole, required, longest }] of Object.entries(readers)) {
  const outcomeOf = (fields: object) => {
    const reading = new BankFields(fields);
    const found = read(reading, account, 9);
    try {
      reading.refuseInvalid();
      return found;
    } catch {
      return { refused: found };
    }
  };

  describe(`${what} of the bank`, () => {
    test('has its fields, the account and the time of the report', () => {
      assert.deepEqual(outcomeOf(whole), { ...outcomeOf(whole), ...whole, account_id: 7, updated_at_ms: 9 });
    });

    for (const name of required) {
      test(`is none without ${name}, or with one that is invalid`, () => {
        for (const value of [undefined, null, {}]) {
          assert.deepEqual(outcomeOf({ ...whole, [name]: value }), { refused: null }, String(value));
        }
      });
    }

    for (const [name, length_max] of Object.entries(longest)) {
      test(`takes ${length_max} characters of ${name}, and no more`, () => {
        const of = (length: number) => outcomeOf({ ...whole, [name]: 'x'.repeat(length) }) as Record<string, unknown>;
        assert.equal(of(length_max)?.[name], 'x'.repeat(length_max));
        assert.ok('refused' in of(length_max + 1));
      });
    }
  });
}
