import {
  auditEntry,
  type Call,
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
  customer_number_length_max,
  type HoldDays,
  hold_days_max,
} from './company.ts';
import { readName } from './name.ts';

/** The operator's request for a new company. */
export interface CompanyRequest {
  /** 1 to 255 characters. */
  readonly name: string;
  /** 1 to 64 characters. */
  readonly customer_number: string;
}

/** The caller and the time, for calls of the operator. They belong to no company of the caller. */
export type OperatorCall = Omit<Call, 'company_id'>;

/**
 * Creates a company and writes the audit log. Refuses (`validation_failed`) a name or number out of
 * bounds.
 */
export async function createCompany(
  tx: Pick<AccessTx, 'companies' | 'audit'>,
  call: OperatorCall,
  request: CompanyRequest,
): Promise<Company> {
  const fields = new RequestFields(request);
  const name = readName(fields, 'name', company_name_length_max);
  const customer_number = readName(fields, 'customer_number', customer_number_length_max);
  fields.refuseInvalid();

  const company = await tx.companies.insert({
    name: name!,
    customer_number: customer_number!,
    full_details_in_mail: false,
    hold_days: null,
    created_at_ms: call.now_ms,
  });
  await audit(tx, call, 'company.created', company.id, { name: company.name });
  return company;
}

/** Returns the company. Refuses `not_found`. */
export async function readCompany(tx: Pick<AccessTx, 'companies'>, id: number): Promise<Company> {
  const company = await tx.companies.find(id);
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
  const company = await readCompany(tx, id);
  const { full_details_in_mail, hold_days } = change;
  const fields = new RequestFields(change);
  const name = fields.carries('name') ? readName(fields, 'name', company_name_length_max) : company.name;
  if (fields.carries('customer_number') && change.customer_number !== company.customer_number) {
    fields.addProblem('customer_number', `cannot be changed; it is ${showValue(company.customer_number)}`);
  }
  if (hold_days !== undefined && !isHoldDays(hold_days)) {
    const expected = `a whole number from 1 to ${hold_days_max}, "never" or null`;
    fields.addProblem('hold_days', `must be ${expected}, not ${showValue(hold_days)}`);
  }
  fields.refuseInvalid();
  const changed: Company = {
    ...company,
    name: name!,
    ...(full_details_in_mail === undefined ? {} : { full_details_in_mail: full_details_in_mail ?? false }),
    ...(hold_days === undefined ? {} : { hold_days: hold_days as HoldDays | null }),
  };
  const changes = Object.entries(changed).filter(([name, value]) => company[name as keyof Company] !== value);
  if (changes.length === 0) return company;
  await tx.companies.update(changed);
  await audit(tx, call, 'company.updated', id, Object.fromEntries(changes));
  return changed;
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
