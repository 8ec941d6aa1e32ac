import {
  assert,
  type Call,
  drawUuid,
  isName,
  maskCardNumbers,
  type Page,
  type PageRequest,
  type Random,
  RequestFields,
  showValue,
} from '@tallystick/kernel';
import { type MerchantControlsRequest, readMerchantControls } from './merchant-controls.ts';
import type { TemplatesTx } from './ports.ts';
import { default_template_ids, mcc_rules, type PurchaseTemplate, required_controls } from './template.ts';

export const template_name_length_max = 255;
export const template_description_length_max = 1_000;
export const template_mccs_max = 1_000;

/**
 * The message for a name that another template of the company has. The store also uses it for a
 * racing request.
 */
export const name_taken = 'must be another name: the company has a template of this name';

/**
 * The request of a client. The fields of service specification 2.3 are required. Values are checked
 * here, whatever their static type.
 */
export type TemplateRequest = Readonly<
  Pick<PurchaseTemplate, 'name' | 'mcc_list' | 'mcc_rule' | 'description' | 'required_control'>
> & {
  /** Null counts as absent. */
  readonly merchant_controls?: MerchantControlsRequest | null;
};

export interface TemplateOptions {
  readonly environment: PurchaseTemplate['environment'];
  /** How long after the request the offline completion is due; 0 or more. */
  readonly completion_delay_ms: number;
}

/**
 * Records the request for a template. The template is PENDING until it is completed offline.
 * Refuses (`validation_failed`) with every invalid field. Of two racing requests for one name, the
 * store refuses the second.
 */
export async function requestTemplate(
  tx: Pick<TemplatesTx, 'templates' | 'companies'>,
  { random }: { readonly random: Random },
  call: Call,
  request: Readonly<Record<string, unknown>>,
  { environment, completion_delay_ms }: TemplateOptions,
): Promise<PurchaseTemplate> {
  const fields = new RequestFields(request);
  const named = readRequest(fields);
  if (named.name !== null && (await tx.templates.nameTaken(call.company_id, named.name))) {
    fields.addProblem('name', name_taken);
  }
  fields.refuseInvalid();

  const company = await tx.companies.find(call.company_id);
  assert(company !== null, `company ${call.company_id} requests a template and is unknown`);
  const sound = named as { readonly [Name in keyof typeof named]: NonNullable<(typeof named)[Name]> };
  return tx.templates.insert({
    company_id: call.company_id,
    name: sound.name,
    description: sound.description,
    mcc_list: [...sound.mcc_list],
    mcc_rule: sound.mcc_rule,
    merchant_controls: sound.merchant_controls ?? null,
    required_control: sound.required_control,
    status: 'PENDING',
    transaction_key: drawUuid(random),
    copy_from_template: String(default_template_ids[sound.required_control]),
    customer_number: company.customer_number,
    environment,
    created_at_ms: call.now_ms,
    updated_at_ms: call.now_ms,
    deleted_at_ms: null,
    completes_at_ms: call.now_ms + completion_delay_ms,
    version: 1,
  });
}

/**
 * Reads the fields of the request. A field is null where it is invalid, after its problem was added
 * to `fields`.
 */
function readRequest(fields: RequestFields): {
  readonly [Name in keyof TemplateRequest]-?: PurchaseTemplate[Name] | null;
} {
  fields.require('name');
  fields.require('mcc_list');
  fields.require('mcc_rule', mcc_rules.join(' or '));
  fields.require('description');
  fields.require('required_control', required_controls.join(' or '));
  const name = fields.readText(
    'name',
    (text) => isName(text, template_name_length_max),
    `text of 1 to ${template_name_length_max} printable characters, not all of them blank`,
  );
  const description = fields.readText(
    'description',
    (text) => isName(text.replace(/[\t\n\r]/g, ' '), template_description_length_max),
    `text of 1 to ${template_description_length_max} printable characters or line breaks, not all of them blank`,
  );
  return {
    name: name === null ? null : maskCardNumbers(name),
    mcc_list: readMccList(fields),
    mcc_rule: fields.readChoice('mcc_rule', mcc_rules),
    merchant_controls: readMerchantControls(fields),
    description: description === null ? null : maskCardNumbers(description),
    required_control: fields.readChoice('required_control', required_controls),
  };
}

function readMccList(fields: RequestFields): readonly string[] | null {
  const value = fields.readArray('mcc_list', { min: 1, max: template_mccs_max }, 'four-digit strings');
  if (value === null) return null;
  const malformed = value.findIndex((mcc) => typeof mcc !== 'string' || !/^[0-9]{4}$/.test(mcc));
  if (malformed >= 0) {
    fields.addProblem(
      'mcc_list',
      `must contain four-digit strings; at index ${malformed} is ${showValue(value[malformed])}`,
    );
    return null;
  }
  const seen = new Set<unknown>();
  const repeated = value.findIndex((mcc) => seen.size === seen.add(mcc).size);
  if (repeated >= 0) {
    fields.addProblem('mcc_list', `must contain each code once; "${value[repeated]}" is repeated at index ${repeated}`);
  }
  return value as readonly string[];
}

/**
 * Lists the company's templates and the shared defaults, newest first. With a `transaction_key`,
 * lists only the template of that request, or nothing. The shared defaults are those of the
 * environment.
 */
export async function listTemplates(
  tx: Pick<TemplatesTx, 'templates'>,
  call: Pick<Call, 'company_id'>,
  filter: { readonly transaction_key?: string },
  page: PageRequest,
  { environment }: Pick<TemplateOptions, 'environment'>,
): Promise<Page<PurchaseTemplate>> {
  const { items, next } = await tx.templates.list(call.company_id, filter, page);
  return { items: items.map((item) => (item.company_id === null ? { ...item, environment } : item)), next };
}
