import type { Id, TransactionOptions } from './call-options.ts';
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

/** A new account. */
export interface CreateAccount {
  /** The company. */
  readonly company_id: Id;
  /**
   * The AccountId, by which statements name it. No other account has it. Of a card account it
   * begins with ceid.
   */
  readonly number: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly kind: 'deposit' | 'card';
  readonly name?: string | null | undefined;
}

/** An account at the bank. */
export interface Account {
  /** Its number. */
  readonly id: string;
  /** The company. */
  readonly company_id: number;
  readonly number: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly kind: 'deposit' | 'card';
  readonly name: string | null;
  /** The date and the opening balance of its first statement; null: it has none. */
  readonly first_statement: StatementEnd | null;
  /** The date and the closing balance of its last statement; null: it has none. */
  readonly last_statement: StatementEnd | null;
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'account';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** The balance at an end of a statement. */
export interface StatementEnd {
  /** YYYY-MM-DD. */
  readonly as_of: string;
  /** Minor units (cents). */
  readonly balance: number;
}

/** How third parties see an account. */
export interface AccountProfile {
  /** The number of the account. */
  readonly id: string;
  readonly scheme_name: string | null;
  readonly identification: string | null;
  readonly secondary_identification: string | null;
  readonly holder_name: string | null;
  readonly nickname: string | null;
  readonly description: string | null;
  readonly account_type: 'Business' | 'Personal';
  readonly deposit_sub_type: 'CurrentAccount' | 'Savings';
  /** YYYY-MM-DD. */
  readonly opened_on: string | null;
  readonly status: 'Enabled' | 'Disabled' | 'Deleted' | 'Pending';
  /** ISO 8601, UTC. */
  readonly status_updated_at: string;
  readonly servicer_scheme_name: string | null;
  readonly servicer_identification: string | null;
  readonly type: 'account_profile';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** The profile of an account. */
export interface PutAccountProfile {
  /** Together with `identification`; absent: the number of the account. */
  readonly scheme_name?: string | null | undefined;
  /**
   * Of no other account, neither in its profile nor as its number. In the scheme
   * `Tallystick.AccountNumber` the number of the account. Of a card number (`UK.OBIE.PAN`) only the
   * last four digits are kept.
   */
  readonly identification?: string | null | undefined;
  readonly secondary_identification?: string | null | undefined;
  readonly holder_name?: string | null | undefined;
  readonly nickname?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** Default `Business`. */
  readonly account_type?: 'Business' | 'Personal' | null | undefined;
  /** Default `CurrentAccount`. */
  readonly deposit_sub_type?: 'CurrentAccount' | 'Savings' | null | undefined;
  /** YYYY-MM-DD. */
  readonly opened_on?: string | null | undefined;
  /** Default `Enabled`. */
  readonly status?: 'Enabled' | 'Disabled' | 'Deleted' | 'Pending' | null | undefined;
  /** Default: now if the status changes. ISO 8601, with an offset. */
  readonly status_updated_at?: string | null | undefined;
  /** Together with `servicer_identification`. */
  readonly servicer_scheme_name?: string | null | undefined;
  readonly servicer_identification?: string | null | undefined;
}

/** The balance of an account. */
export interface AccountBalance {
  /** The number of the account. */
  readonly id: string;
  /** ISO 4217. */
  readonly currency: string;
  /** Minor units (cents). */
  readonly booked: number;
  /** Minor units (cents). */
  readonly available: number;
  /** Minor units (cents). */
  readonly credit_line: number | null;
  /** ISO 8601, UTC. */
  readonly as_of: string;
  readonly type: 'account_balance';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** A balance that the bank reports. */
export interface PutAccountBalance {
  /** Minor units (cents); a debt is negative. */
  readonly booked: number;
  /** Without the credit line. Default: `booked`. */
  readonly available?: number | null | undefined;
  /** Default: none. */
  readonly credit_line?: number | null | undefined;
  /** That of the account. */
  readonly currency?: string | null | undefined;
  /** Default: now. Not more than a day ahead. ISO 8601, with an offset. */
  readonly as_of?: string | null | undefined;
}

/** A booked transaction of an account. */
export interface BookedTransaction {
  /** The TransactionId of Open Banking. */
  readonly id: string;
  /** The number of the account. */
  readonly account: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly bank_reference: string | null;
  /** YYYY-MM-DD. */
  readonly booking_date: string;
  /** YYYY-MM-DD. */
  readonly value_date: string;
  /** Minor units (cents); a debit is negative. */
  readonly amount: number;
  /** BAI code, three digits (service specification 4.6). */
  readonly bai_code: string;
  readonly text: string;
  readonly acquirer_reference: string | null;
  /** Minor units (cents). */
  readonly balance_after: number | null;
  readonly merchant_name: string | null;
  readonly merchant_category_code: string | null;
  readonly type: 'transaction';
}

/** A direct debit mandate of an account. */
export interface DirectDebit {
  /** Digits. */
  readonly id: string;
  /** The number of the account. */
  readonly account: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly mandate_reference: string;
  readonly status: 'active' | 'inactive';
  readonly name: string;
  readonly frequency: string | null;
  /** YYYY-MM-DD. */
  readonly previous_payment_on: string | null;
  /** Minor units (cents). */
  readonly previous_payment_amount: number | null;
  /** When it last changed; ISO 8601, UTC. */
  readonly updated_at: string;
  readonly type: 'direct_debit';
}

/** A standing order of an account. */
export interface StandingOrder {
  /** Digits. */
  readonly id: string;
  /** The number of the account. */
  readonly account: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly reference: string;
  readonly status: 'active' | 'inactive';
  readonly frequency: string;
  /** YYYY-MM-DD. */
  readonly first_payment_on: string | null;
  /** Minor units (cents). */
  readonly first_payment_amount: number | null;
  /** YYYY-MM-DD. */
  readonly next_payment_on: string | null;
  /** Minor units (cents). */
  readonly next_payment_amount: number | null;
  /** YYYY-MM-DD. */
  readonly last_payment_on: string | null;
  /** Minor units (cents). */
  readonly last_payment_amount: number | null;
  /** YYYY-MM-DD. */
  readonly final_payment_on: string | null;
  /** Minor units (cents). */
  readonly final_payment_amount: number | null;
  readonly number_of_payments: string | null;
  readonly payment_reference: string | null;
  readonly creditor_scheme_name: string;
  readonly creditor_identification: string;
  readonly creditor_name: string | null;
  /** When it last changed; ISO 8601, UTC. */
  readonly updated_at: string;
  readonly type: 'standing_order';
}

/** A scheduled payment of an account. */
export interface ScheduledPayment {
  /** Digits. */
  readonly id: string;
  /** The number of the account. */
  readonly account: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly reference: string;
  readonly status: 'pending' | 'executed' | 'cancelled';
  /** YYYY-MM-DD. */
  readonly scheduled_on: string;
  readonly scheduled_type: 'Arrival' | 'Execution';
  /** Minor units (cents). */
  readonly amount: number;
  readonly payment_reference: string | null;
  readonly creditor_scheme_name: string;
  readonly creditor_identification: string;
  readonly creditor_name: string | null;
  /** When it last changed; ISO 8601, UTC. */
  readonly updated_at: string;
  readonly type: 'scheduled_payment';
}
