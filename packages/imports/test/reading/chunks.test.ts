import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { gatherChunks } from '../../src/index.ts';

describe('the chunks of a file', () => {
  test('are gathered up to 4 KiB, and one of 4 KiB is passed on alone', async () => {
    const pieces = [4_096, 4_095, 1, 0, 5_000, 4_000, 10, 96].map((length, at) => Buffer.alloc(length, at));
    const gathered = await Array.fromAsync(gatherChunks(Readable.from(pieces)));
    assert.deepEqual(
      gathered.map((chunk) => chunk.length),
      [4_096, 4_096, 5_000, 4_106],
    );
    assert.deepEqual(Buffer.concat(gathered), Buffer.concat(pieces));
  });
});
