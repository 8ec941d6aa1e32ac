import type { ApiKey, Company } from '@tallystick/access';
import type {
  Account,
  AccountBalance,
  AccountProfile,
  BankCompany,
  BankUser,
  DirectDebit,
  ScheduledPayment,
  ShownTransaction,
  StandingOrder,
  Statement,
  StatementLine,
} from '@tallystick/accounts';
import type {
  Authorization,
  Clearing,
  Mail,
  OneTimeLink,
  PastWindow,
  QuarantinedRecord,
  RealCard,
  SealedMessage,
  SealedNumber,
  UnknownNumberMessage,
  VirtualCard,
  WindowKey,
} from '@tallystick/cards';
import type { AuthorisationRecord, Consent, ThirdParty } from '@tallystick/consents';
import type { Attempt, Delivery, Event, EventToRelay, Subscription, Webhook, WebhookHealth } from '@tallystick/events';
import type { ImportBatch, ImportRecord } from '@tallystick/imports';
import type {
  AuditChainRow,
  AuditEntry,
  AuditSeal,
  Lease,
  RetentionKind,
  RetentionProgress,
  SandboxClockState,
} from '@tallystick/kernel';
import type { Act, CoverageWalk, Entry, Item, MatchCell, Period, SummaryCell } from '@tallystick/reconciliation';
import { default_template_ids, type PurchaseTemplate, type RequiredControl } from '@tallystick/templates';
import { type Access, Table } from './table.ts';

/** A record that reconciliation has not taken into account yet. */
export interface InboxRow {
  readonly company_id: number;
  /** `account`: the first statement of an account changed, so more clearings need a line. */
  readonly kind: 'authorization' | 'clearing' | 'line' | 'account';
  readonly record_id: number;
}

/** The stored record of an idempotency key. */
export interface IdempotencyRecord {
  readonly token: string;
  readonly request_sha256: Uint8Array;
  readonly claimed_at_ms: number;
  readonly lease_until_machine_ms: number;
  /** Null until it is answered. */
  readonly answer_sealed: Uint8Array | null;
}

/** The claim of a delivery or a mail, and its end. */
export type WorkLease = Pick<Lease, 'token' | 'until_machine_ms'>;

/** Whether the lease excludes others at this machine time. */
export function isLeased(lease: WorkLease | undefined, machine_ms: number): boolean {
  return lease !== undefined && lease.until_machine_ms > machine_ms;
}

/** The key of a row of `card_windows`. */
export function windowKey({ card_id, window_start_ms }: WindowKey): string {
  return JSON.stringify([card_id, window_start_ms]);
}

/** The hash of an audit entry, and its place in the chain. */
export interface AuditHash {
  readonly content_hash: AuditSeal['content_hash'] | null;
  readonly number: AuditSeal['number'] | null;
  readonly link: AuditSeal['link'] | null;
}

/** Every table of the storage. A transaction works on a draft of it. */
export interface State {
  readonly companies: Table<Company>;
  readonly real_cards: Table<RealCard>;
  readonly templates: Table<PurchaseTemplate>;
  readonly cards: Table<VirtualCard>;
  /** By card id. */
  readonly numbers: Table<SealedNumber>;
  /** The card id of each number, by the hexadecimal form of `number_index`. */
  readonly card_ids: Table<number, string>;
  /** Windows that are over, by card id and start, as JSON. */
  readonly card_windows: Table<PastWindow, string>;
  readonly authorizations: Table<Authorization>;
  readonly clearings: Table<Clearing>;
  /** The clearing id of each `network_financial_transaction_id`. */
  readonly clearing_ids: Table<number, string>;
  readonly unknown_numbers: Table<UnknownNumberMessage>;
  readonly events: Table<Event>;
  /** Events that no relay has taken, by id. */
  readonly outbox: Table<EventToRelay>;
  /** By name. */
  readonly subscriptions: Table<Subscription & { readonly lease: string | null }, string>;
  readonly webhooks: Table<Webhook>;
  /** By webhook id; absent while every attempt succeeds. */
  readonly webhook_health: Table<WebhookHealth>;
  /** The last sequence number of each webhook that had a delivery. */
  readonly webhook_sequences: Table<number>;
  readonly deliveries: Table<Delivery>;
  /** By delivery id. */
  readonly delivery_leases: Table<WorkLease>;
  readonly delivery_attempts: Table<Attempt>;
  readonly mails: Table<Mail>;
  /** By mail id. */
  readonly mail_leases: Table<WorkLease>;
  readonly one_time_links: Table<OneTimeLink>;
  readonly mailbox_messages: Table<SealedMessage>;
  readonly quarantine: Table<QuarantinedRecord>;
  readonly imports: Table<ImportRecord>;
  readonly import_batches: Table<ImportBatch>;
  readonly accounts: Table<Account>;
  readonly statements: Table<Statement>;
  readonly statement_lines: Table<StatementLine>;
  /** The line of each bank reference of an account, and of each place in a statement, as JSON. */
  readonly line_ids: Table<number, string>;
  /** By `user_id`. */
  readonly bank_users: Table<BankUser, string>;
  /** By company id. */
  readonly bank_companies: Table<Omit<BankCompany, 'is_active'>>;
  /** By account id. */
  readonly account_profiles: Table<AccountProfile>;
  /** By account id. */
  readonly account_balances: Table<AccountBalance>;
  readonly shown_transactions: Table<ShownTransaction>;
  readonly direct_debits: Table<DirectDebit>;
  readonly standing_orders: Table<StandingOrder>;
  readonly scheduled_payments: Table<ScheduledPayment>;
  readonly consents: Table<Consent>;
  readonly third_parties: Table<ThirdParty>;
  readonly authorisation_records: Table<AuthorisationRecord & { readonly id: number }>;
  /** Records that reconciliation has not taken into account yet. */
  readonly reconciliation_inbox: Table<InboxRow>;
  /** By company id. Coverage as pairs of currency and date. */
  readonly reconciliation_companies: Table<{
    readonly coverage: readonly (readonly [string, string])[];
    readonly walk: CoverageWalk | null;
  }>;
  /** By company, key and record, as JSON. */
  readonly reconciliation_entries: Table<Entry, string>;
  readonly reconciliation_items: Table<Item>;
  /** By company and key, as text. */
  readonly reconciliation_cells: Table<{ readonly company_id: number; readonly cell: SummaryCell }, string>;
  /** The same. */
  readonly reconciliation_match_cells: Table<{ readonly company_id: number; readonly cell: MatchCell }, string>;
  readonly reconciliation_acts: Table<Act>;
  readonly reconciliation_periods: Table<Period>;
  readonly api_keys: Table<ApiKey>;
  /** By scope and key, as JSON. */
  readonly idempotency_records: Table<IdempotencyRecord, string>;
  readonly audit: Table<AuditEntry & { readonly at_ms: number }>;
  /** By entry id. The number and link are null until the entry is sealed. */
  readonly audit_hashes: Table<AuditHash>;
  /** One row, with the key 1. */
  readonly audit_chain: Table<AuditChainRow>;
  /** By kind. */
  readonly retention: Table<RetentionProgress & { readonly lease: Lease | null }, RetentionKind>;
  /** One row, with the key 1, after the first move of the clock. */
  readonly sandbox_clock: Table<SandboxClockState>;
}

/** Returns the state of a new installation, with only the shared default templates. */
export function newState(): State {
  const state: State = {
    companies: new Table(),
    real_cards: new Table(),
    templates: new Table(),
    cards: new Table(),
    numbers: new Table(),
    card_ids: new Table(),
    card_windows: new Table(),
    authorizations: new Table(),
    clearings: new Table(),
    clearing_ids: new Table(),
    unknown_numbers: new Table(),
    events: new Table(),
    outbox: new Table(),
    subscriptions: new Table(),
    webhooks: new Table(),
    webhook_health: new Table(),
    webhook_sequences: new Table(),
    deliveries: new Table(),
    delivery_leases: new Table(),
    delivery_attempts: new Table(),
    mails: new Table(),
    mail_leases: new Table(),
    one_time_links: new Table(),
    mailbox_messages: new Table(),
    quarantine: new Table(),
    imports: new Table(),
    import_batches: new Table(),
    accounts: new Table(),
    statements: new Table(),
    statement_lines: new Table(),
    line_ids: new Table(),
    bank_users: new Table(),
    bank_companies: new Table(),
    account_profiles: new Table(),
    account_balances: new Table(),
    shown_transactions: new Table(),
    direct_debits: new Table(),
    standing_orders: new Table(),
    scheduled_payments: new Table(),
    consents: new Table(),
    third_parties: new Table(),
    authorisation_records: new Table(),
    reconciliation_inbox: new Table(),
    reconciliation_companies: new Table(),
    reconciliation_entries: new Table(),
    reconciliation_items: new Table(),
    reconciliation_cells: new Table(),
    reconciliation_match_cells: new Table(),
    reconciliation_acts: new Table(),
    reconciliation_periods: new Table(),
    api_keys: new Table(),
    idempotency_records: new Table(),
    audit: new Table(),
    audit_hashes: new Table(),
    audit_chain: new Table(),
    retention: new Table(),
    sandbox_clock: new Table(),
  };
  for (const [control, id] of Object.entries(default_template_ids)) {
    state.templates.set(id, sharedTemplate(id, control as RequiredControl));
  }
  state.audit_chain.set(1, {
    number: 0,
    link: '',
    removed_number: 0,
    removed_link: '',
    accepted_number: 0,
    accepts_until_machine_ms: 0,
    mac: null,
  });
  return state;
}

/** Returns a copy of the state for a transaction with this access. */
export function draftOf(state: State, access: Access): State {
  const drafts = Object.entries(state).map(([name, table]: [string, Table<unknown, never>]) => [
    name,
    table.draft(access),
  ]);
  return Object.fromEntries(drafts) as State;
}

/** Returns a shared default, which allows every MCC: a DENY rule with an empty list. */
function sharedTemplate(id: number, required_control: RequiredControl): PurchaseTemplate {
  return {
    id,
    company_id: null,
    name: `Default ${required_control}`,
    description: 'Allows all MCCs',
    mcc_list: [],
    mcc_rule: 'DENY',
    required_control,
    status: 'ACTIVE',
    transaction_key: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
    copy_from_template: '',
    customer_number: '',
    environment: 'live',
    created_at_ms: 0,
    updated_at_ms: 0,
    deleted_at_ms: null,
    completes_at_ms: null,
  };
}
