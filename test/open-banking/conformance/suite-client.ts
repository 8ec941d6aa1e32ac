import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { send } from '@tallystick/test-support';

/** The endpoints and levels of authentication of the discovery document. */
export interface Discovery {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly acr_values_supported: readonly string[];
}

/** A third party that sends what the suite sends: PS256 keys, private_key_jwt, signed requests. */
export interface SuiteClient {
  readonly client_id: string;
  readonly discovery: Discovery;
  /** A request to the token endpoint. It has no client_id beside the assertion. */
  token(parameters: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;
  /** The address of an authorisation. Its parameters are in the request object and beside it. */
  authorisation(consent_id: string, state: string): URL;
}

export const suite_redirect_uri = 'https://suite.example/conformancesuite/callback';

/** Registers a third party with a new key, on the sandbox at `url`. */
export async function suiteClient(url: string): Promise<SuiteClient> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const kid = 'suite-key';
  const client_id = 'suite-client';
  const data = {
    client_id,
    name: 'Conformance suite',
    scopes: ['accounts'],
    redirect_uris: [suite_redirect_uri],
    jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'PS256', use: 'sig' }] },
  };
  const registered = await send(url, 'POST', '/operator/v1/third-parties', { key: 'operator', body: { data } });
  assert.equal(registered.status, 200, registered.text);
  const discovery = (await (await fetch(`${url}/.well-known/openid-configuration`)).json()) as Discovery;

  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = (claims: Readonly<Record<string, unknown>>): string => {
    const content = `${encode({ alg: 'PS256', typ: 'JWT', kid })}.${encode(claims)}`;
    const key = { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
  };
  const nowS = (): number => Math.floor(Date.now() / 1_000);

  return {
    client_id,
    discovery,
    async token(parameters) {
      const assertion = {
        iss: client_id,
        sub: client_id,
        aud: discovery.token_endpoint,
        iat: nowS(),
        exp: nowS() + 1_800,
        jti: randomUUID(),
      };
      const response = await fetch(discovery.token_endpoint, {
        method: 'POST',
        headers: { Accept: 'application/json' },
        body: new URLSearchParams({
          ...parameters,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: signed(assertion),
        }),
      });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return JSON.parse(text) as Readonly<Record<string, string>>;
    },
    authorisation(consent_id, state) {
      const id = randomUUID();
      const parameters = {
        client_id,
        response_type: 'code id_token',
        scope: 'openid accounts',
        redirect_uri: suite_redirect_uri,
        state,
      };
      const request = signed({
        ...parameters,
        iss: client_id,
        aud: discovery.issuer,
        iat: nowS(),
        nbf: nowS(),
        exp: nowS() + 1_800,
        jti: id,
        nonce: id,
        claims: {
          id_token: {
            openbanking_intent_id: { essential: true, value: consent_id },
            acr: { essential: true, values: discovery.acr_values_supported },
          },
        },
      });
      return new URL(`${discovery.authorization_endpoint}?${new URLSearchParams({ ...parameters, request })}`);
    },
  };
}
