import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  type ActivityCount,
  type ActivityStore,
  type AuthorizationAnswer,
  all_companies,
  createActivity,
  readActivity,
} from '@tallystick/cards';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';

const hour_ms = 3_600_000;

/** A store of counts whose writes can be made to fail. */
function countingStore() {
  const rows: ActivityCount[] = [];
  const store: ActivityStore = {
    async add(counts) {
      for (const count of counts) rows.push(count);
    },
    read: async (company_id, from_ms) =>
      [
        ...Map.groupBy(
          rows.filter((row) => row.company_id === company_id && row.at_ms >= from_ms),
          ({ at_ms, outcome }) => `${at_ms} ${outcome}`,
        ).values(),
      ].map((same) => ({ ...same[0]!, count: same.reduce((sum, { count }) => sum + count, 0) })),
    purge: async () => 0,
  };
  return store;
}

const answer = (company_id: number | null, code: string, duplicate = false) =>
  ({ kind: 'answered', item: { company_id }, code, duplicate }) as unknown as AuthorizationAnswer;

it('stores every first answer to a request once, whichever transactions fail', async () => {
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        is: fc.constant('answer' as const),
        company: fc.integer({ min: 1, max: 3 }),
        code: fc.constantFrom('V', 'F', 'U'),
      }),
    },
    fc.record({ is: fc.constant('hours' as const), hours: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ is: fc.constant('store' as const), fails: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      let now_ms = 7.5 * hour_ms;
      let fails = false;
      const activity_store = countingStore();
      const activity = createActivity(
        { nowMs: () => now_ms },
        {
          async run(work) {
            if (fails) throw new Error('the database is away');
            return await work({ activity: activity_store });
          },
        },
      );
      const expected = new Map<string, number>();
      for (const one of steps) {
        if (one.is === 'hours') now_ms += one.hours * hour_ms;
        else if (one.is === 'answer') {
          const { company, code } = one;
          activity.answered({ message_type: '0100' }, answer(company, code));
          activity.answered({ message_type: '0100' }, answer(company, code, true));
          activity.answered({ message_type: '0420' }, answer(company, 'V'));
          for (const id of [company, all_companies]) {
            const key = `${id} ${Math.floor(now_ms / hour_ms)} ${code}`;
            expected.set(key, (expected.get(key) ?? 0) + 1);
          }
        } else {
          fails = one.fails;
          await activity.store().catch(() => undefined);
        }
      }
      fails = false;
      await activity.store();
      const found = new Map<string, number>();
      for (const id of [all_companies, 1, 2, 3]) {
        for (const { at_ms, counts } of await readActivity({ activity: activity_store }, id, 200, now_ms)) {
          for (const [code, count] of counts) found.set(`${id} ${at_ms / hour_ms} ${code}`, count);
        }
      }
      assert.deepEqual([...found].sort(), [...expected].sort());
    }),
    propertyParameters({ short: 100, full: 1_000 }),
  );
});

it('shows the present hour last, and those without requests, too', async () => {
  const store = countingStore();
  await store.add([
    { company_id: 4, at_ms: 2 * hour_ms, outcome: 'V', count: 3 },
    { company_id: 4, at_ms: 5 * hour_ms, outcome: 'V', count: 8 },
  ]);
  const hours = await readActivity({ activity: store }, 4, 3, 5.9 * hour_ms);
  assert.deepEqual(
    hours.map(({ at_ms, counts }) => [at_ms / hour_ms, counts.get('V') ?? 0]),
    [
      [3, 0],
      [4, 0],
      [5, 8],
    ],
  );
});
