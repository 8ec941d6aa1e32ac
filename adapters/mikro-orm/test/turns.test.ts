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

test('between two users that may take long, all others that wait have their turn', async () => {
  const turns = new Turns();
  const begun: string[] = [];
  const use = (name: string, meanwhile?: () => void) =>
    turns.run(() => {
      begun.push(name);
      meanwhile?.();
    });
  const useLong = async (name: string, meanwhile?: () => void): Promise<void> => {
    await turns.takeLong();
    begun.push(name);
    meanwhile?.();
    turns.end();
  };
  await turns.take();
  const later: Promise<void>[] = [];
  const users = [
    useLong('long 1', () => later.push(use('e'), use('f'))),
    use('a'),
    useLong('long 2', () => later.push(useLong('long 4'), use('g'))),
    useLong('long 3'),
    use('b', () => later.push(use('c'), use('d'))),
  ];
  turns.end();
  await Promise.all(users);
  await Promise.all(later);
  assert.deepEqual(begun, ['long 1', 'a', 'b', 'e', 'f', 'long 2', 'c', 'd', 'g', 'long 3', 'long 4']);
});

test('a user that may take long has its turn after all that asked before it, and before those that ask later', async () => {
  const turns = new Turns();
  const begun: string[] = [];
  const use = (name: string) => turns.run(() => void begun.push(name));
  const useLong = async (name: string): Promise<void> => {
    await turns.takeLong();
    begun.push(name);
    turns.end();
  };
  await turns.take();
  const users = [use('a'), use('b'), useLong('long 1'), use('c'), useLong('long 2'), use('d')];
  turns.end();
  await Promise.all(users);
  assert.deepEqual(begun, ['a', 'b', 'long 1', 'c', 'd', 'long 2']);
});

test('a user that may take long has its turn although others always wait', async () => {
  const turns = new Turns();
  let short_turns = 0;
  let is_over = false;
  const useAgain = async (): Promise<void> => {
    while (!is_over) {
      await turns.run(() => Promise.resolve());
      short_turns += 1;
    }
  };
  const users = [useAgain(), useAgain(), useAgain()];
  for (let long_turns = 0; long_turns < 10; long_turns += 1) {
    const before = short_turns;
    await turns.takeLong();
    assert.ok(short_turns - before <= 10, `after ${short_turns - before} turns of others`);
    turns.end();
  }
  is_over = true;
  await Promise.all(users);
});

test('closing also lets users that may take long have their turn', async () => {
  const turns = new Turns();
  await turns.take();
  const begun: string[] = [];
  const long = turns.takeLong().then(() => {
    begun.push('long');
    turns.end();
  });
  const closed = turns.close().then(() => begun.push('closed'));
  await assert.rejects(turns.takeLong(), Fault);
  turns.end();
  await Promise.all([long, closed]);
  assert.deepEqual(begun, ['long', 'closed']);
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
