import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import { utcDateAt } from '@tallystick/velocity';
import { type AuthorizationInput, type ClearingInput, clearing_classes } from '../../src/index.ts';
import { aging, NetworkWorld } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';

type Authorized = Partial<AuthorizationInput>;
type Cleared = Partial<ClearingInput>;

/** Returns the rule that matches the clearing to the single authorization; 8 when none does. */
function ruleOf(authorized: Authorized, cleared: Cleared, later = now) {
  const world = new NetworkWorld(now);
  world.authorize(authorized);
  world.now = later;
  return world.clear(cleared).match_rule;
}

describe('rule 3: the whole network reference number', () => {
  const ref = { net_reference_number: 'MCCABC1231121' };

  test('matches', () => assert.equal(ruleOf(ref, ref), 3));
  test('requires all thirteen characters', () => {
    const six = { net_reference_number: '   ABC123    ' };
    assert.equal(ruleOf(six, six), 8);
  });
  for (const [billing_amount, expected] of [
    [1_000, 'exact'],
    [799, 'under'],
    [800, 'fx_drift'],
    [999, 'fx_drift'],
    [1_001, 'fx_drift'],
    [1_200, 'fx_drift'],
    [1_201, 'over'],
  ] as const) {
    test(`matches another merchant currency, for review: ${billing_amount} of 1000 billed is ${expected}`, () => {
      const world = new NetworkWorld(now);
      world.authorize({ ...ref, mcc: '5812' });
      const item = world.clear({ ...ref, billing_amount, merchant_amount: 1_000, merchant_currency: 'GBP' });
      assert.deepEqual([item.match_rule, item.review, item.class], [3, true, expected]);
    });
  }
  test('compares only sums in another merchant currency after a part was cleared', () => {
    const world = new NetworkWorld(now);
    world.authorize(ref);
    world.clear({ ...ref, billing_amount: 400, partial: true });
    const item = world.clear({ ...ref, billing_amount: 600, merchant_amount: 500, merchant_currency: 'GBP' });
    assert.deepEqual([item.review, item.class], [true, 'exact']);
  });
  test('calls an excess of sums in another merchant currency a drift, and never a tip', () => {
    for (const [billing_amount, expected] of [
      [601, 'fx_drift'],
      [800, 'fx_drift'],
      [801, 'over'],
      [399, 'under'],
    ] as const) {
      const world = new NetworkWorld(now);
      world.authorize({ ...ref, mcc: '5812' });
      world.clear({ ...ref, billing_amount: 400, partial: true });
      const item = world.clear({ ...ref, billing_amount, merchant_amount: 500, merchant_currency: 'GBP' });
      assert.equal(item.class, expected);
    }
  });
  test('needs no review in the same merchant currency or without one', () => {
    const pounds = { ...ref, merchant_amount: 800, merchant_currency: 'GBP' };
    for (const cleared of [pounds, ref]) {
      const world = new NetworkWorld(now);
      world.authorize(pounds);
      assert.deepEqual([world.clear(cleared).match_rule, world.clearing(1).review], [3, false]);
    }
  });
  test('requires the same approval code when both have one', () => {
    const world = new NetworkWorld(now);
    const { approval_code } = world.authorize(ref);
    assert.equal(world.clear({ ...ref, approval_code: 'ZZZZZ9' }).match_rule, 8);
    assert.equal(world.clear({ ...ref, approval_code }).match_rule, 3);
  });

  describe('of several authorizations with one reference, chooses', () => {
    const states: Readonly<Record<string, (world: NetworkWorld) => number>> = {
      open: (world) => world.authorize(ref).id!,
      partially_cleared: (world) => {
        const { id, approval_code } = world.authorize(ref);
        world.clear({ ...ref, approval_code, billing_amount: 100, partial: true });
        return id!;
      },
      reversed: (world) => {
        const { id, trace_id } = world.authorize(ref);
        world.authorize({ message_type_indicator: '0400', trace_id: trace_id as string });
        return id!;
      },
      cleared: (world) => {
        const { id, approval_code } = world.authorize(ref);
        world.clear({ ...ref, approval_code });
        return id!;
      },
      expired: (world) => {
        const { id } = world.authorize(ref);
        world.now_ms += 8 * 86_400_000;
        world.authorize({ billing_amount: 200_000 });
        return id!;
      },
      released: (world) => {
        const { id } = world.authorize(ref);
        world.release(id!);
        return id!;
      },
    };
    const cases: readonly (readonly [readonly string[], number, boolean])[] = [
      [['expired', 'cleared', 'open'], 2, false],
      [['cleared', 'partially_cleared', 'reversed'], 1, false],
      [['open', 'partially_cleared'], 0, true],
      [['expired', 'open', 'open'], 1, true],
      [['cleared', 'expired', 'reversed'], 1, false],
      [['cleared', 'released', 'reversed'], 1, false],
      [['released', 'expired'], 0, true],
      [['cleared', 'reversed'], 0, true],
    ];
    for (const [made, chosen, review] of cases) {
      test(`of ${made.join(', ')}: ${made[chosen]}${review ? ', the oldest, for review' : ''}`, () => {
        const world = new NetworkWorld(now, aging);
        const ids = made.map((state) => states[state]!(world));
        const settlement_date = utcDateAt(world.now_ms + 2 * 86_400_000);
        const item = world.clear({ ...ref, merchant_id: 'M', settlement_date });
        assert.deepEqual([item.match_rule, item.authorization_id, item.review], [3, ids[chosen], review]);
      });
    }
  });
});

describe('rule 4: the six characters of the reference, the day and the approval code', () => {
  const advice = { message_type_indicator: '0120', approval_code: 'A1B2C3' };
  const authorized = { ...advice, net_reference_number: 'MCCABC1231121' };
  const cleared = { approval_code: 'A1B2C3', net_reference_number: '   ABC123    ' };

  for (const [authorization_date, rule] of [
    ['2026-11-19', 8],
    ['2026-11-20', 4],
    ['2026-11-21', 4],
    ['2026-11-22', 4],
    ['2026-11-23', 8],
  ] as const) {
    test(`of an authorization of 2026-11-21 ${rule === 4 ? 'matches' : 'does not match'} ${authorization_date}`, () => {
      assert.equal(ruleOf(authorized, { ...cleared, authorization_date }), rule);
    });
  }
  for (const [date, rule] of [
    ['1231', 4],
    ['0102', 4],
    ['0103', 8],
  ] as const) {
    test(`without a date uses the cycle dates: 0101 and ${date}`, () => {
      const first = { ...advice, net_reference_number: 'MCCABC1230101' };
      assert.equal(ruleOf(first, { ...cleared, net_reference_number: `MCCABC123${date}` }), rule);
    });
  }
  test('requires a date in the clearing or in both references', () => {
    assert.equal(ruleOf(authorized, cleared), 8);
  });
  test('requires the approval code', () => {
    const day = { authorization_date: '2026-11-21' };
    assert.equal(ruleOf(authorized, { ...cleared, ...day, approval_code: null }), 8);
    assert.equal(ruleOf(authorized, { ...cleared, ...day, approval_code: 'A1B2C4' }), 8);
  });
});

describe('rule 5: approval code, merchant and an amount within 20 %', () => {
  const authorized = { message_type_indicator: '0120', approval_code: 'A1B2C3', merchant_id: 'M' };
  const cleared = { approval_code: 'A1B2C3', merchant_id: 'M' };

  for (const [amount, rule] of [
    [799, 8],
    [800, 5],
    [1_200, 5],
    [1_201, 8],
  ] as const) {
    test(`${rule === 5 ? 'matches' : 'does not match'} ${amount} of 1000`, () => {
      assert.equal(ruleOf(authorized, { ...cleared, billing_amount: amount }), rule);
    });
  }
  test('compares merchant amounts first', () => {
    const pounds = { merchant_amount: 700, merchant_currency: 'GBP' };
    assert.equal(ruleOf({ ...authorized, ...pounds }, { ...cleared, ...pounds, billing_amount: 2_000 }), 5);
    const more_pounds = { ...pounds, merchant_amount: 1_400 };
    assert.equal(ruleOf({ ...authorized, ...pounds }, { ...cleared, ...more_pounds, billing_amount: 1_000 }), 8);
  });
  test('compares billed amounts if the merchant currencies differ', () => {
    const pounds = { merchant_amount: 1_000, merchant_currency: 'GBP' };
    assert.equal(ruleOf(authorized, { ...cleared, ...pounds, billing_amount: 2_000 }), 8);
    assert.equal(ruleOf(authorized, { ...cleared, ...pounds, billing_amount: 1_200 }), 5);
  });
  test('matches a part of any size', () => {
    assert.equal(ruleOf(authorized, { ...cleared, billing_amount: 100, partial: true }), 5);
  });
  test('compares with the amount including increments', () => {
    const world = new NetworkWorld(now);
    world.authorize({ ...authorized, trace_id: 'T' });
    world.authorize({ trace_id: 'T', incremental: true, billing_amount: 2_000 });
    assert.equal(world.clear({ ...cleared, billing_amount: 3_100 }).match_rule, 5);
  });
  for (const [settlement_date, rule] of [
    ['2026-10-16', 8],
    ['2026-10-17', 5],
    ['2026-12-26', 5],
    ['2026-12-27', 8],
  ] as const) {
    test(`${rule === 5 ? 'reaches' : 'does not reach'} 2026-11-21 from ${settlement_date}, whenever it arrives`, () => {
      for (const at of [now, '2027-06-01T12:00:00Z']) {
        assert.equal(ruleOf(authorized, { ...cleared, settlement_date }, at), rule);
      }
    });
  }
  for (const other of [{ approval_code: 'A1B2C4' }, { merchant_id: 'N' }, { approval_code: null }]) {
    test(`does not match ${JSON.stringify(other)} with another amount`, () => {
      assert.equal(ruleOf(authorized, { ...cleared, ...other, billing_amount: 1_001 }), 8);
    });
  }
});

describe('rule 6: amount and merchant alone', () => {
  const shop = { merchant_id: 'M' };

  test('matches the only candidate, for review', () => {
    const world = new NetworkWorld(now);
    const root = world.authorize(shop);
    const item = world.clear(shop);
    assert.deepEqual([item.match_rule, item.review, item.authorization_id], [6, true, root.id]);
  });
  test('is never applied automatically when there is more than one', () => {
    const world = new NetworkWorld(now);
    world.authorize(shop);
    world.authorize(shop);
    const item = world.clear(shop);
    assert.deepEqual([item.match_rule, item.review, item.class], [8, true, 'force_post']);
    assert.equal(world.counters.held, 2_000);
  });
  test('skips authorizations that are already cleared or reversed', () => {
    const world = new NetworkWorld(now);
    world.loads = 'everything';
    world.authorize({ ...shop, trace_id: 'T' });
    world.authorize({ message_type_indicator: '0400', trace_id: 'T' });
    world.authorize(shop);
    assert.equal(world.clear(shop).match_rule, 6);
    assert.equal(world.clear(shop).match_rule, 8);
  });
  test('requires the exact amount and the merchant', () => {
    assert.equal(ruleOf(shop, { ...shop, billing_amount: 999 }), 8);
    assert.equal(ruleOf(shop, { merchant_id: 'N' }), 8);
    assert.equal(ruleOf({}, {}), 8);
  });
});

describe('a tie', () => {
  test('at one rule is left to the later rules, and then to review', () => {
    const six = { message_type_indicator: '0120', approval_code: 'A1B2C3', net_reference_number: '   ABC123    ' };
    const world = new NetworkWorld(now);
    world.authorize({ ...six, merchant_id: 'M' });
    const second = world.authorize({ ...six, merchant_id: 'M', billing_amount: 2_000 });
    const cleared = { ...six, authorization_date: '2026-11-21' };
    const item = world.clear({ ...cleared, merchant_id: 'M', billing_amount: 2_000 });
    assert.deepEqual([item.match_rule, item.authorization_id, item.review], [5, second.id, true]);
    const forced = world.clear(cleared);
    assert.deepEqual([forced.class, forced.review], ['force_post', true]);
  });
});

describe('the class of a clearing', () => {
  const ref = { net_reference_number: 'MCCABC1231121' };
  const pounds = { merchant_amount: 800, merchant_currency: 'GBP' };

  const cases: readonly [string, Authorized, Cleared, string][] = [
    ['equal amounts', {}, {}, 'exact'],
    ['less', {}, { billing_amount: 999 }, 'under'],
    ['more at a shop', { mcc: '5411' }, { billing_amount: 1_001 }, 'over'],
    ['20 % more at a restaurant', { mcc: '5812' }, { billing_amount: 1_200 }, 'tip'],
    ['above 20 % more at a restaurant', { mcc: '5812' }, { billing_amount: 1_201 }, 'over'],
    ['15 % more at a hotel', { mcc: '7011' }, { billing_amount: 1_150 }, 'tip'],
    ['above 15 % more at a hotel', { mcc: '7011' }, { billing_amount: 1_151 }, 'over'],
    ['15 % more at the first hotel chain', { mcc: '3501' }, { billing_amount: 1_150 }, 'tip'],
    ['15 % more at the last hotel chain', { mcc: '3999' }, { billing_amount: 1_150 }, 'tip'],
    ['more before the first hotel chain', { mcc: '3500' }, { billing_amount: 1_150 }, 'over'],
    ['more after the last hotel chain', { mcc: '4000' }, { billing_amount: 1_150 }, 'over'],
    ['a tip by the category of the clearing', { mcc: '5411' }, { billing_amount: 1_100, mcc: '7230' }, 'tip'],
    ['the same merchant amount billed at another rate', pounds, { ...pounds, billing_amount: 1_010 }, 'fx_drift'],
    ['the same in both currencies', pounds, { ...pounds }, 'exact'],
    ['less in the merchant currency', pounds, { ...pounds, merchant_amount: 700 }, 'under'],
    ['a part', {}, { billing_amount: 300, partial: true }, 'partial'],
    ['a credit', {}, { clearing_type: 'CREDIT' }, 'refund_linked'],
    ['a credit of nothing', {}, { net_reference_number: null, clearing_type: 'CREDIT' }, 'refund_unlinked'],
    ['a debit of nothing', {}, { net_reference_number: null }, 'force_post'],
    ['a debit after the end of the hold', {}, { settlement_date: '2027-01-01' }, 'late'],
    ['a chargeback', {}, { cycle: 'chargeback', clearing_type: 'CREDIT' }, 'dispute'],
    ['a reversal', {}, { cycle: 'reversal', clearing_type: 'CREDIT' }, 'reversal'],
  ];
  for (const [name, authorized, cleared, expected] of cases) {
    test(`${name}: ${expected}`, () => {
      const world = new NetworkWorld(now, { per_transaction_max: money(5_000) });
      world.authorize({ ...ref, ...authorized });
      assert.equal(world.clear({ ...ref, ...cleared }).class, expected);
    });
  }

  test('is one of these or suspected_duplicate', () => {
    const classes = cases.map(([, , , expected]) => expected);
    assert.deepEqual(new Set([...classes, 'suspected_duplicate']), new Set(clearing_classes));
  });

  test('does not depend on a credit that came before the clearing of its purchase', () => {
    const world = new NetworkWorld(now);
    world.authorize(ref);
    world.clear({ ...ref, clearing_type: 'CREDIT', billing_amount: 400 });
    assert.equal(world.clear(ref).class, 'exact');
  });

  test('is suspected_duplicate for the same clearing under another id, which is applied', () => {
    const world = new NetworkWorld(now);
    const twice = { ...ref, acquirer_reference_data: '55432861234567890' };
    world.clear(twice);
    assert.equal(world.clear(twice).class, 'suspected_duplicate');
    assert.equal(world.clear({ ...twice, billing_amount: 999 }).class, 'force_post');
    assert.equal(world.counters.cleared, 2_999);
  });
});

describe('rule 1: a reversal and its clearing', () => {
  for (const directions of [
    ['DEBIT', 'CREDIT'],
    ['CREDIT', 'DEBIT'],
  ] as const) {
    test(`match by direction when a ${directions.join(' and a ')} have the same reference and amount`, () => {
      const world = new NetworkWorld(now);
      const same = { acquirer_reference_data: 'ARD-1', approval_code: '123456' };
      for (const clearing_type of directions) world.clear({ ...same, clearing_type });
      const reversal = world.clear({ ...same, clearing_type: 'CREDIT', cycle: 'reversal' });
      assert.deepEqual([reversal.match_rule, reversal.clearing_id], [1, 1 + directions.indexOf('DEBIT')]);
    });
  }

  const ref = { net_reference_number: 'MCCABC1231121' };
  const equal = { acquirer_reference_data: 'ARD-1', approval_code: '123456', ...ref };
  const undo = (world: NetworkWorld, clearing_type = 'CREDIT') =>
    world.clear({ ...equal, clearing_type, cycle: 'reversal', settlement_date: '2026-11-24' });

  for (const clearing_type of ['CREDIT', 'DEBIT']) {
    test(`take the newest of equal clearings, suspected duplicates first, when stated as a ${clearing_type}`, () => {
      const world = new NetworkWorld(now);
      world.authorize(ref);
      // In the canonical order: the second is suspected, the third has another network reference.
      world.clear({ ...equal, network_financial_transaction_id: 'B' });
      world.clear({ ...equal, network_financial_transaction_id: 'A' });
      world.clear({ ...equal, network_financial_transaction_id: 'C', net_reference_number: null });
      const undone = [1, 2, 3].map(() => {
        const { match_rule, review, clearing_id } = undo(world, clearing_type);
        assert.deepEqual([match_rule, review], [1, false]);
        return world.clearing(clearing_id!).network_financial_transaction_id;
      });
      assert.deepEqual(undone, ['B', 'C', 'A']);
      assert.equal(world.counters.cleared, 0);
    });
  }

  test('are for review when a presentment and its dispute fit', () => {
    const world = new NetworkWorld(now);
    world.clear(equal);
    world.clear({ ...equal, cycle: 'second_presentment' });
    const { match_rule, review } = undo(world);
    assert.deepEqual([match_rule, review], [7, true]);
  });

  test('still match after another reversal counted as a credit for the clearing', () => {
    const world = new NetworkWorld(now);
    const debit = { clearing_type: 'DEBIT', acquirer_reference_data: 'ARD-1', merchant_id: 'M' };
    world.clear(debit);
    const credit = { clearing_type: 'CREDIT', cycle: 'reversal', merchant_id: 'M', acquirer_reference_data: 'ARD-2' };
    const linked = world.clear(credit);
    assert.deepEqual([linked.match_rule, linked.clearing_id], [7, 1]);
    const reversal = world.clear({ ...debit, clearing_type: 'CREDIT', cycle: 'reversal' });
    assert.deepEqual([reversal.match_rule, reversal.clearing_id], [1, 1]);
  });
});
