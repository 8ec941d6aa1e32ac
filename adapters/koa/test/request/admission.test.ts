import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createAdmission, Overloaded } from '../../src/request/admission.ts';

test('one owner has at most as many requests in progress as are still free', async () => {
  const admission = createAdmission(8);
  const ends: (() => void)[] = [];
  const begin = (owner: string | null): boolean => {
    if (admission.isFull(owner)) return false;
    void admission.during(owner, () => new Promise<void>((end) => ends.push(end)));
    return true;
  };
  const fill = (owner: string | null): number => {
    let begun = 0;
    while (begin(owner)) begun += 1;
    return begun;
  };
  assert.deepEqual(['company 1', 'company 2', 'key 3'].map(fill), [4, 2, 1]);
  assert.equal(fill(null), 1, 'decisions take the rest');
  let is_run = false;
  const work = async () => {
    is_run = true;
  };
  await assert.rejects(admission.during(null, work), Overloaded);
  assert.equal(is_run, false);
  for (const end of ends) end();
  await nextTurn();
  assert.equal(fill('company 1'), 4);
});
