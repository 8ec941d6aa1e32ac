import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { createLineSplitter } from '../../src/request/lines.ts';

const bytes_max = 8;

function split(pieces: readonly Uint8Array[]): (string | null)[] {
  const splitter = createLineSplitter(bytes_max);
  const lines = pieces.flatMap((piece) => {
    const copy = Uint8Array.from(piece);
    const ended = splitter
      .split(copy)
      .map(({ line, content }) => ({ line, text: content?.toString('latin1') ?? null }));
    // A sender may reuse the memory of a piece.
    copy.fill(0);
    return ended;
  });
  const last = splitter.end();
  if (last !== null) lines.push({ line: last.line, text: last.content?.toString('latin1') ?? null });
  assert.deepEqual(
    lines.map(({ line }) => line),
    lines.map((_, index) => index + 1),
  );
  return lines.map(({ text }) => text);
}

describe('the lines of a body', () => {
  it('are the same wherever its pieces are cut', () => {
    const byte = fc.constantFrom(...Buffer.from('ab\r\n\n'));
    const pieces = fc.array(fc.array(byte, { maxLength: 12 }).map((bytes) => Uint8Array.from(bytes)));
    fc.assert(
      fc.property(pieces, (cut) => {
        const whole = Buffer.concat(cut).toString('latin1');
        const expected = whole.split('\n').map((line) => line.replace(/\r$/, ''));
        if (whole === '' || whole.endsWith('\n')) expected.pop();
        assert.deepEqual(
          split(cut),
          expected.map((line) => (line.length > bytes_max ? null : line)),
        );
      }),
      propertyParameters(),
    );
  });

  it('are kept up to their bound while they arrive byte by byte', () => {
    const splitter = createLineSplitter(64 * 1024);
    for (let byte = 0; byte < 64 * 1024; byte += 1) splitter.split(Uint8Array.of(0x61));
    assert.equal(splitter.split(Uint8Array.of(0x0d, 0x0a))[0]?.content?.length, 64 * 1024);
    for (let byte = 0; byte <= 64 * 1024; byte += 1) splitter.split(Uint8Array.of(0x61));
    assert.deepEqual(splitter.split(Uint8Array.of(0x0a)), [{ line: 2, content: null }]);
    assert.equal(splitter.end(), null);
  });
});
