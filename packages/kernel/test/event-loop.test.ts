import assert from 'node:assert/strict';
import { it } from 'node:test';
import { giveWayWith, inTurns, type Steps, turn_work_ms_max } from '../src/index.ts';

/** An event loop whose turns and time a test makes. */
class ManualLoop {
  now_ms = 100;
  turns = 0;
  #waiting: (() => void)[] = [];
  readonly giveWay = giveWayWith({
    monotonicNow: () => this.now_ms,
    nextTurn: () => new Promise((resolve) => this.#waiting.push(resolve)),
  });

  /** Does this much work, and then gives way: whether a turn was necessary. */
  async work(ms: number): Promise<boolean> {
    this.now_ms += ms;
    const given = this.giveWay();
    if (given === undefined) return false;
    await this.turn();
    await given;
    return true;
  }

  /** Ends the turn. Others work for a while before the next one. */
  async turn(): Promise<void> {
    this.turns += 1;
    this.now_ms += 50;
    for (const resume of this.#waiting.splice(0)) {
      resume();
      // What waits for it goes on before the next one.
      for (let step = 0; step < 5; step += 1) await undefined;
    }
  }
}

it('gives way once a turn has lasted for 5 ms, and again 5 ms after the next turn began', async () => {
  const loop = new ManualLoop();
  await loop.work(0);
  assert.equal(await loop.work(turn_work_ms_max - 1), false);
  assert.equal(await loop.work(1), true);
  assert.equal(await loop.work(turn_work_ms_max - 1), false, 'the time of others is not counted');
  assert.equal(await loop.work(1), true);
});

it('does not count a wait as work', async () => {
  const loop = new ManualLoop();
  await loop.work(0);
  // For a database: the loop turns meanwhile.
  await loop.turn();
  assert.equal(await loop.work(0), false);
});

it('gives way for all loops of one turn together', async () => {
  const loop = new ManualLoop();
  const log: string[] = [];
  const steps = async (name: string) => {
    for (let step = 0; step < 3; step += 1) {
      loop.now_ms += turn_work_ms_max;
      log.push(`${name} in turn ${loop.turns}`);
      await loop.giveWay();
    }
  };
  await loop.work(0);
  const both = Promise.all([steps('one'), steps('other')]);
  for (let turn = 0; turn < 7; turn += 1) await loop.turn();
  await both;
  assert.equal(log.length, 6);
  for (const turn of new Set(log.map((line) => line.slice(-1)))) {
    assert.ok(log.filter((line) => line.endsWith(turn)).length <= 2, log.join(', '));
  }
});

it('does steps in as many turns as their work takes, and returns their result', async () => {
  const loop = new ManualLoop();
  function* work(): Steps<string> {
    for (let step = 0; step < 4; step += 1) {
      loop.now_ms += turn_work_ms_max;
      yield;
    }
    return 'done';
  }
  await loop.work(0);
  const done = inTurns(work(), loop.giveWay);
  for (let turn = 0; turn < 4; turn += 1) await loop.turn();
  assert.equal(await done, 'done');
});

it('does no further step before the next turn', async () => {
  const loop = new ManualLoop();
  let steps = 0;
  function* work(): Steps<void> {
    for (; steps < 3; steps += 1) {
      loop.now_ms += turn_work_ms_max;
      yield;
    }
  }
  await loop.work(0);
  const done = inTurns(work(), loop.giveWay);
  assert.equal(steps, 0);
  await loop.turn();
  assert.equal(steps, 1);
  for (let turn = 0; turn < 3; turn += 1) await loop.turn();
  await done;
});
