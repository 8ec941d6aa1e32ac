import * as z from 'zod';
import { id_number, id_text, resourceType, shown_instant, text_or_null, type_names } from '../fields.ts';
import { virtual_card } from '../virtual-cards/shapes.ts';
import { attempt, delivery, webhook_overview } from '../webhooks/shapes.ts';

export const webhook_state_of_all = webhook_overview
  .extend({ company_id: id_number.describe('The company of the webhook') })
  .meta({ id: 'OperatorWebhook', description: 'A webhook with its state, as operators see it' });

export const operator_attempt = attempt
  .omit({ headers: true, answer: true })
  .describe('An attempt of a delivery, as operators see it')
  .register(type_names, { id: 'OperatorAttempt' });

export const delivery_of_all = z
  .object({
    ...delivery.omit({ url: true }).shape,
    company_id: id_number.describe('The company of the webhook'),
    webhook_id: id_number.describe('The webhook that it is for'),
    attempts: z.array(operator_attempt).describe('In the order in which they were made'),
  })
  .meta({ id: 'OperatorDelivery', description: 'A delivery, as operators see it' });

export const card_of_all = virtual_card
  .extend({ company_id: id_number.describe('The company of the card') })
  .meta({ id: 'OperatorVirtualCard', description: 'A virtual card of any company, as operators see it' });

export const audit_entry = z
  .object({
    id: id_text,
    at: shown_instant.describe("When it was done, by the service's clock, UTC"),
    company_id: id_number.nullable().describe('The company that the action concerns; null: no single one'),
    actor: z
      .string()
      .describe('Who did it: `key:17`, the `actor` of a call in process, `command` for a command line, or a job'),
    action: z.string().describe('What was done, such as `card_number.shown`, `api_key.created`, `company.updated`'),
    object: z.string().describe('What the action was done to: `virtualcard:17`'),
    request_id: text_or_null.describe('The X-Request-Id of the request; null: a command line or a job'),
    source_address: text_or_null.describe(
      'The IP address of the caller; null: a call in process, a command line or a job',
    ),
    details: z.record(z.string(), z.unknown()).describe('Further facts; never a card number or a secret'),
    type: resourceType('audit_entry'),
  })
  .meta({ id: 'AuditEntry', description: 'An entry of the audit log' });
