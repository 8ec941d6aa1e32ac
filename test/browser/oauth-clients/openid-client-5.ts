import { type BaseClient, custom, generators, Issuer } from 'openid-client-5';
import { claimsFor, type OAuthClient, type Registration, scope } from './oauth-client.ts';

/** openid-client v5: its client for FAPI 1 Advanced. */
export async function openidClient5(registration: Registration): Promise<OAuthClient> {
  const { issuer: issuer_url, client_id, redirect_uri, authentication, private_jwk, certificate, ca } = registration;
  const httpOptions = () => ({ ca, key: certificate.key, cert: certificate.cert });
  Object.assign(Issuer, { [custom.http_options]: httpOptions });
  const issuer = await Issuer.discover(issuer_url);
  Object.assign(issuer, { [custom.http_options]: httpOptions });
  const client: BaseClient = new issuer.FAPI1Client(
    {
      client_id,
      redirect_uris: [redirect_uri],
      token_endpoint_auth_method: authentication,
      request_object_signing_alg: 'PS256',
    },
    { keys: [private_jwk as never] },
  );
  Object.assign(client, { [custom.http_options]: httpOptions });

  return {
    async clientCredentials() {
      return (await client.grant({ grant_type: 'client_credentials', scope: 'accounts' })).access_token!;
    },

    async begin(way, consent_id) {
      const [state, nonce, code_verifier] = [generators.state(), generators.nonce(), generators.codeVerifier()];
      const answer =
        way === 'code id_token' ? { response_type: 'code id_token' } : { response_type: 'code', response_mode: 'jwt' };
      const request = await client.requestObject({
        redirect_uri,
        scope,
        state,
        nonce,
        code_challenge: generators.codeChallenge(code_verifier),
        code_challenge_method: 'S256',
        claims: claimsFor(consent_id),
        ...answer,
      });
      const pushed = way === 'pushed' ? await client.pushedAuthorizationRequest({ request }) : null;
      const asked = pushed === null ? { request } : { request_uri: pushed.request_uri };
      return {
        // By default it repeats parameters beside the request object.
        url: client.authorizationUrl({ redirect_uri, scope, ...answer, ...asked }),
        async finish(callback) {
          const parameters = Object.fromEntries(new URLSearchParams(callback.hash.slice(1) || callback.search));
          const { response_type } = answer;
          const checks = { state, nonce, response_type, code_verifier, jarm: way !== 'code id_token' };
          const { access_token, refresh_token } = await client.callback(redirect_uri, parameters, checks);
          return { access_token: access_token!, refresh_token };
        },
      };
    },

    async refresh(refresh_token) {
      const tokens = await client.refresh(refresh_token);
      return { access_token: tokens.access_token!, refresh_token: tokens.refresh_token };
    },

    async read(url, access_token) {
      const { body } = await client.requestResource(url, access_token);
      return JSON.parse(String(body));
    },
  };
}
