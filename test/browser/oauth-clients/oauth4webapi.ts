import * as oauth from 'oauth4webapi';
import { Agent, fetch as undiciFetch } from 'undici';
import { claimsFor, type OAuthClient, type Registration, scope } from './oauth-client.ts';
import { signingKey } from './signing-key.ts';

/** oauth4webapi. */
export async function oauth4webapi(registration: Registration): Promise<OAuthClient> {
  const { issuer, client_id, redirect_uri, authentication, private_jwk, certificate, ca } = registration;
  const dispatcher = new Agent({ connect: { ca, ...certificate } });
  const customFetch = async (url: string, options: object): Promise<Response> =>
    (await undiciFetch(url, { ...options, dispatcher })) as unknown as Response;
  const options = { [oauth.customFetch]: customFetch };
  const address = new URL(issuer);
  const as = await oauth.processDiscoveryResponse(address, await oauth.discoveryRequest(address, options));
  const client: oauth.Client = { client_id };
  const key = await signingKey(private_jwk);
  const authenticate = authentication === 'private_key_jwt' ? oauth.PrivateKeyJwt(key) : oauth.TlsClientAuth();

  return {
    async clientCredentials() {
      const asked = { scope: 'accounts' };
      const answer = await oauth.clientCredentialsGrantRequest(as, client, authenticate, asked, options);
      return (await oauth.processClientCredentialsResponse(as, client, answer)).access_token;
    },

    async begin(way, consent_id) {
      const [state, nonce, verifier] = [
        oauth.generateRandomState(),
        oauth.generateRandomNonce(),
        oauth.generateRandomCodeVerifier(),
      ];
      const is_hybrid = way === 'code id_token';
      const parameters = {
        redirect_uri,
        scope,
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        claims: JSON.stringify(claimsFor(consent_id)),
        ...(is_hybrid ? { response_type: 'code id_token' } : { response_type: 'code', response_mode: 'jwt' }),
      };
      const request = await oauth.issueRequestObject(as, client, parameters, key);
      const url = new URL(as.authorization_endpoint!);
      url.searchParams.set('client_id', client_id);
      if (way === 'pushed') {
        const answer = await oauth.pushedAuthorizationRequest(as, client, authenticate, { request }, options);
        const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, answer);
        url.searchParams.set('request_uri', request_uri);
      } else url.searchParams.set('request', request);
      return {
        url: url.href,
        async finish(callback) {
          const validated = is_hybrid
            ? await oauth.validateDetachedSignatureResponse(
                as,
                client,
                callback,
                nonce,
                state,
                oauth.skipAuthTimeCheck,
                options,
              )
            : await oauth.validateJwtAuthResponse(as, client, callback, state, options);
          const answer = await oauth.authorizationCodeGrantRequest(
            as,
            client,
            authenticate,
            validated,
            redirect_uri,
            verifier,
            options,
          );
          const expected = { expectedNonce: nonce, requireIdToken: true };
          return await oauth.processAuthorizationCodeResponse(as, client, answer, expected);
        },
      };
    },

    async refresh(refresh_token) {
      const answer = await oauth.refreshTokenGrantRequest(as, client, authenticate, refresh_token, options);
      return await oauth.processRefreshTokenResponse(as, client, answer);
    },

    async read(url, access_token) {
      const answer = await oauth.protectedResourceRequest(
        access_token,
        'GET',
        new URL(url),
        undefined,
        undefined,
        options,
      );
      return await answer.json();
    },

    close: () => dispatcher.close(),
  };
}
