import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixedClock } from '@tallystick/kernel';
import { checkOnStorages, propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  age_buckets,
  agesOfBreaks,
  type BreakAges,
  bucketOf,
  catchUp,
  dateOf,
  day_ms,
  daysAfter,
  readBreakAges,
  type SummaryCell,
  startOf,
} from '../../src/index.ts';
import { ActWorld, authorization } from '../acts/world.ts';

const days = 40;
const first_day = '2026-05-20';

/** What a day brings, each in days after the first. */
interface Plan {
  /** Purchases that settle on a day; their line is recorded on another, or never. */
  readonly purchases: readonly { readonly settles: number; readonly stated: number | null }[];
  /** Card lines without a clearing, by the day on which they are booked and recorded. */
  readonly lines: readonly number[];
}

const plans: fc.Arbitrary<Plan> = fc.record({
  purchases: fc.array(
    fc.record({
      settles: fc.integer({ min: 0, max: 20 }),
      stated: fc.option(fc.integer({ min: 0, max: days - 1 }), { nil: null }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  lines: fc.array(fc.integer({ min: 0, max: days - 1 }), { maxLength: 4 }),
});

let purchases_made = 0;

/** A company whose records arrive as planned. */
class PlannedWorld {
  readonly #world: ActWorld;
  readonly #lines: { readonly day: number; readonly reference: string | null; readonly booked: number }[] = [];

  private constructor(world: ActWorld) {
    this.#world = world;
  }

  static async on(world: ActWorld, plan: Plan): Promise<PlannedWorld> {
    const planned = new PlannedWorld(world);
    for (const { settles, stated } of plan.purchases) {
      purchases_made += 1;
      const reference = `741234560610${String(purchases_made).padStart(10, '0')}0`;
      const approval_code = `C${String(purchases_made).padStart(5, '0')}`;
      await world.authorize({ approval_code });
      await world.clear({
        approval_code,
        acquirer_reference_data: reference,
        settlement_date: daysAfter(first_day, settles),
      });
      if (stated !== null) planned.#lines.push({ day: stated, reference, booked: settles });
    }
    for (const day of plan.lines) planned.#lines.push({ day, reference: null, booked: day });
    return planned;
  }

  /** Records what comes on a day. */
  async record(day: number): Promise<void> {
    for (const { day: on, reference, booked } of this.#lines) {
      if (on !== day) continue;
      const recorded_at_ms = startOf(daysAfter(first_day, day)) + day_ms / 2;
      await this.#world.line({ reference, date: daysAfter(first_day, booked), recorded_at_ms, amount: 1_000 + booked });
    }
  }

  /** Brings the items up to date at the end of a day. Returns the breaks by age, and over 30 days. */
  async catchUp(day: number) {
    const now_ms = startOf(daysAfter(first_day, day + 1)) - 1;
    const { unitOfWork } = this.#world.storage;
    const { company_id } = this.#world;
    await catchUp({ unitOfWork, clock: fixedClock(now_ms) }, company_id);
    return await unitOfWork.read(async (tx) => ({
      now: countsOf(await tx.reconciliation.cells(company_id), now_ms),
      ages: (await readBreakAges(tx, { company_id, now_ms })).get('USD') ?? [],
    }));
  }
}

function countsOf(cells: readonly SummaryCell[], now_ms: number): BreakAges {
  const counts = Object.fromEntries(age_buckets.map(({ name }) => [name, 0])) as Record<string, number>;
  for (const { status, due_date, count } of cells) {
    if (status === 'break') counts[bucketOf(due_date!, now_ms)]! += count;
  }
  return { day: dateOf(now_ms), by_age: counts as BreakAges['by_age'] };
}

checkOnStorages('the ages of breaks over the last 30 days', [
  {
    rule: 'are those at the end of each day, whenever items are brought up to date',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      await fc.assert(
        fc.asyncProperty(plans, fc.integer({ min: 1, max: days }), async (plan, every) => {
          const daily = await PlannedWorld.on(await ActWorld.on(storage), plan);
          const seldom = await PlannedWorld.on(await ActWorld.on(storage), plan);
          const counted: BreakAges[] = [];
          for (let day = 0; day < days; day += 1) {
            await daily.record(day);
            await seldom.record(day);
            counted.unshift((await daily.catchUp(day)).now);
            if (day % every === 0) await seldom.catchUp(day);
          }
          const { ages } = await daily.catchUp(days - 1);
          assert.deepEqual(ages, counted.slice(0, 30));
          assert.deepEqual((await seldom.catchUp(days - 1)).ages, ages);
        }),
        propertyParameters({ short: 3, full: 40 }),
      );
    },
  },
  {
    rule: 'count what a person decides on the day of the act, and keep no more than 30 days',
    async check(open) {
      const world = await ActWorld.on(await open());
      const { company_id, now_ms } = world.call();
      const id = await world.authorize();
      const openBreaks = async (at_ms = now_ms) => {
        const found = await world.storage.unitOfWork.read((tx) => readBreakAges(tx, { company_id, now_ms: at_ms }));
        return found.get('USD')!.map(({ by_age }) => Object.values(by_age).reduce((sum, count) => sum + count, 0));
      };
      assert.equal((await world.read(authorization(id))).item.kind, 'uncleared');
      const before = await openBreaks();
      assert.deepEqual(before.slice(0, 2), [1, 1]);
      await world.act(authorization(id), 'accept');
      assert.deepEqual(await openBreaks(), [0, ...before.slice(1)]);
      await world.act(authorization(id), 'reopen');
      assert.deepEqual(await openBreaks(), before);
      const later = { unitOfWork: world.storage.unitOfWork, clock: fixedClock(now_ms + 50 * day_ms) };
      await world.line({ recorded_at_ms: later.clock.nowMs() });
      await catchUp(later, company_id);
      const rows = await later.unitOfWork.read((tx) => tx.reconciliation.breakDays(company_id));
      assert.deepEqual(
        rows.map(({ day }) => day),
        [dateOf(later.clock.nowMs())],
      );
      assert.deepEqual(await openBreaks(later.clock.nowMs()), [2, ...Array(29).fill(1)]);
    },
  },
]);

describe('the ages of breaks', () => {
  const cell = { currency: 'USD', status: 'break', kind: 'unstated', class: 'exact', sum: 0 } as const;
  const now_ms = startOf('2026-06-10');

  test('are counted back from the cells of today, and by the age on each day', () => {
    const ages = agesOfBreaks(
      [{ ...cell, due_date: '2026-06-01', count: 2 }],
      [
        { day: '2026-06-10', currency: 'USD', due_date: '2026-06-01', count: -3 },
        { day: '2026-06-02', currency: 'USD', due_date: '2026-06-01', count: 5 },
      ],
      now_ms,
    ).get('USD')!;
    assert.equal(ages.length, 30);
    assert.deepEqual(
      [0, 1, 8, 9].map((back) => [ages[back]!.day, ...Object.values(ages[back]!.by_age)]),
      [
        ['2026-06-10', 0, 0, 0, 2, 0],
        ['2026-06-09', 0, 0, 0, 5, 0],
        ['2026-06-02', 5, 0, 0, 0, 0],
        ['2026-06-01', 0, 0, 0, 0, 0],
      ],
    );
  });
});
