import type { Clock } from '@tallystick/kernel';
import { catchUpAll, type ReconciliationTx } from '@tallystick/reconciliation';

/** Records of one transaction: many share the wait for the disk. */
const batch_max = 2_000;

/** What the items of an import need of the storage. */
export interface ItemsStorage {
  readonly unitOfWork: {
    run<Result>(work: (tx: ReconciliationTx) => Promise<Result>): Promise<Result>;
    read<Result>(work: (tx: ReconciliationTx) => Promise<Result>): Promise<Result>;
  };
  giveWay(busy_ms: number): Promise<void>;
}

/**
 * Brings the items of reconciliation up to date with what was imported, also when no server runs
 * beside. What another process is bringing up to date is left to it.
 */
export async function catchUpAfterImport({ unitOfWork, giveWay }: ItemsStorage, clock: Clock): Promise<void> {
  let began_ms = performance.now();
  const afterStep = async (): Promise<void> => {
    await giveWay(performance.now() - began_ms);
    began_ms = performance.now();
  };
  for (let is_pending = true; is_pending; ) {
    const { is_pending: is_more, taken } = await catchUpAll(
      { unitOfWork, clock },
      { batch_max, steps_max: 20, afterStep },
    );
    is_pending = is_more && taken > 0;
  }
}
