import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@tallystick/kernel';
import { Turns } from '../src/connection/sqlite/turns.ts';

const passed = { leftMs: () => 0 };

test('users have their turns one after another, in the order of their requests, also after an error', async () => {
  const turns = new Turns();
  const begun: number[] = [];
  let open = 0;
  const users = Array.from({ length: 20 }, (_, at) =>
    turns.run(async () => {
      begun.push(at);
      open += 1;
      await Promise.resolve();
      assert.equal(open, 1);
      open -= 1;
      if (at % 3 === 0) throw new Error('planted');
    }),
  );
  await Promise.allSettled(users);
  assert.deepEqual(begun, [...Array(20).keys()]);
});

test('a user whose wait ends before its turn is refused, has no turn later and delays nobody', async () => {
  const turns = new Turns();
  await turns.take();
  let ran = false;
  const late = turns.run(() => {
    ran = true;
  }, passed);
  const patient = turns.run(() => 'ran');
  await assert.rejects(late, (error) => error instanceof Fault && error.retryable);
  turns.end();
  assert.equal(await patient, 'ran');
  assert.equal(await turns.run(() => 'free'), 'free');
  assert.equal(ran, false);
});

test('a turn that is free begins without a wait, also when the wait has ended', async () => {
  assert.equal(await new Turns().run(() => 'ran', passed), 'ran');
});

test('closing lets earlier users have their turn, and refuses later ones', async () => {
  const turns = new Turns();
  await turns.take();
  const earlier = turns.run(() => 'ran');
  const closed = turns.close();
  await assert.rejects(
    turns.run(() => 'ran'),
    Fault,
  );
  turns.end();
  await closed;
  assert.equal(await earlier, 'ran');
  await turns.close();
});
