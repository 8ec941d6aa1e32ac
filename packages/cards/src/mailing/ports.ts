import type { AuditLog, Lease, Page, PageRequest } from '@tallystick/kernel';
import type { CardStore } from '../issuing/ports.ts';
import type { Mail, MailOutcome, MailState } from './mail.ts';
import type { MailOutbox } from './mail-outbox.ts';

/** A message as it goes out. Holds a link, or even a number: it is never stored in clear, and never logged. */
export interface MailMessage {
  /** One address. */
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Hands messages to whoever delivers them.
 *
 * Promise: `taken` means that the other side has taken responsibility for the message. Over within
 * `mailer_ms_max`, however slow the other side is. A message that was given up on may arrive all the same. Never rejects.
 */
export interface Mailer {
  send(message: MailMessage): Promise<MailOutcome>;
  /** Ends connections, once what is on its way has been sent. */
  close(): Promise<void>;
}

/** How long a mailer may take over one message, milliseconds. */
export const mailer_ms_max = 20_000;

/** A mail that is this process's to send. */
export interface ClaimedMail {
  readonly mail: Mail;
  /** Whether its company wants number and code in the mail itself. */
  readonly full_details: boolean;
}

/** A filter on the list of mails. Several are ANDed. */
export interface MailFilter {
  readonly state?: MailState;
  readonly company_id?: number;
}

/** Mails on their way, within a transaction. */
export interface MailStore extends MailOutbox {
  /** Newest first. */
  list(filter: MailFilter, page: PageRequest): Promise<Page<Mail>>;
  /** `for_update` holds its row until the transaction ends. */
  find(id: number, options?: { readonly for_update?: boolean }): Promise<Mail | null>;
  /** Writes a mail that nobody has leased: one that is not pending. */
  restart(mail: Mail): Promise<void>;
  /** Leases up to `limit` pending mails that are due and not leased, oldest due first. None is ever leased twice at once. */
  claimDue(now_ms: number, limit: number, lease: Lease): Promise<readonly ClaimedMail[]>;
  /** Writes what became of mails and ends their leases. One whose lease was lost stays as it is. */
  record(mails: readonly Mail[], lease_token: string): Promise<void>;
  /** For metrics: how many are pending, and when the oldest of them was due. */
  backlog(): Promise<{ readonly pending: number; readonly oldest_due_at_ms: number | null }>;
  /** Drops sent mails that were finished before the instant, at most `limit`; returns how many. */
  purgeSent(before_ms: number, limit: number): Promise<number>;
}

/** A link that shows a card's number once. Its token is stored as a hash only. */
export interface OneTimeLink {
  readonly id: number;
  /** One link per mail: an attempt made anew replaces it. */
  readonly mail_id: number;
  readonly company_id: number;
  readonly card_id: number;
  readonly token_sha256: Uint8Array;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  readonly used_at_ms: number | null;
}

/** One-time links, within a transaction. */
export interface OneTimeLinkStore {
  /** Keeps the mail's link in place of an earlier one. False, and nothing is changed, when the earlier one was used. */
  replace(link: Omit<OneTimeLink, 'id' | 'used_at_ms'>): Promise<boolean>;
  find(token_sha256: Uint8Array): Promise<OneTimeLink | null>;
  /** Marks the link as used, if it is unused and has not expired; else null. Of racing calls exactly one gets the link. */
  use(token_sha256: Uint8Array, now_ms: number): Promise<OneTimeLink | null>;
  /** Drops links that expired before the instant, at most `limit`; returns how many. */
  purge(before_ms: number, limit: number): Promise<number>;
}

/** A message as the sandbox keeps it: sealed whole. */
export interface SealedMessage {
  readonly id: number;
  readonly message_sealed: Uint8Array;
  readonly received_at_ms: number;
}

/** The sandbox's mailbox, within a transaction. */
export interface MailboxStore {
  insert(message: Omit<SealedMessage, 'id'>): Promise<void>;
  find(id: number): Promise<SealedMessage | null>;
  /** Newest first. */
  list(page: PageRequest): Promise<Page<SealedMessage>>;
  /** Up to `limit` messages with an id above `after_id`, in id order, held for update. */
  listAfter(after_id: number, limit: number): Promise<readonly SealedMessage[]>;
  reseal(id: number, message_sealed: Uint8Array): Promise<void>;
  /** Drops messages received before the instant, at most `limit`; returns how many. */
  purge(before_ms: number, limit: number): Promise<number>;
}

/** What mail needs of a transaction. */
export interface MailTx {
  readonly cards: Pick<CardStore, 'find' | 'numbers'>;
  readonly mails: MailStore;
  readonly one_time_links: OneTimeLinkStore;
  readonly mailbox: MailboxStore;
  readonly audit: AuditLog;
}
