import type { CandidateRecords } from '@tallystick/cards';
import type { EventStore } from '@tallystick/events';
import type { Clock, FourEyes, GiveWay, Page, PageRequest, UnitOfWork } from '@tallystick/kernel';
import type { Act } from './act.ts';
import type { Approval } from './approvals/approval.ts';
import type { ApprovalFilter } from './approvals/approval-filter.ts';
import type { Comment } from './comment.ts';
import type { DateRange } from './filters.ts';
import type { Item } from './item.ts';
import type { RecordKey } from './item-id.ts';
import type { ItemFilter } from './items/item-filter.ts';
import type { BreakDay, BreakDayChanges } from './keeping/break-days.ts';
import type { MatchCell, SummaryCell } from './keeping/cells.ts';
import type { EntryPlace, KeyRange, UnsearchedDates } from './pairing/entry-key.ts';
import type { AuthorizedPurchase, CardLine, ClearedAmount, Coverage, LastRecords, Tolerances } from './records.ts';
import type { NearQuestion } from './suggestions/near-items.ts';

/**
 * How far the items of a company are. The transaction that has locked it is the only one that
 * writes items, entries, cells, acts of the statement side and periods of the company.
 */
export interface CompanyProgress {
  readonly company_id: number;
  /**
   * By currency, the date of the first statement of the company's accounts that items take into
   * account, YYYY-MM-DD. Clearings that settled on or after it need a statement line.
   */
  readonly coverage: Coverage;
  readonly tolerances: Tolerances;
  /**
   * The items that a change of coverage or tolerances has not reached yet; null when there are
   * none.
   */
  readonly walk: ItemWalks | null;
  /** Dates whose leftovers changed and whose covering sets are not found yet; usually none. */
  readonly unsearched: readonly UnsearchedDates[];
  /** How many walks over such dates have begun. */
  readonly leftover_walks: number;
}

/** The walks over items that are in progress; at least one. */
export interface ItemWalks {
  readonly coverage: CoverageWalk | null;
  readonly tolerance: ToleranceWalk | null;
}

/** A walk over the items that a tolerance may concern: those accepted, then breaks. */
export interface ToleranceWalk {
  /** The place that was reached; null at the beginning. */
  readonly after: ItemPlace | null;
}

/** A walk over the items whose newest clearing settled on `from` or later. */
export interface CoverageWalk {
  readonly from: string;
  /** The last item that was recomputed; null at the beginning. */
  readonly after: PeriodPlace | null;
}

/** The place of an item in the order of a walk over all items of a company. */
export type ItemPlace = Pick<Item, 'status' | 'opened_at_ms' | 'id'>;

/** The place of an item in the order of `period_date` and id. */
export interface PeriodPlace {
  readonly period_date: string;
  readonly id: number;
}

/** The place of the last of these items; null when they are fewer than the limit, and so all. */
export function placeAfter(items: readonly Item[], limit: number): PeriodPlace | null {
  const last = items.length < limit ? undefined : items.at(-1);
  return last === undefined ? null : { period_date: last.period_date!, id: last.id };
}

/**
 * The place of a clearing or a card line under a key by which others find it. Each has one under
 * its currency and statement key (`entryKeyOfClearing`, `entryKeyOfLine`), and while no pairing
 * explains it another under its currency and date (`leftoverKeyOf`).
 */
export interface Entry extends EntryPlace {
  readonly company_id: number;
  /** The item that has the record, frozen or not. */
  readonly item_id: number;
}

/** What a transaction changes in the items of one company. */
export interface ItemChanges {
  readonly company_id: number;
  readonly inserted: readonly Item[];
  /** Items that exist, with their new content. */
  readonly updated: readonly Item[];
  readonly removed_ids: readonly number[];
  /** Entries that do not exist. */
  readonly entries_inserted: readonly Entry[];
  /** Entries that exist, with the item that has the record now. */
  readonly entries_updated: readonly Entry[];
  readonly entries_removed: readonly Entry[];
  /** What is added to the cells; a count or sum below 0 takes away. */
  readonly cells: readonly SummaryCell[];
  /** What is added to the counts of matches; a count below 0 takes away. */
  readonly match_cells: readonly MatchCell[];
  /** What is added to the numbers of open breaks by day; null when nothing is. */
  readonly break_days: BreakDayChanges | null;
}

/**
 * A closed period. Closing and reopening work in batches, so a period also has the states between.
 * Records that were there when its closing began are not late for its items.
 */
export interface Period extends LastRecords {
  readonly id: number;
  readonly company_id: number;
  /** The last day of the period, YYYY-MM-DD. It begins after the period before it. */
  readonly closed_through: string;
  readonly status: 'closing' | 'closed' | 'reopening' | 'reopened';
  readonly closed_at_ms: number;
  readonly closed_by: string;
  /** How many items it froze. */
  readonly frozen: number;
  readonly open_breaks: number;
  readonly reopened_at_ms: number | null;
  readonly reopened_by: string | null;
  /** Why it was reopened; null: it was not, or nobody said why. */
  readonly reopened_note: string | null;
  readonly reopened_reason: string | null;
}

/** The most rows of the inbox that `backlog` counts. */
export const inbox_count_max = 100_000;

/** How many of the newest authorizations of a card are searched by merchant and amount. */
export const searched_roots_max = 10_000;

/** How many authorizations, and how many of their clearings, are read to explain an item. */
export const candidates_read_max = 500;

/** What is waiting, for metrics. */
export interface InboxBacklog {
  /** At most `inbox_count_max`. */
  readonly waiting: number;
  /** When the record of the oldest row arrived; null when nothing waits. */
  readonly oldest_at_ms: number | null;
}

export interface ItemPageRequest extends PageRequest {
  /** The page of a list that begins with the oldest items; else with the newest. */
  readonly oldest_first?: boolean;
}

/**
 * The items of reconciliation and what they are made of, within a transaction. Several reads may be
 * asked for together.
 */
export interface ReconciliationStore {
  /**
   * Called during long work between two calls. Returns undefined where no other work of the process
   * may run before the transaction ends.
   */
  readonly giveWay: GiveWay;

  // The turn of a company

  /**
   * Locks the company until the transaction ends, and waits for another transaction that has it.
   * The first call of each transaction that writes anything below. Creates the row of a company
   * that has none.
   */
  lockCompany(company_id: number): Promise<CompanyProgress>;
  /** Locks the company as `lockCompany` does, without waiting: null when another transaction has it. */
  lockCompanyIfFree(company_id: number): Promise<CompanyProgress | null>;
  updateProgress(progress: CompanyProgress): Promise<void>;
  /** The dates of the first statements, as the accounts have them now. */
  readCoverage(company_id: number): Promise<Coverage>;

  /** Without a lock; `lockCompany` returns them with the progress. */
  readTolerances(company_id: number): Promise<Tolerances>;

  // The inbox

  /**
   * Removes up to `limit` rows of the company from the inbox, the oldest first, and returns their
   * records, each once. A record is in the inbox from the commit that wrote or changed it.
   */
  takeArrivals(company_id: number, limit: number): Promise<{ readonly rows: number; readonly records: RecordKey[] }>;
  /** Whether the company has rows in the inbox, items that are due, or a walk over them. */
  hasWork(company_id: number, now_ms: number): Promise<boolean>;
  /**
   * Companies with rows in the inbox, items that are due, a walk, or unsearched dates; up to
   * `limit`.
   */
  companiesWithWork(now_ms: number, limit: number): Promise<readonly number[]>;
  /** The ids of up to `limit` items whose `next_change_ms` has come, the earliest first. */
  dueItems(company_id: number, now_ms: number, limit: number): Promise<readonly number[]>;
  backlog(): Promise<InboxBacklog>;

  // Records. Unknown ids are left out, and so are records of other companies.

  /** Root authorizations that were not declined. */
  authorizations(company_id: number, ids: readonly number[]): Promise<readonly AuthorizedPurchase[]>;
  clearings(company_id: number, ids: readonly number[]): Promise<readonly ClearedAmount[]>;
  /** The ids of the clearings matched to these authorizations. */
  clearingIdsOf(authorization_ids: readonly number[]): Promise<readonly number[]>;
  /** The clearings that refer to these, each on the same card. */
  clearingsReferring(company_id: number, ids: readonly number[]): Promise<readonly ClearedAmount[]>;
  /**
   * What the authorizations that these clearings may belong to are found among: the roots of the
   * card with the approval code or the network reference of the clearing, and of the
   * `searched_roots_max` newest those with its merchant and one of its amounts; of each kind at most
   * `candidates_read_max`. For one item: several queries for each clearing.
   */
  candidateRecords(company_id: number, clearing_ids: readonly number[]): Promise<readonly CandidateRecords[]>;
  /** Lines of any code, also those that have no item. */
  lines(company_id: number, ids: readonly number[]): Promise<readonly CardLine[]>;
  /** All entries with one of these keys. */
  entries(company_id: number, keys: readonly string[]): Promise<readonly Entry[]>;
  /** The entries of these records under these keys. */
  entriesOf(company_id: number, places: readonly EntryPlace[]): Promise<readonly Entry[]>;
  /**
   * Up to `limit` entries with these keys in the order of key, kind and id: those after an entry, or
   * the first when it is null.
   */
  entriesBetween(company_id: number, keys: KeyRange, after: Entry | null, limit: number): Promise<readonly Entry[]>;
  /** Acts that concern one of these records, in the order in which they were recorded. */
  actsOn(company_id: number, records: readonly RecordKey[]): Promise<readonly Act[]>;

  // Items

  items(company_id: number, ids: readonly number[]): Promise<readonly Item[]>;
  /**
   * Up to `limit` items whose `period_date` is one of these, in the order of that date and the id:
   * those after this place, or the first when it is null.
   */
  itemsByPeriod(
    company_id: number,
    period_date: DateRange,
    after: PeriodPlace | null,
    limit: number,
  ): Promise<readonly Item[]>;
  write(changes: ItemChanges): Promise<void>;
  /**
   * Items that fit the filter, newest or oldest first: by `opened_at_ms`, and by id at one time. A
   * page may have fewer items than its limit and still have a next one, when few items fit.
   */
  list(company_id: number, filter: ItemFilter, page: ItemPageRequest): Promise<Page<Item>>;
  /**
   * For each question the ids of open items (`isNearSide`) of its currency or card, at most
   * `near_days_max` days from its date, of each of these up to `near_items_max`: those with its
   * amount on its date and before, the newest first; those with its amount after its date, the
   * oldest first; among the `near_items_examined_max` with the next greater amounts (of any date,
   * in the order of amount, date and id) the first ones; likewise among those with the next smaller
   * amounts, in the reverse order; and the first entries of that kind under its key, with any
   * amount and date. Costs a few searches of indexes for each question.
   */
  nearItems(company_id: number, questions: readonly NearQuestion[]): Promise<readonly (readonly number[])[]>;
  /** All cells of the company; none with a count of 0. */
  cells(company_id: number): Promise<readonly SummaryCell[]>;
  /** All cells of matches of the company: at most one for each settlement date, rule and side. */
  matchCells(company_id: number): Promise<readonly MatchCell[]>;
  /** How the numbers of open breaks of the company changed, on the days that are kept. */
  breakDays(company_id: number): Promise<readonly BreakDay[]>;
  /** The cells of all companies together, for metrics. */
  allCells(): Promise<readonly SummaryCell[]>;

  // Acts and periods

  /**
   * Makes lines that differ from their statements `kept`, or such ones `differs` again. Those that
   * a statement has meanwhile stay as they are.
   */
  keepLines(company_id: number, line_ids: readonly number[], is_kept: boolean): Promise<void>;
  /** Inserts acts with rising ids, and returns them in their order. */
  insertActs(acts: readonly Omit<Act, 'id'>[]): Promise<readonly Act[]>;
  /** Assigns an item to somebody, or to nobody (null). */
  assign(company_id: number, item_id: number, assignee: string | null): Promise<void>;
  insertComment(comment: Omit<Comment, 'id'>): Promise<Comment>;
  /** Comments on items that had one of these records as their first, in the order of their ids. */
  commentsOn(company_id: number, records: readonly RecordKey[]): Promise<readonly Comment[]>;
  /** The four-eyes setting of the company; null: it has none. */
  readFourEyes(company_id: number): Promise<FourEyes | null>;
  /** Inserts approvals with rising ids, and returns them in their order. */
  insertApprovals(approvals: readonly Omit<Approval, 'id'>[]): Promise<readonly Approval[]>;
  updateApproval(approval: Approval): Promise<void>;
  findApproval(company_id: number, id: number): Promise<Approval | null>;
  /** Those that are open (`isOpenApproval`) and about one of these records (`recordsOfApproval`). */
  openApprovals(company_id: number, records: readonly RecordKey[]): Promise<readonly Approval[]>;
  /** The one that is open about a period; there is one at most. */
  openPeriodApproval(company_id: number): Promise<Approval | null>;
  /** Newest first. */
  listApprovals(company_id: number, filter: ApprovalFilter, page: PageRequest): Promise<Page<Approval>>;
  insertPeriod(period: Omit<Period, 'id'>): Promise<Period>;
  updatePeriod(period: Period): Promise<void>;
  /** Newest first. */
  listPeriods(company_id: number, page: PageRequest): Promise<Page<Period>>;
  findPeriod(company_id: number, id: number): Promise<Period | null>;
  /** The period with the latest day that is not reopened; null when there is none. */
  newestPeriod(company_id: number): Promise<Period | null>;
  lastRecords(): Promise<LastRecords>;
  /**
   * Puts items into the period. A frozen item does not change by the clock. Its lines that the bank
   * reported by itself become `frozen`, except where they are kept, or differ and a person decided
   * about that.
   */
  freeze(period: Period, items: readonly Item[]): Promise<void>;
  /**
   * Takes up to `limit` items out of the period, and returns them. Their lines that are `frozen`
   * are compared with the statements again.
   */
  unfreeze(period: Period, limit: number): Promise<readonly Item[]>;

  // Rebuilding

  /**
   * The ids of records that can have an item, each once, after that one; from the first when it is
   * 0. Their order is the adapter's own. Clearings and lines of other companies are not read. Empty
   * at the end.
   */
  recordsAfter(company_id: number, kind: RecordKey['kind'], after: number, limit: number): Promise<readonly number[]>;
  /**
   * Items after this place, in the order of status, `opened_at_ms` and id; from the first when it is
   * null. An item that changes its status meanwhile may be missed, and was recomputed by that.
   */
  itemsAfter(company_id: number, after: ItemPlace | null, limit: number): Promise<readonly Item[]>;
  /** The ids of companies above `after`, in their order. */
  companiesAfter(after: number, limit: number): Promise<readonly number[]>;
}

/** The parts of a transaction that the use cases of this package need. */
export interface ReconciliationTx {
  readonly reconciliation: ReconciliationStore;
  readonly events: EventStore;
}

/** What keeping items up to date needs. */
export interface ReconciliationPorts {
  readonly unitOfWork: UnitOfWork<ReconciliationTx>;
  readonly clock: Clock;
}
