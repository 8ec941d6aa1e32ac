import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { LineReader, type RawLine } from '../../src/index.ts';

function linesOf(text: string, length: number): readonly RawLine[] {
  const reader = new LineReader();
  const bytes = Buffer.from(text);
  const lines: RawLine[] = [];
  for (let at = 0; at < bytes.length; at += length) lines.push(...reader.push(bytes.subarray(at, at + length)));
  const rest = reader.finish();
  return rest === null ? lines : [...lines, rest];
}

describe('the lines of a file', () => {
  test('end with LF, CR or CRLF, and state their number and their place, whatever the chunks', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\r', '\n', '\r\n') });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), (drawn, length) => {
        const found = [...drawn.matchAll(/([^\r\n]*)(?:\r\n|\r|\n|$)/g)].filter(([whole]) => whole !== '');
        assert.deepEqual(
          linesOf(drawn, length).map(({ bytes, ...place }) => ({ text: Buffer.from(bytes).toString(), ...place })),
          found.map(({ 1: line, index }, at) => ({ text: line, number: at + 1, offset: index })),
        );
      }),
      propertyParameters(),
    );
  });
});
