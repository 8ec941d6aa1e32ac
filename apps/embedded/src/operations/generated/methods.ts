// Generated from the operations by `npm run generate`.

import type { CallOptions, FileContent, FilterOptions, PageOptions, TransactionOptions } from '../call-options.ts';
import type { List } from '../list.ts';
import type {
  Account,
  AccountBalance,
  AccountProfile,
  ApiKey,
  AuditEntry,
  AuditFilter,
  Authorization,
  AuthorizationMessage,
  BankUser,
  BookedTransaction,
  BookedTransactionFilter,
  CardMail,
  CardMailFilter,
  Clearing,
  ClearingMessage,
  CodeFailures,
  Company,
  CompanyFilter,
  CompanyOpenBanking,
  Consent,
  CreateAccount,
  CreateApiKey,
  CreateCompany,
  CreateRealCard,
  CreateThirdParty,
  CreateVirtualCard,
  CreateWebhook,
  DecideConsent,
  Delivery,
  DeliveryFilter,
  DirectDebit,
  EmailVirtualCard,
  Event,
  EventFilter,
  EventType,
  ForeignEvent,
  ForeignEventRecord,
  Id,
  Import,
  ImportFilter,
  ImportRelease,
  ImportReplay,
  ImportStatement,
  ImportStatementFilter,
  MailboxItem,
  MailboxMessage,
  MinimalItem,
  MoveSandboxClock,
  OperatorDelivery,
  OperatorDeliveryFilter,
  OperatorWebhook,
  OperatorWebhookFilter,
  PurchaseTemplate,
  PurchaseTemplateAcknowledgement,
  PurchaseTemplateFilter,
  PutAccountBalance,
  PutAccountProfile,
  PutBankUser,
  PutCompanyOpenBanking,
  Quarantined,
  QuarantineFilter,
  RealCard,
  ReconciliationAction,
  ReconciliationBridge,
  ReconciliationBridgeFilter,
  ReconciliationDecisions,
  ReconciliationItem,
  ReconciliationItemFilter,
  ReconciliationItemWithHistory,
  ReconciliationMatchAction,
  ReconciliationPeriod,
  ReconciliationPeriodClosing,
  ReconciliationRules,
  ReconciliationRulesFilter,
  ReconciliationSummary,
  ReconciliationUnmatchAction,
  RecordReport,
  RecoverDeliveries,
  RecoveredDeliveries,
  ReleaseHold,
  RequestPurchaseTemplate,
  SandboxClock,
  SandboxFollowUp,
  SandboxPurchase,
  ScheduledPayment,
  StandingOrder,
  ThirdParty,
  UpdateApiKey,
  UpdateCompany,
  UpdateThirdParty,
  UpdateVirtualCard,
  UpdateWebhook,
  VirtualCard,
  VirtualCardFilter,
  Webhook,
  WebhookTest,
} from './resources.ts';

/**
 * The card network's side of the service. Calls at the same time share a pass, with one commit: a
 * message is decided in the service's own transaction, and its answer is durable when the promise
 * resolves.
 */
export interface NetworkOperations {
  /**
   * Decide an authorization, or record an advice or a reversal. An advice with the trace_id of an
   * authorization that the card approved reports that decision: it is no second use, and changes
   * the hold by what it reports differently. A decline is an answer: `decline_reason` is not null.
   * The code U means that the service could not decide, because of a fault or of load, and that
   * nothing was approved. Send the same message again to get the recorded outcome, if there is one.
   * An advice that would take a sum of the card past its bound is refused (`conflict`). Under
   * overload the message is not read, and `data` contains only what does not depend on it. Takes no
   * `tx`, because it shares a pass with the messages of the network.
   */
  authorize(data: AuthorizationMessage, options?: CallOptions): Promise<Authorization>;
  /**
   * Record a clearing. It is matched to its authorization by the fields that ClearingMessage names.
   * A copy of a recorded clearing gets that one and changes nothing: it has the same
   * `network_financial_transaction_id` and agrees in card, type, cycle, billing amount and currency
   * and, where both state them, in acquirer reference, approval code and merchant amount. A
   * clearing of an unknown card (`not_found`), in another billing currency, with the transaction id
   * of another card or of a clearing with other content, with one that names nothing (zeros, or
   * `5.55E+17` of a spreadsheet), or past the largest sum of a card (`conflict`) is refused, and
   * kept in quarantine. Takes no `tx`, because it shares a pass with the messages of the network.
   */
  clear(data: ClearingMessage, options?: CallOptions): Promise<Clearing>;
}

/** What a company does with its own data. */
export interface CompanyOperations {
  readonly cards: VirtualCardOperations;
  readonly realCards: RealCardOperations;
  readonly templates: PurchaseTemplateOperations;
  readonly events: EventOperations;
  readonly webhooks: WebhookOperations;
  readonly reconciliation: ReconciliationOperations;
  readonly sandbox: SandboxPurchaseOperations;
}

/** The virtual cards of a company. */
export interface VirtualCardOperations {
  /**
   * Create a virtual card. Refused (`account_range_used_up`) when its real card has no free number.
   */
  issue(
    data: CreateVirtualCard,
    options?: TransactionOptions & {
      /** True: the result shows the number and the code. The audit log records it. */
      readonly show_card_number?: boolean | null | undefined;
    },
  ): Promise<VirtualCard>;
  /**
   * List virtual cards, newest first. With `show_realtime_auths`, the cards contain their
   * authorizations and clearings.
   */
  list(
    options?: TransactionOptions &
      PageOptions &
      FilterOptions<VirtualCardFilter> & {
        readonly show_realtime_auths?: boolean | undefined;
      },
  ): List<VirtualCard>;
  /** Read a virtual card with its newest authorizations and clearings. */
  read(
    id: Id,
    options?: TransactionOptions & {
      readonly show_card_number?: boolean | undefined;
    },
  ): Promise<VirtualCard>;
  /**
   * Change a virtual card. What is absent stays. A whole card may be sent back: what a card only
   * shows is ignored, and a `per_transaction_max` that followed `total_card_amount` still follows
   * it. Sent without such members, it is that number from then on. A change of a Canceled card is
   * refused (`validation_failed`).
   */
  update(
    id: Id,
    data: UpdateVirtualCard,
    options?: TransactionOptions & {
      /** True: the result shows the number and the code. The audit log records it. */
      readonly show_card_number?: boolean | null | undefined;
    },
  ): Promise<VirtualCard>;
  /** Cancel a virtual card. It can still be read. Further purchases are declined. */
  cancel(id: Id, options?: TransactionOptions): Promise<void>;
  /** Mail the details of a card to an address. A link in the mail shows them once. */
  email(id: Id, data: EmailVirtualCard, options?: TransactionOptions): Promise<VirtualCard>;
  /** List all authorizations of a card, newest first. */
  authorizations(id: Id, options?: TransactionOptions & PageOptions): List<Authorization>;
  /**
   * End the hold of an authorization by hand. For a clearing that will not come. The use stays, and
   * a clearing that comes anyway is applied as `late`. Refused (`conflict`) when nothing is held.
   * Takes no `tx`, because it shares a pass with the messages of the network.
   */
  releaseHold(id: Id, authorization_id: Id, data: ReleaseHold, options?: CallOptions): Promise<Authorization>;
  /** List all clearings of a card, newest first. */
  clearings(id: Id, options?: TransactionOptions & PageOptions): List<Clearing>;
}

/** The real cards of a company, to which its virtual cards belong. */
export interface RealCardOperations {
  /** List the company's real cards, newest first. */
  list(options?: TransactionOptions & PageOptions): List<RealCard>;
  /** Read a real card. */
  read(id: Id, options?: TransactionOptions): Promise<RealCard>;
}

/** The purchase templates of a company. */
export interface PurchaseTemplateOperations {
  /**
   * Request a purchase template. The template is PENDING until its creation is completed offline.
   * Then it is ACTIVE, and an event of type 11 is recorded.
   */
  request(data: RequestPurchaseTemplate, options?: TransactionOptions): Promise<PurchaseTemplateAcknowledgement>;
  /** List the company's templates and the shared defaults, newest first. */
  list(options?: TransactionOptions & PageOptions & FilterOptions<PurchaseTemplateFilter>): List<PurchaseTemplate>;
}

/** The events of a company: the log of every change. */
export interface EventOperations {
  /**
   * List the event types. Those that webhooks can subscribe to. Takes no `tx`, because it reads no
   * database.
   */
  types(options?: CallOptions): Promise<readonly EventType[]>;
  /** Read an event. */
  read(id: Id, options?: TransactionOptions): Promise<Event>;
  /**
   * List events, newest first. Several filters are ANDed. A range is [from,to] with both ends
   * included. Either end may be empty.
   */
  list(options?: TransactionOptions & PageOptions & FilterOptions<EventFilter>): List<Event>;
}

/** The webhooks of a company. */
export interface WebhookOperations {
  /**
   * Register a webhook. Only this result and that of a rotation show its secret. Events older than
   * the webhook are not delivered to it. A callback URL that is not https, or whose address may not
   * be called, is refused (`validation_failed`).
   */
  create(data: CreateWebhook, options?: TransactionOptions): Promise<Webhook>;
  /** List the webhooks, newest first. Each by its id only. */
  list(options?: TransactionOptions & PageOptions): List<MinimalItem>;
  /** Read a webhook. */
  read(id: Id, options?: TransactionOptions): Promise<Webhook>;
  /** Change the event types or the status of a webhook. What is absent stays. */
  update(id: Id, data: UpdateWebhook, options?: TransactionOptions): Promise<Webhook>;
  /** Delete a webhook with its deliveries. */
  delete(id: Id, options?: TransactionOptions): Promise<void>;
  /** Replace the secret of a webhook. The previous secret also signs for 24 hours. */
  rotateSecret(id: Id, options?: TransactionOptions): Promise<Webhook>;
  /**
   * Send a test delivery to a webhook, active or not. Takes no `tx`, because it waits for the
   * answer of the callback URL.
   */
  test(id: Id, options?: CallOptions): Promise<WebhookTest>;
  readonly deliveries: DeliveryOperations;
}

/** The deliveries of a webhook. */
export interface DeliveryOperations {
  /** List the deliveries of a webhook with their attempts, newest first. */
  list(id: Id, options?: TransactionOptions & PageOptions & FilterOptions<DeliveryFilter>): List<Delivery>;
  /** Read a delivery with its attempts. */
  read(id: Id, delivery_id: Id, options?: TransactionOptions): Promise<Delivery>;
  /** Send a delivery again from the start of the schedule. */
  retry(id: Id, delivery_id: Id, options?: TransactionOptions): Promise<void>;
  /** Send again the deliveries that failed since an instant, at most 10,000 in one call. */
  recover(id: Id, data: RecoverDeliveries, options?: TransactionOptions): Promise<RecoveredDeliveries>;
}

/** Items in which authorization, clearing and statement line meet, and what people do to them. */
export interface ReconciliationOperations {
  readonly items: ReconciliationItemOperations;
  /**
   * Count the items by status, kind, class and age. Takes no `tx`, because it records what has
   * arrived first, in transactions of its own.
   */
  summary(options?: CallOptions): Promise<ReconciliationSummary>;
  /**
   * Count the matches of each rule, and what people confirmed and undid. The cost depends on the
   * number of settlement dates and of acts that confirmed or undid a match, not on the number of
   * items. Takes no `tx`, because it records what has arrived first, in transactions of its own.
   */
  rules(options?: CallOptions & FilterOptions<ReconciliationRulesFilter>): Promise<ReconciliationRules>;
  /**
   * Lead from the opening to the closing balance of an account, with each difference named. In the
   * sign of the account: debits are negative. Takes no `tx`, because it records what has arrived
   * first, in transactions of its own.
   */
  bridge(
    options: CallOptions & {
      readonly filter: ReconciliationBridgeFilter;
    },
  ): Promise<ReconciliationBridge>;
  readonly decisions: ReconciliationDecisionOperations;
  readonly periods: ReconciliationPeriodOperations;
}

/**
 * The items. An action is refused (`conflict`) when the state of the item does not allow it or when
 * the item has changed: the message says what happened. The id of an item that was merged into
 * another one is refused (`conflict`) unless the `version` of that one is passed.
 */
export interface ReconciliationItemOperations {
  /**
   * List the items, newest first. One for each purchase, lone clearing and lone card line. Takes no
   * `tx`, because it records what has arrived first, in transactions of its own.
   */
  list(options?: CallOptions & PageOptions & FilterOptions<ReconciliationItemFilter>): List<ReconciliationItem>;
  /**
   * Write the items as a table for spreadsheets, newest first. In CSV, of any length. A text that a
   * spreadsheet would run as a formula has an apostrophe before it. The table can be sent back with
   * decisions. Takes no `tx`, because its work is many transactions.
   */
  export(options?: CallOptions & FilterOptions<ReconciliationItemFilter>): AsyncIterable<string>;
  /**
   * Read an item with its matches, alternatives and history. The id of an item that was merged into
   * another one reads that one. The alternatives of a proposal name the authorizations that its
   * clearings may belong to; lists leave them out. Takes no `tx`, because it records what has
   * arrived first, in transactions of its own.
   */
  read(id: Id, options?: CallOptions): Promise<ReconciliationItemWithHistory>;
  /**
   * Match an item by hand with records of another side. The effects on the card move as a rule
   * would move them. No rule undoes the match. Undone by `unmatch`. Refused (`conflict`) when the
   * state of the item does not allow it, or when it has changed: the error says what happened. The
   * id of an item that was merged into another one is refused (`conflict`) unless the version of
   * that one is sent. Takes no `tx`, because it shares a pass with the messages of the network.
   */
  match(id: Id, data: ReconciliationMatchAction, options?: CallOptions): Promise<ReconciliationItem>;
  /**
   * Undo a match of an item. The effects on the card move back, and no rule makes the match again.
   * Undone by `match` with the same records. Refused (`conflict`) when the state of the item does
   * not allow it, or when it has changed: the error says what happened. The id of an item that was
   * merged into another one is refused (`conflict`) unless the version of that one is sent. Takes
   * no `tx`, because it shares a pass with the messages of the network.
   */
  unmatch(id: Id, data: ReconciliationUnmatchAction, options?: CallOptions): Promise<ReconciliationItem>;
  /**
   * Take an item out of every total. As long as its records and amounts are those that you saw.
   * Undone by `reopen`. Refused (`conflict`) when the state of the item does not allow it, or when
   * it has changed: the error says what happened. The id of an item that was merged into another
   * one is refused (`conflict`) unless the version of that one is sent. Takes no `tx`, because its
   * work is many transactions.
   */
  ignore(id: Id, data: ReconciliationAction, options?: CallOptions): Promise<ReconciliationItem>;
  /**
   * Accept the difference of a break. As long as its records and amounts are those that you saw.
   * Undone by `reopen`. Refused (`conflict`) when the state of the item does not allow it, or when
   * it has changed: the error says what happened. The id of an item that was merged into another
   * one is refused (`conflict`) unless the version of that one is sent. Takes no `tx`, because its
   * work is many transactions.
   */
  accept(id: Id, data: ReconciliationAction, options?: CallOptions): Promise<ReconciliationItem>;
  /**
   * Confirm a proposal. Its matches are then made by a person, and no rule undoes them. A refund,
   * reversal or dispute under review that belongs to nothing stands alone. Undone by `reopen`.
   * Refused (`conflict`) when the state of the item does not allow it, or when it has changed: the
   * error says what happened. The id of an item that was merged into another one is refused
   * (`conflict`) unless the version of that one is sent. Takes no `tx`, because its work is many
   * transactions.
   */
  confirm(id: Id, data: ReconciliationAction, options?: CallOptions): Promise<ReconciliationItem>;
  /**
   * Undo an ignore, accept or confirm. The item is again what its records say. Refused (`conflict`)
   * when the state of the item does not allow it, or when it has changed: the error says what
   * happened. The id of an item that was merged into another one is refused (`conflict`) unless the
   * version of that one is sent. Takes no `tx`, because its work is many transactions.
   */
  reopen(id: Id, data: ReconciliationAction, options?: CallOptions): Promise<ReconciliationItem>;
}

/** Decisions by a table. */
export interface ReconciliationDecisionOperations {
  /**
   * Decide items by a table. The table of items, with its columns `decision` (`accept`, `ignore`,
   * `confirm`, `reopen`) and `note` filled in. Rows without a decision are skipped. All or nothing:
   * with an error in a row nothing is decided, and the error names row and column. When an item
   * changes while the table is written, the decisions before it are undone again, and the call is
   * refused (`conflict`). The same table again changes nothing. With `dry_run` nothing is decided,
   * and the result shows what would be. Takes no `tx`, because its work is many transactions.
   */
  submit(
    file: FileContent,
    options?: CallOptions & {
      readonly dry_run?: boolean | undefined;
    },
  ): Promise<ReconciliationDecisions>;
}

/** Periods whose items do not change any more. */
export interface ReconciliationPeriodOperations {
  /**
   * Close the days up to a date. Freezes the matched, accepted and ignored items of these days.
   * Others stay open. What comes later for a frozen item makes an item of its own. Takes no `tx`,
   * because its work is many transactions.
   */
  close(data: ReconciliationPeriodClosing, options?: CallOptions): Promise<ReconciliationPeriod>;
  /** List the periods, newest first. */
  list(options?: TransactionOptions & PageOptions): List<ReconciliationPeriod>;
  /**
   * Reopen the newest period, on the record. Refused (`conflict`) when it is not the newest one.
   * Takes no `tx`, because its work is many transactions.
   */
  reopen(id: Id, options?: CallOptions): Promise<void>;
}

/**
 * Purchases with a company's cards that the sandbox sends instead of a card network. Outside a
 * sandbox they are refused (`not_found`).
 */
export interface SandboxPurchaseOperations {
  /**
   * Buy something with a virtual card. Sends the authorization that a card network would send, with
   * the number and the code of the card. A decline is an answer, as for a message of the network.
   * Takes no `tx`, because it shares a pass with the messages of the network.
   */
  buy(data: SandboxPurchase, options?: CallOptions): Promise<Authorization>;
  /**
   * Clear an authorization. Sends its clearing. By default for all that has not cleared; a smaller
   * amount is a part, after which others may follow. Takes no `tx`, because it shares a pass with
   * the messages of the network.
   */
  clear(id: Id, data?: SandboxFollowUp, options?: CallOptions): Promise<Clearing>;
  /**
   * Reverse an authorization. Sends its reversal, by default in full. An amount is what the
   * reversal takes away. Takes no `tx`, because it shares a pass with the messages of the network.
   */
  reverse(id: Id, data?: SandboxFollowUp, options?: CallOptions): Promise<Authorization>;
  /**
   * Refund a cleared purchase. Sends a clearing of the type CREDIT, by default for all that has
   * cleared. Takes no `tx`, because it shares a pass with the messages of the network.
   */
  refund(id: Id, data?: SandboxFollowUp, options?: CallOptions): Promise<Clearing>;
}

/** What the bank knows of accounts, users and consents, and reports to the service. */
export interface BankOperations {
  readonly accounts: AccountOperations;
  readonly users: BankUserOperations;
  readonly openBanking: CompanyOpenBankingOperations;
  readonly records: BankRecordOperations;
  readonly consents: ConsentOperations;
}

/**
 * The accounts of companies at the bank, and what Open Banking reads of them. An account is named
 * by its number.
 */
export interface AccountOperations {
  /**
   * Open an account of a company. Statements name the account by its number, which identifies no
   * other account in its profile. Files of statements that were held because the account did not
   * exist are applied by themselves.
   */
  create(data: CreateAccount, options?: TransactionOptions): Promise<Account>;
  /** List the accounts of one company or of all companies, newest first. */
  list(options?: TransactionOptions & PageOptions & FilterOptions<CompanyFilter>): List<Account>;
  /** Read an account. */
  read(number: string, options?: TransactionOptions): Promise<Account>;
  readonly profile: AccountProfileOperations;
  readonly balance: AccountBalanceOperations;
  /** List the booked transactions of an account, newest first. */
  transactions(
    number: string,
    options?: TransactionOptions & PageOptions & FilterOptions<BookedTransactionFilter>,
  ): List<BookedTransaction>;
  /** List the active direct debit mandates of an account. */
  directDebits(number: string, options?: TransactionOptions & PageOptions): List<DirectDebit>;
  /** List the pending standing orders of an account. */
  standingOrders(number: string, options?: TransactionOptions & PageOptions): List<StandingOrder>;
  /** List the pending scheduled payments of an account. */
  scheduledPayments(number: string, options?: TransactionOptions & PageOptions): List<ScheduledPayment>;
}

/** How third parties see an account. */
export interface AccountProfileOperations {
  /**
   * Read how third parties see an account. An account without a profile (`not_found`) is identified
   * by its number.
   */
  read(number: string, options?: TransactionOptions): Promise<AccountProfile>;
  /**
   * Set how third parties see an account. Fields that are absent have their defaults. Refused
   * (`conflict`) when another account has the scheme and identification.
   */
  put(number: string, data: PutAccountProfile, options?: TransactionOptions): Promise<AccountProfile>;
}

/** The balance of an account. */
export interface AccountBalanceOperations {
  /**
   * Read the balance of an account. The one that the bank reported, or the closing balance of the
   * last statement, whichever is later; else 0.
   */
  read(number: string, options?: TransactionOptions): Promise<AccountBalance>;
  /**
   * Report the balance of an account. Refused (`conflict`) when a balance with a later `as_of` was
   * reported.
   */
  put(number: string, data: PutAccountBalance, options?: TransactionOptions): Promise<AccountBalance>;
}

/** The users of the bank, who authorise consents. */
export interface BankUserOperations {
  /** List the users of the bank, in the order in which they were added. */
  list(options?: TransactionOptions & PageOptions & FilterOptions<CompanyFilter>): List<BankUser>;
  /** Read a user of the bank. */
  read(user_id: string, options?: TransactionOptions): Promise<BankUser>;
  /**
   * Add or replace a user of the bank. Fields that are absent have their defaults. A user never
   * changes the company. What a user may no longer do ends at once: consents are checked at every
   * request.
   */
  put(user_id: string, data: PutBankUser, options?: TransactionOptions): Promise<BankUser>;
  /** List the consents that a user authorised, newest first. */
  consents(user_id: string, options?: TransactionOptions & PageOptions): List<Consent>;
}

/** What the bank allows a company in the third-party channel. */
export interface CompanyOpenBankingOperations {
  /** Read what a company may do in Open Banking. */
  read(id: Id, options?: TransactionOptions): Promise<CompanyOpenBanking>;
  /**
   * Set what a company may do in Open Banking. A company that was not set up is eligible for
   * nothing.
   */
  put(id: Id, data: PutCompanyOpenBanking, options?: TransactionOptions): Promise<CompanyOpenBanking>;
}

/** Records in bulk. */
export interface BankRecordOperations {
  /**
   * Report users, profiles, balances, transactions and orders in bulk. One JSON object a line, of
   * at most 65536 bytes, with its `kind` (`user`, `balance`, `profile`, `transaction`,
   * `direct_debit`, `standing_order`, `scheduled_payment`) and the fields of that kind; all but
   * users name their `account`. A file that ends too early applies nothing. Lines are applied in
   * their order, in batches. A line with a problem has no effect and stops no other. What is known
   * by its reference is replaced; a known transaction is a duplicate, and an error when it differs.
   * So the same lines can be reported again, also after a fault, which can come when some batches
   * are applied. Takes no `tx`, because its work is many transactions.
   */
  report(file: FileContent, options?: CallOptions): Promise<RecordReport>;
}

/** The consents of users, as the bank sees them. Needs Open Banking. */
export interface ConsentOperations {
  /** Read a consent of Open Banking. */
  read(consent_id: string, options?: TransactionOptions): Promise<Consent>;
  /**
   * Withdraw a user's consent. All its tokens end at once. A consent for confirmations of funds
   * becomes Revoked. A repeat changes nothing.
   */
  withdraw(consent_id: string, options?: TransactionOptions): Promise<Consent>;
}

/** The operation of the service: all companies. */
export interface OperatorOperations {
  readonly cards: OperatorCardOperations;
  readonly realCards: OperatorRealCardOperations;
  readonly templates: OperatorTemplateOperations;
  readonly events: OperatorEventOperations;
  readonly companies: CompanyRecordOperations;
  readonly keys: ApiKeyOperations;
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
  /** Create a company. */
  create(data: CreateCompany, options?: TransactionOptions): Promise<Company>;
  /** List the companies, newest first. */
  list(options?: TransactionOptions & PageOptions): List<Company>;
  /** Read a company. */
  read(id: Id, options?: TransactionOptions): Promise<Company>;
  /** Change a company: its name, status, holds, mails and rate limit. What is absent stays. */
  update(id: Id, data: UpdateCompany, options?: TransactionOptions): Promise<Company>;
}

/** The real cards of all companies. */
export interface OperatorRealCardOperations {
  /** Create a real card of a company. */
  create(data: CreateRealCard, options?: TransactionOptions): Promise<RealCard>;
  /** List the real cards of one company or of all companies, newest first. */
  list(options?: TransactionOptions & PageOptions & FilterOptions<CompanyFilter>): List<RealCard>;
}

/** The API keys of the HTTP interface. Calls in process need none. */
export interface ApiKeyOperations {
  /** Create an API key. Only this result shows its text. */
  create(data: CreateApiKey, options?: TransactionOptions): Promise<ApiKey>;
  /** List the API keys of one company or of all companies, newest first. */
  list(options?: TransactionOptions & PageOptions & FilterOptions<CompanyFilter>): List<ApiKey>;
  /** Read an API key, without its text. */
  read(id: Id, options?: TransactionOptions): Promise<ApiKey>;
  /**
   * Change an API key: its name, its end and its rate limit. What is absent stays. Other processes
   * know it within two seconds.
   */
  update(id: Id, data: UpdateApiKey, options?: TransactionOptions): Promise<ApiKey>;
  /** Revoke an API key. Other processes refuse it within two seconds. */
  revoke(id: Id, options?: TransactionOptions): Promise<void>;
}

/** The completion of templates. */
export interface OperatorTemplateOperations {
  /**
   * Complete a PENDING purchase template before its time. Another template is refused
   * (`not_found`).
   */
  complete(id: Id, options?: TransactionOptions): Promise<PurchaseTemplate>;
}

/** The events that other systems of the bank record. */
export interface OperatorEventOperations {
  /**
   * Record an event of another system. Anything that could be a card number is masked except for
   * its last four digits. A masked JSON number becomes text.
   */
  record(data: ForeignEvent, options?: TransactionOptions): Promise<ForeignEventRecord>;
}

/** What only an operator does to a virtual card. */
export interface OperatorCardOperations {
  /**
   * Forget the wrong codes of a card. After 10 wrong codes in a UTC day, every code of the card
   * counts as wrong until the day is over. This ends it early, and writes the audit log and the
   * event virtualcard.updated. For a card without wrong codes today nothing is recorded.
   */
  resetCodeFailures(id: Id, options?: TransactionOptions): Promise<CodeFailures>;
}

/** The webhooks of all companies. */
export interface OperatorWebhookOperations {
  /** List the webhooks of all companies with their state, newest first. */
  list(options?: TransactionOptions & PageOptions & FilterOptions<OperatorWebhookFilter>): List<OperatorWebhook>;
}

/** The deliveries of all companies. */
export interface OperatorDeliveryOperations {
  /** List the deliveries of all companies with their attempts, newest first. */
  list(options?: TransactionOptions & PageOptions & FilterOptions<OperatorDeliveryFilter>): List<OperatorDelivery>;
}

/** The audit log. */
export interface AuditOperations {
  /** List the entries of the audit log, newest first. */
  list(options?: TransactionOptions & PageOptions & FilterOptions<AuditFilter>): List<AuditEntry>;
}

/** The mails about cards. */
export interface CardMailOperations {
  /** List the mails about cards, newest first; addresses are masked. */
  list(options?: TransactionOptions & PageOptions & FilterOptions<CardMailFilter>): List<CardMail>;
  /** Read the state of a mail. */
  read(id: Id, options?: TransactionOptions): Promise<CardMail>;
  /**
   * Send a failed mail again, from the start of the schedule. A mail that is sent or pending is
   * refused (`validation_failed`), and so is a mail of a Canceled card.
   */
  retry(id: Id, options?: TransactionOptions): Promise<CardMail>;
}

/** Clearings that were refused and are kept. */
export interface QuarantineOperations {
  /** List the clearings that were refused and are kept, newest first. */
  list(options?: TransactionOptions & PageOptions & FilterOptions<QuarantineFilter>): List<Quarantined>;
  /** Read a quarantined record. */
  read(id: Id, options?: TransactionOptions): Promise<Quarantined>;
  /**
   * Send the message of a quarantined record again, once the cause is gone. Refused (`conflict`)
   * when the message is refused again, with the reason, or when it is applied already. Takes no
   * `tx`, because it shares a pass with the messages of the network.
   */
  replay(id: Id, options?: CallOptions): Promise<Quarantined>;
}

/** Imports of clearing files and bank statements. A file is applied in many transactions. */
export interface ImportOperations {
  /**
   * Import a clearing file or a file of bank statements. The file is of any length. The result
   * comes when the import has ended, whatever its status; a caller may prefer it early, as soon as
   * the file is checked and staged. The same bytes are applied once: bytes that were completed
   * before return the earlier import, and bytes that are being imported are refused (`conflict`). A
   * file that ends too early applies nothing. Takes no `tx`, because its work is many transactions.
   */
  create(
    file: FileContent,
    options: CallOptions & {
      /** The name of the file, for people. */
      readonly name: string;
      /** The format; without it the first bytes of the file decide. */
      readonly format?: string | undefined;
      /** The profile of a `csv` file. */
      readonly profile?: string | undefined;
      /** True: resolves before the work has ended. */
      readonly respond_async?: boolean | undefined;
    },
  ): Promise<Import>;
  /** List the imports, the highest id first. */
  list(options?: TransactionOptions & PageOptions & FilterOptions<ImportFilter>): List<Import>;
  /** Read an import. */
  read(id: Id, options?: TransactionOptions): Promise<Import>;
  /** List the quarantined records of an import, newest first. */
  quarantine(id: Id, options?: TransactionOptions & PageOptions): List<Quarantined>;
  /**
   * List the statements of an imported file and what became of them, the last of the file first.
   */
  statements(
    id: Id,
    options?: TransactionOptions & PageOptions & FilterOptions<ImportStatementFilter>,
  ): List<ImportStatement>;
  /**
   * Try the quarantined records and the held statements of an import again, once the cause is gone.
   * In the order of the file. What is refused again stays as it is. Refused (`conflict`) unless the
   * import is completed or has held statements. Takes no `tx`, because its work is many
   * transactions.
   */
  replay(id: Id, data?: ImportReplay, options?: CallOptions): Promise<Import>;
  /**
   * Apply a held import, or held statements of one. The result comes when the import has ended, or
   * when this process stops before: then the next one applies the rest. Refused (`conflict`) unless
   * something of it is held with a problem that may be accepted. Statements are checked again, and
   * can be held with another problem. A statement with other lines than the known one brings the
   * lines that are not recorded. Takes no `tx`, because its work is many transactions.
   */
  release(
    id: Id,
    data: ImportRelease,
    options?: CallOptions & {
      /** True: resolves before the work has ended. */
      readonly respond_async?: boolean | undefined;
    },
  ): Promise<Import>;
}

/** The regulated third parties: clients of the authorisation server. Needs Open Banking. */
export interface ThirdPartyOperations {
  /** Register a third party for Open Banking. */
  create(data: CreateThirdParty, options?: TransactionOptions): Promise<ThirdParty>;
  /** List the third parties, newest first. */
  list(options?: TransactionOptions & PageOptions): List<ThirdParty>;
  /** Read a third party. */
  read(id: Id, options?: TransactionOptions): Promise<ThirdParty>;
  /**
   * Change a third party: its name, scopes, redirect addresses, keys and certificate. Tokens keep
   * working, except when a scope is taken away: then all tokens of the third party end at once.
   * Replaced keys and a replaced certificate authenticate nobody any more, on every node. If a key
   * was stolen, replace it, and then suspend and activate the third party: that ends all its
   * tokens.
   */
  update(id: Id, data: UpdateThirdParty, options?: TransactionOptions): Promise<ThirdParty>;
  /** Suspend a third party. All its tokens end at once. */
  suspend(id: Id, options?: TransactionOptions): Promise<ThirdParty>;
  /** Activate a suspended third party. It needs new tokens. */
  activate(id: Id, options?: TransactionOptions): Promise<ThirdParty>;
}

/** What only a sandbox has. Outside a sandbox, it is refused (`not_found`). */
export interface SandboxOperations {
  readonly consents: SandboxConsentOperations;
  readonly clock: SandboxClockOperations;
  readonly mailbox: MailboxOperations;
}

/** The clock of the sandbox. */
export interface SandboxClockOperations {
  /**
   * Move the clock forward, freeze it or release it. By a duration, or to an instant. A frozen
   * clock stays frozen until `frozen` is false. Work that becomes due is done before the result;
   * `waiting` says what is not done yet. Takes no `tx`, because the due work has transactions of
   * its own.
   */
  move(data: MoveSandboxClock, options?: CallOptions): Promise<SandboxClock>;
}

/** The decision of a bank's user, without a page. Needs Open Banking. */
export interface SandboxConsentOperations {
  /**
   * Decide about a consent as a user of the bank. The third party then gets its code, or
   * `access_denied`, without a page. Only a consent that awaits authorisation can be decided.
   */
  decide(consent_id: string, data: DecideConsent, options?: TransactionOptions): Promise<Consent>;
}

/** The mails that the sandbox stored instead of sending them. */
export interface MailboxOperations {
  /** List the mails that the sandbox stored instead of sending them, newest first. */
  list(options?: TransactionOptions & PageOptions): List<MailboxItem>;
  /** Read a mail that the sandbox stored. */
  read(id: Id, options?: TransactionOptions): Promise<MailboxMessage>;
}
