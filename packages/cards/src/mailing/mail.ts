/**
 * The state machine of a mail, which reports one card to one address:
 *
 *   pending ──the mail server accepted it────────────> sent
 *   pending ──its link was already used──────────────> sent: it arrived, but this was not recorded
 *   pending ──not accepted, attempts left────────────> pending, due by the schedule
 *   pending ──not accepted, fifth attempt────────────> failed
 *   pending ──the server rejects the address finally─> failed
 *   pending ──its card is Canceled───────────────────> failed
 *   failed ──an operator retries it──────────────────> pending, due immediately, with a new schedule
 *
 * A mail is leased from its claim until its outcome is recorded. No other process sends it, unless
 * the lease expires because the process died. So a crash between the acceptance and the record
 * sends the mail twice, and no crash loses a mail. Failed mails are kept.
 */
export const mail_states = ['pending', 'sent', 'failed'] as const;

export type MailState = (typeof mail_states)[number];

export type MailOutcome =
  | { readonly kind: 'taken' }
  | {
      readonly kind: 'not_taken';
      /**
       * A fixed word and a code, such as `refused 550`. Never text from the server, because it may
       * repeat the message.
       */
      readonly error: string;
      /** The server rejects this address permanently. */
      readonly for_good: boolean;
    };

/**
 * A stored mail. Contains no number and no link: both are generated when it is sent. Times are
 * service time.
 */
export interface Mail {
  readonly id: number;
  readonly company_id: number;
  readonly card_id: number;
  readonly kind: 'card_details';
  /** One address. Each recipient has a separate mail, link and outcome. */
  readonly recipient: string;
  readonly state: MailState;
  readonly attempts: number;
  readonly first_attempt_at_ms: number | null;
  /** When the next attempt is due; null unless pending. */
  readonly due_at_ms: number | null;
  readonly created_at_ms: number;
  /** The actor of the call that queued it. */
  readonly queued_by: string;
  /** When it left `pending`; null before. */
  readonly finished_at_ms: number | null;
  /** Why the last attempt failed; null before, and once it is sent. */
  readonly error: string | null;
}

const minute_ms = 60_000;

/**
 * When the attempts of a mail are due, in milliseconds after the first one. After the last attempt
 * the mail has failed.
 */
const mail_attempt_offsets_ms: readonly number[] = [0, 1, 5, 30, 120].map((minutes) => minutes * minute_ms);

/** The mail after an attempt that began at `at_ms` with this outcome. */
export function applyMailAttempt(mail: Mail, outcome: MailOutcome, at_ms: number): Mail {
  const first_attempt_at_ms = mail.first_attempt_at_ms ?? at_ms;
  const made = { ...mail, first_attempt_at_ms, attempts: mail.attempts + 1 };
  if (outcome.kind === 'taken') return markMailSent(made, at_ms);
  const offset_ms = outcome.for_good ? undefined : mail_attempt_offsets_ms[made.attempts];
  if (offset_ms === undefined) return markMailFailed(made, outcome.error, at_ms);
  return { ...made, due_at_ms: first_attempt_at_ms + offset_ms, error: outcome.error };
}

export function markMailSent(mail: Mail, at_ms: number): Mail {
  return { ...mail, state: 'sent', due_at_ms: null, finished_at_ms: at_ms, error: null };
}

export function markMailFailed(mail: Mail, error: string, at_ms: number): Mail {
  return { ...mail, state: 'failed', due_at_ms: null, finished_at_ms: at_ms, error };
}

/** The mail as if it was queued now. */
export function restartMail(mail: Mail, at_ms: number): Mail {
  const begun = { attempts: 0, first_attempt_at_ms: null, finished_at_ms: null, error: null };
  return { ...mail, ...begun, state: 'pending', due_at_ms: at_ms };
}

/** The address for readers who may not see all of it: `j***@example.com`. */
export function maskAddress(address: string): string {
  const [first = ''] = address;
  return `${first}***${address.slice(address.lastIndexOf('@'))}`;
}

/** A mail to send after commit. Contains no number: the message is composed when it is sent. */
export interface NewMail {
  readonly company_id: number;
  readonly card_id: number;
  readonly kind: 'card_details';
  readonly recipients: readonly string[];
  readonly created_at_ms: number;
  readonly queued_by: string;
}

/**
 * Mails to send, within a transaction. They are durable together with the change that they
 * describe.
 */
export interface MailOutbox {
  /** Queues one mail for each of the recipients, due immediately. */
  queue(mail: NewMail): Promise<void>;
}
