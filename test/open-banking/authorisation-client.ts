import assert from 'node:assert/strict';
import type { ThirdParty } from '@tallystick/consents';
import * as client from 'openid-client';
import { password, redirect_uri, type World } from './authorisation-world.ts';

/** The configuration of `openid-client` for a third party of the world. */
export async function configure(
  world: World,
  { client_id }: Pick<ThirdParty, 'client_id'>,
  authentication: client.ClientAuth = client.ClientSecretBasic(`${client_id}-secret`),
): Promise<client.Configuration> {
  return client.discovery(new URL(world.issuer), client_id, undefined, authentication, {
    // Signatures of id_tokens are verified, too, although they come from the server itself.
    execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
  });
}

export interface AuthorisationRequest {
  readonly url: URL;
  readonly checks: client.AuthorizationCodeGrantChecks;
}

/** The `claims` that ask for a consent. */
export function intentClaims(consent_id: string): object {
  return { id_token: { openbanking_intent_id: { value: consent_id, essential: true } } };
}

/** A request of a sandbox client: the intent in plain claims, with PKCE. */
export async function authorisePlain(
  config: client.Configuration,
  consent_id: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<AuthorisationRequest> {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const expectedNonce = client.randomNonce();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: 'openid accounts',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
    claims: JSON.stringify(intentClaims(consent_id)),
    ...changes,
  });
  return { url, checks: { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true } };
}

export type SigningAlgorithm = 'PS256' | 'ES256';

/** A key of a third party, as `openid-client` needs it and as it is registered. */
export interface ClientKey {
  readonly private_key: { readonly key: CryptoKey; readonly kid: string };
  readonly jwk: Readonly<Record<string, unknown>>;
}

export async function newKey(alg: SigningAlgorithm, kid = 'tpp-key'): Promise<ClientKey> {
  const ec = { name: 'ECDSA', namedCurve: 'P-256' };
  const rsa = { name: 'RSA-PSS', hash: 'SHA-256', modulusLength: 2_048, publicExponent: new Uint8Array([1, 0, 1]) };
  const { privateKey, publicKey } = await crypto.subtle.generateKey(alg === 'ES256' ? ec : rsa, true, [
    'sign',
    'verify',
  ]);
  const { kty, n, e, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey);
  const members = Object.entries({ kty, n, e, crv, x, y, kid, alg, use: 'sig' }).filter(
    ([, value]) => value !== undefined,
  );
  return { private_key: { key: privateKey, kid }, jwk: Object.fromEntries(members) };
}

/** A third party that is not the sandbox's: it has a key, and authenticates with that. */
export async function registerWithKey(
  world: World,
  alg: SigningAlgorithm = 'PS256',
  changes: Partial<ThirdParty> = {},
) {
  const key = await newKey(alg);
  const redirect_uris = ['https://tpp.example/callback'];
  const third_party = await world.register({ is_sandbox: false, jwks: { keys: [key.jwk] }, redirect_uris, ...changes });
  return { third_party, key, config: await configure(world, third_party, client.PrivateKeyJwt(key.private_key)) };
}

export interface SignedRequest {
  /** Changes the claims of the request object before it is signed. */
  readonly modify?: (claims: Record<string, unknown>) => void;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A signed request object, for the answer that `config` is set up for. */
export async function authoriseSigned(
  config: client.Configuration,
  { private_key }: ClientKey,
  consent_id: string,
  { modify = () => {}, parameters = {} }: SignedRequest = {},
): Promise<AuthorisationRequest> {
  const expectedState = client.randomState();
  const expectedNonce = client.randomNonce();
  const asked = {
    redirect_uri: 'https://tpp.example/callback',
    scope: 'openid accounts',
    state: expectedState,
    nonce: expectedNonce,
    claims: JSON.stringify(intentClaims(consent_id)),
    ...parameters,
  };
  const url = await client.buildAuthorizationUrlWithJAR(config, asked, private_key, {
    [client.modifyAssertion]: (_header, claims) => modify(claims as Record<string, unknown>),
  });
  return { url, checks: { expectedState, expectedNonce, idTokenExpected: true } };
}

/** Where a service is: its issuer, and the nodes that answer in turn. */
export interface Service {
  readonly issuer: string;
  readonly nodes: readonly { readonly url: string }[];
  /** Sends the requests, where the global `fetch` does not trust the certificate of the nodes. */
  readonly fetch?: typeof fetch;
}

/** A browser without a screen: it keeps cookies, and sends forms. */
export interface UserAgent {
  /** Requests an address, on the node whose turn it is, and follows redirects within the service. */
  get(url: URL | string): Promise<Landing>;
  /** Sends the parameters of an address as a form of the third party. */
  post(url: URL): Promise<Landing>;
  submit(
    page: Landing,
    action: string,
    fields: readonly (readonly [string, string])[],
    headers?: Readonly<Record<string, string>>,
  ): Promise<Landing>;
  /** The status of the answer to a form. Does not follow a redirect. */
  statusOf(page: Landing, action: string, fields: readonly (readonly [string, string])[]): Promise<number>;
  logIn(url: URL | string, user_name: string, password_typed?: string): Promise<Landing>;
  approve(url: URL | string, user_name: string, accounts: readonly string[]): Promise<URL>;
  refuse(url: URL | string, user_name: string): Promise<URL>;
  /** Goes back to the third party without a decision. */
  leave(page: Landing): Promise<URL>;
}

/** Where the browser is: on a page of the service, or sent to a third party. */
export interface Landing {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  /** Null: the address is not the service's. */
  readonly html: string | null;
}

interface Cookie {
  readonly path: string;
  readonly value: string;
  readonly attributes: string;
}

export function userAgent(world: Service): UserAgent {
  const cookies = new Map<string, Cookie>();
  let requests = 0;

  const keep = (headers: Headers): void => {
    for (const text of headers.getSetCookie()) {
      const [pair = '', ...attributes] = text.split('; ');
      const at = pair.indexOf('=');
      const path = attributes.find((attribute) => attribute.toLowerCase().startsWith('path='))?.slice(5) ?? '/';
      const key = `${pair.slice(0, at)} ${path}`;
      if (attributes.some((attribute) => /^(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute))) cookies.delete(key);
      else cookies.set(key, { path, value: pair, attributes: attributes.join('; ') });
    }
  };

  const exchange = async (url: URL, init: RequestInit): Promise<Response> => {
    const node = world.nodes[requests % world.nodes.length]!;
    requests += 1;
    const sent = [...cookies.values()].filter(
      ({ path }) => url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
    );
    const answer = await (world.fetch ?? fetch)(new URL(url.pathname + url.search, node.url), {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: sent.map(({ value }) => value).join('; '), ...init.headers },
    });
    keep(answer.headers);
    return answer;
  };

  const request = async (url: URL, init: RequestInit = {}): Promise<Landing> => {
    if (url.origin !== new URL(world.issuer).origin) return { url, status: 0, headers: new Headers(), html: null };
    const answer = await exchange(url, init);
    const location = answer.headers.get('location');
    if (location !== null) return request(new URL(location, url));
    return { url, status: answer.status, headers: answer.headers, html: await answer.text() };
  };

  const agent: UserAgent = {
    get: (url) => request(new URL(url)),

    post: ({ origin, pathname, searchParams }) =>
      request(new URL(origin + pathname), { method: 'POST', body: searchParams }),

    submit(page, action, fields, headers = {}) {
      return request(new URL(action, page.url), { method: 'POST', body: formOf(page, action, fields), headers });
    },

    async statusOf(page, action, fields) {
      const body = formOf(page, action, fields);
      return (await exchange(new URL(action, page.url), { method: 'POST', body })).status;
    },

    async logIn(url, user_name, password_typed = password) {
      const page = await agent.get(url);
      assert.match(page.html ?? '', /Log in/, `no log-in at ${page.url}`);
      return agent.submit(page, actionOf(page, 'login'), [
        ['user_name', user_name],
        ['password', password_typed],
      ]);
    },

    async approve(url, user_name, accounts) {
      const page = await agent.logIn(url, user_name);
      assert.equal(page.status, 200, `${page.html ?? page.url}`);
      const chosen = accounts.map((number) => ['account', number] as const);
      return (await agent.submit(page, actionOf(page, 'decide'), [...chosen, ['decision', 'approve']])).url;
    },

    async refuse(url, user_name) {
      const page = await agent.logIn(url, user_name);
      return (await agent.submit(page, actionOf(page, 'decide'), [['decision', 'refuse']])).url;
    },

    leave: async (page) => (await agent.submit(page, actionOf(page, 'leave'), [])).url,
  };
  return agent;
}

function formOf(page: Landing, action: string, fields: readonly (readonly [string, string])[]): URLSearchParams {
  return new URLSearchParams([['form_token', formTokenOf(page, action)], ...fields.map(([...field]) => field)]);
}

/** The token of the form with this action, else of the first form of the page. */
function formTokenOf({ html }: Landing, action: string): string {
  const forms = (html ?? '').split('<form ').slice(1);
  const form = forms.find((text) => text.includes(`action="${action}"`)) ?? forms[0];
  return /name="form_token" value="([^"]+)"/.exec(form ?? '')?.[1] ?? '';
}

/** The address of the form on a page that ends with this name. */
export function actionOf({ html, url }: Landing, name: string): string {
  const action = new RegExp(`action="([^"]+/${name})"`).exec(html ?? '')?.[1];
  assert.notEqual(action, undefined, `no form to ${name} at ${url}: ${html}`);
  return action!;
}
