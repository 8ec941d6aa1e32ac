import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createQuestionPlaces } from '../../src/consulting/question-places.ts';

/** Timers that the test fires. */
function handTimers() {
  const due = new Set<() => void>();
  return {
    after(_ms: number, work: () => void) {
      due.add(work);
      return () => due.delete(work);
    },
    fire() {
      for (const work of due) work();
    },
  };
}

describe('the places of questions', () => {
  test('let a company that answers fast wait for one', async () => {
    const timers = handTimers();
    const places = createQuestionPlaces(4, timers);
    assert.deepEqual(await Promise.all([places.take(1, 250), places.take(1, 250)]), [true, true]);
    const third = places.take(1, 250);
    places.release(1, 5);
    assert.equal(await third, true);
    const fourth = places.take(1, 250);
    timers.fire();
    assert.equal(await fourth, false, 'its place did not come in time');
  });

  test('are given to those that wait in their order, and those of a slow company to who can wait long', async () => {
    const timers = handTimers();
    const places = createQuestionPlaces(2, timers);
    assert.equal(await places.take(1, 250), true);
    places.release(1, 2_000);
    assert.equal(await places.take(1, 250), true);
    const order: string[] = [];
    const second = places.take(1, 2_500).then((taken) => order.push(`second ${taken}`));
    const third = places.take(1, 2_500).then((taken) => order.push(`third ${taken}`));
    assert.equal(await places.take(1, 0), false, 'who cannot wait is refused at once');
    places.release(1, 2_000);
    await second;
    places.release(1, 2_000);
    await third;
    assert.deepEqual(order, ['second true', 'third true']);
  });

  test('are for the company that waits longest, whoever was refused one before', async () => {
    for (const refused_ms of [0, 250]) {
      const timers = handTimers();
      const places = createQuestionPlaces(4, timers);
      const taken = await Promise.all([9, 9, 8, 7].map((company_id) => places.take(company_id, 0)));
      assert.deepEqual(taken, [true, true, true, true]);
      const refused = places.take(1, refused_ms);
      timers.fire();
      assert.equal(await refused, false);
      const order: number[] = [];
      const waiting = [2, 1].map((company_id) => places.take(company_id, 250).then(() => order.push(company_id)));
      places.release(7, 5);
      places.release(8, 5);
      await Promise.all(waiting);
      assert.deepEqual(order, [2, 1]);
    }
  });

  test('refuse a company that answers slowly at once', async () => {
    const timers = handTimers();
    const places = createQuestionPlaces(4, timers);
    for (let answers = 0; answers < 50; answers += 1) {
      assert.equal(await places.take(1, 250), true);
      places.release(1, 2_000);
      // It keeps a place, so that what is known of it stays.
      if (answers === 0) assert.equal(await places.take(1, 250), true);
    }
    assert.equal(await places.take(1, 250), true);
    assert.equal(await places.take(1, 250), false);
    assert.equal(await places.take(2, 250), true, 'another company has its own share');
  });
});
