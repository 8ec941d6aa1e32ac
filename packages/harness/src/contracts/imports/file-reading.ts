import {
  type ClearingFormat,
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

/** The items of a file that arrives in chunks. Throws unless the bytes read rise up to its end. */
export async function readItems(
  format: ClearingFormat,
  bytes: Uint8Array,
  lengths: ChunkLengths = [65_536],
  options: ReadOptions = {},
): Promise<FileItem[]> {
  const items: FileItem[] = [];
  let last = 0;
  for await (const batch of format.read(inChunks(bytes, lengths), options)) {
    if (batch.bytes < last || batch.bytes > bytes.length)
      throw new Error(`bytes read are ${batch.bytes} after ${last}`);
    last = batch.bytes;
    items.push(...batch.items);
  }
  return items;
}

/** The problem for which a file is not accepted. Throws for a file that is. */
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
  throw new Error('the file was accepted');
}

export function headerOf(items: readonly FileItem[]): FileHeader {
  const first = items[0];
  if (first?.kind !== 'header') throw new Error(`the first item is a ${first?.kind}`);
  return first;
}

export function endOf(items: readonly FileItem[]): FileEnd {
  const last = items.at(-1);
  if (last?.kind !== 'end') throw new Error(`the last item is a ${last?.kind}`);
  return last;
}

/** The whole of what a writer writes. */
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
