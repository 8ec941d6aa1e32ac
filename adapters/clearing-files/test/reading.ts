import assert from 'node:assert/strict';
import {
  type BadRecord,
  type ClearingFormat,
  type FileClearing,
  type FileEnd,
  type FileHeader,
  type FileItem,
  FileProblem,
  type ReadOptions,
} from '@tallystick/imports';
import fc from 'fast-check';

/** The lengths of the chunks in which a file arrives. The last one repeats. */
export type ChunkLengths = readonly number[];

export const arbitrary_chunk_lengths: fc.Arbitrary<ChunkLengths> = fc.oneof(
  { weight: 1, arbitrary: fc.constant([1]) },
  { weight: 1, arbitrary: fc.constant([1_000_000]) },
  { weight: 4, arbitrary: fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 20 }) },
);

/** The items of a file that arrives in chunks. */
export async function readItems(
  format: ClearingFormat,
  bytes: Uint8Array,
  lengths: ChunkLengths = [65_536],
  options: ReadOptions = {},
): Promise<FileItem[]> {
  const items: FileItem[] = [];
  let last = 0;
  for await (const batch of format.read(inChunks(bytes, lengths), options)) {
    assert.ok(batch.bytes >= last && batch.bytes <= bytes.length, 'bytes read never fall, and never exceed the file');
    last = batch.bytes;
    items.push(...batch.items);
  }
  return items;
}

/** The problem for which a file is not accepted. Fails for a file that is. */
export async function readProblem(
  format: ClearingFormat,
  bytes: Uint8Array,
  lengths?: ChunkLengths,
): Promise<FileProblem> {
  try {
    await readItems(format, bytes, lengths);
  } catch (problem) {
    if (problem instanceof FileProblem) return problem;
    throw problem;
  }
  return assert.fail('the file was accepted');
}

/**
 * Asserts that the file is not accepted, by the status and code of its problem: `refused:
 * doctype_present`.
 */
export async function assertProblem(format: ClearingFormat, bytes: Uint8Array, expected: string): Promise<FileProblem> {
  const problem = await readProblem(format, bytes);
  assert.equal(`${problem.status}: ${problem.code}`, expected, problem.message);
  return problem;
}

export function headerOf(items: readonly FileItem[]): FileHeader {
  const first = items[0];
  assert.equal(first?.kind, 'header');
  return first as FileHeader;
}

export function endOf(items: readonly FileItem[]): FileEnd {
  const last = items.at(-1);
  assert.equal(last?.kind, 'end');
  return last as FileEnd;
}

export function clearingsOf(items: readonly FileItem[]): readonly FileClearing[] {
  return items.filter((item) => item.kind === 'clearing');
}

export function badRecordsOf(items: readonly FileItem[]): readonly BadRecord[] {
  return items.filter((item) => item.kind === 'bad');
}

/** The text of a bad record. */
export function rawOf(record: BadRecord | undefined): string {
  return record === undefined ? '' : Buffer.from(record.raw).toString();
}

/** The whole of what a writer puts out. */
export function joined(chunks: Iterable<Uint8Array>): Buffer {
  return Buffer.concat([...chunks]);
}

async function* inChunks(bytes: Uint8Array, lengths: ChunkLengths): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (let chunk = 0; start < bytes.length; chunk += 1) {
    const end = start + lengths[Math.min(chunk, lengths.length - 1)]!;
    yield bytes.subarray(start, end);
    start = end;
  }
}
