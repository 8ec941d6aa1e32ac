import type { TransactionOptions } from './call-options.ts';
import type {
  Account,
  AccountBalance,
  AccountProfile,
  BookedTransaction,
  CreateAccount,
  DirectDebit,
  PutAccountBalance,
  PutAccountProfile,
  ScheduledPayment,
  StandingOrder,
} from './generated/resources.ts';
import type { CompanyFilter, DateFilter, FilteredListOptions, List, ListOptions } from './list.ts';

/**
 * The accounts of companies at the bank, and what Open Banking reads of them. An account is named
 * by its number.
 */
export interface AccountOperations {
  /**
   * Opens an account of a company. Statements name it by its number, which identifies no other
   * account. Files of statements that were held because the account did not exist are applied by
   * themselves.
   */
  create(account: CreateAccount, options?: TransactionOptions): Promise<Account>;
  /** Lists the accounts of one company or of all companies, newest first. */
  list(options?: FilteredListOptions<CompanyFilter>): List<Account>;
  /** Reads an account. Refuses `not_found`. */
  read(account_number: string, options?: TransactionOptions): Promise<Account>;
  readonly profile: AccountProfileOperations;
  readonly balance: AccountBalanceOperations;
  /** Lists the booked transactions of an account, newest first. */
  transactions(account_number: string, options?: FilteredListOptions<BookedTransactionFilter>): List<BookedTransaction>;
  /** Lists the active direct debit mandates of an account. */
  directDebits(account_number: string, options?: ListOptions): List<DirectDebit>;
  /** Lists the pending standing orders of an account. */
  standingOrders(account_number: string, options?: ListOptions): List<StandingOrder>;
  /** Lists the pending scheduled payments of an account. */
  scheduledPayments(account_number: string, options?: ListOptions): List<ScheduledPayment>;
}

/** How third parties see an account. */
export interface AccountProfileOperations {
  /** Refuses (`not_found`) an account without a profile; its number identifies it. */
  read(account_number: string, options?: TransactionOptions): Promise<AccountProfile>;
  /**
   * Sets the profile; fields that are absent have their defaults. Refuses (`conflict`) when another
   * account has the scheme and identification.
   */
  put(account_number: string, profile: PutAccountProfile, options?: TransactionOptions): Promise<AccountProfile>;
}

/** The balance of an account. */
export interface AccountBalanceOperations {
  /**
   * Reads the balance that the bank reported, or the closing balance of the last statement,
   * whichever is later; else 0.
   */
  read(account_number: string, options?: TransactionOptions): Promise<AccountBalance>;
  /** Reports the balance. Refuses (`conflict`) when one with a later `as_of` was reported. */
  put(account_number: string, balance: PutAccountBalance, options?: TransactionOptions): Promise<AccountBalance>;
}

export interface BookedTransactionFilter {
  readonly booking_date?: DateFilter | undefined;
}
