import assert from 'node:assert/strict';
import { readProblem } from '@tallystick/harness';
import type { BadRecord, ClearingFormat, FileClearing, FileItem, FileProblem } from '@tallystick/imports';

export {
  arbitrary_chunk_lengths,
  type ChunkLengths,
  endOf,
  headerOf,
  joined,
  readItems,
  readProblem,
} from '@tallystick/harness';

/**
 * Asserts that the file is not accepted, by the status and code of its problem: `refused:
 * doctype_present`.
 */
export async function assertProblem(format: ClearingFormat, bytes: Uint8Array, expected: string): Promise<FileProblem> {
  const problem = await readProblem(format, bytes);
  assert.equal(`${problem.status}: ${problem.code}`, expected, problem.message);
  return problem;
}

export function clearingsOf(items: readonly FileItem[]): readonly FileClearing[] {
  return items.filter((item) => item.kind === 'clearing');
}

export function badRecordsOf(items: readonly FileItem[]): readonly BadRecord[] {
  return items.filter((item) => item.kind === 'bad');
}

export function rawOf(record: BadRecord | undefined): string {
  return record === undefined ? '' : Buffer.from(record.raw).toString();
}
