// Generated from the operations by `npm run generate`.

/** One value, or a range with both ends included; null: open. */
export type RangeFilter<Value> = Value | readonly [from: Value | null, to: Value | null];

/** An account of a company at the bank. */
export interface Account {
  /** Its number. */
  readonly id: string;
  /** The company. */
  readonly company_id: number;
  /** The number of the account. */
  readonly number: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly kind: 'deposit' | 'card';
  readonly name: string | null;
  /** The date and the opening balance of its first statement; null: it has none. */
  readonly first_statement: StatementEnd | null;
  /** The date and the closing balance of its last statement; null: it has none. */
  readonly last_statement: StatementEnd | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'account';
  /** The path of this resource. */
  readonly url: string;
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
  /** The path of this resource. */
  readonly url: string;
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
  /** The path of this resource. */
  readonly url: string;
}

/** An API key of the HTTP interface. */
export interface ApiKey {
  /** Digits. */
  readonly id: string;
  readonly company_id: number | null;
  readonly role: ApiKeyRole;
  readonly environment: 'test' | 'live';
  readonly name: string;
  /** Whether its requests must be signed. */
  readonly signed: boolean;
  /** Null: the server's default. */
  readonly rate_limit_per_minute: number | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC. */
  readonly revoked_at: string | null;
  /** From this instant on the key is refused like a revoked one; null: it never ends. ISO 8601. */
  readonly expires_at: string | null;
  /** Its last accepted request, shown after a minute at most; null: none. ISO 8601. */
  readonly last_used_at: string | null;
  /** The text of the key. Only the answer to its creation has it. */
  readonly key?: string | undefined;
  readonly type: 'apikey';
  /** The path of this resource. */
  readonly url: string;
}

/** The permissions of an API key. */
export type ApiKeyRole = 'client' | 'network' | 'bank' | 'operator';

/** An entry of the audit log. */
export interface AuditEntry {
  /** Digits. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Null: the action concerns no single company. */
  readonly company_id: number | null;
  /** `key:17`, the `actor` of a call in process, `command` for a command line, or a job. */
  readonly actor: string;
  /** Such as `card_number.shown`, `api_key.created`, `company.updated`. */
  readonly action: string;
  /** What the action was done to: `virtualcard:17`. */
  readonly object: string;
  readonly request_id: string | null;
  /** The IP address of the caller; null: a call in process, a command line or a job. */
  readonly source_address: string | null;
  /** Further facts; never a card number or a secret. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly type: 'audit_entry';
}

export interface AuditFilter {
  readonly company_id?: Id | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly object?: string | undefined;
  readonly at?: RangeFilter<string> | undefined;
}

/** An authorization as answers and events show it. */
export interface Authorization {
  /** Null when nothing was recorded: the card number is unknown, or there was an internal fault. */
  readonly id: number | null;
  readonly company_id: number | null;
  /** The virtual card; null when the card number is unknown. */
  readonly vcn_id: number | null;
  /** The real card. */
  readonly rcn_id: number | null;
  /** The name of the real card. */
  readonly rcn_alias: string | null;
  /** Masked: asterisks and the last four digits. */
  readonly card_number: string;
  readonly message_type_indicator: MessageType;
  /** As the network sent it, else the name of the message type. */
  readonly transaction_type: string;
  readonly trace_id: string;
  readonly system_trace_audit_number: string;
  /** ISO 8601, UTC. */
  readonly transaction_date_time: string;
  /** Minor units (cents). */
  readonly billing_amount: number;
  /** ISO 4217. */
  readonly billing_currency: string;
  /** Minor units (cents). */
  readonly merchant_amount: number;
  /** ISO 4217. */
  readonly merchant_currency: string;
  readonly merchant_id: string | null;
  readonly merchant_name: string | null;
  readonly merchant_city: string | null;
  readonly merchant_state_or_country_code: string | null;
  /** Merchant category code, four digits. */
  readonly mcc: string;
  readonly mcc_description: string | null;
  /** Financial network code (3), network reference (6), cycle date MMDD (4). */
  readonly net_reference_number: string | null;
  /** As the network sent it. */
  readonly acquirer_ica: string | null;
  /** As the network sent it. */
  readonly advice_reason_code: string | null;
  /** Processing code (DE3): 20 and 28 are refunds. */
  readonly card_holder_transaction_type_code: string | null;
  /** As the network sent it. */
  readonly financial_network_code: string | null;
  /** As the network sent it. */
  readonly pos_transaction_status: string | null;
  /** As the network sent it. */
  readonly purchase_request_company_guid: string | null;
  /** As the network sent it. */
  readonly purchase_request_issuer_guid: string | null;
  /** Four digits, MMDD. */
  readonly settlement_date: string | null;
  /** The corrected amounts of a reversal; all null for any other message. */
  readonly replacement_amounts: {
    /** Minor units (cents). */
    readonly billing_amount: number | null;
    /** Minor units (cents). */
    readonly settlement_amount: number | null;
    /** Minor units (cents). */
    readonly transaction_amount: number | null;
  };
  readonly status: AuthorizationStatus;
  /** The first reason that applies; null: approved or recorded. */
  readonly decline_reason: DeclineCode | null;
  /** Of an advice that was recorded although a limit did not allow it: the first such reason. */
  readonly broken_reason: DeclineCode | null;
  readonly vcn_response: VcnResponse;
  readonly issuer_response: 'Approved' | 'Declined';
  /** Response code of the network (DE39); 00: approved. */
  readonly response_code: string;
  /** Issued when approved; null when declined. */
  readonly approval_code: string | null;
}

/** An authorization was received, or its state changed. */
export interface AuthorizationEvent {
  /** Digits. */
  readonly id: string;
  readonly event_type: 'virtualcard.realtime.auths';
  readonly payload: Authorization;
  /** State before; null: the object was created. */
  readonly previous: Authorization | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'event';
  /** The path of this resource. */
  readonly url: string;
}

/** An authorization message of the card network. Fields that are not listed are ignored. */
export interface AuthorizationMessage {
  /** The whole number. Answers show it masked. */
  readonly card_number: string;
  /** YYYY-MM; compared with the card when sent. */
  readonly expiry?: string | null | undefined;
  /** Three or four digits; compared with the card when sent. */
  readonly cvc?: string | null | undefined;
  /** The name of the type, or its ISO 8583 number. */
  readonly message_type_indicator:
    | 'Authorization Request'
    | 'Authorization Advice'
    | 'Reversal Request'
    | 'Reversal Advice'
    | '0100'
    | '0120'
    | '0400'
    | '0420';
  /** Adds to the open authorization with this trace_id, within the limits of its window. */
  readonly incremental?: boolean | null | undefined;
  /** The reference that its reversal and its advices share. A clearing has none. */
  readonly trace_id: string;
  readonly system_trace_audit_number: string;
  /** ISO 8601, with an offset. */
  readonly transaction_date_time: string;
  /** Minor units (cents). */
  readonly billing_amount: number;
  /** ISO 4217. */
  readonly billing_currency: string;
  /** Minor units (cents). */
  readonly merchant_amount: number;
  /** ISO 4217. */
  readonly merchant_currency: string;
  /** Merchant category code, four digits. */
  readonly mcc: string;
  /** Of an advice: the decision that was made elsewhere (DE39). */
  readonly response_code?: string | null | undefined;
  readonly approval_code?: string | null | undefined;
  /**
   * Of a reversal: the corrected amounts. All absent or zero: a full reversal. Otherwise
   * billing_amount or transaction_amount must be there in the currency of the card's limits; zero
   * counts as absent. Before its original, a reversal in part lowers the original to the corrected
   * amount.
   */
  readonly replacement_amounts?:
    | {
        /** Minor units (cents). */
        readonly billing_amount?: number | null | undefined;
        /** Minor units (cents). */
        readonly settlement_amount?: number | null | undefined;
        /** Minor units (cents). */
        readonly transaction_amount?: number | null | undefined;
      }
    | null
    | undefined;
  /** The same as in replacement_amounts. If both are sent, they must be equal. */
  readonly 'replacement_amounts.billing_amount'?: number | null | undefined;
  /** The same as in replacement_amounts. If both are sent, they must be equal. */
  readonly 'replacement_amounts.settlement_amount'?: number | null | undefined;
  /** The same as in replacement_amounts. If both are sent, they must be equal. */
  readonly 'replacement_amounts.transaction_amount'?: number | null | undefined;
  readonly advice_reason_code?: string | null | undefined;
  readonly acquirer_ica?: string | null | undefined;
  /**
   * Two digits, or all six of the processing code (DE3). 20 and 28 as the first two are refunds.
   */
  readonly card_holder_transaction_type_code?: string | null | undefined;
  readonly financial_network_code?: string | null | undefined;
  readonly mcc_description?: string | null | undefined;
  readonly merchant_city?: string | null | undefined;
  /** Its clearing may be found by it: see ClearingMessage. */
  readonly merchant_id?: string | null | undefined;
  readonly merchant_name?: string | null | undefined;
  readonly merchant_state_or_country_code?: string | null | undefined;
  /**
   * Financial network code (3), network reference (6), cycle date MMDD (4). Its clearing is found
   * by it: see ClearingMessage.
   */
  readonly net_reference_number?: string | null | undefined;
  readonly pos_transaction_status?: string | null | undefined;
  readonly purchase_request_company_guid?: string | null | undefined;
  readonly purchase_request_issuer_guid?: string | null | undefined;
  /** Four digits. */
  readonly settlement_date?: string | null | undefined;
  /** When absent, the name of the message type. */
  readonly transaction_type?: string | null | undefined;
}

export type AuthorizationStatus =
  | 'open'
  | 'cleared'
  | 'partially_cleared'
  | 'reversed'
  | 'expired'
  | 'released'
  | 'declined';

/** A user of the bank. */
export interface BankUser {
  /** The bank's own id of the user. */
  readonly id: string;
  readonly company_id: number;
  readonly name: string;
  readonly status: BankUserStatus;
  readonly eligible_services: readonly OpenBankingService[];
  readonly configured_services: readonly OpenBankingService[];
  readonly may_view_direct_debits: boolean;
  /** Numbers of accounts. */
  readonly viewable_accounts: readonly string[];
  /** ISO 8601, UTC. */
  readonly updated_at: string;
  readonly type: 'user';
  /** The path of this resource. */
  readonly url: string;
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
  /** Merchant category code, four digits. */
  readonly merchant_category_code: string | null;
  readonly type: 'transaction';
}

export interface BookedTransactionFilter {
  readonly booking_date?: RangeFilter<string> | undefined;
}

/** The age of a break in days. */
export type BreakAge = '0-1' | '2-3' | '4-7' | '8-30' | 'over 30';

/** The kind of a break. */
export type BreakKind =
  | 'late_change'
  | 'suspected_duplicate'
  | 'unauthorized'
  | 'amount'
  | 'uncleared'
  | 'unstated'
  | 'unexplained_line';

/** `statement`: between card lines and clearings; `authorization`: between these and authorized. */
export type BridgeStep = 'statement' | 'authorization';

/** The state of a mail about a card. */
export interface CardMail {
  /** Digits. */
  readonly id: string;
  readonly company_id: number;
  /** The virtual card that the mail is about. */
  readonly vcn_id: number;
  /** The address, masked: j***@example.com. */
  readonly recipient: string;
  readonly state: MailState;
  /** Attempts since the mail was queued or retried. */
  readonly attempts: number;
  /** Why the last attempt failed, such as "refused 451". */
  readonly error: string | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** Null unless the mail is pending. ISO 8601. */
  readonly next_attempt_at: string | null;
  /** When the mail was sent or failed. ISO 8601. */
  readonly finished_at: string | null;
  readonly type: 'mail';
  /** The path of this resource. */
  readonly url: string;
}

export interface CardMailFilter {
  readonly state?: MailState | undefined;
  readonly company_id?: Id | undefined;
}

/** A clearing as answers and events show it. */
export interface Clearing {
  readonly id: number;
  readonly company_id: number;
  /** The virtual card. */
  readonly vcn_id: number;
  /** The real card. */
  readonly rcn_id: number;
  /** The name of the real card. */
  readonly rcn_alias: string;
  /** Masked: asterisks and the last four digits. */
  readonly card_number: string;
  /** As the network sent it. */
  readonly acquirer_ica: string | null;
  /** Maps to the online banking statement. */
  readonly acquirer_reference_data: string | null;
  readonly approval_code: string | null;
  /** YYYY-MM-DD. */
  readonly authorization_date: string | null;
  /** Financial network code (3), network reference (6), cycle date MMDD (4). */
  readonly net_reference_number: string | null;
  /** Minor units (cents). */
  readonly billing_amount: number;
  /** ISO 4217. */
  readonly billing_currency: string;
  readonly clearing_type: ClearingType;
  readonly exchange_rate: string | null;
  /** Unique per clearing. */
  readonly network_financial_transaction_id: string;
  /** Merchant category code, four digits. */
  readonly mcc: string | null;
  readonly mcc_description: string | null;
  /** Minor units (cents). */
  readonly merchant_amount: number | null;
  /** ISO 4217. */
  readonly merchant_currency: string | null;
  readonly merchant_id: string | null;
  readonly merchant_name: string | null;
  /** YYYY-MM-DD. */
  readonly settlement_date: string;
  readonly cycle: ClearingCycle;
  /** True: more clearings of this authorization follow. */
  readonly partial: boolean;
  /** The authorization that it was matched to. */
  readonly authorization_id: number | null;
  /** The earlier clearing that it reverses, disputes or refunds. */
  readonly clearing_id: number | null;
  /** The matching rule that applied; 9: the match was made by hand. */
  readonly match_rule: number;
  /** Whether a rule decided the match, or a person chose or confirmed it. */
  readonly matched_by: 'rule' | 'person';
  /** True: a person should check the match, or a credit that is above what its purchase cleared. */
  readonly review: boolean;
  readonly class: ClearingClass;
}

/** How a clearing compares with what it was matched to: the first class that applies. */
export type ClearingClass =
  | 'reversal'
  | 'suspected_duplicate'
  | 'refund_linked'
  | 'refund_unlinked'
  | 'force_post'
  | 'late'
  | 'partial'
  | 'fx_drift'
  | 'exact'
  | 'tip'
  | 'over'
  | 'under'
  | 'dispute';

/** The place of a clearing in a dispute. */
export type ClearingCycle = 'first_presentment' | 'second_presentment' | 'chargeback' | 'reversal';

/** A clearing was received, or its match changed. */
export interface ClearingEvent {
  /** Digits. */
  readonly id: string;
  readonly event_type: 'virtualcard.clearings';
  readonly payload: Clearing;
  /** State before; null: the object was created. */
  readonly previous: Clearing | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'event';
  /** The path of this resource. */
  readonly url: string;
}

/**
 * A clearing of the card network. The card is named by its number or its id. Fields that are not
 * listed are ignored. A clearing has no `trace_id`. It finds its authorization on the same card by
 * the first of these: (1) the same 13 characters of `net_reference_number`, and the same
 * `approval_code` if both have one; (2) the same 6 characters of the network reference within it
 * and the same `approval_code`, at most one day apart; (3) the same `approval_code` and
 * `merchant_id`, and an amount within 20 %; (4) the same `merchant_id` and amount, and `review` is
 * true. A debit that has none of them, for example only an `approval_code`, is a `force_post`.
 */
export interface ClearingMessage {
  /** The whole number. Beside vcn_id it may be masked, and is ignored. */
  readonly card_number?: string | null | undefined;
  /** The virtual card. */
  readonly vcn_id?: Id | null | undefined;
  /**
   * Unique per clearing. Zeros, or a number that a spreadsheet has rounded (`5.55E+17`), is
   * refused.
   */
  readonly network_financial_transaction_id: string;
  /** Minor units (cents). */
  readonly billing_amount: number;
  /** ISO 4217. */
  readonly billing_currency: string;
  readonly clearing_type: ClearingType;
  /** YYYY-MM-DD. */
  readonly settlement_date: string;
  /** True: more clearings of this authorization follow. */
  readonly partial?: boolean | null | undefined;
  readonly cycle?: ClearingCycle | null | undefined;
  /** Minor units (cents). */
  readonly merchant_amount?: number | null | undefined;
  /** ISO 4217. */
  readonly merchant_currency?: string | null | undefined;
  /** YYYY-MM-DD. */
  readonly authorization_date?: string | null | undefined;
  readonly acquirer_ica?: string | null | undefined;
  readonly acquirer_reference_data?: string | null | undefined;
  /** That of the authorization. Finds it beside net_reference_number or merchant_id. */
  readonly approval_code?: string | null | undefined;
  readonly exchange_rate?: string | null | undefined;
  /** Merchant category code, four digits. */
  readonly mcc?: string | null | undefined;
  readonly mcc_description?: string | null | undefined;
  /** That of the authorization. Finds it beside approval_code or the amount. */
  readonly merchant_id?: string | null | undefined;
  readonly merchant_name?: string | null | undefined;
  /**
   * That of the authorization: financial network code (3), network reference (6), cycle date MMDD
   * (4). Finds it.
   */
  readonly net_reference_number?: string | null | undefined;
}

/** DEBIT: a purchase. CREDIT: a return or reversal. */
export type ClearingType = 'DEBIT' | 'CREDIT';

/** The wrong codes of a card. */
export interface CodeFailures {
  /** The virtual card. */
  readonly id: string;
  readonly company_id: number;
  /** The last four digits of the card number. */
  readonly last4: string;
  /** Wrong codes that count on this UTC day. */
  readonly code_failures: number;
  readonly type: 'code_failures';
}

/** A company that has cards. */
export interface Company {
  /** Digits. */
  readonly id: string;
  readonly name: string;
  /** The bank's number of the company. */
  readonly customer_number: string;
  /** Whether mails about its cards contain the number and the code, beside the one-time link. */
  readonly full_details_in_mail: boolean;
  /**
   * The days after which a hold without a clearing ends, on cards without aging velocity; null: 30.
   */
  readonly hold_days: number | 'never' | null;
  readonly status: CompanyStatus;
  /**
   * The most requests per minute of all its keys together, in one process of the service; null: no
   * limit.
   */
  readonly rate_limit_per_minute: number | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'company';
  /** The path of this resource. */
  readonly url: string;
}

export interface CompanyFilter {
  readonly company_id?: Id | undefined;
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
  /** The path of this resource. */
  readonly url: string;
}

/**
 * `closed`: its calls are refused (`forbidden`) and its cards decline (K), until it is active
 * again.
 */
export type CompanyStatus = 'active' | 'closed';

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
  readonly company_id: number | null;
  /** Who authorised it; null before. */
  readonly user_id: string | null;
  /** The accounts that the user chose. */
  readonly account_ids: readonly string[];
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC. */
  readonly status_updated_at: string;
  /** ISO 8601, UTC. */
  readonly authorised_at: string | null;
  /** The withdrawal after the last authorisation; null: none. ISO 8601. */
  readonly withdrawn_at: string | null;
  /** The deletion by the third party; null: it was not deleted. ISO 8601. */
  readonly deleted_at: string | null;
  readonly type: 'consent';
  /** The path of this resource. */
  readonly url: string;
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

export type ConsentStatus = 'AwaitingAuthorisation' | 'Authorised' | 'Rejected' | 'Revoked';

/** A new account. */
export interface CreateAccount {
  readonly company_id: Id;
  /**
   * By which statements name the account. Blanks, points, hyphens and slashes are left out, and an
   * IBAN is written in capitals: what remains is the AccountId. No other account has it. Of a card
   * account it begins with ceid.
   */
  readonly number: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly kind: 'deposit' | 'card';
  readonly name?: string | null | undefined;
}

/** A new API key. */
export interface CreateApiKey {
  /** Required for the role client, allowed for bank, refused for the others. */
  readonly company_id?: Id | null | undefined;
  readonly role: ApiKeyRole;
  readonly name: string;
  /** If set, every request must be signed with it. */
  readonly signing_secret?: string | null | undefined;
  readonly rate_limit_per_minute?: number | null | undefined;
  /** From this instant on the key is refused like a revoked one; null: it never ends. ISO 8601. */
  readonly expires_at?: string | null | undefined;
}

/** A new company. */
export interface CreateCompany {
  readonly name: string;
  /** No other company has it. */
  readonly customer_number: string;
}

/** A new real card. */
export interface CreateRealCard {
  readonly company_id: Id;
  readonly alias: string;
  /** ISO 4217. */
  readonly billing_currency: string;
  /** The first digits of the numbers of its virtual cards. */
  readonly account_range: string;
  /** Default true. */
  readonly velocity_enabled?: boolean | null | undefined;
  /** Null: any name. */
  readonly network_data_names?: readonly string[] | null | undefined;
  /** Default true for the first real card of a company, else false. */
  readonly is_default?: boolean | null | undefined;
}

/** A new third party. */
export interface CreateThirdParty {
  /** Its OAuth client id. By default one is made. */
  readonly client_id?: string | null | undefined;
  /** What users of the bank see. */
  readonly name: string;
  readonly scopes: readonly ThirdPartyScope[];
  /** Https addresses, compared as they are. */
  readonly redirect_uris: readonly string[];
  readonly jwks?: JwkSet | null | undefined;
  /** The https address of its keys, in place of `jwks`. */
  readonly jwks_uri?: string | null | undefined;
  /**
   * The subject of its client certificate (RFC 4514), if it authenticates by the certificate. By
   * default it authenticates by private_key_jwt.
   */
  readonly certificate_subject?: string | null | undefined;
  /**
   * How its id_tokens are signed, and the answers that it asks for as JWT (JARM). By default PS256.
   */
  readonly id_token_signed_response_alg?: 'PS256' | 'ES256' | null | undefined;
}

/**
 * A new virtual card. Velocity (`recurring`, `transactions_max`) and aging velocity
 * (`authorization_hold_days`, `aging_velocity_time_zone`) exclude each other.
 */
export interface CreateVirtualCard {
  /** Minor units (cents). */
  readonly total_card_amount: number;
  /** Minor units (cents); null: 0. */
  readonly per_transaction_min?: number | null | undefined;
  /** Minor units (cents); null: the same as total_card_amount. */
  readonly per_transaction_max?: number | null | undefined;
  /** Uses per window; null or 0: unlimited. */
  readonly transactions_max?: number | null | undefined;
  /** First GMT date of use; null: today. YYYY-MM-DD. */
  readonly valid_starting_on?: string | null | undefined;
  /** Last GMT date of use; null: the last day of expiry. YYYY-MM-DD. */
  readonly valid_ending_on?: string | null | undefined;
  /** Null: the shared template that allows all merchant categories. */
  readonly template_id?: Id | null | undefined;
  /**
   * Up to 5 addresses that receive the card details when the card is created. A change sends no
   * mail.
   */
  readonly emails?: readonly string[] | null | undefined;
  /** Values of the names that the card network knows. */
  readonly network_data?: Readonly<Record<string, string>> | null | undefined;
  /** The old name of network_data. */
  readonly mastercard_data?: Readonly<Record<string, string>> | null | undefined;
  /** Any JSON object, at most 8192 bytes of UTF-8, with no number past 2^53. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** If set, purchases must be in this merchant currency. */
  readonly currency?: string | null | undefined;
  /** The window of the limits; null: Continuous. */
  readonly recurring?: Recurring | null | undefined;
  /** Days after which a hold without a clearing ends: aging velocity. */
  readonly authorization_hold_days?: number | null | undefined;
  /** IANA name, such as America/New_York. */
  readonly aging_velocity_time_zone?: string | null | undefined;
  /** Months from valid_starting_on; not with valid_ending_on. */
  readonly valid_for?: number | null | undefined;
  /** One of the company's real cards; default: its default real card. */
  readonly rcn_id?: Id | null | undefined;
  /** Your own number of the supplier. */
  readonly supplier_id?: number | null | undefined;
}

/** A new webhook. */
export interface CreateWebhook {
  /** An https URL on a public address. */
  readonly callback_url: string;
  /** Ids of event types; 1 is all. */
  readonly event_type_ids?: readonly number[] | null | undefined;
  /**
   * Signs the deliveries: text of 16 to 256 characters; after whsec_, the padded base64 of at least
   * 16 bytes. Absent: the service creates one.
   */
  readonly secret?: string | null | undefined;
  /** Default active. */
  readonly status?: WebhookStatus | null | undefined;
}

/** The decision of a user. */
export interface DecideConsent {
  readonly decision: 'approve' | 'reject';
  /** By default the first user of `GET /bank/v1/users`. */
  readonly user_id?: string | null | undefined;
  /** By default all accounts that the user may view. */
  readonly account_ids?: readonly string[] | null | undefined;
}

/**
 * The reasons to decline, the first that applies. U: the service could not decide, and nothing was
 * approved.
 */
export type DeclineCode = 'I' | 'K' | 'A' | 'B' | 'C' | 'D' | 'M' | 'J' | 'E' | 'G' | 'F' | 'U';

/** The delivery of an event to a webhook. */
export interface Delivery {
  /** Digits. */
  readonly id: string;
  /** Digits. */
  readonly event_id: string;
  /** The name that the webhook subscribed to. */
  readonly event_type: EventTypeName;
  /** X-Webhook-Sequence. */
  readonly sequence: number;
  readonly state: DeliveryState;
  /** Null unless the delivery is pending. ISO 8601. */
  readonly next_attempt_at: string | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** In the order in which they were made. */
  readonly attempts: readonly DeliveryAttempt[];
  readonly type: 'delivery';
  /** The path of this resource. */
  readonly url: string;
}

/** An attempt of a delivery. */
export interface DeliveryAttempt {
  readonly number: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The HTTP status of the callback URL; null: no answer. */
  readonly status: number | null;
  /** Why there was no answer. */
  readonly error: string | null;
  readonly duration_ms: number;
  /** The first 4 KiB of the answer. */
  readonly answer: string | null;
  /** The Retry-After header of the answer. It is ignored. */
  readonly retry_after: string | null;
}

export interface DeliveryFilter {
  readonly state?: DeliveryState | undefined;
}

export type DeliveryState = 'pending' | 'succeeded' | 'failed';

/**
 * The kind of a break, the class of a clearing, the status of an item, or a kind of the bridge
 * alone.
 */
export type DifferenceKind =
  | 'late_change'
  | 'suspected_duplicate'
  | 'unauthorized'
  | 'amount'
  | 'uncleared'
  | 'unstated'
  | 'unexplained_line'
  | 'reversal'
  | 'refund_linked'
  | 'refund_unlinked'
  | 'force_post'
  | 'late'
  | 'partial'
  | 'fx_drift'
  | 'exact'
  | 'tip'
  | 'over'
  | 'under'
  | 'dispute'
  | 'timing'
  | 'other_account'
  | 'awaiting'
  | 'proposed'
  | 'accepted'
  | 'ignored'
  | 'pending';

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
  /** ISO 8601, UTC. */
  readonly updated_at: string;
  readonly type: 'direct_debit';
}

/** Where the details of a card are mailed to. */
export interface EmailVirtualCard {
  /** The address. */
  readonly email: string;
}

/** An event. `event_type` states which. */
export type Event =
  | VirtualCardEvent
  | AuthorizationEvent
  | ClearingEvent
  | TemplateEvent
  | ReconciliationBreakEvent
  | ForeignEventRecord;

/**
 * Several filters are ANDed. A range is `[from,to]` with both ends included. Either end may be
 * empty.
 */
export interface EventFilter {
  readonly 'payload.merchant_amount'?: RangeFilter<number> | undefined;
  readonly 'payload.billing_amount'?: RangeFilter<number> | undefined;
  readonly 'payload.transaction_date_time'?: RangeFilter<string> | undefined;
  readonly 'payload.approval_code'?: string | undefined;
  readonly 'payload.net_ref_num'?: RangeFilter<string> | undefined;
  /** The masked number, as events show it. Never send a whole number in a query. */
  readonly 'payload.card_number'?: string | undefined;
  readonly 'payload.financial_network_code'?: string | undefined;
  readonly 'payload.mcc_description'?: string | undefined;
  readonly 'payload.mcc'?: string | undefined;
  readonly 'payload.merchant_name'?: string | undefined;
  readonly 'payload.rcn_alias'?: string | undefined;
  readonly 'payload.rcn_id'?: Id | undefined;
  readonly 'payload.transaction_type'?: string | undefined;
  readonly 'payload.vcn_id'?: Id | undefined;
  readonly 'payload.id'?: Id | undefined;
  readonly 'payload.status'?: string | undefined;
  /** `all` is every type. */
  readonly event_type?:
    | 'all'
    | 'virtualcard.created'
    | 'virtualcard.deleted'
    | 'onboarding.company.status'
    | 'ach.status'
    | 'virtualcard.realtime.auths'
    | 'virtualcard.clearings'
    | 'virtualcard.realtime.iccp.all'
    | 'virtualcard.purchasetemplate.created'
    | 'ach.status.advice'
    | 'virtualcard.updated'
    | 'ach.$$limit.exceeded'
    | 'reconciliation.break.opened'
    | 'reconciliation.break.aged'
    | 'reconciliation.break.resolved'
    | undefined;
  readonly created_at?: RangeFilter<string> | undefined;
}

/** A type of events that a webhook can subscribe to. */
export interface EventType {
  /** For `event_type_ids` of webhooks. */
  readonly id: number;
  readonly name:
    | 'all'
    | 'virtualcard.created'
    | 'virtualcard.deleted'
    | 'onboarding.company.status'
    | 'ach.status'
    | 'virtualcard.realtime.auths'
    | 'virtualcard.clearings'
    | 'virtualcard.realtime.iccp.all'
    | 'virtualcard.purchasetemplate.created'
    | 'ach.status.advice';
}

export type EventTypeName =
  | 'virtualcard.created'
  | 'virtualcard.deleted'
  | 'onboarding.company.status'
  | 'ach.status'
  | 'virtualcard.realtime.auths'
  | 'virtualcard.clearings'
  | 'virtualcard.realtime.iccp.all'
  | 'virtualcard.purchasetemplate.created'
  | 'ach.status.advice'
  | 'virtualcard.updated'
  | 'ach.$$limit.exceeded'
  | 'reconciliation.break.opened'
  | 'reconciliation.break.aged'
  | 'reconciliation.break.resolved';

/** An event of another system of the bank. */
export interface ForeignEvent {
  readonly company_id: Id;
  readonly event_type: ForeignEventType;
  /** Current state of the object: at most 65536 bytes of JSON. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** State before; null: the object is new. */
  readonly previous?: Readonly<Record<string, unknown>> | null | undefined;
}

/** An event that another system of the bank recorded. */
export interface ForeignEventRecord {
  /** Digits. */
  readonly id: string;
  readonly event_type: 'ach.status' | 'ach.status.advice' | 'ach.$$limit.exceeded' | 'onboarding.company.status';
  readonly payload: ForeignState;
  /** State before; null: the object was created. */
  readonly previous: ForeignState | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'event';
  /** The path of this resource. */
  readonly url: string;
}

/** The type of an event that another system of the bank records. */
export type ForeignEventType =
  | 'ach.status'
  | 'ach.status.advice'
  | 'ach.$$limit.exceeded'
  | 'onboarding.company.status';

/** Any JSON object. Anything that could be a card number is masked. */
export type ForeignState = Readonly<Record<string, unknown>>;

/** A statement of a file that is held, and why. */
export interface HeldStatement {
  /** Its place among the statements of the file: `release` and `replay` take it. */
  readonly number: number;
  /** The account, as the file states it. */
  readonly account_number: string;
  /** The bank's id of the statement; null: none. */
  readonly reference: string | null;
  /** The statement's date. YYYY-MM-DD. */
  readonly as_of: string;
  readonly lines: number;
  /** A stable code, such as `statement_gap`. */
  readonly code: string;
  /** What is wrong, and what to do. */
  readonly message: string;
  /** Bytes from the start of the file. */
  readonly offset: number | null;
  /**
   * The account to be created, or of which a statement is missing: then it is applied by itself.
   * Else null.
   */
  readonly waits_for: string | null;
}

/** An id, as a number or as digits. */
export type Id = number | string;

/** A file that was imported, is being imported, or was not accepted. */
export interface Import {
  /** Digits. */
  readonly id: string;
  /** The name of the file. */
  readonly name: string;
  /** `cdf3`, `ipm`, `csv`, `vcf4`, `bai2`, `camt053`, `mt940`, or one that the host added. */
  readonly format: string;
  /** The profile that was named; null: none. */
  readonly profile: string | null;
  /** The profile by which it was read, named or found; null: none. */
  readonly read_with: ImportProfile | null;
  /** Of all bytes of the file; null until they are read. */
  readonly sha256: string | null;
  /** The id in the header; null: the file has none. */
  readonly file_id: string | null;
  readonly status: ImportStatus;
  /**
   * Of a running import; else null. Clearings are `applying`; statements are `queued`, `checking`
   * and `recording`.
   */
  readonly phase: 'staging' | 'applying' | 'queued' | 'checking' | 'recording' | null;
  /** Bytes that were read. */
  readonly bytes: number;
  /** Records of the file, header and trailer included. */
  readonly records: number;
  /** Bank statements of the file; 0 for a file of clearings. */
  readonly statements: number;
  /** Clearings, or lines of statements, that were recorded. */
  readonly applied: number;
  /** Clearings or lines that were recorded before, by a message or another file. */
  readonly duplicates: number;
  /** Records in quarantine. */
  readonly quarantined: number;
  /** Lines of held statements. */
  readonly held: number;
  /** Applied clearings that matched an authorization or an earlier clearing. */
  readonly matched: number;
  /**
   * Applied clearings whose class is `force_post`, `over` or `suspected_duplicate`, or that are
   * marked for `review`.
   */
  readonly breaks: number;
  /**
   * Records that are neither clearings nor of a statement, by their type in the words of the
   * format.
   */
  readonly other_records: Readonly<Record<string, number>>;
  /** The totals of the trailer in the words of the format, in decimal. */
  readonly control_totals: Readonly<Record<string, string>>;
  /** For example a gap in the sequence of files. */
  readonly warnings: readonly string[];
  /** Why the file was held, refused or truncated. */
  readonly problem: ImportProblem | null;
  /** The first held statements, at most 100; all of them: `/statements`. */
  readonly held_statements: readonly HeldStatement[];
  /** Why an operator released it; null: it was not released. */
  readonly note: string | null;
  /** ISO 8601, UTC. */
  readonly started_at: string;
  /** Null while it is running. ISO 8601. */
  readonly finished_at: string | null;
  readonly type: 'import';
  /** The path of this resource. */
  readonly url: string;
}

export interface ImportFilter {
  readonly status?: ImportStatus | undefined;
  readonly format?: string | undefined;
}

/** Why a file was not applied. */
export interface ImportProblem {
  /** A stable code, such as `trailer_missing`. */
  readonly code: string;
  readonly message: string;
  /** Bytes from the start of the file; null where that is unknown. */
  readonly offset: number | null;
}

/** How a file was read. */
export interface ImportProfile {
  readonly profile: string;
  /** Of all settings of the profile; two imports with the same hash were read alike. */
  readonly settings_sha256: string;
}

/** The release of a held import. */
export interface ImportRelease {
  /** Why it may be applied; the audit log keeps it. */
  readonly note: string;
  /** The number of one held statement; absent: all of them. */
  readonly statement?: number | undefined;
}

/** What is tried again. */
export interface ImportReplay {
  /** The number of one held statement; absent: all of them. */
  readonly statement?: number | undefined;
}

/** A statement of an imported file, with what became of it. */
export interface ImportStatement {
  /** Its place among the statements of the file: `release` and `replay` take it. */
  readonly number: number;
  /** The account, as the file states it. */
  readonly account_number: string;
  /** The bank's id of the statement; null: none. */
  readonly reference: string | null;
  /** The statement's date. YYYY-MM-DD. */
  readonly as_of: string;
  readonly lines: number;
  /** As stated; null: not stated. */
  readonly currency: string | null;
  /** Minor units, as stated or as it follows; null: not known. */
  readonly opening_balance: number | null;
  /** Minor units, as stated or as it follows; null: not known. */
  readonly closing_balance: number | null;
  /** `staged`: to be checked. `recording`: its lines are being recorded. */
  readonly status: 'staged' | 'recording' | 'applied' | 'held';
  /** Why it is held; null: it is not. */
  readonly problem: {
    /** A stable code, such as `statement_gap`. */
    readonly code: string;
    /** What is wrong, and what to do. */
    readonly message: string;
    /** Bytes from the start of the file. */
    readonly offset: number | null;
    /**
     * The account to be created, or of which a statement is missing: then it is applied by itself.
     * Else null.
     */
    readonly waits_for: string | null;
  } | null;
  readonly type: 'import_statement';
}

export interface ImportStatementFilter {
  readonly status?: 'staged' | 'recording' | 'applied' | 'held' | undefined;
}

/**
 * `completed_with_quarantine`: some records are in quarantine, or statements held, and all others
 * applied. `held`: nothing is applied until an operator releases it, or what it waits for is there.
 * `refused`, `truncated`: nothing was applied.
 */
export type ImportStatus = 'running' | 'completed' | 'completed_with_quarantine' | 'held' | 'refused' | 'truncated';

export type ItemStatus = 'ignored' | 'accepted' | 'break' | 'proposed' | 'awaiting' | 'matched';

/**
 * Its public keys as a JWK set (RFC 7517): P-256 keys for ES256, RSA keys of at least 2,048 bits
 * for PS256.
 */
export type JwkSet = Readonly<Record<string, unknown>>;

/** A stored mail in a list. */
export interface MailboxItem {
  /** Digits. */
  readonly id: string;
  /** The address. */
  readonly to: string;
  readonly subject: string;
  /** ISO 8601, UTC. */
  readonly received_at: string;
  readonly type: 'mailboxmessage';
  /** The path of this resource. */
  readonly url: string;
}

/** A stored mail. */
export interface MailboxMessage {
  /** Digits. */
  readonly id: string;
  /** The address. */
  readonly to: string;
  readonly subject: string;
  /** ISO 8601, UTC. */
  readonly received_at: string;
  readonly type: 'mailboxmessage';
  /** The path of this resource. */
  readonly url: string;
  /** The message as text, with the one-time link. */
  readonly text: string;
  readonly html: string;
}

export type MailState = 'pending' | 'sent' | 'failed';

/** A rule of matching, `ard` (the acquirer reference of a line), `covering_set`, or `person`. */
export type MatchedBy = '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | 'ard' | 'covering_set' | 'person';

/** The side to which clearings are matched. */
export type MatchSide = 'authorization' | 'statement';

/** Whether mcc_list names what is allowed or what is denied. */
export type MccRule = 'ALLOW' | 'DENY';

/** The item is part of another one, to which its id leads. */
export interface MergedReconciliationItem {
  readonly item_id: number;
  readonly status: 'merged';
}

/** The type of an authorization message. */
export type MessageType = 'Authorization Request' | 'Authorization Advice' | 'Reversal Request' | 'Reversal Advice';

/** An item of a list of which only its id, type and path are shown. */
export interface MinimalItem {
  readonly id: string | number;
  readonly type: string;
  /** The path of this item. That of a template is the query that shows its status. */
  readonly url: string;
}

/** A move of the clock. */
export interface MoveSandboxClock {
  /** ISO 8601 duration of weeks, days (24 hours) and times, such as P1W, P1DT2H or PT0.5S. */
  readonly advance?: string | null | undefined;
  /** ISO 8601 instant; not together with advance. */
  readonly set?: string | null | undefined;
  /** True: the clock stands still there. False: it runs. Absent: as before. */
  readonly frozen?: boolean | null | undefined;
}

/** `aisp`: account information. `cbpii`: confirmation of funds. */
export type OpenBankingService = 'aisp' | 'cbpii';

/** An attempt of a delivery, as operators see it. */
export interface OperatorAttempt {
  readonly number: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The HTTP status of the callback URL; null: no answer. */
  readonly status: number | null;
  /** Why there was no answer. */
  readonly error: string | null;
  readonly duration_ms: number;
  /** The Retry-After header of the answer. It is ignored. */
  readonly retry_after: string | null;
}

/** A delivery, as operators see it. */
export interface OperatorDelivery {
  /** Digits. */
  readonly id: string;
  /** Digits. */
  readonly event_id: string;
  /** The name that the webhook subscribed to. */
  readonly event_type: EventTypeName;
  /** X-Webhook-Sequence. */
  readonly sequence: number;
  readonly state: DeliveryState;
  /** Null unless the delivery is pending. ISO 8601. */
  readonly next_attempt_at: string | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** In the order in which they were made. */
  readonly attempts: readonly OperatorAttempt[];
  readonly type: 'delivery';
  readonly company_id: number;
  readonly webhook_id: number;
}

/** Several filters are ANDed. `next_attempt_at` finds pending deliveries only. */
export interface OperatorDeliveryFilter {
  readonly company_id?: Id | undefined;
  readonly webhook_id?: Id | undefined;
  readonly state?: DeliveryState | undefined;
  readonly next_attempt_at?: RangeFilter<string> | undefined;
}

/** A webhook with its state, as operators see it. */
export interface OperatorWebhook {
  /** Digits. */
  readonly id: string;
  readonly company_id: number;
  /** Where events are posted to. */
  readonly callback_url: string;
  /** Ids of event types; 1 is all. */
  readonly event_type_ids: readonly number[];
  readonly status: WebhookStatus;
  /** Active, and its last 3 attempts failed. */
  readonly failing: boolean;
  /** The failed attempts since the last success. */
  readonly failures_in_a_row: number;
  /** When the first of them was made. ISO 8601. */
  readonly failing_since: string | null;
  /** Its pending deliveries; 1000: so many or more. */
  readonly backlog: number;
  /** When the first of them is or was due. ISO 8601. */
  readonly oldest_due_at: string | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'webhook';
}

export interface OperatorWebhookFilter {
  readonly company_id?: Id | undefined;
  readonly failing?: boolean | undefined;
}

/** A purchase template. */
export interface PurchaseTemplate {
  /** The id of the shared default for this control. */
  readonly copy_from_template: string;
  readonly description: string;
  /** The query that shows the status. */
  readonly links: readonly {
    /** A path. */
    readonly href: string;
    readonly method: 'GET';
    readonly rel: 'self';
  }[];
  readonly mcc_list: readonly string[];
  readonly mcc_rule: MccRule;
  readonly name: string;
  readonly required_control: RequiredControl;
  /** Identifies the request. */
  readonly transaction_key: string;
  readonly id: number;
  /** Null: shared by all companies. */
  readonly company_id: number | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC. */
  readonly deleted_at: string | null;
  readonly environment: 'sandbox' | 'live';
  readonly identity: null;
  readonly status: 'PENDING' | 'ACTIVE';
  /** ISO 8601, UTC. */
  readonly updated_at: string;
}

/** The answer to the request for a template. */
export interface PurchaseTemplateAcknowledgement {
  /** The id of the shared default for this control. */
  readonly copy_from_template: string;
  readonly description: string;
  /** The query that shows the status. */
  readonly links: readonly {
    /** A path. */
    readonly href: string;
    readonly method: 'GET';
    readonly rel: 'self';
  }[];
  readonly mcc_list: readonly string[];
  readonly mcc_rule: MccRule;
  readonly name: string;
  readonly required_control: RequiredControl;
  /** Identifies the request. */
  readonly transaction_key: string;
  /** The bank's number of the company. */
  readonly customer_number: string;
  readonly status: 'PENDING';
}

export interface PurchaseTemplateFilter {
  readonly transaction_key?: string | undefined;
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
  /** Default: now. Not more than a day ahead. ISO 8601. */
  readonly as_of?: string | null | undefined;
}

/** How third parties see an account. */
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
  /** Default: now if the status changes. ISO 8601. */
  readonly status_updated_at?: string | null | undefined;
  /** Together with `servicer_identification`. */
  readonly servicer_scheme_name?: string | null | undefined;
  readonly servicer_identification?: string | null | undefined;
}

/** A user of the bank. */
export interface PutBankUser {
  /** A user never changes the company. Required unless the key serves one company. */
  readonly company_id: Id;
  readonly name: string;
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
export interface PutCompanyOpenBanking {
  readonly eligible_services: readonly OpenBankingService[];
  /** Whether the company is configured for API services. */
  readonly is_configured: boolean;
}

/** A clearing that was refused and is kept. */
export interface Quarantined {
  /** Digits. */
  readonly id: string;
  readonly source: 'http' | 'file';
  /** Of a file: its import. */
  readonly import_id: number | null;
  /** Of a file: the number of the record. */
  readonly ordinal: number | null;
  /** Of a file: the byte offset or line of the record. */
  readonly position: number | null;
  readonly status: QuarantineStatus;
  /** Why it was refused the last time. */
  readonly reason: QuarantineReason;
  /** The reason in words. */
  readonly explanation: string;
  /** The fields that were sent. The card number is masked. */
  readonly message: Readonly<Record<string, unknown>>;
  /** How often the message was refused, replays included. */
  readonly count: number;
  /** ISO 8601, UTC. */
  readonly first_seen_at: string;
  /** ISO 8601, UTC. */
  readonly last_seen_at: string;
  /** ISO 8601, UTC. */
  readonly applied_at: string | null;
  /** The clearing of an applied record. */
  readonly clearing_id: number | null;
  readonly type: 'quarantined';
  /** The path of this resource. */
  readonly url: string;
}

export interface QuarantineFilter {
  readonly status?: QuarantineStatus | undefined;
  readonly reason?: QuarantineReason | undefined;
}

/** Why a clearing was refused. */
export type QuarantineReason =
  | 'unknown_card'
  | 'transaction_of_another_card'
  | 'transaction_of_another_clearing'
  | 'other_billing_currency'
  | 'sum_limit'
  | 'card_mismatch'
  | 'invalid_clearing'
  | 'malformed_record';

/** `applied`: a replay recorded the clearing. */
export type QuarantineStatus = 'quarantined' | 'applied';

/** A real card. */
export interface RealCard {
  /** Digits. */
  readonly id: string;
  /** The id as a number: the rcn_id of its virtual cards. */
  readonly rcn_id: number;
  /** The name of the real card. */
  readonly rcn_alias: string;
  /** The company. */
  readonly company_id: number;
  /** ISO 4217. */
  readonly billing_currency: string;
  /** The first digits of the numbers of its virtual cards. */
  readonly account_range: string;
  /** False: its virtual cards can only be Continuous. */
  readonly velocity_enabled: boolean;
  /** The names that network_data may have; null: any name. */
  readonly network_data_names: readonly string[] | null;
  /** Whether a virtual card without rcn_id is tied to it. */
  readonly is_default: boolean;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'realcard';
  /** The path of this resource. */
  readonly url: string;
}

/** What a person did to an item. */
export interface ReconciliationAct {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Who did it: `key:<id>`, the `actor` of a call in process, or `command`. */
  readonly actor: string;
  readonly action: 'match' | 'unmatch' | 'ignore' | 'accept' | 'confirm' | 'reopen';
  /** The id of the item at that time; it may have been merged since. */
  readonly item_id: string;
  readonly note: string;
  readonly reason: string | null;
}

/** An action on an item. */
export interface ReconciliationAction {
  /** Why; the history and the audit log keep it. */
  readonly note: string;
  /** A code or a word of your own, such as `merchant_refund_agreed`. */
  readonly reason?: string | null | undefined;
  /** The version that you saw; refused (`conflict`) when the item has another one. */
  readonly version?: number | null | undefined;
}

/** Another way to match the records of an item. */
export interface ReconciliationAlternative {
  readonly rule: MatchedBy;
  /** One sentence, with the values that fit. */
  readonly reason: string;
  readonly authorization_id: number | null;
  readonly clearing_ids: readonly number[];
  readonly line_ids: readonly number[];
}

/** The item of a break in an event. */
export interface ReconciliationBreak {
  readonly item_id: number;
  readonly kind: BreakKind | null;
  readonly status: ItemStatus;
  readonly class: ClearingClass | null;
  /** The virtual card. */
  readonly vcn_id: number | null;
  /** Minor units (cents). */
  readonly authorized: number | null;
  /** Minor units (cents). */
  readonly cleared: number | null;
  /** Minor units (cents). */
  readonly stated: number | null;
  /** Minor units (cents). */
  readonly fees: number;
  /** Minor units (cents). */
  readonly difference: number;
  /** ISO 4217. */
  readonly currency: string;
  /** YYYY-MM-DD. */
  readonly due_date: string | null;
  /** Days since the due date; null: it is no break. */
  readonly age: BreakAge | null;
}

/** A break was opened, grew older or was resolved. */
export interface ReconciliationBreakEvent {
  /** Digits. */
  readonly id: string;
  readonly event_type: 'reconciliation.break.opened' | 'reconciliation.break.aged' | 'reconciliation.break.resolved';
  readonly payload: ReconciliationBreakState;
  /** State before; null: the object was created. */
  readonly previous: ReconciliationBreakState | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'event';
  /** The path of this resource. */
  readonly url: string;
}

/** The item of a break in an event. */
export type ReconciliationBreakState = ReconciliationBreak | MergedReconciliationItem;

/** How the balances of an account follow from clearings and authorizations. */
export interface ReconciliationBridge {
  /** The number of the account. */
  readonly account_id: string;
  /** ISO 4217. */
  readonly currency: string;
  /** YYYY-MM-DD. */
  readonly from: string | null;
  /** YYYY-MM-DD. */
  readonly to: string | null;
  /** Minor units (cents). */
  readonly opening_balance: number;
  /** = clearings + fees + differences of the step `statement` + unexplained_sum. */
  readonly card_lines: number;
  /** Minor units (cents). */
  readonly other_lines: number;
  /** = opening_balance + card_lines + other_lines. */
  readonly closing_balance: number;
  /** = authorized + differences of the step `authorization`. */
  readonly clearings: number;
  /** Minor units (cents). */
  readonly fees: number;
  /** Minor units (cents). */
  readonly authorized: number;
  /** The first 100000. Fewer booking dates, or the items of `difference_sums`, show the others. */
  readonly differences: readonly ReconciliationDifference[];
  /** Of all differences, listed or not. */
  readonly differences_count: number;
  /** All differences by step and kind. */
  readonly difference_sums: readonly ReconciliationDifferenceSum[];
  /**
   * The first 100000 card lines that are breaks and have no clearing. Fewer booking dates, or items
   * with `filter[kind]=unexplained_line`, show the others.
   */
  readonly unexplained: readonly ReconciliationUnexplainedLine[];
  /** Of all unexplained lines, listed or not. */
  readonly unexplained_count: number;
  /** Of all unexplained lines, listed or not. */
  readonly unexplained_sum: number;
}

export interface ReconciliationBridgeFilter {
  /** The number of the account. */
  readonly account_id: string;
  readonly booking_date?: RangeFilter<string> | undefined;
}

/** The result of a table of decisions. */
export interface ReconciliationDecisions {
  /** Nothing was decided. */
  readonly dry_run: boolean;
  /** Rows below the names. */
  readonly rows: number;
  /** Rows without a decision. */
  readonly skipped: number;
  readonly decided: number;
  /** Rows whose decision with that note stands already. */
  readonly unchanged: number;
  /** The first errors; empty unless it was a dry run. */
  readonly errors: readonly ReconciliationRowError[];
  readonly errors_total: number;
}

/** A difference of an item in the bridge. */
export interface ReconciliationDifference {
  /** Null: lines that are in no item yet. */
  readonly item_id: string | null;
  readonly step: BridgeStep;
  readonly kind: DifferenceKind;
  /** Minor units (cents). */
  readonly amount: number;
}

/** All differences of a kind in the bridge. */
export interface ReconciliationDifferenceSum {
  readonly step: BridgeStep;
  readonly kind: DifferenceKind;
  readonly count: number;
  /** Minor units (cents). */
  readonly sum: number;
  /**
   * Lists the items of the company with this kind, class or status, on any account; null: no filter
   * lists them.
   */
  readonly items_url: string | null;
}

/** A purchase, lone clearing or lone card line, with what was matched to it. */
export interface ReconciliationItem {
  /** Digits. */
  readonly id: string;
  /** Rises when the content of the item changes. */
  readonly version: number;
  readonly status: ItemStatus;
  /** Of the break, also when it is accepted or ignored; null: there is none. */
  readonly kind: BreakKind | null;
  /** The class of its clearings; null: it has none. */
  readonly class: ClearingClass | null;
  /** The weakest of its matches; null: it has none. */
  readonly rule: MatchedBy | null;
  /** How many sides it needs; 2: no statement covers its clearings. */
  readonly sides: 1 | 2 | 3;
  /** The virtual card. */
  readonly vcn_id: number | null;
  readonly merchant_name: string | null;
  /** More than one when a line is matched to clearings of several purchases. */
  readonly authorization_ids: readonly number[];
  readonly clearing_ids: readonly number[];
  readonly line_ids: readonly number[];
  /** Minor units, purchases positive; null: the item has no such side. */
  readonly authorized: number | null;
  /** Minor units, purchases positive; null: the item has no such side. */
  readonly cleared: number | null;
  /** Minor units, purchases positive, fees included; null: the item has no such side. */
  readonly stated: number | null;
  /** Minor units: the part of `stated` that is fees. */
  readonly fees: number;
  /** (stated - fees, else cleared) - (authorized, else cleared, else 0). */
  readonly difference: number;
  /** ISO 4217. */
  readonly currency: string;
  /** Of its newest clearing; null: it has none. YYYY-MM-DD. */
  readonly settlement_date: string | null;
  /** When what is missing is due, or since when it is a break. YYYY-MM-DD. */
  readonly due_date: string | null;
  /** Days since the due date, 0 for a break before it; null: there is none, or it is to come. */
  readonly age_days: number | null;
  /** The closed period that froze it; null: it is open. */
  readonly period_id: number | null;
  /** When its first record arrived. ISO 8601. */
  readonly opened_at: string;
  readonly matches: readonly ReconciliationMatch[];
  /** Other ways to match its records, the best first. */
  readonly alternatives: readonly ReconciliationAlternative[];
  readonly type: 'reconciliation_item';
  /** The path of this resource. */
  readonly url: string;
}

/**
 * Several filters are ANDed. A range is `[from,to]` with both ends included. Either end may be
 * empty.
 */
export interface ReconciliationItemFilter {
  readonly status?: ItemStatus | undefined;
  readonly class?: ClearingClass | undefined;
  readonly kind?: BreakKind | undefined;
  readonly vcn_id?: Id | undefined;
  /** ISO 4217. */
  readonly currency?: string | undefined;
  /** Of the newest clearing of an item. */
  readonly settlement_date?: RangeFilter<string> | undefined;
  /** Days since the due date. */
  readonly age_days?: RangeFilter<number> | undefined;
}

/** An item with its history. */
export interface ReconciliationItemWithHistory {
  /** Digits. */
  readonly id: string;
  /** Rises when the content of the item changes. */
  readonly version: number;
  readonly status: ItemStatus;
  /** Of the break, also when it is accepted or ignored; null: there is none. */
  readonly kind: BreakKind | null;
  /** The class of its clearings; null: it has none. */
  readonly class: ClearingClass | null;
  /** The weakest of its matches; null: it has none. */
  readonly rule: MatchedBy | null;
  /** How many sides it needs; 2: no statement covers its clearings. */
  readonly sides: 1 | 2 | 3;
  /** The virtual card. */
  readonly vcn_id: number | null;
  readonly merchant_name: string | null;
  /** More than one when a line is matched to clearings of several purchases. */
  readonly authorization_ids: readonly number[];
  readonly clearing_ids: readonly number[];
  readonly line_ids: readonly number[];
  /** Minor units, purchases positive; null: the item has no such side. */
  readonly authorized: number | null;
  /** Minor units, purchases positive; null: the item has no such side. */
  readonly cleared: number | null;
  /** Minor units, purchases positive, fees included; null: the item has no such side. */
  readonly stated: number | null;
  /** Minor units: the part of `stated` that is fees. */
  readonly fees: number;
  /** (stated - fees, else cleared) - (authorized, else cleared, else 0). */
  readonly difference: number;
  /** ISO 4217. */
  readonly currency: string;
  /** Of its newest clearing; null: it has none. YYYY-MM-DD. */
  readonly settlement_date: string | null;
  /** When what is missing is due, or since when it is a break. YYYY-MM-DD. */
  readonly due_date: string | null;
  /** Days since the due date, 0 for a break before it; null: there is none, or it is to come. */
  readonly age_days: number | null;
  /** The closed period that froze it; null: it is open. */
  readonly period_id: number | null;
  /** When its first record arrived. ISO 8601. */
  readonly opened_at: string;
  readonly matches: readonly ReconciliationMatch[];
  /** Other ways to match its records, the best first. */
  readonly alternatives: readonly ReconciliationAlternative[];
  readonly type: 'reconciliation_item';
  /** The path of this resource. */
  readonly url: string;
  /** More authorizations fit than the alternatives list. */
  readonly has_more_alternatives: boolean;
  /** What people did to it and to the items merged into it, the oldest act first. */
  readonly history: readonly ReconciliationAct[];
}

/** A match of an item. */
export interface ReconciliationMatch {
  readonly side: MatchSide;
  readonly rule: MatchedBy;
  readonly class: ClearingClass | null;
  readonly authorization_id: number | null;
  readonly clearing_ids: readonly number[];
  readonly line_ids: readonly number[];
  /** The values that made the match, by their names. */
  readonly values: Readonly<Record<string, string | number | null>>;
}

/** A match by hand. */
export interface ReconciliationMatchAction {
  /** Why; the history and the audit log keep it. */
  readonly note: string;
  /** A code or a word of your own, such as `merchant_refund_agreed`. */
  readonly reason?: string | null | undefined;
  /** The version that you saw; refused (`conflict`) when the item has another one. */
  readonly version?: number | null | undefined;
  /** What belongs to the item: the records of the other side. */
  readonly with: {
    readonly authorization_id?: number | null | undefined;
    readonly clearing_ids?: readonly number[] | null | undefined;
    readonly line_ids?: readonly number[] | null | undefined;
  };
}

/** A closed period. */
export interface ReconciliationPeriod {
  /** Digits. */
  readonly id: string;
  /** The last day of the period; it begins after the one before it. YYYY-MM-DD. */
  readonly closed_through: string;
  /** `closing`, `reopening`: it was interrupted; the same request again completes it. */
  readonly status: 'closing' | 'closed' | 'reopening' | 'reopened';
  /** Items that do not change any more. */
  readonly frozen: number;
  /** Breaks of the period that were open when it was closed. */
  readonly open_breaks: number;
  /** ISO 8601, UTC. */
  readonly closed_at: string;
  readonly closed_by: string;
  /** ISO 8601, UTC. */
  readonly reopened_at: string | null;
  readonly reopened_by: string | null;
  readonly type: 'reconciliation_period';
}

/** The period to close. */
export interface ReconciliationPeriodClosing {
  /** The last day to close; a day that is over in UTC. YYYY-MM-DD. */
  readonly closed_through: string;
}

/** What is wrong with a row of a table. */
export interface ReconciliationRowError {
  /** The line of names is row 1. */
  readonly row: number;
  readonly column: 'id' | 'version' | 'decision' | 'note';
  /** What it must be. */
  readonly message: string;
}

/** The matches of a rule in numbers. */
export interface ReconciliationRule {
  readonly rule: MatchedBy;
  /** Clearings matched to an authorization or an earlier clearing. */
  readonly authorization_matches: number;
  /** Matches of statement lines with clearings. */
  readonly statement_matches: number;
  /** Proposals of the rule that a person confirmed. */
  readonly confirmed: number;
  /** Matches of the rule that a person undid. */
  readonly undone: number;
}

/** The matches of all rules in numbers. */
export interface ReconciliationRules {
  /** The rules that made a match. */
  readonly rules: readonly ReconciliationRule[];
  readonly matches: number;
  /** The part of the matches that no person made; null: there are none. */
  readonly share_without_person: number | null;
  readonly confirmed: number;
  readonly undone: number;
}

export interface ReconciliationRulesFilter {
  readonly settlement_date?: RangeFilter<string> | undefined;
}

/** The items of a company in numbers. */
export interface ReconciliationSummary {
  /** Of all items; null: there are several, or there are no items. */
  readonly currency: string | null;
  /**
   * All items. The amount of an item is what is stated less fees, else cleared, else authorized.
   */
  readonly by_status: Readonly<Partial<Record<ItemStatus, ReconciliationTotal>>>;
  /** Breaks. The amount of an item is what is stated less fees, else cleared, else authorized. */
  readonly by_kind: Readonly<Partial<Record<BreakKind, ReconciliationTotal>>>;
  /**
   * Items with a clearing that are not ignored. The amount of an item is what is stated less fees,
   * else cleared, else authorized.
   */
  readonly by_class: Readonly<Partial<Record<ClearingClass, ReconciliationTotal>>>;
  /**
   * Breaks, by the days since their due date. The amount of an item is what is stated less fees,
   * else cleared, else authorized.
   */
  readonly by_age: Readonly<Partial<Record<BreakAge, ReconciliationTotal>>>;
  /** The same for each currency. */
  readonly by_currency: Readonly<Record<string, ReconciliationTotals>>;
}

/** The number of some items, and the sum of their amounts. */
export interface ReconciliationTotal {
  readonly count: number;
  /** Minor units; null: the items are of several currencies, see `by_currency`. */
  readonly sum: number | null;
}

/** The items of one currency in numbers. */
export interface ReconciliationTotals {
  /**
   * All items. The amount of an item is what is stated less fees, else cleared, else authorized.
   */
  readonly by_status: Readonly<Partial<Record<ItemStatus, ReconciliationTotal>>>;
  /** Breaks. The amount of an item is what is stated less fees, else cleared, else authorized. */
  readonly by_kind: Readonly<Partial<Record<BreakKind, ReconciliationTotal>>>;
  /**
   * Items with a clearing that are not ignored. The amount of an item is what is stated less fees,
   * else cleared, else authorized.
   */
  readonly by_class: Readonly<Partial<Record<ClearingClass, ReconciliationTotal>>>;
  /**
   * Breaks, by the days since their due date. The amount of an item is what is stated less fees,
   * else cleared, else authorized.
   */
  readonly by_age: Readonly<Partial<Record<BreakAge, ReconciliationTotal>>>;
}

/** A card line that has no clearing. */
export interface ReconciliationUnexplainedLine {
  readonly line_id: number;
  /** Minor units (cents). */
  readonly amount: number;
}

/** The undoing of a match. */
export interface ReconciliationUnmatchAction {
  /** Why; the history and the audit log keep it. */
  readonly note: string;
  /** A code or a word of your own, such as `merchant_refund_agreed`. */
  readonly reason?: string | null | undefined;
  /** The version that you saw; refused (`conflict`) when the item has another one. */
  readonly version?: number | null | undefined;
  /** The side that is taken from the clearings; by default that of the match made last. */
  readonly side?: MatchSide | null | undefined;
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

/** Which deliveries are sent again. */
export interface RecoverDeliveries {
  /** ISO 8601, with an offset. */
  readonly since: string;
}

/** The result of a recovery. */
export interface RecoveredDeliveries {
  /** The number of deliveries that are sent again. */
  readonly recovered: number;
}

/** The window of the limits. Windows start at midnight UTC. */
export type Recurring = 'Continuous' | 'Daily' | 'Weekly' | 'Quarterly' | 'Monthly' | 'Yearly';

/** Why a hold ends. */
export interface ReleaseHold {
  /** Why. Card numbers in it are masked. */
  readonly note: string;
}

/** A request for a purchase template. */
export interface RequestPurchaseTemplate {
  /** Unique in the company. */
  readonly name: string;
  /** Distinct merchant category codes. */
  readonly mcc_list: readonly string[];
  readonly mcc_rule: MccRule;
  readonly description: string;
  readonly required_control: RequiredControl;
}

/** The control that its cards have. */
export type RequiredControl = 'VELOCITY' | 'AGING_VELOCITY';

/** The clock after a move. */
export interface SandboxClock {
  /** ISO 8601. */
  readonly now: string;
  /** Whether the clock is frozen. */
  readonly frozen: boolean;
  /** Due work that is not done yet, and why; absent: all is done. */
  readonly waiting?: string | undefined;
}

/** How much of an authorization. */
export interface SandboxFollowUp {
  /** Minor units of the currency of the card's limits. Absent: all that is left. */
  readonly amount?: number | null | undefined;
}

/** A purchase with a virtual card. */
export interface SandboxPurchase {
  /** A virtual card of the company. */
  readonly vcn_id: Id;
  /** Minor units (cents) of the currency. */
  readonly amount: number;
  /**
   * The merchant's. By default that of the card, else the billing currency. Converted at a rate of
   * 1.
   */
  readonly currency?: string | null | undefined;
  /** By default 5411, groceries. */
  readonly mcc?: string | null | undefined;
  readonly merchant_name?: string | null | undefined;
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
  /** ISO 8601, UTC. */
  readonly updated_at: string;
  readonly type: 'scheduled_payment';
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
  /** ISO 8601, UTC. */
  readonly updated_at: string;
  readonly type: 'standing_order';
}

/** The balance at an end of a statement. */
export interface StatementEnd {
  /** YYYY-MM-DD. */
  readonly as_of: string;
  /** Minor units (cents). */
  readonly balance: number;
}

/** A purchase template is ready for use. */
export interface TemplateEvent {
  /** Digits. */
  readonly id: string;
  readonly event_type: 'virtualcard.purchasetemplate.created';
  readonly payload: PurchaseTemplate;
  /** State before; null: the object was created. */
  readonly previous: PurchaseTemplate | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'event';
  /** The path of this resource. */
  readonly url: string;
}

/** A regulated third party. */
export interface ThirdParty {
  /** Digits. */
  readonly id: string;
  readonly client_id: string;
  readonly name: string;
  readonly scopes: readonly ThirdPartyScope[];
  readonly redirect_uris: readonly string[];
  readonly jwks: JwkSet | null;
  readonly jwks_uri: string | null;
  readonly certificate_subject: string | null;
  readonly id_token_signed_response_alg: 'PS256' | 'ES256';
  readonly status: 'active' | 'suspended';
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'third_party';
  /** The path of this resource. */
  readonly url: string;
}

/** What a third party may ask users for. */
export type ThirdPartyScope = 'accounts' | 'fundsconfirmations';

/** A change of an API key. What is absent stays, and null resets a field to its default. */
export interface UpdateApiKey {
  readonly name?: string | undefined;
  /** Null: the server's default. */
  readonly rate_limit_per_minute?: number | null | undefined;
  /** From this instant on the key is refused like a revoked one; null: it never ends. ISO 8601. */
  readonly expires_at?: string | null | undefined;
  /** Cannot be changed. Only its present value is accepted. */
  readonly role?: unknown;
  /** Cannot be changed. Only its present value is accepted. */
  readonly company_id?: unknown;
  /** Cannot be changed. Only null is accepted. */
  readonly signing_secret?: unknown;
}

/** A change of a company. What is absent stays, and null resets a field to its default. */
export interface UpdateCompany {
  readonly name?: string | undefined;
  /** Cannot be changed. Only its present value is accepted. */
  readonly customer_number?: unknown;
  /** True: mails about its cards contain the number and the code, beside the one-time link. */
  readonly full_details_in_mail?: boolean | null | undefined;
  /**
   * The days after which a hold without a clearing ends, on cards without aging velocity; null: 30.
   * Applies to later holds.
   */
  readonly hold_days?: number | 'never' | null | undefined;
  readonly status?: CompanyStatus | null | undefined;
  /**
   * The most requests per minute of all its keys together, in one process of the service; null: no
   * limit.
   */
  readonly rate_limit_per_minute?: number | null | undefined;
}

/** A change of a third party. What is absent stays. */
export interface UpdateThirdParty {
  /** What users of the bank see. */
  readonly name?: string | undefined;
  /** All its scopes. One that is missing here is taken away: all tokens end. */
  readonly scopes?: readonly ThirdPartyScope[] | undefined;
  /** All its https addresses, compared as they are. */
  readonly redirect_uris?: readonly string[] | undefined;
  readonly jwks?: JwkSet | null | undefined;
  /** The https address of its keys. It takes the place of `jwks`, and `jwks` that of `jwks_uri`. */
  readonly jwks_uri?: string | null | undefined;
  /**
   * The subject of its client certificate (RFC 4514), if it authenticates by the certificate. By
   * default it authenticates by private_key_jwt.
   */
  readonly certificate_subject?: string | null | undefined;
  /**
   * How its id_tokens are signed, and the answers that it asks for as JWT (JARM). By default PS256.
   */
  readonly id_token_signed_response_alg?: 'PS256' | 'ES256' | null | undefined;
  /** Cannot be changed. Only its present value is accepted. */
  readonly client_id?: unknown;
  /** Cannot be changed. Only its present value is accepted: suspend or activate the third party. */
  readonly status?: unknown;
}

/** A change of a card. What is absent stays, and null resets a field to its default. */
export interface UpdateVirtualCard {
  /** Minor units (cents). */
  readonly total_card_amount?: number | undefined;
  /** Minor units (cents); null: 0. */
  readonly per_transaction_min?: number | null | undefined;
  /** Minor units (cents); null: the same as total_card_amount. */
  readonly per_transaction_max?: number | null | undefined;
  /** Uses per window; null: unlimited; 0: unchanged. */
  readonly transactions_max?: number | null | undefined;
  /** First GMT date of use; null: today. YYYY-MM-DD. */
  readonly valid_starting_on?: string | null | undefined;
  /** Last GMT date of use; null: the last day of expiry. YYYY-MM-DD. */
  readonly valid_ending_on?: string | null | undefined;
  /** Null: the shared template that allows all merchant categories. */
  readonly template_id?: Id | null | undefined;
  /**
   * Up to 5 addresses that receive the card details when the card is created. A change sends no
   * mail.
   */
  readonly emails?: readonly string[] | null | undefined;
  /** Values of the names that the card network knows. */
  readonly network_data?: Readonly<Record<string, string>> | null | undefined;
  /** The old name of network_data. */
  readonly mastercard_data?: Readonly<Record<string, string>> | null | undefined;
  /** Any JSON object, at most 8192 bytes of UTF-8, with no number past 2^53. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** Cannot be changed. Only its present value is accepted. */
  readonly currency?: unknown;
  /** Cannot be changed. Only its present value is accepted. */
  readonly recurring?: unknown;
  /** Cannot be changed. Only its present value is accepted. */
  readonly authorization_hold_days?: unknown;
  /** Cannot be changed. Only its present value is accepted. */
  readonly aging_velocity_time_zone?: unknown;
  /** Cannot be changed. Only its present value is accepted. */
  readonly valid_for?: unknown;
  /** Cannot be changed. Only its present value is accepted. */
  readonly rcn_id?: unknown;
  /** Cannot be changed. Only its present value is accepted. */
  readonly supplier_id?: unknown;
  /** Cannot be changed. Only its present value is accepted. */
  readonly expiry?: unknown;
  /** Cannot be changed. Only its present value is accepted. */
  readonly status?: unknown;
}

/** A change of a webhook. What is absent stays, and null resets a field to its default. */
export interface UpdateWebhook {
  /** Ids of event types; 1 is all; null: none. */
  readonly event_type_ids?: readonly number[] | null | undefined;
  /** Null: active. */
  readonly status?: WebhookStatus | null | undefined;
  /** Cannot be changed. Only its present value is accepted. */
  readonly callback_url?: unknown;
  /** Cannot be changed; rotate it. Null and its present value are accepted. */
  readonly secret?: unknown;
}

/** The meaning of `decline_reason` in words; Valid: approved or recorded. */
export type VcnResponse =
  | 'Bad VCN-RCN mapping'
  | 'Database status bad'
  | 'Expiry date mismatch'
  | 'VCN expired'
  | 'CVC2 mismatch'
  | 'Validity period limit'
  | 'Transaction type restriction'
  | 'MCC limit'
  | 'Transaction amount limit'
  | 'Transaction number usage'
  | 'Cumulative amount limit'
  | 'Unable to process'
  | 'Valid';

/** A virtual card. */
export interface VirtualCard {
  /** Digits. */
  readonly id: string;
  /** What is left in the present window; minor units (cents). */
  readonly available_balance: number;
  /** The newest, newest first; empty in a list without `show_realtime_auths`. */
  readonly authorizations: readonly Authorization[];
  /** The newest, newest first; empty in a list without `show_realtime_auths`. */
  readonly clearings: readonly Clearing[];
  /** ************ and the last four digits, unless `show_card_number` asked for it. */
  readonly card_number: string;
  /** ***, unless `show_card_number` asked for it. */
  readonly cvc: string;
  /** The last four digits of the card number. */
  readonly last4: string;
  /** Purchases must be in this merchant currency (ISO 4217); null: in any. */
  readonly currency: string | null;
  /** The addresses that received the card details when it was created; null: none. */
  readonly emails: readonly string[] | null;
  /** True: a mail to the addresses in emails was triggered. */
  readonly notified: boolean;
  /** YYYY-MM: valid to the last day of that month, 23:59:59 UTC. */
  readonly expiry: string;
  /** Values of the names that the card network knows. */
  readonly network_data: Readonly<Record<string, string>>;
  /** Your own data; null: none. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** The most of one purchase; minor units (cents). */
  readonly per_transaction_max: number;
  /** The least of one purchase; minor units (cents). */
  readonly per_transaction_min: number;
  /** The most in total, per window; minor units (cents). */
  readonly total_card_amount: number;
  /** Uses per window; null: unlimited. */
  readonly transactions_max: number | null;
  /** The real card. */
  readonly rcn_id: number;
  /** The name of the real card. */
  readonly rcn_alias: string;
  /** Your own number of the supplier; null: none. */
  readonly supplier_id: number | null;
  /** The purchase template that limits its merchant categories. */
  readonly template_id: number;
  readonly status: VirtualCardStatus;
  /** Null with aging velocity. */
  readonly recurring: Recurring | null;
  /** Days after which a hold without a clearing ends; present with aging velocity. */
  readonly authorization_hold_days?: number | undefined;
  /** IANA name; present with aging velocity. */
  readonly aging_velocity_time_zone?: string | undefined;
  /** First GMT date of use. YYYY-MM-DD. */
  readonly valid_starting_on: string;
  /** Last GMT date of use. YYYY-MM-DD. */
  readonly valid_ending_on: string;
  readonly type: 'virtualcard';
  /** The path of this resource. */
  readonly url: string;
}

/** A virtual card was created, changed or canceled. */
export interface VirtualCardEvent {
  /** Digits. */
  readonly id: string;
  readonly event_type: 'virtualcard.created' | 'virtualcard.updated' | 'virtualcard.deleted';
  readonly payload: VirtualCardState;
  /** State before; null: the object was created. */
  readonly previous: VirtualCardState | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'event';
  /** The path of this resource. */
  readonly url: string;
}

/**
 * Several filters are ANDed. `metadata.<name>` compares a top-level name of the metadata as text.
 */
export interface VirtualCardFilter {
  readonly status?: VirtualCardStatus | undefined;
  readonly rcn_id?: Id | undefined;
  readonly template_id?: Id | undefined;
  readonly supplier_id?: Id | undefined;
  /** The last four digits of the card number. */
  readonly last4?: string | undefined;
  readonly [name: `metadata.${string}`]: string | number | undefined;
}

/** A virtual card as events show it. */
export interface VirtualCardState {
  /** What is left in the present window; minor units (cents). */
  readonly available_balance: number;
  /** Purchases must be in this merchant currency (ISO 4217); null: in any. */
  readonly currency: string | null;
  /** The most of one purchase; minor units (cents). */
  readonly per_transaction_max: number;
  /** The least of one purchase; minor units (cents). */
  readonly per_transaction_min: number;
  /** The real card. */
  readonly rcn_id: number;
  /** The name of the real card. */
  readonly rcn_alias: string;
  /** Null with aging velocity. */
  readonly recurring: Recurring | null;
  readonly status: VirtualCardStatus;
  /** Uses per window; null: unlimited. */
  readonly transactions_max: number | null;
  /** The most in total, per window; minor units (cents). */
  readonly total_card_amount: number;
  /** First GMT date of use. YYYY-MM-DD. */
  readonly valid_starting_on: string;
  /** Last GMT date of use. YYYY-MM-DD. */
  readonly valid_ending_on: string;
  readonly id: number;
  /** Of an update: the hold that was ended by hand. */
  readonly released?:
    | {
        readonly authorization_id: number;
        /** Minor units (cents). */
        readonly amount: number;
        readonly note: string;
      }
    | undefined;
  /** Of an update: the clearing that was matched by hand, or taken from its authorization. */
  readonly rematched?:
    | {
        readonly clearing_id: number;
        readonly from_authorization_id: number | null;
        readonly authorization_id: number | null;
        readonly note: string;
      }
    | undefined;
  /**
   * Of an update: the wrong codes of the UTC day. At 10 every code of the card counts as wrong
   * until the day is over, at 0 it no longer does.
   */
  readonly code_failures?: number | undefined;
}

/** Only Approved cards can be used. */
export type VirtualCardStatus = 'Approved' | 'Canceled';

/** A webhook. */
export interface Webhook {
  /** Digits. */
  readonly id: string;
  /** Ids of event types; 1 is all. */
  readonly event_type_ids: readonly number[];
  /** Shown on creation and rotation only, else null. */
  readonly secret: string | null;
  readonly status: WebhookStatus;
  /** Where events are posted to. */
  readonly callback_url: string;
  readonly type: 'webhook';
  /** The path of this resource. */
  readonly url: string;
}

/** Only active webhooks are triggered. */
export type WebhookStatus = 'active' | 'inactive';

/** The result of a test delivery. */
export interface WebhookTest {
  /** The HTTP status of the callback URL; 0: no answer. */
  readonly status: number;
  /** Why there was no answer. */
  readonly error?: string | undefined;
}
