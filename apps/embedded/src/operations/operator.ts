import type { TransactionOptions } from './call-options.ts';
import type { OperatorEventOperations } from './events.ts';
import type {
  ApiKey,
  AuditEntry,
  CardMail,
  CodeFailures,
  Company,
  CreateApiKey,
  CreateCompany,
  Id,
  MailState,
  UpdateCompany,
} from './generated/resources.ts';
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
