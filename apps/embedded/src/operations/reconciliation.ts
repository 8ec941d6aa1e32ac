import type { CallOptions } from './call-options.ts';
import type { FileContent } from './file-content.ts';
import type {
  Id,
  ReconciliationDecisions,
  ReconciliationPeriod,
  ReconciliationPeriodClosing,
} from './generated/resources.ts';
import type { List, ListOptions } from './list.ts';
import type { ReconciliationItemOperations } from './reconciliation-items.ts';
import type { ReconciliationReports } from './reconciliation-reports.ts';

/**
 * The reconciliation of a company: items in which authorization, clearing and statement line meet,
 * and what people do to them. Every read takes in first what has arrived since, in transactions of
 * its own, so the methods take no `tx`, except `periods.list`.
 */
export interface ReconciliationOperations extends ReconciliationReports {
  readonly items: ReconciliationItemOperations;
  readonly decisions: ReconciliationDecisionOperations;
  readonly periods: ReconciliationPeriodOperations;
}

/** Decisions by a table. */
export interface ReconciliationDecisionOperations {
  /**
   * Decides items by the table of `items.export`, with its columns `decision` (`accept`, `ignore`,
   * `confirm`, `reopen`) and `note` filled in. Rows without a decision are skipped. All or nothing:
   * with an error in a row nothing is decided, and the refusal names row and column. When an item
   * changes meanwhile, the decisions before it are undone again, and the call is refused
   * (`conflict`). The same table again changes nothing. At most 256 MiB. Takes no `tx`: the rows
   * are many transactions.
   */
  submit(table: FileContent, options?: DecisionOptions): Promise<ReconciliationDecisions>;
}

/** Periods whose items do not change any more. */
export interface ReconciliationPeriodOperations {
  /**
   * Closes the days up to a date: freezes the matched, accepted and ignored items of these days.
   * Others stay open. What comes later for a frozen item makes an item of its own. Takes no `tx`:
   * it is many transactions.
   */
  close(closing: ReconciliationPeriodClosing, options?: CallOptions): Promise<ReconciliationPeriod>;
  /** Lists the periods, newest first. */
  list(options?: ListOptions): List<ReconciliationPeriod>;
  /**
   * Reopens the newest period, on the record. Refuses (`conflict`) another one. Takes no `tx`: it
   * is many transactions.
   */
  reopen(period_id: Id, options?: CallOptions): Promise<void>;
}

export interface DecisionOptions extends CallOptions {
  /** True: nothing is decided, and the result shows what would be. */
  readonly dry_run?: boolean | undefined;
}
