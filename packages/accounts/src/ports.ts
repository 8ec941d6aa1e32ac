import type { AuditLog, Money, Page, PageRequest } from '@tallystick/kernel';
import type { Account } from './account.ts';
import type { Statement } from './statement.ts';
import type { BankReference, LineContent, LineKey, ReferencedKey, StatementLine } from './statement-line.ts';

/** Which accounts a list shows; an absent name shows all. */
export interface AccountFilter {
  readonly company_id?: number;
}

/** Booking dates, both included and YYYY-MM-DD; an absent end is open. */
export interface BookingDates {
  readonly from?: string;
  readonly to?: string;
}

/** Booking dates of an account, both ends included. */
export interface AccountDates {
  readonly account_id: number;
  readonly from: string;
  readonly to: string;
}

/** A line in the order in which lines of the bank are compared. */
export type ReportedPlace = Pick<StatementLine, 'booking_date' | 'id'>;

/** Accounts, their statements and lines, within a transaction. */
export interface AccountStore {
  /** Refuses (`conflict`) a number that another account has, after waiting for its transaction. */
  insert(account: Omit<Account, 'id'>): Promise<Account>;
  find(id: number): Promise<Account | null>;
  findByNumber(number: string): Promise<Account | null>;
  /**
   * The account with this number, locked until the transaction ends. Of several, lock in the order
   * of their numbers.
   */
  lockByNumber(number: string): Promise<Account | null>;
  /** The highest id first. */
  list(filter: AccountFilter, page: PageRequest): Promise<Page<Account>>;
  /** The first account that was opened for the company of this kind and currency; null: none. */
  findFirst(owner: Pick<Account, 'company_id' | 'kind' | 'currency'>): Promise<Account | null>;
  /** Replaces the ends of the chain of statements, which the transaction has locked. */
  updateEnds(account: Pick<Account, 'id' | 'first_statement' | 'last_statement'>): Promise<void>;

  /**
   * Inserts statements. No two of an account and a date have one position. Returns their ids with
   * their places, in no order.
   */
  insertStatements(
    statements: readonly Omit<Statement, 'id'>[],
  ): Promise<readonly Pick<Statement, 'id' | 'account_id' | 'as_of' | 'position'>[]>;
  /** The statements of an account with this date, in the order of the chain. */
  statementsOf(account_id: number, as_of: string): Promise<readonly Statement[]>;
  /** The last statement of the account with an earlier date, in the order of the chain. */
  statementBefore(account_id: number, as_of: string): Promise<Statement | null>;
  /**
   * The last statement of the account with an earlier date that opens with this balance, in the
   * order of the chain.
   */
  statementOpening(account_id: number, as_of: string, opening_balance: Money): Promise<Statement | null>;
  /** The first statement of the account with a later date, in the order of the chain. */
  statementAfter(account_id: number, as_of: string): Promise<Statement | null>;
  /** The statements of an account with dates from `from` to `to`, in the order of the chain. */
  statementsBetween(account_id: number, from: string, to: string): Promise<readonly Statement[]>;
  /** Replaces what statements cover. */
  updateCoverage(statements: readonly Pick<Statement, 'id' | 'covers_from'>[]): Promise<void>;

  /**
   * Locks accounts until the transaction ends, in the order of their numbers. Of two transactions
   * that lock an account before they read and record its lines, the second one sees the lines of
   * the first one.
   */
  lockAll(ids: readonly number[]): Promise<void>;

  /**
   * Records lines, up to `recorded_lines_max`, unless they are known: by `ReferencedKey`, or by
   * statement and place, or as the line of this reference that the bank reported by itself, if it
   * did so with this one. Returns the keys of the new ones, in no order. Known ones stay as they
   * are, but one that the bank reported by itself becomes that of the statement which has it: it
   * gets its statement and place, and has no standing any more. The ids of the new ones rise in the
   * order of the lines.
   */
  recordLines(lines: readonly Omit<StatementLine, 'id'>[]): Promise<readonly LineKey[]>;
  /**
   * Whether statements cover these booking dates, in their order: whether the first statement of the
   * date or later covers it.
   */
  areCovered(places: readonly Pick<StatementLine, 'account_id' | 'booking_date'>[]): Promise<readonly boolean[]>;
  /**
   * Compares up to `limit` lines that the bank reported by itself with the statements of their
   * dates, by booking date and then by id, after this place: they are `differs` where a statement
   * covers their date, else null. Those that are `kept` or `frozen` stay so. Returns the last place;
   * null when there is none after it.
   */
  compareReported(dates: AccountDates, after: ReportedPlace | null, limit: number): Promise<ReportedPlace | null>;
  /**
   * One recorded line with each of these bank references, in no order: the one that the bank
   * reported by itself, else any.
   */
  linesByReference(references: readonly BankReference[]): Promise<readonly StatementLine[]>;
  /** The recorded lines with these keys, at most one for each and in no order. */
  linesByKey(keys: readonly ReferencedKey[]): Promise<readonly StatementLine[]>;
  /** How many lines without a bank reference the account has of each content, in the given order. */
  countUnreferenced(account_id: number, contents: readonly LineContent[]): Promise<readonly number[]>;
  /** The highest place of the lines of a statement; 0 when it has none. */
  lastPlace(statement_id: number): Promise<number>;
  /**
   * The lines of an account, the newest booking date first, and of one date the highest id first. A
   * page costs the same at any depth, except with an offset.
   */
  listLines(account_id: number, dates: BookingDates, page: PageRequest): Promise<Page<StatementLine>>;
}

/** The most lines, references, keys, contents or places of one call. */
export const recorded_lines_max = 1_000;

/** The parts of a transaction that the use cases of this package need. */
export interface AccountsTx {
  readonly accounts: AccountStore;
  readonly companies: {
    find(id: number): Promise<{ readonly id: number } | null>;
    /** Those that exist, in any order. */
    findByIds(ids: readonly number[]): Promise<readonly { readonly id: number }[]>;
  };
  readonly audit: AuditLog;
}
