import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type LedgerState, no_changes } from '@tallystick/cards';
import { HoldTime, type PassKind, PassSize } from '../../src/applying/pass-size.ts';

/** The sizes of passes that take this time for each record, and this time more. */
function sizesAt(record_ms: number, pass_ms: number, passes: number, kind: PassKind = 'beside'): readonly number[] {
  const size = new PassSize(kind);
  return Array.from({ length: passes }, () => {
    const { records } = size;
    size.note(records, pass_ms + records * record_ms);
    return records;
  });
}

describe('the size of the passes of a file', () => {
  test('rises step by step while passes are fast, to a bound', () => {
    assert.deepEqual(sizesAt(0.01, 0, 3), [100, 100, 100]);
    assert.deepEqual(sizesAt(0.01, 0, 4, 'alone'), [100, 200, 400, 800]);
    assert.deepEqual(sizesAt(0.01, 0, 9, 'blocking'), [2, 4, 8, 16, 32, 64, 100, 100, 100]);
  });

  test('falls at once when a pass is slow, so that the next takes no longer than it should', () => {
    assert.deepEqual(sizesAt(10, 0, 3), [100, 15, 15]);
  });

  test('does not fall further when the records are not the cause', () => {
    assert.deepEqual(sizesAt(0, 10_000, 3), [100, 10, 10]);
  });

  test('rises again when the machine is fast again', () => {
    const size = new PassSize('beside');
    size.note(100, 10_000);
    assert.equal(size.records, 10);
    for (let pass = 1; pass <= 3; pass += 1) size.note(size.records, 1);
    assert.equal(size.records, 80);
  });

  test('is for a time that a turn of the event loop may take when a pass blocks the process', () => {
    assert.deepEqual(sizesAt(1, 0, 5, 'blocking'), [2, 4, 5, 5, 5]);
    assert.deepEqual(sizesAt(4, 0, 3, 'blocking'), [2, 1, 1], 'one record with many neighbours takes most of it');
  });

  test('does not depend on the commit when a pass blocks the process', () => {
    const measured = (pass_kind: PassKind) => {
      let now_ms = 0;
      const held = new HoldTime({ monotonicNow: () => now_ms, pass_kind });
      now_ms += 100;
      held.onHolding();
      now_ms += 3;
      held.during(() => ({ changes: no_changes, result: null }))({} as LedgerState);
      now_ms += 50;
      return held.ms;
    };
    assert.deepEqual([measured('alone'), measured('beside'), measured('blocking')], [53, 53, 3]);
  });

  test('counts a pass that held nothing from its beginning', () => {
    let now_ms = 7;
    const held = new HoldTime({ monotonicNow: () => now_ms, pass_kind: 'beside' });
    now_ms += 5;
    assert.equal(held.ms, 5);
  });

  test('stays after a fast pass over fewer records than it would have taken', () => {
    const size = new PassSize('beside');
    size.note(3, 140);
    assert.equal(size.records, 100);
  });
});
