import type { AuditChainRow, AuditRow, AuditSeal } from './audit-chain.ts';
import type { SealedAuditRow } from './check-audit-entry.ts';

/** The most entries that one transaction seals, or reads for a verification. */
export const audit_batch_max = 500;

/** The most entries that `countUnsealed` counts. */
export const unsealed_count_max = 10_000;

/** The entries that wait for the sealer. */
export interface UnsealedAuditEntries {
  /** At most `unsealed_count_max`. */
  readonly count: number;
  /** The time of the one with the lowest id, epoch milliseconds; null when there is none. */
  readonly oldest_at_ms: number | null;
}

/** The chain of the audit log, within a transaction. */
export interface AuditChainStore {
  /** The row of the chain; null when it was removed. */
  read(): Promise<AuditChainRow | null>;
  /**
   * The same, locked until the transaction ends. Waits for another transaction that has it. What is
   * read after it includes all that such a transaction has committed.
   */
  lock(): Promise<AuditChainRow | null>;
  /** Whether an entry waits for the sealer. Costs one look at an index. */
  isWaiting(): Promise<boolean>;
  countUnsealed(): Promise<UnsealedAuditEntries>;
  /** The next committed entries that are not sealed, in the order of their ids. */
  unsealed(limit: number): Promise<readonly AuditRow[]>;
  /**
   * Writes the seals and the row of the chain, which must be locked. Throws a `Violation` when one
   * of the entries is sealed already.
   */
  seal(seals: readonly AuditSeal[], chain: AuditChainRow): Promise<void>;
  /** Writes the row of the chain, which must be locked. */
  write(chain: AuditChainRow): Promise<void>;
  /** The next sealed entries by number and then by id, after one of them; null: from the first. */
  sealedAfter(
    after: { readonly number: number; readonly id: number } | null,
    limit: number,
  ): Promise<readonly SealedAuditRow[]>;
}
