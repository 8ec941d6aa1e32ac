import type { AccountOperations } from './accounts.ts';
import type { CallOptions, Id, TransactionOptions } from './call-options.ts';
import type { Consent, ConsentOperations } from './consents.ts';
import type { FileContent } from './file-content.ts';
import type { CompanyFilter, FilteredListOptions, List, ListOptions } from './list.ts';

/** What the bank knows of accounts, users and consents, and reports to the service. */
export interface BankOperations {
  readonly accounts: AccountOperations;
  readonly users: BankUserOperations;
  /** What companies may do in Open Banking. */
  readonly openBanking: CompanyOpenBankingOperations;
  readonly records: BankRecordOperations;
  readonly consents: ConsentOperations;
}

/** The users of the bank, who authorise consents. */
export interface BankUserOperations {
  /** Lists the users, in the order in which they were added. */
  list(options?: FilteredListOptions<CompanyFilter>): List<BankUser>;
  /** Reads a user, by the bank's own id. Refuses `not_found`. */
  read(user_id: string, options?: TransactionOptions): Promise<BankUser>;
  /**
   * Adds or replaces a user; fields that are absent have their defaults. A user never changes the
   * company. What a user may no longer do ends at once: consents are judged at every request.
   */
  put(user_id: string, user: PutBankUser, options?: TransactionOptions): Promise<BankUser>;
  /** Lists the consents that a user authorised, newest first. Needs Open Banking. */
  consents(user_id: string, options?: ListOptions): List<Consent>;
}

/** What the bank allows a company in the third-party channel (service specification 5.6). */
export interface CompanyOpenBankingOperations {
  read(company_id: Id, options?: TransactionOptions): Promise<CompanyOpenBanking>;
  /** Sets it. A company that was not set up is eligible for nothing. */
  put(company_id: Id, settings: PutCompanyOpenBanking, options?: TransactionOptions): Promise<CompanyOpenBanking>;
}

/** Records in bulk. */
export interface BankRecordOperations {
  /**
   * Reports users, profiles, balances, transactions and orders in bulk: one JSON object a line, of
   * at most 65536 bytes, with its `kind` (`user`, `balance`, `profile`, `transaction`,
   * `direct_debit`, `standing_order`, `scheduled_payment`) and the fields of that kind; all but
   * users name their `account`. Lines are applied in their order, in batches. A line with a problem
   * has no effect and stops no other. The same lines can be reported again. At most 1 GiB. Takes no
   * `tx`: the batches are transactions of their own.
   */
  report(lines: FileContent, options?: CallOptions): Promise<RecordReport>;
}

/** A user of the bank. */
export interface BankUser {
  /** The bank's own id of the user. */
  readonly id: string;
  /** The company. */
  readonly company_id: number;
  readonly name: string;
  readonly status: BankUserStatus;
  readonly eligible_services: readonly OpenBankingService[];
  readonly configured_services: readonly OpenBankingService[];
  readonly may_view_direct_debits: boolean;
  /** Numbers of accounts. */
  readonly viewable_accounts: readonly string[];
  /** When it last changed; ISO 8601, UTC. */
  readonly updated_at: string;
  readonly type: 'user';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** A user of the bank. */
export interface PutBankUser {
  /** A user never changes the company. */
  readonly company_id: Id;
  readonly name: string;
  /** Only `active` allows a login. */
  readonly status: BankUserStatus;
  /** Default: none. */
  readonly eligible_services?: readonly OpenBankingService[] | null | undefined;
  /** Default: none. */
  readonly configured_services?: readonly OpenBankingService[] | null | undefined;
  /** Default false. */
  readonly may_view_direct_debits?: boolean | null | undefined;
  /** Numbers of accounts of the company. Default: none. */
  readonly viewable_accounts?: readonly string[] | null | undefined;
}

/** What the bank allows a company in Open Banking. */
export interface CompanyOpenBanking {
  /** Digits. */
  readonly id: string;
  /** False: the company is closed. */
  readonly is_active: boolean;
  readonly eligible_services: readonly OpenBankingService[];
  readonly is_configured: boolean;
  readonly type: 'open_banking';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** What the bank allows a company in Open Banking. */
export interface PutCompanyOpenBanking {
  readonly eligible_services: readonly OpenBankingService[];
  /** Whether the company is configured for API services. */
  readonly is_configured: boolean;
}

/** The result of a report. */
export interface RecordReport {
  /** Lines that are not empty: applied, duplicates and rejected together. */
  readonly lines: number;
  readonly applied: number;
  /** Transactions that were recorded before, and balances older than the known one. */
  readonly duplicates: number;
  /** Lines with a problem; they have no effect. */
  readonly rejected: number;
  /** The first 1000 problems; a line can have several. */
  readonly errors: readonly RecordError[];
}

/** What is wrong with a line of a report. */
export interface RecordError {
  /** From 1, empty lines counted. */
  readonly line: number;
  /** The field; empty when the whole line is at fault. */
  readonly path: string;
  /** What it must be. */
  readonly message: string;
}

/** Only `active` allows a login. */
export type BankUserStatus =
  | 'active'
  | 'frozen'
  | 'disabled'
  | 'locked'
  | 'modified_pending'
  | 'deleted_pending'
  | 'pending'
  | 'partially_set_up';

/** `aisp`: account information. `cbpii`: confirmation of funds. */
export type OpenBankingService = 'aisp' | 'cbpii';
