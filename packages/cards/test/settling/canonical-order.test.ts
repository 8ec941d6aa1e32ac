import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { type ClearingInput, clearing_cycles, clearing_types } from '../../src/index.ts';
import { inCanonicalOrder, type OrderFields } from '../../src/settling/canonical-order.ts';
import { now, outcomeOf, type Planned, sets } from '../deciding/planned-messages.ts';
import { NetworkWorld } from '../network-world.ts';

/** Copies of one clearing, synthetic and real, and two orders of arrival with its authorization. */
const copies = fc
  .record({
    kinds: fc.array(fc.boolean(), { minLength: 2, maxLength: 6 }),
    /**
     * Whether one kind knows only six characters. Then there are as many of the one as of the
     * other.
     */
    six: fc.constantFrom('none', 'synthetic', 'real'),
    clearing_type: fc.constantFrom('DEBIT', 'DEBIT', 'CREDIT'),
    partial: fc.boolean(),
    approval_code: fc.constantFrom('A00001', null),
    is_authorized: fc.boolean(),
  })
  .chain(({ kinds: drawn, is_authorized, six, ...fields }) => {
    const kinds = six === 'none' ? drawn : drawn.flatMap((kind) => [kind, !kind]);
    const messages: Planned[] = kinds.map((synthetic_id, at) => ({
      kind: 'clearing',
      synthetic_id,
      input: {
        ...fields,
        acquirer_reference_data: '55432861234567890',
        net_reference_number: (six === 'real') === !synthetic_id && six !== 'none' ? '   ABC123    ' : 'MCCABC1231120',
        network_financial_transaction_id: `C${(at * 7) % 10}${at}`,
      },
    }));
    if (is_authorized) {
      const input = { trace_id: 'T', message_type_indicator: '0120', net_reference_number: 'MCCABC1231120' } as const;
      messages.push({ kind: 'authorization', input: { ...input, approval_code: 'A00001' } });
    }
    const order = () => fc.shuffledSubarray([...messages.keys()], { minLength: messages.length });
    const passes = fc.array(fc.nat({ max: 3 }), { minLength: messages.length, maxLength: messages.length });
    return fc.record({ messages: fc.constant(messages), orders: fc.tuple(order(), order()), passes });
  });

/** The outcome without the ids: which of several equal copies are one clearing is left open. */
function outcomeWithoutIds(messages: readonly Planned[], passes: readonly number[] | null) {
  const { clearings: found, ...card } = outcomeOf(messages, false, passes);
  const rows = found.map(({ id: _id, clearing, paired: _paired, ...row }) => JSON.stringify([row, clearing !== null]));
  return { ...card, pairs: found.filter(({ paired }) => paired !== null).length, clearings: rows.sort() };
}

/**
 * Requests and advices with one network reference, and clearings with the code of an authorization
 * that came before all of them, in an order of arrival.
 */
const rivals = fc
  .record({
    end: fc.constantFrom('none', 'reversal', 'release'),
    later: fc.array(fc.constantFrom('0100', '0100', '0120'), { minLength: 1, maxLength: 3 }),
    cleared: fc.array(fc.constantFrom<Partial<ClearingInput>>({}, { partial: true }, { clearing_type: 'CREDIT' }), {
      minLength: 1,
      maxLength: 3,
    }),
    settlement_date: fc.constantFrom('2026-11-21', '2026-11-22', '2026-12-30'),
  })
  .chain(({ end, later, cleared, settlement_date }) => {
    const messages = [
      ...(end === 'none' ? [] : [end]),
      ...later.map((message_type_indicator) => ({ message_type_indicator })),
      ...cleared.map((fields) => ({ ...fields, settlement_date })),
    ];
    return fc.shuffledSubarray(messages, { minLength: messages.length });
  });

describe('the approval code of an authorization, and the clearings that bear it', () => {
  test('are those of no later request or advice, in any order of arrival', () => {
    fc.assert(
      fc.property(rivals, (arrived) => {
        const world = new NetworkWorld(now);
        const reference = { net_reference_number: 'MCCABC1231121', merchant_id: 'M' };
        const first = world.authorize({ ...reference, trace_id: 'first' });
        const { approval_code } = first;
        for (const message of arrived) {
          if (message === 'release') {
            if (world.row(first.id!).held > 0) world.release(first.id!);
          } else if (message === 'reversal') {
            world.authorize({ trace_id: 'first', message_type_indicator: '0400' });
          } else if ('settlement_date' in message) {
            world.clear({ ...reference, approval_code, ...message });
          } else {
            assert.notEqual(world.authorize({ ...reference, ...message }).approval_code, approval_code);
          }
        }
        for (const { authorization_id } of world.state.clearings.values()) assert.equal(authorization_id, first.id);
      }),
      propertyParameters({ short: 150, full: 400 }),
    );
  });
});

describe('the messages of a card leave the same card, pairs, rules and classes', () => {
  test('in every order of arrival', () => {
    fc.assert(
      fc.property(sets, ({ messages, is_aging, order, passes }) => {
        const expected = outcomeOf(
          messages,
          is_aging,
          passes.map(() => 0),
        );
        const arrived = order.map((at) => messages[at]!);
        assert.deepEqual(outcomeOf(arrived, is_aging, passes), expected);
      }),
      propertyParameters({ short: 120, full: 300 }),
    );
  });

  test('and the reversal of a dispute that came before it changes no balance', () => {
    fc.assert(
      fc.property(sets, ({ messages, is_aging, order, passes }) => {
        const arrived = order.map((at) => messages[at]!);
        const changes = new Map(outcomeOf(arrived, is_aging, passes).clearings.map(({ id, effect }) => [id, effect]));
        for (const message of messages) {
          if (message.kind === 'authorization' || message.chain === undefined) continue;
          assert.equal(changes.get(message.input.network_financial_transaction_id), 0);
        }
      }),
      propertyParameters({ short: 80, full: 300 }),
    );
  });

  test('whatever more of their card a pass has loaded', () => {
    fc.assert(
      fc.property(sets, ({ messages, is_aging, order, passes }) => {
        const arrived = order.map((at) => messages[at]!);
        assert.deepEqual(outcomeOf(arrived, is_aging, passes, true), outcomeOf(arrived, is_aging, passes));
      }),
      propertyParameters({ short: 80, full: 300 }),
    );
  });

  test('however many synthetic and real copies of a clearing come, up to which of them are one', () => {
    fc.assert(
      fc.property(copies, ({ messages, orders: [one, other], passes }) => {
        const arrived = (order: readonly number[]) => order.map((at) => messages[at]!);
        const expected = outcomeWithoutIds(arrived(one), null);
        assert.deepEqual(outcomeWithoutIds(arrived(other), passes), expected);
        const count = (kind: boolean) =>
          messages.filter((m) => m.kind === 'clearing' && m.synthetic_id === kind).length;
        assert.equal(expected.pairs, Math.min(count(true), count(false)));
        assert.equal(expected.clearings.length, Math.max(count(true), count(false)));
      }),
      propertyParameters({ short: 100, full: 300 }),
    );
  });
});

describe('a purchase, a dispute of it and a reversal that fits both leave the same balance', () => {
  const purchase = {
    network_financial_transaction_id: 'P',
    acquirer_reference_data: '55432861234567890',
    settlement_date: '2026-11-21',
  };
  const dispute = {
    ...purchase,
    network_financial_transaction_id: 'D',
    cycle: 'second_presentment',
    settlement_date: '2026-11-22',
  };
  const reversal = {
    ...purchase,
    network_financial_transaction_id: 'R',
    cycle: 'reversal',
    clearing_type: 'CREDIT',
    settlement_date: '2026-11-23',
  };

  const arrivals: readonly (readonly [string, readonly Partial<ClearingInput>[]])[] = [
    ['purchase, dispute, reversal', [purchase, dispute, reversal]],
    ['purchase, reversal, dispute', [purchase, reversal, dispute]],
    ['dispute, purchase, reversal', [dispute, purchase, reversal]],
    ['dispute, reversal, purchase', [dispute, reversal, purchase]],
    ['reversal, purchase, dispute', [reversal, purchase, dispute]],
    ['reversal, dispute, purchase', [reversal, dispute, purchase]],
  ];
  for (const [title, inputs] of arrivals) {
    test(`in the order ${title}`, () => {
      const world = new NetworkWorld(now);
      for (const input of inputs) world.clear(input);
      assert.deepEqual([world.counters.cleared, world.available()], [0, 100_000]);
    });
  }
});

describe('a chargeback and its reversal on one date leave the purchase cleared', () => {
  const purchase = {
    network_financial_transaction_id: 'P',
    acquirer_reference_data: '55432861234567890',
    settlement_date: '2026-11-21',
  };

  for (const [chargeback_id, reversal_id] of [
    ['C1', 'R2'],
    ['C2', 'A1'],
  ]) {
    for (const settlement_date of ['2026-11-21', '2026-11-24']) {
      test(`with the ids ${chargeback_id} and ${reversal_id}, on ${settlement_date}`, () => {
        const world = new NetworkWorld(now);
        const others = { ...purchase, settlement_date };
        world.clear(purchase);
        const chargeback = world.clear({
          ...others,
          network_financial_transaction_id: chargeback_id!,
          cycle: 'chargeback',
          clearing_type: 'CREDIT',
        });
        const reversal = world.clear({
          ...others,
          network_financial_transaction_id: reversal_id!,
          cycle: 'reversal',
        });
        assert.deepEqual([reversal.match_rule, reversal.clearing_id], [1, chargeback.id]);
        assert.equal(world.counters.cleared, 1_000);
      });
    }
  }
});

describe('a refund on the day of its purchase', () => {
  const same_day = { settlement_date: '2026-11-21', merchant_id: 'M' };
  for (const [purchase_id, refund_id] of [
    ['A1', 'B1'],
    ['B1', 'A1'],
  ]) {
    for (const is_authorized of [true, false]) {
      for (const first of ['purchase', 'refund']) {
        test(`with the ids ${purchase_id} and ${refund_id}, the ${first} first, ${is_authorized ? '' : 'un'}authorized, is linked and not flagged`, () => {
          const world = new NetworkWorld(now);
          const named = is_authorized ? { net_reference_number: 'MCCABC1231121' } : {};
          if (is_authorized) world.authorize(named);
          const purchase = { ...same_day, ...named, network_financial_transaction_id: purchase_id! };
          const refund = { ...purchase, network_financial_transaction_id: refund_id!, clearing_type: 'CREDIT' };
          for (const input of first === 'purchase' ? [purchase, refund] : [refund, purchase]) world.clear(input);
          const rows = world.state.clearings.values();
          const credit = rows.find(({ clearing_type }) => clearing_type === 'CREDIT')!;
          assert.deepEqual([credit.class, credit.review, world.counters.cleared], ['refund_linked', false, 0]);
        });
      }
    }
  }
});

/** Clearings of one card with few dates and references, and the same in another order. */
const placed = fc
  .uniqueArray(
    fc.record({
      network_financial_transaction_id: fc.nat({ max: 99 }).map(String),
      settlement_date: fc.constantFrom('2026-11-20', '2026-11-21'),
      acquirer_reference_data: fc.constantFrom('11111111111111111', '22222222222222222', null),
      clearing_type: fc.constantFrom(...clearing_types),
      cycle: fc.constantFrom(...clearing_cycles),
    }),
    { maxLength: 12, selector: ({ network_financial_transaction_id: id }) => id },
  )
  .chain((some) => fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })));

describe('the canonical order', () => {
  const ranks = { first_presentment: 0, second_presentment: 1, chargeback: 1, reversal: 2 };

  function check(rule: (ordered: ReturnType<typeof inCanonicalOrder<OrderFields>>) => void): void {
    fc.assert(
      fc.property(placed, ([some]) => rule(inCanonicalOrder(some))),
      propertyParameters({ short: 150, full: 500 }),
    );
  }

  function assertSorted(keys: readonly string[]): void {
    assert.deepEqual(keys, keys.toSorted());
  }

  test('has every clearing once, and does not depend on the order of its input', () => {
    fc.assert(
      fc.property(placed, ([some, shuffled]) => {
        const ordered = inCanonicalOrder(some);
        assert.deepEqual(inCanonicalOrder(shuffled), ordered);
        assert.deepEqual(new Set(ordered), new Set(some));
        assert.equal(ordered.length, some.length);
      }),
      propertyParameters({ short: 150, full: 500 }),
    );
  });

  test('is by settlement date', () => {
    check((ordered) => assertSorted(ordered.map(({ settlement_date }) => settlement_date)));
  });

  const placeOf = (one: OrderFields) =>
    `${one.clearing_type === 'DEBIT' ? 1 : 2} ${one.network_financial_transaction_id}`;

  test('of a date and an acquirer reference is presentments, disputes and reversals, each by type and id', () => {
    check((ordered) => {
      const groups = Map.groupBy(ordered, (one) => `${one.settlement_date} ${one.acquirer_reference_data}`);
      for (const group of groups.values()) {
        if (group[0]!.acquirer_reference_data === null) continue;
        assertSorted(group.map((one) => `${ranks[one.cycle]} ${placeOf(one)}`));
      }
    });
  });

  test('of those to which no other of their date may refer is by date, debits before credits, then by id', () => {
    check((ordered) => {
      const mayReferTo = (other: OrderFields, one: OrderFields) =>
        ranks[other.cycle] > ranks[one.cycle] &&
        other.settlement_date === one.settlement_date &&
        other.acquirer_reference_data === one.acquirer_reference_data &&
        one.acquirer_reference_data !== null;
      const last = ordered.filter((one) => !ordered.some((other) => mayReferTo(other, one)));
      assertSorted(last.map((one) => `${one.settlement_date} ${placeOf(one)}`));
    });
  });
});
