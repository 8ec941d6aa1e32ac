import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import type { AuthorizationAnswer } from '../../src/index.ts';
import { aging, itemOf, ms, NetworkWorld, namesField, numberOf } from './network-world.ts';

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
    ['message_type_indicator', '0120'],
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

  test('is another message on another card', () => {
    const world = new NetworkWorld(now, {}, { id: 2 });
    const input = world.input();
    world.authorize(input);
    world.authorize({ ...input, card_number: numberOf(2) });
    assert.deepEqual([world.card(1).counters.uses, world.card(2).counters.uses], [1, 1]);
  });
});

describe('an incremental authorization', () => {
  const more = { incremental: true, trace_id: 'T' } as const;

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

  test('after the window rolled over is checked against the limits of the new window', () => {
    const world = new NetworkWorld(now, { recurring: 'Daily', transactions_max: 1 });
    const root = world.authorize({ trace_id: 'T', billing_amount: 1_000 });
    world.now = '2026-11-22T00:00:00Z';
    const item = world.authorize({ ...more, billing_amount: 500 });
    assert.equal(world.row(item.id!).root_id, item.id);
    assert.deepEqual([world.counters.held, world.counters.uses], [500, 1]);
    assert.equal(world.row(root.id!).held, 1_000);
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

  test('of a declined original is recorded against it', () => {
    const world = new NetworkWorld(now);
    const root = world.authorize({ trace_id: 'T', billing_amount: 200_000 });
    const item = world.authorize({ ...reversal, trace_id: 'T' });
    assert.equal(world.row(item.id!).root_id, root.id);
    assert.equal(world.row(root.id!).status, 'declined');
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

  test('never ends when its company chose so', () => {
    const world = new NetworkWorld(now, { hold_days: 'never', total_card_amount: money(1_000) });
    const root = world.authorize();
    world.now = '2028-01-01T00:00:00Z';
    assert.equal(world.authorize({ billing_amount: 1 }).decline_reason, 'F');
    assert.deepEqual([world.row(root.id!).hold_end_ms, world.counters.next_hold_end_ms], [null, null]);
  });

  test('keeps its end when the company changes its days', () => {
    const world = new NetworkWorld(now, { hold_days: 7 });
    const root = world.authorize({ billing_amount: 100 });
    world.state.companies.set(7, { ...world.state.companies.get(7)!, hold_days: 'never' });
    world.authorize({ billing_amount: 200 });
    world.now = '2026-11-28T00:00:01Z';
    world.authorize({ billing_amount: 400 });
    assert.equal(world.row(root.id!).status, 'expired');
    assert.equal(world.counters.held, 600);
  });

  test('ends by the days of aging velocity on a card that has them', () => {
    const world = new NetworkWorld(now, { ...aging, hold_days: 'never' });
    assert.equal(world.row(world.authorize().id!).hold_end_ms, ms('2026-11-28T00:00:01-05:00'));
  });
});
