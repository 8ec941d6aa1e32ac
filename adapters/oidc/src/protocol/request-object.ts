import type { KoaContextWithOIDC } from 'oidc-provider';
import { no_links, type Records } from '../records.ts';
import { problemOfRequestObject } from './claims.ts';
import { libraryNowMs } from './library-time.ts';
import { errors } from './oidc-provider.ts';

/** The signed request objects (RFC 9101) of the requests that are being answered. */
export interface RequestObjects {
  /**
   * Refuses claims that FAPI 1 Advanced does not allow. The library has compared `iss`, `aud` and the
   * time before, and verifies the signature afterwards.
   */
  assertClaims(ctx: KoaContextWithOIDC, claims: Readonly<Record<string, unknown>>): Promise<void>;
  /** Whether the parameters come from a request object whose signature was verified. */
  isSigned(ctx: KoaContextWithOIDC): boolean;
  /** Refuses a request object that was used before. Called after its signature was verified. */
  useOnce(ctx: KoaContextWithOIDC): Promise<void>;
}

const replay_model = 'RequestObject';

export function createRequestObjects(records: Records): RequestObjects {
  const received = new WeakMap<KoaContextWithOIDC, { readonly key: string; readonly exp: number }>();
  return {
    async assertClaims(ctx, claims) {
      // The library makes an object without a signature of pushed parameters, and checks it again.
      if (isPushed(ctx)) return;
      const problem = problemOfRequestObject(claims, ctx);
      if (problem !== null) throw new errors.InvalidRequestObject(undefined, { cause: new Error(problem.claim) });
      const { exp, jti, iss } = claims;
      // Without a jti the claims as a whole stand for it: the nonce makes them unique.
      const id = typeof jti === 'string' ? jti : JSON.stringify(claims);
      received.set(ctx, { key: `${String(iss)} ${id}`, exp: Number(exp) });
    },

    isSigned(ctx) {
      if (isPushed(ctx)) return !isUnsecured(pushedRequest(ctx));
      return (ctx.oidc.trusted ?? []).length > 0;
    },

    async useOnce(ctx) {
      const request_object = received.get(ctx);
      if (request_object === undefined) return;
      const { key, exp } = request_object;
      const left_s = Math.max(1, Math.ceil(exp - libraryNowMs() / 1_000) + 60);
      const record = records.seal({ model: replay_model, id: key }, {}, no_links, left_s);
      const is_first = await records.run((tx) => tx.authorisation.putNew(record));
      if (!is_first) throw new errors.InvalidRequestObject('the request object was used before; sign a new one');
    },
  };
}

function isPushed(ctx: KoaContextWithOIDC): boolean {
  return ctx.oidc.entities.PushedAuthorizationRequest !== undefined;
}

function pushedRequest(ctx: KoaContextWithOIDC): string {
  const pushed = ctx.oidc.entities.PushedAuthorizationRequest as { readonly request?: string } | undefined;
  return pushed?.request ?? '';
}

function isUnsecured(jwt: string): boolean {
  const [header = ''] = jwt.split('.');
  return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { readonly alg?: string }).alg === 'none';
}
