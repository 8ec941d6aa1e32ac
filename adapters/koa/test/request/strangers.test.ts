import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { too_many_log_ins } from '@tallystick/consents';
import { createStrangers, type Strangers } from '../../src/request/strangers.ts';

let now_ms: number;
/** The pauses that began, in their order. */
let pauses: { readonly ms: number; readonly end: () => void }[];
let strangers: Strangers;

beforeEach(() => {
  now_ms = 0;
  pauses = [];
  strangers = createStrangers(
    () => now_ms,
    (ms, gone) =>
      new Promise((end) => {
        gone?.addEventListener('abort', () => end());
        pauses.push({ ms, end });
      }),
  );
});

/** Begins so many failed answers at once. Returns how long each of them waits, in their order. */
function fail(address: string, times: number): readonly number[] {
  const before = pauses.length;
  for (let at = 0; at < times; at += 1) void strangers.slowDown(address);
  return pauses.slice(before).map(({ ms }) => ms);
}

/** Asserts that each answer waits for a half of its pause at least, and at most for all of it. */
function assertWithin(waits_ms: readonly number[], pauses_ms: readonly number[]): void {
  const is_within = pauses_ms.map((ms, at) => waits_ms[at]! <= ms && waits_ms[at]! >= ms / 2);
  assert.ok(waits_ms.length === pauses_ms.length && is_within.every(Boolean), `${waits_ms} for ${pauses_ms}`);
}

describe('answers to strangers', () => {
  it('are slow after twenty failures of their address, twice as slow after each further one, up to 2 s', () => {
    assert.deepEqual(fail('a', 20), []);
    assertWithin(fail('a', 8), [50, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
    assert.deepEqual(fail('b', 1), [], 'another address');
  });

  it('are fast again when the failures are forgotten, one each second', () => {
    fail('a', 1_000);
    now_ms += 3_000;
    assertWithin(fail('a', 1), [400]);
    now_ms += 60_000;
    assertWithin(fail('a', 21), [50]);
  });

  it('that came together come back spread over a second', () => {
    fail('a', 1_000);
    const before = pauses.length;
    fail('a', 100);
    const tenths = new Set(pauses.slice(before).map(({ ms }) => Math.floor(ms / 100)));
    assert.deepEqual(
      [...tenths].sort((a, b) => a - b),
      [10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
    );
  });

  it('wait for half of the places of an address, and are due at once beyond that', async () => {
    fail('a', 20);
    const waiting = fail('a', 3_000).length;
    assert.equal(waiting, 2_048);
    assert.equal(await strangers.slowDown('a'), false);
    fail('b', 20);
    assertWithin(fail('b', 1), [50]);
    for (const { end } of pauses) end();
    await nextTurn();
    assertWithin(fail('a', 1), [2_000]);
  });

  it('of many addresses take bounded memory: the address whose last failure is the oldest is forgotten', () => {
    fail('a', 21);
    fail('b', 21);
    for (let at = 0; at < 9_999; at += 1) fail(`other ${at}`, 1);
    assertWithin(fail('b', 1), [100]);
    assert.deepEqual(fail('a', 1), []);
  });
});

/** Begins a log-in. Its result: undefined while it is not over. */
function begin(
  user_name: string,
  result: string | null,
  address = 'a',
  step: string | null = null,
  gone = new AbortController().signal,
) {
  const log_in: { result: unknown; is_worked: boolean } = { result: undefined, is_worked: false };
  const work = async () => {
    log_in.is_worked = true;
    return result;
  };
  void strangers
    .logIn(address, { user_name, step }, (wait) => wait(), work, gone)
    .then((value) => {
      log_in.result = value;
    });
  return log_in;
}

async function settle(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** Fails to log in so many times, one after another. Returns the pauses before. */
async function failLogIns(times: number, user_name: string, address = 'a', step: string | null = null) {
  const before = pauses.length;
  for (let at = 0; at < times; at += 1) {
    const log_in = begin(user_name, null, address, step);
    await settle();
    pauses.at(-1)?.end();
    await settle();
    assert.equal(log_in.result, null);
  }
  return pauses.slice(before).map(({ ms }) => ms);
}

describe('wrong passwords', () => {
  it('slow further attempts with the name from the same address, with growing pauses', async () => {
    assert.deepEqual(await failLogIns(9, 'alice'), [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    now_ms += 3 * 60_000;
    assert.deepEqual(await failLogIns(1, 'alice'), [2_000]);
  });

  it('say how long the pause of the next attempt is, alike for any name', async () => {
    const said: number[] = [];
    const waited: number[] = [];
    const attempt = { user_name: 'alice', step: 'step-1' };
    for (let at = 0; at < 8; at += 1) {
      said.push(strangers.logInPauseMs('a', attempt));
      waited.push((await failLogIns(1, 'alice', 'a', 'step-1'))[0] ?? 0);
    }
    assert.deepEqual(said, [0, 0, 0, 1_000, 2_000, 4_000, 8_000, 10_000]);
    assert.deepEqual(waited, said);
    // The name alone, at another step, and another name at the same step.
    assert.equal(strangers.logInPauseMs('a', { user_name: 'alice', step: null }), 10_000);
    assert.equal(strangers.logInPauseMs('b', { user_name: 'bob', step: 'step-1' }), 10_000);
    assert.equal(strangers.logInPauseMs('b', { user_name: 'alice', step: 'step-2' }), 0);
    now_ms += 60_000;
    assert.equal(strangers.logInPauseMs('a', attempt), 8_000);
  });

  it('slow no attempt from another address, so nobody locks a user out', async () => {
    await failLogIns(12, 'alice', 'elsewhere');
    const log_in = begin('alice', 'user-1');
    await settle();
    assert.deepEqual([log_in.result, pauses.at(-1)!.ms], ['user-1', 10_000]);
  });

  it('slow the step, from every address and with every name', async () => {
    for (const address of ['a', 'b', 'c']) await failLogIns(1, `user of ${address}`, address, 'step-1');
    assert.deepEqual(await failLogIns(1, 'other', 'd', 'step-1'), [1_000]);
    assert.deepEqual(await failLogIns(1, 'other', 'e', 'step-2'), []);
  });

  it('with many names slow their address, and nobody there for long', async () => {
    const waits: number[] = [];
    for (let at = 0; at < 30; at += 1) waits.push(...(await failLogIns(1, `user ${at}`)));
    assert.deepEqual(waits, [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000, 8_000]);
  });

  it('are forgotten after the right one', async () => {
    await failLogIns(4, 'alice');
    const log_in = begin('alice', 'user-1');
    await settle();
    pauses.at(-1)!.end();
    await settle();
    assert.equal(log_in.result, 'user-1');
    assert.deepEqual(await failLogIns(2, 'alice'), []);
  });
});

describe('log-ins at once with one name from one address', () => {
  it('are attempted one after another, and the oldest of eight that wait ends for a further one', async () => {
    await failLogIns(3, 'alice');
    const first = begin('alice', null);
    const oldest = begin('alice', null);
    const all = [first, ...Array.from({ length: 8 }, () => begin('alice', null))];
    await settle();
    assert.deepEqual([oldest.result, oldest.is_worked], [too_many_log_ins, false]);
    assert.ok(all.every(({ result, is_worked }) => result === undefined && !is_worked));
    const of_other_name = begin('bob', 'user-2');
    await settle();
    assert.equal(of_other_name.result, 'user-2');
    const first_pauses: number[] = [];
    for (let at = 0; at < 9; at += 1) {
      first_pauses.push(pauses.at(-1)!.ms);
      pauses.at(-1)!.end();
      await settle();
      assert.deepEqual([all[at]!.result, all[at + 1]?.is_worked ?? false], [null, false]);
    }
    assert.deepEqual(first_pauses.slice(0, 3), [1_000, 2_000, 4_000]);
  });

  it('end when their client is gone, while they pause and while they wait, without an attempt', async () => {
    await failLogIns(3, 'alice');
    const client = new AbortController();
    const gone = Array.from({ length: 9 }, () => begin('alice', null, 'a', null, client.signal));
    const right = begin('alice', 'user-1');
    await settle();
    client.abort();
    gone.push(begin('alice', null, 'a', null, client.signal));
    await settle();
    pauses.at(-1)!.end();
    await settle();
    assert.equal(right.result, 'user-1');
    assert.ok(gone.every(({ result, is_worked }) => result === too_many_log_ins && !is_worked));
    assert.deepEqual(
      pauses.slice(-2).map(({ ms }) => ms),
      [1_000, 1_000],
      'none of them counts',
    );
  });

  it('go on after work that fails', async () => {
    const broken = strangers.logIn(
      'a',
      { user_name: 'alice', step: null },
      (wait) => wait(),
      () => Promise.reject(new Error('the bank is away')),
      new AbortController().signal,
    );
    const next = begin('alice', 'user-1');
    await assert.rejects(broken, /away/);
    await settle();
    assert.equal(next.result, 'user-1');
  });
});
