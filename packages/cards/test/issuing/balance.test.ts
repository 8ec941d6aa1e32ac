import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '@tallystick/kernel';
import { recurring_values } from '@tallystick/velocity';
import fc from 'fast-check';
import { balanceOf } from '../../src/index.ts';
import { no_counters } from '../network-world.ts';

const day_ms = 86_400_000;
const november = Date.UTC(2026, 10, 1);

const card = {
  recurring: 'Monthly',
  total_card_amount: money(1_000),
  transactions_max: 3,
  created_at_ms: november + 1,
  counters: { ...no_counters, window_start_ms: november, held: money(300), cleared: money(200), uses: 2 },
} as const;
const ends = { held_past_end: money(100), next_hold_end_ms: november + 9 * day_ms };

test('a balance is the limit of the window less what cleared and what is held, without ended holds', () => {
  assert.deepEqual(balanceOf(card, ends, november + day_ms), {
    limit: 1_000,
    cleared: 200,
    held: 200,
    available: 600,
    window_start_ms: november,
    window_end_ms: Date.UTC(2026, 11, 1),
    uses: 2,
    uses_left: 1,
    next_hold_end_ms: november + 9 * day_ms,
  });
});

test('a balance is whole again in the next window', () => {
  const { window_start_ms, ...balance } = balanceOf(card, ends, Date.UTC(2026, 11, 1));
  assert.equal(window_start_ms, Date.UTC(2026, 11, 1));
  const { limit, cleared, held, available, uses, uses_left, next_hold_end_ms } = balance;
  assert.deepEqual([limit, cleared, held, available, uses, uses_left], [1_000, 0, 0, 1_000, 0, 3]);
  assert.equal(next_hold_end_ms, null);
});

test('a window for ever begins with the card and has no end, and unlimited uses have no rest', () => {
  const counters = { ...card.counters, window_start_ms: 0 };
  const balance = balanceOf({ ...card, recurring: null, transactions_max: null, counters }, ends, november + day_ms);
  assert.deepEqual([balance.window_start_ms, balance.window_end_ms, balance.uses_left], [november + 1, null, null]);
});

test('the parts of a balance sum to it, and none of them is below 0, in every window', () => {
  const amount = fc.integer({ min: 0, max: 5_000 });
  fc.assert(
    fc.property(
      fc.record({
        recurring: fc.constantFrom(...recurring_values, null),
        total_card_amount: amount.map(money),
        held: amount,
        cleared: fc.integer({ min: -5_000, max: 5_000 }),
        uses: fc.nat({ max: 9 }),
        transactions_max: fc.constantFrom(null, 1, 5),
        past_end: fc.double({ min: 0, max: 1, noNaN: true }),
        after_ms: fc.integer({ min: -40 * day_ms, max: 400 * day_ms }),
      }),
      ({ held, cleared, uses, past_end, after_ms, ...its }) => {
        const counters = { ...card.counters, held: money(held), cleared: money(cleared), uses };
        const held_past_end = money(Math.floor(held * past_end));
        const now_ms = november + after_ms;
        const balance = balanceOf({ ...card, ...its, counters }, { held_past_end, next_hold_end_ms: null }, now_ms);
        assert.equal(balance.available, balance.limit - balance.cleared - balance.held);
        assert.ok(balance.held >= 0 && balance.cleared >= 0 && (balance.uses_left ?? 0) >= 0);
        assert.ok(balance.window_end_ms === null || now_ms < balance.window_end_ms);
      },
    ),
  );
});
