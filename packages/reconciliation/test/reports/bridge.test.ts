import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ClearingClass, clearing_classes } from '@tallystick/cards';
import { newItem } from '@tallystick/harness';
import { money } from '@tallystick/kernel';
import fc from 'fast-check';
import {
  type Bridge,
  type BridgeDifference,
  type BridgeLine,
  type BridgeOptions,
  type BridgeRange,
  break_kinds,
  buildBridge,
  daysAfter,
  type Item,
  type ItemMatch,
  isIn,
  item_statuses,
  type UnexplainedLine,
} from '../../src/index.ts';

const first_day = '2030-03-01';
const days = 12;
const account_id = 1;

/** An item with its lines. */
interface Booked {
  readonly item: Item;
  readonly lines: readonly BridgeLine[];
}

const plain = newItem({
  id: 4,
  company_id: 1,
  class: 'exact',
  rule: 'ard',
  vcn_id: 1,
  authorization_ids: [1],
  clearing_ids: [1],
  line_ids: [1],
  authorized: money(1_000),
  cleared: money(1_000),
  stated: money(1_000),
  sides: 3,
  settlement_date: first_day,
});

function networkMatch(its_class: ClearingClass, amount: number): ItemMatch {
  const records = { authorization_id: 1, clearing_ids: [1], line_ids: [] };
  return { side: 'authorization', rule: '3', class: its_class, ...records, values: { amount } };
}

function line(id: number, day: number, amount: number, differing: Partial<BridgeLine> = {}): BridgeLine {
  return { id, account_id, booking_date: daysAfter(first_day, day), amount, is_fee: false, ...differing };
}

const amounts = fc.integer({ min: -5_000, max: 5_000 });
const side = fc.option(amounts.map(money), { nil: null });

/** Items of any status with any lines on two accounts. */
const booked_items: fc.Arbitrary<readonly Booked[]> = fc
  .array(
    fc.record({
      status: fc.constantFrom(...item_statuses),
      kind: fc.option(fc.constantFrom(...break_kinds), { nil: null }),
      class: fc.constantFrom(...clearing_classes),
      authorized: side,
      cleared: side,
      tolerated: fc.array(
        fc.record({
          authorization_id: fc.constantFrom(null, 1),
          clearing_ids: fc.constant([1]),
          line_ids: fc.constant([]),
          amount: fc.integer({ min: -9, max: 9 }),
        }),
        { maxLength: 2 },
      ),
      lines: fc.array(
        fc.record({
          account_id: fc.constantFrom(1, 1, 1, 2),
          day: fc.nat({ max: days - 1 }),
          amount: amounts,
          is_fee: fc.boolean(),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
    { maxLength: 12 },
  )
  .map((drawn) => {
    let line_id = 0;
    return drawn.map(({ lines: of_item, ...differing }, at) => {
      const lines = of_item.map(({ day, amount, ...rest }) => line(++line_id, day, amount, rest));
      return { item: { ...plain, ...differing, id: at + 1, line_ids: lines.map(({ id }) => id) }, lines };
    });
  });

function bridgeOf(
  booked: readonly Booked[],
  range: BridgeRange,
  opening_balance = 0,
  options: BridgeOptions = {},
): Bridge {
  const builder = buildBridge(range, opening_balance, options);
  for (const { item, lines } of booked) {
    if (lines.some((one) => isIn(range, one))) builder.addItem(item, lines);
  }
  return builder.end();
}

function sumOf(found: readonly { readonly amount: number }[]): number {
  return found.reduce((sum, { amount }) => sum + amount, 0);
}

const ofStep = ({ differences }: Bridge, step: BridgeDifference['step']) =>
  differences.filter((difference) => difference.step === step);

const whole: BridgeRange = { account_id, from: null, to: null };

describe('a bridge', () => {
  it('leads from each step to the next, over any items and any dates', () => {
    const range = fc.tuple(fc.nat({ max: days }), fc.nat({ max: days }));
    fc.assert(
      fc.property(booked_items, range, amounts, fc.array(amounts), (booked, [from, length], opening, others) => {
        const dates = { account_id, from: daysAfter(first_day, from), to: daysAfter(first_day, from + length) };
        const builder = buildBridge(dates, opening);
        for (const amount of others) builder.addOther(amount);
        const in_range = booked.filter(({ lines }) => lines.some((one) => isIn(dates, one)));
        for (const { item, lines } of in_range) builder.addItem(item, lines);
        const bridge = builder.end();
        const card_lines = sumOf(in_range.flatMap(({ lines }) => lines.filter((one) => isIn(dates, one))));
        assert.equal(bridge.card_lines, card_lines);
        assert.equal(bridge.opening_balance + bridge.card_lines + bridge.other_lines, bridge.closing_balance);
        const { clearings, fees, authorized, unexplained, unexplained_sum } = bridge;
        const of_statement = sumOf(ofStep(bridge, 'statement'));
        assert.equal(bridge.card_lines, clearings + fees + of_statement + unexplained_sum);
        assert.equal(clearings, authorized + sumOf(ofStep(bridge, 'authorization')));
        assert.equal(unexplained_sum, sumOf(unexplained));
      }),
    );
  });

  it('lists as unexplained the lines of breaks without a clearing, and no others', () => {
    fc.assert(
      fc.property(booked_items, (booked) => {
        const expected = booked
          .filter(({ item }) => item.status === 'break' && item.cleared === null)
          .flatMap(({ lines }) => lines.filter((one) => one.account_id === account_id).map(({ id }) => id));
        assert.deepEqual(
          bridgeOf(booked, whole).unexplained.map(({ line_id }) => line_id),
          expected,
        );
      }),
    );
  });

  it('over two parts of the dates adds up to the bridge over both', () => {
    fc.assert(
      fc.property(booked_items, fc.nat({ max: days }), (booked, day) => {
        const before = bridgeOf(booked, { account_id, from: null, to: daysAfter(first_day, day - 1) });
        const after = bridgeOf(booked, { account_id, from: daysAfter(first_day, day), to: null });
        const both = bridgeOf(booked, whole);
        for (const name of ['card_lines', 'clearings', 'fees', 'authorized', 'unexplained_sum'] as const) {
          assert.equal(before[name] + after[name], both[name], name);
        }
        const timing = [...before.differences, ...after.differences].filter(({ kind }) => kind === 'timing');
        assert.equal(sumOf(timing), 0);
        assert.ok(both.differences.every(({ kind }) => kind !== 'timing'));
      }),
    );
  });

  it('has the same sums and counts however few of its differences and lines it lists', () => {
    fc.assert(
      fc.property(booked_items, fc.nat({ max: 6 }), (booked, listed_max) => {
        const every: BridgeDifference[] = [];
        const lines: UnexplainedLine[] = [];
        const cut = bridgeOf(booked, whole, 0, {
          listed_max,
          onDifference: (found) => every.push(found),
          onUnexplained: (found) => lines.push(found),
        });
        const all = bridgeOf(booked, whole);
        const { differences, unexplained, ...sums } = all;
        assert.deepEqual([every, lines], [differences, unexplained]);
        assert.deepEqual(cut, {
          ...sums,
          differences: differences.slice(0, listed_max),
          unexplained: unexplained.slice(0, listed_max),
        });
        assert.deepEqual([cut.differences_count, cut.unexplained_count], [every.length, lines.length]);
        assert.equal(cut.unexplained_sum, sumOf(lines));
        for (const { step, kind, count, sum } of cut.difference_sums) {
          const its = every.filter((one) => one.step === step && one.kind === kind);
          assert.deepEqual([count, sum], [its.length, sumOf(its)]);
        }
        const counted = cut.difference_sums.reduce((total, { count }) => total + count, 0);
        assert.equal(counted, every.length);
      }),
    );
  });

  it('lists the first 100,000 differences and unexplained lines of more', () => {
    const booked = Array.from({ length: 200_500 }, (_, at): Booked => {
      const lone = { authorized: null, cleared: null, kind: 'unexplained_line', line_ids: [at + 1] } as const;
      return {
        item: { ...plain, ...lone, id: at + 1, status: at % 2 === 0 ? 'break' : 'awaiting' },
        lines: [line(at + 1, 0, -1)],
      };
    });
    const bridge = bridgeOf(booked, whole);
    assert.deepEqual([bridge.differences.length, bridge.unexplained.length], [100_000, 100_000]);
    assert.deepEqual([bridge.differences_count, bridge.unexplained_count], [100_250, 100_250]);
    assert.equal(bridge.unexplained_sum, -100_250);
    assert.deepEqual(bridge.difference_sums, [{ step: 'statement', kind: 'awaiting', count: 100_250, sum: -100_250 }]);
  });

  it('of matched purchases has no difference', () => {
    const item = { ...plain, fees: money(30) };
    const bridge = bridgeOf([{ item, lines: [line(1, 0, -1_000), line(2, 0, -30, { is_fee: true })] }], whole, 5_000);
    assert.deepEqual(bridge, {
      opening_balance: 5_000,
      card_lines: -1_030,
      other_lines: 0,
      closing_balance: 3_970,
      clearings: -1_000,
      fees: -30,
      authorized: -1_000,
      differences: [],
      differences_count: 0,
      difference_sums: [],
      unexplained: [],
      unexplained_count: 0,
      unexplained_sum: 0,
    });
  });

  it('names each step at which the amounts of a purchase differ', () => {
    const item: Item = { ...plain, status: 'break', kind: 'amount', class: 'tip', cleared: money(1_200) };
    assert.deepEqual(bridgeOf([{ item, lines: [line(1, 0, -1_210)] }], whole).differences, [
      { item_id: 4, step: 'statement', kind: 'amount', amount: -10 },
      { item_id: 4, step: 'authorization', kind: 'tip', amount: -200 },
    ]);
  });

  it('names what a refund gave back by the class of the refund, beside the class of the purchase', () => {
    const matches = [networkMatch('tip', 1_200), networkMatch('refund_linked', -500)];
    const item: Item = { ...plain, class: 'tip', cleared: money(700), matches };
    const bridge = bridgeOf([{ item, lines: [line(1, 0, -1_200), line(2, 1, 500)] }], whole);
    assert.deepEqual(bridge.differences, [
      { item_id: 4, step: 'authorization', kind: 'refund_linked', amount: 500 },
      { item_id: 4, step: 'authorization', kind: 'tip', amount: -200 },
    ]);
  });

  it('names a clearing without authorization by its class', () => {
    const item: Item = { ...plain, status: 'break', kind: 'unauthorized', class: 'force_post', authorized: null };
    const bridge = bridgeOf([{ item, lines: [line(1, 0, -1_000)] }], whole);
    assert.deepEqual(bridge.differences, [{ item_id: 4, step: 'authorization', kind: 'force_post', amount: -1_000 }]);
    assert.equal(bridge.authorized, 0);
  });

  it('counts a purchase whose lines are on several dates where its first line is', () => {
    const booked = [{ item: plain, lines: [line(1, 0, -600), line(2, 5, -400)] }];
    const early = bridgeOf(booked, { account_id, from: null, to: daysAfter(first_day, 2) });
    assert.deepEqual([early.clearings, early.card_lines], [-1_000, -600]);
    assert.deepEqual(early.differences, [{ item_id: 4, step: 'statement', kind: 'timing', amount: 400 }]);
    const late = bridgeOf(booked, { account_id, from: daysAfter(first_day, 3), to: null });
    assert.deepEqual([late.clearings, late.card_lines], [0, -400]);
    assert.deepEqual(late.differences, [{ item_id: 4, step: 'statement', kind: 'timing', amount: -400 }]);
  });

  it('names lines that a person took out, accepted, or that are awaited', () => {
    for (const status of ['ignored', 'accepted', 'awaiting'] as const) {
      const item: Item = { ...plain, status, kind: 'unexplained_line', authorized: null, cleared: null };
      const bridge = bridgeOf([{ item, lines: [line(1, 0, -1_000)] }], whole);
      assert.deepEqual(bridge.differences, [{ item_id: 4, step: 'statement', kind: status, amount: -1_000 }]);
      assert.deepEqual(bridge.unexplained, []);
    }
  });
});
