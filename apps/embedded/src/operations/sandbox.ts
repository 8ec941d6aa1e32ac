import type { Authorization } from './authorizations.ts';
import type { CallOptions, Id, TransactionOptions } from './call-options.ts';
import type { Clearing } from './clearings.ts';
import type { Consent, DecideConsent } from './consents.ts';
import type { List, ListOptions } from './list.ts';

/** What only a sandbox has. Outside the sandbox, its methods are refused (`not_found`). */
export interface SandboxOperations {
  readonly clock: SandboxClockOperations;
  readonly consents: SandboxConsentOperations;
  readonly mailbox: MailboxOperations;
}

/** The clock of the sandbox. */
export interface SandboxClockOperations {
  /**
   * Moves the clock forward, by a duration or to an instant, freezes it or releases it. Work that
   * becomes due is done before the promise resolves; `waiting` says what is not done yet. Takes no
   * `tx`: the due work has its own transactions.
   */
  move(move: MoveSandboxClock, options?: CallOptions): Promise<SandboxClock>;
}

/** The decision of a bank's user, without a page. Needs Open Banking. */
export interface SandboxConsentOperations {
  /** Decides about a consent as a user of the bank. Refuses (`conflict`) one that is decided. */
  decide(consent_id: string, decision: DecideConsent, options?: TransactionOptions): Promise<Consent>;
}

/** The mails that the sandbox stored instead of sending them. */
export interface MailboxOperations {
  /** Lists the mails, newest first. */
  list(options?: ListOptions): List<MailboxItem>;
  /** Reads a mail. Refuses `not_found`. */
  read(message_id: Id, options?: TransactionOptions): Promise<MailboxMessage>;
}

/**
 * Purchases with a company's cards that the sandbox sends instead of a card network. They wait in a
 * pass like the messages of the network, so the methods take no `tx`.
 */
export interface SandboxPurchaseOperations {
  /**
   * Buys something with a virtual card: sends the authorization that a card network would send,
   * with the number and the code of the card. A decline is a value, as in `network.authorize`.
   */
  buy(purchase: SandboxPurchase, options?: CallOptions): Promise<Authorization>;
  /**
   * Clears an authorization, by default all of it that has not cleared. A smaller amount is a part,
   * after which others may follow.
   */
  clear(authorization_id: Id, part?: SandboxFollowUp, options?: CallOptions): Promise<Clearing>;
  /**
   * Reverses an authorization, by default in full. An amount is what the reversal takes away.
   */
  reverse(authorization_id: Id, part?: SandboxFollowUp, options?: CallOptions): Promise<Authorization>;
  /** Refunds a cleared purchase, by default all that has cleared. */
  refund(authorization_id: Id, part?: SandboxFollowUp, options?: CallOptions): Promise<Clearing>;
}

/** A move of the clock. */
export interface MoveSandboxClock {
  /** ISO 8601 duration of weeks, days (24 hours) and times, such as P1W, P1DT2H or PT0.5S. */
  readonly advance?: string | null | undefined;
  /** ISO 8601 instant; not together with advance. */
  readonly set?: string | null | undefined;
  /** True: the clock stands still there. False: it runs. Absent: as before. */
  readonly frozen?: boolean | null | undefined;
}

/** The clock after a move. */
export interface SandboxClock {
  /** ISO 8601, UTC. */
  readonly now: string;
  /** Whether the clock is frozen. */
  readonly frozen: boolean;
  /** Due work that is not done yet, and why; absent: all is done. */
  readonly waiting?: string | undefined;
}

/** A purchase with a virtual card. */
export interface SandboxPurchase {
  /** A virtual card of the company. */
  readonly vcn_id: Id;
  /** Minor units (cents) of the currency. */
  readonly amount: number;
  /**
   * The merchant's. By default that of the card, else the billing currency. Converted at a rate of
   * 1.
   */
  readonly currency?: string | null | undefined;
  /** By default 5411, groceries. */
  readonly mcc?: string | null | undefined;
  readonly merchant_name?: string | null | undefined;
}

/** How much of an authorization. */
export interface SandboxFollowUp {
  /** Minor units of the currency of the card's limits. Absent: all that is left. */
  readonly amount?: number | null | undefined;
}

/** A stored mail in a list. */
export interface MailboxItem {
  /** Digits. */
  readonly id: string;
  /** The address. */
  readonly to: string;
  readonly subject: string;
  /** ISO 8601, UTC. */
  readonly received_at: string;
  readonly type: 'mailboxmessage';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** A stored mail. */
export interface MailboxMessage extends MailboxItem {
  /** The message as text, with the one-time link. */
  readonly text: string;
  readonly html: string;
}
