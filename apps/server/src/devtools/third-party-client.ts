import { createHash, randomBytes } from 'node:crypto';
import { type Json, noAnswer } from './sandbox-client.ts';

/** The redirect address of the sandbox's third parties. Nothing listens there. */
const redirect_uri = 'https://localhost/callback';

export interface ThirdPartyAnswer {
  readonly status: number;
  /** Empty where the answer has no body. */
  readonly body: Json;
}

/** A third party of the sandbox, which authenticates with its public secret. */
export interface ThirdPartyClient {
  manage(): Promise<string>;
  /** Sends the user to authorise the consent, and exchanges the code. The sandbox decided before. */
  authorise(consent_id: string): Promise<string>;
  call(token: string, method: string, path: string, body?: Json): Promise<ThirdPartyAnswer>;
}

export function createThirdPartyClient(url: string, client_id: string, scope: string): ThirdPartyClient {
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    try {
      return await fetch(new URL(path, url), { redirect: 'manual', ...init });
    } catch (error) {
      throw noAnswer(url, error);
    }
  };
  const tokenFor = async (form: Readonly<Record<string, string>>): Promise<string> => {
    const secret = Buffer.from(`${client_id}:${client_id}-secret`).toString('base64');
    const headers = { authorization: `Basic ${secret}` };
    const response = await request('/oauth/token', { method: 'POST', headers, body: new URLSearchParams(form) });
    const { access_token } = (await response.json()) as { readonly access_token?: string };
    if (access_token === undefined) throw new Error(`POST /oauth/token answered ${response.status}: no token`);
    return access_token;
  };
  return {
    manage: () => tokenFor({ grant_type: 'client_credentials', scope }),
    async authorise(consent_id) {
      const code_verifier = randomBytes(32).toString('base64url');
      const query = new URLSearchParams({
        client_id,
        redirect_uri,
        response_type: 'code',
        scope: `openid ${scope}`,
        state: randomBytes(8).toString('hex'),
        nonce: randomBytes(8).toString('hex'),
        code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
        code_challenge_method: 'S256',
        claims: JSON.stringify({ id_token: { openbanking_intent_id: { value: consent_id, essential: true } } }),
      });
      const response = await request(`/oauth/authorize?${query}`, {});
      const location = URL.parse(response.headers.get('location') ?? '', url);
      const code = location?.searchParams.get('code');
      if (code == null) throw new Error(`GET /oauth/authorize answered ${response.status}, and sent no code`);
      return await tokenFor({ grant_type: 'authorization_code', code, redirect_uri, code_verifier });
    },
    async call(token, method, path, body) {
      const response = await request(path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Json) };
    },
  };
}
