import type { CallOptions } from './call-options.ts';
import type { ClearingClass } from './clearings.ts';
import type { DateFilter } from './list.ts';
import type { BreakAge, BreakKind, ItemStatus, MatchedBy } from './reconciliation-items.ts';

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

/** The items of a company in numbers. */
export interface ReconciliationSummary extends ReconciliationTotals {
  /** Of all items; null: there are several, or there are no items. */
  readonly currency: string | null;
  /** The same for each currency. */
  readonly by_currency: Readonly<Record<string, ReconciliationTotals>>;
}

/** Some items in numbers. */
export interface ReconciliationTotal {
  readonly count: number;
  /** Minor units; null: the items are of several currencies, see `by_currency`. */
  readonly sum: number | null;
}

/** The items of one currency in numbers. */
export interface ReconciliationTotals {
  /**
   * All items. The amount of an item is what is stated less fees, else cleared, else authorized.
   */
  readonly by_status: Readonly<Partial<Record<ItemStatus, ReconciliationTotal>>>;
  /** Breaks. The amount of an item is what is stated less fees, else cleared, else authorized. */
  readonly by_kind: Readonly<Partial<Record<BreakKind, ReconciliationTotal>>>;
  /**
   * Items with a clearing that are not ignored. The amount of an item is what is stated less fees,
   * else cleared, else authorized.
   */
  readonly by_class: Readonly<Partial<Record<ClearingClass, ReconciliationTotal>>>;
  /**
   * Breaks, by the days since their due date. The amount of an item is what is stated less fees,
   * else cleared, else authorized.
   */
  readonly by_age: Readonly<Partial<Record<BreakAge, ReconciliationTotal>>>;
}

/** The matches of all rules in numbers. */
export interface ReconciliationRules {
  /** The rules that made a match. */
  readonly rules: readonly ReconciliationRule[];
  readonly matches: number;
  /** The part of the matches that no person made; null: there are none. */
  readonly share_without_person: number | null;
  readonly confirmed: number;
  readonly undone: number;
}

/** The matches of a rule in numbers. */
export interface ReconciliationRule {
  readonly rule: MatchedBy;
  /** Clearings matched to an authorization or an earlier clearing. */
  readonly authorization_matches: number;
  /** Matches of statement lines with clearings. */
  readonly statement_matches: number;
  /** Proposals of the rule that a person confirmed. */
  readonly confirmed: number;
  /** Matches of the rule that a person undid. */
  readonly undone: number;
}

/** How the balances of an account follow from clearings and authorizations. */
export interface ReconciliationBridge {
  /** The number of the account. */
  readonly account_id: string;
  /** ISO 4217. */
  readonly currency: string;
  /** YYYY-MM-DD. */
  readonly from: string | null;
  /** YYYY-MM-DD. */
  readonly to: string | null;
  /** Minor units (cents). */
  readonly opening_balance: number;
  /** = clearings + fees + differences of the step `statement` + unexplained_sum. */
  readonly card_lines: number;
  /** Minor units (cents). */
  readonly other_lines: number;
  /** = opening_balance + card_lines + other_lines. */
  readonly closing_balance: number;
  /** = authorized + differences of the step `authorization`. */
  readonly clearings: number;
  /** Minor units (cents). */
  readonly fees: number;
  /** Minor units (cents). */
  readonly authorized: number;
  /** The first 100000. Fewer booking dates, or the items of `difference_sums`, show the others. */
  readonly differences: readonly ReconciliationDifference[];
  /** Of all differences, listed or not. */
  readonly differences_count: number;
  /** All differences by step and kind. */
  readonly difference_sums: readonly ReconciliationDifferenceSum[];
  /**
   * The first 100000 card lines that are breaks and have no clearing. Fewer booking dates, or items
   * with `filter[kind]=unexplained_line`, show the others.
   */
  readonly unexplained: readonly ReconciliationUnexplainedLine[];
  /** Of all unexplained lines, listed or not. */
  readonly unexplained_count: number;
  /** Of all unexplained lines, listed or not. */
  readonly unexplained_sum: number;
}

/** A difference of an item in the bridge. */
export interface ReconciliationDifference {
  /** Null: lines that are in no item yet. */
  readonly item_id: string | null;
  /**
   * `statement`: between card lines and clearings; `authorization`: between these and authorized.
   */
  readonly step: BridgeStep;
  readonly kind: DifferenceKind;
  /** Minor units (cents). */
  readonly amount: number;
}

/** All differences of a kind in the bridge. */
export interface ReconciliationDifferenceSum {
  /**
   * `statement`: between card lines and clearings; `authorization`: between these and authorized.
   */
  readonly step: BridgeStep;
  readonly kind: DifferenceKind;
  readonly count: number;
  /** Minor units (cents). */
  readonly sum: number;
  /**
   * Lists the items of the company with this kind, class or status, on any account; null: no filter
   * lists them.
   */
  readonly items_url: string | null;
}

/** A card line that has no clearing. */
export interface ReconciliationUnexplainedLine {
  readonly line_id: number;
  /** Minor units (cents). */
  readonly amount: number;
}

/**
 * What a difference of the bridge is: the kind of a break, the class of a clearing, the status of
 * an item, or one of its own.
 */
export type DifferenceKind =
  | 'late_change'
  | 'suspected_duplicate'
  | 'unauthorized'
  | 'amount'
  | 'uncleared'
  | 'unstated'
  | 'unexplained_line'
  | 'reversal'
  | 'refund_linked'
  | 'refund_unlinked'
  | 'force_post'
  | 'late'
  | 'partial'
  | 'fx_drift'
  | 'exact'
  | 'tip'
  | 'over'
  | 'under'
  | 'dispute'
  | 'timing'
  | 'other_account'
  | 'awaiting'
  | 'proposed'
  | 'accepted'
  | 'ignored'
  | 'pending';

/**
 * `statement`: between card lines and clearings; `authorization`: between these and what was
 * authorized.
 */
export type BridgeStep = 'statement' | 'authorization';
