import { FileProblem, type ItemBatch } from '../clearing-format.ts';

/**
 * The same items. A `FileProblem` states how many records were read, also those not yielded yet.
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
