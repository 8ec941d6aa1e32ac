import type { AuditLog, Lease, Page, PageRequest } from '@tallystick/kernel';
import type { PurchaseTemplate, TemplateRule } from '@tallystick/templates';
import type { CardsTx } from '../issuing/ports.ts';
import type { Backtest, RecordedDifference } from './backtest.ts';
import type { HistoryReads } from './history.ts';
import type { Difference } from './replay-card.ts';
import type { ReplayedCard } from './replayed-state.ts';

export type ReplayedTemplate = TemplateRule & Pick<PurchaseTemplate, 'required_control'>;

export interface BacktestCard {
  readonly card: ReplayedCard;
  readonly created_at_ms: number;
}

/** Backtests and what they read, within a transaction. Reads of histories take no lock. */
export interface BacktestStore extends HistoryReads {
  /**
   * Inserts, and removes the oldest of the company that have ended, beyond `backtests_kept_max`. Null:
   * it has `backtests_max` that wait or run.
   */
  insert(backtest: Omit<Backtest, 'id'>): Promise<Backtest | null>;
  find(company_id: number, id: number): Promise<Backtest | null>;
  /** Newest first. */
  list(company_id: number, page: PageRequest): Promise<Page<Backtest>>;
  /** In the order in which they were found. */
  differences(backtest_id: number, page: PageRequest): Promise<Page<RecordedDifference>>;
  /**
   * Ends a backtest, and hides it; `purge` removes it. Returns whether the company had it. A process
   * that runs it loses its lease.
   */
  remove(company_id: number, id: number): Promise<boolean>;
  /**
   * Claims the backtest whose turn is next: one that waits or whose lease has expired, the one whose
   * last turn was longest ago; with `id` only this one. Removes what was found on cards that were not
   * done, and counts none of their records. Null: there is none.
   */
  claim(lease: Lease, id?: number): Promise<Backtest | null>;
  /**
   * Replaces the state, adds differences, and extends the lease; null ends it, so that another may have
   * its turn. Returns whether the lease held; nothing is written when not.
   */
  save(
    backtest: Backtest,
    token: string,
    until_machine_ms: number | null,
    differences: readonly Difference[],
  ): Promise<boolean>;
  /**
   * Removes up to `limit` differences of backtests that were removed or were made before this
   * instant, and those without any. Returns how many rows it removed.
   */
  purge(before_ms: number, limit: number): Promise<number>;

  /** The cards of a company with higher ids, by rising id. */
  cardsAfter(company_id: number, after_id: number, limit: number): Promise<readonly BacktestCard[]>;
  countCards(company_id: number): Promise<number>;
  /** Also a deleted one. Null: unknown. */
  replayedTemplate(template_id: number): Promise<ReplayedTemplate | null>;
}

export interface BacktestTx extends Pick<CardsTx, 'cards' | 'templates'> {
  readonly backtests: BacktestStore;
  readonly audit: AuditLog;
}
