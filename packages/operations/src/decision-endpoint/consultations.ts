import { type ConsultationRecord, listConsultations, readConsultation } from '@tallystick/cards';
import { toInstantText } from '@tallystick/kernel';
import * as z from 'zod';
import { showAs } from '../fields.ts';
import { companyCall, type Operation, operation, present } from '../operation.ts';
import { consultation } from './consultation-shapes.ts';

/** `/v1/decision-endpoint/consultations`: the requests about which a company was asked, and their outcomes. */
export function consultationOperations(): readonly Operation[] {
  return [
    operation('decision_endpoint', {
      id: 'decisionEndpoint.consultations.list',
      summary: 'List the requests about which the company was asked, newest first',
      query: { paged: true },
      answer: z.array(consultation),
      async read(tx, call) {
        return present(await listConsultations(tx, companyCall(call), call.query.page), presentConsultation);
      },
    }),
    operation('decision_endpoint', {
      id: 'decisionEndpoint.consultations.read',
      summary: 'Read the consultation about a request, and its outcome',
      parameters: ['consultation_id'],
      refusals: ['not_found'],
      answer: consultation,
      async read(tx, call) {
        return presentConsultation(await readConsultation(tx, companyCall(call), call.consultation_id));
      },
    }),
  ];
}

export function presentConsultation(record: ConsultationRecord) {
  const { consultation_id, authorization_id, outcome, answer, respond_by_ms, late_answer, late_ms } = record;
  const is_concluded = authorization_id !== null && outcome !== null && answer !== null;
  const { decline_code: decline_reason, amount, note, stood_in, ms } = record;
  const respond_by = respond_by_ms === null ? null : toInstantText(respond_by_ms);
  return showAs(consultation, {
    ...record,
    id: consultation_id,
    sent_at: toInstantText(record.sent_at_ms),
    concluded: is_concluded
      ? { authorization_id, decline_reason, outcome, answer, amount, note, stood_in, respond_by, ms }
      : null,
    late:
      late_answer === null || late_ms === null
        ? null
        : { answer: late_answer, amount: record.late_amount, ms: late_ms },
    type: 'consultation',
    url: `/v1/decision-endpoint/consultations/${consultation_id}`,
  });
}
