import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { type AuthorizationInput, type ClearingInput, clearing_cycles } from '../../src/index.ts';
import { inCanonicalOrder, type Placed } from '../../src/network/canonical-order.ts';
import { aging, NetworkWorld } from './network-world.ts';

const now = '2026-11-21T12:00:00Z';

/** A message of a card, with a name by which outcomes are compared. */
type Planned =
  | { readonly kind: 'authorization'; readonly input: Partial<AuthorizationInput> & { readonly trace_id: string } }
  | {
      readonly kind: 'clearing';
      readonly input: Partial<ClearingInput> & { readonly network_financial_transaction_id: string };
      readonly synthetic_id: boolean;
      /** Clearings of one chain arrive in their order. */
      readonly chain?: number;
    };

const dates = ['2026-10-01', '2026-11-10', '2026-11-20', '2026-11-21', '2026-11-22', '2026-11-28', '2026-12-20'];
const references = ['MCCABC1231120', 'MCCABC1231121', 'MCCDEF1241120', '   ABC123    '];
const codes = ['A00001', 'A00002'];
const amounts = [500, 1_000, 1_200];
/** Amounts that a change of an authorization by 100 or 200, or to 300, makes of one another. */
const near_amounts = [300, 900, 1_000, 1_100, 1_200];

/** An advice that is a root: its approval code is its own, whenever it comes. */
const roots = fc.record({
  billing_amount: fc.constantFrom(...amounts),
  approval_code: fc.constantFrom(...codes),
  net_reference_number: fc.constantFrom(...references, null),
  merchant_id: fc.constantFrom('M', 'N', null),
  day: fc.constantFrom('2026-11-01', '2026-11-19', '2026-11-20', '2026-11-21'),
  refund: fc.constantFrom(false, false, false, true),
  follows: fc.constantFrom('nothing', 'nothing', 'increment', 'reversal', 'part', 'rise', 'fall'),
});

const clearings = fc.record({
  billing_amount: fc.constantFrom(...amounts),
  approval_code: fc.constantFrom(...codes, null),
  net_reference_number: fc.constantFrom(...references, null),
  merchant_id: fc.constantFrom('M', 'N', null),
  settlement_date: fc.constantFrom(...dates),
  authorization_date: fc.constantFrom('2026-11-19', '2026-11-21', null),
  clearing_type: fc.constantFrom('DEBIT', 'DEBIT', 'DEBIT', 'CREDIT'),
  partial: fc.constantFrom(false, false, true),
  follows: fc.constantFrom('nothing', 'nothing', 'nothing', 'reversal', 'chargeback', 'disputed and reversed', 'pair'),
  later: fc.nat({ max: 3 }),
  acquirer: fc.constantFrom(null, null, 'shared'),
});

function authorizationsOf(fields: readonly (typeof roots extends fc.Arbitrary<infer T> ? T : never)[]): Planned[] {
  return fields.flatMap(({ day, refund, follows, ...input }, at): Planned[] => {
    const trace_id = `T${at}`;
    const transaction_date_time = `${day}T0${at}:00:00Z`;
    const advice = {
      ...input,
      trace_id,
      transaction_date_time,
      message_type_indicator: '0120',
      ...(refund ? { card_holder_transaction_type_code: '20' } : {}),
    };
    const { billing_amount } = input;
    const next = {
      nothing: [],
      increment: [{ ...advice, incremental: true, billing_amount: 200, system_trace_audit_number: '900001' }],
      reversal: [{ trace_id, message_type_indicator: '0400', transaction_date_time }],
      part: [
        {
          trace_id,
          message_type_indicator: '0400',
          transaction_date_time,
          replacement_amounts: { billing_amount: 300 },
        },
      ],
      rise: [{ ...advice, billing_amount: billing_amount + 100, system_trace_audit_number: '900002' }],
      fall: [{ ...advice, billing_amount: billing_amount - 100, system_trace_audit_number: '900003' }],
    }[follows as 'nothing'] as readonly (typeof advice)[];
    return [advice, ...next].map((message) => ({ kind: 'authorization' as const, input: message }));
  });
}

function clearingsOf(fields: readonly (typeof clearings extends fc.Arbitrary<infer T> ? T : never)[]): Planned[] {
  return fields.flatMap(({ follows, later, acquirer, ...input }, at): Planned[] => {
    const id = (kind: string) => `${kind}${(at * 7) % 10}${at}`;
    // Only presentments without a reversal or dispute share acquirer reference data: rules 1 and 2
    // are final.
    const shared = follows === 'nothing' && acquirer !== null;
    const acquirer_reference_data = shared ? '55432861234567890' : `5543286123456${String(at).padStart(4, '0')}`;
    const message = { ...input, acquirer_reference_data } as const;
    const first = {
      kind: 'clearing' as const,
      synthetic_id: false,
      input: { ...message, network_financial_transaction_id: id('F') },
    };
    const settlement_date = Temporal.PlainDate.from(input.settlement_date).add({ days: later }).toString();
    const again = { ...message, settlement_date, network_financial_transaction_id: id('E') };
    const opposite = input.clearing_type === 'DEBIT' ? 'CREDIT' : 'DEBIT';
    const reversal = { ...again, cycle: 'reversal', clearing_type: opposite, partial: false };
    const chargeback = { ...again, cycle: 'chargeback', partial: false };
    if (follows === 'reversal') return [first, { ...first, input: reversal as typeof first.input }];
    if (follows === 'chargeback') return [first, { ...first, input: chargeback as typeof first.input }];
    if (follows === 'disputed and reversed') {
      // The reversal has the type of the first, the opposite of that of the chargeback. Its id is
      // E.
      const dispute_id = id(at % 2 === 0 ? 'D' : 'G');
      const dispute = { ...chargeback, clearing_type: opposite, network_financial_transaction_id: dispute_id };
      const end = { ...reversal, clearing_type: input.clearing_type };
      return [
        first,
        { ...first, chain: at, input: dispute as typeof first.input },
        { ...first, chain: at, input: end as typeof first.input },
      ];
    }
    if (follows === 'pair') {
      return [
        first,
        { ...first, synthetic_id: true, input: { ...first.input, network_financial_transaction_id: id('S') } },
      ];
    }
    return [first];
  });
}

/** Roots and clearings of few references: merchants and amounts decide, and the amounts change. */
const by_merchant = {
  roots: fc.tuple(roots, fc.constantFrom(...near_amounts)).map(([root, billing_amount]) => ({
    ...root,
    billing_amount,
    merchant_id: 'M' as const,
    net_reference_number: null,
  })),
  clearings: fc.tuple(clearings, fc.constantFrom(...near_amounts)).map(([clearing, billing_amount]) => ({
    ...clearing,
    billing_amount,
    merchant_id: 'M' as const,
    net_reference_number: null,
  })),
};

/**
 * Sets of messages and an order of arrival that keeps the order of the messages of a trace or a
 * chain.
 */
const sets = fc
  .oneof(setsOf(roots, clearings), setsOf(by_merchant.roots, by_merchant.clearings))
  .map(([authorized, cleared, is_aging]) => ({
    messages: [...authorizationsOf(authorized), ...clearingsOf(cleared)],
    is_aging,
  }))
  .chain(({ messages, is_aging }) => {
    const order = fc
      .shuffledSubarray([...messages.keys()], { minLength: messages.length })
      .map((shuffled) => inOrderOfEach(messages, shuffled));
    return fc.record({
      messages: fc.constant(messages),
      is_aging: fc.constant(is_aging),
      order,
      passes: fc.array(fc.nat({ max: 3 }), { minLength: messages.length, maxLength: messages.length }),
    });
  });

function setsOf(authorized: typeof roots, cleared: typeof clearings) {
  const authorizations = fc.array(authorized, { maxLength: 4 });
  return fc.tuple(authorizations, fc.array(cleared, { minLength: 1, maxLength: 6 }), fc.boolean());
}

function inOrderOfEach(messages: readonly Planned[], shuffled: readonly number[]): readonly number[] {
  const waiting = Map.groupBy(messages.keys(), (at) => orderOf(messages[at]!));
  return shuffled.map((at) => {
    const order = orderOf(messages[at]!);
    return order === null ? at : waiting.get(order)!.shift()!;
  });
}

/** The messages that arrive in their order have the same; null for those that arrive in any. */
function orderOf(message: Planned): string | number | null {
  return message.kind === 'authorization' ? message.input.trace_id : (message.chain ?? null);
}

/**
 * What the messages leave of the card: by trace ids and transaction ids, which no order changes.
 */
function outcomeOf(
  messages: readonly Planned[],
  is_aging: boolean,
  passes: readonly number[] | null,
  everything = false,
) {
  const world = new NetworkWorld(now, { total_card_amount: 10_000_000 as never, ...(is_aging ? aging : {}) });
  if (everything) world.loads = 'everything';
  const sent = messages.map((message) =>
    message.kind === 'authorization'
      ? world.message(message.input)
      : { ...world.clearingMessage(message.input), synthetic_id: message.synthetic_id },
  );
  if (passes === null) world.send(...sent);
  else {
    for (let at = 0; at < sent.length; ) {
      const count = 1 + passes[at]!;
      world.send(...sent.slice(at, at + count));
      at += count;
    }
  }
  const traceOf = (id: number | null) => (id === null ? null : world.row(id).trace_id);
  const nameOf = (id: number | null) => (id === null ? null : world.clearing(id).network_financial_transaction_id);
  const { held, cleared, uses, window_start_ms } = world.counters;
  return {
    available: world.available(),
    counters: { held, cleared, uses, window_start_ms },
    roots: world.state.authorizations
      .values()
      .filter(({ root_id, id }) => root_id === id)
      .map(({ trace_id, status, authorized, held: holds, cleared: paid, uses: used }) => {
        return { trace_id, status, authorized, holds, paid, used };
      })
      .sort((a, b) => (a.trace_id < b.trace_id ? -1 : 1)),
    clearings: world.state.clearings
      .values()
      .map((row) => ({
        id: row.network_financial_transaction_id,
        paired: row.paired_transaction_id,
        rule: row.match_rule,
        class: row.class,
        review: row.review,
        root: traceOf(row.authorization_id),
        clearing: nameOf(row.clearing_id),
        effect: row.cleared_effect,
        uses: row.uses,
        authorization_date: row.authorization_date,
        reference: row.net_reference_number,
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

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
      propertyParameters({ short: 400, full: 2_500 }),
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
      propertyParameters({ short: 200, full: 1_000 }),
    );
  });

  test('whatever more of their card a pass has loaded', () => {
    fc.assert(
      fc.property(sets, ({ messages, is_aging, order, passes }) => {
        const arrived = order.map((at) => messages[at]!);
        assert.deepEqual(outcomeOf(arrived, is_aging, passes, true), outcomeOf(arrived, is_aging, passes));
      }),
      propertyParameters({ short: 200, full: 1_000 }),
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
      propertyParameters({ short: 300, full: 1_500 }),
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

/** Clearings of one card with few dates and references, and the same in another order. */
const placed = fc
  .uniqueArray(
    fc.record({
      network_financial_transaction_id: fc.nat({ max: 99 }).map(String),
      settlement_date: fc.constantFrom('2026-11-20', '2026-11-21'),
      acquirer_reference_data: fc.constantFrom('11111111111111111', '22222222222222222', null),
      cycle: fc.constantFrom(...clearing_cycles),
    }),
    { maxLength: 12, selector: ({ network_financial_transaction_id: id }) => id },
  )
  .chain((some) => fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })));

describe('the canonical order', () => {
  const ranks = { first_presentment: 0, second_presentment: 1, chargeback: 1, reversal: 2 };

  function check(rule: (ordered: ReturnType<typeof inCanonicalOrder<Placed>>) => void): void {
    fc.assert(
      fc.property(placed, ([some]) => rule(inCanonicalOrder(some))),
      propertyParameters({ short: 500, full: 3_000 }),
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
      propertyParameters({ short: 500, full: 3_000 }),
    );
  });

  test('is by settlement date', () => {
    check((ordered) => assertSorted(ordered.map(({ settlement_date }) => settlement_date)));
  });

  test('of a date and an acquirer reference is presentments, disputes and reversals, each by id', () => {
    check((ordered) => {
      const groups = Map.groupBy(ordered, (one) => `${one.settlement_date} ${one.acquirer_reference_data}`);
      for (const group of groups.values()) {
        if (group[0]!.acquirer_reference_data === null) continue;
        assertSorted(group.map((one) => `${ranks[one.cycle]} ${one.network_financial_transaction_id}`));
      }
    });
  });

  test('of those without an acquirer reference is by date and id', () => {
    check((ordered) => {
      const unrelated = ordered.filter((one) => one.acquirer_reference_data === null);
      assertSorted(unrelated.map((one) => `${one.settlement_date} ${one.network_financial_transaction_id}`));
    });
  });
});
