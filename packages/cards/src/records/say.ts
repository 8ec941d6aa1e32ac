import type { Money } from '@tallystick/kernel';

/** What a company may answer about a request. `approve_part`: it approves a part of the amount. */
export const client_answers = ['approve', 'decline', 'approve_part'] as const;

export type ClientAnswer = (typeof client_answers)[number];

/**
 * Why a company gave no answer that counts: it did not answer in time (`timeout`), could not be
 * reached, answered with a status other than 2xx, answered something that does not fit the question
 * (`garbage`), could not be asked in time, because too many questions wait (`busy`), has no endpoint
 * any more (`removed`), or the same message came again and was decided without it (`overtaken`).
 */
const consultation_failures = ['timeout', 'unreachable', 'status', 'garbage', 'busy', 'removed', 'overtaken'] as const;

export type ConsultationFailure = (typeof consultation_failures)[number];

export const consultation_outcomes = ['answered', ...consultation_failures] as const;

export type ConsultationOutcome = (typeof consultation_outcomes)[number];

/** What was said about a request, with which it is decided again. Amounts in the limit currency. */
export interface Say {
  readonly consultation_id: string;
  readonly answer: ClientAnswer;
  /** The approved part; null unless the answer is `approve_part`. */
  readonly amount: Money | null;
  readonly by: 'client' | 'stand_in';
  /** What the company says about its answer, or what was wrong with it. */
  readonly note: string | null;
  // How it was asked, for the record of the consultation.
  readonly outcome: ConsultationOutcome;
  /** When its time was over; null when it was not asked. */
  readonly respond_by_ms: number | null;
  /** How long the question was with the company, milliseconds; null when it was not asked. */
  readonly ms: number | null;
  /** The rule that decided in place of the company; null when its answer counts. */
  readonly stood_in: string | null;
}
