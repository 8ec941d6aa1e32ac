import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import * as client from 'openid-client';
import {
  type AuthorisationRequest,
  authorisePlain,
  authoriseSigned,
  type ClientKey,
  configure,
  newKey,
  registerWithKey,
  type SignedRequest,
  userAgent,
} from './authorisation-client.ts';
import {
  certificate,
  certificate_header,
  newConsent,
  redirect_uri,
  startWorld,
  type World,
} from './authorisation-world.ts';

/** The answer that a third party gets in the fragment, as its page would send it on. */
function fragmentOf(callback: URL): URLSearchParams {
  return new URLSearchParams(callback.hash.slice(1));
}

function payloadOf(jwt: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString());
}

function signatureOf(jwt: string): { readonly alg: string; readonly kid: string } {
  const { alg, kid } = JSON.parse(Buffer.from(jwt.split('.')[0]!, 'base64url').toString());
  return { alg, kid };
}

interface JSONWebKeySet {
  readonly keys: readonly { readonly kid: string; readonly alg: string }[];
}

function halfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
}

describe('requests of FAPI 1 Advanced', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  for (const alg of ['PS256', 'ES256'] as const) {
    it(`answers a request object signed with ${alg} with code id_token, which has s_hash and c_hash`, async () => {
      const { third_party, key, config } = await registerWithKey(world, alg);
      client.useCodeIdTokenResponseType(config);
      client.enableDetachedSignatureResponseChecks(config);
      const consent_id = await newConsent(world, third_party);
      const { url, checks } = await authoriseSigned(config, key, consent_id);
      const callback = await userAgent(world).approve(url, 'alice', ['1000000001']);
      assert.equal(callback.origin + callback.pathname, 'https://tpp.example/callback');
      const answer = fragmentOf(callback);
      const claims = payloadOf(answer.get('id_token')!);
      assert.equal(claims.s_hash, halfHash(checks.expectedState as string));
      assert.equal(claims.c_hash, halfHash(answer.get('code')!));
      assert.equal(claims.openbanking_intent_id, consent_id);
      const tokens = await client.authorizationCodeGrant(config, callback, checks);
      const grant = await world.nodes[0]!.server.find(tokens.access_token, null);
      assert.equal(grant?.consent_id, consent_id);
    });
  }

  for (const id_token_signed_response_alg of ['PS256', 'ES256'] as const) {
    it(`signs the id_tokens and the answers of a third party by ${id_token_signed_response_alg}, as registered`, async () => {
      const { keys } = (await (await fetch(`${world.issuer}/oauth/jwks`)).json()) as JSONWebKeySet;
      const newest = keys.find(({ alg }) => alg === id_token_signed_response_alg)!.kid;
      const signed_by = { alg: id_token_signed_response_alg, kid: newest };
      // The other algorithm than that of its own signatures.
      const own_alg = id_token_signed_response_alg === 'PS256' ? 'ES256' : 'PS256';
      const { third_party, key, config } = await registerWithKey(world, own_alg, { id_token_signed_response_alg });
      client.useJwtResponseMode(config);
      const { url, checks } = await authoriseSigned(config, key, await newConsent(world, third_party));
      const callback = await userAgent(world).approve(url, 'alice', ['1000000001']);
      assert.deepEqual(signatureOf(callback.searchParams.get('response')!), signed_by);
      const tokens = await client.authorizationCodeGrant(config, callback, checks);
      assert.deepEqual(signatureOf(tokens.id_token!), signed_by);
      const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!);
      assert.deepEqual(signatureOf(refreshed.id_token!), signed_by);

      const changed = { ...third_party, id_token_signed_response_alg: own_alg } as const;
      await world.unitOfWork.run((tx) => tx.third_parties.update(changed));
      const after = await client.refreshTokenGrant(config, tokens.refresh_token!);
      assert.equal(signatureOf(after.id_token!).alg, own_alg, 'a change counts at once');
    });
  }

  it('takes a request that the browser sends as a form by POST', async () => {
    const { third_party, key, config } = await registerWithKey(world);
    client.useCodeIdTokenResponseType(config);
    client.enableDetachedSignatureResponseChecks(config);
    const consent_id = await newConsent(world, third_party);
    const { url, checks } = await authoriseSigned(config, key, consent_id);
    const agent = userAgent(world);
    const login = await agent.post(url);
    const callback = await agent.approve(login.url, 'alice', ['1000000001']);
    const tokens = await client.authorizationCodeGrant(config, callback, checks);
    assert.equal(tokens.claims()?.openbanking_intent_id, consent_id);
    const again = await userAgent(world).get(url);
    assert.equal(fragmentOf(again.url).get('error'), 'invalid_request_object', 'GET and POST count together');
  });

  it('answers with a signed response (JARM), without PKCE', async () => {
    const { third_party, key, config } = await registerWithKey(world);
    client.useJwtResponseMode(config);
    const consent_id = await newConsent(world, third_party);
    const { url, checks } = await authoriseSigned(config, key, consent_id);
    const callback = await userAgent(world).approve(url, 'alice', ['1000000001']);
    assert.deepEqual([...callback.searchParams.keys()], ['response']);
    const tokens = await client.authorizationCodeGrant(config, callback, checks);
    assert.equal(tokens.claims()?.openbanking_intent_id, consent_id);
  });

  it('sends a refusal signed, too', async () => {
    const { third_party, key, config } = await registerWithKey(world);
    client.useJwtResponseMode(config);
    const { url, checks } = await authoriseSigned(config, key, await newConsent(world, third_party));
    const callback = await userAgent(world).refuse(url, 'alice');
    await assert.rejects(client.authorizationCodeGrant(config, callback, checks), { error: 'access_denied' });
  });

  it('takes a request object that was pushed', async () => {
    const { third_party, key, config } = await registerWithKey(world);
    client.useJwtResponseMode(config);
    const consent_id = await newConsent(world, third_party);
    const signed = await authoriseSigned(config, key, consent_id);
    const pushed = { client_id: third_party.client_id, request: signed.url.searchParams.get('request')! };
    const url = await client.buildAuthorizationUrlWithPAR(config, pushed);
    const callback = await userAgent(world).approve(url, 'alice', ['1000000001']);
    const tokens = await client.authorizationCodeGrant(config, callback, signed.checks);
    assert.equal(tokens.claims()?.openbanking_intent_id, consent_id);
    assert.equal((await userAgent(world).get(url)).status, 400, 'the address works once');
  });

  it('asks the user outside the sandbox, even about a consent that a sandbox decided', async () => {
    const bank_world = await startWorld({ sandbox: false });
    try {
      const { third_party, key, config } = await registerWithKey(bank_world);
      client.useJwtResponseMode(config);
      const decided = {
        status: 'Authorised',
        user_id: 'alice',
        company_id: 1,
        account_numbers: ['1000000001'],
        decided_ahead: true,
      };
      const { url } = await authoriseSigned(config, key, await newConsent(bank_world, third_party, decided));
      assert.match((await userAgent(bank_world).get(url)).html!, /Log in/);
    } finally {
      await bank_world.close();
    }
  });

  it('states the level of the login', async () => {
    const strong = 'urn:openbanking:psd2:sca';
    const bank_world = await startWorld({ acr: strong });
    try {
      const { third_party, key, config } = await registerWithKey(bank_world);
      client.useJwtResponseMode(config);
      const modify = ({ claims }: Record<string, unknown>) =>
        Object.assign((claims as { id_token: object }).id_token, { acr: { essential: true, value: strong } });
      const { url, checks } = await authoriseSigned(config, key, await newConsent(bank_world, third_party), { modify });
      const callback = await userAgent(bank_world).approve(url, 'alice', ['1000000001']);
      assert.equal((await client.authorizationCodeGrant(config, callback, checks)).claims()?.acr, strong);
    } finally {
      await bank_world.close();
    }
  });

  it('sends a sandbox client to localhost with code id_token', async () => {
    const third_party = await world.register();
    const config = await configure(world, third_party);
    client.useCodeIdTokenResponseType(config);
    const { url, checks } = await authorisePlain(config, await newConsent(world, third_party));
    const callback = await userAgent(world).approve(url, 'alice', ['1000000001']);
    assert.equal(callback.origin + callback.pathname, redirect_uri);
    assert.notEqual((await client.authorizationCodeGrant(config, callback, checks)).access_token, undefined);
  });

  describe('refuse a request object', () => {
    let key: ClientKey;
    let config: client.Configuration;
    let consent_id: string;
    let elsewhere: { readonly consent_id: string };
    before(async () => {
      const registered = await registerWithKey(world);
      ({ key, config } = registered);
      client.useCodeIdTokenResponseType(config);
      consent_id = await newConsent(world, registered.third_party);
      const { third_party: other } = await registerWithKey(world);
      elsewhere = { consent_id: await newConsent(world, other) };
    });

    /** The error of a request: what the third party gets, or what the page shows. */
    async function errorOf({ url }: Pick<AuthorisationRequest, 'url'>): Promise<string | null> {
      const landing = await userAgent(world).get(url);
      if (landing.html === null) {
        return fragmentOf(landing.url).get('error') ?? landing.url.searchParams.get('error');
      }
      return /<p class="muted">([a-z_]+)/.exec(landing.html)?.[1] ?? null;
    }
    const signedError = async (request: SignedRequest, with_key: ClientKey = key): Promise<string | null> =>
      errorOf(await authoriseSigned(config, with_key, consent_id, request));
    const nowS = () => Math.floor(Date.now() / 1_000);

    it('never one that is right', async () => {
      assert.equal(await signedError({}), null);
    });

    it('with a wrong key', async () => {
      assert.equal(await signedError({}, await newKey('PS256')), 'invalid_request_object');
    });

    it('without a signature (none)', async () => {
      const { url } = await authoriseSigned(config, key, consent_id);
      const [, payload = ''] = url.searchParams.get('request')!.split('.');
      const header = Buffer.from('{"alg":"none"}').toString('base64url');
      url.searchParams.set('request', `${header}.${payload}.`);
      assert.equal(await errorOf({ url }), 'invalid_request_object');
    });

    it('whose content was changed after it was signed', async () => {
      const { url } = await authoriseSigned(config, key, consent_id);
      const [header, payload = '', signature] = url.searchParams.get('request')!.split('.');
      const claims = {
        ...JSON.parse(Buffer.from(payload, 'base64url').toString()),
        scope: 'openid accounts fundsconfirmations',
      };
      const changed = Buffer.from(JSON.stringify(claims)).toString('base64url');
      url.searchParams.set('request', [header, changed, signature].join('.'));
      assert.equal(await errorOf({ url }), 'invalid_request_object');
    });

    const bad_claims: Readonly<Record<string, (claims: Record<string, unknown>) => void>> = {
      'that is old': (claims) => Object.assign(claims, { nbf: nowS() - 600, iat: nowS() - 600, exp: nowS() - 300 }),
      'that is not valid yet': (claims) => Object.assign(claims, { nbf: nowS() + 300, exp: nowS() + 600 }),
      'whose exp is more than 60 minutes after nbf': (claims) =>
        Object.assign(claims, { exp: (claims.nbf as number) + 3_601 }),
      'whose exp is before nbf': (claims) => Object.assign(claims, { nbf: nowS() + 10, exp: nowS() + 5 }),
      'without exp': (claims) => delete claims.exp,
      'without nbf': (claims) => delete claims.nbf,
      'without aud': (claims) => delete claims.aud,
      'without iss': (claims) => delete claims.iss,
      'for another audience': (claims) => Object.assign(claims, { aud: 'https://other.example' }),
      'without a response_type': (claims) => delete claims.response_type,
      'of another client': (claims) => Object.assign(claims, { iss: 'another' }),
    };
    for (const [what, modify] of Object.entries(bad_claims)) {
      it(what, async () => {
        assert.equal(await signedError({ modify }), 'invalid_request_object');
      });
    }

    it('without a nonce', async () => {
      const modify = (claims: Record<string, unknown>) => delete claims.nonce;
      assert.equal(await signedError({ modify }), 'invalid_request_object');
    });

    it('with a list as response_type or response_mode', async () => {
      for (const changes of [{ response_type: ['code id_token'] }, { response_mode: ['jwt'] }]) {
        const modify = (claims: Record<string, unknown>) => Object.assign(claims, changes);
        assert.equal(await signedError({ modify }), 'invalid_request');
      }
    });

    it('whose exp is exactly 60 minutes after nbf, not', async () => {
      const modify = (claims: Record<string, unknown>) =>
        Object.assign(claims, { exp: (claims.nbf as number) + 3_600 });
      assert.equal(await signedError({ modify }), null);
    });

    it('that was used before, with a jti or without one', async () => {
      for (const modify of [() => {}, (claims: Record<string, unknown>) => delete claims.jti]) {
        const request = await authoriseSigned(config, key, consent_id, { modify });
        assert.equal(await errorOf(request), null);
        assert.equal(await errorOf(request), 'invalid_request_object');
      }
    });

    it('that was used before the clock of the sandbox was moved', async () => {
      const request = await authoriseSigned(config, key, consent_id);
      assert.equal(await errorOf(request), null);
      world.advance(2 * 3_600_000);
      const before = { service: world.nowMs(), machine: Date.now() };
      const purged = await world.unitOfWork.run((tx) => tx.authorisation.purge(before, 10_000));
      assert.ok(purged > 0, 'records that have ended are removed');
      assert.equal(await errorOf(request), 'invalid_request_object');
    });

    it('for a redirect that is not registered', async () => {
      const modify = (claims: Record<string, unknown>) =>
        Object.assign(claims, { redirect_uri: 'https://evil.example/' });
      const { url } = await authoriseSigned(config, key, consent_id, { modify });
      const landing = await userAgent(world).get(url);
      assert.equal(landing.status, 400);
      assert.equal(landing.url.origin, world.issuer, 'sent nowhere');
    });

    it('for the consent of another client, like one that does not exist', async () => {
      assert.equal(await errorOf(await authoriseSigned(config, key, elsewhere.consent_id)), 'invalid_request');
      assert.equal(await errorOf(await authoriseSigned(config, key, 'no-such-consent')), 'invalid_request');
    });

    it('without a consent', async () => {
      const modify = (claims: Record<string, unknown>) => delete claims.claims;
      assert.equal(await signedError({ modify }), 'invalid_request');
    });

    it('whose consent is not an essential claim', async () => {
      const claims_of = { id_token: { openbanking_intent_id: { value: consent_id } } };
      const modify = (claims: Record<string, unknown>) => Object.assign(claims, { claims: claims_of });
      assert.equal(await signedError({ modify }), 'invalid_request');
    });

    it('whose scope does not fit the consent', async () => {
      const modify = (claims: Record<string, unknown>) => Object.assign(claims, { scope: 'openid' });
      assert.equal(await signedError({ modify }), 'invalid_scope');
    });

    it('for a level of authentication that is not reached', async () => {
      const acr = { essential: true, values: ['urn:openbanking:psd2:sca'] };
      const modify = ({ claims }: Record<string, unknown>) =>
        Object.assign((claims as { id_token: object }).id_token, { acr });
      assert.equal(await signedError({ modify }), 'unmet_authentication_requirements');
    });

    it('with the plain answer of a code', async () => {
      const modify = (claims: Record<string, unknown>) => Object.assign(claims, { response_type: 'code' });
      const { url } = await authoriseSigned(config, key, consent_id, { modify });
      url.searchParams.set('response_type', 'code');
      assert.equal(await errorOf({ url }), 'invalid_request');
    });

    it('and a request without one, of a client that is not the sandbox’s', async () => {
      const asked = { redirect_uri: 'https://tpp.example/callback' };
      assert.equal(await errorOf(await authorisePlain(config, consent_id, asked)), 'invalid_request');
    });

    it('and a plain request of the sandbox without PKCE', async () => {
      const third_party = await world.register();
      const plain = await configure(world, third_party);
      const { url } = await authorisePlain(plain, await newConsent(world, third_party));
      url.searchParams.delete('code_challenge');
      url.searchParams.delete('code_challenge_method');
      assert.equal(await errorOf({ url }), 'invalid_request');
    });

    it('and a plain PKCE challenge', async () => {
      const third_party = await world.register();
      const plain = await configure(world, third_party);
      const { url } = await authorisePlain(plain, await newConsent(world, third_party));
      url.searchParams.set('code_challenge_method', 'plain');
      assert.equal(await errorOf({ url }), 'invalid_request');
    });
  });
});

describe('clients', () => {
  let world: World;
  const served = new Map<string, object>();
  before(async () => {
    world = await startWorld({
      fetchKeys: async (jwks_uri) => Buffer.from(JSON.stringify(served.get(jwks_uri))),
    });
  });
  after(() => world.close());

  it('authenticate by private_key_jwt, whose assertion is used once', async () => {
    const { third_party, key, config } = await registerWithKey(world, 'ES256');
    let sent: URLSearchParams | undefined;
    config[client.customFetch] = (url, options) => {
      sent = options.body as URLSearchParams;
      return fetch(url, options as RequestInit);
    };
    const tokens = await client.clientCredentialsGrant(config, { scope: 'accounts' });
    assert.notEqual(await world.nodes[0]!.server.find(tokens.access_token, null), null);
    const replay = await fetch(`${world.issuer}/oauth/token`, { method: 'POST', body: sent! });
    assert.equal(replay.status, 401);
    assert.equal(((await replay.json()) as { error: string }).error, 'invalid_client');

    const endless = await configure(
      world,
      third_party,
      client.PrivateKeyJwt(key.private_key, {
        [client.modifyAssertion]: (_header, payload) => {
          payload.exp = Math.floor(Date.now() / 1_000) + 3_700;
        },
      }),
    );
    await assert.rejects(client.clientCredentialsGrant(endless, { scope: 'accounts' }), { error: 'invalid_client' });

    const wrong = await configure(
      world,
      third_party,
      client.PrivateKeyJwt((await newKey('ES256', key.private_key.kid)).private_key),
    );
    await assert.rejects(client.clientCredentialsGrant(wrong, { scope: 'accounts' }), { error: 'invalid_client' });
    const { client_id } = third_party;
    assert.match(world.warned.at(-1) ?? '', new RegExp(`^token refused invalid_client .+ ${client_id}$`), 'the reason');
  });

  it('have their keys at an address of https, fetched by the port', async () => {
    const key = await newKey('PS256');
    served.set('https://tpp.example/jwks', { keys: [key.jwk] });
    const third_party = await world.register({ is_sandbox: false, jwks_uri: 'https://tpp.example/jwks' });
    const config = await configure(world, third_party, client.PrivateKeyJwt(key.private_key));
    assert.notEqual((await client.clientCredentialsGrant(config, { scope: 'accounts' })).access_token, undefined);
  });

  it('have secrets in the sandbox only', async () => {
    const third_party = await world.register();
    const wrong = await configure(world, third_party, client.ClientSecretBasic('wrong'));
    await assert.rejects(client.clientCredentialsGrant(wrong, { scope: 'accounts' }), { status: 401 });
    const production = await startWorld({ sandbox: false });
    try {
      const its = await production.register();
      const config = await configure(production, its);
      await assert.rejects(client.clientCredentialsGrant(config, { scope: 'accounts' }));
    } finally {
      await production.close();
    }
  });

  describe('with a certificate', () => {
    /** A client whose requests have the certificate of this name; null: none. */
    async function withCertificate(name: () => string | null) {
      const subject = certificate('tpp').subject;
      const key = await newKey('PS256');
      const third_party = await world.register({
        is_sandbox: false,
        jwks: { keys: [key.jwk] },
        certificate_subject: subject,
        redirect_uris: ['https://tpp.example/callback'],
      });
      const config = await configure(world, third_party, client.TlsClientAuth());
      config[client.customFetch] = (url, options) => {
        const shown = name();
        const headers = { ...options.headers, ...(shown === null ? {} : { [certificate_header]: shown }) };
        return fetch(url, { ...(options as RequestInit), headers });
      };
      return { third_party, key, config };
    }

    it('get tokens that are bound to it', async () => {
      let shown: string | null = 'tpp';
      const { config } = await withCertificate(() => shown);
      const { access_token } = await client.clientCredentialsGrant(config, { scope: 'accounts' });
      const { server } = world.nodes[0]!;
      assert.notEqual(await server.find(access_token, certificate('tpp').sha256), null);
      assert.equal(await server.find(access_token, certificate('another').sha256), null);
      assert.equal(await server.find(access_token, null), null);
      for (shown of ['another', null]) {
        await assert.rejects(client.clientCredentialsGrant(config, { scope: 'accounts' }), { error: 'invalid_client' });
      }
    });

    it('refresh with a certificate of their subject only', async () => {
      let shown: string | null = 'tpp';
      const { third_party, key, config } = await withCertificate(() => shown);
      client.useJwtResponseMode(config);
      const { url, checks } = await authoriseSigned(config, key, await newConsent(world, third_party));
      const callback = await userAgent(world).approve(url, 'alice', ['1000000001']);
      const tokens = await client.authorizationCodeGrant(config, callback, checks);
      const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!);
      const { server } = world.nodes[0]!;
      assert.notEqual(await server.find(refreshed.access_token, certificate('tpp').sha256), null);
      assert.equal(await server.find(refreshed.access_token, certificate('another').sha256), null);
      for (shown of ['another', null]) {
        const refresh = client.refreshTokenGrant(config, refreshed.refresh_token!);
        await assert.rejects(refresh, { error: 'invalid_client' });
      }
    });
  });
});
