import type { ApiKey, Company } from '@tallystick/access';
import { toInstantText } from '@tallystick/kernel';
import { showAs } from '../fields.ts';
import { api_key, company } from './shapes.ts';

export function presentCompany(found: Company) {
  return showAs(company, {
    ...found,
    id: String(found.id),
    created_at: toInstantText(found.created_at_ms),
    type: 'company',
    url: `/operator/v1/companies/${found.id}`,
  });
}

/** An API key as the operator's API shows it, without its secrets. */
export function presentApiKey(key: ApiKey) {
  return showAs(api_key, {
    ...key,
    id: String(key.id),
    signed: key.signing_secret_sealed !== null,
    created_at: toInstantText(key.created_at_ms),
    revoked_at: key.revoked_at_ms === null ? null : toInstantText(key.revoked_at_ms),
    expires_at: key.expires_at_ms === null ? null : toInstantText(key.expires_at_ms),
    last_used_at: key.last_used_at_ms === null ? null : toInstantText(key.last_used_at_ms),
    type: 'apikey',
    url: `/operator/v1/keys/${key.id}`,
  });
}
