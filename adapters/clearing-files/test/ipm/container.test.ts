import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { ipm } from '../../src/ipm/ipm.ts';
import { arbitrary_chunk_lengths, assertProblem, badRecordsOf, clearingsOf, readItems } from '../reading.ts';
import { blocksOf, fileOf, lengthOf, pds, presentment, recordsOf, vbsOf } from './file.ts';

const many = Array.from({ length: 30 }, () => ({ elements: presentment }));

describe('the container of an IPM file', () => {
  test('is detected, VBS or blocks, whatever the length of the records and the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 980 }), { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        arbitrary_chunk_lengths,
        async (lengths, is_blocked, chunks) => {
          // Blanks look like the marks of blocks in EBCDIC.
          const messages = lengths.map((length) => ({ elements: { ...presentment, 72: '@'.repeat(length) } }));
          const file = fileOf(messages);
          const items = await readItems(ipm, is_blocked ? blocksOf(file) : file, chunks);
          assert.equal(clearingsOf(items).length, messages.length);
        },
      ),
      propertyParameters(),
    );
  });

  test('places records in the file, with the marks before them', async () => {
    const file = fileOf(many);
    const plain = clearingsOf(await readItems(ipm, file));
    const blocked = clearingsOf(await readItems(ipm, blocksOf(file)));
    for (const [at, { offset }] of plain.entries()) {
      assert.equal(file.readUInt32BE(offset), file.readUInt32BE(plain[0]!.offset));
      assert.equal(blocked[at]!.offset, offset + 2 * Math.floor(offset / 1_012));
    }
  });

  test('may have its last length word on both sides of a mark', async () => {
    const free = 1_012 - fileOf([{ elements: { ...presentment, 72: '' } }]).length;
    for (const surplus of [-1, 0, 1, 2, 3, 4, 5]) {
      const file = fileOf([{ elements: { ...presentment, 72: ' '.repeat(free + surplus) } }]);
      for (const bytes of [file, blocksOf(file)]) {
        assert.equal(clearingsOf(await readItems(ipm, bytes)).length, 1, `${surplus} bytes over the block`);
      }
    }
  });

  test('may be one block', async () => {
    assert.equal(clearingsOf(await readItems(ipm, blocksOf(fileOf([{ elements: presentment }])))).length, 1);
  });

  test('may have a second record that cannot be read', async () => {
    const damaged = { elements: presentment, damage: (record: Buffer) => record.fill('X', 0, 4) };
    for (const file of [fileOf([damaged, ...many]), blocksOf(fileOf([damaged, ...many]))]) {
      assert.equal(badRecordsOf(await readItems(ipm, file)).length, 1);
    }
  });

  test('has records of at most 6,000 bytes: a longer one is a damaged length', async () => {
    const [header, , trailer] = recordsOf([{ elements: presentment }]);
    const file = vbsOf([header!, Buffer.alloc(6_001, '0'), trailer!]);
    const problem = await assertProblem(ipm, file, 'truncated: length_invalid');
    assert.equal(problem.offset, 4 + header!.length);
    assert.match(problem.message, /at offset \d+ states 6001 bytes/);
  });

  test('names the offset of an absurd length', async () => {
    const [header] = recordsOf([{ elements: presentment }]);
    const file = Buffer.concat([lengthOf(header!.length), header!, lengthOf(0xffffffff), Buffer.alloc(100)]);
    assert.equal((await assertProblem(ipm, file, 'truncated: length_invalid')).offset, 4 + header!.length);
  });

  test('ends with its trailer, perhaps without the length 0, a part of it, and the padding of its last block', async () => {
    const file = fileOf(many);
    const blocks = blocksOf(file);
    for (const cut of [1, 2, 3, 4]) {
      assert.equal(clearingsOf(await readItems(ipm, file.subarray(0, -cut))).length, many.length);
    }
    await assertProblem(ipm, file.subarray(0, -5), 'truncated: file_truncated');
    const padding = /@*$/.exec(blocks.toString('latin1'))![0].length;
    for (const cut of [1, 2, padding, padding + 4]) {
      assert.equal(clearingsOf(await readItems(ipm, blocks.subarray(0, -cut))).length, many.length);
    }
    await assertProblem(ipm, blocks.subarray(0, -padding - 5), 'truncated: file_truncated');
    const [header, record] = recordsOf(many);
    await assertProblem(ipm, vbsOf([header!, record!]).subarray(0, -4), 'truncated: file_truncated');
  });

  test('may be padded after its end with 0x40 or zero bytes', async () => {
    const file = fileOf(many);
    for (const bytes of [file, blocksOf(file)]) {
      for (const padding of ['@@@', '\0'.repeat(2_000), '\0@\0@']) {
        const padded = Buffer.concat([bytes, Buffer.from(padding)]);
        assert.equal(clearingsOf(await readItems(ipm, padded)).length, many.length);
      }
    }
  });

  test('may have the length words of a mainframe, which count themselves, in blocks or not', async () => {
    const words = recordsOf(many).flatMap((record) => [
      Buffer.from([0, 0, 0, 0]).fill(record.length + 4, 1, 2),
      record,
    ]);
    const file = Buffer.concat(words);
    for (const bytes of [
      file,
      Buffer.concat([file, Buffer.alloc(4)]),
      blocksOf(Buffer.concat([file, Buffer.alloc(4)])),
    ]) {
      assert.equal(ipm.detect(bytes, null), true);
      const items = await readItems(ipm, bytes, [50]);
      assert.equal(clearingsOf(items).length, many.length);
    }
  });

  test('ends with the length 0, and nothing follows', async () => {
    const file = fileOf(many);
    await assertProblem(ipm, Buffer.concat([file, Buffer.from('0')]), 'refused: bytes_after_end');
    const blocks = blocksOf(file);
    blocks[blocks.length - 3] = 0x30;
    await assertProblem(ipm, blocks, 'refused: bytes_after_end');
  });

  test('has blocks of 1,014 bytes, each with its mark', async () => {
    const blocks = blocksOf(fileOf(many));
    const damaged = Buffer.from(blocks);
    damaged[1_014 + 1_013] = 0x41;
    const problem = await assertProblem(ipm, damaged, 'refused: block_mark_invalid');
    assert.equal(problem.offset, 2_027);
  });

  test('begins with a message', async () => {
    await assertProblem(ipm, Buffer.alloc(0), 'truncated: file_truncated');
    await assertProblem(ipm, Buffer.from([0, 0]), 'truncated: file_truncated');
    await assertProblem(ipm, Buffer.from('an ordinary text'), 'refused: container_unknown');
  });

  test('is recognised by its first message', () => {
    const file = fileOf([]);
    assert.equal(ipm.detect(file, 'any'), true);
    assert.equal(ipm.detect(file.subarray(0, 6), 'any'), false);
    assert.equal(ipm.detect(Buffer.from('<?xml version="1.0"?>'), 'clearing.ipm'), false);
    assert.equal(ipm.detect(vbsOf(recordsOf([], { header: null })), null), true, 'a trailer has the same type');
    assert.equal(
      ipm.detect(fileOf([{ elements: { ...presentment, 48: pds('0122', 'P') } }], { header: null }), null),
      false,
    );
  });
});
