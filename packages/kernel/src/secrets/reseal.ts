import type { UnitOfWork } from '../transactions/unit-of-work.ts';
import type { Sealer } from './secrets.ts';

/** The value sealed with the newest key of the ring, or null if that key had already sealed it. */
export function reseal(sealer: Sealer, purpose: string, sealed: Uint8Array): Uint8Array | null {
  return sealer.isCurrent(sealed) ? null : sealer.seal(purpose, sealer.open(purpose, sealed));
}

/** How to seal the records of one kind again. */
export interface ResealSteps<Tx, Key, Item extends Key> {
  /** A key before that of every record. */
  readonly first: Key;
  /**
   * The next records after one with this key, in the order of their keys and locked for update.
   * Empty when all have been read.
   */
  next(tx: Tx, after: Key): Promise<readonly Item[]>;
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
export async function resealAll<Tx, Key, Item extends Key>(
  unitOfWork: UnitOfWork<Tx>,
  steps: ResealSteps<Tx, Key, Item>,
): Promise<number> {
  let resealed_count = 0;
  for (let after: Key = steps.first; ; ) {
    const from: Key = after;
    const batch: { readonly count: number; readonly last: Item | undefined } = await unitOfWork.run(async (tx) => {
      const items = await steps.next(tx, from);
      let count = 0;
      for (const item of items) count += await steps.reseal(tx, item);
      return { count, last: items.at(-1) };
    });
    resealed_count += batch.count;
    if (batch.last === undefined) return resealed_count;
    after = batch.last;
  }
}
