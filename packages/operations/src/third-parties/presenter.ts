import type { ThirdParty } from '@tallystick/consents';
import { toInstantText } from '@tallystick/kernel';

/** A third party as the operator's API shows it. Its keys are public. */
export function presentThirdParty(third_party: ThirdParty) {
  return {
    id: String(third_party.id),
    client_id: third_party.client_id,
    name: third_party.name,
    scopes: third_party.scopes,
    redirect_uris: third_party.redirect_uris,
    jwks: third_party.jwks as Readonly<Record<string, unknown>> | null,
    jwks_uri: third_party.jwks_uri,
    certificate_subject: third_party.certificate_subject,
    status: third_party.status,
    created_at: toInstantText(third_party.created_at_ms),
    type: 'third_party' as const,
    url: `/operator/v1/third-parties/${third_party.id}`,
  };
}
