import type { ApiKey, Company } from '@tallystick/access';
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
} from '@tallystick/cards';
import type { Attempt, Delivery, Event, EventToRelay, Webhook, WebhookHealth } from '@tallystick/events';
import type { ImportBatch, ImportRecord } from '@tallystick/imports';
import type { AuditEntry, Lease, RetentionKind, RetentionProgress, SandboxClockState } from '@tallystick/kernel';
import { default_template_ids, type PurchaseTemplate, type RequiredControl } from '@tallystick/templates';
import type { IdempotencyRecord } from './idempotency-record.ts';
import { type Access, Table } from './table.ts';
import type { WorkLease } from './work-lease.ts';

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
  readonly api_keys: Table<ApiKey>;
  /** By scope and key, as JSON. */
  readonly idempotency_records: Table<IdempotencyRecord, string>;
  readonly audit: Table<AuditEntry & { readonly at_ms: number }>;
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
    api_keys: new Table(),
    idempotency_records: new Table(),
    audit: new Table(),
    retention: new Table(),
    sandbox_clock: new Table(),
  };
  for (const [control, id] of Object.entries(default_template_ids)) {
    state.templates.set(id, sharedTemplate(id, control as RequiredControl));
  }
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
