/**
 * A mail: what one address is told of one card.
 *
 *   pending ──the mail server took it───────────────> sent
 *   pending ──its link was used already─────────────> sent: it arrived, though nobody could record it
 *   pending ──not taken, attempts left──────────────> pending, due by the schedule
 *   pending ──not taken, the fifth──────────────────> failed
 *   pending ──the server refuses the address for good─> failed
 *   pending ──its card is Canceled──────────────────> failed
 *   failed ──an operator retries it─────────────────> pending, due at once, with the whole schedule before it
 *
 * Between the claim of a mail and the record of what became of it, it is leased: nobody else sends it, unless the lease
 * runs out because the process died. So a crash between the server's "taken" and our record sends the mail a second time,
 * and no crash loses one. What failed is kept.
 */
export const mail_states = ['pending', 'sent', 'failed'] as const;

export type MailState = (typeof mail_states)[number];

/** What became of an attempt. */
export type MailOutcome =
  | { readonly kind: 'taken' }
  | {
      readonly kind: 'not_taken';
      /** A word of ours and a code, `refused 550`: no text that the server wrote, for it may repeat what it was sent. */
      readonly error: string;
      /** The server will never take mail for this address. */
      readonly for_good: boolean;
    };

/** A mail as stored. Holds no number and no link: both are made when it is sent. Times are those of the service's clock. */
export interface Mail {
  readonly id: number;
  readonly company_id: number;
  readonly card_id: number;
  readonly kind: 'card_details';
  /** One address: each has a mail, a link and a fate of its own. */
  readonly recipient: string;
  readonly state: MailState;
  /** Attempts made. */
  readonly attempts: number;
  readonly first_attempt_at_ms: number | null;
  /** When the next attempt is due; null unless pending. */
  readonly due_at_ms: number | null;
  readonly created_at_ms: number;
  /** When it left `pending`; null before. */
  readonly finished_at_ms: number | null;
  /** Why the last attempt came to nothing; null before, and when it was sent. */
  readonly error: string | null;
}

const minute_ms = 60_000;

/** When the attempts of a mail are due, counted from the first one, in milliseconds. After the last it has failed. */
export const mail_attempt_offsets_ms: readonly number[] = [0, 1, 5, 30, 120].map((minutes) => minutes * minute_ms);

/** The mail after an attempt that began at `at_ms` ended so. */
export function afterMailAttempt(mail: Mail, outcome: MailOutcome, at_ms: number): Mail {
  const first_attempt_at_ms = mail.first_attempt_at_ms ?? at_ms;
  const made = { ...mail, first_attempt_at_ms, attempts: mail.attempts + 1 };
  if (outcome.kind === 'taken') return mailSent(made, at_ms);
  const offset_ms = outcome.for_good ? undefined : mail_attempt_offsets_ms[made.attempts];
  if (offset_ms === undefined) return mailFailed(made, outcome.error, at_ms);
  return { ...made, due_at_ms: first_attempt_at_ms + offset_ms, error: outcome.error };
}

/** The mail, sent. */
export function mailSent(mail: Mail, at_ms: number): Mail {
  return { ...mail, state: 'sent', due_at_ms: null, finished_at_ms: at_ms, error: null };
}

/** The mail, given up. */
export function mailFailed(mail: Mail, error: string, at_ms: number): Mail {
  return { ...mail, state: 'failed', due_at_ms: null, finished_at_ms: at_ms, error };
}

/** The mail as if it had just been queued. */
export function mailRestarted(mail: Mail, at_ms: number): Mail {
  const begun = { attempts: 0, first_attempt_at_ms: null, finished_at_ms: null, error: null };
  return { ...mail, ...begun, state: 'pending', due_at_ms: at_ms };
}

/** The address for those who may know that there is one, and no more: `j***@example.com`. */
export function maskedAddress(address: string): string {
  const [first = ''] = address;
  return `${first}***${address.slice(address.lastIndexOf('@'))}`;
}
