import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault, isFault, isRefusal, Refusal, type RefusalCode, refusal_codes } from '../../src/operations/refusals.ts';

describe('a refusal', () => {
  it('is known by its name and its code', () => {
    for (const code of Object.keys(refusal_codes) as RefusalCode[]) {
      const refusal = new Refusal(code, 'a sentence');
      assert.ok(isRefusal(refusal));
      assert.ok(isRefusal(refusal, code));
      assert.equal(isRefusal(refusal, code === 'conflict' ? 'not_found' : 'conflict'), false);
    }
  });

  it('is known when it comes from another copy of the library', () => {
    class OtherRefusal extends Error {
      override readonly name = 'Refusal';
      readonly code = 'not_found';
      readonly fields = [];
    }
    const other = new OtherRefusal('a sentence');
    assert.equal(other instanceof Refusal, false);
    assert.ok(isRefusal(other));
    assert.ok(isRefusal(other, 'not_found'));
  });

  it('is no other error and no other value', () => {
    const of_node = Object.assign(new Error('no file'), { code: 'ENOENT' });
    const named = Object.assign(new Error('of another library'), { name: 'Refusal', code: 'E_REFUSED' });
    const values = [new Fault('no database', { retryable: true }), of_node, named, new Error('x'), {}, null, 'Refusal'];
    for (const value of values) assert.equal(isRefusal(value), false);
  });

  it('has a meaning for each code, in one sentence or more', () => {
    for (const meaning of Object.values(refusal_codes)) assert.match(meaning, /^[A-Z].*\.$/);
  });
});

describe('a fault', () => {
  it('is known by its name, also when it comes from another copy of the library', () => {
    const fault = new Fault('no database', { retryable: true });
    const other = Object.assign(new Error('no database'), { name: 'Fault', retryable: false });
    assert.ok(isFault(fault));
    assert.ok(isFault(other));
    const named = Object.assign(new Error('of another library'), { name: 'Fault' });
    for (const value of [new Refusal('conflict', 'x'), named, new Error('x'), null, {}])
      assert.equal(isFault(value), false);
  });
});
