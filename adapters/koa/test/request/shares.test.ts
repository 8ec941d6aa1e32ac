import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { machine_timers } from '@tallystick/kernel';
import { mockableAfter, propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { Overloaded } from '../../src/request/admission.ts';
import { createShares } from '../../src/request/shares.ts';

/** Work of owners. Each runs until the test ends it. */
function works(max: number) {
  const shares = createShares(max, { ...machine_timers, after: mockableAfter });
  const running: { readonly owner: string; readonly end: () => void }[] = [];
  const begin = (owner: string, sender?: string): Promise<void> => {
    const work = Promise.withResolvers<void>();
    const run = () => {
      running.push({ owner, end: work.resolve });
      return work.promise;
    };
    return shares.run(owner, run, sender);
  };
  const endOne = async (at = 0): Promise<void> => {
    running.splice(at, 1)[0]?.end();
    await nextTurn();
  };
  const count = (owner: string) => running.filter((one) => one.owner === owner).length;
  return { running, begin, endOne, count };
}

describe('the connections that companies share', () => {
  it('are for one owner at most half of them, and one is left for each further owner', () => {
    const { begin, count } = works(20);
    for (const owner of ['a', 'b', 'c', 'd']) for (let at = 0; at < 30; at += 1) void begin(owner).catch(() => {});
    assert.deepEqual(['a', 'b', 'c', 'd'].map(count), [10, 5, 3, 1]);
  });

  it('go in turns to the owners that wait', async () => {
    const { running, begin, endOne, count } = works(6);
    for (const owner of ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'b', 'c', 'c', 'c']) {
      void begin(owner).catch(() => {});
    }
    assert.deepEqual(['a', 'b', 'c'].map(count), [3, 2, 1]);
    await endOne(running.findIndex(({ owner }) => owner === 'a'));
    assert.deepEqual(['a', 'b', 'c'].map(count), [2, 2, 1], 'one stays free for the next owner');
    while (running.length > 0) await endOne();
    assert.deepEqual(['a', 'b', 'c'].map(count), [0, 0, 0]);
  });

  it('go round the senders first, so that one who invents owners has one turn', async () => {
    const { running, begin, endOne } = works(2);
    const owners = ['x1', 'x2', 'x3', 'x4', 'x5', 'y', 'y'];
    for (const owner of owners) void begin(owner, 'inventor').catch(() => {});
    for (const owner of ['y', 'z']) void begin(owner, 'other').catch(() => {});
    const begun: string[] = [];
    while (running.length > 0) {
      begun.push(running[0]!.owner);
      await endOne();
    }
    assert.deepEqual(begun, ['x1', 'x2', 'x3', 'y', 'x4', 'z', 'x5', 'y', 'y']);
  });

  it('are never more than there are, and all work is done in the order of its owner', async () => {
    const asking = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', undefined));
    const step = fc.oneof(asking, fc.nat(9));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 60 }), async (max, steps) => {
        const { running, begin, endOne } = works(max);
        const asked: Promise<void>[] = [];
        for (const one of steps) {
          if (typeof one !== 'number') asked.push(begin(...one));
          else await endOne(running.length === 0 ? 0 : one % running.length);
          assert.ok(running.length <= max);
        }
        while (running.length > 0) await endOne();
        await Promise.all(asked);
      }),
      propertyParameters({ short: 200, full: 600 }),
    );
  });

  it('are refused after five seconds, and then the work does not run', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { running, begin, endOne, count } = works(2);
    const first = begin('a');
    const second = begin('a');
    assert.equal(count('a'), 1);
    t.mock.timers.tick(4_999);
    const third = begin('a');
    t.mock.timers.tick(1);
    await assert.rejects(second, Overloaded);
    assert.equal(count('a'), 1);
    running.splice(0, 1)[0]?.end();
    await first;
    t.mock.timers.reset();
    await nextTurn();
    assert.equal(count('a'), 1, 'the third begins');
    await endOne();
    await third;
  });

  it('are free again after work that fails', async () => {
    const shares = createShares(1, machine_timers);
    await assert.rejects(
      shares.run('a', async () => {
        throw new Error('broken');
      }),
      /broken/,
    );
    assert.equal(await shares.run('b', async () => 7), 7);
  });

  it('are given up while work waits for something else, and taken again afterwards', async () => {
    const shares = createShares(1, machine_timers);
    const elsewhere = Promise.withResolvers<number>();
    const order: string[] = [];
    const waiting = shares.run('a', async ({ outside }) => {
      order.push(`a begins, ${await outside(() => elsewhere.promise)} from elsewhere`);
    });
    const other = Promise.withResolvers<void>();
    const between = shares.run('b', async () => {
      order.push('b begins');
      await other.promise;
      order.push('b ends');
    });
    elsewhere.resolve(7);
    await nextTurn();
    other.resolve();
    await Promise.all([waiting, between]);
    assert.deepEqual(order, ['b begins', 'b ends', 'a begins, 7 from elsewhere']);
    assert.equal(await shares.run('a', async () => 8), 8);
  });
});
