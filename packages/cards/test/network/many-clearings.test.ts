import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Clearing } from '../../src/index.ts';
import { inCanonicalOrder } from '../../src/network/canonical-order.ts';
import { Neighbourhood } from '../../src/network/neighbours.ts';
import { unmatchedClearing } from '../../src/network/unmatched-clearing.ts';
import { cardOf, NetworkWorld } from './network-world.ts';

const world = new NetworkWorld('2026-11-21T12:00:00Z');

/** Clearings of one merchant, every tenth a credit, or every second a reversal of the one before. */
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
    };
    for (const [name, use] of Object.entries(works)) {
      test(`${name}, with ${kind}`, () => {
        const [some, twice] = [readsOf(clearingsOf(500, kind), use), readsOf(clearingsOf(1_000, kind), use)];
        assert.ok(twice <= 3 * some, `${some} fields of 500, ${twice} of 1,000`);
      });
    }
  }
});
