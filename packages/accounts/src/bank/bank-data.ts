import type { TwoWayPage, TwoWayPageRequest } from '@tallystick/kernel';
import type { Account } from '../account.ts';
import type { BookingDates } from '../ports.ts';
import type { AccountBalance } from './account-balance.ts';
import type { AccountProfile } from './account-profile.ts';
import type { BankCompany } from './bank-company.ts';
import type { BankUser } from './bank-user.ts';
import type { BookedTransaction } from './booked-transaction.ts';
import type { DirectDebit, ScheduledPayment, StandingOrder } from './mandates-and-orders.ts';

/** An account with all that a third party may see of it. */
export interface BankAccount extends Account {
  readonly profile: AccountProfile | null;
}

/**
 * What Open Banking asks of the bank. Our adapters read their database; a host can read its own
 * systems. Every call returns the state at the time of the call. A rejection is a fault, and the
 * third party gets no data.
 */
export interface BankData {
  /** The user; null: no such user. */
  findUser(user_id: string): Promise<BankUser | null>;
  /** Users in the order in which they were put first, of one company or of all. */
  listUsers(filter: { readonly company_id?: number }, page: TwoWayPageRequest): Promise<TwoWayPage<BankUser>>;
  /** What the bank allows the company; null: no such company. */
  findCompany(company_id: number): Promise<BankCompany | null>;
  /** The accounts with these numbers, by rising number. Unknown numbers are left out. */
  accountsByNumber(numbers: readonly string[]): Promise<readonly BankAccount[]>;
  /**
   * The account whose profile has this scheme and identification, else the account with this number
   * (in any scheme, because a number can be an IBAN); null: none.
   */
  findAccount(scheme_name: string, identification: string): Promise<BankAccount | null>;
  /**
   * The balances of these accounts, one each, in no order. An account whose balance the bank has
   * not reported has the closing balance of its last statement, else 0.
   */
  balancesOf(account_ids: readonly number[]): Promise<readonly AccountBalance[]>;
  /**
   * The booked transactions of an account within these booking dates, the newest first. A page
   * costs the same at any depth.
   */
  transactionsOf(
    account_id: number,
    dates: BookingDates,
    page: TwoWayPageRequest,
  ): Promise<TwoWayPage<BookedTransaction>>;
  /** The active mandates of these accounts, by account and then by id, both rising. */
  activeDirectDebits(account_ids: readonly number[], page: TwoWayPageRequest): Promise<TwoWayPage<DirectDebit>>;
  /** The standing orders that are pending on this date (YYYY-MM-DD), by account and then by id. */
  pendingStandingOrders(
    account_ids: readonly number[],
    today: string,
    page: TwoWayPageRequest,
  ): Promise<TwoWayPage<StandingOrder>>;
  /** The scheduled payments that are pending on this date, by account and then by id. */
  pendingScheduledPayments(
    account_ids: readonly number[],
    today: string,
    page: TwoWayPageRequest,
  ): Promise<TwoWayPage<ScheduledPayment>>;
}
