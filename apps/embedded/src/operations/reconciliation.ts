import type { CallOptions, Id } from './call-options.ts';
import type { FileContent } from './file-content.ts';
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

/** The result of a table of decisions. */
export interface ReconciliationDecisions {
  /** Nothing was decided. */
  readonly dry_run: boolean;
  /** Rows below the names. */
  readonly rows: number;
  /** Rows without a decision. */
  readonly skipped: number;
  readonly decided: number;
  /** Rows whose decision with that note stands already. */
  readonly unchanged: number;
  /** The first errors; empty unless it was a dry run. */
  readonly errors: readonly ReconciliationRowError[];
  readonly errors_total: number;
}

/** What is wrong with a row of a table. */
export interface ReconciliationRowError {
  /** The line of names is row 1. */
  readonly row: number;
  readonly column: 'id' | 'version' | 'decision' | 'note';
  /** What it must be. */
  readonly message: string;
}

/** What is closed. */
export interface ReconciliationPeriodClosing {
  /** The last day to close; a day that is over in UTC. YYYY-MM-DD. */
  readonly closed_through: string;
}

/** A closed period. */
export interface ReconciliationPeriod {
  /** Digits. */
  readonly id: string;
  /** The last day of the period; it begins after the one before it. YYYY-MM-DD. */
  readonly closed_through: string;
  /** `closing`, `reopening`: it was interrupted; the same request again completes it. */
  readonly status: 'closing' | 'closed' | 'reopening' | 'reopened';
  /** Items that do not change any more. */
  readonly frozen: number;
  /** Breaks of the period that were open when it was closed. */
  readonly open_breaks: number;
  /** ISO 8601, UTC. */
  readonly closed_at: string;
  readonly closed_by: string;
  /** ISO 8601, UTC. */
  readonly reopened_at: string | null;
  readonly reopened_by: string | null;
  readonly type: 'reconciliation_period';
}
