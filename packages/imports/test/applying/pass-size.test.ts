import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PassSize } from '../../src/applying/pass-size.ts';

/** The sizes of passes that take this time for each record, and this time more. */
function sizesAt(
  record_ms: number,
  pass_ms: number,
  passes: number,
  ledger: ConstructorParameters<typeof PassSize>[0] = {},
): readonly number[] {
  const size = new PassSize(ledger);
  return Array.from({ length: passes }, () => {
    const { records } = size;
    size.note(records, pass_ms + records * record_ms);
    return records;
  });
}

describe('the size of the passes of a file', () => {
  test('rises step by step while passes are fast, to a bound', () => {
    assert.deepEqual(sizesAt(0.01, 0, 3), [100, 100, 100]);
    assert.deepEqual(sizesAt(0.01, 0, 6, { gather: async () => {} }), [10, 20, 40, 80, 100, 100]);
  });

  test('falls at once when a pass is slow, so that the next takes no longer than it should', () => {
    assert.deepEqual(sizesAt(10, 0, 3), [100, 15, 15]);
  });

  test('does not fall further when the records are not the cause', () => {
    assert.deepEqual(sizesAt(0, 10_000, 3), [100, 10, 10]);
  });

  test('rises again when the machine is fast again', () => {
    const size = new PassSize({});
    size.note(100, 10_000);
    assert.equal(size.records, 10);
    for (let pass = 1; pass <= 3; pass += 1) size.note(size.records, 1);
    assert.equal(size.records, 80);
  });

  test('is for a time that a turn of the event loop may take when a pass blocks the process', () => {
    const size = new PassSize({ gather: async () => {} });
    assert.equal(size.records, 10);
    size.note(10, 5);
    assert.equal(size.records, 20);
    size.note(20, 40);
    assert.equal(size.records, 10);
  });

  test('stays after a fast pass over fewer records than it would have taken', () => {
    const size = new PassSize({});
    size.note(3, 140);
    assert.equal(size.records, 100);
  });
});
