import type { Authorization } from './authorizations.ts';
import type { CallOptions, Id, TransactionOptions } from './call-options.ts';
import type { Clearing } from './clearings.ts';
import type { List, ListOptions } from './list.ts';

/** The virtual cards of a company (service specification 2.1, 4.1). */
export interface VirtualCardOperations {
  /**
   * Issues a virtual card. Refuses (`validation_failed`) what a card cannot have, and
   * (`account_range_used_up`) when its real card has no free number.
   */
  issue(card: CreateVirtualCard, options?: ShowNumberOptions): Promise<VirtualCard>;
  /** Lists the cards, newest first. */
  list(options?: VirtualCardListOptions): List<VirtualCard>;
  /** Reads a card with its newest authorizations and clearings. Refuses `not_found`. */
  read(card_id: Id, options?: ShowNumberOptions): Promise<VirtualCard>;
  /**
   * Changes a card; what is absent stays. A whole card may be passed: what a card only shows is
   * ignored. Refuses (`validation_failed`) a change of a Canceled card.
   */
  update(card_id: Id, change: UpdateVirtualCard, options?: ShowNumberOptions): Promise<VirtualCard>;
  /** Cancels a card: further purchases are declined. It can still be read. */
  cancel(card_id: Id, options?: TransactionOptions): Promise<void>;
  /** Mails the details of a card to an address, with a link that shows them once. */
  email(card_id: Id, mail: EmailVirtualCard, options?: TransactionOptions): Promise<VirtualCard>;
  /** Lists all authorizations of a card, newest first. */
  authorizations(card_id: Id, options?: ListOptions): List<Authorization>;
  /** Lists all clearings of a card, newest first. */
  clearings(card_id: Id, options?: ListOptions): List<Clearing>;
  /**
   * Ends the hold of an authorization by hand, for a clearing that will not come. The use stays,
   * and a clearing that comes anyway is applied as `late`. Refuses (`conflict`) when nothing is
   * held. Takes no `tx`: it waits in a pass with the messages of the network, so that it is before
   * or after each of them.
   */
  releaseHold(card_id: Id, authorization_id: Id, release: ReleaseHold, options?: CallOptions): Promise<Authorization>;
}

/** Options of a method that can show the number of a card. */
export interface ShowNumberOptions extends TransactionOptions {
  /** True: the result shows the whole `card_number` and `cvc`. The audit log records it. */
  readonly show_card_number?: boolean | undefined;
}

export interface VirtualCardListOptions extends ListOptions {
  readonly filter?: VirtualCardFilter | undefined;
  /** True: the cards have their authorizations and clearings. */
  readonly show_realtime_auths?: boolean | undefined;
}

/** Several filters are ANDed. `metadata.<name>` compares a top-level name of the metadata as text. */
export interface VirtualCardFilter {
  readonly status?: VirtualCardStatus | undefined;
  readonly rcn_id?: Id | undefined;
  readonly template_id?: Id | undefined;
  readonly supplier_id?: Id | undefined;
  readonly last4?: string | undefined;
  readonly [metadata: `metadata.${string}`]: string | number | undefined;
}

/** A virtual card (service specification 2.1). */
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
  /** First GMT date of use, YYYY-MM-DD. */
  readonly valid_starting_on: string;
  /** Last GMT date of use, YYYY-MM-DD. */
  readonly valid_ending_on: string;
  readonly type: 'virtualcard';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/**
 * What a new card is to be. Velocity (`recurring`, `transactions_max`) and aging velocity
 * (`authorization_hold_days`, `aging_velocity_time_zone`) exclude each other (service specification
 * 2.2).
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

/** Where the details of a card are mailed to. */
export interface EmailVirtualCard {
  /** The address. */
  readonly email: string;
}

/** Why a hold ends. */
export interface ReleaseHold {
  /** Why. Card numbers in it are masked. */
  readonly note: string;
}

/** The window of a velocity control. Windows start at midnight UTC. */
export type Recurring = 'Continuous' | 'Daily' | 'Weekly' | 'Quarterly' | 'Monthly' | 'Yearly';

/** The status of a virtual card. Only Approved cards can be used. */
export type VirtualCardStatus = 'Approved' | 'Canceled';
