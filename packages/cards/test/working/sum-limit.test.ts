import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { amount_max, money, Refusal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { window_sum_max } from '../../src/working/sum-limit.ts';
import { NetworkWorld, no_counters } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';
const most = amount_max;

/** A world with one card on which `cleared` has cleared, and `held` is held. */
function worldWith({ cleared = 0, held = 0 }: { cleared?: number; held?: number }): NetworkWorld {
  return new NetworkWorld(now, { counters: { ...no_counters, cleared: money(cleared), held: money(held) } });
}

function isRefused(answer: { readonly kind: string } | undefined): boolean {
  return answer?.kind === 'refused';
}

const advice = { message_type_indicator: '0120' } as const;

describe('a sum of a card', () => {
  test('reaches its bound by a clearing, and the clearing that would pass it is kept in quarantine', () => {
    const world = worldWith({ cleared: window_sum_max - 1_000 });
    assert.equal(world.clear({ billing_amount: 1_000 }).billing_amount, 1_000);
    assert.equal(world.counters.cleared, window_sum_max);
    const [refused, credit, later] = world.send(
      world.clearingMessage({ billing_amount: 1 }),
      world.clearingMessage({ billing_amount: 5, clearing_type: 'CREDIT' }),
      world.clearingMessage({ billing_amount: 5 }),
    );
    assert.ok(refused?.kind === 'refused' && refused.refusal instanceof Refusal && refused.refusal.code === 'conflict');
    assert.deepEqual([isRefused(credit), isRefused(later)], [false, false], 'the others of the pass are applied');
    assert.equal(world.counters.cleared, window_sum_max);
    assert.deepEqual(
      world.state.quarantine.values().map(({ reason }) => reason),
      ['sum_limit'],
    );
  });

  test('has a bound for credits, too', () => {
    const world = worldWith({ cleared: -window_sum_max });
    const [refused] = world.send(world.clearingMessage({ billing_amount: 1, clearing_type: 'CREDIT' }));
    assert.ok(isRefused(refused));
    assert.equal(world.available(), 100_000);
  });

  test('reaches its bound by an advice, and the advice that would pass it is refused without a hold', () => {
    const world = worldWith({ cleared: window_sum_max - most });
    assert.equal(world.authorize({ ...advice, billing_amount: most, trace_id: 'T' }).issuer_response, 'Approved');
    const [refused, raised, incremented, lowered] = world.send(
      world.message({ ...advice, billing_amount: 1 }),
      world.message({ ...advice, billing_amount: most, merchant_amount: most, incremental: true, trace_id: 'T' }),
      world.message({ ...advice, billing_amount: 1, incremental: true, trace_id: 'T' }),
      world.message({ ...advice, billing_amount: 7, merchant_amount: 7, trace_id: 'T' }),
    );
    assert.deepEqual([refused, raised, incremented, lowered].map(isRefused), [true, true, true, false]);
    assert.equal(world.counters.held, 7);
    assert.equal(world.state.authorizations.values().length, 2, 'a refused advice is not recorded');
  });

  test('bounds what one authorization has authorized, although credits lower the cleared amount again', () => {
    const world = worldWith({});
    world.authorize({ ...advice, billing_amount: most, trace_id: 'T' });
    // As after many increments that were cleared in part and credited.
    world.state.authorizations.set(1, { ...world.row(1), authorized: money(window_sum_max - most) });
    const increment = () => world.message({ ...advice, billing_amount: most, incremental: true, trace_id: 'T' });
    assert.deepEqual(world.send(increment()).map(isRefused), [false]);
    assert.equal(world.row(1).authorized, window_sum_max);
    const { approval_code, net_reference_number } = world.row(1);
    const clearing = { billing_amount: most, approval_code, net_reference_number, partial: true } as const;
    world.send(world.clearingMessage(clearing));
    world.send(world.clearingMessage({ ...clearing, clearing_type: 'CREDIT' }));
    assert.deepEqual(world.send(increment()).map(isRefused), [true]);
    assert.equal(world.row(1).authorized, window_sum_max);
  });

  test('is not passed by an authorization, however many clearings came before it', () => {
    const world = worldWith({});
    const reference = { net_reference_number: 'MCCABC1231121', billing_amount: most } as const;
    const credits = { ...reference, net_reference_number: null, clearing_type: 'CREDIT' } as const;
    world.send(...Array.from({ length: 600 }, () => world.clearingMessage(credits)));
    world.send(...Array.from({ length: 1_200 }, () => world.clearingMessage(reference)));
    const [answer] = world.send(world.message({ ...advice, ...reference, billing_amount: 1 }));
    assert.ok(!isRefused(answer));
    assert.deepEqual([world.counters.cleared, world.counters.held], [600 * most, 1]);
  });

  test('is not passed by a clearing that comes before others: it is refused, and they stay as they are', () => {
    const world = worldWith({ cleared: window_sum_max - 1_000 });
    const same = { acquirer_reference_data: '55432861234567890' };
    const { id } = world.clear(same);
    const before = world.clearing(id);
    const [refused] = world.send(world.clearingMessage({ ...same, billing_amount: 1, settlement_date: '2026-11-22' }));
    assert.ok(isRefused(refused));
    assert.deepEqual([world.state.clearings.size, world.clearing(id)], [1, before]);
    assert.equal(world.counters.cleared, window_sum_max);
  });

  describe('is not passed by a clearing of another window', () => {
    const reference = { net_reference_number: 'MCCABC1231121' };

    /** Sets what the present window has cleared beside the clearings of the test. */
    function clearElsewhere(world: NetworkWorld, amount: number): void {
      const card = world.card();
      const cleared = money(card.counters.cleared + amount);
      world.state.cards.set(1, { ...card, counters: { ...card.counters, cleared } });
    }

    const increment = { ...advice, incremental: true, billing_amount: 200 };
    const correction = { message_type_indicator: '0400', replacement_amounts: { billing_amount: 1_000 } };
    for (const [what, authorized, fields, fitting] of [
      ['an increment', 1_000, increment, 1_200],
      ['a reversal in part', 1_200, correction, 1_000],
    ] as const) {
      test(`that ${what} makes fit: it stays alone, and those of the authorization with it`, () => {
        const world = new NetworkWorld(now, { recurring: 'Daily' });
        const { id } = world.clear({ billing_amount: fitting, merchant_id: 'M' });
        world.now = '2026-11-22T12:00:00Z';
        const purchase = { ...reference, trace_id: 'T', merchant_id: 'M' };
        const root = world.authorize({ ...purchase, billing_amount: authorized, merchant_amount: 1_000 });
        const part = world.clear({ ...reference, billing_amount: 400, partial: true });
        clearElsewhere(world, window_sum_max - 1_300);
        world.authorize({ ...fields, trace_id: 'T' });
        assert.deepEqual(
          [world.clearing(id).authorization_id, world.clearing(part.id).authorization_id],
          [null, root.id],
        );
        const { held, cleared } = world.row(root.id!);
        assert.deepEqual([held, cleared, world.counters.cleared], [fitting - 400, 400, window_sum_max - 900]);
        clearElsewhere(world, -fitting);
        const unusable = { ...correction, trace_id: 'T', replacement_amounts: { settlement_amount: 1 } };
        assert.ok(isRefused(world.send(world.message(unusable))[0]));
        assert.equal(world.clearing(id).authorization_id, null, 'a refused message settles nothing');
      });
    }

    test('that would take its credit away: the credit stays, and the clearing is recorded alone', () => {
      const world = new NetworkWorld(now, { recurring: 'Daily' });
      const same = { acquirer_reference_data: '55432861234567890' };
      const credit = world.clear({ ...same, cycle: 'reversal', clearing_type: 'CREDIT' });
      clearElsewhere(world, window_sum_max + 1_000);
      const { window_start_ms } = world.counters;
      world.now = '2026-11-22T12:00:00Z';
      world.clear(same);
      assert.equal(world.clearing(credit.id).clearing_id, null);
      assert.deepEqual([world.window(window_start_ms)?.cleared, world.counters.cleared], [window_sum_max, 1_000]);
    });

    test('that a release would leave to another authorization: it stays with its own', () => {
      const world = new NetworkWorld(now, { recurring: 'Daily' });
      const { id } = world.authorize(reference);
      world.now = '2026-11-22T12:00:00Z';
      world.authorize({ ...reference, billing_amount: 100 });
      const part = { ...reference, billing_amount: 400, partial: true, settlement_date: '2026-11-25' };
      const cleared = world.clear(part);
      clearElsewhere(world, window_sum_max - 200);
      world.release(id!);
      assert.deepEqual([world.row(id!).status, world.row(id!).held], ['released', 0]);
      assert.equal(world.clearing(cleared.id).authorization_id, id);
      assert.equal(world.counters.cleared, window_sum_max - 200);
    });
  });

  test('stays within its bound and fails no pass, whatever is sent', () => {
    const step = fc.record({
      kind: fc.constantFrom('advice', 'increment', 'request', 'debit', 'credit', 'partial'),
      amount: fc.constantFrom(1, 1_000, most - 1, most),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(0, window_sum_max - most, window_sum_max - 1, window_sum_max, -window_sum_max),
        fc.array(step, { maxLength: 12 }),
        (cleared, steps) => {
          const world = worldWith({ cleared });
          for (const { kind, amount: billing_amount } of steps) {
            const sent =
              kind === 'debit' || kind === 'credit' || kind === 'partial'
                ? world.clearingMessage({
                    billing_amount,
                    clearing_type: kind === 'credit' ? 'CREDIT' : 'DEBIT',
                    partial: kind === 'partial',
                  })
                : world.message({
                    billing_amount,
                    ...(kind === 'request' ? {} : advice),
                    ...(kind === 'increment' ? { incremental: true, trace_id: 'trace-1' } : {}),
                  });
            assert.equal(world.send(sent).length, 1);
            const { held, cleared: now_cleared } = world.counters;
            assert.ok(held + Math.max(0, now_cleared) <= window_sum_max && now_cleared >= -window_sum_max);
            assert.ok(world.available() >= -window_sum_max);
          }
        },
      ),
      propertyParameters({ short: 100, full: 300 }),
    );
  });
});
