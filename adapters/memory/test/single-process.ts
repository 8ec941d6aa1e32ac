import { AsyncLocalStorage } from 'node:async_hooks';
import { fixedClock } from '@tallystick/kernel';
import { testAuditMac } from '@tallystick/test-support';
import { type MemoryPersistence, memoryPersistence } from '../src/index.ts';

export const now_ms = Date.UTC(2026, 4, 20, 12);

/**
 * Storage of one process whose transactions run one after the other, reads included, and that does
 * not know a transaction within a transaction: such a one waits for itself.
 */
export function singleProcess(): MemoryPersistence {
  const persistence = memoryPersistence({ clock: fixedClock(now_ms), audit_mac: testAuditMac });
  let last: Promise<unknown> = Promise.resolve();
  const queued = <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) => {
    // In the context of the storage, which is outside every transaction.
    const run = AsyncLocalStorage.bind(call);
    return (...args: Args): Promise<Result> => {
      const turn = last.then(() => run(...args));
      last = turn.catch(() => {});
      return turn;
    };
  };
  const wrap = <Port extends object>(port: Port): Port =>
    Object.fromEntries(
      Object.entries(port).map(([name, member]) => [name, typeof member === 'function' ? queued(member) : member]),
    ) as Port;
  const { unitOfWork, ledger, delivery_desk, event_horizon } = persistence;
  return {
    ...persistence,
    unitOfWork: wrap(unitOfWork),
    ledger: { ...ledger, pass: queued(ledger.pass), passDue: queued(ledger.passDue) } as MemoryPersistence['ledger'],
    delivery_desk: wrap(delivery_desk),
    event_horizon: wrap(event_horizon),
  };
}
