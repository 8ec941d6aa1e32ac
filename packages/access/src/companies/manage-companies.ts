import {
  amount_max,
  auditEntry,
  type Call,
  type FourEyes,
  invalid,
  isCurrency,
  type Page,
  type PageRequest,
  Refusal,
  RequestFields,
  showValue,
} from '@tallystick/kernel';
import type { AccessTx } from '../ports.ts';
import {
  type Company,
  company_name_length_max,
  company_statuses,
  customer_number_length_max,
  type HoldDays,
  hold_days_max,
  rate_limit_max,
  readName,
  readPrintable,
} from './company.ts';

export interface CompanyRequest {
  /** 1 to 255 characters. */
  readonly name: string;
  /** 1 to 64 characters. No other company has it. */
  readonly customer_number: string;
}

/** The caller and the time, for calls of the operator. They belong to no company of the caller. */
export type OperatorCall = Omit<Call, 'company_id'>;

/**
 * Creates a company and writes the audit log. Refuses (`validation_failed`) a name or number out of
 * bounds, and the customer number of another company.
 */
export async function createCompany(
  tx: Pick<AccessTx, 'companies' | 'audit'>,
  call: OperatorCall,
  request: CompanyRequest,
): Promise<Company> {
  const fields = new RequestFields(request);
  const name = readName(fields, company_name_length_max);
  const customer_number = readPrintable(fields, 'customer_number', customer_number_length_max);
  fields.refuseInvalid();

  const company = await tx.companies.insert({
    name: name!,
    customer_number: customer_number!,
    full_details_in_mail: false,
    hold_days: null,
    status: 'active',
    rate_limit_per_minute: null,
    four_eyes: null,
    endpoint_version: 0,
    created_at_ms: call.now_ms,
  });
  await audit(tx, call, 'company.created', company.id, { name: company.name });
  return company;
}

/** The refusal of a customer number that another company has. */
export function refuseTakenNumber(customer_number: string): Refusal {
  const message = `must not be the number of another company: ${showValue(customer_number)}`;
  return invalid({ path: 'customer_number', message });
}

/** Returns the company. Refuses `not_found`. */
export async function readCompany(
  tx: Pick<AccessTx, 'companies'>,
  id: number,
  options?: { readonly for_update?: boolean },
): Promise<Company> {
  const company = await tx.companies.find(id, options);
  if (company === null) throw new Refusal('not_found', `there is no company ${id}`);
  return company;
}

/**
 * The operator's change of a company. A field that is absent stays. Null stands for the default.
 */
export interface CompanyChange {
  /** 1 to 255 characters. It has no default, so null is refused. */
  readonly name?: unknown;
  /** Cannot be changed: only the present value is accepted. */
  readonly customer_number?: unknown;
  /** Null: false. */
  readonly full_details_in_mail?: boolean | null | undefined;
  /** It applies to later holds. Null: the default of the service. */
  readonly hold_days?: number | string | null | undefined;
  /** Null: active. */
  readonly status?: string | null | undefined;
  /** 1 to 1,000,000 requests per minute of all its keys together. Null: no limit. */
  readonly rate_limit_per_minute?: number | null | undefined;
  /** Null: no act in reconciliation needs a second person. */
  readonly four_eyes?: FourEyes | null | undefined;
}

/**
 * Changes a company. Writes the audit log if the change makes a difference. Refuses `not_found`,
 * and `validation_failed` with every invalid field.
 */
export async function updateCompany(
  tx: Pick<AccessTx, 'companies' | 'audit'>,
  call: OperatorCall,
  id: number,
  change: CompanyChange,
): Promise<Company> {
  const company = await readCompany(tx, id, { for_update: true });
  const { full_details_in_mail, hold_days } = change;
  const fields = new RequestFields(change);
  const name = fields.carries('name') ? readName(fields, company_name_length_max) : company.name;
  if (fields.carries('customer_number') && change.customer_number !== company.customer_number) {
    fields.addProblem('customer_number', `cannot be changed; it is ${showValue(company.customer_number)}`);
  }
  if (hold_days !== undefined && !isHoldDays(hold_days)) {
    const expected = `a whole number from 1 to ${hold_days_max}, "never" or null`;
    fields.addProblem('hold_days', `must be ${expected}, not ${showValue(hold_days)}`);
  }
  const status = fields.readChoice('status', company_statuses);
  const rate_limit_per_minute = fields.readInteger('rate_limit_per_minute', { min: 1, max: rate_limit_max });
  const four_eyes = readFourEyes(fields);
  fields.refuseInvalid();
  const changed: Company = {
    ...company,
    name: name!,
    ...(change.status === undefined ? {} : { status: status ?? 'active' }),
    ...(change.rate_limit_per_minute === undefined ? {} : { rate_limit_per_minute }),
    ...(change.four_eyes === undefined ? {} : { four_eyes }),
    ...(full_details_in_mail === undefined ? {} : { full_details_in_mail: full_details_in_mail ?? false }),
    ...(hold_days === undefined ? {} : { hold_days: hold_days as HoldDays | null }),
  };
  const changes = Object.entries(changed).filter(
    ([name, value]) => JSON.stringify(company[name as keyof Company]) !== JSON.stringify(value),
  );
  if (changes.length === 0) return company;
  await tx.companies.update(changed);
  await audit(tx, call, 'company.updated', id, Object.fromEntries(changes));
  return changed;
}

/** Reads the four-eyes setting, its amounts in the order of their currencies. */
function readFourEyes(fields: RequestFields): FourEyes | null {
  const value = fields.get('four_eyes');
  if (value === null) return null;
  const { above, ...others } = Object(value) as Partial<FourEyes>;
  const amounts = Object.entries(Object(above) as object).sort(([a], [b]) => (a < b ? -1 : 1));
  const is_sound =
    typeof above === 'object' &&
    above !== null &&
    Object.keys(others).length === 0 &&
    amounts.every(([currency, amount]) => isCurrency(currency) && isFourEyesAmount(amount));
  if (is_sound) return { above: Object.fromEntries(amounts) };
  const expected = '{ above: { EUR: 50000 } }, with amounts of 0 or more in minor units by currency, or null';
  fields.addProblem('four_eyes', `must be ${expected}, not ${showValue(value)}`);
  return null;
}

function isFourEyesAmount(amount: unknown): boolean {
  return typeof amount === 'number' && Number.isInteger(amount) && amount >= 0 && amount <= amount_max;
}

function isHoldDays(value: number | string | null): value is HoldDays | null {
  if (value === null || value === 'never') return true;
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= hold_days_max;
}

/** Lists all companies, newest first. */
export function listCompanies(tx: Pick<AccessTx, 'companies'>, page: PageRequest): Promise<Page<Company>> {
  return tx.companies.list(page);
}

function audit(
  tx: Pick<AccessTx, 'audit'>,
  call: OperatorCall,
  action: string,
  company_id: number,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  return tx.audit.record(auditEntry({ ...call, company_id }, action, `company:${company_id}`, details), call.now_ms);
}
