import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccessTx, type ApiKey, createKeyUses } from '@tallystick/access';
import { Fault, type UnitOfWork } from '@tallystick/kernel';

/** The service, at a time that the test sets, with what it writes. */
function service() {
  const written: (readonly [id: number, at_ms: number | null])[] = [];
  const state = { now_ms: 1_000, is_down: false, written, transactions: 0 };
  const api_keys = {
    async recordUses(uses: readonly Pick<ApiKey, 'id' | 'last_used_at_ms'>[]) {
      written.push(...uses.map(({ id, last_used_at_ms }) => [id, last_used_at_ms] as const));
    },
  };
  const unitOfWork = {
    async run(work: (tx: { api_keys: typeof api_keys }) => Promise<unknown>) {
      if (state.is_down) throw new Fault('the database is down', { retryable: true });
      state.transactions += 1;
      return await work({ api_keys });
    },
  } as unknown as UnitOfWork<Pick<AccessTx, 'api_keys'>>;
  const uses = createKeyUses({ nowMs: () => state.now_ms });
  return { state, note: uses.note, write: () => uses.write(unitOfWork) };
}

test('requests write nothing; the last use of a key is written at most once a minute', async () => {
  const { state, note, write } = service();
  for (const key of [2, 1, 2]) note(key);
  assert.deepEqual(state.written, []);
  await write();
  assert.deepEqual(state.written.splice(0), [
    [1, 1_000],
    [2, 1_000],
  ]);
  state.now_ms = 31_000;
  note(2);
  state.now_ms = 60_999;
  note(3);
  await write();
  assert.deepEqual(state.written.splice(0), [[3, 60_999]], 'another key is written at once');
  state.now_ms = 61_000;
  await write();
  assert.deepEqual(state.written.splice(0), [[2, 31_000]], 'the time of the use, not of the write');
  state.now_ms = 900_000;
  await write();
  await write();
  assert.deepEqual(state.written, [], 'a key that is not used is not written');
});

test('a use that could not be written is written later, and many keys in transactions of 100', async () => {
  const { state, note, write } = service();
  for (let key = 1; key <= 250; key += 1) note(key);
  state.is_down = true;
  await assert.rejects(write(), Fault);
  state.is_down = false;
  await write();
  assert.equal(state.transactions, 3);
  assert.deepEqual(
    state.written.map(([id]) => id),
    Array.from({ length: 250 }, (_, at) => at + 1),
  );
});
