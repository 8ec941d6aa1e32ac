import type { TransactionOptions } from './call-options.ts';

/** The consents of users, as the bank sees them. Needs Open Banking. */
export interface ConsentOperations {
  /** Reads a consent. Refuses `not_found`. */
  read(consent_id: string, options?: TransactionOptions): Promise<Consent>;
  /**
   * Withdraws a user's consent. All its tokens end at once. A consent for confirmations of funds
   * becomes Revoked. A repeat changes nothing.
   */
  withdraw(consent_id: string, options?: TransactionOptions): Promise<Consent>;
}

/** A consent, with the user and the accounts that the third party does not see. */
export interface Consent {
  /** Its ConsentId. */
  readonly id: string;
  readonly kind: 'account_access' | 'funds_confirmation';
  /** The third party that created it. */
  readonly client_id: string;
  readonly status: ConsentStatus;
  /** Empty for a confirmation of funds. */
  readonly permissions: readonly ConsentPermission[];
  readonly expiration_date_time: string | null;
  /** The company. */
  readonly company_id: number | null;
  /** Who authorised it; null before. */
  readonly user_id: string | null;
  /** The accounts that the user chose. */
  readonly account_ids: readonly string[];
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC. */
  readonly status_updated_at: string;
  /** ISO 8601, UTC. */
  readonly authorised_at: string | null;
  /** The withdrawal after the last authorisation; null: none; ISO 8601, UTC. */
  readonly withdrawn_at: string | null;
  /** The deletion by the third party; null: it was not deleted; ISO 8601, UTC. */
  readonly deleted_at: string | null;
  readonly type: 'consent';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** The decision of a user. */
export interface DecideConsent {
  readonly decision: 'approve' | 'reject';
  /** By default the first of `bank.users.list`. */
  readonly user_id?: string | null | undefined;
  /** By default all accounts that the user may view. */
  readonly account_ids?: readonly string[] | null | undefined;
}

/** What a consent allows to read. */
export type ConsentPermission =
  | 'ReadAccountsBasic'
  | 'ReadAccountsDetail'
  | 'ReadBalances'
  | 'ReadTransactionsBasic'
  | 'ReadTransactionsDetail'
  | 'ReadTransactionsCredits'
  | 'ReadTransactionsDebits'
  | 'ReadDirectDebits'
  | 'ReadStandingOrdersBasic'
  | 'ReadStandingOrdersDetail'
  | 'ReadScheduledPaymentsBasic'
  | 'ReadScheduledPaymentsDetail';

/** The status of a consent. */
export type ConsentStatus = 'AwaitingAuthorisation' | 'Authorised' | 'Rejected' | 'Revoked';
