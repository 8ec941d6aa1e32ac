import type { ApiKey, Company, ConsoleSession, Person, PortalLink } from '@tallystick/access';
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
  ActivityCount,
  Authorization,
  Backtest,
  CardAct,
  CardVersion,
  Clearing,
  ConsultationRecord,
  DecisionEndpoint,
  Mail,
  OneTimeLink,
  PastWindow,
  QuarantinedRecord,
  RealCard,
  RecordedDifference,
  SealedMessage,
  SealedNumber,
  UnknownNumberMessage,
  VirtualCard,
  WindowKey,
} from '@tallystick/cards';
import type { AuthorisationRecord, Consent, ThirdParty } from '@tallystick/consents';
import type { Attempt, Delivery, Event, EventToRelay, Subscription, Webhook, WebhookHealth } from '@tallystick/events';
import type { ImportBatch, ImportRecord, ImportStatement } from '@tallystick/imports';
import type {
  AuditChainRow,
  AuditEntry,
  AuditSeal,
  Lease,
  RetentionKind,
  RetentionProgress,
  SandboxClockState,
} from '@tallystick/kernel';
import type {
  Act,
  Approval,
  BreakDay,
  Comment,
  Entry,
  Item,
  ItemWalks,
  MatchCell,
  Period,
  StatementKeySetting,
  SummaryCell,
  Tolerance,
  UnsearchedDates,
} from '@tallystick/reconciliation';
import {
  default_template_ids,
  type PurchaseTemplate,
  type RequiredControl,
  type TemplateVersion,
} from '@tallystick/templates';
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

/** A stored backtest. Without a lease `until_machine_ms` is when its last turn ended. */
export interface BacktestRow extends Backtest {
  readonly is_removed: boolean;
  readonly lease: WorkLease | null;
  readonly turn_ended_ms: number;
}

export function windowKey({ card_id, window_start_ms }: WindowKey): string {
  return JSON.stringify([card_id, window_start_ms]);
}

/** The key of a row of `card_versions` or `template_versions`. */
export function versionKey(id: number, version: number): string {
  return JSON.stringify([id, version]);
}

/** The hash of an audit entry, and its place in the chain. */
export interface AuditHash {
  readonly content_hash: AuditSeal['content_hash'] | null;
  readonly number: AuditSeal['number'] | null;
  readonly link: AuditSeal['link'] | null;
}

/** Facts of the storage that never change once they are known. */
export interface Installation {
  readonly index_fingerprint: string | null;
  readonly statement_key: StatementKeySetting | null;
}

/** Every table of the storage. A transaction works on a draft of it. */
export type State = Readonly<ReturnType<typeof emptyTables>>;

function emptyTables() {
  return {
    companies: new Table<Company>(),
    real_cards: new Table<RealCard>(),
    templates: new Table<PurchaseTemplate>(),
    cards: new Table<VirtualCard>(),
    /** By card id and version, as JSON. */
    card_versions: new Table<CardVersion, string>(),
    /** By template id and version, as JSON. */
    template_versions: new Table<TemplateVersion, string>(),
    /** By card id. */
    numbers: new Table<SealedNumber>(),
    /** The card id of each number, by the hexadecimal form of `number_index`. */
    card_ids: new Table<number, string>(),
    /** Windows that are over, by card id and start, as JSON. */
    card_windows: new Table<PastWindow, string>(),
    authorizations: new Table<Authorization>(),
    clearings: new Table<Clearing>(),
    /** What happened to cards beside these, by the id of the event. */
    card_acts: new Table<CardAct>(),
    /** The clearing id of each `network_financial_transaction_id`. */
    clearing_ids: new Table<number, string>(),
    unknown_numbers: new Table<UnknownNumberMessage>(),
    backtests: new Table<BacktestRow>(),
    backtest_differences: new Table<RecordedDifference & { readonly backtest_id: number }>(),
    consultations: new Table<ConsultationRecord>(),
    /** By company id, hour and outcome, as JSON. */
    activity: new Table<ActivityCount, string>(),
    events: new Table<Event>(),
    /** Events that no relay has taken, by id. */
    outbox: new Table<EventToRelay>(),
    /** By name. */
    subscriptions: new Table<Subscription & { readonly lease: string | null }, string>(),
    /** By company id. */
    decision_endpoints: new Table<DecisionEndpoint>(),
    webhooks: new Table<Webhook>(),
    /** By webhook id; absent while every attempt succeeds. */
    webhook_health: new Table<WebhookHealth>(),
    /** The last sequence number of each webhook that had a delivery. */
    webhook_sequences: new Table<number>(),
    deliveries: new Table<Delivery>(),
    /** By delivery id. */
    delivery_leases: new Table<WorkLease>(),
    delivery_attempts: new Table<Attempt>(),
    mails: new Table<Mail>(),
    /** By mail id. */
    mail_leases: new Table<WorkLease>(),
    one_time_links: new Table<OneTimeLink>(),
    mailbox_messages: new Table<SealedMessage>(),
    quarantine: new Table<QuarantinedRecord>(),
    imports: new Table<ImportRecord>(),
    import_batches: new Table<ImportBatch>(),
    import_statements: new Table<ImportStatement>(),
    accounts: new Table<Account>(),
    statements: new Table<Statement>(),
    statement_lines: new Table<StatementLine>(),
    /** The line of each key, as JSON, that no other line has. */
    line_ids: new Table<number, string>(),
    /** How many lines an account has of a bank reference, and of a content without one, as JSON. */
    line_counts: new Table<number, string>(),
    /** By `user_id`. */
    bank_users: new Table<BankUser, string>(),
    /** By company id. */
    bank_companies: new Table<Omit<BankCompany, 'is_active'>>(),
    /** By account id. */
    account_profiles: new Table<AccountProfile>(),
    /** By account id. */
    account_balances: new Table<AccountBalance>(),
    shown_transactions: new Table<ShownTransaction>(),
    direct_debits: new Table<DirectDebit>(),
    standing_orders: new Table<StandingOrder>(),
    scheduled_payments: new Table<ScheduledPayment>(),
    consents: new Table<Consent>(),
    third_parties: new Table<ThirdParty>(),
    authorisation_records: new Table<AuthorisationRecord & { readonly id: number }>(),
    /** Records that reconciliation has not taken into account yet. */
    reconciliation_inbox: new Table<InboxRow>(),
    /** By company id. Coverage and tolerances as pairs with their currency. */
    reconciliation_companies: new Table<{
      readonly coverage: readonly (readonly [string, string])[];
      readonly tolerances: readonly (readonly [string, Tolerance])[];
      readonly walk: ItemWalks | null;
      readonly unsearched: readonly UnsearchedDates[];
      readonly leftover_walks: number;
    }>(),
    /** By company, key and record, as JSON. */
    reconciliation_entries: new Table<Entry, string>(),
    reconciliation_items: new Table<Item>(),
    /** By company and key, as text. */
    reconciliation_cells: new Table<{ readonly company_id: number; readonly cell: SummaryCell }, string>(),
    /** The same. */
    reconciliation_match_cells: new Table<{ readonly company_id: number; readonly cell: MatchCell }, string>(),
    /** The same. */
    reconciliation_break_days: new Table<{ readonly company_id: number; readonly cell: BreakDay }, string>(),
    reconciliation_acts: new Table<Act>(),
    reconciliation_approvals: new Table<Approval>(),
    reconciliation_comments: new Table<Comment>(),
    reconciliation_periods: new Table<Period>(),
    api_keys: new Table<ApiKey>(),
    people: new Table<Person>(),
    console_sessions: new Table<ConsoleSession>(),
    portal_links: new Table<PortalLink>(),
    /** By scope and key, as JSON. */
    idempotency_records: new Table<IdempotencyRecord, string>(),
    audit: new Table<AuditEntry & { readonly at_ms: number }>(),
    /** By entry id. The number and link are null until the entry is sealed. */
    audit_hashes: new Table<AuditHash>(),
    /** One row, with the key 1. */
    audit_chain: new Table<AuditChainRow>(),
    /** By kind. */
    retention: new Table<RetentionProgress & { readonly lease: Lease | null }, RetentionKind>(),
    /** One row, with the key 1, after the first move of the clock. */
    sandbox_clock: new Table<SandboxClockState>(),
    /** One row, with the key 1, once the first fact is known. */
    installation: new Table<Installation>(),
  };
}

/** Returns the state of a new installation, with only the shared default templates. */
export function newState(): State {
  const state: State = emptyTables();
  for (const [control, id] of Object.entries(default_template_ids)) {
    state.templates.set(id, sharedTemplate(id, control as RequiredControl));
  }
  state.audit_chain.set(1, {
    number: 0,
    link: '',
    removed_number: 0,
    removed_link: '',
    accepted_number: 0,
    mac: null,
  });
  return state;
}

const table_names = Object.keys(emptyTables()) as readonly (keyof State)[];

/** A copy of a state for one transaction. A table is copied when it is used first. */
class Draft {
  readonly base: State;
  readonly access: Access;
  readonly tables: Partial<Record<keyof State, Table<unknown>>> = {};

  constructor(base: State, access: Access) {
    this.base = base;
    this.access = access;
  }
}

for (const name of table_names) {
  Object.defineProperty(Draft.prototype, name, {
    get(this: Draft) {
      this.tables[name] ??= (this.base[name] as Table<unknown>).draft(this.access);
      return this.tables[name];
    },
  });
}

/** Returns a copy of the state for a transaction with this access. */
export function draftOf(state: State, access: Access): State {
  return new Draft(state, access) as unknown as State;
}

/** Adds to a draft what another draft of it has written. */
export function adopt(draft: State, inner: State): void {
  const { tables } = draft as unknown as Draft;
  Object.assign(tables, Object.fromEntries(writtenTables(inner)));
}

/** Returns the state after a transaction: that before it, when the transaction has written nothing. */
export function committedOf(draft: State): State {
  const { base } = draft as unknown as Draft;
  const written = writtenTables(draft);
  if (written.length === 0) return base;
  const copies = written.map(([name, table]) => [name, table.draft({ mode: 'write' })]);
  return { ...base, ...Object.fromEntries(copies) };
}

function writtenTables(draft: State): readonly (readonly [string, Table<unknown>])[] {
  return Object.entries((draft as unknown as Draft).tables).filter(([, table]) => table.is_written);
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
    merchant_controls: null,
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
    version: 1,
  };
}
