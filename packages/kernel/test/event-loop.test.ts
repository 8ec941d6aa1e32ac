import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createGiveWay, turn_work_ms_max } from '../src/index.ts';

it('gives way once the work has lasted for 5 ms, and again 5 ms after the next turn', async () => {
  let now_ms = 100;
  let turns = 0;
  const giveWay = createGiveWay({
    monotonicNow: () => now_ms,
    async nextTurn() {
      turns += 1;
      // The work of others.
      now_ms += 50;
    },
  });
  const work = async (ms: number) => {
    now_ms += ms;
    await giveWay();
    return turns;
  };
  assert.equal(await work(turn_work_ms_max - 1), 0);
  assert.equal(await work(1), 1);
  assert.equal(await work(turn_work_ms_max - 1), 1, 'the time of others is not counted');
  assert.equal(await work(1), 2);
});
