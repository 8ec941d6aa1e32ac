import {
  client_answers,
  consultation_outcomes,
  decision_timeout_ms_default,
  decision_timeout_ms_max,
  decision_timeout_ms_min,
  endpoint_statuses,
  endpoint_url_length_max,
  stand_in_answers,
  stand_in_rules_max,
  stand_in_values_max,
} from '@tallystick/cards';
import { webhook_secret_expected } from '@tallystick/events';
import { shared_secret_length_max, shared_secret_length_min } from '@tallystick/kernel';
import { merchant_entry_length_max } from '@tallystick/templates';
import * as z from 'zod';
import { amount, created_at, currency, resourceType, shown_mcc, type_names } from '../fields.ts';

const url = z.string().max(endpoint_url_length_max).meta({ format: 'uri' });

const timeout_ms = z
  .int()
  .min(decision_timeout_ms_min)
  .max(decision_timeout_ms_max)
  .describe('How long the service waits for an answer, milliseconds');

const status = z
  .enum(endpoint_statuses)
  .describe("An inactive endpoint is not asked, and nothing stands in for it: the card's limits alone decide")
  .register(type_names, { id: 'DecisionEndpointStatus' });

const merchant_text = z.string().min(1).max(merchant_entry_length_max);

const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(stand_in_values_max);

const conditions = z
  .object({
    amount_min: amount
      .describe('At least this amount, minor units of the currency of the limits of the card')
      .optional(),
    amount_max: amount
      .describe('At most this amount, minor units of the currency of the limits of the card')
      .optional(),
    currency: currency.describe('The currency of the limits of the card').optional(),
    mccs: listOf(shown_mcc).describe('One of these merchant category codes').optional(),
    merchant_ids: listOf(merchant_text).describe('One of these merchants, by `merchant_id`').optional(),
    merchant_names: listOf(merchant_text)
      .describe('One of these merchants, by the whole `merchant_name`, in any case')
      .optional(),
  })
  .describe('All conditions must hold. Without any, every request fits')
  .register(type_names, { id: 'StandInConditions' });

const rule = z
  .object({ if: conditions, decision: z.enum(stand_in_answers).describe('What the rule decides') })
  .describe('A rule that decides when the endpoint does not')
  .register(type_names, { id: 'StandInRule' });

const stand_in = z
  .array(rule)
  .max(stand_in_rules_max)
  .describe(
    'What decides when the endpoint fails or is late: the first rule that fits. Without one the request is declined',
  );

/** A rule of a request may leave out its conditions. */
const sent_stand_in = z
  .array(rule.extend({ if: conditions.nullish().describe('All conditions must hold; null: every request fits') }))
  .max(stand_in_rules_max)
  .describe(
    'What decides when the endpoint fails or is late: the first rule that fits. Null: none, every request is declined',
  );

const settings = {
  timeout_ms: timeout_ms.nullish().describe(`Milliseconds; null: ${decision_timeout_ms_default}`),
  stand_in: sent_stand_in.nullish(),
  status: status.nullish().describe('Null: active'),
};

/** `PUT /v1/decision-endpoint`. */
export const put_decision_endpoint = z
  .object({
    data: z.object({
      url: url
        .regex(/^[Hh][Tt][Tt][Pp][Ss]:/)
        .describe('Where requests are posted to: an https URL on a public address'),
      ...settings,
      secret: z
        .string()
        .min(shared_secret_length_min)
        .max(shared_secret_length_max)
        .nullish()
        .describe(
          `Signs the requests: ${webhook_secret_expected}. Null: the service creates one. A replacement keeps the secret: only its present value is accepted then`,
        ),
    }),
  })
  .meta({
    id: 'PutDecisionEndpoint',
    description: 'The endpoint at which the company decides on its purchases. What is absent has its default',
    examples: [
      {
        data: {
          url: 'https://decisions.example.com/tallystick',
          timeout_ms: 1_000,
          stand_in: [
            { if: { mccs: ['7995'] }, decision: 'decline' },
            { if: { amount_max: 5_000, currency: 'USD' }, decision: 'approve' },
          ],
        },
      },
    ],
  });

/** `PATCH /v1/decision-endpoint`. */
export const update_decision_endpoint = z
  .object({
    data: z.object({
      url: url.optional().describe('Where requests are posted to'),
      ...settings,
      secret: z.unknown().optional().describe('Cannot be changed; rotate it. Null and its present value are accepted'),
    }),
  })
  .meta({
    id: 'UpdateDecisionEndpoint',
    description: 'A change of the decision endpoint. What is absent stays, and null resets a field to its default',
    examples: [{ data: { timeout_ms: 800 } }],
  });

/** What a test has sent, and what came back. */
export const endpoint_test = z
  .object({
    request: z
      .object({
        url: url.describe('The endpoint'),
        headers: z.record(z.string(), z.string()).describe('With the signatures'),
        body: z.string().describe('The text as it was sent and signed'),
      })
      .describe('The request, which differs from that about a purchase in `test` alone'),
    response: z
      .object({
        status: z.int().min(0).max(999).describe('The HTTP status'),
        content_type: z.string().nullable().describe('The media type; null: none was sent'),
        body: z.string().describe('The first 16 KiB'),
      })
      .nullable()
      .describe('The answer of the endpoint; null: none came in time'),
    outcome: z.enum(consultation_outcomes).describe('`answered`, or why the answer would not count'),
    answer: z.enum(client_answers).nullable().describe('What the answer says; null: it would not count'),
    amount: amount.nullable().describe('The approved part; null: all or nothing'),
    note: z
      .string()
      .nullable()
      .describe('What the endpoint says about it, or what is wrong with its answer; null: nothing'),
    ms: z.int().min(0).describe('Milliseconds until the answer, or until the time was over'),
  })
  .meta({ id: 'DecisionEndpointTest', description: 'A test request, and its outcome' });

export const decision_endpoint = z
  .object({
    url: url.describe('Where requests are posted to'),
    timeout_ms,
    stand_in,
    secret: z
      .string()
      .max(shared_secret_length_max)
      .nullable()
      .describe('Shown when it was made: by the registration and by a rotation. Else null'),
    status,
    created_at,
    type: resourceType('decision_endpoint'),
  })
  .meta({ id: 'DecisionEndpoint', description: 'The endpoint at which the company decides on its purchases' });
