import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HostTransaction, Timers } from '@tallystick/kernel';
import { lazyTransaction } from '../src/subscriptions/subscription-tx.ts';

it('after 20 ms on SQLite, a handler leaves the lock to others for 20 ms, although it sends the next statement at once', async () => {
  let now_ms = 0;
  const timers = new Set<{ readonly at_ms: number; readonly run: () => void }>();
  const after: Timers['after'] = (ms, run) => {
    const timer = { at_ms: now_ms + ms, run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const pass = async (ms: number): Promise<void> => {
    now_ms += ms;
    for (const timer of timers) if (timer.at_ms <= now_ms && timers.delete(timer)) timer.run();
    await nextTurn();
  };
  const happened: string[] = [];
  const note = (what: string) => happened.push(`${what} at ${now_ms}`);
  const host: HostTransaction = {
    dialect: 'sqlite',
    handle: {},
    execute: async ({ text }) => {
      note(text);
      return { rows: [], changes: 0 };
    },
  };
  const begin = async () => {
    note('begin');
    return { host, native: {}, commit: async () => void note('commit'), rollback: async () => void note('rollback') };
  };
  const lazy = lazyTransaction({ begin, dialect: 'sqlite', after, monotonicNow: () => now_ms }, async () => {});
  await lazy.tx.query('first');
  await pass(20);
  const sent = lazy.tx.query('second');
  await pass(19);
  assert.deepEqual(happened, ['begin at 0', 'first at 0', 'rollback at 20']);
  await pass(1);
  await sent;
  await lazy.finish(async () => true);
  assert.deepEqual(happened.slice(3), ['begin at 40', 'first at 40', 'second at 40', 'commit at 40']);
});
