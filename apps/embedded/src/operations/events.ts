import type { CallOptions, TransactionOptions } from './call-options.ts';
import type { Event, EventType, EventTypeName, ForeignEvent, ForeignEventRecord, Id } from './generated/resources.ts';
import type { FilteredListOptions, InstantFilter, List, RangeFilter } from './list.ts';

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
