import type { Consent } from '@tallystick/consents';
import { toInstantText } from '@tallystick/kernel';

/** A consent as the bank sees it. Its id is its ConsentId. */
export function presentBankConsent(consent: Consent) {
  return {
    id: consent.consent_id,
    kind: consent.kind,
    client_id: consent.client_id,
    status: consent.status,
    permissions: consent.kind === 'account_access' ? consent.permissions : [],
    expiration_date_time: consent.expiration_date_time,
    company_id: consent.company_id,
    user_id: consent.user_id,
    account_ids: consent.account_numbers,
    created_at: toInstantText(consent.created_at_ms),
    status_updated_at: toInstantText(consent.status_updated_at_ms),
    authorised_at: shownInstant(consent.authorised_at_ms),
    withdrawn_at: shownInstant(consent.withdrawn_at_ms),
    deleted_at: shownInstant(consent.deleted_at_ms),
    type: 'consent' as const,
    url: `/bank/v1/consents/${consent.consent_id}`,
  };
}

function shownInstant(at_ms: number | null): string | null {
  return at_ms === null ? null : toInstantText(at_ms);
}
