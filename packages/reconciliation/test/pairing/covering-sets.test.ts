import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  type CardLine,
  type ClearedAmount,
  type CoveringSet,
  CoveringSweep,
  candidates_max,
  covering_members_max,
  covering_reach_days,
  daysAfter,
  daysBetween,
  findCoveringSets,
  type Leftovers,
  leftoversOf,
  type StatementPair,
  sweep_lag_days,
} from '../../src/index.ts';
import { clearing, fee, line, resultOf } from '../reconciliation-world.ts';

fc.configureGlobal(propertyParameters());

const first_day = '2026-03-03';

function cleared(id: number, amount: number, days = 0): ClearedAmount {
  return clearing({ id, amount: money(amount), settlement_date: daysAfter(first_day, days), authorization_id: id });
}

function booked(id: number, amount: number, days = 0, account_id = 1): CardLine {
  const booking_date = daysAfter(first_day, days);
  return line({ id, amount: money(amount), booking_date, acquirer_reference: null, account_id });
}

const setsOf = (leftovers: Leftovers, bars: readonly StatementPair[] = []) =>
  resultOf(findCoveringSets(leftovers, bars));

const idsOf = (sets: readonly CoveringSet[]) => sets.map(({ line_ids, clearing_ids }) => [line_ids, clearing_ids]);

describe('a covering set', () => {
  test('is lines that together make up a clearing', () => {
    const { applied, offers } = setsOf({
      clearings: [cleared(1, 1_000)],
      lines: [booked(1, 400), booked(2, 600), booked(3, 700)],
    });
    assert.deepEqual([idsOf(applied), offers], [[[[1, 2], [1]]], []]);
  });

  test('is clearings that together make up a line', () => {
    const { applied } = setsOf({
      clearings: [cleared(1, 400), cleared(2, 600, 3), cleared(3, 700)],
      lines: [booked(1, 1_000, 2)],
    });
    assert.deepEqual(idsOf(applied), [[[1], [1, 2]]]);
    assert.equal(applied[0]!.days, 2);
  });

  test('may be a clearing and a line of the same amount', () => {
    assert.deepEqual(idsOf(setsOf({ clearings: [cleared(1, 5)], lines: [booked(1, 5)] }).applied), [[[1], [1]]]);
  });

  test('is never applied when there is another: both are offered, fewest members first, then oldest', () => {
    const { applied, offers } = setsOf({
      clearings: [cleared(4, 400), cleared(5, 600), cleared(1, 1_000, 1), cleared(2, 1_000)],
      lines: [booked(1, 1_000)],
    });
    assert.deepEqual(applied, []);
    assert.deepEqual(idsOf(offers), [
      [[1], [2]],
      [[1], [1]],
      [[1], [4, 5]],
    ]);
  });

  test('is not applied when a member is in the set of another record', () => {
    const { applied, offers } = setsOf({
      clearings: [cleared(1, 1_000), cleared(2, 700, 3)],
      lines: [booked(1, 400), booked(2, 600), booked(3, 300, 3), booked(4, 400, 3)],
    });
    assert.deepEqual(applied, []);
    assert.equal(offers.length, 4);
  });

  test('has one account, one currency, one sign and at most 3 days', () => {
    const sets = (lines: readonly CardLine[]) => setsOf({ clearings: [cleared(1, 1_000)], lines }).applied;
    assert.equal(sets([booked(1, 400), booked(2, 600)]).length, 1);
    assert.equal(sets([booked(1, 400), booked(2, 600, 0, 2)]).length, 0);
    assert.equal(sets([booked(1, 400, 3), booked(2, 600, -3)]).length, 1);
    assert.equal(sets([booked(1, 400, 4), booked(2, 600)]).length, 0);
    assert.equal(sets([booked(1, 1_400), booked(2, -400)]).length, 0);
    assert.equal(sets([booked(1, 400), { ...booked(2, 600), currency: 'EUR' }]).length, 0);
  });

  test('has at most 5 members', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, at) => booked(at + 1, 100));
    const sets = (count: number) =>
      setsOf({ clearings: [cleared(1, count * 100)], lines: lines(count) }).applied.length;
    assert.deepEqual([sets(5), sets(6)], [1, 0]);
  });

  test('has none of the pairs that a person undid', () => {
    const leftovers = { clearings: [cleared(1, 1_000)], lines: [booked(1, 400), booked(2, 600)] };
    assert.deepEqual(setsOf(leftovers, [{ line_id: 2, clearing_id: 1 }]).applied, []);
  });

  test('has no line with a reference, no fee, and nothing that is paired', () => {
    const { clearings, lines } = leftoversOf(
      { clearings: [cleared(1, 1), cleared(2, 2), cleared(3, 0)], lines: [line(), fee(), booked(3, 1), booked(4, 1)] },
      [
        { line_id: 3, clearing_id: 1, fit: 'exact' },
        { line_id: 9, clearing_id: 2, fit: 'fee' },
      ],
      new Set(),
    );
    assert.deepEqual([clearings.map(({ id }) => id), lines.map(({ id }) => id)], [[2], [4]]);
  });
});

const amount = fc.constantFrom(100, 200, 300, 400, 500, -100, -200);
const leftovers = fc
  .record({
    clearings: fc.array(fc.tuple(amount, fc.nat({ max: 12 })), { maxLength: 8 }),
    lines: fc.array(fc.tuple(amount, fc.nat({ max: 12 }), fc.constantFrom(1, 1, 2)), { maxLength: 8 }),
  })
  .map(({ clearings, lines }) => ({
    clearings: clearings.map(([of, days], at) => cleared(at + 1, of, days)),
    lines: lines.map(([of, days, account_id], at) => booked(at + 1, of, days, account_id)),
  }));

describe('covering sets', () => {
  test('add up, are near, and are found whatever the order of the records', () => {
    fc.assert(
      fc.property(leftovers, fc.infiniteStream(fc.nat()), ({ clearings, lines }, random) => {
        const sets = setsOf({ clearings, lines });
        for (const { line_ids, clearing_ids, amount: sum, days } of [...sets.applied, ...sets.offers]) {
          const [its_lines, its_clearings] = [
            line_ids.map((id) => lines.find((one) => one.id === id)!),
            clearing_ids.map((id) => clearings.find((one) => one.id === id)!),
          ];
          for (const members of [its_lines, its_clearings]) {
            assert.equal(
              members.reduce((total, member) => total + member.amount, 0),
              sum,
            );
          }
          assert.equal(Math.min(line_ids.length, clearing_ids.length), 1);
          assert.ok(Math.max(line_ids.length, clearing_ids.length) <= covering_members_max);
          assert.equal(new Set(its_lines.map(({ account_id }) => account_id)).size, 1);
          assert.ok(days <= 3);
        }
        const members = sets.applied.flatMap(({ line_ids, clearing_ids }) => [
          ...line_ids.map((id) => `line ${id}`),
          ...clearing_ids.map((id) => `clearing ${id}`),
        ]);
        assert.equal(new Set(members).size, members.length);
        const shuffle = <One>(of: readonly One[]) =>
          of
            .map((one) => ({ one, at: random.next().value }))
            .sort((a, b) => a.at - b.at)
            .map(({ one }) => one);
        assert.deepEqual(setsOf({ clearings: shuffle(clearings), lines: shuffle(lines) }), sets);
      }),
    );
  });

  test('are those that a search of all subsets finds', () => {
    fc.assert(
      fc.property(leftovers, ({ clearings, lines }) => {
        const found = setsOf({ clearings, lines });
        const all = naiveSets(clearings, lines);
        const isAlone = (set: CoveringSet) =>
          all.every(
            (other) =>
              isSame(set, other) ||
              (!set.line_ids.some((id) => other.line_ids.includes(id)) &&
                !set.clearing_ids.some((id) => other.clearing_ids.includes(id))),
          );
        const text = (sets: readonly CoveringSet[]) => sets.map((set) => JSON.stringify(set)).sort();
        assert.deepEqual(text(found.applied), text(all.filter(isAlone)));
        const listed = new Set(text(all));
        for (const offer of text(found.offers)) assert.ok(listed.has(offer), offer);
      }),
    );
  });

  test('of a record do not depend on leftovers that are further away than the reach', () => {
    fc.assert(
      fc.property(leftovers, ({ clearings, lines }) => {
        const isNear = (date: string) => daysBetween(first_day, date) <= covering_reach_days;
        const near = {
          clearings: clearings.filter(({ settlement_date }) => isNear(settlement_date)),
          lines: lines.filter(({ booking_date }) => isNear(booking_date)),
        };
        const far = { clearings: [cleared(99, 100, 13)], lines: [booked(99, 100, 13), booked(98, 100, 13)] };
        const ofFirstDay = ({ applied }: { readonly applied: readonly CoveringSet[] }) =>
          applied.filter(
            ({ line_ids, clearing_ids }) =>
              near.lines.some(({ id, booking_date }) => line_ids.includes(id) && booking_date === first_day) ||
              near.clearings.some(({ id, settlement_date }) => {
                return clearing_ids.includes(id) && settlement_date === first_day;
              }),
          );
        const together = setsOf({
          clearings: [...near.clearings, ...far.clearings],
          lines: [...near.lines, ...far.lines],
        });
        assert.deepEqual(ofFirstDay(together), ofFirstDay(setsOf(near)));
      }),
    );
  });

  test('are the same when the leftovers come day by day', () => {
    fc.assert(
      fc.property(leftovers, fc.array(fc.tuple(fc.nat({ max: 8 }), fc.nat({ max: 8 }))), (all, barred) => {
        const bars = barred.map(([line_id, clearing_id]) => ({ line_id, clearing_id }));
        const { applied, offers } = setsOf(all, bars);
        const sweep = new CoveringSweep(first_day);
        for (let days = 0; days <= 12 + sweep_lag_days; days += 1) {
          const date = daysAfter(first_day, days);
          const lines = all.lines.filter(({ booking_date }) => booking_date === date);
          const clearings = all.clearings.filter(({ settlement_date }) => settlement_date === date);
          const of_day = resultOf(sweep.next({ clearings, lines }, bars));
          const of_date = daysAfter(date, -sweep_lag_days);
          const ids = of_day.records.map(({ kind, id }) => `${kind} ${id}`);
          const expected = [
            ...all.clearings.flatMap(({ id, settlement_date }) =>
              settlement_date === of_date ? `clearing ${id}` : [],
            ),
            ...all.lines.flatMap(({ id, booking_date }) => (booking_date === of_date ? `line ${id}` : [])),
          ];
          assert.deepEqual(ids.toSorted(), expected.toSorted());
          for (const { kind, id } of of_day.records) {
            const hasRecord = (set: CoveringSet) => (kind === 'line' ? set.line_ids : set.clearing_ids).includes(id);
            assert.deepEqual(of_day.sets.applied.filter(hasRecord), applied.filter(hasRecord));
            assert.deepEqual(of_day.sets.offers.filter(hasRecord).slice(0, 10), offers.filter(hasRecord).slice(0, 10));
          }
        }
      }),
    );
  });

  test('of one record leave none of its candidates to another record when there are 1,000 of them', () => {
    const appliedBeside = (ones: number) => {
      const amounts = [
        [1, ones],
        [20, 5],
        [400, 5],
        [8_000, 5],
      ].flatMap(([amount, count]) => Array<number>(count!).fill(amount!));
      const lines = [7, ...amounts].map((amount, at) => booked(at + 1, amount));
      return idsOf(setsOf({ clearings: [cleared(1, 8_421), cleared(2, 7)], lines }).applied);
    };
    assert.deepEqual(appliedBeside(7), [[[1], [2]]]);
    assert.deepEqual(appliedBeside(8), []);
  });

  test('of many equal amounts are found within a bound', () => {
    const clearings = Array.from({ length: 200 }, (_, at) => cleared(at + 1, 500));
    const lines = Array.from({ length: 200 }, (_, at) => booked(at + 1, 100));
    const { applied, offers, examined } = setsOf({ clearings, lines });
    assert.deepEqual(applied, []);
    assert.equal(offers.length, 200 * 10);
    assert.ok(examined <= 200 * (choose(candidates_max, 4) + 5_000), `${examined}`);
  });
});

function choose(of: number, count: number): number {
  return count === 0 ? 1 : (choose(of - 1, count - 1) * of) / count;
}

function isSame(a: CoveringSet, b: CoveringSet): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function naiveSets(clearings: readonly ClearedAmount[], lines: readonly CardLine[]): readonly CoveringSet[] {
  const sets: CoveringSet[] = [];
  const add = (its_clearings: readonly ClearedAmount[], its_lines: readonly CardLine[]): void => {
    const sum = (of: readonly { readonly amount: number }[]) => of.reduce((total, one) => total + one.amount, 0);
    const amounts = [...its_clearings, ...its_lines].map((one) => Math.sign(one.amount));
    const days = Math.max(
      ...its_clearings.flatMap((one) =>
        its_lines.map((other) => Math.abs(daysBetween(one.settlement_date, other.booking_date))),
      ),
    );
    if (sum(its_clearings) !== sum(its_lines) || new Set(amounts).size > 1 || days > 3) return;
    if (new Set(its_lines.map(({ account_id }) => account_id)).size > 1) return;
    sets.push({
      line_ids: its_lines.map(({ id }) => id).sort((a, b) => a - b),
      clearing_ids: its_clearings.map(({ id }) => id).sort((a, b) => a - b),
      amount: sum(its_lines),
      days,
    });
  };
  for (const one of lines) for (const some of subsets(clearings)) add(some, [one]);
  for (const one of clearings) for (const some of subsets(lines)) if (some.length > 1) add([one], some);
  return sets;
}

function subsets<One>(of: readonly One[]): readonly (readonly One[])[] {
  return Array.from({ length: 2 ** of.length - 1 }, (_, bits) => of.filter((__, at) => ((bits + 1) >> at) & 1)).filter(
    (some) => some.length <= covering_members_max,
  );
}
