import { third_party_scopes } from '@tallystick/consents';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AuthorisationServerPorts } from '../ports.ts';
import { type ClaimProblem, problemOfAssertion, problemOfRequestObject, readClaims } from './claims.ts';
import { errors } from './oidc-provider.ts';

/** The events of the library for a request that it refuses, and what was asked for. */
const refusal_events = {
  'authorization.error': 'authorisation',
  'pushed_authorization_request.error': 'pushed request',
  'grant.error': 'token',
  'revocation.error': 'revocation',
} as const;

type LibraryError = Error & {
  readonly error?: string | undefined;
  readonly error_description?: string | undefined;
  readonly error_detail?: string | undefined;
};

/**
 * Logs each refusal, and lets its answer say which claim was wrong and what would be right. The
 * library has its texts and answers ready when it reports the error, so they are replaced on their
 * way out: in JSON, in the address that leads back, and in a signed answer. The text of a page is
 * `describeRefusal`.
 */
export function explainRefusals(provider: Provider, log: AuthorisationServerPorts['log']): void {
  const descriptions = new WeakMap<object, string>();
  for (const [event, what] of Object.entries(refusal_events)) {
    (provider as NodeJS.EventEmitter).on(event, (ctx: KoaContextWithOIDC, error: LibraryError) => {
      // What a user decided is no fault of the request.
      if (ctx.oidc.route === 'resume' && error instanceof errors.AccessDenied) return;
      const problem = problemOf(ctx, error);
      const description = describe(error, problem);
      if (description !== undefined) descriptions.set(ctx, description);
      const { claim = null, right = null } = problem?.only_sent === true ? {} : (problem ?? {});
      const detail = claim === null ? detailOf(error) : description;
      const client_id = ctx.oidc.client?.clientId ?? null;
      // Without it neither side finds a wrong key, certificate or audience. No detail is a secret.
      log.warn({ error: error.error, detail, claim, right, client_id }, `${what} refused`);
    });
  }

  provider.use(async (ctx, next) => {
    await next();
    const error_description = descriptions.get(ctx);
    if (error_description === undefined) return;
    const body = ctx.body as { readonly error?: unknown } | undefined;
    if (typeof body?.error === 'string') ctx.body = { ...body, error_description };
    const location = ctx.res.getHeader('Location');
    if (typeof location === 'string') ctx.set('Location', withDescription(location, error_description));
  });

  const { prototype } = provider.IdToken as unknown as { readonly prototype: SignedAnswer };
  const { issue } = prototype;
  prototype.issue = function issueExplained(this: SignedAnswer, options) {
    const error_description = descriptions.get(this.ctx);
    if (error_description !== undefined) Object.assign(this.extra, { error_description });
    return issue.call(this, options);
  };
}

interface SignedAnswer {
  readonly ctx: KoaContextWithOIDC;
  readonly extra: object;
  issue(options: unknown): Promise<string>;
}

/** What the third party reads of a refusal; undefined: only the code. */
export function describeRefusal(ctx: KoaContextWithOIDC, error: LibraryError): string | undefined {
  return describe(error, problemOf(ctx, error));
}

function describe(error: LibraryError, problem: Problem | null): string | undefined {
  if (problem === null || problem.only_logged === true) return error.error_description;
  return `${problem.claim}${problem.of ?? ''} must be ${problem.right}`;
}

/**
 * `of`: what the claim belongs to. A problem that is only logged has what others need not know. One
 * that is only sent stands for a reason that would show who is a client: the log has the reason.
 */
type Problem = ClaimProblem & { readonly of?: string; readonly only_logged?: true; readonly only_sent?: true };

function problemOf(ctx: KoaContextWithOIDC, error: LibraryError): Problem | null {
  const { client, params } = ctx.oidc;
  if (params?.client_assertion !== undefined) {
    const of = ' of the client assertion';
    // The library also compares the client_id of the request.
    if (error.error_description === 'client_id mismatch')
      return { claim: 'sub', right: 'the client_id of the request', of };
    if (error instanceof errors.InvalidClientAuth) {
      const problem = problemOfAssertion(readClaims(params.client_assertion) ?? {}, ctx);
      if (problem !== null) return { ...problem, of };
      if (/used once/.test(error.error_detail ?? '')) return { claim: 'jti', right: 'new with each assertion', of };
      return { claim: 'signature', right: registered_key, of, ...(isOfSignature(error) ? {} : { only_sent: true }) };
    }
  }
  if (client === undefined) return null;
  if (error instanceof errors.InvalidRequestObject && error.cause !== undefined) {
    const of = ' of the request object';
    if (isOfSignature(error)) return { claim: 'signature', right: registered_key, of };
    const claims = readClaims(params?.request);
    const problem = claims && problemOfRequestObject(claims, ctx);
    return problem && { ...problem, of };
  }
  if (error instanceof errors.InvalidScope) return { claim: 'scope', right: scopeFor(ctx, client.scope ?? '') };
  if (error instanceof errors.InvalidRedirectUri) {
    return { claim: 'redirect_uri', right: client.redirectUris?.join(' or ') ?? '', only_logged: true };
  }
  return null;
}

const registered_key = 'by a registered key of the third party, whose kid and alg its header names';

/** The errors of the library when no key verifies a signature. */
const signature_errors: ReadonlySet<unknown> = new Set([
  'ERR_JWKS_NO_MATCHING_KEY',
  'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
]);

function isOfSignature({ cause }: Error): boolean {
  return signature_errors.has((cause as { readonly code?: unknown } | undefined)?.code);
}

function scopeFor({ oidc }: KoaContextWithOIDC, registered: string): string {
  if (oidc.params?.grant_type === 'refresh_token') return 'what the user authorised, or absent';
  const scopes = third_party_scopes.filter((name) => registered.split(' ').includes(name)).join(' or ');
  return oidc.route === 'token' ? scopes : `openid with ${scopes}, as the consent needs it`;
}

/** Why the library refused: the details of the error and of its causes, such as a failed fetch. */
function detailOf(refusal: LibraryError): string | undefined {
  const details = new Set<string>();
  for (let cause: unknown = refusal; cause instanceof Error; cause = cause.cause) {
    const { error_detail } = cause as LibraryError;
    details.add(error_detail ?? (cause === refusal ? '' : cause.message));
  }
  details.delete('');
  return details.size === 0 ? refusal.error_description : [...details].join(': ');
}

/** The address of an answer, which has its parameters in the query or in the fragment. */
function withDescription(location: string, error_description: string): string {
  const url = new URL(location);
  const fragment = new URLSearchParams(url.hash.slice(1));
  if (fragment.has('error')) {
    fragment.set('error_description', error_description);
    url.hash = fragment.toString();
  } else if (url.searchParams.has('error')) url.searchParams.set('error_description', error_description);
  return url.href;
}
