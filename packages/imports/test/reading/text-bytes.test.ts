import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { decodeText, FileProblem, readText, textHead } from '../../src/index.ts';
import { textChunks } from '../../src/reading/text-bytes.ts';

async function converted(bytes: Uint8Array, length: number): Promise<Buffer> {
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
  };
  const chunks: Uint8Array[] = [];
  for await (const chunk of textChunks(pieces())) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const text = fc
  .tuple(fc.constantFrom('6', '"', 'v'), fc.string({ unit: 'binary' }))
  .map(([first, rest]) => first + rest.toWellFormed());

describe('the bytes of a text file', () => {
  test('in UTF-16, in either order, with or without a mark, are converted, whatever the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        async (drawn, marked, big, n) => {
          const wide = Buffer.from((marked ? '\ufeff' : '') + drawn, 'utf16le');
          const bytes = big ? wide.swap16() : wide;
          assert.equal((await converted(bytes, n)).toString(), drawn);
          assert.equal(Buffer.from(textHead(bytes)).toString(), drawn);
        },
      ),
      propertyParameters(),
    );
  });

  test('in another encoding are as they are, a mark of UTF-8 too', async () => {
    for (const bytes of [Buffer.from('\ufeffZo\u00eb'), Buffer.from([0x5a, 0xeb]), Buffer.from('1'), Buffer.alloc(0)]) {
      assert.deepEqual(await converted(bytes, 1), bytes);
      assert.deepEqual(Buffer.from(textHead(bytes)), bytes);
    }
  });

  test('that end within a character of UTF-16 are refused', async () => {
    const whole = Buffer.from('\ufeff6\t1', 'utf16le');
    const refused = (problem: unknown): boolean =>
      problem instanceof FileProblem && problem.code === 'bytes_undecodable';
    await assert.rejects(converted(whole.subarray(0, -1), 3), refused);
    await assert.rejects(converted(Buffer.concat([whole, Buffer.from([0x00, 0xd8])]), 3), refused);
  });

  test('are counted as those of the file, though its text has more of them in UTF-8', async () => {
    const file = Buffer.from('\ufeff6\u4e2d\u6587\u4e2d\u6587', 'utf16le');
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      yield file;
    };
    let text_bytes = 0;
    const read = async function* (text: AsyncIterable<Uint8Array>) {
      for await (const chunk of text) text_bytes += chunk.length;
      yield { items: [], bytes: text_bytes };
    };
    for await (const { bytes } of readText(chunks(), read)) assert.deepEqual([bytes, text_bytes], [file.length, 13]);
    assert.equal(text_bytes, 13);
  });

  test('are UTF-8, or else Windows-1252', () => {
    assert.equal(decodeText(Buffer.from('Zo\u00eb \ufffd \u20ac')), 'Zo\u00eb \ufffd \u20ac');
    assert.equal(decodeText(Buffer.from([0x5a, 0xeb, 0x80])), 'Z\u00eb\u20ac');
  });
});
