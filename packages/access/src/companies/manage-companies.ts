import { auditEntry, type Call, type Page, type PageRequest, Refusal, RequestFields } from '@tallystick/kernel';
import type { AccessTx } from '../ports.ts';
import { type Company, company_name_length_max, customer_number_length_max } from './company.ts';
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

/** The operator's change of a company. A field that is absent or null stays. */
export interface CompanyChange {
  readonly full_details_in_mail?: boolean | null | undefined;
}

/**
 * Changes a company. Writes the audit log if the change makes a difference. Refuses `not_found`.
 */
export async function updateCompany(
  tx: Pick<AccessTx, 'companies' | 'audit'>,
  call: OperatorCall,
  id: number,
  change: CompanyChange,
): Promise<Company> {
  const company = await readCompany(tx, id);
  const full_details_in_mail = change.full_details_in_mail ?? company.full_details_in_mail;
  if (full_details_in_mail === company.full_details_in_mail) return company;
  const changed = { ...company, full_details_in_mail };
  await tx.companies.update(changed);
  await audit(tx, call, 'company.updated', id, { full_details_in_mail });
  return changed;
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
