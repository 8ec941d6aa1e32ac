import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { it, mock, type TestContext } from 'node:test';
import { abortAfter, giveWayWith, machine_timers } from '../src/index.ts';

const { after, pause, nextTurn } = machine_timers;

/** Replaces what the tests of a host replace. Nothing moves it on. */
function replaceGlobals(t: TestContext): void {
  t.after(() => {
    mock.timers.reset();
    mock.restoreAll();
  });
  mock.timers.enable();
  mock.method(performance, 'now', () => 0);
}

/** The waits that keep this process alive. */
function waitsThatKeepAlive(): number {
  return process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length;
}

it('goes on while a test has replaced the timers and the time of the process', async (t) => {
  replaceGlobals(t);
  const began_ms = machine_timers.monotonicNow();
  const began_at_ms = machine_timers.nowMs();
  await nextTurn();
  await pause(5);
  await new Promise<void>((resolve) => void after(5, resolve));
  let ran_cancelled = false;
  after(1, () => {
    ran_cancelled = true;
  })();
  t.after(after(60_000, () => {})); // A signal of a time-out does not keep the process alive.
  await new Promise((resolve) => abortAfter(machine_timers, 2).addEventListener('abort', resolve));
  assert.equal(ran_cancelled, false, 'a wait that was cancelled meanwhile');
  assert.ok(machine_timers.monotonicNow() > began_ms);
  assert.ok(machine_timers.nowMs() > began_at_ms);
  assert.equal(Date.now(), 0, 'the time of the test stands still');
});

it('does not run work whose wait was cancelled', async () => {
  const ran: string[] = [];
  const cancel = after(1, () => void ran.push('cancelled'));
  const later = new Promise<void>((resolve) => {
    after(5, () => {
      ran.push('later');
      resolve();
    });
  });
  cancel();
  await later;
  cancel();
  assert.deepEqual(ran, ['later']);
});

it('does not wait for a time that has passed, and prints no warning', () => {
  // Node warns of a negative time once in a process.
  const program = `import { machine_timers } from '${import.meta.resolve('../src/time/timers.ts')}'; await machine_timers.pause(-1);`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--conditions=source', '--input-type=module', '--eval', program],
    { encoding: 'utf8' },
  );
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
});

it('ends a pause when its signal aborts, also one that had aborted before', async () => {
  const stop = new AbortController();
  const hour_ms = 3_600_000;
  const pauses = [pause(hour_ms, { signal: stop.signal }), pause(hour_ms, { signal: AbortSignal.abort() })];
  await pauses[1];
  stop.abort();
  await pauses[0];
});

it('leaves nothing on the signal of a pause that is over', async () => {
  const { signal } = new AbortController();
  await pause(1, { signal });
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
});

it('keeps the process alive by a wait unless an option says otherwise', async () => {
  const before = waitsThatKeepAlive();
  const cancel = after(3_600_000, assert.fail);
  assert.equal(waitsThatKeepAlive(), before + 1);
  cancel();
  const stop = new AbortController();
  const paused = pause(3_600_000, { signal: stop.signal, keeps_alive: false });
  abortAfter(machine_timers, 3_600_000);
  assert.equal(waitsThatKeepAlive(), before);
  stop.abort();
  await paused;
});

it('aborts by a signal of a time-out as the platform does', async (t) => {
  t.after(after(60_000, () => {})); // A signal of a time-out does not keep the process alive.
  const signal = abortAfter(machine_timers, 1);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  assert.equal(signal.reason.name, 'TimeoutError');
});

it('shares the time of a turn between all work with the same timers, and with no other', () => {
  assert.equal(giveWayWith(machine_timers), giveWayWith(machine_timers));
  assert.notEqual(giveWayWith(machine_timers), giveWayWith({ ...machine_timers }));
});
