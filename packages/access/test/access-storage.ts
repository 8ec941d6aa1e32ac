import { randomBytes, randomInt } from 'node:crypto';
import type { AccessTx } from '@tallystick/access';
import { fixedClock, type Random, type UnitOfWork } from '@tallystick/kernel';
import { memoryPersistence, memoryVault } from '@tallystick/memory';

export const random: Random = { below: (bound) => randomInt(bound), bytes: (count) => randomBytes(count) };

export const { hmacSha256, sealer, sha256 } = memoryVault(['k1']);

/** The sealer of the same installation with a newer key. */
export const { sealer: newer_sealer } = memoryVault(['k2', 'k1']);

/** Storage in memory. A test can count and block its look-ups of keys. */
export class AccessStorage implements UnitOfWork<AccessTx> {
  readonly #persistence = memoryPersistence({ clock: fixedClock('2030-01-01T00:00:00Z') });
  /** The number of look-ups of keys. */
  key_reads = 0;
  /** The next look-ups of keys wait for it. */
  gate: Promise<void> = Promise.resolve();

  run<Result>(work: (tx: AccessTx) => Promise<Result>): Promise<Result> {
    return this.#persistence.unitOfWork.run((tx) => work(this.#watched(tx)));
  }

  read<Result>(work: (tx: AccessTx) => Promise<Result>): Promise<Result> {
    return this.#persistence.unitOfWork.read((tx) => work(this.#watched(tx)));
  }

  /** The committed rows. */
  get tables() {
    return this.#persistence.committed();
  }

  #watched(tx: AccessTx): AccessTx {
    const findByIds: AccessTx['api_keys']['findByIds'] = async (ids) => {
      this.key_reads += 1;
      const found = await tx.api_keys.findByIds(ids);
      await this.gate;
      return found;
    };
    return { ...tx, api_keys: { ...tx.api_keys, findByIds } };
  }
}
