import type { LateAnswer } from '../records/consultation.ts';
import type { ConsultationsTx } from './ports.ts';

/** The stored name of the event about an answer that did not count. */
const overridden_event_type = 'virtualcard.decision.overridden';

export interface LateCall {
  readonly company_id: number;
  readonly consultation_id: string;
  readonly now_ms: number;
}

/**
 * Keeps an answer that came after the request was decided without it, and writes the event about
 * it, once. Does nothing about a request that is not decided, or that was decided with this answer.
 */
export async function keepLateAnswer(
  tx: ConsultationsTx,
  { company_id, consultation_id, now_ms }: LateCall,
  late: LateAnswer,
): Promise<void> {
  const known = await tx.consultations.find(company_id, consultation_id);
  const is_heard =
    known?.outcome === 'answered' && known.answer === late.late_answer && known.amount === late.late_amount;
  if (known === null || is_heard) return;
  const kept = await tx.consultations.keepLate(company_id, consultation_id, late);
  if (kept === null) return;
  const { vcn_id, authorization_id, outcome, answer, amount, stood_in, decline_code, request_id } = kept;
  await tx.events.append([
    {
      company_id,
      event_type: overridden_event_type,
      payload: {
        consultation_id,
        vcn_id,
        authorization_id,
        late: { answer: late.late_answer, amount: late.late_amount, ms: late.late_ms },
        decided: { answer, amount, outcome, stood_in },
        decline_reason: decline_code,
      },
      previous: null,
      created_at_ms: now_ms,
      request_id,
    },
  ]);
}
