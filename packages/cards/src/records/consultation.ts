import type { Money } from '@tallystick/kernel';
import type { DeclineCode } from './authorization.ts';
import type { ClientAnswer, ConsultationOutcome } from './say.ts';

/**
 * A consultation as it is kept. It is written in the pass that finds that the company is to be
 * asked, and concluded in the pass that decides with what was said. One that was never concluded
 * ended with its process, and the same message again concludes it.
 */
export interface ConsultationRecord {
  readonly id: number;
  /** The same for the same message, in every process and after a crash. */
  readonly consultation_id: string;
  readonly company_id: number;
  readonly vcn_id: number;
  readonly trace_id: string;
  /** In the limit currency of the card. */
  readonly asked: Money;
  readonly sent_at_ms: number;
  readonly request_id: string | null;
  /** Null: not concluded. The other fields are null, too. */
  readonly authorization_id: number | null;
  /** What was decided; null: approved. */
  readonly decline_code: DeclineCode | null;
  readonly respond_by_ms: number | null;
  readonly ms: number | null;
  readonly outcome: ConsultationOutcome | null;
  /** What was said, by the company or by what stood in. */
  readonly answer: ClientAnswer | null;
  readonly amount: Money | null;
  readonly note: string | null;
  readonly stood_in: string | null;
  // What the company answered after its time.
  readonly late_answer: ClientAnswer | null;
  readonly late_amount: Money | null;
  readonly late_ms: number | null;
}

/** A consultation as a pass writes it. A known one only changes when it is concluded. */
export type ConsultationEntry = Omit<ConsultationRecord, 'id' | LateField>;

type LateField = 'late_answer' | 'late_amount' | 'late_ms';

/** What a company answered after its time. */
export type LateAnswer = { readonly [Name in LateField]: NonNullable<ConsultationRecord[Name]> | null } & {
  readonly late_answer: ClientAnswer;
  readonly late_ms: number;
};
