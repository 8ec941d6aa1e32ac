import type { AccountOperations } from './accounts.ts';
import type { CallOptions, TransactionOptions } from './call-options.ts';
import type { ConsentOperations } from './consents.ts';
import type { FileContent } from './file-content.ts';
import type {
  BankUser,
  CompanyOpenBanking,
  Consent,
  Id,
  PutBankUser,
  PutCompanyOpenBanking,
  RecordReport,
} from './generated/resources.ts';
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
