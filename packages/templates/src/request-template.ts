import { assert, type Call, type FieldError, type Random, refuseFaults } from '@tallystick/kernel';
import type { TemplatesTx } from './ports.ts';
import { default_template_ids, mcc_rules, type PurchaseTemplate, required_controls } from './template.ts';

export const template_name_length_max = 255;
export const template_description_length_max = 1_000;
export const template_mccs_max = 1_000;

/** What is said of a name that another template of the company has; by the store too, of a racing request. */
export const name_taken = 'must be another: the company has a template of this name';

/** What a client asks for; all required (service specification 2.3). Checked here, whatever the static type says. */
export type TemplateRequest = Readonly<
  Pick<PurchaseTemplate, 'name' | 'mcc_list' | 'mcc_rule' | 'description' | 'required_control'>
>;

/** What the host has settled about templates. */
export interface TemplateSettings {
  readonly environment: PurchaseTemplate['environment'];
  /** How long after the request the offline completion is due; 0 or more. */
  readonly completion_delay_ms: number;
  /** Draws the transaction key. */
  readonly random: Random;
}

/**
 * Records the request for a template, PENDING until it is completed offline. Refuses (`validation_failed`) with every
 * field at fault; two racing requests for one name: the store refuses the second.
 */
export async function requestTemplate(
  tx: Pick<TemplatesTx, 'templates' | 'companies'>,
  call: Call,
  request: Readonly<Record<string, unknown>>,
  settings: TemplateSettings,
): Promise<PurchaseTemplate> {
  const { name, mcc_list, mcc_rule, description, required_control } = request;
  const problems: FieldError[] = [];
  const check = (path: string, message: string | null) => {
    if (message !== null) problems.push({ path, message });
  };
  check('name', textProblem(name, template_name_length_max, /\p{Cc}/u));
  check('mcc_list', mccListProblem(mcc_list));
  check('mcc_rule', choiceProblem(mcc_rule, mcc_rules));
  check('description', textProblem(description, template_description_length_max, /(?![\t\n\r])\p{Cc}/u));
  check('required_control', choiceProblem(required_control, required_controls));
  if (typeof name === 'string' && !problems.some(({ path }) => path === 'name')) {
    check('name', (await tx.templates.nameTaken(call.company_id, name)) ? name_taken : null);
  }
  refuseFaults(problems);

  const company = await tx.companies.find(call.company_id);
  assert(company !== null, `company ${call.company_id} asks for a template and is unknown`);
  const sound = request as TemplateRequest;
  return tx.templates.insert({
    company_id: call.company_id,
    name: sound.name,
    description: sound.description,
    mcc_list: [...sound.mcc_list],
    mcc_rule: sound.mcc_rule,
    required_control: sound.required_control,
    status: 'PENDING',
    transaction_key: randomUuid(settings.random),
    copy_from_template: String(default_template_ids[sound.required_control]),
    customer_number: company.customer_number,
    environment: settings.environment,
    created_at_ms: call.now_ms,
    updated_at_ms: call.now_ms,
    deleted_at_ms: null,
    completes_at_ms: call.now_ms + settings.completion_delay_ms,
  });
}

function textProblem(value: unknown, length_max: number, forbidden: RegExp): string | null {
  if (value === undefined || value === null) return 'is required';
  if (typeof value !== 'string') return `must be text, not ${kindOf(value)}`;
  if (value.trim() === '') return 'must not be blank';
  if ([...value].length > length_max) return `must be at most ${length_max} characters long, not ${[...value].length}`;
  if (forbidden.test(value) || !value.isWellFormed()) {
    return 'must not hold control characters or half of a surrogate pair';
  }
  return null;
}

function choiceProblem(value: unknown, allowed: readonly string[]): string | null {
  if (value === undefined || value === null) return `is required: ${allowed.join(' or ')}`;
  if (typeof value === 'string' && allowed.includes(value)) return null;
  return `must be ${allowed.join(' or ')} (case-sensitive), not ${shown(value)}`;
}

function mccListProblem(value: unknown): string | null {
  if (value === undefined || value === null) return 'is required';
  if (!Array.isArray(value)) return `must be an array of four-digit strings, not ${kindOf(value)}`;
  if (value.length < 1 || value.length > template_mccs_max) {
    return `must hold 1 to ${template_mccs_max} codes, not ${value.length}`;
  }
  const malformed = value.findIndex((mcc) => typeof mcc !== 'string' || !/^[0-9]{4}$/.test(mcc));
  if (malformed >= 0) return `must hold four-digit strings; at index ${malformed} stands ${shown(value[malformed])}`;
  const seen = new Set<unknown>();
  const repeated = value.findIndex((mcc) => seen.size === seen.add(mcc).size);
  return repeated >= 0 ? `must hold each code once; "${value[repeated]}" stands again at index ${repeated}` : null;
}

/** A faulty value, short enough to repeat and too short to be a card number; else what kind of value it is. */
function shown(value: unknown): string {
  if (typeof value === 'string')
    return value.length <= 10 ? JSON.stringify(value) : `text of ${value.length} characters`;
  if (typeof value === 'number') return Math.abs(value) < 1e9 ? String(value) : 'a large number';
  return kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return (
    { string: 'text', number: 'a number', boolean: 'true or false', object: 'an object' }[typeof value as string] ??
    'such a value'
  );
}

/** A version 4 UUID. */
function randomUuid(random: Random): string {
  const bytes = random.bytes(16).slice();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toHex();
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
