import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { money } from '@tallystick/kernel';
import type { ItemContent } from '../../src/index.ts';
import { key_offers_max } from '../../src/pairing/key-offers.ts';
import { clearing, itemsOf, line, purchase } from '../reconciliation-world.ts';

const on = '2026-04-20';

function alone(id: number, amount: number, settlement_date = '2026-03-03') {
  return clearing({ id, amount: money(amount), authorization_id: null, class: 'late', settlement_date });
}

function offersOf(item: ItemContent | undefined) {
  return item?.alternatives.map(({ reason, clearing_ids, line_ids }) => [...clearing_ids, ...line_ids, reason]);
}

const several = 'clearings of several purchases have the reference of the line, and none its amount';

describe('pairs that a reference allows and that were not made', () => {
  it('are said at the line and at each clearing when these are of several purchases', () => {
    const records = { clearings: [alone(1, 1_000), alone(2, 2_000)], lines: [line({ amount: money(1_500) })] };
    const items = itemsOf(records, { on });
    assert.deepEqual(items.map(offersOf), [
      [[1, 1, several]],
      [
        [1, 1, several],
        [2, 1, several],
      ],
      [[2, 1, several]],
    ]);
    const barred = itemsOf(records, { on, bars: [{ line_id: 1, clearing_id: 2 }] });
    assert.deepEqual(barred.map(offersOf), [[[1, 1, several]], [[1, 1, several]], []]);
  });

  it('are said at both when two clearings fit one line alike, and the first has it', () => {
    const records = { clearings: [alone(1, 1_000, '2026-03-02'), alone(2, 1_000, '2026-03-04')], lines: [line()] };
    const reason = 'two clearings fit the line alike; the first by settlement date and transaction id has it';
    assert.deepEqual(itemsOf(records, { on }).map(offersOf), [[[2, 1, reason]], [[2, 1, reason]]]);
    const nearer = { ...records, clearings: [alone(1, 1_000, '2026-03-03'), alone(2, 1_000, '2026-03-04')] };
    assert.deepEqual(itemsOf(nearer, { on }).map(offersOf), [[], []]);
  });

  it('are listed in the order of the lines of an item, whichever arrived first', () => {
    const part = (id: number, amount: number, authorization_id: number) =>
      clearing({ id, amount: money(amount), authorization_id });
    const clearings = [part(1, 400, 1), part(2, 600, 1), part(3, 400, 2), part(4, 600, 2)];
    const lines = [line({ id: 1, amount: money(400) }), line({ id: 2, amount: money(600) })];
    const purchases = [purchase(), purchase({ id: 2 })];
    const listed = [lines, lines.toReversed()].map((its) =>
      itemsOf({ purchases, clearings, lines: its }, { on }).map(({ line_ids, alternatives }) => [
        line_ids,
        alternatives.map((one) => one.line_ids),
      ]),
    );
    const both = [[1], [2]];
    assert.deepEqual(
      listed,
      Array(2).fill([
        [[1, 2], both],
        [[], both],
      ]),
    );
  });

  it('are said neither of records that are more than 35 days apart nor when all is paired', () => {
    const far = [alone(1, 1_000, '2026-01-02'), alone(2, 2_000, '2026-04-15')];
    assert.deepEqual(itemsOf({ clearings: far, lines: [line({ amount: money(1_500) })] }, { on }).map(offersOf), [
      [],
      [],
      [],
    ]);
    assert.deepEqual(itemsOf({ clearings: [alone(1, 1_000)], lines: [line()] }, { on }).map(offersOf), [[]]);
  });

  it('are at most five of each record, however many there are', () => {
    const clearings = Array.from({ length: 3_000 }, (_, at) => alone(at + 1, 2_000));
    const lines = Array.from({ length: 3_000 }, (_, at) => line({ id: at + 1, amount: money(1_500) }));
    const items = itemsOf({ clearings, lines }, { on });
    assert.equal(Math.max(...items.map(({ alternatives }) => alternatives.length)), key_offers_max);
  });
});
