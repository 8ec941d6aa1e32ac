import { client_answers, consultation_outcomes, decline_codes } from '@tallystick/cards';
import * as z from 'zod';
import { amount, id_number, resource_url, resourceType, shown_instant, type_names } from '../fields.ts';

const answer = z
  .enum(client_answers)
  .describe('`approve_part`: a part of the amount is approved')
  .register(type_names, { id: 'ClientAnswer' });

export const consultation_outcome = z
  .enum(consultation_outcomes)
  .describe(
    '`answered`: the answer of the company counts. `timeout`: none came in time. `unreachable`, `status`, `garbage`: the endpoint could not be reached, answered with an error, or with something that does not fit. `busy`: too many questions were in flight. `removed`: the endpoint was gone. `overtaken`: the same message came again and was decided without it',
  )
  .register(type_names, { id: 'ConsultationOutcome' });

const part = amount.nullable().describe('The approved part, minor units of the limit currency; null: all or nothing');

const stood_in = z
  .string()
  .nullable()
  .describe('The stand-in rule that decided: its place from 1, or `default`; null: none did');

const decline_reason = z
  .enum(decline_codes)
  .nullable()
  .describe('Why the request was declined in the end; null: it was approved');

const ms = z.int().min(0).describe('Milliseconds from the question to the answer');

const consultation_id = z.string().describe('The id of the consultation, as the endpoint got it');

/** A consultation as answers show it. */
export const consultation = z
  .object({
    id: consultation_id,
    vcn_id: id_number.describe('The virtual card'),
    trace_id: z.string().describe('The reference of the request in the network'),
    asked: amount.describe('The amount in question, minor units of the limit currency of the card'),
    sent_at: shown_instant.describe('When the company was to be asked, UTC'),
    concluded: z
      .object({
        authorization_id: id_number.describe('The authorization that was decided'),
        decline_reason,
        outcome: consultation_outcome,
        answer: answer.describe('What was said, by the company or by what stood in for it'),
        amount: part,
        note: z
          .string()
          .nullable()
          .describe('What the company said about it, or what was wrong with its answer; null: nothing'),
        stood_in,
        respond_by: shown_instant.nullable().describe('When its time was over, UTC; null: it was not asked'),
        ms: ms.nullable().describe('How long the question was with the company; null: it was not asked'),
      })
      .nullable()
      .describe('What came of it; null: the process ended first, and the same message again concludes it'),
    late: z
      .object({ answer, amount: part, ms })
      .nullable()
      .describe('What the company answered after the decision, which did not change it; null: nothing'),
    type: resourceType('consultation'),
    url: resource_url,
  })
  .meta({ id: 'Consultation', description: 'A request about which a company was asked, and its outcome' });

/** The payload of the event about an answer that did not count. */
export const overridden_decision = z
  .object({
    consultation_id,
    vcn_id: id_number.describe('The virtual card'),
    authorization_id: id_number.describe('The authorization that was decided without the answer'),
    late: z.object({ answer, amount: part, ms }).describe('What the company answered too late'),
    decided: z
      .object({ answer, amount: part, outcome: consultation_outcome, stood_in })
      .describe('What was said in its place, and why'),
    decline_reason,
  })
  .meta({ id: 'OverriddenDecision', description: 'An answer of a company that came after the decision' });
