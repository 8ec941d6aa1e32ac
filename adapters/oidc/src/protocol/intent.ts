import { type Consent, hasExpired, isOpenForDecision, isOwnedBy, type ThirdPartyScope } from '@tallystick/consents';
import type { Client, KoaContextWithOIDC } from 'oidc-provider';
import type { Records } from '../records.ts';
import { errors } from './oidc-provider.ts';
import type { RequestObjects } from './request-object.ts';

/** What a request asks a user to authorise: one consent of the third party. */
export interface Intents {
  /** Reads the intent from the `claims` parameter. Refuses what cannot be authorised. */
  readClaims(ctx: KoaContextWithOIDC, claims: Claims, client: Client): Promise<void>;
  /** The consent of the request. Refuses a request without one. */
  consentOf(ctx: KoaContextWithOIDC): Promise<Consent>;
  /** Whether the sandbox has decided the consent: then no page is needed. */
  isDecidedAhead(ctx: KoaContextWithOIDC): boolean;
}

export interface Claims {
  userinfo?: unknown;
  id_token?: Readonly<Record<string, unknown>>;
}

export const intent_claim = 'openbanking_intent_id';

export interface IntentPorts {
  readonly records: Records;
  readonly request_objects: RequestObjects;
  readonly acr: string;
  readonly sandbox: boolean;
}

export function createIntents({ records, request_objects, acr, sandbox }: IntentPorts): Intents {
  const consents = new WeakMap<KoaContextWithOIDC, Consent>();

  const findConsent = async (consent_id: string, client_id: string): Promise<Consent> => {
    const consent = await records.read((tx) => tx.consents.find(consent_id));
    // All alike, so that a refusal does not show which consents exist.
    if (!isOwnedBy(consent, client_id)) {
      throw new errors.InvalidRequest(`${intent_claim} names no consent of this client`);
    }
    return consent;
  };

  return {
    async readClaims(ctx, claims, client) {
      // There is no userinfo endpoint. Clients of older profiles repeat the intent for it.
      delete claims.userinfo;
      const wanted = claims.id_token?.[intent_claim] as { readonly value?: unknown; readonly essential?: unknown };
      if (typeof wanted?.value !== 'string' || wanted.essential !== true) {
        throw new errors.InvalidRequest(`claims must have ${intent_claim} as an essential claim of the id_token`);
      }
      if (!request_objects.isSigned(ctx) && client.is_sandbox !== true) {
        throw new errors.InvalidRequest(`${intent_claim} must be in a signed request object`);
      }
      assertAcr(claims.id_token?.acr, acr);
      const consent = await findConsent(wanted.value, client.clientId);
      const scope = scopeOf(consent);
      if (
        !String(ctx.oidc.params?.scope ?? '')
          .split(' ')
          .includes(scope)
      ) {
        throw new errors.InvalidScope(`the consent needs the scope ${scope}`, scope);
      }
      await request_objects.useOnce(ctx);
      assertDecidable(consent, records.nowMs());
      consents.set(ctx, consent);
    },

    async consentOf(ctx) {
      const known = consents.get(ctx);
      if (known !== undefined) return known;
      const wanted = intentOf(ctx.oidc.params?.claims);
      const client_id = ctx.oidc.client?.clientId;
      if (wanted === null || client_id === undefined) {
        throw new errors.InvalidRequest(`claims must have ${intent_claim} as an essential claim of the id_token`);
      }
      return findConsent(wanted, client_id);
    },

    isDecidedAhead: (ctx) => sandbox && consents.get(ctx)?.decided_ahead === true,
  };
}

/** The scope that reads what the consent grants. */
export function scopeOf({ kind }: Consent): ThirdPartyScope {
  return kind === 'account_access' ? 'accounts' : 'fundsconfirmations';
}

/** The ConsentId in a `claims` parameter; null: there is none. */
export function intentOf(claims: unknown): string | null {
  if (typeof claims !== 'string') return null;
  const { id_token } = JSON.parse(claims) as Claims;
  const value = (id_token?.[intent_claim] as { readonly value?: unknown } | undefined)?.value;
  return typeof value === 'string' ? value : null;
}

function assertDecidable(consent: Consent, now_ms: number): void {
  if (isOpenForDecision(consent, now_ms)) return;
  const found = hasExpired(consent, now_ms) ? 'has expired' : `is ${consent.status}`;
  throw new errors.AccessDenied(`the consent ${found}`);
}

function assertAcr(wanted: unknown, acr: string): void {
  const { essential, value, values } = (wanted ?? {}) as Readonly<Record<string, unknown>>;
  if (essential !== true) return;
  const accepted = [value, ...(Array.isArray(values) ? values : [])].filter((name) => name !== undefined);
  if (accepted.length === 0 || accepted.includes(acr)) return;
  throw new errors.UnmetAuthenticationRequirements(`users are authenticated with ${acr}`);
}
