import type { CallOptions, TransactionOptions } from './call-options.ts';
import type {
  Authorization,
  Clearing,
  CreateVirtualCard,
  EmailVirtualCard,
  Id,
  ReleaseHold,
  UpdateVirtualCard,
  VirtualCard,
  VirtualCardStatus,
} from './generated/resources.ts';
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
