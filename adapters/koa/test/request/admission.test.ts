import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAdmission } from '../../src/request/admission.ts';

test('one owner has at most as many requests in progress as are still free', async () => {
  const admission = createAdmission(8);
  const ends: (() => void)[] = [];
  const fill = (owner: string | null): number => {
    let begun = 0;
    for (; !admission.isFullFor(owner); begun += 1) {
      void admission.during(owner, () => new Promise<void>((end) => ends.push(end)));
    }
    return begun;
  };
  assert.deepEqual(['company 1', 'company 2', 'key 3'].map(fill), [4, 2, 1]);
  assert.equal(admission.isFull(), false);
  assert.equal(fill(null), 1, 'decisions take the rest');
  assert.equal(admission.isFull(), true);
  for (const end of ends) end();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(admission.isFull(), false);
  assert.equal(fill('company 1'), 4);
});
