import type { ApiKey, Company } from '@tallystick/access';
import { toInstantText } from '@tallystick/kernel';

/** A company as the operator's API shows it. */
export function presentCompany(company: Company) {
  return {
    id: String(company.id),
    name: company.name,
    customer_number: company.customer_number,
    full_details_in_mail: company.full_details_in_mail,
    hold_days: company.hold_days,
    status: company.status,
    rate_limit_per_minute: company.rate_limit_per_minute,
    created_at: toInstantText(company.created_at_ms),
    type: 'company' as const,
    url: `/operator/v1/companies/${company.id}`,
  };
}

/** An API key as the operator's API shows it, without its secrets. */
export function presentApiKey(key: ApiKey) {
  return {
    id: String(key.id),
    company_id: key.company_id,
    role: key.role,
    environment: key.environment,
    name: key.name,
    signed: key.signing_secret_sealed !== null,
    rate_limit_per_minute: key.rate_limit_per_minute,
    created_at: toInstantText(key.created_at_ms),
    revoked_at: key.revoked_at_ms === null ? null : toInstantText(key.revoked_at_ms),
    type: 'apikey' as const,
    url: `/operator/v1/keys/${key.id}`,
  };
}
