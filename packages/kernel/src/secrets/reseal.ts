import type { UnitOfWork } from '../transactions/unit-of-work.ts';
import type { Sealer } from './secrets.ts';

/** The sealed value under the newest key of the ring, or null when that key sealed it already. */
export function resealed(sealer: Sealer, purpose: string, sealed: Uint8Array): Uint8Array | null {
  return sealer.isCurrent(sealed) ? null : sealer.seal(purpose, sealer.open(purpose, sealed));
}

/** How to seal the records of one kind anew. */
export interface ResealSteps<Tx, Item> {
  /** The next records with an id above `after_id`, in id order and held for update; none when all have been read. */
  next(tx: Tx, after_id: number): Promise<readonly Item[]>;
  /** Writes a record with those of its secrets resealed that an older key had sealed; returns how many these were. */
  reseal(tx: Tx, item: Item): Promise<number>;
}

/**
 * Seals the secrets of all records of one kind with the newest key of the ring, each batch of records in a transaction of
 * its own, and returns how many secrets an older key had sealed. Part of a key rotation: without it no older key could
 * ever be dropped.
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
