import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  compareClearings,
  compareLines,
  daysAfter,
  daysBetween,
  type HandPairs,
  type PairableClearing,
  type PairableLine,
  type Pairing,
  pairKeyOf,
  pairLines,
  rest_pairs_max,
} from '../../src/index.ts';
import { no_hands } from '../reconciliation-world.ts';

fc.configureGlobal(propertyParameters());

const first_day = '2026-03-03';

function cleared(id: number, amount: number, day: number, purchase = `${id}`, is_cancelled = false): PairableClearing {
  const settlement_date = daysAfter(first_day, day);
  return { id, transaction_id: `T${id % 7}`, amount, settlement_date, purchase, is_cancelled };
}

function booked(id: number, amount: number, day: number, is_fee = false): PairableLine {
  return {
    id,
    account_id: 1,
    amount: money(amount),
    is_fee,
    booking_date: daysAfter(first_day, day),
    bank_reference: id % 3 === 0 ? null : `B${id % 5}`,
    acquirer_reference: '74123456061000000000017',
  };
}

/** Pairs as their rule states them: every clearing is compared with every line. */
function pairPlainly(
  clearings: readonly PairableClearing[],
  lines: readonly PairableLine[],
  { pins, bars }: HandPairs,
): readonly Pairing[] {
  const pinned_lines = new Set(pins.map(({ line_id }) => line_id));
  const fees = new Set(lines.filter(({ is_fee }) => is_fee).map(({ id }) => id));
  const pinned_clearings = new Set(pins.flatMap((pin) => (fees.has(pin.line_id) ? [] : pin.clearing_id)));
  const barred = new Set(bars.map(pairKeyOf));
  const of_key = clearings.toSorted(compareClearings);
  const open = lines.filter(({ id }) => !pinned_lines.has(id)).sort(compareLines);
  const daysOf = (clearing: PairableClearing, line: PairableLine) =>
    daysBetween(clearing.settlement_date, line.booking_date);
  const isAllowed = (clearing: PairableClearing, line: PairableLine) =>
    !barred.has(pairKeyOf({ line_id: line.id, clearing_id: clearing.id }));
  const made: Pairing[] = [];
  const add = (clearing: PairableClearing, line: PairableLine, fit: Pairing['fit'], days_max: number): void => {
    const days = daysOf(clearing, line);
    if (Math.abs(days) > days_max || !isAllowed(clearing, line)) return;
    made.push({ line_id: line.id, clearing_id: clearing.id, rule: 'ard', fit, days });
  };
  const joinNearest = (line: PairableLine, fit: Pairing['fit']): void => {
    const [nearest] = of_key
      .filter((clearing) => isAllowed(clearing, line))
      .sort((a, b) => Math.abs(daysOf(a, line)) - Math.abs(daysOf(b, line)));
    if (nearest !== undefined) add(nearest, line, fit, 35);
  };
  const candidates = of_key
    .filter(({ id }) => !pinned_clearings.has(id))
    .flatMap((clearing) => open.filter(({ is_fee }) => !is_fee).map((line) => ({ clearing, line })))
    .filter(({ clearing, line }) => clearing.amount === line.amount)
    .sort((a, b) => Math.abs(daysOf(a.clearing, a.line)) - Math.abs(daysOf(b.clearing, b.line)));
  const taken = { clearings: new Set<number>(), lines: new Set<number>() };
  const lacksLine = (one: PairableClearing) =>
    !one.is_cancelled && !taken.clearings.has(one.id) && !pinned_clearings.has(one.id);
  const isTheirs = (one: PairableClearing) =>
    of_key.some(
      (other) =>
        lacksLine(other) &&
        other.purchase === one.purchase &&
        other.amount === one.amount &&
        Math.abs(daysBetween(other.settlement_date, one.settlement_date)) <= 35,
    );
  for (const is_cancelled of [false, true]) {
    const now = candidates.filter(
      ({ clearing }) => clearing.is_cancelled === is_cancelled && !(is_cancelled && isTheirs(clearing)),
    );
    for (const { clearing, line } of now) {
      if (taken.clearings.has(clearing.id) || taken.lines.has(line.id)) continue;
      const before = made.length;
      add(clearing, line, 'exact', 3);
      if (made.length === before) continue;
      taken.clearings.add(clearing.id);
      taken.lines.add(line.id);
    }
  }
  for (const line of open) if (line.is_fee) joinNearest(line, 'fee');
  const rest = open.filter(({ id, is_fee }) => !is_fee && !taken.lines.has(id));
  const all_left = of_key.filter(({ id }) => !taken.clearings.has(id) && !pinned_clearings.has(id));
  const left = all_left.some(lacksLine) ? all_left.filter(lacksLine) : all_left;
  if (new Set((left.length > 0 ? left : of_key).map(({ purchase }) => purchase)).size > 1) return made;
  for (const line of rest) {
    if (left.length === 0) joinNearest(line, 'rest');
    else for (const clearing of left) add(clearing, line, 'rest', 35);
  }
  return made;
}

const day = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -40, max: 40 }));
const amount = fc.integer({ min: 1, max: 3 });
const id = fc.integer({ min: 1, max: 12 });
const pair = fc.record({ line_id: id, clearing_id: id });

const sometimes = fc.constantFrom(false, false, true);

const keys = fc.record({
  clearings: fc.array(fc.tuple(amount, day, fc.constantFrom('a', 'a', 'a', 'b'), sometimes), { maxLength: 12 }),
  lines: fc.array(fc.tuple(amount, day, fc.integer({ min: 0, max: 3 })), { maxLength: 12 }),
  pins: fc.array(pair, { maxLength: 2 }),
  bars: fc.array(pair, { maxLength: 20 }),
});

/** The records with a count of how often their dates are read. */
function counting<One extends object>(records: readonly One[], date: keyof One, count: { reads: number }): One[] {
  return records.map((record) => {
    const value = record[date];
    return Object.defineProperty({ ...record }, date, {
      get() {
        count.reads += 1;
        return value;
      },
    });
  });
}

describe('pairing the records of one key', () => {
  test('makes the pairs that comparing every clearing with every line makes', () => {
    fc.assert(
      fc.property(keys, ({ clearings, lines, pins, bars }) => {
        const its_clearings = clearings.map(([of, at, purchase, is_cancelled], place) =>
          cleared(place + 1, of, at, purchase, is_cancelled),
        );
        const its_lines = lines.map(([of, at, draw], place) => booked(place + 1, of, at, draw === 0));
        const hands = { pins, bars };
        assert.deepEqual(
          pairLines(its_clearings, its_lines, hands),
          its_clearings.length === 0 || its_lines.length === 0 ? [] : pairPlainly(its_clearings, its_lines, hands),
        );
      }),
    );
  });

  for (const [name, is_fee, amounts, cancelled_each] of [
    ['equal amounts', false, [1_000], undefined],
    ['fees', true, [1_000], undefined],
    ['other amounts, beside as many that have their clearing', false, [1_000, 1_001], undefined],
    ['equal amounts, half of whose clearings were undone', false, [1_000], 2],
  ] as const) {
    test(`of thousands with ${name} reads each about as often as sorting does`, () => {
      const records = 4_000;
      const count = { reads: 0 };
      const place = Array.from({ length: records }, (_, at) => at + 1);
      const clearings = place.map((at) =>
        cleared(at, 1_000, at % 5, 'one', cancelled_each !== undefined && at % cancelled_each === 0),
      );
      const lines = amounts.flatMap((of, part) => place.map((at) => booked(part * records + at, of, at % 5, is_fee)));
      const pairs = pairLines(
        counting(clearings, 'settlement_date', count),
        counting(lines, 'booking_date', count),
        no_hands,
      );
      assert.equal(pairs.length, lines.length);
      assert.ok(count.reads < 40 * (records + lines.length), `${count.reads} reads`);
    });
  }

  test('joins no more pairs of one purchase by the key alone than are of use', () => {
    const joined = (count: number) =>
      pairLines(
        Array.from({ length: count }, (_, at) => cleared(at + 1, 1_000, 0, 'one')),
        Array.from({ length: count }, (_, at) => booked(at + 1, 999, 0)),
        no_hands,
      ).length;
    const most = Math.sqrt(rest_pairs_max);
    assert.deepEqual([joined(most), joined(most + 1)], [rest_pairs_max, 0]);
  });
});
