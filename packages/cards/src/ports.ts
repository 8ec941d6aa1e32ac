import type { EventStore, NewEvent } from '@tallystick/events';
import type { AuditLog, Page, PageRequest } from '@tallystick/kernel';
import type { PurchaseTemplate, TemplateStore } from '@tallystick/templates';
import type { Authorization, AuthorizationMessage, AuthorizationStatus } from './authorization.ts';
import type { Controls, Counters, RealCard, SealedNumber, VirtualCard } from './card.ts';
import type { Clearing, ClearingMessage } from './clearing.ts';
import type { Pan } from './pan.ts';

/** Keeps card numbers and derives their codes. All synchronous: keys are in memory. */
export interface CardVault {
  seal(pan: Pan): SealedNumber;
  /** Throws a `Fault` when its key is not in the ring. */
  open(number_sealed: Uint8Array): Pan;
  /** The keyed hash by which a number is looked up. */
  index(pan: Pan): Uint8Array;
  /** The three-digit code of a number and its expiry (YYYY-MM); the same each time, never stored. */
  cvc(pan: Pan, expiry: string): string;
  /** Whether the code is right; compared in constant time. */
  cvcMatches(pan: Pan, expiry: string, cvc: string): boolean;
}

/** A filter on the list of cards. Several are ANDed. */
export interface CardFilter {
  readonly status?: string;
  readonly rcn_id?: number;
  readonly template_id?: number;
  readonly supplier_id?: number;
  readonly last4?: string;
  /** A top-level name of `metadata` and its value as text. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Virtual cards, within a transaction. */
export interface CardStore {
  /** Inserts with counters at zero. Returns null when the number's index is taken: draw another. */
  insert(
    card: Omit<VirtualCard, 'id' | 'counters' | 'rcn_alias' | 'billing_currency'>,
    number: SealedNumber,
    window_start_ms: number,
  ): Promise<VirtualCard | null>;
  /** The company's card, or null. `for_update` holds its row until the transaction ends. */
  find(company_id: number, id: number, options?: { readonly for_update?: boolean }): Promise<VirtualCard | null>;
  /** The company's cards, newest first. */
  list(company_id: number, filter: CardFilter, page: PageRequest): Promise<Page<VirtualCard>>;
  /** Writes what an update or a cancellation may change. Never the counters: only a pass writes those. */
  update(card: VirtualCard): Promise<void>;
  number(card_id: number): Promise<SealedNumber>;
  numbers(card_ids: readonly number[]): Promise<ReadonlyMap<number, SealedNumber>>;
  /** Sum of the holds that still count in the card's counters though their end has come, by card id; cards without any are absent. */
  heldPastEnd(card_ids: readonly number[], now_ms: number): Promise<ReadonlyMap<number, number>>;
  /** The newest authorizations of each card, at most `limit` per card, newest first. Status of non-roots follows their root. */
  newestAuthorizations(
    card_ids: readonly number[],
    limit: number,
  ): Promise<ReadonlyMap<number, readonly Authorization[]>>;
  newestClearings(card_ids: readonly number[], limit: number): Promise<ReadonlyMap<number, readonly Clearing[]>>;
  authorizations(company_id: number, card_id: number, page: PageRequest): Promise<Page<Authorization>>;
  clearings(company_id: number, card_id: number, page: PageRequest): Promise<Page<Clearing>>;
  /**
   * Up to `limit` numbers that another key than `key_id` sealed, by rising card id, held for update. Those that another
   * process holds are passed over; with `wait` they are waited for, so that an empty answer means that none is left.
   */
  sealedByOtherKeys(
    key_id: string,
    limit: number,
    options?: { readonly wait?: boolean },
  ): Promise<readonly { readonly card_id: number; readonly number: SealedNumber }[]>;
  /** Replaces the sealed form and its key id of each number. */
  reseal(numbers: readonly { readonly card_id: number; readonly number: SealedNumber }[]): Promise<void>;
}

/** Real cards, within a transaction. */
export interface RealCardStore {
  /** Inserts; `is_default` moves from the company's other real card, if one has it. */
  insert(card: Omit<RealCard, 'id'>): Promise<RealCard>;
  find(company_id: number, id: number): Promise<RealCard | null>;
  findDefault(company_id: number): Promise<RealCard | null>;
  list(company_id: number | null, page: PageRequest): Promise<Page<RealCard>>;
}

/** A mail that goes out after commit. Holds no number: it is composed when it is sent. */
export interface NewMail {
  readonly company_id: number;
  readonly card_id: number;
  readonly kind: 'card_details';
  readonly recipients: readonly string[];
  readonly created_at_ms: number;
}

/** Mails to be sent, within a transaction: durable with the change they tell of. */
export interface MailOutbox {
  /** One mail for each of the recipients, due at once. */
  queue(mail: NewMail): Promise<void>;
}

/** What the use cases of this package need of a transaction. */
export interface CardsTx {
  readonly cards: CardStore;
  readonly real_cards: RealCardStore;
  readonly templates: TemplateStore;
  readonly events: EventStore;
  readonly mails: MailOutbox;
  readonly audit: AuditLog;
}

/** A message that waits for a pass. */
export type NetworkMessage = AuthorizationMessage | ClearingMessage;

/** A card as a pass sees it. */
export interface LedgerCard extends Controls {
  readonly id: number;
  readonly company_id: number;
  readonly rcn_id: number;
  readonly rcn_alias: string;
  readonly billing_currency: string;
  readonly status: VirtualCard['status'];
  readonly last4: string;
  readonly expiry: string;
  readonly number_index: Uint8Array;
  readonly counters: Counters;
  readonly template: Pick<PurchaseTemplate, 'mcc_rule' | 'mcc_list'>;
}

/**
 * What a pass has loaded, all of it read under locks on the cards. It may hold more than is promised here; the fold picks.
 *
 * - For every card whose `next_hold_end_ms` has come: its open holds past their end, and of its other open holds the one that
 *   ends first.
 * - For every authorization message whose card is known: that card, its recorded messages with the same trace_id, and their roots.
 * - For every clearing message: the clearing with its network_financial_transaction_id, of whichever card. When its card is known:
 *   that card; the card's clearings with its acquirer_reference_data; and the card's roots and clearings with its approval_code or
 *   its net_reference_number (or the same six characters 3..9 of it).
 * - For such a clearing that those roots do not settle (`isSettledByReference`), or whose card has an authorization message in
 *   the same pass: what the card has of its merchant_id from the last `match_reach_days`. Those are the roots whose merchant_amount
 *   is its merchant_amount, or whose billing_amount is its billing_amount, or whose authorized amount is either; but for a DEBIT none
 *   that is cleared, reversed or declined. For a CREDIT they are the clearings, too.
 * - The authorizations that all these clearings were matched to.
 */
export interface LedgerState {
  /** The clock, read after the cards were locked; epoch milliseconds. */
  readonly now_ms: number;
  readonly cards: readonly LedgerCard[];
  readonly authorizations: readonly Authorization[];
  readonly clearings: readonly Clearing[];
  /** Fresh ids, rising, at least one of each per message. Unused ones are gaps. */
  readonly authorization_ids: readonly number[];
  readonly clearing_ids: readonly number[];
  readonly event_ids: readonly number[];
}

/** The parts of an authorization that a later message may change. */
export interface AuthorizationChange {
  readonly id: number;
  readonly card_id: number;
  readonly status: AuthorizationStatus;
  readonly authorized: number;
  readonly held: number;
  readonly cleared: number;
  readonly uses: 0 | 1;
  readonly hold_end_ms: number | null;
}

/** A message for a number that nobody has: kept, without the number. */
export interface UnknownNumberMessage {
  readonly number_index: Uint8Array;
  readonly last4: string;
  readonly message: Readonly<Record<string, unknown>>;
  readonly recorded_at_ms: number;
  readonly request_id: string | null;
}

/** Messages for numbers that nobody has, within a transaction. It is passes that record them. */
export interface UnknownNumberStore {
  /** Drops messages recorded before the instant, the oldest first, at most `limit`; returns how many. */
  purge(before_ms: number, limit: number): Promise<number>;
}

/** All that a pass writes. */
export interface LedgerChanges {
  readonly counters: readonly { readonly card_id: number; readonly counters: Counters }[];
  readonly authorizations_inserted: readonly Authorization[];
  readonly authorizations_changed: readonly AuthorizationChange[];
  readonly clearings_inserted: readonly Clearing[];
  readonly events: readonly (NewEvent & { readonly id: number })[];
  readonly unknown_numbers: readonly UnknownNumberMessage[];
}

/** What a pass does with the state that it loaded: pure, but for randomness. */
export type Fold<Result> = (state: LedgerState) => { readonly changes: LedgerChanges; readonly result: Result };

/**
 * The batch-first decision path (architecture: Transactions).
 *
 * A pass locks the cards concerned in id order, reads the clock, loads the state that the messages need, calls `fold`
 * once, writes the changes with a few multi-row statements and commits once. When it resolves, the changes are
 * durable; when it rejects, nothing was written, and the error is a `Fault` (or the `Violation` that `fold` threw). After a conflict
 * it begins again with fresh state and calls `fold` again. No two passes hold the same card at once, in this or
 * any other process.
 */
export interface Ledger {
  /** How many passes over different cards are worth running at once; 1 when absent, as where there is one writer. */
  readonly passes_at_once?: number;
  /**
   * Gives messages that are on their way a turn to arrive, before a pass takes those that wait. For a ledger whose pass leaves
   * its process no time to receive any; absent where messages arrive while a pass is under way.
   */
  readonly gather?: () => Promise<void>;
  /** A pass over messages of the network. */
  pass<Result>(messages: readonly NetworkMessage[], fold: Fold<Result>): Promise<Result>;
  /** A pass over up to `limit` cards with holds whose end has come, with those holds loaded; cards that another process holds are passed over. */
  passDue<Result>(limit: number, fold: Fold<Result>): Promise<Result>;
}
