import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Import, ImportOutcome } from '@tallystick/imports';
import { exitStatusOf, worstOf } from '../src/exit-status.ts';

describe('the exit status of a file', () => {
  for (const [kind, status, expected] of [
    ['imported', 'completed', 0],
    ['imported', 'completed_with_quarantine', 4],
    ['imported', 'held', 3],
    ['imported', 'refused', 3],
    ['imported', 'truncated', 3],
    ['known', 'completed', 0],
    ['known', 'completed_with_quarantine', 0],
    ['known', 'held', 3],
    ['known', 'refused', 3],
    ['known', 'truncated', 3],
    ['in_progress', 'running', 3],
  ] as const satisfies readonly (readonly [ImportOutcome['kind'], Import['status'], number])[]) {
    it(`is ${expected} when it is ${kind} and ${status}`, () => {
      assert.equal(exitStatusOf({ kind, import: { status } as Import }), expected);
    });
  }
});

describe('the exit status of several files', () => {
  it('is the worst: a fault, then a file that is not applied, then quarantine', () => {
    assert.equal(worstOf([]), 0);
    assert.equal(worstOf([0, 4, 0]), 4);
    assert.equal(worstOf([4, 3, 0]), 3);
    assert.equal(worstOf([4, 1, 3]), 1);
  });
});
