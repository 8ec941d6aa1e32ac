import assert from 'node:assert/strict';
import { joined, readItems, readProblem } from '@tallystick/harness';
import type { BadRecord, ClearingFormat, FileClearing, FileItem, FileProblem } from '@tallystick/imports';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import type { TestContent } from './arbitrary-content.ts';

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

/** Asserts that each clearing that is written as a malformed one is read as a bad record. */
export async function assertMalformedAreBad(
  format: ClearingFormat,
  content: fc.Arbitrary<TestContent>,
  variant?: string,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(content, async (drawn) => {
      const clearings = drawn.clearings.map((written) => ({ ...written, malformed: true }));
      const items = await readItems(format, joined(format.write!({ ...drawn, clearings }, variant)));
      assert.deepEqual(
        badRecordsOf(items).map(({ code }) => code),
        clearings.map(() => 'currency_unknown'),
      );
    }),
    propertyParameters({ short: 20, full: 60 }),
  );
}
