import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import { recurring_values } from '@tallystick/velocity';
import fc from 'fast-check';
import type { Authorization, Clearing, NetworkMessage, WindowCounters } from '../../src/index.ts';
import { aging, type CardSketch, NetworkWorld, numberOf } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';
const hour_ms = 3_600_000;

const amounts = fc.oneof(fc.integer({ min: 0, max: 600 }), fc.constantFrom(0, 1, 250, 500));

/** Cards with limits that a short sequence reaches. */
const cards: fc.Arbitrary<CardSketch> = fc
  .record({
    total_card_amount: fc.integer({ min: 300, max: 2_000 }).map(money),
    per_transaction_max: fc.integer({ min: 300, max: 900 }).map(money),
    per_transaction_min: fc.constantFrom(0, 0, 100).map(money),
    transactions_max: fc.option(fc.integer({ min: 1, max: 4 })),
    currency: fc.constantFrom(null, null, 'EUR'),
    control: fc.constantFrom(...recurring_values, 'aging' as const),
  })
  .map(({ control, transactions_max, ...limits }) =>
    control === 'aging'
      ? { ...limits, ...aging, authorization_hold_days: 1, transactions_max: null }
      : { ...limits, recurring: control, transactions_max },
  );

const traces = fc.constantFrom('T1', 'T2', 'T3');
const references = fc.constantFrom(null, 'MCCABC1231121', 'MCCABC1241121');
const approval_codes = fc.constantFrom(null, null, 'A1B2C3');
const merchants = fc.constantFrom(null, 'M1', 'M2');
const card_ids = fc.constantFrom(1, 1, 2);

const asking = {
  kind: fc.constant('authorization' as const),
  card_id: fc.constantFrom(1, 1, 1, 2, 404),
  trace_id: traces,
  system_trace_audit_number: fc.constantFrom('1', '2', '3', '4'),
  billing_amount: amounts,
  merchant_currency: fc.constantFrom('EUR', 'EUR', 'USD'),
  merchant_id: merchants,
  net_reference_number: references,
};

const requests = fc.record({
  ...asking,
  message_type_indicator: fc.constant('0100'),
  incremental: fc.constantFrom(false, false, true),
  card_holder_transaction_type_code: fc.constantFrom('00', '00', '00', '20'),
});

const advices = fc.record({
  ...asking,
  message_type_indicator: fc.constant('0120'),
  incremental: fc.constantFrom(false, false, true),
  response_code: fc.constantFrom('00', '00', '05'),
  approval_code: approval_codes,
});

const reversals = fc.record({
  ...asking,
  message_type_indicator: fc.constantFrom('0400', '0420'),
  replacement_amounts: fc.option(
    fc.integer({ min: 0, max: 600 }).map((amount) => ({ billing_amount: amount, transaction_amount: amount })),
  ),
});

const clearings = fc.record({
  kind: fc.constant('clearing' as const),
  card_id: card_ids,
  network_financial_transaction_id: fc.integer({ min: 1, max: 12 }).map((n) => `F${n}`),
  cycle: fc.constantFrom('first_presentment', 'first_presentment', 'first_presentment', 'reversal', 'chargeback'),
  clearing_type: fc.constantFrom('DEBIT', 'DEBIT', 'CREDIT'),
  partial: fc.boolean(),
  billing_amount: amounts,
  acquirer_reference_data: fc.constantFrom(null, 'R1', 'R2'),
  approval_code: approval_codes,
  net_reference_number: references,
  merchant_id: merchants,
});

const moves = fc.record({
  kind: fc.constant('move' as const),
  hours: fc.constantFrom(1, 7, 24, 36, 24 * 8, 24 * 40),
});

type Sent =
  | (typeof requests extends fc.Arbitrary<infer T> ? T : never)
  | (typeof advices extends fc.Arbitrary<infer T> ? T : never)
  | (typeof reversals extends fc.Arbitrary<infer T> ? T : never)
  | (typeof clearings extends fc.Arbitrary<infer T> ? T : never);

const everything = fc.oneof(requests, requests, advices, reversals, clearings, clearings);

function messageOf(world: NetworkWorld, sent: Sent): NetworkMessage {
  if (sent.kind === 'clearing') {
    const { kind, ...input } = sent;
    return world.clearingMessage(input);
  }
  const { kind, card_id, ...input } = sent;
  return world.message({ ...input, card_number: numberOf(card_id), merchant_amount: input.billing_amount });
}

function worldOf(sketches: readonly CardSketch[]): NetworkWorld {
  return new NetworkWorld(now, ...sketches.map((sketch, index) => ({ ...sketch, id: index + 1 })));
}

function isRoot({ id, root_id, status }: Authorization): boolean {
  return id === root_id && status !== 'declined';
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

type Window = Pick<WindowCounters, 'held' | 'cleared' | 'uses'>;

/** Asserts that the counters of every card and of its past windows equal the sums of their rows. */
function assertBooksBalance({ state }: NetworkWorld): void {
  const clearings = state.clearings.values();
  const rows = state.authorizations.values();
  for (const row of rows) {
    assert.ok(row.held >= 0 && row.authorized >= 0);
    if (!isRoot(row)) assert.deepEqual([row.held, row.uses, row.cleared, row.authorized], [0, 0, 0, 0]);
    const own = clearings.filter(({ authorization_id }) => authorization_id === row.id);
    assert.equal(row.cleared, sum(own.map(({ cleared_effect }) => cleared_effect)));
  }
  const windows = new Map<string, Window>(
    state.card_windows.values().map((window) => [`${window.card_id} ${window.window_start_ms}`, window]),
  );
  for (const { id, counters } of state.cards.values()) {
    const present = `${id} ${counters.window_start_ms}`;
    assert.ok(!windows.has(present), 'the window of the counters is not over');
    windows.set(present, counters);
  }
  const windowOf = (row: Authorization | Clearing) => `${row.card_id} ${row.window_start_ms}`;
  for (const window of new Set([...windows.keys(), ...[...rows, ...clearings].map(windowOf)])) {
    const of_window = rows.filter((row) => windowOf(row) === window);
    const cleared = clearings.filter((row) => windowOf(row) === window);
    const counters = windows.get(window) ?? { held: 0, cleared: 0, uses: 0 };
    assert.equal(counters.held, sum(of_window.map(({ held }) => held)), 'held');
    assert.equal(counters.cleared, sum(cleared.map(({ cleared_effect }) => cleared_effect)), 'cleared');
    assert.equal(counters.uses, sum([...of_window, ...cleared].map(({ uses }) => uses)), 'uses');
  }
  for (const { id, counters } of state.cards.values()) {
    const ends = rows.filter((row) => row.card_id === id && row.held > 0).map(({ hold_end_ms }) => hold_end_ms);
    for (const end_ms of ends) assert.ok(end_ms === null || counters.next_hold_end_ms! <= end_ms, 'next hold end');
  }
}

describe('over any sequence of messages and moves of the clock', () => {
  test('the counters of every card equal the sums of its rows', () => {
    fc.assert(
      fc.property(
        fc.tuple(cards, cards),
        fc.array(fc.oneof({ weight: 6, arbitrary: everything }, { weight: 1, arbitrary: moves }), { maxLength: 40 }),
        (sketches, steps) => {
          const world = worldOf(sketches);
          for (const step of steps) {
            if (step.kind === 'move') world.now_ms += step.hours * hour_ms;
            else world.send(messageOf(world, step));
            assertBooksBalance(world);
          }
        },
      ),
      propertyParameters({ short: 120, full: 1_000 }),
    );
  });

  test('requests and reversals never exceed a limit, in any window', () => {
    fc.assert(
      fc.property(
        cards,
        fc.array(fc.oneof(requests, requests, requests, reversals, moves), { maxLength: 60 }),
        (sketch, steps) => {
          const world = worldOf([sketch]);
          for (const step of steps) {
            if (step.kind === 'move') world.now_ms += step.hours * hour_ms;
            else world.send(messageOf(world, { ...step, card_id: 1 }));
            const card = world.card();
            const roots = world.state.authorizations.values().filter(isRoot);
            for (const window of new Set(roots.map(({ window_start_ms }) => window_start_ms))) {
              const own = roots.filter(({ window_start_ms }) => window_start_ms === window);
              assert.ok(sum(own.map(({ held }) => held)) <= card.total_card_amount);
              assert.ok(sum(own.map(({ uses }) => uses)) <= (card.transactions_max ?? Infinity));
            }
            for (const { authorized } of roots) assert.ok(authorized <= card.per_transaction_max);
            assert.ok(world.available() >= 0);
          }
        },
      ),
      propertyParameters({ short: 120, full: 1_000 }),
    );
  });
});

describe('for any split of the messages of one instant over passes', () => {
  test('and even for a ledger that loads only the promised rows, the answers, the rows, the counters and the events are the same', () => {
    fc.assert(
      fc.property(
        fc.tuple(cards, cards),
        fc.array(everything, { maxLength: 12 }),
        fc.constantFrom(1, 24, 24 * 8),
        fc.array(fc.tuple(everything, fc.boolean()), { maxLength: 24 }),
        (sketches, history, hours, steps) => {
          const worlds = [worldOf(sketches), worldOf(sketches), worldOf(sketches)] as const;
          worlds[0].loads = 'everything';
          worlds[2].loads = 'everything';
          const before = history.map((sent) => messageOf(worlds[0], sent));
          const messages = steps.map(([sent]) => messageOf(worlds[0], sent));
          for (const world of worlds) {
            world.send(...before);
            world.now_ms += hours * hour_ms;
          }
          const [together, alone, split] = worlds;
          const answers = together.send(...messages);
          assert.deepEqual(
            messages.flatMap((message) => alone.send(message)),
            answers,
          );
          const passes: NetworkMessage[][] = [[]];
          for (const [index, message] of messages.entries()) {
            if (steps[index]?.[1]) passes.push([]);
            passes.at(-1)!.push(message);
          }
          assert.deepEqual(
            passes.flatMap((pass) => split.send(...pass)),
            answers,
          );
          for (const other of [alone, split]) {
            for (const table of [
              'cards',
              'card_windows',
              'authorizations',
              'clearings',
              'events',
              'unknown_numbers',
            ] as const) {
              // Rows have no order among them: what is compared is each key with its row.
              const [actual, expected] = [other, together].map(
                ({ state }) => new Map<unknown, unknown>(state[table].entries()),
              );
              assert.deepEqual(actual, expected, table);
            }
          }
        },
      ),
      propertyParameters({ short: 120, full: 1_000 }),
    );
  });
});
