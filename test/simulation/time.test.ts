import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Machine } from './machine.ts';
import { SeededRandom } from './random.ts';
import { SimulatedTime } from './time.ts';

const day_ms = 86_400_000;

function newTime(seed = '1'): SimulatedTime {
  return new SimulatedTime(0, new SeededRandom(seed));
}

/** A job that runs at intervals, as the service has them. Returns the times of its runs. */
function poll(time: SimulatedTime, every_ms: number, machine = new Machine('n1', 0)): number[] {
  const { after } = time.timersOf(machine);
  const runs: number[] = [];
  const run = (): void => {
    runs.push(time.now_ms);
    after(every_ms, run);
  };
  run();
  return runs;
}

async function runAll(time: SimulatedTime, until_ms: number): Promise<void> {
  while (await time.step(until_ms));
}

describe('simulated time', () => {
  it('runs what waits in the order of time, and what waits for one time in the order of the seed', async () => {
    const orders = new Set<string>();
    for (let seed = 0; seed < 20; seed += 1) {
      const time = newTime(String(seed));
      const ran: string[] = [];
      time.after(2, () => ran.push('c'));
      time.after(1, () => ran.push('a'));
      time.after(1, () => ran.push('b'));
      await runAll(time, 10);
      assert.equal(ran[2], 'c');
      orders.add(ran.join(''));
    }
    assert.deepEqual([...orders].toSorted(), ['abc', 'bac']);
  });

  it('resolves turns of one process in the order of the calls', async () => {
    const time = newTime();
    const { nextTurn } = time.timersOf(new Machine('n1', 0));
    const ran: number[] = [];
    for (let turn = 0; turn < 10; turn += 1) void nextTurn().then(() => ran.push(turn));
    await runAll(time, 0);
    assert.deepEqual(ran, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('jumps over polls while nothing is due, and runs each once a day', async () => {
    const time = newTime();
    const runs = poll(time, 1_000);
    await runAll(time, 10 * day_ms);
    assert.ok(runs.length >= 10 && runs.length <= 25, `${runs.length} runs in ten days`);
  });

  it('runs a poll soon after something is due', async () => {
    const time = newTime();
    const due_ms = 3 * 3_600_000 + 17;
    let is_done = false;
    time.jumpTo(() => (is_done ? Number.POSITIVE_INFINITY : due_ms));
    const { after } = time.timersOf(new Machine('n1', 0));
    let done_ms = 0;
    const run = (): void => {
      if (time.now_ms >= due_ms && !is_done) {
        is_done = true;
        done_ms = time.now_ms;
      }
      after(1_000, run);
    };
    run();
    await runAll(time, day_ms);
    assert.ok(done_ms >= due_ms && done_ms < due_ms + 1_000, `done at ${done_ms}`);
  });

  it('holds back the timers of a process that stands still, and drops those of a dead one', async () => {
    const time = newTime();
    const still = new Machine('still', 0);
    const dead = new Machine('dead', 0);
    const ran: string[] = [];
    time.after(10, () => ran.push(`still ${time.now_ms}`), still);
    time.after(10, () => ran.push(`dead ${time.now_ms}`), dead);
    time.after(20, () => ran.push(`other ${time.now_ms}`));
    still.still_until_ms = 50;
    dead.die();
    await runAll(time, 100);
    assert.deepEqual(ran, ['other 20', 'still 50']);
  });

  it('shows a process the time of its own clock', () => {
    const time = newTime();
    assert.equal(time.timersOf(new Machine('n1', -300)).nowMs(), time.now_ms - 300);
  });
});
