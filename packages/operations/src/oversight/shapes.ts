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

const audit_finding = z
  .object({
    kind: z
      .enum(['changed', 'removed', 'inserted', 'head_altered', 'head_removed'])
      .describe('What happened to an entry, or to the head of the log'),
    number: z.int().nullable().describe('The number of the entry, or of the first missing one; null: the head'),
    id: z.int().nullable().describe('The id of the entry; null: it is missing, or the head'),
    problem: z.string().describe('What is wrong'),
    expected: z.string().describe('What would be right'),
  })
  .register(type_names, { id: 'AuditFinding' });

export const audit_verification = z
  .object({
    intact: z.boolean().describe('Whether nothing is wrong with the entries that were checked'),
    is_whole: z.boolean().describe('False: entries after `from_number` were not checked'),
    checked: z.int().describe('How many entries were checked'),
    accepted: z.int().describe('How many of them have no hash of their writer, and a person has accepted them'),
    removed_number: z.int().describe('Entries up to this number were removed after their time'),
    from_number: z.int().describe('The number of the newest entry that was found correct'),
    link: z.string().describe('Its link. Note both outside of the database: a later verification can ask for them'),
    finding: audit_finding.nullable().describe('The first thing that is wrong; null: nothing'),
  })
  .meta({ id: 'AuditVerification', description: 'What a verification of the audit log has found' });
