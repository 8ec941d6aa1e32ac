import type { AccountStore } from '@tallystick/accounts';
import type { CardsTx, CardVault, Ledger, PassPorts, QuarantineStore } from '@tallystick/cards';
import type { AuditLog, Clock, GiveWay, Sha256Stream, Timers, UnitOfWork } from '@tallystick/kernel';
import type { PassKind } from './applying/pass-size.ts';
import type { Formats } from './formats/formats.ts';
import type { ImportStore } from './import-store.ts';

/** The part of a transaction that imports need. */
export interface ImportTx {
  readonly imports: ImportStore;
  readonly quarantine: QuarantineStore;
  readonly accounts: AccountStore;
  readonly cards: Pick<CardsTx['cards'], 'knownNumbers'>;
  readonly audit: AuditLog;
}

/** What imports need of their host. */
export interface ImportPorts extends Omit<PassPorts, 'vault'>, Pick<Timers, 'pause' | 'monotonicNow'> {
  readonly unitOfWork: UnitOfWork<ImportTx>;
  /** Notifies the relay after each pass: `callAfterPass`. */
  readonly ledger: Ledger;
  readonly formats: Formats;
  readonly vault: Pick<CardVault, 'index' | 'cvcMatches'>;
  readonly createSha256: () => Sha256Stream;
  readonly clock: Clock;
  /** Machine time, by which leases end. */
  readonly machine_clock: Clock;
  /**
   * Lets others use the database after a batch or a pass: resolves at once when no one else used it
   * since the last call, and otherwise after as long as the import was busy.
   */
  readonly rest: (busy_ms: number) => Promise<void>;
  /** Lets others use the process between two records. */
  readonly giveWay: GiveWay;
  /** What a pass may hold up. */
  readonly pass_kind: PassKind;
  /** Whether a test file is held. */
  readonly is_production: boolean;
  /** The most records of a batch; `batch_records_max_default` when absent. */
  readonly batch_records_max?: number;
}

/** The most records of a batch unless configured otherwise. */
export const batch_records_max_default = 1_000;
