import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callAfterCommit, type UnitOfWork } from '../src/index.ts';

it('calls the hook after each commit, and neither before it, nor after a rollback or a read', async () => {
  const calls: string[] = [];
  const unitOfWork: UnitOfWork<null> = {
    async run(work) {
      const result = await work(null);
      calls.push('committed');
      return result;
    },
    read: (work) => work(null),
  };
  const hooked = callAfterCommit(unitOfWork, () => calls.push('hook'));
  assert.equal(await hooked.run(async () => 7), 7);
  assert.deepEqual(calls, ['committed', 'hook']);
  await assert.rejects(hooked.run(() => Promise.reject(new Error('rolled back'))));
  assert.equal(await hooked.read(async () => 8), 8);
  assert.deepEqual(calls, ['committed', 'hook']);
});
