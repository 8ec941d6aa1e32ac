import { type AccessToken, type AccessTokens, grant_model, isOwnedBy, third_party_scopes } from '@tallystick/consents';
import type { AuthorisationTx } from './ports.ts';
import { isAdmitted } from './protocol/client-metadata.ts';
import type { OpenRecord, Records } from './records.ts';

/** The form of our tokens: 256 bits as base64url. */
const token_pattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * Finds what an access token stands for, by its hash: how long that takes reveals nothing about other
 * tokens.
 */
export function createAccessTokens(records: Records, sandbox: boolean): Pick<AccessTokens, 'find'> {
  return {
    async find(token, certificate_sha256) {
      if (!token_pattern.test(token)) return null;
      return records.read(async (tx) => {
        const of_consent = await records.find(tx, { model: 'AccessToken', id: token });
        const found = of_consent ?? (await records.find(tx, { model: 'ClientCredentials', id: token }));
        if (found === null || found.client_id === null) return null;
        // A token of the library is bound to a certificate only if it has the certificate's
        // thumbprint.
        const bound_to = found.payload['x5t#S256'];
        if (bound_to !== undefined && bound_to !== certificate_sha256) return null;
        const third_party = await tx.third_parties.findByClientId(found.client_id);
        if (third_party === null || !isAdmitted(third_party, sandbox)) return null;
        const asked = String(found.payload.scope ?? '').split(' ');
        const scopes = third_party_scopes.filter((name) => asked.includes(name) && third_party.scopes.includes(name));
        const token_of = { client_id: found.client_id, scopes };
        if (of_consent === null) {
          return { ...token_of, grant_type: 'client_credentials', consent_id: null, user_id: null };
        }
        return grantedBy(tx, records, found, token_of);
      });
    },
  };
}

/** A token lives as long as its grant, which every end of the consent removes. */
async function grantedBy(
  tx: AuthorisationTx,
  records: Records,
  { grant_id, consent_id }: OpenRecord,
  token_of: Pick<AccessToken, 'client_id' | 'scopes'>,
): Promise<AccessToken | null> {
  if (grant_id === null || consent_id === null) return null;
  const authorisation = await tx.authorisation.find(grant_model, grant_id);
  if (authorisation === null || (authorisation.expires_at_ms ?? 0) <= records.nowMs()) return null;
  const consent = await tx.consents.find(consent_id);
  if (!isOwnedBy(consent, token_of.client_id) || consent.user_id === null) return null;
  return { ...token_of, grant_type: 'authorization_code', consent_id, user_id: consent.user_id };
}
