import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { createBodyPace } from '../../src/request/body-pace.ts';

const mebibyte = 1024 * 1024;

describe('the pace of long bodies', () => {
  it('is 8 MiB at once and then 8 MiB a second for each owner, whatever the pieces are', () => {
    const piece = fc.record({ bytes: fc.integer({ min: 512, max: 65_536 }), idle_ms: fc.nat(200) });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 400 }), (pieces) => {
        let now_ms = 1_000_000;
        const pace = createBodyPace(() => now_ms);
        const [first, second, other] = [pace.open('a'), pace.open('a'), pace.open('b')];
        const began_ms = now_ms;
        let sent = 0;
        for (const [at, { bytes, idle_ms }] of pieces.entries()) {
          sent += bytes;
          now_ms += (at % 3 === 0 ? first : second)(bytes)! + idle_ms;
          const allowed = 2 * 65_536 + 8 * mebibyte + ((now_ms - began_ms) / 1000) * 8 * mebibyte;
          assert.ok(sent <= allowed + 1, `${sent} bytes in ${now_ms - began_ms} ms`);
        }
        assert.equal(other(mebibyte), 0);
      }),
      propertyParameters(),
    );
  });

  it('lets a sender that pauses begin again at once', () => {
    let now_ms = 0;
    const arrive = createBodyPace(() => now_ms).open('a');
    assert.equal(arrive(8 * mebibyte), 0);
    assert.equal(arrive(4 * mebibyte), 500);
    now_ms += 1_500;
    assert.equal(arrive(8 * mebibyte), 0);
  });

  it('does not count the first 64 KiB of a body', () => {
    const pace = createBodyPace(() => 0);
    pace.open('a')(100 * mebibyte);
    for (let body = 0; body < 1_000; body += 1) assert.equal(pace.open('a')(65_536), 0);
    const long = pace.open('a');
    assert.equal(long(65_536), 0);
    assert.ok(long(1)! > 11_000);
  });

  it('counts a piece as 512 bytes at least', () => {
    const arrive = createBodyPace(() => 0).open('a');
    let pieces = 0;
    while (arrive(1) === 0) pieces += 1;
    assert.equal(pieces, (8 * mebibyte + 65_536) / 512);
  });

  it('does not count what would wait too long, so the wait of others stays bounded', () => {
    const pace = createBodyPace(() => 0);
    for (let body = 0; body < 1_000; body += 1) pace.open('a', 1_000)(4 * mebibyte);
    assert.equal(pace.open('a', 1_000)(4 * mebibyte), null);
    assert.ok(pace.open('a')(65_537)! <= 1_008);
  });
});
