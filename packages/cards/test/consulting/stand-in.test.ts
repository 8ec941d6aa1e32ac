import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal, RequestFields } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { readStandIn, type StandInQuestion, type StandInRule, standIn } from '../../src/index.ts';

const mcc = fc.constantFrom('5411', '7995', '4111');
const merchant = fc.constantFrom('M-1', 'M-2', 'corner GROCER', 'Other');
const currency = fc.constantFrom('USD', 'EUR');
const amount = fc.integer({ min: 0, max: 20 });

const question: fc.Arbitrary<StandInQuestion> = fc.record({
  amount,
  currency,
  mcc,
  merchant_id: fc.option(merchant),
  merchant_name: fc.option(merchant),
});

const conditions = fc
  .record(
    {
      amount_min: amount,
      amount_max: amount,
      currency,
      mccs: fc.uniqueArray(mcc, { minLength: 1 }),
      merchant_ids: fc.uniqueArray(merchant, { minLength: 1 }),
      merchant_names: fc.uniqueArray(merchant, { minLength: 1 }),
    },
    { requiredKeys: [] },
  )
  .filter(({ amount_min = 0, amount_max = 20 }) => amount_min <= amount_max);

const standInRule: fc.Arbitrary<StandInRule> = fc.record({
  if: conditions,
  decision: fc.constantFrom('approve', 'decline'),
});

const rules = fc.array(standInRule, { maxLength: 6 });

/** Whether one rule alone decides, as its words say. */
function fitsInWords({ if: on }: StandInRule, asked: StandInQuestion): boolean {
  const checks = [
    on.amount_min === undefined || asked.amount >= on.amount_min,
    on.amount_max === undefined || asked.amount <= on.amount_max,
    on.currency === undefined || asked.currency === on.currency,
    on.mccs === undefined || new Set(on.mccs).has(asked.mcc),
    on.merchant_ids === undefined || new Set<string | null>(on.merchant_ids).has(asked.merchant_id),
    on.merchant_names === undefined ||
      new Set<string | undefined>(on.merchant_names.map((name) => name.toLowerCase())).has(
        asked.merchant_name?.toLowerCase(),
      ),
  ];
  return !checks.includes(false);
}

test('the first rule that fits decides, and without one the request is declined', () => {
  fc.assert(
    fc.property(rules, question, (listed, asked) => {
      const first = listed.findIndex((one) => fitsInWords(one, asked));
      const expected =
        first < 0
          ? { answer: 'decline', rule: 'default' }
          : { answer: listed[first]!.decision, rule: String(first + 1) };
      assert.deepEqual(standIn(listed, asked), expected);
    }),
    propertyParameters({ short: 300, full: 3_000 }),
  );
});

test('what follows the rule that fits changes nothing', () => {
  fc.assert(
    fc.property(rules, rules, question, (listed, further, asked) => {
      const decided = standIn(listed, asked);
      if (decided.rule !== 'default') assert.deepEqual(standIn([...listed, ...further], asked), decided);
    }),
    propertyParameters({ short: 100, full: 1_000 }),
  );
});

test('merchants are compared as merchant controls compare them', () => {
  const merchants = { merchant_ids: ['M-1'], merchant_names: ['acme gmbh'] };
  const listed: StandInRule[] = [{ if: merchants, decision: 'approve' }];
  const asked = { amount: 1, currency: 'USD', mcc: '5411', merchant_id: ' M-1  ', merchant_name: ' ＡＣＭＥ GmbH ' };
  assert.deepEqual(standIn(listed, asked), { answer: 'approve', rule: '1' });
});

test('a rule without conditions fits every request', () => {
  fc.assert(
    fc.property(question, (asked) => {
      assert.deepEqual(standIn([{ if: {}, decision: 'approve' }], asked), { answer: 'approve', rule: '1' });
    }),
    propertyParameters({ short: 50, full: 500 }),
  );
});

test('rules are read as they are written', () => {
  fc.assert(
    fc.property(rules, (listed) => {
      const sent = structuredClone(listed);
      const fields = new RequestFields({ stand_in: sent });
      assert.deepEqual(readStandIn(fields, 'stand_in'), structuredClone(sent));
      fields.refuseInvalid();
    }),
    propertyParameters({ short: 100, full: 1_000 }),
  );
});

test('every wrong value of a rule is refused by its path', () => {
  const fields = new RequestFields({
    stand_in: [
      { if: { amount_min: 9, amount_max: 3 }, decision: 'approve' },
      { if: { mccs: ['541'], currency: 'usd' }, decision: 'refuse' },
      { if: { merchant_ids: [], merchant_names: ['  '] } },
      { if: { currency: 'USX', mcc: '5411' }, decision: 'decline', otherwise: 'approve' },
      'approve',
      { if: { merchant_ids: ['M-4111111111111111'] }, decision: 'approve' },
    ],
  });
  readStandIn(fields, 'stand_in');
  assert.throws(
    () => fields.refuseInvalid(),
    (error) => {
      assert(error instanceof Refusal);
      assert.deepEqual(
        error.fields.map(({ path }) => path),
        [
          'stand_in[0].if.amount_max',
          'stand_in[1].decision',
          'stand_in[1].if.currency',
          'stand_in[1].if.mccs',
          'stand_in[2].decision',
          'stand_in[2].if.merchant_ids',
          'stand_in[2].if.merchant_names',
          'stand_in[3].otherwise',
          'stand_in[3].if.mcc',
          'stand_in[3].if.currency',
          'stand_in[4]',
          'stand_in[4].decision',
          'stand_in[5].if.merchant_ids',
        ],
      );
      return true;
    },
  );
});
