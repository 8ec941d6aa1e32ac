import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import type { ClearingInput } from '../../src/index.ts';
import { ms, NetworkWorld } from '../network-world.ts';

const yesterday = '2026-11-20T12:00:00Z';
const now = '2026-11-21T12:00:00Z';
const references = ['MCCABC1231120', 'MCCABC1241120', null] as const;

type Sent = Partial<ClearingInput>;

/**
 * A debit or a credit, of an authorization or of none, and perhaps its message reversal. No two
 * share acquirer reference data, so that a reversal either finds its clearing or finds none.
 */
const clearings = fc.record({
  reference: fc.constantFrom(...references),
  clearing_type: fc.constantFrom('DEBIT', 'DEBIT', 'CREDIT'),
  billing_amount: fc.integer({ min: 0, max: 900 }),
  partial: fc.boolean(),
  is_undone: fc.constantFrom(false, false, true),
});

/** The messages of a set of clearings, each with its place in either order of arrival. */
const sets = fc
  .array(clearings, { minLength: 1, maxLength: 10 })
  .map((set) =>
    set.flatMap(({ reference: net_reference_number, is_undone, ...fields }, at): readonly Sent[] => {
      const acquirer_reference_data = `5543286123456${String(at).padStart(4, '0')}`;
      const message = { ...fields, net_reference_number, acquirer_reference_data };
      const opposite = message.clearing_type === 'DEBIT' ? 'CREDIT' : 'DEBIT';
      return is_undone ? [message, { ...message, cycle: 'reversal', clearing_type: opposite }] : [message];
    }),
  )
  .chain((messages) => {
    const order = fc.shuffledSubarray([...messages.keys()], { minLength: messages.length });
    return fc.record({ messages: fc.constant(messages), order });
  });

/** What the clearings leave of the card, of its past window and of its authorizations. */
function outcomeOf(messages: readonly Sent[], apart: boolean) {
  const world = new NetworkWorld(yesterday, { recurring: 'Daily' });
  const roots = references.flatMap((net_reference_number) =>
    net_reference_number === null ? [] : [world.authorize({ net_reference_number })],
  );
  world.now = now;
  world.authorize();
  const sent = messages.map((message) => world.clearingMessage(message));
  if (apart) for (const message of sent) world.send(message);
  else world.send(...sent);
  const { window_start_ms, held, cleared, uses } = world.counters;
  return {
    available: world.available(),
    counters: { window_start_ms, held, cleared, uses },
    past: world.window(ms('2026-11-20T00:00:00Z')),
    roots: roots.map(({ id }) => {
      const row = world.row(id!);
      return { held: row.held, cleared: row.cleared, uses: row.uses, status: row.status };
    }),
  };
}

describe('debits, credits and their reversals leave the same balances', () => {
  test('in every order of arrival, while no decision comes between', () => {
    fc.assert(
      fc.property(sets, fc.boolean(), ({ messages, order }, apart) => {
        const arrived = order.map((at) => messages[at]!);
        assert.deepEqual(outcomeOf(arrived, apart), outcomeOf(messages, false));
      }),
      propertyParameters({ short: 300, full: 900 }),
    );
  });
});

test('a clearing without a reference takes its place before the one with a reference that settled after it', () => {
  const named = { net_reference_number: references[0], merchant_id: 'M', settlement_date: '2026-11-22' };
  const unnamed = { merchant_id: 'M', settlement_date: '2026-11-21' };
  for (const arrived of [
    [unnamed, named],
    [named, unnamed],
  ]) {
    const world = new NetworkWorld(now);
    world.authorize({ net_reference_number: references[0], merchant_id: 'M' });
    for (const message of arrived) world.clear(message);
    const rules = world.state.clearings.values().map((row) => [row.settlement_date, row.match_rule, row.class]);
    assert.deepEqual(rules.sort(), [
      ['2026-11-21', 6, 'exact'],
      ['2026-11-22', 3, 'over'],
    ]);
  }
});
