import type { Fold, LedgerChanges, LedgerState, Mailer } from '@tallystick/cards';
import type { WebhookSender } from '@tallystick/events';
import type { Timers, UnitOfWork } from '@tallystick/kernel';
import type { MemoryPersistence, Tx } from '@tallystick/memory';

/** A bug between the use cases and what is below them, for tests of the simulation only. */
export interface PlantedBug {
  readonly name: string;
  /** Wraps the storage of a process. Processes share what the bug itself remembers. */
  persistence?(persistence: MemoryPersistence): MemoryPersistence;
  sender?(sender: WebhookSender): WebhookSender;
  mailer?(mailer: Mailer, timers: Timers): Mailer;
}

/** Runs the passes of the ledger with another fold. */
export function withPasses(
  change: <Result>(state: LedgerState, fold: Fold<Result>) => ReturnType<Fold<Result>>,
): NonNullable<PlantedBug['persistence']> {
  return (persistence) => {
    const { ledger } = persistence;
    return {
      ...persistence,
      ledger: {
        ...ledger,
        pass: (messages, fold, bounds) => ledger.pass(messages, (state) => change(state, fold), bounds),
        passDue: (limit, fold) => ledger.passDue(limit, (state) => change(state, fold)),
      },
    };
  };
}

/** Changes what a pass writes. */
export function withChanges(
  change: (changes: LedgerChanges, state: LedgerState) => LedgerChanges,
): NonNullable<PlantedBug['persistence']> {
  return withPasses((state, fold) => {
    const { changes, result } = fold(state);
    return { changes: change(changes, state), result };
  });
}

/** Changes what a pass has loaded. */
export function withState(change: (state: LedgerState) => LedgerState): NonNullable<PlantedBug['persistence']> {
  return withPasses((state, fold) => fold(change(state)));
}

/** Changes the stores of transactions. */
export function withStores(change: (tx: Tx) => Partial<Tx>): NonNullable<PlantedBug['persistence']> {
  return (persistence) => {
    const unitOfWork = changed(persistence.unitOfWork, change);
    return { ...persistence, unitOfWork, long_work: unitOfWork, look_ups: unitOfWork };
  };
}

/** Changes the stores of the transactions of handlers. */
export function withJoined(change: (tx: Tx) => Partial<Tx>): NonNullable<PlantedBug['persistence']> {
  return (persistence) => ({ ...persistence, joining: (host) => changed(persistence.joining(host), change) });
}

function changed({ run, read }: UnitOfWork<Tx>, change: (tx: Tx) => Partial<Tx>): UnitOfWork<Tx> {
  return {
    run: (work) => run((tx) => work({ ...tx, ...change(tx) })),
    read: (work) => read((tx) => work({ ...tx, ...change(tx) })),
  };
}
