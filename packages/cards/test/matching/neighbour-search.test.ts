import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ClearingInput, NeighbourSearch, needsNeighbours, neighbours_max } from '../../src/index.ts';
import { unmatchedClearing } from '../../src/records/new-clearing.ts';
import { cardOf, NetworkWorld } from '../network-world.ts';

const world = new NetworkWorld('2026-11-21T12:00:00Z');
const of_card = { provisional_clearings: 0, settled_through: '2026-11-20' };
const authorization = world.message({});
const clearingOn = (settlement_date: string, more: Partial<ClearingInput> = {}) =>
  world.clearingMessage({ settlement_date, acquirer_reference_data: settlement_date, ...more });
const [on_21, on_22] = [clearingOn('2026-11-21'), clearingOn('2026-11-22')];

describe('a pass over messages of a card', () => {
  test('reads no neighbours of clearings that settle one after another, later than all of the card', () => {
    assert.equal(needsNeighbours(of_card, [on_21, on_22], []), false);
    assert.equal(needsNeighbours({ ...of_card, settled_through: null }, [on_21], []), false);
  });

  test('reads the neighbours of a clearing that settles on the same day as another, or before it', () => {
    assert.equal(needsNeighbours(of_card, [clearingOn('2026-11-20')], []), true);
    assert.equal(needsNeighbours(of_card, [on_22, on_21], []), true);
    const same_day = clearingOn('2026-11-21', { acquirer_reference_data: 'another' });
    assert.equal(needsNeighbours(of_card, [on_21, same_day], []), true);
  });

  test('reads the neighbours of the second copy of a clearing, whenever it settles', () => {
    const { synthetic_id, acquirer_reference_data } = on_22;
    const copy = { synthetic_id: !synthetic_id, acquirer_reference_data };
    assert.equal(needsNeighbours(of_card, [on_22], [copy]), true);
    assert.equal(needsNeighbours(of_card, [on_22], [{ ...copy, synthetic_id }]), false);
  });

  test('reads the neighbours of an authorization only beside clearings that may be matched again', () => {
    assert.equal(needsNeighbours(of_card, [authorization], []), false);
    assert.equal(needsNeighbours({ ...of_card, provisional_clearings: 1 }, [authorization], []), true);
    assert.equal(needsNeighbours(of_card, [on_21, authorization], []), true);
  });
});

/** A recorded clearing of this day. */
const recorded = (id: number, more: Partial<ClearingInput> = {}) =>
  unmatchedClearing(clearingOn('2026-11-21', more), cardOf(), { id, now_ms: 0, window_start_ms: 0 });

test('a search asks each question once', () => {
  const fields = { merchant_id: 'M' };
  const messages = [clearingOn('2026-11-21', fields), clearingOn('2026-11-21', fields)];
  const search = new NeighbourSearch(cardOf(), messages, world.now_ms);
  const first = search.next();
  assert.deepEqual([first?.clearings_of_merchant.length, first?.roots_of_merchant.length], [1, 1]);
  search.keep({ clearings: [recorded(1, fields)] });
  const second = search.next();
  assert.deepEqual([second?.referring_to, second?.clearings_of_merchant, second?.roots_of_merchant], [[1], [], []]);
});

test('a search ends when more neighbours were read than it may read beside the records of its messages', () => {
  const own = 3;
  const clearings = Array.from({ length: own + neighbours_max + 1 }, (_, at) => recorded(at + 1));
  const search = new NeighbourSearch(cardOf(), [on_21], world.now_ms);
  search.keep({ clearings: clearings.slice(0, own) });
  assert.equal(search.next()?.clearings_max, clearings.length);
  search.keep({ clearings: clearings.slice(0, -1) });
  assert.deepEqual([search.is_cut, search.next()?.clearings_max], [false, clearings.length]);
  search.keep({ clearings });
  assert.deepEqual([search.is_cut, search.next()], [true, null]);
});
