import {
  grants_max,
  handle_length_max,
  person_name_length_max,
  person_password_length_max,
  person_password_length_min,
  person_roles,
  person_statuses,
  subject_length_max,
} from '@tallystick/access';
import * as z from 'zod';
import {
  created_at,
  id_either,
  id_number,
  id_text,
  nameText,
  resource_url,
  resourceType,
  text_or_null,
  type_names,
} from '../fields.ts';

const role = z
  .enum(person_roles)
  .describe('What the person may do in the console; each includes reading all but card numbers')
  .register(type_names, { id: 'PersonRole' });

const grant = z
  .object({
    role,
    company_id: id_either.nullish().describe('The company for which the person has the role; null: all companies'),
  })
  .register(type_names, { id: 'GrantRequest' });

const grants = z.array(grant).max(grants_max);

const issuer_meaning = 'The OpenID provider at which the person logs in, as its id tokens name it; null: none';
const subject_meaning = 'Who the person is to that provider: the claim `sub`, with an issuer; null: none';
const identity_text = z.string().max(subject_length_max);

/** `POST /operator/v1/people`. */
export const create_person = z
  .object({
    data: z.object({
      handle: z
        .string()
        .max(handle_length_max)
        .describe('The name at log-in and in the audit log: a-z, 0-9, `.`, `_` and `-`. It never changes'),
      name: nameText(person_name_length_max).describe('The name that people read'),
      issuer: identity_text.nullish().describe(issuer_meaning),
      subject: identity_text.nullish().describe(subject_meaning),
      grants: grants.describe('The roles of the person'),
    }),
  })
  .meta({
    id: 'CreatePerson',
    description: 'A new person of the console',
    examples: [{ data: { handle: 'anna', name: 'Anna Smith', grants: [{ role: 'support', company_id: 1 }] } }],
  });

const person_status = z
  .enum(person_statuses)
  .describe('`disabled`: all sessions have ended, and the person cannot log in')
  .register(type_names, { id: 'PersonStatus' });

/** `PATCH /operator/v1/people/:id`. */
export const update_person = z
  .object({
    data: z.object({
      handle: z.unknown().optional().describe('Cannot be changed. Only its present value is accepted'),
      name: nameText(person_name_length_max).optional().describe('The name that people read'),
      issuer: identity_text.nullish().describe(issuer_meaning),
      subject: identity_text.nullish().describe(subject_meaning),
      grants: grants.optional().describe('All roles of the person from now on'),
      status: person_status.optional(),
    }),
  })
  .meta({
    id: 'UpdatePerson',
    description: 'A change of a person. What is absent stays',
    examples: [{ data: { grants: [{ role: 'finance', company_id: null }] } }],
  });

/** `PUT /operator/v1/people/:id/password`. */
export const set_password = z
  .object({
    data: z.object({
      password: z
        .string()
        .max(person_password_length_max)
        .describe(`At least ${person_password_length_min} characters, and not the handle`),
    }),
  })
  .meta({
    id: 'SetPassword',
    description: 'The password of a person',
    examples: [{ data: { password: 'correct horse battery staple' } }],
  });

export const person = z
  .object({
    id: id_text,
    handle: z.string().describe('The name at log-in and in the audit log (`person:anna`)'),
    name: z.string().max(person_name_length_max).describe('The name that people read'),
    issuer: text_or_null.describe(issuer_meaning),
    subject: text_or_null.describe(subject_meaning),
    grants: z
      .array(
        z
          .object({ role, company_id: id_number.nullable().describe('Null: all companies') })
          .register(type_names, { id: 'Grant' }),
      )
      .describe('The roles of the person'),
    status: person_status,
    has_password: z.boolean().describe('Whether it has a password. The log-in by password also needs codes'),
    has_totp: z.boolean().describe('Whether it has a secret of time-based codes'),
    created_at,
    totp_secret: z
      .string()
      .optional()
      .describe('The secret of codes, to be typed into an app. Only the answer to its reset has it'),
    totp_uri: z.string().optional().describe('The same as an `otpauth:` address. Only the answer to its reset has it'),
    type: resourceType('person'),
    url: resource_url,
  })
  .meta({ id: 'Person', description: 'A person who may use the console' });
