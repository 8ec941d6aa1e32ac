import type { ItemBatch } from './clearing-format.ts';

/**
 * The whole file cannot be accepted.
 *
 * - `truncated`: it ends too early, or a length in it cannot be followed
 * - `refused`: it is not what it claims to be: no header, wrong totals, bytes after the end
 */
export class FileProblem extends Error {
  readonly status: 'truncated' | 'refused';
  /** snake_case, stable: `trailer_missing`. */
  readonly code: string;
  /** Bytes from the start of the file, as near as is known. */
  readonly offset: number | null;
  /**
   * How many records were read, the one with the problem included. Null: as many as were yielded.
   */
  records: number | null = null;

  constructor(status: 'truncated' | 'refused', code: string, message: string, offset: number | null) {
    super(message);
    this.name = 'FileProblem';
    this.status = status;
    this.code = code;
    this.offset = offset;
  }
}

/**
 * Passes the items on. A `FileProblem` then states how many records were read, also those that were
 * not yielded yet.
 */
export async function* noteRecords(
  batches: AsyncIterable<ItemBatch>,
  records: () => number,
): AsyncGenerator<ItemBatch> {
  try {
    yield* batches;
  } catch (error) {
    if (error instanceof FileProblem) error.records ??= records();
    throw error;
  }
}
