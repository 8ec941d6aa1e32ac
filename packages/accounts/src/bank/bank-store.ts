import type { AccountBalance } from './account-balance.ts';
import type { AccountProfile } from './account-profile.ts';
import type { BankCompany } from './bank-company.ts';
import type { BankData } from './bank-data.ts';
import type { BankUser } from './bank-user.ts';
import type { ShownTransaction } from './booked-transaction.ts';
import type { DirectDebit, ScheduledPayment, StandingOrder } from './mandates-and-orders.ts';

/** The bank data that our storage keeps, within a transaction. */
export interface BankStore extends BankData {
  /**
   * Waits for other transactions that hold this lock, and holds it until this one ends: of two that
   * open accounts, or check and put users or profiles, the second one sees what the first one has
   * written.
   */
  lockNames(): Promise<void>;
  /** The profiles of these accounts, in no order. */
  profilesOf(account_ids: readonly number[]): Promise<readonly AccountProfile[]>;
  /** The profiles with one of these identifications, in any scheme and in no order. */
  profilesByIdentification(identifications: readonly string[]): Promise<readonly AccountProfile[]>;
  /** Inserts or replaces profiles of different accounts. */
  putProfiles(profiles: readonly AccountProfile[]): Promise<void>;
  /** The companies of these users, by user id. Unknown users are left out. */
  companiesOfUsers(user_ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Inserts or replaces different users, in their order. Lists are stored as they are, without
   * checks of the accounts they name.
   */
  putUsers(users: readonly BankUser[]): Promise<void>;
  putCompany(company: Omit<BankCompany, 'is_active'>): Promise<void>;
  /**
   * Inserts or replaces balances in their order, each unless a later `as_of_ms` is stored. Returns
   * whether each was stored.
   */
  putBalances(balances: readonly AccountBalance[]): Promise<readonly boolean[]>;
  /**
   * Adds to the booked and the available balance (`movedBalance`), and returns the new balance. A
   * balance that was not reported begins as `balancesOf` returns it. The row is locked until the
   * transaction ends.
   */
  moveBalance(account_id: number, amount: number, at_ms: number): Promise<AccountBalance>;
  /** Inserts or replaces, by account and reference. */
  putDirectDebits(rows: readonly Omit<DirectDebit, 'id'>[]): Promise<void>;
  putStandingOrders(rows: readonly Omit<StandingOrder, 'id'>[]): Promise<void>;
  putScheduledPayments(rows: readonly Omit<ScheduledPayment, 'id'>[]): Promise<void>;
  /** Records transactions unless they are known by reference. Returns how many were new. */
  recordShown(rows: readonly Omit<ShownTransaction, 'id'>[]): Promise<number>;
  /** Which of these references of an account are recorded as shown transactions, in no order. */
  shownReferences(account_id: number, references: readonly string[]): Promise<readonly string[]>;
}

/** The most rows of one call that takes rows. */
export const bank_rows_max = 1_000;
