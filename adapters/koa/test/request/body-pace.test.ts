import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { createBodyPace } from '../../src/request/body-pace.ts';

const mebibyte = 1024 * 1024;

describe('the pace of long bodies', () => {
  it('is 8 MiB at once and then 8 MiB a second for each owner, whatever the pieces are', () => {
    const piece = fc.record({ bytes: fc.integer({ min: 1, max: 65_536 }), idle_ms: fc.nat(200) });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 400 }), (pieces) => {
        let now_ms = 1_000_000;
        const pace = createBodyPace(() => now_ms);
        const began_ms = now_ms;
        let sent = 0;
        for (const { bytes, idle_ms } of pieces) {
          sent += bytes;
          now_ms += pace.note('a', bytes) + idle_ms;
          const allowed = 8 * mebibyte + ((now_ms - began_ms) / 1000) * 8 * mebibyte;
          assert.ok(sent <= allowed + 1, `${sent} bytes in ${now_ms - began_ms} ms`);
        }
        assert.equal(pace.note('b', mebibyte), 0);
      }),
      propertyParameters(),
    );
  });

  it('lets a sender that pauses begin again at once', () => {
    let now_ms = 0;
    const pace = createBodyPace(() => now_ms);
    assert.equal(pace.note('a', 8 * mebibyte), 0);
    assert.equal(pace.note('a', 4 * mebibyte), 500);
    now_ms += 1_500;
    assert.equal(pace.note('a', 8 * mebibyte), 0);
  });
});
