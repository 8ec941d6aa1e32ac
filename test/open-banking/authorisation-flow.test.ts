import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as client from 'openid-client';
import { authorisePlain, configure, userAgent } from './authorisation-client.ts';
import { newConsent, redirect_uri, startWorld, type World } from './authorisation-world.ts';

const getJson = async (url: string): Promise<unknown> => (await fetch(url)).json();

describe('the authorisation server', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  it('publishes where its endpoints are and what it supports', async () => {
    const { issuer } = world;
    const document = (await getJson(`${issuer}/.well-known/openid-configuration`)) as Record<string, string> & {
      readonly response_modes_supported: readonly string[];
    };
    assert.equal(document.issuer, issuer);
    assert.deepEqual(document.response_modes_supported, ['query', 'fragment', 'jwt', 'query.jwt', 'fragment.jwt']);
    assert.equal(document.authorization_endpoint, `${issuer}/oauth/authorize`);
    assert.equal(document.token_endpoint, `${issuer}/oauth/token`);
    assert.equal(document.userinfo_endpoint, undefined);
    assert.equal(document.registration_endpoint, undefined);
    assert.equal(document.introspection_endpoint, undefined);
    const { keys } = (await getJson(document.jwks_uri!)) as { readonly keys: readonly Record<string, string>[] };
    assert.deepEqual(
      keys.map(({ kty, alg, use }) => [kty, alg, use]),
      ['RSA', 'RSA', 'EC', 'EC'].map((kty) => [kty, kty === 'EC' ? 'ES256' : 'PS256', 'sig']),
    );
    assert.deepEqual(
      keys.slice(2).map(({ kid }) => kid),
      ['newest', 'older'],
    );
    const private_members = ['d', 'p', 'q', 'dp', 'dq', 'qi'];
    for (const key of keys)
      assert.deepEqual(
        Object.keys(key).filter((name) => private_members.includes(name)),
        [],
      );
    for (const kind of ['id_token', 'authorization', 'request_object', 'token_endpoint_auth']) {
      assert.deepEqual(document[`${kind}_signing_alg_values_supported`], ['PS256', 'ES256']);
    }
  });

  it('issues a client-credentials token with the scopes of the third party', async () => {
    const third_party = await world.register();
    const config = await configure(world, third_party);
    const tokens = await client.clientCredentialsGrant(config, { scope: 'accounts' });
    assert.deepEqual(await world.nodes[0]!.server.find(tokens.access_token, null), {
      client_id: third_party.client_id,
      scopes: ['accounts'],
      grant_type: 'client_credentials',
      consent_id: null,
      user_id: null,
    });
    for (const asked of [{ scope: 'fundsconfirmations' }, { scope: 'openid' }, {}] as Record<string, string>[]) {
      await assert.rejects(client.clientCredentialsGrant(config, asked), { error: 'invalid_scope' });
    }
    assert.equal((await client.clientCredentialsGrant(config, { scope: 'accounts payments' })).scope, 'accounts');
  });

  it('issues tokens for a consent that the user approves', async () => {
    const third_party = await world.register();
    const config = await configure(world, third_party);
    const consent_id = await newConsent(world, third_party);
    const request = await authorisePlain(config, consent_id);
    const agent = userAgent(world);
    const callback = await agent.approve(request.url, 'alice', ['1000000001']);
    assert.equal(callback.origin + callback.pathname, redirect_uri);
    const tokens = await client.authorizationCodeGrant(config, callback, request.checks);
    assert.deepEqual(await world.nodes[0]!.server.find(tokens.access_token, null), {
      client_id: third_party.client_id,
      scopes: ['accounts'],
      grant_type: 'authorization_code',
      consent_id,
      user_id: 'alice',
    });
    const claims = tokens.claims();
    assert.equal(claims?.sub, consent_id);
    assert.equal(claims?.openbanking_intent_id, consent_id);
    assert.equal(claims?.acr, 'urn:openbanking:psd2:ca');
    assert.notEqual(tokens.refresh_token, undefined);
  });
});
