import { isClientId } from '@tallystick/consents';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { libraryNowMs } from './library-time.ts';
import { assertion_s_max, clock_tolerance_s, request_object_s_max } from './lifetimes.ts';

/** A claim that is wrong, and what would be right. Neither repeats what was sent. */
export interface ClaimProblem {
  readonly claim: string;
  readonly right: string;
}

export type JwtClaims = Readonly<Record<string, unknown>>;

type Rule = readonly [claim: string, right: string, is_right: boolean];

const seconds = 'a number of seconds since 1970';

/** The first wrong claim of a request object; null: all are right. FAPI 1 Advanced, 5.2.2. */
export function problemOfRequestObject(claims: JwtClaims, { oidc }: KoaContextWithOIDC): ClaimProblem | null {
  const { exp, nbf, jti, nonce, response_type } = claims;
  const client_id = oidc.client?.clientId;
  return firstProblem([
    ['iss', `the client_id, ${client_id}`, claims.iss === client_id],
    audience(claims, [oidc.issuer]),
    // The library takes it for granted when it decides how to answer.
    ['response_type', 'code id_token, or code with a response_mode of jwt', response_type !== undefined],
    ['exp', seconds, typeof exp === 'number'],
    ['nbf', seconds, typeof nbf === 'number'],
    ...times(claims),
    ['exp', 'after nbf, by at most 60 minutes', isWithin(Number(exp) - Number(nbf), request_object_s_max)],
    ['jti', 'text, or absent', jti === undefined || typeof jti === 'string'],
    ['nonce', 'text that is not empty', typeof nonce === 'string' && nonce !== ''],
  ]);
}

/**
 * The first wrong claim of a client assertion (RFC 7523, 3); null: all are right. It does not depend
 * on whether its sender is a client.
 */
export function problemOfAssertion(claims: JwtClaims, { oidc }: KoaContextWithOIDC): ClaimProblem | null {
  const { iss, sub, exp, nbf, jti } = claims;
  return firstProblem([
    ['sub', 'the client_id of the third party', typeof sub === 'string' && isClientId(sub)],
    ['iss', `the client_id, ${sub}, like sub`, iss === sub],
    audience(claims, [oidc.issuer, oidc.urlFor('token')]),
    ['exp', seconds, typeof exp === 'number'],
    ['nbf', `${seconds}, or absent`, nbf === undefined || typeof nbf === 'number'],
    ...times(claims),
    ['exp', 'at most 60 minutes from now', endsInTime(exp)],
    ['jti', 'text that is not empty', typeof jti === 'string' && jti !== ''],
  ]);
}

/** Each assertion is remembered until its end, so the end is bounded. */
export function endsInTime(exp: unknown): boolean {
  return Number(exp) - nowS() <= assertion_s_max;
}

function audience({ aud }: JwtClaims, audiences: readonly string[]): Rule {
  const sent: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return ['aud', audiences.join(' or '), sent.some((one) => audiences.some((right) => right === one))];
}

function times({ exp, nbf = 0, iat }: JwtClaims): readonly Rule[] {
  const now_s = nowS();
  const now = `now, ${new Date(now_s * 1_000).toISOString()}`;
  return [
    ['exp', `later than ${now}`, Number(exp) > now_s - clock_tolerance_s],
    ['nbf', `no later than ${now}`, Number(nbf) <= now_s + clock_tolerance_s],
    ['iat', `${seconds}, or absent`, iat === undefined || typeof iat === 'number'],
  ];
}

/** The library has judged the same JWT by its own time. */
function nowS(): number {
  return libraryNowMs() / 1_000;
}

function isWithin(value: number, max: number): boolean {
  return value > 0 && value <= max;
}

function firstProblem(rules: readonly Rule[]): ClaimProblem | null {
  const [claim, right] = rules.find(([, , is_right]) => !is_right) ?? [];
  return claim === undefined || right === undefined ? null : { claim, right };
}

/** The claims of a JWT, which are not verified; null: it cannot be read. */
export function readClaims(jwt: unknown): JwtClaims | null {
  if (typeof jwt !== 'string') return null;
  try {
    const claims: unknown = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims) ? (claims as JwtClaims) : null;
  } catch {
    return null;
  }
}
