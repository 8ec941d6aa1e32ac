import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { type Reply, send } from '@tallystick/test-support';

/** A third party of the sandbox, by its fixed secret and redirect address. */
export interface ThirdParty {
  /** A token by client credentials. */
  clientToken(): Promise<string>;
  /** Creates a consent; its ConsentId. */
  createConsent(path: string, body: unknown): Promise<string>;
  /** Has the sandbox approve the consent, and redeems the code of the redirect for a token. */
  authorise(consent_id: string): Promise<string>;
  /** Sends a request of Open Banking. A null token: without Authorization. */
  send(method: string, path: string, sending: Sending): Promise<Reply>;
}

export interface Sending {
  readonly token: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const redirect_uri = 'https://localhost/callback';

/** The third party `client_id` of the sandbox at `url`, with the base path of its endpoints. */
export async function thirdParty(
  url: string,
  client_id: string,
  scope: 'accounts' | 'fundsconfirmations',
  base: string,
): Promise<ThirdParty> {
  const discovery = await fetch(`${url}/.well-known/openid-configuration`);
  assert.equal(discovery.status, 200);
  const server = (await discovery.json()) as { token_endpoint: string; authorization_endpoint: string };

  const redeem = async (parameters: Readonly<Record<string, string>>): Promise<string> => {
    const response = await fetch(server.token_endpoint, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${client_id}:${client_id}-secret`)}` },
      body: new URLSearchParams(parameters),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return (JSON.parse(text) as { access_token: string }).access_token;
  };
  const clientToken = async (): Promise<string> => await redeem({ grant_type: 'client_credentials', scope });
  const sendAs: ThirdParty['send'] = async (method, path, { token, body, headers = {} }) => {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const authorization = token === null ? {} : { Authorization: `Bearer ${token}` };
    const response = await fetch(url + path, {
      method,
      headers: { ...type, ...authorization, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text === '' ? undefined : JSON.parse(text),
    };
  };

  return {
    clientToken,
    send: sendAs,
    async createConsent(path, body) {
      const created = await sendAs('POST', base + path, { token: await clientToken(), body });
      assert.equal(created.status, 201, created.text);
      return created.json.Data.ConsentId as string;
    },
    async authorise(consent_id) {
      const body = { data: { decision: 'approve' } };
      const decided = await send(url, 'POST', `/sandbox/v1/consents/${consent_id}/decide`, { key: 'bank', body });
      assert.equal(decided.status, 200, decided.text);
      const code_verifier = randomBytes(32).toString('base64url');
      const intent = { openbanking_intent_id: { value: consent_id, essential: true } };
      const parameters = new URLSearchParams({
        client_id,
        redirect_uri,
        response_type: 'code',
        scope: `openid ${scope}`,
        state: 'state-1',
        nonce: 'nonce-1',
        code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
        code_challenge_method: 'S256',
        claims: JSON.stringify({ id_token: intent }),
      });
      const code = await followToCode(`${server.authorization_endpoint}?${parameters}`);
      return await redeem({ grant_type: 'authorization_code', code, redirect_uri, code_verifier });
    },
  };
}

/** Follows redirects with their cookies, as a browser does, up to that of the third party. */
async function followToCode(address: string): Promise<string> {
  const cookies = new Map<string, string>();
  for (let at = new URL(address), hops = 0; hops < 10; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: cookie === '' ? {} : { Cookie: cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    const location = response.headers.get('location');
    assert.ok(location !== null, `${at.pathname} answered ${response.status}: ${await response.text()}`);
    at = new URL(location, at);
    if (!at.href.startsWith(redirect_uri)) continue;
    const code = at.searchParams.get('code');
    assert.ok(code !== null, at.search);
    return code;
  }
  assert.fail('the authorisation redirected ten times and did not come back');
}
