import {
  mcc_rules,
  required_controls,
  template_description_length_max,
  template_mccs_max,
  template_name_length_max,
  template_statuses,
} from '@tallystick/templates';
import * as z from 'zod';
import { id_number } from '../fields.ts';

const mcc_rule = z.enum(mcc_rules);
const required_control = z.enum(required_controls);
const mcc_list = z.array(z.string());

const arguments_of_request = z.object({
  name: z.string().min(1).max(template_name_length_max).describe('Unique in the company'),
  mcc_list: z
    .array(z.string().regex(/^\d{4}$/, { error: () => 'must be four digits' }))
    .min(1)
    .max(template_mccs_max)
    .describe('Distinct merchant category codes'),
  mcc_rule,
  description: z.string().min(1).max(template_description_length_max),
  required_control,
});

/** `POST /v1/content/virtualcard-templates`, wrapped as all other bodies are; the specification's own form is bare. */
export const request_template = z.object({ data: arguments_of_request }).meta({
  id: 'RequestTemplate',
  examples: [
    {
      data: {
        name: 'Restaurants',
        description: 'Meals of field staff',
        mcc_list: ['5812', '5814'],
        mcc_rule: 'ALLOW',
        required_control: 'VELOCITY',
      },
    },
  ],
});

const links = z.array(z.object({ href: z.string(), method: z.literal('GET'), rel: z.literal('self') }));

/** The answer to the request of a template (service specification 2.3): a bare object. */
export const template_acknowledgement = z
  .object({
    copy_from_template: z.string(),
    customer_number: z.string(),
    description: z.string(),
    links,
    mcc_list,
    mcc_rule,
    name: z.string(),
    required_control,
    status: z.literal('PENDING'),
    transaction_key: z.string(),
  })
  .meta({ id: 'TemplateAcknowledgement' });

/** A template as lists show it. */
export const template_item = z
  .object({
    company_id: id_number.nullable().describe('Null: shared by all companies'),
    copy_from_template: z.string(),
    created_at: z.string(),
    deleted_at: z.string().nullable(),
    description: z.string(),
    environment: z.enum(['sandbox', 'live']),
    id: id_number,
    identity: z.null(),
    links,
    mcc_list,
    mcc_rule,
    name: z.string(),
    required_control,
    status: z.enum(template_statuses),
    transaction_key: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'Template' });
