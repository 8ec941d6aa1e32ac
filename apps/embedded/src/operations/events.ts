import type { Authorization } from './authorizations.ts';
import type { CallOptions, Id, TransactionOptions } from './call-options.ts';
import type { Recurring, VirtualCardStatus } from './cards.ts';
import type { Clearing, ClearingClass } from './clearings.ts';
import type { FilteredListOptions, InstantFilter, List, RangeFilter } from './list.ts';
import type { BreakAge, BreakKind, ItemStatus } from './reconciliation-items.ts';
import type { PurchaseTemplate } from './templates.ts';

/** The events of a company: the log of every change (service specification 2.4, 4.3). */
export interface EventOperations {
  /** Lists the events, newest first. */
  list(options?: FilteredListOptions<EventFilter>): List<Event>;
  /** Reads an event. Refuses `not_found`. */
  read(event_id: Id, options?: TransactionOptions): Promise<Event>;
  /** The event types that webhooks can subscribe to. Takes no `tx`: it reads no database. */
  types(options?: CallOptions): Promise<readonly EventType[]>;
}

/** The events that other systems of the bank record. */
export interface OperatorEventOperations {
  /**
   * Records an event of another system. Anything in it that could be a card number is masked except
   * for its last four digits; a masked JSON number becomes text.
   */
  record(event: ForeignEvent, options?: TransactionOptions): Promise<ForeignEventRecord>;
}

/** Several filters are ANDed. */
export interface EventFilter {
  readonly event_type?: EventTypeName | 'all' | undefined;
  readonly created_at?: InstantFilter | undefined;
  readonly 'payload.merchant_amount'?: RangeFilter<number> | undefined;
  readonly 'payload.billing_amount'?: RangeFilter<number> | undefined;
  readonly 'payload.transaction_date_time'?: InstantFilter | undefined;
  readonly 'payload.approval_code'?: string | undefined;
  readonly 'payload.net_ref_num'?: RangeFilter<string> | undefined;
  /** The masked number, as events show it. */
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
}

/** A type of events (service specification 2.5). */
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

/** An event; `event_type` says which (service specification 2.4). */
export type Event =
  | VirtualCardEvent
  | AuthorizationEvent
  | ClearingEvent
  | TemplateEvent
  | ReconciliationBreakEvent
  | ForeignEventRecord;

/** A virtual card was created, changed or canceled. */
export interface VirtualCardEvent {
  /** Digits. */
  readonly id: string;
  readonly event_type: 'virtualcard.created' | 'virtualcard.updated' | 'virtualcard.deleted';
  readonly payload: VirtualCardState;
  /** State before; null: the object was created. */
  readonly previous: VirtualCardState | null;
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'event';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** A virtual card in an event (service specification 2.8). */
export interface VirtualCardState {
  /** Minor units (cents). */
  readonly available_balance: number;
  /** Purchases must be in this merchant currency (ISO 4217); null: in any. */
  readonly currency: string | null;
  /** Minor units (cents). */
  readonly per_transaction_max: number;
  /** Minor units (cents). */
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
  /** Minor units (cents). */
  readonly total_card_amount: number;
  /** First GMT date of use, YYYY-MM-DD. */
  readonly valid_starting_on: string;
  /** Last GMT date of use, YYYY-MM-DD. */
  readonly valid_ending_on: string;
  readonly id: number;
  /** Of an update: the hold that was ended by hand. */
  readonly released?:
    | {
        /** The authorization. */
        readonly authorization_id: number;
        /** Minor units (cents). */
        readonly amount: number;
        readonly note: string;
      }
    | undefined;
  /** Of an update: the clearing that was matched by hand, or taken from its authorization. */
  readonly rematched?:
    | {
        /** The clearing. */
        readonly clearing_id: number;
        readonly from_authorization_id: number | null;
        /** The authorization. */
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

/** An authorization was received, or its state changed. */
export interface AuthorizationEvent {
  /** Digits. */
  readonly id: string;
  readonly event_type: 'virtualcard.realtime.auths';
  readonly payload: Authorization;
  /** State before; null: the object was created. */
  readonly previous: Authorization | null;
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'event';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** A clearing was received, or its match changed. */
export interface ClearingEvent {
  /** Digits. */
  readonly id: string;
  readonly event_type: 'virtualcard.clearings';
  readonly payload: Clearing;
  /** State before; null: the object was created. */
  readonly previous: Clearing | null;
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'event';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** A purchase template is ready for use. */
export interface TemplateEvent {
  /** Digits. */
  readonly id: string;
  readonly event_type: 'virtualcard.purchasetemplate.created';
  readonly payload: PurchaseTemplate;
  /** State before; null: the object was created. */
  readonly previous: PurchaseTemplate | null;
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'event';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** A break was opened, grew older or was resolved. */
export interface ReconciliationBreakEvent {
  /** Digits. */
  readonly id: string;
  readonly event_type: 'reconciliation.break.opened' | 'reconciliation.break.aged' | 'reconciliation.break.resolved';
  readonly payload: ReconciliationBreakState;
  /** State before; null: the object was created. */
  readonly previous: ReconciliationBreakState | null;
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'event';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** The item of a break in an event. */
export type ReconciliationBreakState = ReconciliationBreak | MergedReconciliationItem;

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

/** The item is part of another one, to which its id leads. */
export interface MergedReconciliationItem {
  readonly item_id: number;
  readonly status: 'merged';
}

/** An event that another system of the bank recorded. */
export interface ForeignEventRecord {
  /** Digits. */
  readonly id: string;
  readonly event_type: ForeignEventType;
  readonly payload: ForeignState;
  /** State before; null: the object was created. */
  readonly previous: ForeignState | null;
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'event';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** Any JSON object. Anything that could be a card number is masked. */
export type ForeignState = Readonly<Record<string, unknown>>;

/** An event of another system of the bank. */
export interface ForeignEvent {
  /** The company. */
  readonly company_id: Id;
  readonly event_type: ForeignEventType;
  /** Current state of the object: at most 65536 bytes of JSON. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** State before; null: the object is new. */
  readonly previous?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The type of an event that another system of the bank records. */
export type ForeignEventType =
  | 'ach.status'
  | 'ach.status.advice'
  | 'ach.$$limit.exceeded'
  | 'onboarding.company.status';

/** The stored name of an event type. */
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
