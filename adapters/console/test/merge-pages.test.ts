import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { mergePages, type ReadPage, type Timed } from '../src/timeline/merge-pages.ts';

interface Item extends Timed {
  readonly name: string;
}

/** A list whose pages may be shorter than asked for, or empty, while there are more. */
function listOf(times: readonly number[], name: number, page_sizes: readonly number[]): ReadPage<Item> {
  const items = times
    .toSorted((a, b) => b - a)
    .map((at_ms, place) => ({ at: new Date(at_ms).toISOString(), name: `${name}.${place}` }));
  let read = 0;
  return async (after, limit) => {
    const from = after === undefined ? 0 : Number(after);
    const to = from + Math.min(limit, page_sizes[read++ % page_sizes.length] ?? limit);
    return { items: items.slice(from, to), next: to < items.length ? String(to) : null };
  };
}

describe('one list of several', () => {
  it('has every item once, newest first over all pages, and ends', async () => {
    const times = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(times, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 }).filter((sizes) => sizes.some(Boolean)),
        async (all, limit, sizes) => {
          const lists = all.map((one, name) => listOf(one, name, sizes));
          const found: Item[] = [];
          let cursor: string | undefined;
          for (let pages = 0; ; pages += 1) {
            assert.ok(pages < 400, 'the pages end');
            const { items, next } = await mergePages(lists, cursor, limit);
            assert.ok(items.length <= limit);
            found.push(...items);
            if (next === null) break;
            cursor = next;
          }
          const at = found.map((item) => item.at);
          assert.deepEqual(at, at.toSorted().toReversed());
          const names = all.flatMap((one, name) => one.map((_, place) => `${name}.${place}`));
          assert.deepEqual(found.map(({ name }) => name).toSorted(), names.toSorted());
        },
      ),
      propertyParameters(),
    );
  });

  it('refuses a cursor of another list', async () => {
    for (const cursor of ['', 'x', 'W10', Buffer.from('[[0,-1]]').toString('base64url')]) {
      await assert.rejects(mergePages([listOf([], 0, [1])], cursor, 3), (error) => error instanceof Refusal);
    }
  });
});
