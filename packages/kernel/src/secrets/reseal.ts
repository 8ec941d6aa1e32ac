import type { UnitOfWork } from '../transactions/unit-of-work.ts';
import type { Sealer } from './secrets.ts';

/** The value sealed with the newest key of the ring, or null if that key had already sealed it. */
export function reseal(sealer: Sealer, purpose: string, sealed: Uint8Array): Uint8Array | null {
  return sealer.isCurrent(sealed) ? null : sealer.seal(purpose, sealer.open(purpose, sealed));
}

/** How to seal the records of one kind again. */
export interface ResealSteps<Tx, Item> {
  /**
   * The next records with an id above `after_id`, in id order and locked for update. Empty when all
   * have been read.
   */
  next(tx: Tx, after_id: number): Promise<readonly Item[]>;
  /**
   * Reseals the secrets of a record that an older key had sealed, writes the record, and returns
   * the number of these secrets.
   */
  reseal(tx: Tx, item: Item): Promise<number>;
}

/**
 * Seals the secrets of all records of one kind with the newest key of the ring, in a separate
 * transaction for each batch of records. Returns how many secrets an older key had sealed. Part of
 * a key rotation: without it no older key could ever be removed.
 */
export async function resealAll<Tx, Item extends { readonly id: number }>(
  unitOfWork: UnitOfWork<Tx>,
  steps: ResealSteps<Tx, Item>,
): Promise<number> {
  let resealed_count = 0;
  for (let after_id: number | null = 0; after_id !== null; ) {
    const from_id: number = after_id;
    const batch: { readonly count: number; readonly last_id: number | null } = await unitOfWork.run(async (tx) => {
      const items = await steps.next(tx, from_id);
      let count = 0;
      for (const item of items) count += await steps.reseal(tx, item);
      return { count, last_id: items.at(-1)?.id ?? null };
    });
    resealed_count += batch.count;
    after_id = batch.last_id;
  }
  return resealed_count;
}
