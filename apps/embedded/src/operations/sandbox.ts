import type { CallOptions, TransactionOptions } from './call-options.ts';
import type {
  Authorization,
  Clearing,
  Consent,
  DecideConsent,
  Id,
  MailboxItem,
  MailboxMessage,
  MoveSandboxClock,
  SandboxClock,
  SandboxFollowUp,
  SandboxPurchase,
} from './generated/resources.ts';
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
