import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import type { AuthorizationAnswer } from '../../src/index.ts';
import { aging, itemOf, ms, NetworkWorld, namesField, numberOf } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';
const reversal = { message_type_indicator: '0400' } as const;
const advice = { message_type_indicator: '0120' } as const;

describe('an approved request', () => {
  test('holds its amount and is one use', () => {
    const world = new NetworkWorld(now);
    const item = world.authorize({ billing_amount: 2_500 });
    assert.deepEqual([world.counters.held, world.counters.uses, world.available()], [2_500, 1, 97_500]);
    const row = world.row(item.id!);
    assert.deepEqual(
      { root_id: row.root_id, held: row.held, authorized: row.authorized, uses: row.uses, status: row.status },
      { root_id: row.id, held: 2_500, authorized: 2_500, uses: 1, status: 'open' },
    );
  });

  test('becomes one event, with integer ids and the masked number', () => {
    const world = new NetworkWorld(now);
    const item = world.authorize({ merchant_name: 'Café', acquirer_ica: '1234', settlement_date: '1123' });
    assert.equal(world.events.length, 1);
    const [event] = world.events;
    assert.equal(event?.event_type, 'virtualcard.realtime.auths');
    assert.equal(event?.previous, null);
    assert.equal(event?.company_id, 7);
    assert.deepEqual(event?.payload, item);
    assert.equal(event?.payload.card_number, '************0001');
    assert.equal(event?.payload.vcn_id, 1);
    assert.equal(event?.payload.rcn_id, 3);
    assert.equal(event?.payload.merchant_name, 'Café');
    assert.equal(event?.payload.settlement_date, '1123');
    assert.equal(event?.payload.transaction_type, 'Authorization Request');
    assert.equal(event?.payload.transaction_date_time, '2026-11-21T12:00:00Z');
  });

  test('has the transaction type that the network sent, if it sent one', () => {
    const world = new NetworkWorld(now);
    const item = world.authorize({ transaction_type: 'Purchase with cashback' });
    assert.equal(item.transaction_type, 'Purchase with cashback');
    assert.equal(world.events[0]?.payload.transaction_type, 'Purchase with cashback');
  });
});

describe('a declined request', () => {
  test('is recorded with its event and changes nothing', () => {
    const world = new NetworkWorld(now);
    const item = world.authorize({ billing_amount: 100_001 });
    assert.equal(world.row(item.id!).decline_code, 'E');
    assert.deepEqual([world.counters.held, world.counters.uses], [0, 0]);
    assert.equal(world.events[0]?.payload.issuer_response, 'Declined');
  });

  test('to an unknown number is stored without the number, and no company gets an event', () => {
    const world = new NetworkWorld(now);
    const item = world.authorize({ card_number: numberOf(404) });
    assert.equal(item.decline_reason, 'I');
    assert.equal(item.id, null);
    assert.equal(world.events.length, 0);
    const [kept] = world.unknown_numbers;
    assert.equal(kept?.last4, '0404');
    assert.equal(JSON.stringify(kept?.message).includes(numberOf(404)), false);
  });

  test('a billing currency other than the real card is refused and not recorded', () => {
    const world = new NetworkWorld(now);
    assert.throws(() => world.authorize({ billing_currency: 'EUR' }), namesField('billing_currency'));
    assert.equal(world.state.authorizations.size, 0);
    assert.equal(world.events.length, 0);
  });
});

describe('the same message again', () => {
  for (const [name, input] of [
    ['a request', {}],
    ['a declined request', { billing_amount: 100_001 }],
    ['an advice', advice],
    ['a reversal that came first', reversal],
  ] as const) {
    test(`${name} gets the first answer and changes nothing`, () => {
      const world = new NetworkWorld(now);
      const message = world.message(input);
      const [first] = world.send(message);
      const before = structuredClone(world.counters);
      const [again] = world.send(message) as [AuthorizationAnswer];
      assert.equal(again.kind === 'answered' && again.duplicate, true);
      assert.deepEqual(itemOf(again), itemOf(first as AuthorizationAnswer));
      assert.deepEqual(world.counters, before);
      assert.equal(world.state.authorizations.size, 1);
      assert.equal(world.events.length, 1);
    });
  }

  test('also within one pass', () => {
    const world = new NetworkWorld(now);
    const message = world.message();
    const [first, again] = world.send(message, message) as AuthorizationAnswer[];
    assert.deepEqual(itemOf(again!), itemOf(first!));
    assert.equal(world.counters.uses, 1);
  });

  test('gets the first answer even when its hold has been reversed since', () => {
    const world = new NetworkWorld(now);
    const message = world.message({ trace_id: 'T' });
    const [first] = world.send(message) as AuthorizationAnswer[];
    world.authorize({ ...reversal, trace_id: 'T' });
    assert.deepEqual(itemOf(world.send(message)[0] as AuthorizationAnswer), itemOf(first!));
    assert.equal(world.counters.held, 0);
  });

  for (const [field, other] of [
    ['trace_id', 'other'],
    ['system_trace_audit_number', '999999'],
    ['transaction_date_time', '2026-11-21T12:00:01Z'],
  ] as const) {
    test(`is another message when its ${field} differs`, () => {
      const world = new NetworkWorld(now);
      const input = world.input();
      world.authorize(input);
      world.authorize({ ...input, [field]: other });
      assert.equal(world.state.authorizations.size, 2);
      assert.equal(world.counters.uses, 2);
    });
  }

  test('is another message with another message type', () => {
    const world = new NetworkWorld(now);
    const input = world.input();
    world.authorize(input);
    world.authorize({ ...input, ...advice });
    assert.equal(world.state.authorizations.size, 2);
  });

  test('is another message on another card', () => {
    const world = new NetworkWorld(now, {}, { id: 2 });
    const input = world.input();
    world.authorize(input);
    world.authorize({ ...input, card_number: numberOf(2) });
    assert.deepEqual([world.card(1).counters.uses, world.card(2).counters.uses], [1, 1]);
  });
});

describe('an approval code', () => {
  for (const [what, below, code] of [
    ['lowest', () => 0, '000001'],
    ['highest', (bound: number) => bound - 1, 'ZZZZZZ'],
  ] as const) {
    test(`is ${code} when the ${what} is drawn`, () => {
      const world = new NetworkWorld(now);
      Object.assign(world.random, { below });
      assert.equal(world.authorize().approval_code, code);
    });
  }
});

describe('an incremental authorization', () => {
  const more = { incremental: true, trace_id: 'T' } as const;

  test('begins the end of a hold only when nothing was held', () => {
    const world = new NetworkWorld(now, { hold_days: 7 });
    const root = world.authorize({ trace_id: 'T', billing_amount: 300 });
    world.authorize({ trace_id: 'T', message_type_indicator: '0120', billing_amount: 0 });
    const end = () => world.row(root.id!).hold_end_ms;
    world.authorize({ ...more, billing_amount: 0 });
    assert.equal(end(), null);
    world.now = '2026-11-22T12:00:00Z';
    world.authorize({ ...more, billing_amount: 1 });
    assert.equal(end(), ms('2026-11-29T00:00:01Z'));
    world.now = '2026-11-23T12:00:00Z';
    world.authorize({ ...more, billing_amount: 1 });
    assert.equal(end(), ms('2026-11-29T00:00:01Z'));
  });

  test('begins no end of a hold that has none', () => {
    const world = new NetworkWorld(now, { hold_days: 'never' });
    const { id } = world.authorize({ trace_id: 'T', billing_amount: 100 });
    world.state.companies.set(7, { ...world.state.companies.get(7)!, hold_days: 7 });
    world.authorize({ ...more, billing_amount: 1 });
    assert.equal(world.row(id!).hold_end_ms, null);
  });

  test('adds to the hold and is no new use', () => {
    const world = new NetworkWorld(now, { transactions_max: 1 });
    const root = world.authorize({ trace_id: 'T', billing_amount: 1_000 });
    const item = world.authorize({ ...more, billing_amount: 500 });
    assert.equal(item.decline_reason, null);
    assert.equal(item.approval_code, root.approval_code);
    assert.deepEqual([world.counters.held, world.counters.uses], [1_500, 1]);
    assert.deepEqual([world.row(root.id!).held, world.row(root.id!).authorized], [1_500, 1_500]);
    const row = world.row(item.id!);
    assert.deepEqual([row.root_id, row.held, row.uses, row.status], [root.id, 0, 0, 'open']);
  });

  test('is checked against the limits of one transaction with the sum', () => {
    const world = new NetworkWorld(now, { per_transaction_min: money(800), per_transaction_max: money(1_400) });
    world.authorize({ trace_id: 'T', billing_amount: 1_000 });
    assert.equal(world.authorize({ ...more, billing_amount: 401 }).decline_reason, 'E');
    assert.equal(world.authorize({ ...more, billing_amount: 400 }).decline_reason, null);
  });

  test('is checked against the rest of the card with its own amount', () => {
    const world = new NetworkWorld(now, { total_card_amount: money(1_400), per_transaction_max: money(5_000) });
    world.authorize({ trace_id: 'T', billing_amount: 1_000 });
    assert.equal(world.authorize({ ...more, billing_amount: 401 }).decline_reason, 'F');
    assert.equal(world.authorize({ ...more, billing_amount: 400 }).decline_reason, null);
  });

  test('without the flag is a new use', () => {
    const world = new NetworkWorld(now);
    world.authorize({ trace_id: 'T' });
    world.authorize({ trace_id: 'T' });
    assert.equal(world.counters.uses, 2);
  });

  for (const [name, prepare] of [
    ['nothing was authorized', () => {}],
    [
      'it was reversed',
      (world: NetworkWorld) => {
        world.authorize({ trace_id: 'T' });
        world.authorize({ ...reversal, trace_id: 'T' });
      },
    ],
    ['it was only a verification', (world: NetworkWorld) => world.authorize({ trace_id: 'T', billing_amount: 0 })],
  ] as const) {
    test(`is a separate authorization when ${name}`, () => {
      const world = new NetworkWorld(now);
      prepare(world);
      const item = world.authorize({ ...more, billing_amount: 700 });
      assert.equal(world.row(item.id!).root_id, item.id);
      assert.deepEqual([world.counters.held, world.counters.uses], [700, 1]);
    });
  }

  test('adds to an authorization that an advice lowered to 0, with an end of its own', () => {
    const world = new NetworkWorld(now, { transactions_max: 1, recurring: 'Daily' });
    const root = world.authorize({ trace_id: 'T', billing_amount: 500 });
    world.authorize({ ...advice, trace_id: 'T', billing_amount: 0 });
    world.now = '2026-11-22T08:00:00Z';
    const item = world.authorize({ ...more, billing_amount: 200 });
    assert.equal(world.row(item.id!).root_id, root.id);
    assert.deepEqual([world.row(root.id!).held, world.row(root.id!).hold_end_ms], [200, ms('2026-12-22T00:00:01Z')]);
    assert.equal(world.counters.uses, 0);
  });

  describe('after the window of its authorization is over', () => {
    const daily = { recurring: 'Daily', total_card_amount: money(1_000), transactions_max: 1 } as const;

    test('adds to the hold in that window, and a final clearing finds the one authorization', () => {
      const world = new NetworkWorld(now, daily);
      const ref = { net_reference_number: 'MCCABC1231121' };
      const root = world.authorize({ ...ref, trace_id: 'T', billing_amount: 600 });
      world.now = '2026-11-22T08:00:00Z';
      const item = world.authorize({ ...ref, ...more, billing_amount: 300 });
      assert.deepEqual([world.row(item.id!).root_id, world.row(root.id!).held], [root.id, 900]);
      const cleared = world.clear({ ...ref, billing_amount: 900 });
      assert.deepEqual([cleared.class, cleared.authorization_id], ['exact', root.id]);
      assert.deepEqual([world.available(), world.counters.uses], [1_000, 0]);
    });

    test('is checked against what that window has left', () => {
      const world = new NetworkWorld(now, { ...daily, per_transaction_max: money(5_000), transactions_max: 2 });
      world.authorize({ billing_amount: 100 });
      world.authorize({ trace_id: 'T', billing_amount: 600 });
      world.now = '2026-11-22T08:00:00Z';
      world.authorize({ billing_amount: 900 });
      assert.equal(world.authorize({ ...more, billing_amount: 301 }).decline_reason, 'F');
      assert.equal(world.authorize({ ...more, billing_amount: 300 }).decline_reason, null);
      assert.equal(world.authorize({ ...more, billing_amount: 1 }).decline_reason, 'F');
      assert.equal(world.available(), 100);
    });

    test('meets no limit of the present window', () => {
      const world = new NetworkWorld(now, daily);
      world.authorize({ trace_id: 'T', billing_amount: 400 });
      world.now = '2026-11-22T08:00:00Z';
      world.authorize({ billing_amount: 1_000 });
      assert.equal(world.authorize({ ...more, billing_amount: 600 }).decline_reason, null);
      assert.deepEqual([world.available(), world.counters.uses], [0, 1]);
    });
  });

  test('does not make an aging hold last longer', () => {
    const world = new NetworkWorld(now, aging);
    const root = world.authorize({ trace_id: 'T' });
    const { hold_end_ms } = world.row(root.id!);
    world.now = '2026-11-24T12:00:00Z';
    world.authorize({ ...more });
    assert.equal(world.row(root.id!).hold_end_ms, hold_end_ms);
  });
});

describe('an advice', () => {
  test('is applied even if it breaks a limit, and records which', () => {
    const world = new NetworkWorld(now, { transactions_max: 1, total_card_amount: money(1_500) });
    world.authorize();
    const item = world.authorize({ ...advice, approval_code: 'ABC123' });
    assert.deepEqual([item.issuer_response, item.response_code, item.approval_code], ['Approved', '00', 'ABC123']);
    assert.equal(item.broken_reason, 'G');
    assert.deepEqual([world.counters.held, world.counters.uses, world.available()], [2_000, 2, -500]);
  });

  test('within the limits records no broken limit', () => {
    const world = new NetworkWorld(now);
    assert.equal(world.authorize({ ...advice, response_code: '00' }).broken_reason, null);
    assert.deepEqual([world.counters.held, world.counters.uses], [1_000, 1]);
  });

  test('is applied to a canceled card', () => {
    const world = new NetworkWorld(now, { status: 'Canceled' });
    assert.equal(world.authorize(advice).broken_reason, 'K');
    assert.equal(world.counters.held, 1_000);
  });

  test('of a decline is recorded and holds nothing', () => {
    const world = new NetworkWorld(now);
    const item = world.authorize({ ...advice, response_code: '05', approval_code: 'ABC123' });
    assert.deepEqual([item.status, item.issuer_response, item.response_code], ['declined', 'Declined', '05']);
    assert.deepEqual([item.approval_code, item.decline_reason], [null, null]);
    assert.deepEqual([world.counters.held, world.counters.uses], [0, 0]);
    assert.equal(world.events.length, 1);
  });

  describe('of a decision of ours', () => {
    const ref = { trace_id: 'T', net_reference_number: 'MCCABC1231121' } as const;

    test('is recorded with the approval code that it names', () => {
      const world = new NetworkWorld(now);
      world.authorize(ref);
      assert.equal(world.authorize({ ...ref, ...advice, approval_code: 'ABC123' }).approval_code, 'ABC123');
    });

    test('holds nothing a second time and is no second use', () => {
      const world = new NetworkWorld(now, { total_card_amount: money(1_000), transactions_max: 1 });
      const root = world.authorize({ ...ref, billing_amount: 300 });
      const item = world.authorize({ ...ref, ...advice, billing_amount: 300 });
      assert.deepEqual(
        [item.issuer_response, item.approval_code, item.broken_reason],
        ['Approved', root.approval_code, null],
      );
      const row = world.row(item.id!);
      assert.deepEqual([row.root_id, row.held, row.authorized, row.uses], [root.id, 0, 0, 0]);
      world.clear({ ...ref, billing_amount: 300 });
      assert.deepEqual([world.available(), world.counters.held, world.counters.uses], [700, 0, 1]);
    });

    test('changes the hold by the advised amount less the amount reported before', () => {
      const world = new NetworkWorld(now);
      const root = world.authorize({ ...ref, billing_amount: 300 });
      const held = [350, 350, 200, 0, 900].map((billing_amount) => {
        world.authorize({ ...ref, ...advice, billing_amount });
        return [world.row(root.id!).held, world.row(root.id!).authorized, world.counters.held];
      });
      assert.deepEqual(
        held,
        [350, 350, 200, 0, 900].map((amount) => [amount, amount, amount]),
      );
      assert.equal(world.counters.uses, 1);
    });

    test('changes the hold beside increments and clearings, and never below 0', () => {
      const world = new NetworkWorld(now);
      const root = world.authorize({ ...ref, billing_amount: 300 });
      world.authorize({ trace_id: 'T', incremental: true, billing_amount: 100 });
      world.clear({ ...ref, billing_amount: 250, partial: true });
      world.authorize({ ...ref, ...advice, billing_amount: 320 });
      assert.deepEqual([world.row(root.id!).held, world.row(root.id!).authorized], [170, 420]);
      world.authorize({ ...ref, ...advice, billing_amount: 100 });
      assert.deepEqual([world.row(root.id!).held, world.row(root.id!).authorized], [0, 200]);
      world.authorize({ ...ref, ...advice, billing_amount: 150 });
      // 250 are authorized now, and 250 are cleared.
      assert.deepEqual([world.row(root.id!).held, world.counters.held], [0, 0]);
    });

    test('never makes the authorized amount fall below 0', () => {
      const world = new NetworkWorld(now);
      const root = world.authorize({ ...ref, billing_amount: 300 });
      world.authorize({ ...reversal, trace_id: 'T', replacement_amounts: { billing_amount: 100 } });
      world.authorize({ ...ref, ...advice, billing_amount: 50 });
      assert.deepEqual([world.row(root.id!).authorized, world.row(root.id!).held], [0, 0]);
    });

    test('of a refund counts as 0', () => {
      const world = new NetworkWorld(now);
      const root = world.authorize({ ...ref, billing_amount: 300 });
      world.authorize({ ...ref, ...advice, billing_amount: 300, card_holder_transaction_type_code: '20' });
      assert.equal(world.row(root.id!).held, 0);
      world.authorize({ ...ref, ...advice, billing_amount: 300 });
      assert.equal(world.row(root.id!).held, 300);
    });

    test('that leaves nothing held leaves no end, and a later rise has one of its own', () => {
      const world = new NetworkWorld(now, aging);
      const root = world.authorize({ ...ref, billing_amount: 300 });
      world.authorize({ ...ref, ...advice, billing_amount: 0 });
      assert.equal(world.row(root.id!).hold_end_ms, null);
      world.now = '2026-11-23T12:00:00Z';
      world.authorize({ ...ref, ...advice, billing_amount: 1 });
      assert.equal(world.row(root.id!).hold_end_ms, ms('2026-11-30T00:00:01-05:00'));
    });

    test('shows that the card may not be used, with a rise or without', () => {
      const world = new NetworkWorld(now, { valid_ending_on: '2026-11-21' });
      world.authorize({ ...ref, billing_amount: 300 });
      world.now = '2026-11-22T12:00:00Z';
      const reported = [300, 400].map((billing_amount) => world.authorize({ ...ref, ...advice, billing_amount }));
      assert.deepEqual(
        reported.map(({ broken_reason }) => broken_reason),
        ['D', 'D'],
      );
    });

    test('is compared with the last advice, which may itself have been the decision', () => {
      const world = new NetworkWorld(now);
      const root = world.authorize({ ...ref, ...advice, billing_amount: 300 });
      world.authorize({ ...ref, ...advice, billing_amount: 500 });
      assert.deepEqual([world.row(root.id!).held, world.counters.uses], [500, 1]);
    });

    test('of an increment is no report of the whole amount', () => {
      const world = new NetworkWorld(now);
      const root = world.authorize({ ...ref, billing_amount: 300 });
      world.authorize({ ...advice, trace_id: 'T', incremental: true, billing_amount: 50 });
      world.authorize({ ...ref, ...advice, billing_amount: 310 });
      assert.equal(world.row(root.id!).held, 360);
    });

    test('of a decline does not change it', () => {
      const world = new NetworkWorld(now);
      const root = world.authorize({ ...ref, billing_amount: 300 });
      const item = world.authorize({ ...ref, ...advice, billing_amount: 300, response_code: '05' });
      assert.deepEqual([item.status, world.row(item.id!).root_id], ['declined', item.id]);
      world.authorize({ ...ref, ...advice, billing_amount: 400 });
      assert.equal(world.row(root.id!).held, 400);
    });

    test('shows a limit that its rise breaks, and only then', () => {
      const world = new NetworkWorld(now, { total_card_amount: money(1_000), transactions_max: 1 });
      world.authorize({ ...ref, billing_amount: 900 });
      const reported = [900, 1_000, 1_001, 1_001, 1_000].map((billing_amount) =>
        world.authorize({ ...ref, ...advice, billing_amount }),
      );
      assert.deepEqual(
        reported.map(({ broken_reason }) => broken_reason),
        [null, null, 'F', null, null],
      );
      assert.equal(world.available(), 0);
    });

    test('counts in the window of the decision', () => {
      const world = new NetworkWorld(now, { recurring: 'Daily', total_card_amount: money(1_000) });
      const root = world.authorize({ ...ref, billing_amount: 300 });
      world.now = '2026-11-22T08:00:00Z';
      world.authorize({ billing_amount: 900 });
      const item = world.authorize({ ...ref, ...advice, billing_amount: 1_000 });
      assert.deepEqual([item.broken_reason, world.row(root.id!).held], [null, 1_000]);
      assert.deepEqual([world.available(), world.counters.uses], [100, 1]);
    });

    test('that raises a verification gives its hold an end, and no use', () => {
      const world = new NetworkWorld(now, aging);
      const root = world.authorize({ ...ref, billing_amount: 0 });
      world.authorize({ ...ref, ...advice, billing_amount: 200 });
      const { held, hold_end_ms, uses } = world.row(root.id!);
      assert.deepEqual([held, hold_end_ms, uses], [200, ms('2026-11-28T00:00:01-05:00'), 0]);
      world.now = '2026-11-28T00:00:01-05:00';
      world.authorize({ billing_amount: 200_000 });
      assert.deepEqual([world.counters.held, world.row(root.id!).status], [0, 'expired']);
    });

    test('that is a refund holds nothing', () => {
      const world = new NetworkWorld(now);
      const refund = { ...ref, card_holder_transaction_type_code: '20' };
      world.authorize(refund);
      world.authorize({ ...refund, ...advice, billing_amount: 2_000 });
      world.authorize({ ...ref, ...advice, billing_amount: 3_000 });
      assert.deepEqual([world.counters.held, world.counters.uses], [0, 0]);
    });

    for (const [state, end] of [
      ['reversed', (world: NetworkWorld) => void world.authorize({ ...reversal, trace_id: 'T' })],
      ['cleared', (world: NetworkWorld) => void world.clear({ ...ref, billing_amount: 300 })],
      [
        'expired',
        (world: NetworkWorld) => {
          world.now = '2026-11-28T00:00:01-05:00';
        },
      ],
    ] as const) {
      test(`is only recorded when the authorization is ${state}`, () => {
        const world = new NetworkWorld(now, aging);
        const root = world.authorize({ ...ref, billing_amount: 300 });
        end(world);
        const item = world.authorize({ ...ref, ...advice, billing_amount: 500 });
        assert.deepEqual([world.row(root.id!).status, world.row(item.id!).root_id], [state, root.id]);
        assert.deepEqual([world.counters.held, world.row(root.id!).held], [0, 0]);
      });
    }

    test('is only recorded when the rest of a partially cleared hold is over', () => {
      const world = new NetworkWorld(now, aging);
      const root = world.authorize({ ...ref, billing_amount: 300 });
      world.clear({ ...ref, billing_amount: 100, partial: true });
      world.now = '2026-11-28T00:00:01-05:00';
      world.authorize({ ...ref, ...advice, billing_amount: 500 });
      assert.deepEqual([world.row(root.id!).held, world.row(root.id!).status], [0, 'partially_cleared']);
    });

    test('prefers the newest authorization whose hold may still change', () => {
      const world = new NetworkWorld(now);
      const [first, second, third] = [100, 200, 300].map((billing_amount) =>
        world.authorize({ trace_id: 'T', billing_amount, net_reference_number: `MCCABC${billing_amount}1121` }),
      );
      world.clear({ net_reference_number: 'MCCABC3001121', billing_amount: 300 });
      world.authorize({ ...advice, trace_id: 'T', billing_amount: 250 });
      const held = [first, second, third].map((item) => world.row(item!.id!).held);
      assert.deepEqual(held, [100, 250, 0]);
    });

    test('is about the newest authorization when no hold may change any more', () => {
      const world = new NetworkWorld(now, aging);
      world.authorize({ trace_id: 'T' });
      const second = world.authorize({ trace_id: 'T' });
      world.now = '2026-11-28T00:00:01-05:00';
      const item = world.authorize({ ...advice, trace_id: 'T' });
      assert.equal(world.row(item.id!).root_id, second.id);
    });
  });

  test('of an increment adds to the hold', () => {
    const world = new NetworkWorld(now);
    const root = world.authorize({ trace_id: 'T' });
    world.authorize({ ...advice, trace_id: 'T', incremental: true, billing_amount: 200_000 });
    assert.equal(world.row(root.id!).held, 201_000);
    assert.equal(world.counters.uses, 1);
  });
});

describe('a reversal', () => {
  test('in full releases the hold and the use', () => {
    const world = new NetworkWorld(now, { transactions_max: 1 });
    const root = world.authorize({ trace_id: 'T' });
    const item = world.authorize({ ...reversal, trace_id: 'T' });
    assert.deepEqual([item.response_code, item.status, item.approval_code], ['00', 'reversed', root.approval_code]);
    assert.deepEqual([world.counters.held, world.counters.uses], [0, 0]);
    assert.equal(world.row(root.id!).status, 'reversed');
    assert.equal(world.authorize().decline_reason, null);
  });

  test('in full ends the hold when it is decided', () => {
    const world = new NetworkWorld(now, aging);
    const root = world.authorize({ trace_id: 'T' });
    world.now = '2026-11-22T12:00:00Z';
    world.authorize({ ...reversal, trace_id: 'T' });
    assert.equal(world.row(root.id!).hold_end_ms, ms('2026-11-22T12:00:00Z'));
  });

  for (const partial of [false, true]) {
    test(`in full after a ${partial ? 'partial' : 'final'} clearing releases no use, even when it is repeated`, () => {
      const world = new NetworkWorld(now, { transactions_max: 1 });
      const reference = { net_reference_number: 'MCCABC1231121' };
      const root = world.authorize({ ...reference, trace_id: 'T' });
      world.clear({ ...reference, billing_amount: 100, partial });
      for (const system_trace_audit_number of ['000101', '000102']) {
        world.authorize({ ...reversal, trace_id: 'T', system_trace_audit_number });
      }
      assert.deepEqual([world.counters.held, world.row(root.id!).uses, world.counters.uses], [0, 1, 1]);
      assert.equal(world.authorize().decline_reason, 'G');
    });
  }

  test('also releases increments', () => {
    const world = new NetworkWorld(now);
    world.authorize({ trace_id: 'T' });
    world.authorize({ trace_id: 'T', incremental: true });
    world.authorize({ ...reversal, trace_id: 'T' });
    assert.deepEqual([world.counters.held, world.counters.uses], [0, 0]);
  });

  for (const replacement_amounts of [
    { billing_amount: 0, settlement_amount: 0, transaction_amount: 0 },
    { billing_amount: null },
    {},
  ]) {
    test(`with replacement amounts ${JSON.stringify(replacement_amounts)} is in full`, () => {
      const world = new NetworkWorld(now);
      world.authorize({ trace_id: 'T' });
      world.authorize({ ...reversal, trace_id: 'T', replacement_amounts });
      assert.deepEqual([world.counters.held, world.counters.uses], [0, 0]);
    });
  }

  test('in part leaves the corrected amount and the use', () => {
    const world = new NetworkWorld(now);
    const root = world.authorize({ trace_id: 'T', billing_amount: 1_000 });
    const replacement_amounts = { billing_amount: 300 };
    const item = world.authorize({ ...reversal, trace_id: 'T', replacement_amounts });
    assert.deepEqual([world.counters.held, world.counters.uses], [300, 1]);
    assert.deepEqual([world.row(root.id!).status, world.row(root.id!).authorized], ['open', 300]);
    assert.equal(item.replacement_amounts.billing_amount, 300);
    world.authorize({ ...reversal, trace_id: 'T', replacement_amounts });
    assert.equal(world.counters.held, 300);
  });

  test('in part is also recognised by the flat names of the amounts', () => {
    const world = new NetworkWorld(now);
    world.authorize({ trace_id: 'T', billing_amount: 1_000 });
    const item = world.authorize({ ...reversal, trace_id: 'T', 'replacement_amounts.billing_amount': 300 });
    assert.deepEqual([world.counters.held, world.counters.uses], [300, 1]);
    assert.equal(item.replacement_amounts.billing_amount, 300);
  });

  for (const left_out of [0, null]) {
    test(`in part uses the transaction amount when it also has a billing amount of ${left_out}, in one currency`, () => {
      const world = new NetworkWorld(now);
      world.authorize({ trace_id: 'T', billing_amount: 1_000 });
      const replacement_amounts = { billing_amount: left_out, settlement_amount: 0, transaction_amount: 300 };
      world.authorize({ ...reversal, trace_id: 'T', replacement_amounts });
      assert.deepEqual([world.counters.held, world.counters.uses], [300, 1]);
    });
  }

  for (const left_out of [0, null]) {
    for (const [currency, sent, missing] of [
      [null, 'transaction_amount', 'billing_amount'],
      ['EUR', 'billing_amount', 'transaction_amount'],
      [null, 'settlement_amount', 'billing_amount'],
      ['EUR', 'settlement_amount', 'transaction_amount'],
    ] as const) {
      const card = currency === null ? 'without a currency' : `in ${currency}`;
      test(`with only its ${sent} beside ${left_out} is refused on a card ${card}`, () => {
        const world = new NetworkWorld(now, { currency });
        const eur = { trace_id: 'T', merchant_amount: 900, merchant_currency: 'EUR' };
        world.authorize(eur);
        const replacement_amounts = { [missing]: left_out, [sent]: 300 };
        assert.throws(
          () => world.authorize({ ...eur, ...reversal, replacement_amounts }),
          namesField(`replacement_amounts.${missing}`),
        );
        assert.equal(world.state.authorizations.size, 1);
        assert.equal(world.counters.held, currency === null ? 1_000 : 900);
      });
    }
  }

  test('on a card in its billing currency uses either amount', () => {
    const world = new NetworkWorld(now, { currency: 'USD' });
    world.authorize({ trace_id: 'T' });
    world.authorize({
      ...reversal,
      trace_id: 'T',
      replacement_amounts: { billing_amount: 400, transaction_amount: 0 },
    });
    assert.equal(world.counters.held, 400);
    world.authorize({
      ...reversal,
      trace_id: 'T',
      replacement_amounts: { billing_amount: 0, transaction_amount: 300 },
    });
    assert.equal(world.counters.held, 300);
  });

  test('never raises a hold', () => {
    const world = new NetworkWorld(now);
    world.authorize({ trace_id: 'T' });
    world.authorize({ ...reversal, trace_id: 'T', replacement_amounts: { billing_amount: 5_000 } });
    assert.equal(world.counters.held, 1_000);
  });

  test('in part of a card with currency control uses the transaction amount', () => {
    const world = new NetworkWorld(now, { currency: 'EUR' });
    const eur = { merchant_amount: 900, merchant_currency: 'EUR', trace_id: 'T' };
    world.authorize(eur);
    const replacement_amounts = { billing_amount: 330, transaction_amount: 300 };
    world.authorize({ ...eur, ...reversal, replacement_amounts });
    assert.equal(world.counters.held, 300);
    assert.throws(
      () => world.authorize({ ...eur, ...reversal, replacement_amounts: { billing_amount: 220 } }),
      namesField('replacement_amounts.transaction_amount'),
    );
  });

  test('repeated changes nothing', () => {
    const world = new NetworkWorld(now);
    world.authorize();
    world.authorize({ trace_id: 'T' });
    world.authorize({ ...reversal, trace_id: 'T' });
    world.authorize({ message_type_indicator: '0420', trace_id: 'T' });
    assert.deepEqual([world.counters.held, world.counters.uses], [1_000, 1]);
  });

  test('before its original is recorded, and the late original is declined and holds nothing', () => {
    const world = new NetworkWorld(now);
    const early = world.authorize({ ...reversal, trace_id: 'T' });
    assert.equal(world.row(early.id!).root_id, null);
    assert.equal(early.response_code, '00');
    const item = world.authorize({ trace_id: 'T' });
    assert.deepEqual([item.decline_reason, item.response_code], ['U', '96']);
    assert.deepEqual([world.counters.held, world.counters.uses], [0, 0]);
    assert.equal(world.events.length, 2);
  });

  for (const [name, late] of [
    ['request', {}],
    ['advice', advice],
  ] as const) {
    test(`before its original declines that one ${name}, and other messages with its trace id are decided`, () => {
      const world = new NetworkWorld(now);
      world.authorize({ ...reversal, trace_id: 'T' });
      world.authorize({ message_type_indicator: '0420', trace_id: 'T' });
      const message = world.message({ ...late, trace_id: 'T' });
      const [first] = world.send(message);
      const other = world.authorize({ trace_id: 'T', billing_amount: 700 });
      assert.equal(other.decline_reason, null);
      assert.deepEqual([world.counters.held, world.counters.uses], [700, 1]);
      const [again] = world.send(message);
      assert.deepEqual(again, { ...first, duplicate: true });
      assert.equal(itemOf(again as AuthorizationAnswer).decline_reason, 'U');
      world.authorize({ trace_id: 'T', incremental: true, billing_amount: 100 });
      assert.deepEqual([world.counters.held, world.counters.uses], [800, 1]);
      world.authorize({ ...reversal, trace_id: 'T' });
      assert.equal(world.row(other.id!).status, 'reversed');
      assert.deepEqual([world.counters.held, world.counters.uses], [0, 0]);
    });
  }

  test('before its original ignores an advice of a decline, which holds nothing, and waits for the original', () => {
    const world = new NetworkWorld(now);
    world.authorize({ ...reversal, trace_id: 'T' });
    world.authorize({ ...advice, trace_id: 'T', response_code: '05' });
    assert.equal(world.authorize({ trace_id: 'T' }).decline_reason, 'U');
    assert.equal(world.authorize({ trace_id: 'T' }).decline_reason, null);
  });

  describe('in part before its original', () => {
    const part = (billing_amount: number) =>
      ({ ...reversal, trace_id: 'T', replacement_amounts: { billing_amount } }) as const;

    for (const [name, late] of [
      ['request', {}],
      ['advice', advice],
    ] as const) {
      test(`leaves the ${name} its corrected amount`, () => {
        const world = new NetworkWorld(now, { total_card_amount: money(1_000) });
        world.authorize(part(300));
        const item = world.authorize({ ...late, trace_id: 'T', billing_amount: 1_000 });
        const { authorized, held, billing_amount } = world.row(item.id!);
        assert.deepEqual([item.decline_reason, authorized, held, billing_amount], [null, 300, 300, 1_000]);
        assert.deepEqual([world.available(), world.counters.uses], [700, 1]);
      });
    }

    test('makes the limits compare the corrected amount', () => {
      const limits = {
        total_card_amount: money(500),
        per_transaction_max: money(300),
        per_transaction_min: money(200),
      };
      const world = new NetworkWorld(now, limits);
      const decided = [301, 300, 200, 199].map((amount, at) => {
        const trace_id = `T${at}`;
        world.authorize({ ...part(amount), trace_id });
        return world.authorize({ trace_id, billing_amount: 1_000 }).decline_reason;
      });
      assert.deepEqual(decided, ['E', null, null, 'E']);
      assert.equal(world.available(), 0);
    });

    test('never raises an amount', () => {
      const world = new NetworkWorld(now);
      world.authorize(part(5_000));
      world.authorize({ trace_id: 'T' });
      assert.equal(world.counters.held, 1_000);
    });

    test('of several, the smallest counts, and one in full wins', () => {
      const world = new NetworkWorld(now);
      for (const amount of [400, 300, 500]) world.authorize(part(amount));
      world.authorize({ trace_id: 'T' });
      assert.equal(world.counters.held, 300);
      world.authorize({ ...part(400), trace_id: 'U' });
      world.authorize({ ...reversal, trace_id: 'U' });
      assert.equal(world.authorize({ trace_id: 'U' }).decline_reason, 'U');
      assert.equal(world.counters.held, 300);
    });

    test('is used once, by the first original, even by one that is declined', () => {
      const world = new NetworkWorld(now, { per_transaction_min: money(400) });
      world.authorize(part(300));
      world.authorize({ ...advice, trace_id: 'T', response_code: '05' });
      assert.equal(world.authorize({ trace_id: 'T' }).decline_reason, 'E');
      world.authorize({ trace_id: 'T', billing_amount: 900 });
      assert.equal(world.counters.held, 900);
    });

    test('is compared by an advice of the original with the amount as sent', () => {
      const world = new NetworkWorld(now);
      world.authorize(part(300));
      world.authorize({ trace_id: 'T' });
      world.authorize({ ...advice, trace_id: 'T' });
      assert.deepEqual([world.counters.held, world.counters.uses], [300, 1]);
    });

    test('counts in the currency of the limits', () => {
      const world = new NetworkWorld(now, { currency: 'EUR' });
      const eur = { merchant_amount: 900, merchant_currency: 'EUR', trace_id: 'T' };
      world.authorize({ ...eur, ...reversal, replacement_amounts: { billing_amount: 330, transaction_amount: 300 } });
      world.authorize(eur);
      assert.equal(world.counters.held, 300);
    });
  });

  test('of a declined original is recorded against it', () => {
    const world = new NetworkWorld(now);
    const root = world.authorize({ trace_id: 'T', billing_amount: 200_000 });
    const item = world.authorize({ ...reversal, trace_id: 'T' });
    assert.equal(world.row(item.id!).root_id, root.id);
    assert.equal(world.row(root.id!).status, 'declined');
  });

  test('belongs to the original that still holds an amount, also when a newer one was cleared', () => {
    const world = new NetworkWorld(now);
    const ref = { net_reference_number: 'MCCABC1231121' };
    const holding = world.authorize({ trace_id: 'T', billing_amount: 1 });
    world.authorize({ ...ref, trace_id: 'T', billing_amount: 500 });
    world.clear({ ...ref, billing_amount: 500 });
    const item = world.authorize({ ...reversal, trace_id: 'T' });
    assert.equal(world.row(item.id!).root_id, holding.id);
    assert.equal(world.counters.held, 0);
  });

  test('of several declined originals is recorded against the newest', () => {
    const world = new NetworkWorld(now);
    world.authorize({ trace_id: 'T', billing_amount: 200_000 });
    const newest = world.authorize({ trace_id: 'T', billing_amount: 200_000 });
    const item = world.authorize({ ...reversal, trace_id: 'T' });
    assert.equal(world.row(item.id!).root_id, newest.id);
  });

  test('finds its original on its own card only', () => {
    const world = new NetworkWorld(now, {}, { id: 2 });
    world.authorize({ trace_id: 'T' });
    const item = world.authorize({ ...reversal, trace_id: 'T', card_id: 2 });
    assert.equal(world.row(item.id!).root_id, null);
    assert.equal(world.card(1).counters.held, 1_000);
  });

  test('after a clearing releases only the rest of the hold', () => {
    const world = new NetworkWorld(now);
    const root = world.authorize({ trace_id: 'T', net_reference_number: 'MCCABC1231121' });
    world.clear({ net_reference_number: 'MCCABC1231121', billing_amount: 600, partial: true });
    world.authorize({ ...reversal, trace_id: 'T' });
    assert.deepEqual([world.counters.held, world.counters.cleared, world.counters.uses], [0, 600, 1]);
    assert.deepEqual([world.row(root.id!).held, world.row(root.id!).cleared], [0, 600]);
  });

  test('after the hold expired changes no balance', () => {
    const world = new NetworkWorld(now, aging);
    world.authorize({ trace_id: 'T' });
    world.now = '2026-12-01T12:00:00Z';
    world.authorize({ ...reversal, trace_id: 'T' });
    assert.deepEqual([world.counters.held, world.counters.uses, world.available()], [0, 0, 100_000]);
  });

  test('of an expired authorization reverses it, and returns its use', () => {
    const world = new NetworkWorld(now, aging);
    const root = world.authorize({ trace_id: 'T' });
    world.now = '2026-12-01T12:00:00Z';
    world.authorize({ ...reversal, trace_id: 'T' });
    const { status, authorized, held, uses } = world.row(root.id!);
    assert.deepEqual([status, authorized, held, uses], ['reversed', 0, 0, 0]);
  });
});

describe('a window', () => {
  test('rolls over at midnight UTC, and the limits start again', () => {
    const world = new NetworkWorld('2026-11-21T23:59:59.999Z', { recurring: 'Daily', transactions_max: 1 });
    world.authorize();
    assert.equal(world.authorize().decline_reason, 'G');
    world.now = '2026-11-22T00:00:00Z';
    assert.equal(world.available(), 100_000);
    assert.equal(world.authorize().decline_reason, null);
    assert.deepEqual([world.counters.held, world.counters.uses], [1_000, 1]);
    assert.equal(world.counters.window_start_ms, ms('2026-11-22T00:00:00Z'));
  });

  test('that is over keeps its counters, and later messages about it change them', () => {
    const world = new NetworkWorld(now, { recurring: 'Daily' });
    const day_ms = ms('2026-11-21T00:00:00Z');
    const stored = () => world.window(day_ms);
    world.authorize({ trace_id: 'T', billing_amount: 600 });
    world.clear({ billing_amount: 50 });
    assert.equal(stored(), undefined);
    world.now = '2026-11-22T08:00:00Z';
    world.authorize();
    assert.deepEqual(stored(), { card_id: 1, window_start_ms: day_ms, held: 600, cleared: 50, uses: 2 });
    world.authorize({ trace_id: 'T', incremental: true, billing_amount: 100 });
    assert.equal(stored()?.held, 700);
    world.now = '2026-11-24T08:00:00Z';
    world.authorize({ ...reversal, trace_id: 'T' });
    assert.deepEqual(stored(), { card_id: 1, window_start_ms: day_ms, held: 0, cleared: 50, uses: 1 });
    assert.equal(world.state.card_windows.size, 2);
  });

  for (const [what, clearings, sums] of [
    ['a credit', [{ clearing_type: 'CREDIT' }], { held: 0, cleared: -1_000, uses: 0 }],
    ['a use', [{}, { clearing_type: 'CREDIT' }], { held: 0, cleared: 0, uses: 1 }],
  ] as const) {
    test(`that has only ${what} is stored`, () => {
      const world = new NetworkWorld(now, { recurring: 'Daily' });
      const window_start_ms = ms('2026-11-21T00:00:00Z');
      for (const clearing of clearings) world.clear({ acquirer_reference_data: '55432861234567890', ...clearing });
      world.now = '2026-11-22T08:00:00Z';
      world.authorize();
      assert.deepEqual(world.window(window_start_ms), { card_id: 1, window_start_ms, ...sums });
    });
  }

  test('in which nothing was used is not stored', () => {
    const world = new NetworkWorld(now, { recurring: 'Daily' });
    world.authorize({ trace_id: 'T' });
    world.authorize({ ...reversal, trace_id: 'T' });
    world.now = '2026-11-22T08:00:00Z';
    world.authorize();
    assert.equal(world.state.card_windows.size, 0);
  });

  test('that is over keeps its messages: a reversal changes the row and not the counters', () => {
    const world = new NetworkWorld(now, { recurring: 'Daily' });
    const root = world.authorize({ trace_id: 'T' });
    world.now = '2026-11-22T08:00:00Z';
    world.authorize({ billing_amount: 400 });
    const item = world.authorize({ ...reversal, trace_id: 'T' });
    assert.deepEqual([world.row(root.id!).held, world.row(root.id!).status], [0, 'reversed']);
    assert.equal(world.row(item.id!).window_start_ms, world.row(root.id!).window_start_ms);
    assert.deepEqual([world.counters.held, world.counters.uses], [400, 1]);
  });

  test('never goes back when the clock of another machine is behind', () => {
    const world = new NetworkWorld('2026-11-22T00:00:00Z', { recurring: 'Daily', transactions_max: 1 });
    world.authorize();
    world.now = '2026-11-21T23:59:59Z';
    assert.equal(world.authorize().decline_reason, 'G');
    assert.equal(world.counters.window_start_ms, ms('2026-11-22T00:00:00Z'));
  });
});

describe('an aging hold', () => {
  const ends = '2026-11-28T00:00:01-05:00';

  test('holds until 00:00:01 of its last local day, and not a second longer', () => {
    const world = new NetworkWorld(now, {
      ...aging,
      total_card_amount: money(1_000),
      per_transaction_max: money(1_000),
    });
    const root = world.authorize();
    assert.equal(world.row(root.id!).hold_end_ms, ms(ends));
    world.now = '2026-11-28T00:00:00.999-05:00';
    assert.equal(world.available(), 0);
    assert.equal(world.authorize().decline_reason, 'F');
    world.now = ends;
    assert.equal(world.available(), 1_000);
    assert.equal(world.authorize().decline_reason, null);
    assert.deepEqual([world.row(root.id!).status, world.row(root.id!).held], ['expired', 0]);
  });

  test('is free at 00:00:01 local time after a change of the clocks', () => {
    const world = new NetworkWorld('2026-03-07T12:00:00-05:00', { ...aging, authorization_hold_days: 2 });
    const root = world.authorize();
    assert.equal(world.row(root.id!).hold_end_ms, ms('2026-03-09T00:00:01-04:00'));
  });

  test('that a pass releases does not prevent the later release of others', () => {
    const world = new NetworkWorld(now, aging);
    world.authorize({ billing_amount: 100 });
    world.now = '2026-11-23T12:00:00Z';
    world.authorize({ billing_amount: 200 });
    world.now = '2026-11-25T12:00:00Z';
    world.authorize({ billing_amount: 400 });
    world.now = ends;
    world.authorize({ billing_amount: 200_000 });
    assert.equal(world.counters.held, 600);
    assert.equal(world.counters.next_hold_end_ms, ms('2026-11-30T00:00:01-05:00'));
    world.now = '2027-01-01T00:00:00Z';
    world.authorize({ billing_amount: 200_000 });
    assert.deepEqual([world.counters.held, world.counters.next_hold_end_ms], [0, null]);
  });

  test('of a verification has no end, because it holds nothing', () => {
    const world = new NetworkWorld(now, aging);
    const item = world.authorize({ billing_amount: 0 });
    assert.equal(world.row(item.id!).hold_end_ms, null);
    assert.equal(world.counters.next_hold_end_ms, null);
  });
});

describe('a hold without aging velocity', () => {
  for (const [hold_days, ends] of [
    [null, '2026-12-21T00:00:01Z'],
    [1, '2026-11-22T00:00:01Z'],
    [365, '2027-11-21T00:00:01Z'],
  ] as const) {
    test(`ends ${hold_days ?? 'the default of 30'} days later at 00:00:01 UTC, when its company has ${hold_days} days`, () => {
      const world = new NetworkWorld(now, { hold_days, total_card_amount: money(1_000) });
      const root = world.authorize();
      assert.equal(world.row(root.id!).hold_end_ms, ms(ends));
      world.now_ms = ms(ends) - 1;
      assert.equal(world.available(), 0);
      world.now = ends;
      assert.equal(world.available(), 1_000);
      assert.equal(world.authorize({ billing_amount: 1 }).decline_reason, null);
      assert.deepEqual([world.row(root.id!).status, world.row(root.id!).held], ['expired', 0]);
    });
  }

  test('ends by the days and the zone of its own card in a pass over several', () => {
    const own = (id: number, hold_days: number) => ({ id, company_id: id, hold_days });
    const tokyo = { ...aging, aging_velocity_time_zone: 'Asia/Tokyo' };
    const world = new NetworkWorld(now, own(1, 7), own(2, 30), { id: 3, ...aging }, { id: 4, ...tokyo });
    world.send(...[1, 2, 3, 4].map((card_id) => world.message({ card_id })));
    assert.deepEqual(
      [1, 2, 3, 4].map((id) => world.card(id).counters.next_hold_end_ms),
      ['2026-11-28T00:00:01Z', '2026-12-21T00:00:01Z', '2026-11-28T00:00:01-05:00', '2026-11-28T00:00:01+09:00'].map(
        ms,
      ),
    );
  });

  test('never ends when its company chose so', () => {
    const world = new NetworkWorld(now, { hold_days: 'never', total_card_amount: money(1_000) });
    const root = world.authorize();
    world.now = '2028-01-01T00:00:00Z';
    assert.equal(world.authorize({ billing_amount: 1 }).decline_reason, 'F');
    assert.deepEqual([world.row(root.id!).hold_end_ms, world.counters.next_hold_end_ms], [null, null]);
  });

  for (const loads of ['what is promised', 'everything'] as const)
    test(`keeps its end when the company changes its days, with ${loads} loaded`, () => {
      const world = new NetworkWorld(now, { hold_days: 7 });
      world.loads = loads;
      const root = world.authorize({ billing_amount: 100 });
      world.state.companies.set(7, { ...world.state.companies.get(7)!, hold_days: 'never' });
      world.authorize({ billing_amount: 200 });
      world.now = '2026-11-28T00:00:01Z';
      world.authorize({ billing_amount: 400 });
      assert.equal(world.row(root.id!).status, 'expired');
      assert.equal(world.counters.held, 600);
    });

  test('gets no end from later days of the company when an advice raises it', () => {
    const world = new NetworkWorld(now, { hold_days: 'never' });
    const { id, trace_id } = world.authorize({ billing_amount: 100 });
    world.state.companies.set(7, { ...world.state.companies.get(7)!, hold_days: 7 });
    const advice = { message_type_indicator: '0120', trace_id: trace_id as string };
    world.authorize({ ...advice, billing_amount: 150 });
    assert.deepEqual([world.row(id!).held, world.row(id!).hold_end_ms], [150, null]);
  });

  test('ends by the days of aging velocity on a card that has them', () => {
    const world = new NetworkWorld(now, { ...aging, hold_days: 'never' });
    assert.equal(world.row(world.authorize().id!).hold_end_ms, ms('2026-11-28T00:00:01-05:00'));
  });
});
