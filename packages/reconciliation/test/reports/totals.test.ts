import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import {
  ageOf,
  bucketOf,
  cellChanges,
  cellOf,
  daysAfter,
  type ItemContent,
  isFrozenBy,
  isOpenBreakOf,
  nextBucketAt,
  startOf,
  summarize,
} from '../../src/index.ts';
import { clearing, itemOf, line, purchase } from '../reconciliation-world.ts';

const matched = itemOf({ purchases: [purchase({ status: 'cleared' })], clearings: [clearing()], lines: [line()] });
const due_date = '2026-03-06';
const broken: ItemContent = { ...matched, status: 'break', kind: 'unstated', due_date };

describe('the age of a break', () => {
  test('is in one of five buckets from the due date', () => {
    const buckets = [0, 1, 2, 3, 4, 7, 8, 30, 31, 900].map((days) =>
      bucketOf(due_date, startOf(daysAfter(due_date, days))),
    );
    const names = ['0-1', '0-1', '2-3', '2-3', '4-7', '4-7', '8-30', '8-30', 'over 30', 'over 30'];
    assert.deepEqual(buckets, names);
  });

  test('is 0 before the due date', () => {
    assert.equal(ageOf(due_date, startOf('2026-03-01')), 0);
    assert.equal(bucketOf(due_date, startOf('2026-03-01')), '0-1');
  });

  test('changes its bucket exactly when it says so', () => {
    for (let day = -3; day < 40; day += 1) {
      const now_ms = startOf(daysAfter(due_date, day));
      const next_ms = nextBucketAt(due_date, now_ms);
      if (next_ms === null) {
        assert.equal(bucketOf(due_date, now_ms), 'over 30');
      } else {
        assert.equal(bucketOf(due_date, next_ms - 1), bucketOf(due_date, now_ms));
        assert.notEqual(bucketOf(due_date, next_ms), bucketOf(due_date, now_ms));
      }
    }
  });
});

describe('the summary', () => {
  const of = (...items: readonly ItemContent[]) =>
    summarize(
      items.map((item) => cellOf(item)),
      startOf('2026-03-09'),
    );

  test('counts and adds up by status, kind, class and age', () => {
    const usd = of(matched, broken).get('USD')!;
    assert.deepEqual(usd.by_status.matched, { count: 1, sum: 1_000 });
    assert.deepEqual(usd.by_status.break, { count: 1, sum: 1_000 });
    assert.deepEqual(usd.by_kind.unstated, { count: 1, sum: 1_000 });
    assert.deepEqual(usd.by_class.exact, { count: 2, sum: 2_000 });
    assert.deepEqual(usd.by_age['2-3'], { count: 1, sum: 1_000 });
    assert.deepEqual(usd.by_age['0-1'], { count: 0, sum: 0 });
  });

  test('leaves ignored items out of every total but their own', () => {
    const usd = of({ ...broken, status: 'ignored' }).get('USD')!;
    assert.deepEqual(usd.by_status.ignored, { count: 1, sum: 1_000 });
    for (const totals of [usd.by_kind, usd.by_class, usd.by_age]) {
      for (const { count, sum } of Object.values(totals)) assert.deepEqual([count, sum], [0, 0]);
    }
  });

  test('counts no accepted item and none that is awaiting as a break', () => {
    const usd = of({ ...broken, status: 'accepted' }, { ...matched, status: 'awaiting', due_date }).get('USD')!;
    assert.deepEqual(usd.by_kind.unstated.count + usd.by_status.break.count + usd.by_age['2-3'].count, 0);
  });

  test('never adds up amounts of two currencies', () => {
    const both = of(matched, { ...matched, currency: 'EUR', stated: money(7) });
    assert.equal(both.get('EUR')!.by_status.matched.sum, 7);
    assert.equal(both.get('USD')!.by_status.matched.sum, 1_000);
  });

  test('takes what is stated less fees, else what cleared, else what was authorized', () => {
    const sums = [
      { ...matched, stated: money(1_030), fees: money(30) },
      { ...matched, stated: null },
      { ...matched, stated: null, cleared: null, authorized: money(5) },
    ].map((item) => cellOf(item).sum);
    assert.deepEqual(sums, [1_000, 1_000, 5]);
  });
});

describe('cells', () => {
  test('do not change when an item does not', () => {
    assert.deepEqual(cellChanges([{ before: broken, after: broken }]), []);
  });

  test('move an item from one to another', () => {
    const changes = cellChanges([{ before: broken, after: matched }]);
    assert.deepEqual(
      changes.map(({ status, count, sum }) => [status, count, sum]),
      [
        ['break', -1, -1_000],
        ['matched', 1, 1_000],
      ],
    );
  });
});

describe('closing a period', () => {
  const item = (change: Partial<ItemContent>) => ({
    ...matched,
    ...change,
    version: 1,
    period_id: null,
    assignee: null,
  });

  test('freezes what is matched, accepted or ignored by its end', () => {
    for (const status of ['matched', 'accepted', 'ignored'] as const) {
      assert.equal(isFrozenBy(item({ status }), '2026-03-03'), true);
      assert.equal(isFrozenBy(item({ status }), '2026-03-02'), false);
    }
    for (const status of ['break', 'proposed', 'awaiting'] as const) {
      assert.equal(isFrozenBy(item({ status }), '2026-03-31'), false);
    }
  });

  test('leaves what is in an earlier period or in none', () => {
    assert.equal(isFrozenBy({ ...item({}), period_id: 1 }, '2026-03-31'), false);
    assert.equal(isFrozenBy(item({ period_date: null }), '2026-03-31'), false);
  });

  test('counts its open breaks', () => {
    assert.equal(isOpenBreakOf({ ...item(broken) }, '2026-03-31'), true);
    assert.equal(isOpenBreakOf({ ...item(broken) }, '2026-03-02'), false);
    assert.equal(isOpenBreakOf(item({}), '2026-03-31'), false);
  });
});
