import {
  company_name_length_max,
  company_statuses,
  customer_number_length_max,
  environments,
  hold_days_max,
  key_name_length_max,
  rate_limit_max,
  roles,
} from '@tallystick/access';
import { hold_days_default } from '@tallystick/cards';
import { amount_max, shared_secret_length_max, shared_secret_length_min } from '@tallystick/kernel';
import * as z from 'zod';
import {
  created_at,
  id_either,
  id_number,
  id_text,
  instant,
  nameText,
  resource_url,
  resourceType,
  shown_instant,
  type_names,
} from '../fields.ts';

/** `POST /operator/v1/companies`. */
export const create_company = z
  .object({
    data: z.object({
      name: nameText(company_name_length_max).describe('The name of the company'),
      customer_number: nameText(customer_number_length_max).describe(
        "The bank's number of the company. No other company has it",
      ),
    }),
  })
  .meta({
    id: 'CreateCompany',
    description: 'A new company',
    examples: [{ data: { name: 'Example Ltd', customer_number: '4711' } }],
  });

const hold_days = z.union([z.int().min(1).max(hold_days_max), z.literal('never')]);

const company_status = z
  .enum(company_statuses)
  .describe('`closed`: its calls are refused (`forbidden`) and its cards decline (K), until it is active again')
  .register(type_names, { id: 'CompanyStatus' });

const role = z.enum(roles).describe('The permissions of an API key').register(type_names, { id: 'ApiKeyRole' });

const company_rate_limit = z.int().min(1).max(rate_limit_max);

const company_rate_limit_meaning =
  'The most requests per minute of all its keys together, in one process of the service; null: no limit.';

const four_eyes = z
  .object({
    above: z
      .record(z.string().regex(/^[A-Z]{3}$/), z.int().min(0).max(amount_max))
      .describe(
        'Minor units by currency, ISO 4217: an act on an item of more needs a second person. In a currency without an amount each act does',
      ),
  })
  .meta({
    id: 'FourEyes',
    description: 'Which acts in reconciliation need a second person. Closing and reopening a period do',
  });

const four_eyes_meaning = 'Which acts in its reconciliation need a second person; null: none';

const hold_days_meaning = `The days after which a hold without a clearing ends, on cards without aging velocity; null: ${hold_days_default}.`;

/** `PATCH /operator/v1/companies/:id`. */
export const update_company = z
  .object({
    data: z.object({
      name: nameText(company_name_length_max).optional().describe('The name of the company'),
      customer_number: z.unknown().optional().describe('Cannot be changed. Only its present value is accepted'),
      full_details_in_mail: z
        .boolean()
        .nullish()
        .describe('True: mails about its cards contain the number and the code, beside the one-time link; null: false'),
      hold_days: hold_days.nullish().describe(`${hold_days_meaning} Applies to later holds`),
      status: company_status
        .nullish()
        .describe('`closed`: its calls are refused (`forbidden`) and its cards decline (K). Null: `active`'),
      rate_limit_per_minute: company_rate_limit.nullish().describe(company_rate_limit_meaning),
      four_eyes: four_eyes.nullish().describe(four_eyes_meaning),
    }),
  })
  .meta({
    id: 'UpdateCompany',
    description: 'A change of a company. What is absent stays, and null resets a field to its default',
    examples: [{ data: { hold_days: 7 } }],
  });

export const company = z
  .object({
    id: id_text,
    name: z.string().max(company_name_length_max).describe('The name of the company'),
    customer_number: z.string().max(customer_number_length_max).describe("The bank's number of the company"),
    full_details_in_mail: z
      .boolean()
      .describe('Whether mails about its cards contain the number and the code, beside the one-time link'),
    hold_days: hold_days.nullable().describe(hold_days_meaning),
    status: company_status,
    rate_limit_per_minute: company_rate_limit.nullable().describe(company_rate_limit_meaning),
    four_eyes: four_eyes.nullable().describe(four_eyes_meaning),
    created_at,
    type: resourceType('company'),
    url: resource_url,
  })
  .meta({ id: 'Company', description: 'A company that has cards' });

const key_rate_limit = z.int().min(1).max(rate_limit_max);

const key_rate_limit_meaning =
  "The most requests per minute with this key, in one process of the service; null: the server's default";

const key_end_meaning = 'From this instant on the key is refused like a revoked one; null: it never ends';

/** `POST /operator/v1/keys`. */
export const create_key = z
  .object({
    data: z.object({
      company_id: id_either
        .nullish()
        .describe(
          'The company that the key acts for; null: no single one. Required for the role client, allowed for bank, refused for the others',
        ),
      role,
      name: nameText(key_name_length_max).describe('What the key is for, in your words'),
      signing_secret: z
        .string()
        .min(shared_secret_length_min)
        .max(shared_secret_length_max)
        .nullish()
        .describe('The secret with which every request must be signed; null: none must be'),
      rate_limit_per_minute: key_rate_limit.nullish().describe(key_rate_limit_meaning),
      expires_at: instant.nullish().describe(key_end_meaning),
    }),
  })
  .meta({
    id: 'CreateKey',
    description: 'A new API key',
    examples: [{ data: { role: 'client', company_id: 1, name: 'Back office' } }],
  })
  .register(type_names, { id: 'CreateApiKey' });

/** `PATCH /operator/v1/keys/:id`. */
export const update_key = z
  .object({
    data: z.object({
      name: nameText(key_name_length_max).optional().describe('What the key is for, in your words'),
      rate_limit_per_minute: key_rate_limit.nullish().describe(key_rate_limit_meaning),
      expires_at: instant.nullish().describe(key_end_meaning),
      role: z.unknown().optional().describe('Cannot be changed. Only its present value is accepted'),
      company_id: z.unknown().optional().describe('Cannot be changed. Only its present value is accepted'),
      signing_secret: z.unknown().optional().describe('Cannot be changed. Only null is accepted'),
    }),
  })
  .meta({
    id: 'UpdateKey',
    description: 'A change of an API key. What is absent stays, and null resets a field to its default',
    examples: [{ data: { expires_at: '2099-12-31T00:00:00Z' } }],
  })
  .register(type_names, { id: 'UpdateApiKey' });

export const api_key = z
  .object({
    id: id_text,
    company_id: id_number.nullable().describe('The company that the key acts for; null: no single one'),
    role,
    environment: z.enum(environments).describe('`test`: the key of a sandbox'),
    name: z.string().max(key_name_length_max).describe('What the key is for, in the words of its creator'),
    signed: z.boolean().describe('Whether its requests must be signed'),
    rate_limit_per_minute: key_rate_limit.nullable().describe(key_rate_limit_meaning),
    created_at,
    revoked_at: shown_instant.nullable().describe('When it was revoked, UTC; null: it was not'),
    expires_at: shown_instant.nullable().describe(key_end_meaning),
    last_used_at: shown_instant
      .nullable()
      .describe('Its last accepted request, shown after a minute at most; null: none'),
    key: z.string().optional().describe('The text of the key. Only the answer to its creation has it'),
    type: resourceType('apikey'),
    url: resource_url,
  })
  .meta({ id: 'ApiKey', description: 'An API key of the HTTP interface' });
