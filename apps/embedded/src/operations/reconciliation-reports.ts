import type { CallOptions } from './call-options.ts';
import type { ReconciliationBridge, ReconciliationRules, ReconciliationSummary } from './generated/resources.ts';
import type { DateFilter } from './list.ts';

/** The reports about the items of a company. */
export interface ReconciliationReports {
  /** Counts the items by status, kind, class and age. */
  summary(options?: CallOptions): Promise<ReconciliationSummary>;
  /**
   * Counts the matches of each rule, and what people confirmed and undid. The cost depends on the
   * number of settlement dates and of acts, not on the number of items.
   */
  rules(options?: ReconciliationRulesOptions): Promise<ReconciliationRules>;
  /**
   * Leads from the opening to the closing balance of an account, with each difference named, in the
   * sign of the account: debits are negative. Refuses (`not_found`) another company's account.
   */
  bridge(options: ReconciliationBridgeOptions): Promise<ReconciliationBridge>;
}

export interface ReconciliationRulesOptions extends CallOptions {
  readonly filter?: { readonly settlement_date?: DateFilter | undefined } | undefined;
}

export interface ReconciliationBridgeOptions extends CallOptions {
  readonly filter: {
    /** The number of the account. */
    readonly account_id: string;
    readonly booking_date?: DateFilter | undefined;
  };
}
