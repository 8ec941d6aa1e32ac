import {
  mcc_rules,
  required_controls,
  type TemplateAcknowledgement,
  type TemplateItem,
  template_description_length_max,
  template_environments,
  template_mccs_max,
  template_name_length_max,
  template_statuses,
} from '@tallystick/templates';
import * as z from 'zod';
import { created_at, id_number, type ShapeOf, shown_instant, shown_mcc, type_names } from '../fields.ts';
import { asked_merchant_controls, shown_merchant_controls } from './merchant-controls.ts';

const mcc_rule = z
  .enum(mcc_rules)
  .describe('Whether mcc_list names what is allowed or what is denied')
  .register(type_names, { id: 'MccRule' });

const required_control = z
  .enum(required_controls)
  .describe('The control that its cards have')
  .register(type_names, { id: 'RequiredControl' });

const arguments_of_request = z.object({
  name: z.string().min(1).max(template_name_length_max).describe('The name of the template, unique in the company'),
  mcc_list: z
    .array(z.string().regex(/^\d{4}$/, { error: () => 'must be four digits' }))
    .min(1)
    .max(template_mccs_max)
    .describe('The merchant category codes that it allows or denies, four digits each, each once'),
  mcc_rule,
  merchant_controls: asked_merchant_controls,
  description: z
    .string()
    .min(1)
    .max(template_description_length_max)
    .describe('What the template is for, in your words'),
  required_control,
});

const example = {
  name: 'Restaurants',
  description: 'Meals of field staff',
  mcc_list: ['5812', '5814'],
  mcc_rule: 'ALLOW',
  required_control: 'VELOCITY',
};

/**
 * `POST /v1/content/virtualcard-templates`: wrapped in `data` like every other body, or bare as in
 * the service specification.
 */
export const request_template = z
  .union([z.object({ data: arguments_of_request.describe('The template that is requested') }), arguments_of_request])
  .meta({
    id: 'RequestTemplate',
    description: 'A request for a purchase template',
    examples: [{ data: example }, { ...example, name: 'Restaurants and bars' }],
  })
  .register(type_names, { id: 'RequestPurchaseTemplate' });

const links = z
  .array(
    z.object({
      href: z.string().describe('The path of the query'),
      method: z.literal('GET').describe('The method of the query'),
      rel: z.literal('self').describe('The link leads to the template itself'),
    }),
  )
  .describe('The query that shows the status');

const shared_fields = {
  copy_from_template: z.string().describe('The id of the shared default for this control'),
  description: z
    .string()
    .max(template_description_length_max)
    .describe('What the template is for, as it was requested'),
  links,
  mcc_list: z
    .array(shown_mcc)
    .max(template_mccs_max)
    .describe('The merchant category codes that it allows or denies, four digits each'),
  mcc_rule,
  merchant_controls: shown_merchant_controls,
  name: z.string().max(template_name_length_max).describe('Its name, unique in the company'),
  required_control,
  transaction_key: z
    .string()
    .meta({ format: 'uuid' })
    .describe('The request for the template, by which the query for its status finds it'),
};

/** The answer to the request for a template (service specification 2.3): a bare object. */
export const template_acknowledgement = z
  .object({
    ...shared_fields,
    customer_number: z.string().describe("The bank's number of the company"),
    status: z.literal('PENDING').describe('`PENDING`: the template is completed later, and is then `ACTIVE`'),
  } satisfies ShapeOf<TemplateAcknowledgement>)
  .meta({ id: 'TemplateAcknowledgement', description: 'The answer to the request for a template' })
  .register(type_names, { id: 'PurchaseTemplateAcknowledgement' });

export const template_item = z
  .object({
    ...shared_fields,
    id: id_number.describe('The template: `template_id` of cards'),
    company_id: id_number.nullable().describe('The company that requested it; null: it is shared by all companies'),
    created_at,
    deleted_at: shown_instant.nullable().describe('When it was deleted, UTC; null: it was not'),
    environment: z.enum(template_environments).describe('Whether it belongs to a sandbox'),
    identity: z.null().describe('Always null'),
    status: z.enum(template_statuses).describe('Only an `ACTIVE` template can be used for cards'),
    updated_at: shown_instant.describe('When it was changed last, UTC'),
  } satisfies ShapeOf<TemplateItem>)
  .meta({ id: 'Template', description: 'A purchase template' })
  .register(type_names, { id: 'PurchaseTemplate' });
