import type { CallOptions } from './call-options.ts';
import type {
  BreakKind,
  ClearingClass,
  Id,
  ItemStatus,
  ReconciliationAction,
  ReconciliationItem,
  ReconciliationItemWithHistory,
  ReconciliationMatchAction,
  ReconciliationUnmatchAction,
} from './generated/resources.ts';
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
