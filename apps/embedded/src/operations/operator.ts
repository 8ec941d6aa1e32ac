import type { Id, TransactionOptions } from './call-options.ts';
import type { OperatorEventOperations } from './events.ts';
import type { ImportOperations, QuarantineOperations } from './imports.ts';
import type { CompanyFilter, FilteredListOptions, InstantFilter, List, ListOptions } from './list.ts';
import type { OperatorRealCardOperations } from './real-cards.ts';
import type { OperatorTemplateOperations } from './templates.ts';
import type { ThirdPartyOperations } from './third-parties.ts';
import type { OperatorDeliveryOperations, OperatorWebhookOperations } from './webhooks.ts';

/** The operation of the service: all companies. */
export interface OperatorOperations {
  readonly companies: CompanyRecordOperations;
  readonly realCards: OperatorRealCardOperations;
  readonly keys: ApiKeyOperations;
  readonly templates: OperatorTemplateOperations;
  readonly events: OperatorEventOperations;
  readonly cards: OperatorCardOperations;
  readonly webhooks: OperatorWebhookOperations;
  readonly deliveries: OperatorDeliveryOperations;
  readonly audit: AuditOperations;
  readonly mails: CardMailOperations;
  readonly quarantine: QuarantineOperations;
  readonly imports: ImportOperations;
  readonly thirdParties: ThirdPartyOperations;
}

/** The companies that have cards. */
export interface CompanyRecordOperations {
  create(company: CreateCompany, options?: TransactionOptions): Promise<Company>;
  /** Lists the companies, newest first. */
  list(options?: ListOptions): List<Company>;
  /** Reads a company. Refuses `not_found`. */
  read(company_id: Id, options?: TransactionOptions): Promise<Company>;
  /** Changes a company: its name, status, holds, mails and rate limit; what is absent stays. */
  update(company_id: Id, change: UpdateCompany, options?: TransactionOptions): Promise<Company>;
}

/** The API keys of the HTTP interface. Calls in process need none. */
export interface ApiKeyOperations {
  /** Creates an API key. Only this result has its text. */
  create(key: CreateApiKey, options?: TransactionOptions): Promise<ApiKey>;
  /** Lists the keys of one company or of all companies, newest first. */
  list(options?: FilteredListOptions<CompanyFilter>): List<ApiKey>;
  /** Reads a key, without its text. Refuses `not_found`. */
  read(key_id: Id, options?: TransactionOptions): Promise<ApiKey>;
  /** Revokes a key. Other processes refuse it within two seconds. */
  revoke(key_id: Id, options?: TransactionOptions): Promise<void>;
}

/** What only an operator does to a virtual card. */
export interface OperatorCardOperations {
  /**
   * Forgets the wrong codes of a card. After 10 wrong codes in a UTC day, every code of the card
   * counts as wrong until the day is over; this ends it early.
   */
  resetCodeFailures(card_id: Id, options?: TransactionOptions): Promise<CodeFailures>;
}

/** The audit log. */
export interface AuditOperations {
  /** Lists the entries, newest first. */
  list(options?: FilteredListOptions<AuditFilter>): List<AuditEntry>;
}

/** The mails about cards. */
export interface CardMailOperations {
  /** Lists the mails, newest first; addresses are masked. */
  list(options?: FilteredListOptions<CardMailFilter>): List<CardMail>;
  /** Reads the state of a mail. Refuses `not_found`. */
  read(mail_id: Id, options?: TransactionOptions): Promise<CardMail>;
  /**
   * Sends a failed mail again, from the start of the schedule. Refuses (`validation_failed`) a mail
   * that is sent or pending, or that is about a Canceled card.
   */
  retry(mail_id: Id, options?: TransactionOptions): Promise<CardMail>;
}

/** Several filters are ANDed. */
export interface AuditFilter extends CompanyFilter {
  /** As written: `key:17`, `user:42`. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** `virtualcard:17`. */
  readonly object?: string | undefined;
  readonly at?: InstantFilter | undefined;
}

export interface CardMailFilter extends CompanyFilter {
  readonly state?: MailState | undefined;
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
  /** `closed`: calls for it and its keys are refused (`forbidden`), and its cards decline (K). */
  readonly status: CompanyStatus;
  /**
   * The most requests per minute of all its keys together, in one process of the service; null: no
   * limit.
   */
  readonly rate_limit_per_minute: number | null;
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'company';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** A new company. */
export interface CreateCompany {
  readonly name: string;
  /** No other company has it. */
  readonly customer_number: string;
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
  /** `closed`: its calls are refused and its cards decline (K), until it is active again. */
  readonly status?: CompanyStatus | null | undefined;
  /**
   * The most requests per minute of all its keys together, in one process of the service; null: no
   * limit.
   */
  readonly rate_limit_per_minute?: number | null | undefined;
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
}

/** An API key of the HTTP interface. */
export interface ApiKey {
  /** Digits. */
  readonly id: string;
  /** The company. */
  readonly company_id: number | null;
  readonly role: ApiKeyRole;
  readonly environment: 'test' | 'live';
  readonly name: string;
  /** Whether its requests must be signed. */
  readonly signed: boolean;
  /** Null: the server's default. */
  readonly rate_limit_per_minute: number | null;
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC. */
  readonly revoked_at: string | null;
  /** The text of the key. Only the answer to its creation has it. */
  readonly key?: string | undefined;
  readonly type: 'apikey';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** The wrong codes of a card. */
export interface CodeFailures {
  /** The virtual card. */
  readonly id: string;
  /** The company. */
  readonly company_id: number;
  /** The last four digits of the card number. */
  readonly last4: string;
  /** Wrong codes that count on this UTC day. */
  readonly code_failures: number;
  readonly type: 'code_failures';
}

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
  /** Further facts; never a card number or a secret. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly type: 'audit_entry';
}

/** The state of a mail about a card. */
export interface CardMail {
  /** Digits. */
  readonly id: string;
  /** The company. */
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
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  /** Null unless the mail is pending; ISO 8601, UTC. */
  readonly next_attempt_at: string | null;
  /** When the mail was sent or failed; ISO 8601, UTC. */
  readonly finished_at: string | null;
  readonly type: 'mail';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** While a company is closed, its calls are refused and its cards decline (K). */
export type CompanyStatus = 'active' | 'closed';

/** The permissions of an API key. */
export type ApiKeyRole = 'client' | 'network' | 'bank' | 'operator';

/** The state of a mail. */
export type MailState = 'pending' | 'sent' | 'failed';
