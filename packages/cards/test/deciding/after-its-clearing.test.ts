import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import { utcDateAt } from '@tallystick/velocity';
import { type AuthorizationItem, reduceAuthorization, reduceClearing } from '../../src/index.ts';
import { NetworkWorld } from '../network-world.ts';
import { matchByHand, rematchMessage } from './by-hand.ts';

const now = '2026-11-21T12:00:00Z';
const ref = { net_reference_number: 'MCCABC1231121' } as const;
const ard = { acquirer_reference_data: '55432861234567890' } as const;

/** Reduces all records, as retention does when their time is over. */
function reduceAll({ state, now_ms }: NetworkWorld): void {
  for (const [id, row] of state.authorizations.entries())
    state.authorizations.set(id, reduceAuthorization(row, now_ms));
  for (const [id, row] of state.clearings.entries()) state.clearings.set(id, reduceClearing(row, now_ms));
}

describe('an authorization after its own clearing', () => {
  test('takes its place: one use, no hold, and its approval code', () => {
    const world = new NetworkWorld(now, { transactions_max: 1, total_card_amount: money(1_000) });
    const cleared = world.clear({ ...ref, approval_code: 'Q00001' });
    assert.equal(cleared.class, 'force_post');
    const root = world.authorize(ref);
    assert.deepEqual([root.decline_reason, root.approval_code], [null, 'Q00001']);
    const { class: its_class, match_rule, authorization_id, uses } = world.clearing(cleared.id);
    assert.deepEqual([its_class, match_rule, authorization_id, uses], ['exact', 3, root.id, 0]);
    const { held, cleared: sum, uses: used } = world.counters;
    assert.deepEqual([held, sum, used, world.row(root.id!).status], [0, 1_000, 1, 'cleared']);
  });

  for (const parts of [0, 1]) {
    test(`takes its place as an increment of one that was reversed${parts === 0 ? '' : ' after a part of it'}`, () => {
      const world = new NetworkWorld(now);
      const { trace_id, approval_code } = world.authorize({ merchant_id: 'M' });
      if (parts > 0) world.clear({ merchant_id: 'M', approval_code, billing_amount: 300, partial: true });
      world.authorize({ trace_id, message_type_indicator: '0400' });
      const cleared = world.clear({ ...ref, approval_code: 'Q00001', billing_amount: 400 });
      const root = world.authorize({ ...ref, trace_id, incremental: true, billing_amount: 400 });
      assert.deepEqual([world.clearing(cleared.id).authorization_id, root.approval_code], [root.id, 'Q00001']);
      assert.equal(world.counters.cleared, 400 + 300 * parts);
    });
  }

  test('has a code of six characters, whatever the clearing bears', () => {
    const world = new NetworkWorld(now, { total_card_amount: money(1_000) });
    const cleared = world.clear({ ...ref, approval_code: '2e8rk' });
    const root = world.authorize(ref);
    assert.match(root.approval_code ?? '', /^[0-9A-Z]{6}$/);
    assert.deepEqual(
      [world.clearing(cleared.id).match_rule, world.clearing(cleared.id).authorization_id],
      [3, root.id],
    );
  });

  for (const order of ['before', 'after'] as const) {
    test(`has a clearing that only the approval code of another names, which comes ${order} it`, () => {
      const world = new NetworkWorld(now, { total_card_amount: money(1_000) });
      world.clear({ ...ref, approval_code: 'Q00001', billing_amount: 400, partial: true });
      const rest = { approval_code: 'Q00001', merchant_id: 'M', billing_amount: 600, settlement_date: '2026-11-24' };
      if (order === 'before') world.clear(rest);
      const root = world.authorize({ ...ref, merchant_id: 'M' });
      if (order === 'after') world.clear(rest);
      const rules = world.state.clearings.values().map((row) => [row.match_rule, row.authorization_id]);
      assert.deepEqual(rules, [
        [3, root.id],
        [5, root.id],
      ]);
      assert.deepEqual([world.counters.held, world.counters.cleared, world.counters.uses], [0, 1_000, 1]);
    });
  }

  test('is recorded in the audit log with its match before and after, and in no second event', () => {
    const world = new NetworkWorld(now);
    const cleared = world.clear(ref);
    const root = world.authorize(ref);
    const [entry] = world.state.audit.values();
    assert.deepEqual([entry?.action, entry?.object], ['clearing.rematched', `clearing:${cleared.id}`]);
    const nothing = { clearing_id: null };
    assert.deepEqual(entry?.details, {
      from: { ...nothing, match_rule: 8, authorization_id: null, class: 'force_post' },
      to: { ...nothing, match_rule: 3, authorization_id: root.id, class: 'exact' },
    });
    assert.equal(world.events.filter(({ event_type }) => event_type === 'virtualcard.clearings').length, 1);
  });

  test('counts in the window of its clearing', () => {
    const world = new NetworkWorld('2026-11-20T12:00:00Z', { recurring: 'Daily', total_card_amount: money(1_000) });
    world.clear(ref);
    world.now = now;
    const root = world.authorize(ref);
    assert.equal(world.row(root.id!).window_start_ms, Date.parse('2026-11-20'));
    assert.deepEqual([world.available(), world.counters.uses], [1_000, 0]);
  });

  test('of a refund counts in the window of its credit', () => {
    const world = new NetworkWorld('2026-11-20T12:00:00Z', { recurring: 'Daily', total_card_amount: money(1_000) });
    const credit = world.clear({ merchant_id: 'M', clearing_type: 'CREDIT' });
    world.now = now;
    const root = world.authorize({ merchant_id: 'M', card_holder_transaction_type_code: '20' });
    const { authorization_id, window_start_ms } = world.clearing(credit.id);
    assert.deepEqual([authorization_id, window_start_ms], [root.id, Date.parse('2026-11-20')]);
    assert.deepEqual([world.row(root.id!).window_start_ms, world.available()], [window_start_ms, 1_000]);
  });

  for (const together of [true, false]) {
    test(`counts in the window of its clearing when the clock is behind another's, ${together ? 'in one pass' : 'later'}`, () => {
      const world = new NetworkWorld('2026-11-21T00:00:00Z', { recurring: 'Daily' });
      const fits = { merchant_id: 'M' };
      world.authorize({ ...fits, message_type_indicator: '0120' });
      const { window_start_ms } = world.counters;
      world.now = '2026-11-20T23:59:59Z';
      const messages = [world.clearingMessage({ ...fits, ...ref }), world.message({ ...ref, merchant_id: 'M' })];
      if (together) world.send(...messages);
      else for (const message of messages) world.send(message);
      const [advised, root] = world.state.authorizations.values();
      assert.deepEqual(
        world.state.clearings.values().map((row) => [row.authorization_id, row.window_start_ms]),
        [[root?.id, window_start_ms]],
      );
      assert.deepEqual([advised?.status, root?.status, root?.window_start_ms], ['open', 'cleared', window_start_ms]);
      const { held, cleared, uses } = world.counters;
      assert.deepEqual([held, cleared, uses], [1_000, 1_000, 2]);
    });
  }

  test('does not count in the window of a dispute that came before its clearing', () => {
    const world = new NetworkWorld('2026-11-12T12:00:00Z', { recurring: 'Weekly' });
    world.clear({ ...ard, cycle: 'chargeback', network_financial_transaction_id: 'F1' });
    world.now = now;
    const cleared = world.clear({ ...ard, ...ref, network_financial_transaction_id: 'F2' });
    const root = world.authorize({ ...ref, message_type_indicator: '0120' });
    assert.equal(world.row(root.id!).window_start_ms, world.clearing(cleared.id).window_start_ms);
  });

  test('leaves everything as it was when it is declined', () => {
    const world = new NetworkWorld(now, { per_transaction_max: money(900), per_transaction_max_defaulted: false });
    const cleared = world.clear(ref);
    const before = [world.counters, world.clearing(cleared.id)];
    assert.equal(world.authorize(ref).decline_reason, 'E');
    assert.deepEqual([world.counters, world.clearing(cleared.id)], before);
    assert.equal(world.state.audit.values().length, 0);
  });

  test('takes its place after retention reduced it, when the authorization that it had is reversed', () => {
    const world = new NetworkWorld(now);
    const advice = { ...ref, message_type_indicator: '0120', trace_id: 'T' };
    const first = world.authorize(advice);
    const cleared = world.clear(ref);
    world.authorize({ trace_id: 'T', message_type_indicator: '0400' });
    reduceAll(world);
    world.now = '2027-02-21T12:00:00Z';
    const second = world.authorize({ ...advice, trace_id: 'T2' });
    assert.deepEqual([world.row(first.id!).cleared, world.row(second.id!).cleared], [0, 1_000]);
    assert.equal(world.clearing(cleared.id).authorization_id, second.id);
    assert.deepEqual([world.counters.held, world.counters.cleared, world.counters.uses], [0, 1_000, 1]);
  });

  test('takes its place after retention reduced it, by merchant and amount', () => {
    const world = new NetworkWorld(now);
    const cleared = world.clear({ merchant_id: 'M' });
    reduceAll(world);
    world.now = '2027-02-21T12:00:00Z';
    const { id } = world.authorize({ merchant_id: 'M', message_type_indicator: '0120' });
    const { match_rule, authorization_id } = world.clearing(cleared.id);
    assert.deepEqual([match_rule, authorization_id], [6, id]);
  });

  test('is decided beside the clearings of others', () => {
    const world = new NetworkWorld(now, { total_card_amount: money(1_500) });
    world.clear({ net_reference_number: 'MCCXYZ9991121' });
    world.clear({ ...ref, billing_amount: 400 });
    assert.equal(world.authorize({ ...ref, billing_amount: 600 }).decline_reason, 'F');
    assert.equal(world.authorize({ ...ref, billing_amount: 500 }).decline_reason, null);
  });

  for (const order of ['before', 'after'] as const) {
    test(`of 0 is not increased, when its partial clearing comes ${order} it`, () => {
      const world = new NetworkWorld(now);
      const verify = () => world.authorize({ ...ref, trace_id: 'T', billing_amount: 0 });
      const clear = () => world.clear({ ...ref, billing_amount: 0, partial: true });
      const [verified] = order === 'before' ? [clear(), verify()].slice(1) : [verify(), clear()];
      const increased = world.authorize({ ...ref, trace_id: 'T', incremental: true, billing_amount: 500 });
      const { held, uses } = world.counters;
      assert.deepEqual([held, uses, world.row(verified!.id!).held, world.row(increased.id!).held], [500, 2, 0, 500]);
    });
  }

  test('that increases it is decided as if the clearing had not come', () => {
    const world = new NetworkWorld(now);
    const root = world.authorize({ ...ref, trace_id: 'T' });
    const cleared = world.clear(ref);
    world.authorize({ trace_id: 'T', incremental: true, billing_amount: 200 });
    assert.equal(world.row(root.id!).authorized, 1_200);
    assert.deepEqual([world.clearing(cleared.id).class, world.counters.held], ['under', 0]);
  });

  test('that increases one of its trace id increases the newest, though both are cleared', () => {
    const world = new NetworkWorld(now);
    for (const reference of [ref, { net_reference_number: 'MCCABC1241121' }]) {
      world.authorize({ ...reference, trace_id: 'T' });
      world.clear(reference);
    }
    world.authorize({ trace_id: 'T', incremental: true, billing_amount: 200 });
    assert.deepEqual([world.row(1).authorized, world.row(2).authorized], [1_000, 1_200]);
  });
});

describe('a clearing of the merchant and the amount that an authorization has', () => {
  const changes = [
    ['an increment', 1_000, { incremental: true, billing_amount: 200 }, 1_200],
    ['an incremental advice', 1_000, { incremental: true, billing_amount: 200, message_type_indicator: '0120' }, 1_200],
    ['an advice of another amount', 1_000, { billing_amount: 900, message_type_indicator: '0120' }, 900],
    [
      'a reversal in part',
      1_000,
      { message_type_indicator: '0400', replacement_amounts: { billing_amount: 300 } },
      300,
    ],
  ] as const;
  for (const [name, authorized, fields, billing_amount] of changes) {
    for (const at_once of [false, true]) {
      test(`since ${name} belongs to it${at_once ? ', in one pass' : ''}`, () => {
        const world = new NetworkWorld(now);
        const first = { merchant_id: 'M', trace_id: 'T', billing_amount: authorized };
        const change = { merchant_id: 'M', trace_id: 'T', system_trace_audit_number: '900001', ...fields };
        const clearing = { merchant_id: 'M', billing_amount };
        const messages = [world.message(first), world.clearingMessage(clearing), world.message(change)];
        if (at_once) world.send(...messages);
        else for (const message of messages) world.send(message);
        const [cleared] = world.state.clearings.values();
        assert.deepEqual([cleared?.match_rule, cleared?.review, cleared?.class], [6, true, 'exact']);
        const root = world.row(cleared!.authorization_id!);
        assert.deepEqual([root.trace_id, root.status, root.held, root.cleared], ['T', 'cleared', 0, billing_amount]);
        assert.deepEqual([world.counters.held, world.counters.cleared, world.counters.uses], [0, billing_amount, 1]);
        assert.equal(world.state.audit.values().length, 1);
      });
    }
  }

  test('stays unmatched beside another that fits, also when the message that changes one has its reference', () => {
    const world = new NetworkWorld(now);
    world.authorize({ merchant_id: 'M', trace_id: 'T' });
    world.authorize({ merchant_id: 'M' });
    const cleared = world.clear({ merchant_id: 'M', ...ref });
    const advice = { message_type_indicator: '0120', incremental: true, trace_id: 'T', billing_amount: 200 };
    world.authorize({ ...advice, ...ref });
    const { match_rule, review } = world.clearing(cleared.id);
    assert.deepEqual([match_rule, review], [8, true]);
  });

  test('brings what depends on that clearing with it', () => {
    const world = new NetworkWorld(now);
    world.authorize({ merchant_id: 'M', trace_id: 'T' });
    world.clear({ merchant_id: 'M', billing_amount: 1_200, approval_code: 'Q00001', settlement_date: '2026-11-22' });
    const credit = world.clear({ clearing_type: 'CREDIT', billing_amount: 500, approval_code: 'Q00001' });
    const root = world.authorize({ merchant_id: 'M', trace_id: 'T', incremental: true, billing_amount: 200 });
    assert.equal(world.clearing(credit.id).authorization_id, world.state.clearings.values()[0]!.authorization_id);
    assert.equal(world.row(world.clearing(credit.id).authorization_id!).cleared, 700);
    assert.equal(root.decline_reason, null);
  });
});

describe('a clearing with a synthetic id and one of the network', () => {
  const send = (world: NetworkWorld, id: string, synthetic_id: boolean, fields: object = {}) => {
    const message = world.clearingMessage({ ...ref, ...ard, network_financial_transaction_id: id, ...fields });
    const [answer] = world.send({ ...message, synthetic_id });
    assert.ok(answer !== undefined && 'duplicate' in answer);
    return answer.duplicate;
  };

  for (const [first, second] of [
    [true, false],
    [false, true],
  ] as const) {
    test(`are one, the ${first ? 'synthetic' : 'real'} one first, and are found by either id`, () => {
      const world = new NetworkWorld(now);
      assert.equal(send(world, first ? 'S' : 'R', first), false);
      assert.equal(send(world, second ? 'S' : 'R', second, { net_reference_number: '   ABC123    ' }), true);
      for (const [id, synthetic_id] of [
        ['S', true],
        ['R', false],
      ] as const) {
        assert.equal(send(world, id, synthetic_id), true);
      }
      const [row, ...others] = world.state.clearings.values();
      assert.deepEqual(
        [row?.network_financial_transaction_id, row?.paired_transaction_id, row?.synthetic_id, others.length],
        ['R', 'S', false, 0],
      );
      assert.equal(world.counters.cleared, 1_000);
    });
  }

  for (const [first, second] of [
    [true, false],
    [false, true],
  ] as const) {
    for (const decided of ['before', 'between', 'after'] as const) {
      const name = first ? 'synthetic' : 'real';
      test(`have the reference that either knows, the ${name} one first, authorized ${decided}`, () => {
        const world = new NetworkWorld(now);
        const six = { net_reference_number: '   ABC123    ' };
        if (decided === 'before') world.authorize(ref);
        send(world, first ? 'S' : 'R', first, first ? six : ref);
        if (decided === 'between') world.authorize(ref);
        send(world, second ? 'S' : 'R', second, second ? six : ref);
        if (decided === 'after') world.authorize(ref);
        const [row] = world.state.clearings.values();
        assert.deepEqual([row?.match_rule, row?.class, row?.net_reference_number], [3, 'exact', ...Object.values(ref)]);
        assert.equal(row?.sent?.net_reference_number, undefined);
        assert.deepEqual([world.counters.held, world.counters.cleared, world.counters.uses], [0, 1_000, 1]);
      });
    }
  }

  test('are matched again beside others, also when the second settles later than all of the card', () => {
    const world = new NetworkWorld(now);
    const root = world.authorize({ ...ref, merchant_id: 'M' });
    world.clear({ merchant_id: 'M', settlement_date: '2026-11-22' });
    const six = { net_reference_number: '   ABC123    ' };
    send(world, 'S', true, { ...six, billing_amount: 400 });
    assert.equal(send(world, 'R', false, { billing_amount: 400, settlement_date: '2026-11-30' }), true);
    const rules = world.state.clearings.values().map((row) => [row.match_rule, row.authorization_id]);
    assert.deepEqual(rules, [
      [6, root.id],
      [3, root.id],
    ]);
  });

  test('keep what the authorization knows where neither has a character', () => {
    const world = new NetworkWorld(now);
    world.authorize({ ...ref, trace_id: 'T', message_type_indicator: '0120', approval_code: 'A00001' });
    const fields = { approval_code: 'A00001', authorization_date: '2026-11-21' };
    send(world, 'S', true, { ...fields, net_reference_number: '   ABC123    ' });
    send(world, 'R', false, { ...fields, net_reference_number: 'MCCABC123    ' });
    const [row] = world.state.clearings.values();
    assert.deepEqual([row?.match_rule, row?.class, row?.net_reference_number], [4, 'exact', ...Object.values(ref)]);
    assert.equal(row?.sent?.net_reference_number, 'MCCABC123    ');
  });

  test('are one though their approval codes differ, and each is a copy again by its own id', () => {
    const world = new NetworkWorld(now);
    const copies = [
      ['S', true, { approval_code: 'A1B2C3' }],
      ['R', false, { approval_code: 'D4E5F6' }],
    ] as const;
    const again = [...copies, ...copies].map(([id, is_synthetic, fields]) => send(world, id, is_synthetic, fields));
    assert.deepEqual(again, [false, true, true, true]);
  });

  for (const [what, fields] of Object.entries({
    'another amount': { billing_amount: 1_001 },
    'another type': { clearing_type: 'CREDIT' },
    'another network reference': { net_reference_number: 'MCCABC1241121' },
    'another cycle': { cycle: 'second_presentment' },
    'no acquirer reference data': { acquirer_reference_data: null },
  })) {
    test(`are two with ${what}`, () => {
      const world = new NetworkWorld(now);
      send(world, 'S', true);
      assert.equal(send(world, 'R', false, fields), false);
      assert.equal(world.state.clearings.values().length, 2);
    });
  }

  test('pair once, and two of one kind are suspected duplicates', () => {
    const world = new NetworkWorld(now);
    const kinds = [true, false, false, false, true, true].map((kind, at) => send(world, `C${at}`, kind));
    // The first pairs with the second, the fifth with the third, the sixth with the fourth.
    assert.deepEqual(kinds, [false, true, false, false, true, true]);
    const classes = world.state.clearings.values().map((row) => row.class);
    assert.deepEqual(classes, ['force_post', 'suspected_duplicate', 'suspected_duplicate']);
  });
});

describe('the clearing of another authorization', () => {
  const requested = { ...ref, billing_amount: 27 } as const;
  /** How the hold of the first authorization ended, with what the clearing bears of it. */
  const ends: Record<string, (world: NetworkWorld, first: AuthorizationItem) => void> = {
    'was released': (world, { id }) => world.release(id!),
    'was reversed': (world, { trace_id }) => void world.authorize({ trace_id, message_type_indicator: '0400' }),
    'has expired': (world) => {
      world.now = '2026-12-23T12:00:00Z';
    },
    'was cleared': (world, { approval_code }) => void world.clear({ ...ref, approval_code, billing_amount: 72 }),
    'stays open': () => {},
  };

  for (const [how, end] of Object.entries(ends)) {
    for (const order of ['before', 'after'] as const) {
      test(`whose code it bears and whose hold ${how} is not taken by a request ${order} it`, () => {
        const world = new NetworkWorld(now);
        const first = world.authorize({ ...ref, billing_amount: 72 });
        end(world, first);
        const { approval_code } = first;
        const settlement_date = utcDateAt(world.now_ms);
        const message = { ...ref, approval_code, billing_amount: 72, settlement_date };
        const before = order === 'before' ? world.authorize(requested) : null;
        const { id } = world.clear(message);
        const second = before ?? world.authorize(requested);
        assert.notEqual(second.approval_code, first.approval_code);
        assert.deepEqual([world.clearing(id).authorization_id, world.clearing(id).match_rule], [first.id, 3]);
        assert.deepEqual([world.row(second.id!).cleared, world.row(second.id!).held], [0, 27]);
      });
    }
  }

  for (const message_type_indicator of ['0100', '0120']) {
    test(`is not taken with its code by a ${message_type_indicator} whose reference alone it has`, () => {
      const world = new NetworkWorld(now);
      const first = world.authorize({ billing_amount: 72, merchant_id: 'M' });
      const { approval_code } = first;
      const { id } = world.clear({ ...ref, approval_code, merchant_id: 'M', billing_amount: 72 });
      assert.equal(world.clearing(id).match_rule, 5);
      const second = world.authorize({ ...requested, message_type_indicator });
      assert.notEqual(second.approval_code, approval_code);
      assert.equal(world.clearing(id).authorization_id, first.id);
    });
  }

  test('is of no other when its own cannot have it: it stands alone, and the code is not taken', () => {
    const world = new NetworkWorld(now);
    const refund = world.authorize({ card_holder_transaction_type_code: '20' });
    const { approval_code } = refund;
    const { id } = world.clear({ ...ref, approval_code, billing_amount: 27 });
    const second = world.authorize(requested);
    assert.notEqual(second.approval_code, approval_code);
    assert.deepEqual([world.clearing(id).match_rule, world.clearing(id).authorization_id], [8, null]);
  });

  test('is not taken after a person took it from its own', () => {
    const world = new NetworkWorld(now);
    const first = world.authorize({ ...ref, billing_amount: 72 });
    const { approval_code } = first;
    const { id } = world.clear({ ...ref, approval_code, billing_amount: 72 });
    const taken = matchByHand({ clearing_id: id, authorization_id: null, expected_authorization_id: first.id });
    world.send(rematchMessage([taken]));
    const second = world.authorize(requested);
    assert.notEqual(second.approval_code, approval_code);
    assert.deepEqual([world.clearing(id).match_rule, world.clearing(id).authorization_id], [8, null]);
  });

  test('moves to the authorization whose code it bears, once that comes', () => {
    const world = new NetworkWorld(now);
    const other = world.authorize({ merchant_id: 'M', billing_amount: 100 });
    const { id } = world.clear({ merchant_id: 'M', approval_code: 'A1B2C3', billing_amount: 100 });
    assert.deepEqual([world.clearing(id).match_rule, world.clearing(id).authorization_id], [6, other.id]);
    const advice = { merchant_id: 'M', approval_code: 'A1B2C3', message_type_indicator: '0120' };
    world.authorize({ ...advice, billing_amount: 60 });
    assert.deepEqual([world.clearing(id).match_rule, world.clearing(id).authorization_id], [8, null]);
    const its_own = world.authorize({ ...advice, billing_amount: 90 });
    assert.deepEqual([world.clearing(id).match_rule, world.clearing(id).authorization_id], [5, its_own.id]);
  });

  for (const has_code of [true, false]) {
    test(`is ${has_code ? 'not ' : ''}refunded by a credit of the same merchant ${has_code ? 'with' : 'without'} the code of another authorization`, () => {
      const world = new NetworkWorld(now);
      const shop = { merchant_id: 'M', billing_amount: 500 } as const;
      const first = world.authorize({ ...shop, ...ref });
      const second = world.authorize(shop);
      const purchase = world.clear({ ...shop, ...ref, approval_code: first.approval_code });
      const approval_code = has_code ? second.approval_code : null;
      const credit = world.clear({ merchant_id: 'M', clearing_type: 'CREDIT', billing_amount: 20, approval_code });
      assert.deepEqual([credit.match_rule, credit.clearing_id], [7, has_code ? null : purchase.id]);
    });
  }
});

describe('a clearing whose network reference has blanks', () => {
  test('is stored with the characters of its authorization, and without them when it is matched away', () => {
    const world = new NetworkWorld(now);
    const advice = { message_type_indicator: '0120', approval_code: 'A1B2C3', ...ref };
    world.authorize(advice);
    const blanks = { approval_code: 'A1B2C3', net_reference_number: '   ABC123    ', authorization_date: '2026-11-21' };
    const { id } = world.clear(blanks);
    assert.equal(world.clearing(id).net_reference_number, ref.net_reference_number);
    world.authorize(advice);
    const { match_rule, net_reference_number, sent } = world.clearing(id);
    assert.deepEqual([match_rule, net_reference_number, sent], [8, '   ABC123    ', null]);
  });
});
