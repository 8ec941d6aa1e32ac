import * as client from 'openid-client';
import { Agent, fetch as undiciFetch } from 'undici';
import { claimsFor, type OAuthClient, type Registration, scope } from './oauth-client.ts';
import { signingKey } from './signing-key.ts';

/** openid-client v6. */
export async function openidClient6(registration: Registration): Promise<OAuthClient> {
  const { issuer, client_id, redirect_uri, authentication, private_jwk, certificate, ca } = registration;
  const dispatcher = new Agent({ connect: { ca, ...certificate } });
  const customFetch = ((url: string, options: object) =>
    undiciFetch(url, { ...options, dispatcher })) as unknown as client.CustomFetch;
  const key = await signingKey(private_jwk);
  const authenticate = authentication === 'private_key_jwt' ? client.PrivateKeyJwt(key) : client.TlsClientAuth();
  const configure = (...execute: readonly ((config: client.Configuration) => void)[]) =>
    client.discovery(new URL(issuer), client_id, undefined, authenticate, {
      [client.customFetch]: customFetch,
      execute: [...execute],
    });
  const hybrid = await configure(client.useCodeIdTokenResponseType, client.enableDetachedSignatureResponseChecks);
  const signed = await configure(client.useJwtResponseMode);

  return {
    async clientCredentials() {
      return (await client.clientCredentialsGrant(signed, { scope: 'accounts' })).access_token;
    },

    async begin(way, consent_id) {
      const config = way === 'code id_token' ? hybrid : signed;
      const [state, nonce, pkceCodeVerifier] = [
        client.randomState(),
        client.randomNonce(),
        client.randomPKCECodeVerifier(),
      ];
      const parameters = {
        redirect_uri,
        scope,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        claims: JSON.stringify(claimsFor(consent_id)),
      };
      const direct = await client.buildAuthorizationUrlWithJAR(config, parameters, key);
      const url = way === 'pushed' ? await client.buildAuthorizationUrlWithPAR(config, direct.searchParams) : direct;
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier, idTokenExpected: true };
      return { url: url.href, finish: (callback) => client.authorizationCodeGrant(config, callback, checks) };
    },

    refresh: (refresh_token) => client.refreshTokenGrant(signed, refresh_token),

    async read(url, access_token) {
      return await (await client.fetchProtectedResource(signed, access_token, new URL(url), 'GET')).json();
    },

    close: () => dispatcher.close(),
  };
}
