import type { AuditLog, Lease, Page, PageRequest } from '@tallystick/kernel';
import type { CardStore } from '../issuing/ports.ts';
import type { Mail, MailOutbox, MailOutcome, MailState } from './mail.ts';

/**
 * A message to send. Contains a link, and possibly a number: never store it in plain text and never
 * log it.
 */
export interface MailMessage {
  /** One address. */
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Sends messages.
 *
 * Promise: `taken` means that the other side has accepted responsibility for the message. Ends
 * within `mailer_ms_max`, however slow the other side is. A message without `taken` may still
 * arrive. Never rejects.
 */
export interface Mailer {
  send(message: MailMessage): Promise<MailOutcome>;
  /** Closes connections after messages in transit have been sent. */
  close(): Promise<void>;
}

/** The longest time that a mailer may spend on one message, milliseconds. */
export const mailer_ms_max = 20_000;

export interface ClaimedMail {
  readonly mail: Mail;
  /** Whether the company enabled number and code in the mail itself. */
  readonly full_details: boolean;
}

/** An ended attempt of a mail that this process has claimed. */
export interface AttemptedMail {
  readonly mail: Mail;
  /** The token of the lease under which it was claimed. */
  readonly lease: string;
}

/** How a claim shares the mailer between companies. */
export interface MailTurns {
  readonly limit: number;
  /**
   * A company's lane: of its due mails only the first ones are claimed, and those among them that
   * are leased occupy their places. So no company has more in flight, in all processes together.
   */
  readonly per_company_max: number;
  /** The company of the last claim. Companies with higher ids have their turn first. */
  readonly after_company_id: number;
}

/** A filter on the list of mails. Several are ANDed. */
export interface MailFilter {
  readonly state?: MailState;
  readonly company_id?: number;
  readonly card_id?: number;
}

export interface MailStore extends MailOutbox {
  /** Newest first. */
  list(filter: MailFilter, page: PageRequest): Promise<Page<Mail>>;
  /** `for_update` holds its row until the transaction ends. */
  find(id: number, options?: { readonly for_update?: boolean }): Promise<Mail | null>;
  /**
   * Writes a mail without a lease, which is one that is not pending. Precondition: the mail was
   * held for update in this transaction.
   */
  restart(mail: Mail): Promise<void>;
  /**
   * Leases pending mails that are due and not leased. Companies take turns in the order of their
   * ids, and a company's mails are in the order in which they were due. No mail has two leases at
   * the same time.
   */
  claimDue(now_ms: number, lease: Lease, turns: MailTurns): Promise<readonly ClaimedMail[]>;
  /**
   * Writes the outcomes of mails and ends their leases. A mail whose lease was lost stays as it is.
   */
  record(attempted: readonly AttemptedMail[]): Promise<void>;
  /** For metrics: the number of pending mails, and when the oldest of them was due. */
  backlog(): Promise<{ readonly pending: number; readonly oldest_due_at_ms: number | null }>;
}

/** A link that shows a card's number once. Only a hash of its token is stored. */
export interface OneTimeLink {
  readonly id: number;
  /** One link per mail: another attempt replaces it. */
  readonly mail_id: number;
  readonly company_id: number;
  readonly card_id: number;
  readonly token_sha256: Uint8Array;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  readonly used_at_ms: number | null;
}

export interface OneTimeLinkStore {
  /**
   * Stores the mail's link and replaces an earlier one. Returns false, without a change, when the
   * earlier link was used.
   */
  replace(link: Omit<OneTimeLink, 'id' | 'used_at_ms'>): Promise<boolean>;
  find(token_sha256: Uint8Array): Promise<OneTimeLink | null>;
  /**
   * Marks the link as used, if it is unused and has not expired; else returns null. Exactly one of
   * several racing calls gets the link.
   */
  use(token_sha256: Uint8Array, now_ms: number): Promise<OneTimeLink | null>;
  /** Deletes links that expired before the instant, at most `limit`; returns how many. */
  purge(before_ms: number, limit: number): Promise<number>;
}

/** A message in the sandbox's mailbox, sealed as a whole. */
export interface SealedMessage {
  readonly id: number;
  readonly message_sealed: Uint8Array;
  readonly received_at_ms: number;
}

export interface MailboxStore {
  insert(message: Omit<SealedMessage, 'id'>): Promise<void>;
  find(id: number): Promise<SealedMessage | null>;
  /** Newest first. */
  list(page: PageRequest): Promise<Page<SealedMessage>>;
  /** Up to `limit` messages with an id above `after_id`, in id order, held for update. */
  listAfter(after_id: number, limit: number): Promise<readonly SealedMessage[]>;
  reseal(id: number, message_sealed: Uint8Array): Promise<void>;
  /** Deletes messages received before the instant, at most `limit`; returns how many. */
  purge(before_ms: number, limit: number): Promise<number>;
}

export interface MailTx {
  readonly cards: Pick<CardStore, 'find' | 'numbers'>;
  readonly mails: MailStore;
  readonly one_time_links: OneTimeLinkStore;
  readonly mailbox: MailboxStore;
  readonly audit: AuditLog;
}
