import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import { type Clearing, neighbours_max } from '../../src/index.ts';
import { Neighbourhood } from '../../src/matching/neighbours.ts';
import { unmatchedClearing } from '../../src/records/new-clearing.ts';
import { inCanonicalOrder } from '../../src/settling/canonical-order.ts';
import { settleInOrder } from '../../src/settling/settle.ts';
import { cardOf, NetworkWorld } from '../network-world.ts';

const world = new NetworkWorld('2026-11-21T12:00:00Z');

/**
 * Clearings of one merchant, every tenth a credit, or every second a reversal of the one before.
 */
function clearingsOf(count: number, kind: 'credits' | 'reversals'): readonly Clearing[] {
  return Array.from({ length: count }, (_, at) => {
    const is_reversal = kind === 'reversals' && at % 2 === 1;
    const is_credit = kind === 'credits' && at % 10 === 0;
    const message = world.clearingMessage({
      network_financial_transaction_id: `F${at}`,
      acquirer_reference_data: `A${kind === 'reversals' ? at >> 1 : at}`,
      clearing_type: is_reversal || is_credit ? 'CREDIT' : 'DEBIT',
      merchant_id: 'M',
      approval_code: 'A00001',
      ...(is_reversal ? { cycle: 'reversal' } : {}),
    });
    return unmatchedClearing(message, cardOf(), { id: at + 1, now_ms: 0, window_start_ms: 0 });
  });
}

/** How many fields of the clearings are read. */
function readsOf(clearings: readonly Clearing[], use: (clearings: readonly Clearing[]) => void): number {
  let reads = 0;
  const counting: ProxyHandler<Clearing> = {
    get(clearing, name) {
      reads += 1;
      return Reflect.get(clearing, name);
    },
  };
  use(clearings.map((clearing) => new Proxy(clearing, counting)));
  return reads;
}

/** A world whose card allows any sum of these tests. */
function worldOfBusyCard(): NetworkWorld {
  return new NetworkWorld('2026-11-21T12:00:00Z', { total_card_amount: money(100_000_000) });
}

describe('on a card with more records than a pass reads around its messages', () => {
  test('a clearing that fits several authorizations keeps its match when another comes', () => {
    const busy = worldOfBusyCard();
    const fits = { merchant_id: 'M', billing_amount: 500 };
    for (const trace_id of ['A', 'B']) busy.authorize({ ...fits, trace_id });
    const { id } = busy.clear({ ...fits, settlement_date: '2026-11-22' });
    const others = Array.from({ length: neighbours_max + 5 }, (_, at) =>
      busy.clearingMessage({ merchant_id: 'M', billing_amount: 10_000 + at, settlement_date: '2026-11-21' }),
    );
    busy.send(...others);
    const before = busy.clearing(id);
    assert.deepEqual([before.match_rule, before.review], [8, true]);
    busy.authorize({ ...fits, trace_id: 'C' });
    assert.deepEqual(busy.clearing(id), before);
  });

  test('clearings of one pass whose authorizations are that many are matched in the canonical order', () => {
    const busy = worldOfBusyCard();
    const ats = Array.from({ length: neighbours_max + 5 }, (_, at) => at);
    const day = (at: number) => ({ net_reference_number: `MCC${100_000 + at}1121`, billing_amount: 10 + at });
    busy.send(...ats.map((at) => busy.message(day(at))));
    const purchase = { ...day(0), acquirer_reference_data: '55432861234567890' };
    const reversal = { ...purchase, cycle: 'reversal', clearing_type: 'CREDIT' } as const;
    busy.send(
      busy.clearingMessage(reversal),
      ...ats.slice(1).map((at) => busy.clearingMessage(day(at))),
      busy.clearingMessage(purchase),
    );
    const { match_rule, clearing_id } = busy.clearing(1);
    assert.deepEqual([match_rule, clearing_id], [1, neighbours_max + 6]);
  });
});

describe('with twice as many clearings of a card, at most three times as much is read', () => {
  for (const kind of ['credits', 'reversals'] as const) {
    const works: Readonly<Record<string, (clearings: readonly Clearing[]) => void>> = {
      'to order them': (clearings) => assert.equal(inCanonicalOrder(clearings).length, clearings.length),
      'to find the neighbours of one': (clearings) => {
        const neighbourhood = new Neighbourhood();
        for (const clearing of clearings) neighbourhood.keepClearing(clearing);
        const found = neighbourhood.around({ clearings: clearings.slice(0, 1) });
        assert.equal(found.clearings.length, clearings.length);
      },
      'to settle them': (clearings) => {
        const settled = settleInOrder(cardOf(), { roots: [], clearings }, 0);
        assert.equal(settled.clearings.length, clearings.length);
      },
    };
    for (const [name, use] of Object.entries(works)) {
      test(`${name}, with ${kind}`, () => {
        const [some, twice] = [readsOf(clearingsOf(500, kind), use), readsOf(clearingsOf(1_000, kind), use)];
        assert.ok(twice <= 3 * some, `${some} fields of 500, ${twice} of 1,000`);
      });
    }
  }
});
