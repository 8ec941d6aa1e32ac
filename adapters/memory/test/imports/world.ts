import { ImportWorld, type StorageUnderTest } from '@tallystick/harness';
import { fixedClock } from '@tallystick/kernel';
import { memoryPersistence } from '../../src/index.ts';

const now_ms = Date.parse('2026-05-20T12:00:00Z');

/** A world of imports on an empty storage in memory. */
export function newWorld(): ImportWorld {
  const { unitOfWork, ledger, close } = memoryPersistence({ clock: fixedClock(now_ms) });
  const storage: StorageUnderTest = { unitOfWork, ledger, close, now_ms, another: async () => storage };
  return new ImportWorld(storage);
}
