import { authoriseConsent, type Consent } from '@tallystick/consents';
import type Provider from 'oidc-provider';
import { originOfRequest } from '../bounds.ts';
import { type AuthorisationServerPorts, bankOf } from '../ports.ts';
import type { Records } from '../records.ts';
import { intent_claim, scopeOf } from './intent.ts';
import { lifetime_s } from './lifetimes.ts';

/** When the refresh tokens of an authorisation end. */
export const refresh_end_claim = 'http://openbanking.org.uk/refresh_token_expires_at';

export interface GrantPorts {
  readonly ports: Pick<AuthorisationServerPorts, 'bank'>;
  readonly records: Records;
  readonly provider: Provider;
}

export interface Authorisation {
  readonly consent_id: string;
  readonly user_id: string;
  readonly account_numbers: readonly string[];
  /** For the audit log. */
  readonly actor: string;
}

/**
 * Authorises a consent, or authenticates it again, and returns the id of its grant. Both are stored
 * together: whatever ends the consent finds both, or neither. Refuses like `authoriseConsent`.
 */
export function authorise({ ports, records, provider }: GrantPorts, authorisation: Authorisation): Promise<string> {
  const { actor, ...decision } = authorisation;
  const call = { ...originOfRequest(), actor, now_ms: records.nowMs() };
  return records.run(async (tx) => {
    const consent = await authoriseConsent(tx, { bank: bankOf(ports, tx) }, call, decision);
    return saveGrant(provider, consent, call.now_ms);
  });
}

/**
 * Records that a user authorised a consent. All that is issued under the grant ends with it: after
 * 90 days, or when the consent expires.
 */
async function saveGrant(provider: Provider, consent: Consent, now_ms: number): Promise<string> {
  const left_ms = consent.expires_at_ms === null ? Number.POSITIVE_INFINITY : consent.expires_at_ms - now_ms;
  const grant = new provider.Grant({ accountId: consent.consent_id, clientId: consent.client_id });
  Object.assign(grant, { expiresIn: Math.max(1, Math.floor(Math.min(lifetime_s.grant, left_ms / 1_000))) });
  grant.addOIDCScope(`openid ${scopeOf(consent)}`);
  grant.addOIDCClaims([intent_claim, 'acr', refresh_end_claim]);
  return grant.save();
}
