import type { CallOptions, Id } from './call-options.ts';
import type { ClearingClass } from './clearings.ts';
import type { DateFilter, List, PageOptions, RangeFilter } from './list.ts';

/**
 * The items. An act is refused (`conflict`) when the state of the item does not allow it or when
 * the item has changed: the message says what happened. The id of an item that was merged into
 * another one is refused (`conflict`) unless the `version` of that one is passed. Acts take no
 * `tx`: they wait in a pass with the messages of the network.
 */
export interface ReconciliationItemOperations {
  /** Lists the items, newest first: one for each purchase, lone clearing and lone card line. */
  list(options?: ReconciliationItemListOptions): List<ReconciliationItem>;
  /**
   * Reads an item with its matches, alternatives and history. The id of an item that was merged
   * into another one reads that one. Refuses `not_found`.
   */
  read(item_id: Id, options?: CallOptions): Promise<ReconciliationItemWithHistory>;
  /**
   * Writes the items as a table in CSV, of any length, newest first, and yields its text in chunks.
   * It begins with the first chunk that is asked for. A text that a spreadsheet would run as a
   * formula has an apostrophe before it. `decisions.submit` reads the table back.
   */
  export(options?: ReconciliationExportOptions): AsyncIterable<string>;
  /**
   * Matches an item by hand with records of another side. The effects on the card move as a rule
   * would move them. No rule undoes the match. Undone by `unmatch`.
   */
  match(item_id: Id, action: ReconciliationMatchAction, options?: CallOptions): Promise<ReconciliationItem>;
  /**
   * Undoes a match of an item. The effects on the card move back, and no rule makes the match
   * again. Undone by `match` with the same records.
   */
  unmatch(item_id: Id, action: ReconciliationUnmatchAction, options?: CallOptions): Promise<ReconciliationItem>;
  /**
   * Takes an item out of every total, as long as its records and amounts are those that you saw.
   * Undone by `reopen`.
   */
  ignore(item_id: Id, action: ReconciliationAction, options?: CallOptions): Promise<ReconciliationItem>;
  /**
   * Accepts the difference of a break, as long as its records and amounts are those that you saw.
   * Undone by `reopen`.
   */
  accept(item_id: Id, action: ReconciliationAction, options?: CallOptions): Promise<ReconciliationItem>;
  /**
   * Confirms a proposal: its matches are then made by a person, and no rule undoes them. Undone by
   * `reopen`.
   */
  confirm(item_id: Id, action: ReconciliationAction, options?: CallOptions): Promise<ReconciliationItem>;
  /** Undoes an `ignore`, `accept` or `confirm`: the item is again what its records say. */
  reopen(item_id: Id, action: ReconciliationAction, options?: CallOptions): Promise<ReconciliationItem>;
}

export interface ReconciliationItemListOptions extends CallOptions, PageOptions {
  readonly filter?: ReconciliationItemFilter | undefined;
}

export interface ReconciliationExportOptions extends CallOptions {
  readonly filter?: ReconciliationItemFilter | undefined;
}

/** Several filters are ANDed. */
export interface ReconciliationItemFilter {
  readonly status?: ItemStatus | undefined;
  readonly class?: ClearingClass | undefined;
  readonly kind?: BreakKind | undefined;
  readonly vcn_id?: Id | undefined;
  readonly currency?: string | undefined;
  readonly settlement_date?: DateFilter | undefined;
  readonly age_days?: RangeFilter<number> | undefined;
}

/** A purchase, lone clearing or lone card line, with what was matched to it. */
export interface ReconciliationItem {
  /** Digits. */
  readonly id: string;
  /** Rises when the content of the item changes. */
  readonly version: number;
  readonly status: ItemStatus;
  /** Of the break, also when it is accepted or ignored; null: there is none. */
  readonly kind: BreakKind | null;
  /** The class of its clearings; null: it has none. */
  readonly class: ClearingClass | null;
  /** The weakest of its matches; null: it has none. */
  readonly rule: MatchedBy | null;
  /** How many sides it needs; 2: no statement covers its clearings. */
  readonly sides: 1 | 2 | 3;
  /** The virtual card. */
  readonly vcn_id: number | null;
  readonly merchant_name: string | null;
  /** More than one when a line is matched to clearings of several purchases. */
  readonly authorization_ids: readonly number[];
  readonly clearing_ids: readonly number[];
  readonly line_ids: readonly number[];
  /** Minor units, purchases positive; null: the item has no such side. */
  readonly authorized: number | null;
  /** Minor units, purchases positive; null: the item has no such side. */
  readonly cleared: number | null;
  /** Minor units, purchases positive, fees included; null: the item has no such side. */
  readonly stated: number | null;
  /** Minor units: the part of `stated` that is fees. */
  readonly fees: number;
  /** (stated - fees, else cleared) - (authorized, else cleared, else 0). */
  readonly difference: number;
  /** ISO 4217. */
  readonly currency: string;
  /** Of its newest clearing; null: it has none. YYYY-MM-DD. */
  readonly settlement_date: string | null;
  /** When what is missing is due, or since when it is a break. YYYY-MM-DD. */
  readonly due_date: string | null;
  /** Days since the due date, 0 for a break before it; null: there is none, or it is to come. */
  readonly age_days: number | null;
  /** The closed period that froze it; null: it is open. */
  readonly period_id: number | null;
  /** When its first record arrived; ISO 8601, UTC. */
  readonly opened_at: string;
  readonly matches: readonly ReconciliationMatch[];
  /** Other ways to match its records, the best first. */
  readonly alternatives: readonly ReconciliationAlternative[];
  readonly type: 'reconciliation_item';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** A match of an item. */
export interface ReconciliationMatch {
  /** To which side the clearings were matched. */
  readonly side: MatchSide;
  /** A rule of matching, `ard` (the acquirer reference of a line), `covering_set`, or `person`. */
  readonly rule: MatchedBy;
  readonly class: ClearingClass | null;
  /** The authorization. */
  readonly authorization_id: number | null;
  readonly clearing_ids: readonly number[];
  readonly line_ids: readonly number[];
  /** The values that made the match, by their names. */
  readonly values: Readonly<Record<string, string | number | null>>;
}

/** Another way to match the records of an item. */
export interface ReconciliationAlternative {
  /** A rule of matching, `ard` (the acquirer reference of a line), `covering_set`, or `person`. */
  readonly rule: MatchedBy;
  /** One sentence, with the values that fit. */
  readonly reason: string;
  /** The authorization. */
  readonly authorization_id: number | null;
  readonly clearing_ids: readonly number[];
  readonly line_ids: readonly number[];
}

/** An item with its history. */
export interface ReconciliationItemWithHistory extends ReconciliationItem {
  /** More authorizations fit than the alternatives list. */
  readonly has_more_alternatives: boolean;
  /** What people did to it and to the items merged into it, the oldest act first. */
  readonly history: readonly ReconciliationAct[];
}

/** What a person did to an item. */
export interface ReconciliationAct {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Who did it: `key:<id>`, the `actor` of a call in process, or `command`. */
  readonly actor: string;
  readonly action: 'match' | 'unmatch' | 'ignore' | 'accept' | 'confirm' | 'reopen';
  /** The id of the item at that time; it may have been merged since. */
  readonly item_id: string;
  readonly note: string;
  readonly reason: string | null;
}

/** An action on an item. */
export interface ReconciliationAction {
  /** Why; the history and the audit log keep it. */
  readonly note: string;
  /** A code or a word of your own, such as `merchant_refund_agreed`. */
  readonly reason?: string | null | undefined;
  /** The version that you saw; refused (`conflict`) when the item has another one. */
  readonly version?: number | null | undefined;
}

/** A match by hand. */
export interface ReconciliationMatchAction extends ReconciliationAction {
  /** What belongs to the item: the records of the other side. */
  readonly with: {
    /** The authorization. */
    readonly authorization_id?: number | null | undefined;
    readonly clearing_ids?: readonly number[] | null | undefined;
    readonly line_ids?: readonly number[] | null | undefined;
  };
}

/** The undoing of a match. */
export interface ReconciliationUnmatchAction extends ReconciliationAction {
  /** The side that is taken from the clearings; by default that of the match made last. */
  readonly side?: MatchSide | null | undefined;
}

/** The kind of a break. */
export type BreakKind =
  | 'late_change'
  | 'suspected_duplicate'
  | 'unauthorized'
  | 'amount'
  | 'uncleared'
  | 'unstated'
  | 'unexplained_line';

/** The status of a reconciliation item. */
export type ItemStatus = 'ignored' | 'accepted' | 'break' | 'proposed' | 'awaiting' | 'matched';

/** The age of a break, days. */
export type BreakAge = '0-1' | '2-3' | '4-7' | '8-30' | 'over 30';

/**
 * What made a match: a rule of matching, `ard` (the acquirer reference of a line), `covering_set`,
 * or a person.
 */
export type MatchedBy = '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | 'ard' | 'covering_set' | 'person';

/** The side to which clearings are matched. */
export type MatchSide = 'authorization' | 'statement';
