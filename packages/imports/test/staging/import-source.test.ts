import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { head_bytes, type ImportSource } from '../../src/index.ts';
import { SourceReading } from '../../src/staging/import-source.ts';

function createSha256() {
  const hash = createHash('sha256');
  return { update: (bytes: Uint8Array) => void hash.update(bytes), digest: () => hash.digest('hex') };
}

/** A source in pieces of these lengths, and whether it was closed. */
function inPieces(bytes: Uint8Array, lengths: readonly number[]) {
  const seen = { is_closed: false, pieces: 0 };
  const source: ImportSource = {
    name: 'clearing.txt',
    is_repeatable: true,
    bytes_total: bytes.length,
    async *open() {
      try {
        let at = 0;
        for (let piece = 0; at < bytes.length; piece += 1) {
          const end = at + (lengths[piece % lengths.length] ?? 1);
          seen.pieces += 1;
          yield bytes.subarray(at, end);
          at = end;
        }
      } finally {
        seen.is_closed = true;
      }
    },
  };
  return { source, seen };
}

test('a reading returns the bytes of the source in order, however they are cut, and their hash', async () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 3 * head_bytes }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 4 * head_bytes }), pieces, async (bytes, lengths) => {
      const { source, seen } = inPieces(bytes, lengths);
      const reading = new SourceReading(source, { createSha256, giveWay: () => undefined });
      const head = await reading.head();
      assert.ok(head.length >= Math.min(head_bytes, bytes.length));
      const read: number[] = [];
      for await (const chunk of reading.chunks()) read.push(...chunk);
      assert.deepEqual(new Uint8Array(read), bytes);
      assert.deepEqual(head, bytes.subarray(0, head.length));
      assert.equal(await reading.digest(), createHash('sha256').update(bytes).digest('hex'));
      assert.ok(seen.is_closed);
    }),
    propertyParameters({ short: 30, full: 90 }),
  );
});

test('a reader that stops early closes nothing, and the rest is hashed', async () => {
  const bytes = new Uint8Array(10 * head_bytes).fill(7);
  const { source } = inPieces(bytes, [head_bytes]);
  const reading = new SourceReading(source, { createSha256, giveWay: () => undefined });
  for await (const _chunk of reading.chunks()) break;
  assert.equal(await reading.digest(), createHash('sha256').update(bytes).digest('hex'));
});

test('a source that is not read to its end is closed, and is read no faster than its bytes are taken', async () => {
  const { source, seen } = inPieces(new Uint8Array(100 * head_bytes), [head_bytes]);
  const reading = new SourceReading(source, { createSha256, giveWay: () => undefined });
  await reading.head();
  assert.equal(seen.pieces, 1);
  await reading.close();
  assert.ok(seen.is_closed);
});
