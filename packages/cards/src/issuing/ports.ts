import type { EventFilter, EventStore } from '@tallystick/events';
import type { AuditLog, Page, PageRequest } from '@tallystick/kernel';
import type { TemplateStore } from '@tallystick/templates';
import type { MailOutbox } from '../mailing/mail.ts';
import type { Authorization, AuthorizationStatus } from '../records/authorization.ts';
import type { Clearing } from '../records/clearing.ts';
import type { HoldEnds } from './balance.ts';
import type { CardOfItem, RealCard, SealedNumber, VirtualCard } from './card.ts';
import type { CardVersion } from './card-version.ts';

/** A filter on the list of cards. Conditions are combined with AND. */
export interface CardFilter {
  readonly status?: string;
  readonly frozen?: boolean;
  readonly rcn_id?: number;
  readonly template_id?: number;
  readonly supplier_id?: number;
  readonly last4?: string;
  /** Only these cards. */
  readonly ids?: readonly number[];
  /** A top-level name of `metadata` and its value as text. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The value of any top-level name of `metadata`, as text. Only of the cards of one company. */
  readonly metadata_value?: string;
}

/** What names a clearing, or the authorization that it belongs to. Each field that is present is met. */
export interface ClearingSearch {
  readonly id?: number;
  readonly network_financial_transaction_id?: string;
  readonly authorization_id?: number;
}

/**
 * A search for messages about cards. All conditions are met. What a decision has determined is
 * compared as its event has it, and the status as it is now.
 */
export interface AuthorizationSearch {
  /** The status now of an authorization of its own, or `declined` of any message. */
  readonly status?: AuthorizationStatus;
  /** Of the event of the decision. */
  readonly filters: readonly EventFilter[];
}

/** A message that was found, with what its item needs of its card. */
export interface FoundAuthorization {
  readonly authorization: Authorization;
  readonly card: CardOfItem;
}

export interface CardStore {
  /**
   * Inserts with counters at zero. Returns null when the number's index exists already: generate
   * another number.
   */
  insert(
    card: Omit<VirtualCard, 'id' | 'counters' | 'rcn_alias' | 'billing_currency'>,
    number: SealedNumber,
    window_start_ms: number,
  ): Promise<VirtualCard | null>;
  /**
   * The company's card, or null. `for_update` locks its row until the transaction ends. For null
   * it finds the card of any company.
   */
  find(company_id: number | null, id: number, options?: { readonly for_update?: boolean }): Promise<VirtualCard | null>;
  /**
   * Locks the rows of these cards of the company until the transaction ends, in the order of their
   * ids, as passes lock them. Unknown ids are left out.
   */
  lock(company_id: number, ids: readonly number[]): Promise<void>;
  /**
   * The cards of a company, or of all for null, newest first. A page may have fewer cards than its limit, or none, and
   * still a next one: a search among many cards continues on the next page.
   */
  list(company_id: number | null, filter: CardFilter, page: PageRequest): Promise<Page<VirtualCard>>;
  /**
   * Writes the fields that an update or a cancellation may change. It never writes the counters, nor
   * whether the card is frozen: only a pass does, and `resetCodeFailures`. Precondition: the card was locked for update, or
   * inserted, in this transaction.
   */
  update(card: VirtualCard): Promise<void>;
  /** Keeps a state that is over. Precondition: as for `update`, and its number is not kept yet. */
  keepVersion(ended: CardVersion): Promise<void>;
  /** The ended versions of a card with smaller numbers, the newest first, up to `limit`. */
  versionsBelow(card_id: number, version: number, limit: number): Promise<readonly CardVersion[]>;
  /**
   * Sets the wrong codes of a card of any company to none, and locks its row until the transaction
   * ends. Returns the card as it was before, or null when there is none.
   */
  resetCodeFailures(card_id: number): Promise<VirtualCard | null>;
  number(card_id: number): Promise<SealedNumber>;
  /** Those of the blind indexes that belong to a card of any company. */
  knownNumbers(number_indexes: readonly Uint8Array[]): Promise<readonly Uint8Array[]>;
  numbers(card_ids: readonly number[]): Promise<ReadonlyMap<number, SealedNumber>>;
  /** The ends of the open holds in the window of each card's counters, by card id. */
  holdEnds(card_ids: readonly number[], now_ms: number): Promise<ReadonlyMap<number, HoldEnds>>;
  /**
   * The newest authorizations of each card, at most `limit` per card, newest first. The status of
   * non-roots follows their root.
   */
  newestAuthorizations(
    card_ids: readonly number[],
    limit: number,
  ): Promise<ReadonlyMap<number, readonly Authorization[]>>;
  newestClearings(card_ids: readonly number[], limit: number): Promise<ReadonlyMap<number, readonly Clearing[]>>;
  /**
   * The messages that meet the search, of a company or of all, newest first, each by its event
   * (`searchAuthorizations`). A page may end early, as that of `list`.
   */
  searchAuthorizations(
    company_id: number | null,
    search: AuthorizationSearch,
    page: PageRequest,
  ): Promise<Page<FoundAuthorization>>;
  authorizations(company_id: number, card_id: number, page: PageRequest): Promise<Page<Authorization>>;
  /** A recorded message about a card of the company, or null. */
  findAuthorization(company_id: number, id: number): Promise<Authorization | null>;
  clearings(company_id: number, card_id: number, page: PageRequest): Promise<Page<Clearing>>;
  /** The clearings of a company that meet the search, newest first. */
  searchClearings(company_id: number, search: ClearingSearch, page: PageRequest): Promise<Page<Clearing>>;
  /** The clearings with these ids, by rising id. Unknown ids and reduced records are left out. */
  findClearings(ids: readonly number[]): Promise<readonly Clearing[]>;
  /**
   * Up to `limit` numbers that a key other than `key_id` sealed, in ascending order of card id,
   * locked for update. Rows that another process has locked are skipped. With `wait` the call waits
   * for them, so an empty result means that none is left.
   */
  sealedByOtherKeys(
    key_id: string,
    limit: number,
    options?: { readonly wait?: boolean },
  ): Promise<readonly { readonly card_id: number; readonly number: SealedNumber }[]>;
  reseal(numbers: readonly { readonly card_id: number; readonly number: SealedNumber }[]): Promise<void>;
}

export interface AccountRangeUsage {
  readonly id: number;
  readonly company_id: number;
  readonly account_range: string;
  readonly cards: number;
}

export interface RealCardStore {
  /** Inserts. `is_default` moves from the company's other real card, if one has it. */
  insert(card: Omit<RealCard, 'id'>): Promise<RealCard>;
  find(company_id: number, id: number): Promise<RealCard | null>;
  findDefault(company_id: number): Promise<RealCard | null>;
  list(company_id: number | null, page: PageRequest): Promise<Page<RealCard>>;
  /** The number of cards of all real cards whose account range begins with these digits. */
  countIssued(account_range: string): Promise<number>;
  /** The account range of every real card, and the number of its cards; for metrics. */
  usage(): Promise<readonly AccountRangeUsage[]>;
}

export interface CardsTx {
  readonly cards: CardStore;
  readonly real_cards: RealCardStore;
  readonly templates: TemplateStore;
  readonly events: EventStore;
  readonly mails: MailOutbox;
  readonly audit: AuditLog;
}
