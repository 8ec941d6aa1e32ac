import { type Clock, Fault, type Sealer } from '@tallystick/kernel';
import type { ClientAuth, Configuration } from 'openid-client';
import type { RequestFacts } from '../ports.ts';
import { cookie, readCookie } from './cookie.ts';

/** The installation's OpenID provider, where people of the console log in. */
export interface OpenIdSettings {
  readonly issuer: string;
  readonly client_id: string;
  /** Null: a public client, which only PKCE protects. */
  readonly client_secret: string | null;
}

/** Who somebody is to the provider. Nothing else of the id token counts. */
export interface OpenIdIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** What the browser keeps, sealed, while its person is at the provider. */
interface Leave {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly back: string;
  readonly until_ms: number;
}

const leave_cookie = 'log_in';
const leave_s = 600;
const purpose = 'console.log_in';

export interface OpenId {
  /** The host of the provider, for people. */
  readonly host: string;
  /** Sends the browser to the provider. Throws a retryable `Fault` when it does not answer. */
  begin(facts: RequestFacts, back: string): Promise<Response>;
  /**
   * Reads the answer with which the provider has sent the browser back. Null: the person went back, the
   * page was open too long, or the answer is not one to this browser.
   */
  finish(
    request: Request,
    facts: RequestFacts,
  ): Promise<{ readonly identity: OpenIdIdentity; readonly back: string } | null>;
  /** The header that forgets the way to the provider. */
  forget(facts: RequestFacts): string;
}

export interface OpenIdPorts {
  readonly settings: OpenIdSettings;
  /** The address of the service, for the browser: `https://cards.example`. */
  readonly publicUrl: () => string;
  readonly sealer: Sealer;
  readonly machine: Clock;
}

/**
 * The code flow with PKCE, state and nonce. The provider is discovered at the first log-in, and
 * again after a failure.
 */
export function createOpenId({ settings, publicUrl, sealer, machine }: OpenIdPorts): OpenId {
  let discovered: Promise<Configuration> | undefined;

  function configuration(): Promise<Configuration> {
    discovered ??= discover(settings).catch((cause: unknown) => {
      discovered = undefined;
      throw new Fault('the OpenID provider of the console does not answer', { retryable: true, cause });
    });
    return discovered;
  }

  const redirectUri = (facts: RequestFacts) => `${publicUrl()}${facts.base}/log-in/openid/callback`;

  return {
    host: new URL(settings.issuer).host,
    async begin(facts, back) {
      const library = await import('openid-client');
      const leave: Leave = {
        state: library.randomState(),
        nonce: library.randomNonce(),
        verifier: library.randomPKCECodeVerifier(),
        back,
        until_ms: machine.nowMs() + leave_s * 1_000,
      };
      const to = library.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri(facts),
        scope: 'openid',
        state: leave.state,
        nonce: leave.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(leave.verifier),
        code_challenge_method: 'S256',
      });
      const sealed = Buffer.from(sealer.seal(purpose, Buffer.from(JSON.stringify(leave)))).toString('base64url');
      const headers = { Location: to.href, 'Set-Cookie': cookie(facts, leave_cookie, sealed, leave_s) };
      return new Response(null, { status: 303, headers });
    },

    async finish(request, facts) {
      const leave = openLeave(sealer, readCookie(request, facts, leave_cookie));
      if (leave === null || machine.nowMs() >= leave.until_ms) return null;
      const library = await import('openid-client');
      const answer = new URL(`${redirectUri(facts)}${new URL(request.url).search}`);
      const checks = {
        expectedState: leave.state,
        expectedNonce: leave.nonce,
        pkceCodeVerifier: leave.verifier,
        idTokenExpected: true,
      };
      try {
        const tokens = await library.authorizationCodeGrant(await configuration(), answer, checks);
        const claims = tokens.claims();
        return claims ? { identity: { issuer: claims.iss, subject: claims.sub }, back: leave.back } : null;
      } catch (error) {
        if (error instanceof Fault) throw error;
        // The library has an error for each check. None helps the person who logs in.
        return null;
      }
    },

    forget: (facts) => cookie(facts, leave_cookie, '', 0),
  };
}

/** How long an answer of the provider may take, seconds. */
const answer_s_max = 10;

async function discover({ issuer, client_id, client_secret }: OpenIdSettings): Promise<Configuration> {
  const library = await import('openid-client');
  const server = new URL(issuer);
  // Only a provider on this machine, for development, may lack https: the configuration checks it.
  const execute = server.protocol === 'http:' ? [library.allowInsecureRequests] : [];
  const authentication = authenticationOf(library, client_secret);
  return await library.discovery(server, client_id, undefined, authentication, { execute, timeout: answer_s_max });
}

/** `client_secret_basic` where the provider has it, else `client_secret_post`; without a secret `none`. */
function authenticationOf(library: typeof import('openid-client'), client_secret: string | null): ClientAuth {
  if (client_secret === null) return library.None();
  const [basic, post] = [library.ClientSecretBasic(client_secret), library.ClientSecretPost(client_secret)];
  return (server, ...request) => {
    const has_basic = server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true;
    return (has_basic ? basic : post)(server, ...request);
  };
}

function openLeave(sealer: Sealer, text: string | null): Leave | null {
  if (text === null) return null;
  try {
    return JSON.parse(Buffer.from(sealer.open(purpose, Buffer.from(text, 'base64url'))).toString());
  } catch {
    return null;
  }
}
