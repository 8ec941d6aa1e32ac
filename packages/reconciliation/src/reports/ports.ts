import type { StatementLine } from '@tallystick/accounts';
import type { Page, PageRequest } from '@tallystick/kernel';
import type { ActKind } from '../act.ts';
import type { DateRange } from '../filters.ts';
import type { MatchedBy } from '../item.ts';
import type { RecordKind } from '../item-id.ts';
import type { MatchCell } from '../keeping/cells.ts';
import type { LineFilter } from '../lines/line-filter.ts';
import type { BridgeLine, BridgeRange } from './bridge.ts';

/** A line of an account as reports read it. */
export interface BookedLine extends BridgeLine {
  readonly currency: string;
  readonly bai_code: string;
  readonly acquirer_reference: string | null;
}

/** A line of an account as people read it. */
export interface StatedLine
  extends BookedLine,
    Pick<
      StatementLine,
      'company_id' | 'statement_id' | 'bank_reference' | 'value_date' | 'text' | 'balance_after' | 'standing'
    > {
  readonly account_number: string;
}

/** A line in the order of an account's book. */
export type BookPlace = Pick<BookedLine, 'booking_date' | 'id'>;

/** How many matches of items a rule has made, or how many items there are: see `MatchCellKey`. */
export type MatchCount = Omit<MatchCell, 'settlement_date'>;

/** The acts about matches that reports count. */
export const counted_acts = ['confirm', 'unmatch'] as const satisfies readonly ActKind[];

/** How many acts of a kind concerned matches that a rule had made; null: the act names none. */
export interface ActCount {
  readonly action: (typeof counted_acts)[number];
  readonly rule: MatchedBy | null;
  readonly acts: number;
}

export type RecordCounts = Readonly<Record<RecordKind | 'items', number>>;

/**
 * What reports read, within a transaction: with batches of rows, or counted by the database. What
 * adds up lines leaves out those that differ from their statement (docs/adr/0071).
 */
export interface ReconciliationReports {
  /** The sum of all lines of the account that were booked before this date. */
  sumBookedBefore(account_id: number, date: string): Promise<number>;
  /**
   * Up to `limit` lines of the range, by booking date and then by id, after this place; from the
   * first one when it is null.
   */
  bookedLines(range: BridgeRange, after: BookPlace | null, limit: number): Promise<readonly BookedLine[]>;
  /** The lines with these ids, in no order. Unknown ids are left out. */
  linesById(company_id: number, ids: readonly number[]): Promise<readonly StatedLine[]>;
  /**
   * All lines of the company that fit the filter, newest first: by booking date, and by id on one
   * day. A page may have fewer lines than its limit and still have a next one, when few lines fit.
   */
  listLines(company_id: number, filter: LineFilter, page: PageRequest): Promise<Page<StatedLine>>;
  /** The ids of the items that have these card lines. Lines without an item are left out. */
  itemsOfLines(
    company_id: number,
    lines: readonly BookedLine[],
  ): Promise<readonly { readonly line_id: number; readonly item_id: number }[]>;
  /**
   * The matches of all items of the company whose newest clearing settled on these dates, and these
   * items; of all items when the range has no end. It adds up cells of matches, and reads no item.
   */
  countMatches(company_id: number, settlement_date: DateRange): Promise<readonly MatchCount[]>;
  /** The acts that confirmed or undid a match. It reads these. */
  countActs(company_id: number): Promise<readonly ActCount[]>;
  /** The records that may have an item, and the items, for the progress of a rebuild. */
  countRecords(company_id: number): Promise<RecordCounts>;
}

/** The part of a transaction that reports need besides items. */
export interface ReportsTx {
  readonly reconciliation_reports: ReconciliationReports;
}
