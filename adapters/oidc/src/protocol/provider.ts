import { type ClientCertificate, type Consent, id_token_algorithms, third_party_scopes } from '@tallystick/consents';
import { Refusal } from '@tallystick/kernel';
import type { Configuration, JWK, KoaContextWithOIDC, interactionPolicy as Policy } from 'oidc-provider';
import { boundsOfRequest } from '../bounds.ts';
import { cookieName } from '../cookie-name.ts';
import { page_headers } from '../pages/layout.ts';
import { errorPage } from '../pages/notice-page.ts';
import type { AuthorisationServerPorts } from '../ports.ts';
import type { Records } from '../records.ts';
import { endsInTime } from './claims.ts';
import { extra_metadata, isSameSubject, readClientMetadata, response_modes } from './client-metadata.ts';
import { authorise, refresh_end_claim } from './grant.ts';
import { type Claims, createIntents, intent_claim } from './intent.ts';
import { libraryAdapter } from './library-adapter.ts';
import { libraryNowMs } from './library-time.ts';
import { clock_tolerance_s, lifetime_s } from './lifetimes.ts';
import { errors, interactionPolicy, Provider } from './oidc-provider.ts';
import { describeRefusal, explainRefusals } from './refusals.ts';
import { createRequestObjects } from './request-object.ts';
import { reportingFaults, retry_after_s } from './unavailable.ts';

export const oauth_routes = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  jwks: '/oauth/jwks',
  revocation: '/oauth/revoke',
  pushed_authorization_request: '/oauth/par',
  end_session: '/oauth/end',
} as const;

export const step_path = '/authorise';

/** The level of a login that names none: a password alone is no strong authentication. */
export const default_acr = 'urn:openbanking:psd2:ca';

const algorithms = id_token_algorithms;

export function createProvider(
  ports: AuthorisationServerPorts,
  records: Records,
  signing_keys: readonly JWK[],
): InstanceType<typeof Provider> {
  const issuer = ports.issuer();
  const request_objects = createRequestObjects(records);
  const acr = ports.users.acr ?? default_acr;
  const intents = createIntents({ records, request_objects, acr, sandbox: ports.sandbox });
  const clientMetadataOf = readClientMetadata(records, ports);
  const certificateOf = (ctx: KoaContextWithOIDC): ClientCertificate | null => ports.certificateOf(ctx.req);

  const configuration: Configuration = {
    adapter: (model) => reportingFaults(libraryAdapter(model, records, clientMetadataOf)),
    jwks: { keys: [...signing_keys] },
    routes: oauth_routes,
    scopes: ['openid', ...third_party_scopes],
    claims: { acr: null, auth_time: null, openid: ['sub', intent_claim, 'acr', refresh_end_claim] },
    acrValues: [acr],
    responseTypes: ['code', 'code id_token'],
    clientAuthMethods: [
      'private_key_jwt',
      'tls_client_auth',
      ...(ports.sandbox ? (['client_secret_basic'] as const) : []),
    ],
    enabledJWA: {
      idTokenSigningAlgValues: [...algorithms],
      authorizationSigningAlgValues: [...algorithms],
      requestObjectSigningAlgValues: [...algorithms],
      clientAuthSigningAlgValues: [...algorithms],
    },
    clientDefaults: { token_endpoint_auth_method: 'private_key_jwt' },
    extraClientMetadata: { properties: extra_metadata, validator: () => undefined },
    subjectTypes: ['public'],
    clockTolerance: clock_tolerance_s,
    cookies: {
      keys: [...ports.cookie_keys],
      names: {
        session: cookieName(issuer, 'tallystick_session', '/'),
        interaction: cookieName(issuer, 'tallystick_step', 'its own'),
        resume: cookieName(issuer, 'tallystick_resume', 'its own'),
      },
      // The library demands `none` with requests by POST. No session is stored under the cookie.
      long: { httpOnly: true, sameSite: 'none', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    // OpenID Connect Core 3.1.2.1: the authorization endpoint supports POST.
    enableHttpPostMethods: true,
    clientBasedCORS: () => false,
    allowOmittingSingleRegisteredRedirectUri: false,
    // Key sets are all that the library fetches here. Its own guard is not used.
    fetch: async (url: string | URL | Request) => new Response(await ports.fetchKeys(String(url))),
    renderError: async (ctx, out, error) => {
      ctx.set(page_headers);
      ctx.type = 'html';
      const error_description = describeRefusal(ctx, error) ?? out.error_description;
      ctx.body = errorPage({ ...out, error_description }, ports.bank_name);
    },

    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) => {
          if (token.clientId !== client.clientId) return false;
          if (token.kind !== 'AccessToken') return true;
          // With it the library would end the refresh token and the tokens of other workers, too.
          await token.destroy();
          return false;
        },
      },
      jwtResponseModes: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      claimsParameter: {
        enabled: true,
        assertClaimsParameter: async (ctx, claims, client) => {
          await intents.readClaims(ctx, claims as Claims, client);
          if (ctx.oidc.route === 'authorization' && intents.isDecidedAhead(ctx)) {
            const { consent_id } = await intents.consentOf(ctx);
            ctx.oidc.session?.loginAccount({ accountId: consent_id, acr, transient: true });
          }
        },
      },
      requestObjects: {
        enabled: true,
        assertJwtClaimsAndHeader: async (ctx, claims) => request_objects.assertClaims(ctx, claims),
      },
      fapi: {
        enabled: true,
        // FAPI adds the s_hash, and demands a signed answer for a signed request.
        profile: (ctx) =>
          request_objects.isSigned(ctx) || String(ctx.oidc.params?.response_type ?? '').includes('id_token')
            ? '1.0 Final'
            : undefined,
      },
      mTLS: {
        enabled: true,
        certificateBoundAccessTokens: true,
        tlsClientAuth: true,
        selfSignedTlsClientAuth: false,
        getCertificate: (ctx) => certificateOf(ctx)?.pem,
        // `certificateOf` returns only certificates that TLS or the proxy has verified.
        certificateAuthorized: (ctx) => certificateOf(ctx) !== null,
        certificateSubjectMatches: (ctx, property, expected) =>
          property === 'tls_client_auth_subject_dn' && isSameSubject(certificateOf(ctx)?.subject, expected),
      },
    },

    pkce: { required: (ctx) => !request_objects.isSigned(ctx) },
    interactions: { url: (_ctx, interaction) => `${step_path}/${interaction.uid}`, policy: policy() },
    loadExistingGrant: async (ctx) => {
      const decided = ctx.oidc.result?.consent?.grantId;
      if (decided !== undefined) return ctx.oidc.provider.Grant.find(decided);
      if (!intents.isDecidedAhead(ctx)) return undefined;
      return provider.Grant.find(await authoriseAhead(await intents.consentOf(ctx)));
    },

    findAccount: async (ctx, consent_id) => ({
      accountId: consent_id,
      claims: async () => ({
        sub: consent_id,
        [intent_claim]: consent_id,
        ...refreshEnd(ctx, records),
      }),
    }),

    // Tokens belong to the consent, not to a session.
    expiresWithSession: async () => false,
    issueRefreshToken: async () => true,
    // A lost answer, or two workers at once, must not cost the user a new authorisation (ADR 0064).
    rotateRefreshToken: false,
    assertJwtClientAuthClaimsAndHeader: async (_ctx, { exp }) => {
      if (!endsInTime(exp)) throw new errors.InvalidClientAuth('exp is more than 60 minutes ahead');
    },
    ttl: {
      AccessToken: (ctx) => Math.max(1, Math.min(lifetime_s.access_token, leftOfGrant(ctx))),
      ClientCredentials: (_ctx, token) => {
        assertScopes(token.scope);
        return lifetime_s.client_credentials;
      },
      AuthorizationCode: lifetime_s.code,
      IdToken: lifetime_s.id_token,
      Interaction: lifetime_s.interaction,
      Session: lifetime_s.session,
      Grant: lifetime_s.grant,
      RefreshToken: (ctx) => Math.max(1, leftOfGrant(ctx)),
    },
  };
  const provider = new ProviderOfOurModes(issuer, configuration);
  if (ports.sandbox) allowLocalhost(provider);
  publishResponseModes(provider);
  keepBounds(provider);
  explainRefusals(provider, ports.log);
  deriveAddresses(provider, issuer);
  return provider;

  /** The sandbox stands in for the user, each time. */
  async function authoriseAhead({ consent_id, user_id }: Consent): Promise<string> {
    const decision = { consent_id, user_id: user_id ?? '', account_numbers: [], actor: 'sandbox' };
    try {
      return await authorise({ ports, records, provider }, decision);
    } catch (error) {
      if (error instanceof Refusal) throw new errors.AccessDenied('the consent cannot be authorised');
      throw error;
    }
  }

  /** One prompt: the user logs in and decides on our pages, each time. */
  function policy(): Policy.Prompt[] {
    const { Check, Prompt } = interactionPolicy;
    const login = new Prompt({ name: 'login', requestable: true });
    login.checks.clear();
    const consent = new Prompt(
      { name: 'consent', requestable: true },
      new Check('undecided', 'the user has not decided', 'interaction_required', async (ctx) => {
        // Also at the end of the user's step: the address may have been taken away meanwhile.
        if (!ctx.oidc.client?.redirectUriAllowed(String(ctx.oidc.params?.redirect_uri))) {
          throw new errors.InvalidRedirectUri();
        }
        await intents.consentOf(ctx);
        return ctx.oidc.result?.consent?.grantId === undefined && !intents.isDecidedAhead(ctx);
      }),
    );
    consent.checks.remove('consent_prompt');
    return [login, consent];
  }
}

/** What is left of the authorisation, seconds. */
function leftOfGrant(ctx: KoaContextWithOIDC): number {
  return (ctx.oidc.entities.Grant?.exp ?? 0) - Math.floor(libraryNowMs() / 1_000);
}

/** The end of the refresh token in service time, seconds. */
function refreshEnd(ctx: KoaContextWithOIDC, records: Records): Record<string, number> {
  const { Grant } = ctx.oidc.entities;
  if (Grant?.exp === undefined) return {};
  return { [refresh_end_claim]: Math.floor(records.nowMs() / 1_000) + leftOfGrant(ctx) };
}

/** No endpoint accepts a token without a scope of ours. The library drops unknown scopes. */
function assertScopes(scope: string | undefined): void {
  const asked = (scope ?? '').split(' ');
  if (third_party_scopes.some((name) => asked.includes(name))) return;
  throw new errors.InvalidScope(`ask for ${third_party_scopes.join(' or ')}`, scope ?? '');
}

/**
 * The library refuses `localhost` to clients that get an id_token from the authorization endpoint,
 * because any program of a machine can listen there. In the sandbox third parties have the address
 * `https://localhost/callback`: who tries the service copies the answer from the address bar. The
 * library passes the second argument for deployments that decide otherwise.
 */
function allowLocalhost(provider: InstanceType<typeof Provider>): void {
  const schema = (provider.Client as unknown as { readonly Schema: { readonly prototype: SchemaPrototype } }).Schema
    .prototype;
  const { invalidate } = schema;
  schema.invalidate = function refuseOthers(this: SchemaPrototype, message, code) {
    if (code === 'implicit-forbid-localhost') return;
    invalidate.call(this, message, code);
  };
}

interface SchemaPrototype {
  invalidate(message: string, code?: string): void;
}

const known_modes: ReadonlySet<string> = new Set(response_modes);

/** The library also answers a refused request by form_post, with a page of its own and a script. */
class ProviderOfOurModes extends Provider {
  override registerResponseMode(name: string, handler: Parameters<Provider['registerResponseMode']>[1]): void {
    if (known_modes.has(name)) super.registerResponseMode(name, handler);
  }
}

/** The endpoints at which third parties authenticate. */
const authenticated_routes: ReadonlySet<unknown> = new Set(['token', 'revocation', 'pushed_authorization_request']);

/**
 * The errors there that prove an authentication, because the library finds them after it. Others,
 * such as `invalid_request`, also come before it, when the client is only named.
 */
const authenticated_errors: ReadonlySet<unknown> = new Set([
  'invalid_grant',
  'invalid_scope',
  'unsupported_grant_type',
  'invalid_request_object',
]);

/** Notes which third party has authenticated. The refusal of a stranger waits. */
function keepBounds(provider: InstanceType<typeof Provider>): void {
  provider.use(async (ctx, next) => {
    // The library refuses these headers of a method that we do not offer.
    delete ctx.headers['oauth-client-attestation'];
    delete ctx.headers['oauth-client-attestation-pop'];
    await next();
    const { status } = ctx;
    if (status === 503) ctx.set('Retry-After', String(retry_after_s));
    if (status >= 500) return;
    const { oidc } = ctx as { readonly oidc?: KoaContextWithOIDC['oidc'] };
    const client = authenticated_routes.has(oidc?.route) ? oidc?.client : undefined;
    const { error } = (ctx.body ?? {}) as { readonly error?: unknown };
    const is_authenticated = status < 400 || (status === 400 && authenticated_errors.has(error));
    if (client !== undefined && is_authenticated) boundsOfRequest()?.identify({ third_party: client.clientId });
    else if (status >= 400) {
      // Nothing that a stranger sent is kept while its answer waits.
      if (oidc !== undefined) Object.assign(oidc, { body: undefined, params: undefined });
      await boundsOfRequest()?.slowDown();
    }
  });
}

/** The library publishes all modes that it knows, and its `discovery` option replaces none. */
function publishResponseModes(provider: InstanceType<typeof Provider>): void {
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.oidc?.route === 'discovery' && ctx.status === 200) {
      ctx.body = { ...(ctx.body as object), response_modes_supported: response_modes };
    }
  });
}

/**
 * All addresses are those of the issuer, whatever the request or a proxy says: a header of a client
 * must not decide where its users are sent, or whether cookies are secure.
 */
function deriveAddresses(provider: InstanceType<typeof Provider>, issuer: string): void {
  const { host, protocol } = new URL(issuer);
  Object.defineProperties(provider.request, {
    host: { get: () => host },
    protocol: { get: () => protocol.slice(0, -1) },
  });
}
