import { auditEntry, Refusal } from '@tallystick/kernel';
import type { BankCaller, BankTx } from '../bank/bank-caller.ts';
import type { BankCompany } from '../bank/bank-company.ts';
import { BankFields } from './bank-fields.ts';

/**
 * What the bank allows a company. Refuses `not_found`, also for a company that the key does not
 * serve.
 */
export async function readBankCompany(
  { bank }: Pick<BankTx, 'bank'>,
  { served_company_id }: Pick<BankCaller, 'served_company_id'>,
  company_id: number,
): Promise<BankCompany> {
  const is_served = served_company_id === null || served_company_id === company_id;
  const company = is_served ? await bank.findCompany(company_id) : null;
  if (company === null) throw new Refusal('not_found', `there is no company ${company_id}`);
  return company;
}

/**
 * Sets what the bank allows a company, and writes the audit log. Refuses as `readBankCompany` does,
 * and `validation_failed` with every invalid field.
 */
export async function putBankCompany(
  tx: BankTx,
  call: BankCaller,
  company_id: number,
  request: Readonly<Record<string, unknown>>,
): Promise<BankCompany> {
  await readBankCompany(tx, call, company_id);
  const fields = new BankFields(request);
  for (const name of ['eligible_services', 'is_configured']) fields.require(name);
  const eligible_services = fields.readServices('eligible_services');
  const is_configured = fields.readFlag('is_configured');
  fields.refuseInvalid();
  const allowed = { eligible_services, is_configured: is_configured! };
  await tx.bank.putCompany({ company_id, ...allowed });
  const entry = auditEntry({ ...call, company_id }, 'bank_company.changed', `company:${company_id}`, allowed);
  await tx.audit.record(entry, call.now_ms);
  return await readBankCompany(tx, call, company_id);
}
