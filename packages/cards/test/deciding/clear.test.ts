import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money, Refusal } from '@tallystick/kernel';
import type { ClearingInput } from '../../src/index.ts';
import { aging, ms, NetworkWorld, namesField, numberOf } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';
const ref = { net_reference_number: 'MCCABC1231121' } as const;
const ard = { acquirer_reference_data: '55432861234567890' } as const;
const reversal = { message_type_indicator: '0400' } as const;

describe('a clearing of an authorization', () => {
  test('turns held into cleared, and a final one releases the rest of the hold', () => {
    const world = new NetworkWorld(now);
    const root = world.authorize({ ...ref, billing_amount: 1_000 });
    const item = world.clear({ ...ref, billing_amount: 700 });
    assert.deepEqual([world.counters.held, world.counters.cleared, world.counters.uses], [0, 700, 1]);
    assert.equal(world.available(), 99_300);
    assert.deepEqual([world.row(root.id!).status, world.row(root.id!).cleared], ['cleared', 700]);
    const { authorization_id, class: kind, match_rule, review } = item;
    assert.deepEqual(
      { authorization_id, kind, match_rule, review },
      { authorization_id: root.id, kind: 'under', match_rule: 3, review: false },
    );
    const { cleared_effect, hold_effect, uses } = world.clearing(item.id);
    assert.deepEqual({ cleared_effect, hold_effect, uses }, { cleared_effect: 700, hold_effect: 1_000, uses: 0 });
  });

  test('becomes one event with the payload of the clearing', () => {
    const world = new NetworkWorld(now);
    world.authorize({ ...ref, transaction_date_time: '2026-11-20T23:30:00Z' });
    const item = world.clear({ ...ref, merchant_name: 'Café', exchange_rate: '1.083400' });
    const event = world.events[1];
    assert.equal(event?.event_type, 'virtualcard.clearings');
    assert.deepEqual(event?.payload, item);
    assert.equal(event?.payload.card_number, '************0001');
    assert.equal(event?.payload.exchange_rate, '1.083400');
    assert.equal(event?.payload.authorization_date, '2026-11-20');
  });

  test('in parts: the hold falls by each until the final one', () => {
    const world = new NetworkWorld(now);
    const root = world.authorize({ ...ref, billing_amount: 1_000 });
    const first = world.clear({ ...ref, billing_amount: 300, partial: true });
    assert.deepEqual([world.counters.held, world.counters.cleared], [700, 300]);
    assert.equal(world.row(root.id!).status, 'partially_cleared');
    world.clear({ ...ref, billing_amount: 500, partial: true });
    assert.deepEqual([world.counters.held, world.counters.cleared], [200, 800]);
    const last = world.clear({ ...ref, billing_amount: 200 });
    assert.deepEqual([world.counters.held, world.counters.cleared], [0, 1_000]);
    assert.deepEqual([first.class, last.class, world.row(root.id!).status], ['partial', 'exact', 'cleared']);
  });

  test('in parts above the hold releases no more than the hold', () => {
    const world = new NetworkWorld(now);
    world.authorize({ ...ref, billing_amount: 1_000 });
    world.clear({ ...ref, billing_amount: 1_300, partial: true });
    assert.deepEqual([world.counters.held, world.counters.cleared], [0, 1_300]);
  });

  test('above the limit is applied, and the balance falls below zero', () => {
    const world = new NetworkWorld(now, { total_card_amount: money(1_000), per_transaction_max: money(1_000) });
    world.authorize({ ...ref, billing_amount: 1_000 });
    assert.equal(world.clear({ ...ref, billing_amount: 5_000 }).class, 'over');
    assert.equal(world.available(), -4_000);
  });

  test('after another final one is applied as well', () => {
    const world = new NetworkWorld(now);
    world.authorize({ ...ref, billing_amount: 1_000, mcc: '5411' });
    world.clear({ ...ref, billing_amount: 600 });
    assert.equal(world.clear({ ...ref, billing_amount: 600 }).class, 'over');
    assert.deepEqual([world.counters.held, world.counters.cleared], [0, 1_200]);
  });

  test('counts increments, and no longer reversed amounts', () => {
    const world = new NetworkWorld(now);
    world.authorize({ ...ref, trace_id: 'T', billing_amount: 1_000 });
    world.authorize({ trace_id: 'T', incremental: true, billing_amount: 500 });
    world.authorize({ ...reversal, trace_id: 'T', replacement_amounts: { billing_amount: 1_200 } });
    assert.equal(world.clear({ ...ref, billing_amount: 1_200 }).class, 'exact');
    assert.deepEqual([world.counters.held, world.counters.cleared], [0, 1_200]);
  });

  test('in a window that is over changes the row and not the counters', () => {
    const world = new NetworkWorld(now, { recurring: 'Daily' });
    const root = world.authorize(ref);
    world.now = '2026-11-22T08:00:00Z';
    world.authorize({ billing_amount: 400 });
    const item = world.clear(ref);
    assert.deepEqual([world.counters.held, world.counters.cleared, world.counters.uses], [400, 0, 1]);
    assert.deepEqual([world.row(root.id!).held, world.row(root.id!).cleared], [0, 1_000]);
    assert.equal(world.clearing(item.id).window_start_ms, ms('2026-11-21T00:00:00Z'));
  });

  test('after the hold aged off is applied and classified as late', () => {
    const world = new NetworkWorld(now, aging);
    const root = world.authorize(ref);
    world.now = '2026-11-28T05:00:01Z';
    const item = world.clear({ ...ref, settlement_date: '2026-11-29' });
    assert.deepEqual([item.class, item.authorization_id], ['late', root.id]);
    assert.deepEqual([world.counters.held, world.counters.cleared], [0, 1_000]);
    assert.equal(world.row(root.id!).status, 'cleared');
  });

  test('in part keeps the authorization on the card when the rest of its hold ages off', () => {
    const world = new NetworkWorld(now, aging);
    const root = world.authorize(ref);
    world.clear({ ...ref, billing_amount: 400, partial: true });
    world.now = '2026-11-28T05:00:01Z';
    const rest = { ...ref, billing_amount: 600, settlement_date: '2026-11-29' };
    assert.equal(world.clear(rest).class, 'late');
    assert.equal(world.row(root.id!).status, 'cleared');
    assert.deepEqual([world.counters.held, world.counters.cleared], [0, 1_000]);
  });

  for (const [authorized_on, match_rule] of [
    ['2026-10-17', 6],
    ['2026-10-16', 8],
  ] as const) {
    test(`of the merchant and amount that was authorized on ${authorized_on} matches by rule ${match_rule}`, () => {
      const at = `${authorized_on}T12:00:00Z`;
      const world = new NetworkWorld(at);
      world.authorize({ merchant_id: 'M', transaction_date_time: at });
      world.now = now;
      world.authorize({ merchant_id: 'N' });
      assert.equal(world.row(1).status, 'expired');
      assert.equal(world.clear({ merchant_id: 'M', settlement_date: '2026-11-21' }).match_rule, match_rule);
    });
  }

  // The hold ends at 00:00:01 of 2026-11-28 in New York.
  for (const [settlement_date, expected] of [
    ['2026-11-27', 'exact'],
    ['2026-11-28', 'exact'],
    ['2026-11-29', 'late'],
  ] as const) {
    for (const arrives of [now, '2026-12-10T12:00:00Z']) {
      test(`settled on ${settlement_date} is ${expected} when the hold ended on 2026-11-28, arriving ${arrives}`, () => {
        const world = new NetworkWorld(now, aging);
        world.authorize(ref);
        world.now = arrives;
        assert.equal(world.clear({ ...ref, settlement_date }).class, expected);
      });
    }
  }

  for (const [zone, sketch, last_day, first_late] of [
    ['UTC', {}, '2026-11-22', '2026-11-23'],
    ['New York', aging, '2026-11-21', '2026-11-22'],
  ] as const) {
    test(`is late from the day after the release, by the date in ${zone}`, () => {
      for (const [settlement_date, expected] of [
        [last_day, 'exact'],
        [first_late, 'late'],
      ] as const) {
        const world = new NetworkWorld(now, sketch);
        const { id } = world.authorize(ref);
        world.now = '2026-11-22T03:00:00Z';
        world.release(id!);
        assert.equal(world.clear({ ...ref, settlement_date }).class, expected);
      }
    });
  }

  const ends: Readonly<Record<string, (world: NetworkWorld) => void>> = {
    reversed: (world) => void world.authorize({ ...reversal, trace_id: 'T' }),
    released: (world) => world.release(1),
  };
  for (const [ended, end] of Object.entries(ends)) {
    for (const pause_ms of [0, 1]) {
      const how = pause_ms === 0 ? 'in the same instant' : 'later';
      const storyOf = (...events: readonly ('part' | 'end' | 'rest')[]) => {
        const world = new NetworkWorld(now);
        world.authorize({ ...ref, trace_id: 'T' });
        for (const event of events) {
          world.now_ms += pause_ms;
          if (event === 'end') end(world);
          else world.clear({ ...ref, billing_amount: 300, partial: event === 'part' });
        }
        const { status, cleared, held, uses } = world.row(1);
        return { world, row: [status, cleared, held, uses] };
      };

      test(`in part of what was ${ended} makes it partially cleared, ${how}`, () => {
        assert.deepEqual(storyOf('end', 'part').row, ['partially_cleared', 300, 0, 1]);
        assert.deepEqual(storyOf('part', 'end', 'part').row, ['partially_cleared', 600, 0, 1]);
      });

      test(`in part that came first leaves it ${ended}, also after others are settled again, ${how}`, () => {
        const { world, row } = storyOf('part', 'end');
        assert.deepEqual(row, [ended, 300, 0, 1]);
        world.clear({ ...ref, clearing_type: 'CREDIT', billing_amount: 100, settlement_date: '2026-11-20' });
        assert.deepEqual([world.row(1).status, world.row(1).cleared], [ended, 200]);
      });

      test(`that is final clears what was ${ended}, ${how}`, () => {
        assert.equal(storyOf('part', 'end', 'rest').row[0], 'cleared');
        assert.equal(storyOf('end', 'part', 'rest').row[0], 'cleared');
      });

      test(`in part of what was ${ended} opens it for no increment and no advice, ${how}`, () => {
        const { world } = storyOf('end', 'part');
        world.now_ms += pause_ms;
        world.authorize({ ...ref, trace_id: 'T', message_type_indicator: '0120', billing_amount: 1_500 });
        const increment = world.authorize({ trace_id: 'T', incremental: true, billing_amount: 50 });
        const { status, held } = world.row(1);
        assert.deepEqual([status, held, world.row(increment.id!).root_id], ['partially_cleared', 0, increment.id]);
      });
    }
  }

  for (const when of ['before', 'after']) {
    test(`counts a reversal as one ${when} the hold ended: it is not late, and the reversed one is the last choice`, () => {
      const world = new NetworkWorld(now, aging);
      world.authorize({ ...ref, trace_id: 'T' });
      if (when === 'after') world.now = '2026-11-30T12:00:00Z';
      world.authorize({ ...reversal, trace_id: 'T' });
      world.now = '2026-11-30T12:00:00Z';
      assert.equal(world.row(1).status, 'reversed');
      const { id } = world.clear({ ...ref, settlement_date: '2026-11-30' });
      assert.equal(world.clearing(id).class, 'over');
      const second = world.authorize({ ...ref, message_type_indicator: '0120' });
      assert.deepEqual([world.clearing(id).authorization_id, world.clearing(id).class], [second.id, 'exact']);
    });
  }

  test('counts a reversal as one after a part of it has cleared: the rest is not late, and it is the last choice', () => {
    const world = new NetworkWorld(now, aging);
    world.authorize({ ...ref, trace_id: 'T' });
    world.authorize({ ...reversal, trace_id: 'T' });
    world.clear({ ...ref, billing_amount: 300, partial: true });
    assert.equal(world.row(1).status, 'partially_cleared');
    const { id } = world.clear({ ...ref, settlement_date: '2026-11-30' });
    assert.equal(world.clearing(id).class, 'over');
    const second = world.authorize({ ...ref, message_type_indicator: '0120' });
    assert.equal(world.clearing(id).authorization_id, second.id);
  });

  test('after a reversal in full is applied anyway', () => {
    const world = new NetworkWorld(now);
    world.authorize({ ...ref, trace_id: 'T' });
    world.authorize({ ...reversal, trace_id: 'T' });
    assert.equal(world.clear(ref).class, 'over');
    assert.deepEqual([world.counters.held, world.counters.cleared], [0, 1_000]);
  });

  test('after a reversal in full is a use again, so that a limit of uses cannot be exceeded', () => {
    const world = new NetworkWorld(now, { transactions_max: 2 });
    const uses = [1, 2].map((day) => {
      const reference = { net_reference_number: `MCCABC123112${day}` };
      world.authorize({ ...reference, trace_id: `T${day}` });
      world.authorize({ ...reversal, trace_id: `T${day}` });
      const item = world.clear(reference);
      return [world.row(item.authorization_id!).uses, world.clearing(item.id).uses, world.counters.uses];
    });
    assert.deepEqual(uses, [
      [1, 0, 1],
      [1, 0, 2],
    ]);
    assert.equal(world.authorize().decline_reason, 'G');
  });

  test('is one use of its authorization, even when many parts follow a reversal in full', () => {
    const world = new NetworkWorld(now);
    const root = world.authorize({ ...ref, trace_id: 'T' });
    world.clear({ ...ref, billing_amount: 100, partial: true });
    world.authorize({ ...reversal, trace_id: 'T' });
    for (const partial of [true, true, false]) world.clear({ ...ref, billing_amount: 100, partial });
    assert.deepEqual([world.row(root.id!).uses, world.counters.uses, world.counters.cleared], [1, 1, 400]);
  });

  test('of a verification is a use', () => {
    const world = new NetworkWorld(now, { transactions_max: 1 });
    const root = world.authorize({ ...ref, billing_amount: 0 });
    assert.equal(world.counters.uses, 0);
    assert.equal(world.clear(ref).authorization_id, root.id);
    assert.deepEqual([world.row(root.id!).uses, world.counters.uses], [1, 1]);
    assert.equal(world.authorize().decline_reason, 'G');
  });

  test('after a reversal in full is a use of the window of its authorization, not of a later one', () => {
    const world = new NetworkWorld(now, { recurring: 'Daily' });
    const root = world.authorize({ ...ref, trace_id: 'T' });
    world.authorize({ ...reversal, trace_id: 'T' });
    world.now = '2026-11-22T08:00:00Z';
    world.authorize({ billing_amount: 400 });
    world.clear(ref);
    assert.deepEqual([world.row(root.id!).uses, world.counters.uses], [1, 1]);
    assert.equal(world.row(root.id!).window_start_ms, ms('2026-11-21T00:00:00Z'));
  });

  test('is applied to a canceled card', () => {
    const world = new NetworkWorld(now, { status: 'Canceled' });
    world.clear();
    assert.equal(world.counters.cleared, 1_000);
  });
});

describe('the same network_financial_transaction_id again', () => {
  const same = { network_financial_transaction_id: 'F' };

  const whole = {
    ...same,
    acquirer_reference_data: '55432861234567890',
    approval_code: 'A1B2C3',
    merchant_amount: 900,
    merchant_currency: 'EUR',
  };

  test('is a duplicate, and changes nothing', () => {
    const world = new NetworkWorld(now);
    const first = world.clear(whole);
    const other = { settlement_date: '2026-11-30', merchant_id: 'M', mcc: '7011', partial: true, exchange_rate: '1.1' };
    assert.deepEqual(world.clear({ ...whole, ...other }), first);
    assert.equal(world.counters.cleared, 1_000);
    assert.equal(world.events.length, 1);
  });

  const additions = ['acquirer_reference_data', 'approval_code', 'merchant_amount', 'merchant_currency'] as const;

  test('is a duplicate when only one of the two states an addition', () => {
    for (const states_first of [true, false]) {
      const world = new NetworkWorld(now);
      const messages = states_first ? [whole, same] : [same, whole];
      const [first, again] = messages.map((message) => world.clear(message));
      assert.deepEqual(again, first);
      assert.equal(world.counters.cleared, 1_000);
    }
  });

  const others: Readonly<Record<string, Partial<ClearingInput>>> = {
    clearing_type: { clearing_type: 'CREDIT' },
    cycle: { cycle: 'reversal' },
    billing_amount: { billing_amount: 1_001 },
    billing_currency: { billing_currency: 'EUR' },
    acquirer_reference_data: { acquirer_reference_data: '55432861234567891' },
    approval_code: { approval_code: 'A1B2C4' },
    merchant_amount: { merchant_amount: 901 },
    merchant_currency: { merchant_currency: 'GBP' },
  };
  for (const [field, other] of Object.entries(others)) {
    test(`with another ${field} is refused, naming the field and both values, and changes nothing`, () => {
      const world = new NetworkWorld(now);
      world.clear(whole);
      const before = world.counters;
      assert.throws(
        () => world.clear({ ...whole, ...other }),
        (error: Refusal) => {
          const [{ path, message } = assert.fail(), { path: its_path, message: its_message } = assert.fail()] =
            error.fields;
          assert.deepEqual([path, its_path], ['network_financial_transaction_id', field]);
          const [value] = Object.values(other);
          assert.ok(its_message.includes(`is ${value}, `), its_message);
          assert.match(message, new RegExp(`a clearing of this card with ${field} \\w+ has it`));
          return error.code === 'validation_failed';
        },
      );
      assert.deepEqual(world.counters, before);
      assert.equal(world.state.clearings.size, 1);
      const [{ reason, explanation } = assert.fail()] = world.state.quarantine.values();
      assert.equal(reason, 'transaction_of_another_clearing');
      assert.ok(explanation.includes(field), explanation);
    });

    test(`with another ${field} is refused within one pass too`, () => {
      const world = new NetworkWorld(now);
      const [first, second] = world.send(world.clearingMessage(whole), world.clearingMessage({ ...whole, ...other }));
      assert.deepEqual([first?.kind, second?.kind], ['answered', 'refused']);
      assert.equal(world.state.clearings.size, 1);
    });
  }

  test('of two without the additions in which later ones differ, is a duplicate of the first', () => {
    const world = new NetworkWorld(now);
    world.clear(same);
    for (const field of additions.slice(0, 2)) assert.equal(world.clear({ ...same, ...others[field] }).id, 1);
  });

  test('also within one pass', () => {
    const world = new NetworkWorld(now);
    const message = world.clearingMessage();
    const [first, again] = world.send(message, message);
    assert.deepEqual(first, { ...first, duplicate: false });
    assert.deepEqual(again, { ...first, duplicate: true });
    assert.equal(world.state.clearings.size, 1);
  });

  test('for another card is refused', () => {
    const world = new NetworkWorld(now, {}, { id: 2 });
    world.clear(same);
    assert.throws(() => world.clear({ ...same, card_id: 2 }), namesField('network_financial_transaction_id'));
    assert.equal(world.card(2).counters.cleared, 0);
  });
});

describe('a network_financial_transaction_id that names nothing', () => {
  for (const id of [
    '0',
    '0000000000000000',
    '0000-0000',
    ' ',
    '---',
    '5.55E+17',
    '5,55E+17',
    '5.55e+17',
    '1E+15',
    '55.5E17',
  ]) {
    test(`is refused, and the clearing is kept: ${JSON.stringify(id)}`, () => {
      const world = new NetworkWorld(now);
      const message = { network_financial_transaction_id: id };
      assert.throws(() => world.clear(message), namesField('network_financial_transaction_id'));
      assert.throws(() => world.clear(message), namesField('network_financial_transaction_id'));
      assert.equal(world.state.clearings.size, 0);
      assert.deepEqual(
        world.state.quarantine.values().map(({ reason, count }) => [reason, count]),
        [['invalid_clearing', 2]],
      );
    });
  }

  for (const id of ['1', '0001', 'F', '12E45', '5E17', 'TXN-0', '\u06f5', '5.55', '5.55E+17-2']) {
    test(`is not ${id}`, () => {
      const world = new NetworkWorld(now);
      assert.equal(world.clear({ network_financial_transaction_id: id }).network_financial_transaction_id, id);
    });
  }
});

describe('a clearing that cannot be applied to the card', () => {
  test('is not found when the card is unknown', () => {
    const world = new NetworkWorld(now);
    const notFound = (message: string) => (error: unknown) =>
      error instanceof Refusal && error.code === 'not_found' && error.message === message;
    assert.throws(
      () => world.clear({ card_number: numberOf(404) }),
      notFound('there is no virtual card with this number'),
    );
    assert.throws(() => world.clear({ vcn_id: 404 }), notFound('there is no virtual card 404'));
  });

  test('is refused in another billing currency', () => {
    const world = new NetworkWorld(now);
    assert.throws(() => world.clear({ billing_currency: 'EUR' }), namesField('billing_currency'));
    assert.equal(world.events.length, 0);
  });
});

describe('a debit without an authorization', () => {
  test('is forced: applied in the current window as one use, and flagged', () => {
    const world = new NetworkWorld(now, { transactions_max: 1 });
    const item = world.clear();
    assert.deepEqual([item.class, item.match_rule, item.authorization_id], ['force_post', 8, null]);
    assert.deepEqual([world.counters.cleared, world.counters.uses], [1_000, 1]);
    assert.equal(world.authorize().decline_reason, 'G');
  });

  test('never belongs to a declined authorization or to a refund', () => {
    const world = new NetworkWorld(now);
    world.authorize({ ...ref, billing_amount: 200_000 });
    world.authorize({ ...ref, card_holder_transaction_type_code: '20' });
    assert.equal(world.clear(ref).class, 'force_post');
  });

  test('never belongs to an authorization of another card', () => {
    const world = new NetworkWorld(now, {}, { id: 2 });
    world.authorize({ ...ref, card_id: 2 });
    assert.equal(world.clear(ref).class, 'force_post');
    assert.equal(world.card(2).counters.held, 1_000);
  });
});

describe('a credit', () => {
  test('linked to an authorization lowers the cleared amount in its window', () => {
    const world = new NetworkWorld(now);
    const root = world.authorize(ref);
    world.clear(ref);
    const item = world.clear({ ...ref, clearing_type: 'CREDIT', billing_amount: 400 });
    assert.deepEqual([item.class, item.authorization_id], ['refund_linked', root.id]);
    assert.deepEqual([world.counters.cleared, world.row(root.id!).cleared, world.counters.uses], [600, 600, 1]);
    assert.equal(world.row(root.id!).status, 'cleared');
  });

  test('linked to a purchase of a window that is over does not change this window', () => {
    const world = new NetworkWorld(now, { recurring: 'Daily' });
    const root = world.authorize(ref);
    world.clear(ref);
    world.now = '2026-11-22T08:00:00Z';
    world.clear({ billing_amount: 300 });
    const item = world.clear({ ...ref, clearing_type: 'CREDIT', billing_amount: 700 });
    assert.equal(world.counters.cleared, 300);
    assert.equal(world.row(root.id!).cleared, 300);
    assert.equal(world.window(ms('2026-11-21T00:00:00Z'))?.cleared, 300);
    assert.deepEqual([world.clearing(item.id).cleared_effect, item.review], [-700, false]);
  });

  test('linked to the one earlier clearing that fits', () => {
    const world = new NetworkWorld(now);
    const purchase = world.clear(ard);
    const item = world.clear({ ...ard, clearing_type: 'CREDIT', billing_amount: 400 });
    assert.deepEqual([item.class, item.match_rule, item.clearing_id], ['refund_linked', 7, purchase.id]);
    assert.equal(world.counters.cleared, 600);
  });

  test('stays unlinked, for review, when more than one clearing fits', () => {
    const world = new NetworkWorld(now);
    world.clear({ ...ard, merchant_id: 'M' });
    world.clear({ merchant_id: 'M' });
    const item = world.clear({ merchant_id: 'M', clearing_type: 'CREDIT', billing_amount: 400 });
    assert.deepEqual([item.class, item.match_rule, item.clearing_id, item.review], ['refund_unlinked', 7, null, true]);
    assert.equal(world.counters.cleared, 1_600);
  });

  test('that is unlinked has its full effect, and a sum below 0 leaves no more than the total', () => {
    const world = new NetworkWorld(now);
    world.clear({ billing_amount: 300 });
    const item = world.clear({ clearing_type: 'CREDIT', billing_amount: 500 });
    assert.deepEqual([item.class, item.billing_amount], ['refund_unlinked', 500]);
    assert.deepEqual([world.counters.cleared, world.counters.uses], [-200, 1]);
    assert.equal(world.available(), 100_000);
    assert.equal(world.authorize({ billing_amount: 100_000 }).decline_reason, null);
    world.clear({ billing_amount: 250 });
    assert.equal(world.available(), -50);
  });

  test('that arrives before its purchase leaves the same balance', () => {
    const world = new NetworkWorld(now);
    world.clear({ clearing_type: 'CREDIT', billing_amount: 400 });
    world.clear({ billing_amount: 1_000 });
    assert.equal(world.available(), 99_400);
  });

  describe('above what its purchase cleared is flagged for review', () => {
    const credit = { clearing_type: 'CREDIT' } as const;

    test('when it belongs to an authorization, net of the other credits', () => {
      const world = new NetworkWorld(now);
      const root = world.authorize(ref);
      world.clear(ref);
      const amounts = [600, 400, 1, 0];
      const reviews = amounts.map((billing_amount) => world.clear({ ...ref, ...credit, billing_amount }).review);
      assert.deepEqual(reviews, [false, false, true, false]);
      assert.equal(world.row(root.id!).cleared, -1);
    });

    test('when it refers to a clearing, net of the credits that no key leads to', () => {
      const world = new NetworkWorld(now);
      const purchase = world.clear({ ...ard, approval_code: 'A1B2C3', merchant_id: 'M' });
      const reviews = [
        { ...ard, billing_amount: 600 },
        { approval_code: 'A1B2C3', billing_amount: 400 },
        { merchant_id: 'M', billing_amount: 1 },
      ].map((fields) => {
        const item = world.clear({ ...credit, ...fields });
        assert.equal(item.clearing_id, purchase.id);
        return item.review;
      });
      assert.deepEqual(reviews, [false, false, true]);
      assert.equal(world.counters.cleared, -1);
    });

    test('and the credits of another purchase take back nothing', () => {
      const world = new NetworkWorld(now);
      world.loads = 'everything';
      const other = { acquirer_reference_data: '11111111111111111' } as const;
      world.clear(ard);
      world.clear(other);
      const reviews = [other, ard].map((fields) => world.clear({ ...credit, ...fields }).review);
      assert.deepEqual(reviews, [false, false]);
    });

    test('and a credit that was undone takes back nothing', () => {
      const world = new NetworkWorld(now);
      world.clear({ ...ard, merchant_id: 'M' });
      const other = { acquirer_reference_data: '11111111111111111', merchant_id: 'M' } as const;
      const first = world.clear({ ...credit, ...other, billing_amount: 700 });
      const undone = world.clear({ ...other, cycle: 'reversal', clearing_type: 'DEBIT', billing_amount: 700 });
      assert.deepEqual([undone.match_rule, undone.clearing_id], [1, first.id]);
      const reviews = [700, 300, 1].map((billing_amount) => world.clear({ ...credit, ...ard, billing_amount }).review);
      assert.deepEqual(reviews, [false, false, true]);
    });

    test('but not the credit of an authorized refund', () => {
      const world = new NetworkWorld(now);
      world.authorize({ ...ref, card_holder_transaction_type_code: '20' });
      assert.equal(world.clear({ ...ref, ...credit }).review, false);
    });
  });

  test('without a purchase needs no review', () => {
    const item = new NetworkWorld(now).clear({ ...ard, clearing_type: 'CREDIT' });
    assert.deepEqual([item.match_rule, item.class, item.review], [7, 'refund_unlinked', false]);
  });
  test('is compared in the billing currency when the merchant currencies differ', () => {
    const world = new NetworkWorld(now);
    world.clear({ ...ard, merchant_amount: 800, merchant_currency: 'GBP' });
    const euros = { merchant_amount: 900, merchant_currency: 'EUR' } as const;
    assert.equal(world.clear({ ...ard, ...euros, clearing_type: 'CREDIT' }).class, 'refund_linked');
  });
  for (const [merchant_amount, billing_amount, expected] of [
    [800, 1_001, 'refund_linked'],
    [801, 1_000, 'refund_unlinked'],
  ] as const) {
    test(`is compared in the merchant's currency: ${merchant_amount} of 800 is ${expected}`, () => {
      const world = new NetworkWorld(now);
      world.clear({ ...ard, merchant_amount: 800, merchant_currency: 'GBP' });
      const pounds = { merchant_amount, merchant_currency: 'GBP' } as const;
      assert.equal(world.clear({ ...ard, ...pounds, clearing_type: 'CREDIT', billing_amount }).class, expected);
    });
  }

  test('that finds a clearing by its merchant alone does not belong to one that was undone', () => {
    const world = new NetworkWorld(now);
    world.clear({ ...ard, merchant_id: 'M' });
    world.clear({ ...ard, cycle: 'reversal', clearing_type: 'CREDIT' });
    const item = world.clear({ merchant_id: 'M', clearing_type: 'CREDIT' });
    assert.deepEqual([item.class, item.clearing_id], ['refund_unlinked', null]);
  });

  test('of a purchase reversed in full is not a use', () => {
    const world = new NetworkWorld(now);
    world.authorize({ ...ref, trace_id: 'T' });
    world.authorize({ ...reversal, trace_id: 'T' });
    const item = world.clear({ ...ref, clearing_type: 'CREDIT' });
    assert.deepEqual([item.class, world.counters.uses], ['refund_linked', 0]);
  });

  test('of an authorized refund closes it, and is not a use', () => {
    const world = new NetworkWorld(now);
    const root = world.authorize({ ...ref, card_holder_transaction_type_code: '20' });
    const item = world.clear({ ...ref, clearing_type: 'CREDIT' });
    assert.deepEqual([item.class, item.authorization_id], ['refund_linked', root.id]);
    assert.equal(world.row(root.id!).status, 'cleared');
    assert.deepEqual([world.available(), world.counters.uses], [100_000, 0]);
  });
});

describe('the reversal of a clearing', () => {
  const undo = { ...ard, cycle: 'reversal', clearing_type: 'CREDIT' } as const;

  test('undoes the change of the clearing to the cleared amount', () => {
    const world = new NetworkWorld(now);
    const root = world.authorize(ref);
    const first = world.clear({ ...ref, ...ard });
    const item = world.clear(undo);
    assert.deepEqual([item.class, item.match_rule, item.clearing_id], ['reversal', 1, first.id]);
    assert.equal(item.review, false);
    assert.equal(item.authorization_id, root.id);
    assert.deepEqual([world.counters.cleared, world.row(root.id!).cleared], [0, 0]);
  });

  test('of a credit restores exactly the amount that the credit removed', () => {
    const world = new NetworkWorld(now);
    world.clear({ billing_amount: 300 });
    world.clear({ ...ard, clearing_type: 'CREDIT', billing_amount: 500 });
    world.clear({ ...undo, clearing_type: 'DEBIT', billing_amount: 500 });
    assert.deepEqual([world.counters.cleared, world.counters.uses], [300, 1]);
  });

  test('restores the balance from before its clearing, whatever came between', () => {
    const world = new NetworkWorld(now);
    world.clear({ ...ard, billing_amount: 400 });
    world.clear({ clearing_type: 'CREDIT', billing_amount: 900 });
    world.clear({ ...undo, billing_amount: 400 });
    world.clear({ billing_amount: 1_000 });
    assert.equal(world.counters.cleared, 100);
  });

  test('changes the past window of a clearing without an authorization', () => {
    const world = new NetworkWorld(now, { recurring: 'Daily' });
    world.clear(ard);
    world.clear({ billing_amount: 300 });
    world.now = '2026-11-22T08:00:00Z';
    world.clear({ billing_amount: 70 });
    world.clear(undo);
    assert.equal(world.window(ms('2026-11-21T00:00:00Z'))?.cleared, 300);
    assert.equal(world.counters.cleared, 70);
  });

  test('that is linked as a credit takes back its own amount', () => {
    const world = new NetworkWorld(now);
    world.clear({ ...ard, billing_amount: 1_000 });
    const item = world.clear({ ...undo, billing_amount: 400 });
    assert.deepEqual([item.match_rule, item.review, world.counters.cleared], [7, true, 600]);
  });

  test('undoes each clearing once', () => {
    const world = new NetworkWorld(now);
    world.clear({ billing_amount: 9_000 });
    world.clear(ard);
    world.clear(undo);
    const again = world.clear(undo);
    assert.deepEqual([again.clearing_id, again.review], [null, true]);
  });

  for (const [field, value] of [
    ['acquirer_reference_data', '55432861234567891'],
    ['approval_code', 'XYZ999'],
    ['billing_amount', 999],
  ] as const) {
    test(`is not matched to a clearing with another ${field}`, () => {
      const world = new NetworkWorld(now);
      world.clear(ard);
      const item = world.clear({ ...undo, [field]: value });
      assert.deepEqual([item.match_rule === 1, item.class, item.review], [false, 'reversal', true]);
    });
  }
});

describe('a dispute', () => {
  for (const cycle of ['second_presentment', 'chargeback']) {
    test(`(${cycle}) is recorded against its clearing and does not write what it does not change`, () => {
      const world = new NetworkWorld(now);
      const root = world.authorize({ ...ref, trace_id: 'T' });
      const first = world.clear({ ...ref, ...ard });
      const row = world.row(root.id!);
      const before = structuredClone([world.counters, row]);
      const item = world.clear({ ...ard, cycle });
      assert.deepEqual([item.class, item.match_rule, item.clearing_id], ['dispute', 2, first.id]);
      assert.equal(item.authorization_id, root.id);
      assert.equal(world.row(root.id!), row, 'the row is the one that was there');
      assert.deepEqual([world.counters, row], before);
      assert.equal(world.events.length, 3);
    });
  }

  test('without its clearing is recorded for review and does not change the balance', () => {
    const world = new NetworkWorld(now);
    const item = world.clear({ ...ard, cycle: 'chargeback' });
    assert.deepEqual([item.class, item.match_rule, item.review], ['dispute', 8, true]);
    assert.deepEqual([world.counters.cleared, world.counters.uses], [0, 0]);
  });

  test('without its clearing has a reversal that is for review and does not change the balance', () => {
    const world = new NetworkWorld(now);
    const dispute = world.clear({ ...ard, cycle: 'chargeback' });
    const item = world.clear({ ...ard, cycle: 'reversal', clearing_type: 'CREDIT' });
    assert.deepEqual([item.class, item.match_rule, item.review], ['reversal', 8, true]);
    assert.equal(item.clearing_id, dispute.id);
    assert.deepEqual([world.counters.cleared, world.counters.uses], [0, 0]);
  });
});

describe('on a card with currency control a clearing counts in the merchant currency', () => {
  const eur = { billing_amount: 1_100, merchant_amount: 1_000, merchant_currency: 'EUR' } as const;

  test('when it contains that amount', () => {
    const world = new NetworkWorld(now, { currency: 'EUR' });
    world.authorize({ ...ref, ...eur });
    const item = world.clear({ ...ref, ...eur });
    assert.deepEqual([world.counters.held, world.counters.cleared, item.class], [0, 1_000, 'exact']);
  });

  test('at the rate of its authorization, for review, when it does not', () => {
    const world = new NetworkWorld(now, { currency: 'EUR' });
    world.authorize({ ...ref, ...eur });
    const item = world.clear({ ...ref, billing_amount: 550 });
    assert.deepEqual([world.counters.cleared, item.review], [500, true]);
  });

  test('at that rate also when one minor unit was billed', () => {
    const world = new NetworkWorld(now, { currency: 'EUR' });
    world.authorize({ ...ref, ...eur, billing_amount: 1, merchant_amount: 100 });
    const item = world.clear({ ...ref, billing_amount: 2 });
    assert.deepEqual([world.counters.cleared, item.review], [200, true]);
  });

  test('by the billed amount, for review, when there is no rate', () => {
    const world = new NetworkWorld(now, { currency: 'EUR' });
    const item = world.clear({ billing_amount: 550 });
    assert.deepEqual([world.counters.cleared, item.review], [550, true]);
  });
});
