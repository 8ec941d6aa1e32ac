import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { dayOf, daysAfter } from '../../src/calendar.ts';
import { ClearingsByDay } from '../../src/pairing/nearest-clearing.ts';
import { clearing } from '../reconciliation-world.ts';

const first_day = '2026-02-26';
const clearings = fc
  .array(fc.nat({ max: 20 }), { maxLength: 12 })
  .map((days) =>
    days.sort((a, b) => a - b).map((day, at) => clearing({ id: at + 1, settlement_date: daysAfter(first_day, day) })),
  );

describe('the clearings around a day', () => {
  test('are found nearest first, of two days the earlier one first, and those of a day in their order', () => {
    fc.assert(
      fc.property(clearings, fc.nat({ max: 20 }), fc.nat({ max: 10 }), (all, days, days_max) => {
        const day = dayOf(daysAfter(first_day, days));
        const distance = ({ settlement_date }: (typeof all)[number]) => Math.abs(dayOf(settlement_date) - day);
        const near = all.filter((one) => distance(one) <= days_max);
        const by_day = new ClearingsByDay(all);
        const nearest_first = near.toSorted((a, b) => distance(a) - distance(b) || a.id - b.id);
        assert.deepEqual([...by_day.nearestFirst(day, days_max)], nearest_first);
        assert.deepEqual(by_day.within(day, days_max), near);
        const isAllowed = ({ id }: (typeof all)[number]) => id % 2 === 0;
        assert.deepEqual(by_day.nearest(day, days_max, isAllowed), nearest_first.find(isAllowed) ?? null);
      }),
    );
  });
});
