import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ClearingInput, match_rules } from '../../src/index.ts';
import { type CardSketch, NetworkWorld } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';
const merchant = { merchant_id: 'M' } as const;

describe('of two authorizations with one trace id', () => {
  test('an increment adds to the newest', () => {
    const world = new NetworkWorld(now);
    const first = world.authorize({ trace_id: 't', billing_amount: 100 });
    const second = world.authorize({ trace_id: 't', billing_amount: 200 });
    world.authorize({ trace_id: 't', billing_amount: 50, incremental: true });
    assert.deepEqual([world.row(first.id!).held, world.row(second.id!).held], [100, 250]);
  });

  test('a reversal takes the newest when neither holds an amount', () => {
    const world = new NetworkWorld(now);
    const reference = { net_reference_number: 'MCCABC1231121' };
    const older = world.authorize({ ...reference, trace_id: 'u', billing_amount: 100 });
    world.clear({ ...reference, billing_amount: 100, approval_code: older.approval_code });
    const newer = world.authorize({ ...reference, trace_id: 'u', billing_amount: 200 });
    world.clear({ ...reference, billing_amount: 200, approval_code: newer.approval_code });
    world.authorize({ trace_id: 'u', message_type_indicator: '0400' });
    assert.deepEqual([world.row(older.id!).authorized, world.row(newer.id!).authorized], [100, 0]);
  });
});

describe('an authorization with an increment', () => {
  const pounds = { currency: 'GBP' } as const;
  const cases: readonly (readonly [string, CardSketch, Partial<ClearingInput>, number])[] = [
    ['the billed sum', {}, { billing_amount: 500, merchant_amount: 390, merchant_currency: 'GBP' }, 6],
    [
      'the first amount of the merchant',
      {},
      { billing_amount: 310, merchant_amount: 240, merchant_currency: 'GBP' },
      6,
    ],
    ['neither', {}, { billing_amount: 490, merchant_amount: 390, merchant_currency: 'GBP' }, 8],
    [
      'the sum in the currency of its limits',
      pounds,
      { billing_amount: 9, merchant_amount: 400, merchant_currency: 'GBP' },
      6,
    ],
    [
      'the billed sum beside limits in pounds',
      pounds,
      { billing_amount: 400, merchant_amount: 9, merchant_currency: 'GBP' },
      8,
    ],
    [
      'the billed sum, on a card limited in the billing currency, of a clearing in another one',
      { currency: 'USD' },
      { billing_amount: 400, merchant_amount: 9, merchant_currency: 'EUR' },
      6,
    ],
    [
      'no amount in the currency of its limits',
      pounds,
      { billing_amount: 400, merchant_amount: 400, merchant_currency: 'EUR' },
      8,
    ],
  ];
  for (const [name, card, cleared, rule] of cases) {
    test(`is compared by the sum or by the amount of its message: ${name}`, () => {
      const world = new NetworkWorld(now, card);
      const merchant_currency = card.currency ?? 'GBP';
      const first = { billing_amount: 300, merchant_amount: 240, merchant_currency };
      const added = { billing_amount: 200, merchant_amount: 160, merchant_currency };
      world.authorize({ ...merchant, ...first, trace_id: 't' });
      world.authorize({ ...merchant, ...added, trace_id: 't', incremental: true });
      assert.equal(world.clear({ ...merchant, ...cleared }).match_rule, rule);
    });
  }
});

test('messages that name dates years ahead are matched by their merchant in either order', () => {
  const transaction_date_time = '2036-11-21T12:00:00Z';
  const billing_amount = 300;
  for (const first of ['authorization', 'clearing']) {
    const world = new NetworkWorld(now);
    const authorize = () => world.authorize({ ...merchant, billing_amount, transaction_date_time });
    const clear = () => world.clear({ ...merchant, billing_amount, settlement_date: '2036-11-22' });
    if (first === 'authorization') authorize();
    const { id } = clear();
    if (first === 'clearing') authorize();
    assert.equal(world.clearing(id).match_rule, 6, `the ${first} first`);
  }
});

test('a credit of the amount of a purchase that has not cleared stands alone', () => {
  const world = new NetworkWorld(now);
  world.authorize({ ...merchant, billing_amount: 300 });
  const credit = world.clear({ ...merchant, billing_amount: 300, clearing_type: 'CREDIT' });
  assert.deepEqual([credit.match_rule, credit.class, credit.authorization_id], [7, 'refund_unlinked', null]);
});

test('a message reversal finds its only clearing, whatever the type that it is sent with', () => {
  const same = { acquirer_reference_data: '55432861234567890', approval_code: 'A1B2C3' };
  for (const clearing_type of ['DEBIT', 'CREDIT']) {
    const world = new NetworkWorld(now);
    world.clear({ ...same, clearing_type });
    const reversal = world.clear({ ...same, clearing_type: 'CREDIT', cycle: 'reversal' });
    assert.deepEqual([reversal.match_rule, reversal.clearing_id, world.counters.cleared], [1, 1, 0]);
  }
});

test('the documented rules of matching are numbered 0 to 8 in the order in which they are tried, and 9 is by hand', () => {
  assert.deepEqual(
    match_rules.map(({ rule }) => rule),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
});

test('an authorization that was reversed down to one cent matches a clearing of one cent', () => {
  const world = new NetworkWorld(now);
  world.authorize({ ...merchant, billing_amount: 300, trace_id: 't' });
  const replacement_amounts = { billing_amount: 1 };
  world.authorize({ message_type_indicator: '0400', trace_id: 't', billing_amount: 300, replacement_amounts });
  assert.equal(world.clear({ ...merchant, billing_amount: 1 }).match_rule, 6);
});

test('rule 4 does not reach from 30 December to 1 January', () => {
  for (const [cycle, rule] of [
    ['1231', 4],
    ['1230', 8],
  ] as const) {
    const world = new NetworkWorld(now);
    const { approval_code } = world.authorize({ net_reference_number: `MCCABC123${cycle}` });
    const cleared = world.clear({ net_reference_number: 'MCCABC1230101', approval_code, billing_amount: 1 });
    assert.equal(cleared.match_rule, rule);
  }
});
