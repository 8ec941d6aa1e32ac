import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, describe, it, mock } from 'node:test';
import { changeThirdParty, type ThirdParty, type ThirdPartyChange } from '@tallystick/consents';
import { database_names, type Received, type TlsReceiver, tlsReceiver } from '@tallystick/test-support';
import { addressGuard, type DocumentReader, documentReader, loopback_networks } from '@tallystick/webhook-client';
import * as client from 'openid-client';
import {
  actionOf,
  authorisePlain,
  authoriseSigned,
  type ClientKey,
  configure,
  newKey,
  registerWithKey,
  userAgent,
} from './authorisation-client.ts';
import { newConsent, startWorld, type World, type WorldStorage } from './authorisation-world.ts';

const storages: readonly WorldStorage[] = ['memory', ...database_names];

function change(world: World, { id }: Pick<ThirdParty, 'id'>, changes: ThirdPartyChange): Promise<ThirdParty> {
  const call = { actor: 'test', request_id: null, now_ms: world.nowMs() };
  return world.unitOfWork.run((tx) => changeThirdParty(tx, { url_policy: () => null }, call, id, changes));
}

/** The configuration of a client that authenticates by this key, whose requests go to one node. */
async function configureAt(world: World, node: number, third_party: ThirdParty, key: ClientKey) {
  const config = await configure(world, third_party, client.PrivateKeyJwt(key.private_key));
  config[client.customFetch] = (url, options) => {
    const { pathname, search } = new URL(url);
    return fetch(new URL(pathname + search, world.nodes[node]!.url), options as RequestInit);
  };
  return config;
}

/** What each node answers to an assertion by the key: the status. */
function statusOnNodes(world: World, third_party: ThirdParty, key: ClientKey): Promise<readonly number[]> {
  return Promise.all(
    world.nodes.map(async (_, node) => {
      const config = await configureAt(world, node, third_party, key);
      try {
        await client.clientCredentialsGrant(config, { scope: 'accounts' });
        return 200;
      } catch (error) {
        return (error as { status: number }).status;
      }
    }),
  );
}

for (const storage of storages) {
  describe(`a third party that is changed, on two nodes and ${storage}`, () => {
    let world: World;
    before(async () => {
      world = await startWorld({ storage, nodes: 2 });
    });
    after(() => world.close());

    const foundOnNodes = (token: string) =>
      Promise.all(world.nodes.map(async ({ server }) => (await server.find(token, null)) !== null));

    it('authenticates by its new key at once on every node, and never by the old one', async () => {
      const { third_party, key } = await registerWithKey(world, 'ES256');
      const next = await newKey('ES256', 'next');
      const same_kid = await newKey('ES256', 'next');
      assert.deepEqual(await statusOnNodes(world, third_party, key), [200, 200]);
      await change(world, third_party, { jwks: { keys: [next.jwk] } });
      assert.deepEqual(await statusOnNodes(world, third_party, key), [401, 401]);
      assert.deepEqual(await statusOnNodes(world, third_party, next), [200, 200]);
      await change(world, third_party, { jwks: { keys: [same_kid.jwk] } });
      assert.deepEqual(await statusOnNodes(world, third_party, next), [401, 401]);
      assert.deepEqual(await statusOnNodes(world, third_party, same_kid), [200, 200]);
      await change(world, third_party, { jwks: { keys: [key.jwk, same_kid.jwk] } });
      assert.deepEqual(await statusOnNodes(world, third_party, key), [200, 200]);
    });

    it('keeps its tokens when its keys are replaced, and refreshes by the new key only', async () => {
      const { third_party, key, config } = await registerWithKey(world, 'ES256');
      client.useJwtResponseMode(config);
      const consent_id = await newConsent(world, third_party);
      const request = await authoriseSigned(config, key, consent_id);
      const callback = await userAgent(world).approve(request.url, 'alice', ['1000000001']);
      const tokens = await client.authorizationCodeGrant(config, callback, request.checks);
      const next = await newKey('ES256', 'next');
      await change(world, third_party, { jwks: { keys: [next.jwk] } });
      assert.deepEqual(await foundOnNodes(tokens.access_token), [true, true]);
      for (const node of [0, 1]) {
        const by_old = await configureAt(world, node, third_party, key);
        await assert.rejects(client.refreshTokenGrant(by_old, tokens.refresh_token!), { error: 'invalid_client' });
      }
      const by_new = await configureAt(world, 1, third_party, next);
      const refreshed = await client.refreshTokenGrant(by_new, tokens.refresh_token!);
      assert.deepEqual(await foundOnNodes(refreshed.access_token), [true, true]);
    });

    it('loses all its tokens when a scope is taken away, and gets none for that scope', async () => {
      const third_party = await world.register({ scopes: ['accounts', 'fundsconfirmations'] });
      const config = await configure(world, third_party);
      const consent_id = await newConsent(world, third_party);
      const request = await authorisePlain(config, consent_id);
      const callback = await userAgent(world).approve(request.url, 'alice', ['1000000001']);
      const tokens = await client.authorizationCodeGrant(config, callback, request.checks);
      const own = await client.clientCredentialsGrant(config, { scope: 'accounts' });
      const agent = userAgent(world);
      const begun = await agent.logIn(
        (await authorisePlain(config, await newConsent(world, third_party))).url,
        'alice',
      );
      await change(world, third_party, { scopes: ['fundsconfirmations'] });
      for (const token of [tokens.access_token, own.access_token]) {
        assert.deepEqual(await foundOnNodes(token), [false, false]);
      }
      await assert.rejects(client.refreshTokenGrant(config, tokens.refresh_token!), { error: 'invalid_grant' });
      await assert.rejects(client.clientCredentialsGrant(config, { scope: 'accounts' }), { error: 'invalid_scope' });
      await change(world, third_party, { scopes: ['accounts', 'fundsconfirmations'] });
      assert.deepEqual(await foundOnNodes(tokens.access_token), [false, false], 'no token comes back');
      const fields = [
        ['account', '1000000001'],
        ['decision', 'approve'],
      ] as const;
      const late = await agent.submit(begun, actionOf(begun, 'decide'), fields);
      assert.match(late.html ?? late.url.href, /This step is over/, 'the step of the user also ended');
    });

    it('is sent users only at its present addresses, even if the step of a user began before', async () => {
      const third_party = await world.register();
      const config = await configure(world, third_party);
      const added = 'https://localhost/other';
      const consent_id = await newConsent(world, third_party);
      const to_added = { redirect_uri: added };
      const early = await userAgent(world).get((await authorisePlain(config, consent_id, to_added)).url);
      assert.match(early.html ?? '', /redirect_uri/);
      await change(world, third_party, { redirect_uris: [...third_party.redirect_uris, added] });
      const approved = await authorisePlain(config, consent_id, to_added);
      const callback = await userAgent(world).approve(approved.url, 'alice', ['1000000001']);
      assert.ok(callback.href.startsWith(`${added}?`) && callback.searchParams.has('code'), callback.href);

      const agent = userAgent(world);
      const { url } = await authorisePlain(config, await newConsent(world, third_party), to_added);
      const page = await agent.logIn(url, 'alice');
      await change(world, third_party, { redirect_uris: third_party.redirect_uris });
      const approval = [
        ['account', '1000000001'],
        ['decision', 'approve'],
      ] as const;
      for (const [action, fields] of [
        ['leave', []],
        ['decide', [['decision', 'refuse']]],
        ['decide', approval],
      ] as const) {
        const left = await agent.submit(page, actionOf(page, action), fields);
        assert.equal(left.url.origin, new URL(world.issuer).origin, left.url.href);
        assert.equal(left.status, 400);
        assert.match(left.html ?? '', /is not registered for the app any more/);
      }
    });
  });
}

describe('a third party whose keys are at an address', () => {
  let world: World;
  let theirs: TlsReceiver;
  let documents: DocumentReader;
  const answers = new Map<string, (response: ServerResponse, request: Received) => void>();

  before(async () => {
    theirs = await tlsReceiver((request, response) => answers.get(request.path)?.(response, request));
    // The third party is on loopback.
    documents = documentReader({
      guard: addressGuard(loopback_networks),
      explained: addressGuard(loopback_networks),
      extra_authorities: [theirs.certificate.cert],
    });
    world = await startWorld({ nodes: 2, fetchKeys: documents.read });
  });
  afterEach(() => mock.timers.reset());
  after(async () => {
    await world.close();
    await documents.close();
    await theirs.close();
  });

  /** The third party publishes its keys below this path. `publish` replaces them. */
  async function publishing(path: string, ...keys: readonly ClientKey[]) {
    const publish = (...published: readonly ClientKey[]): void => {
      answers.set(path, (response) => {
        response.setHeader('Content-Type', 'application/json');
        response.setHeader('Cache-Control', 'max-age=86400');
        response.end(JSON.stringify({ keys: published.map(({ jwk }) => jwk) }));
      });
    };
    publish(...keys);
    const third_party = await world.register({ is_sandbox: false, jwks_uri: `${theirs.origin}${path}` });
    const fetched = () => theirs.received.filter((request) => request.path === path).length;
    return { third_party, publish, fetched };
  }

  it('has them fetched over TLS once a minute by each node, whatever the answer says of keeping them', async () => {
    mock.timers.enable({ apis: ['Date'], now: Math.floor(Date.now() / 60_000) * 60_000 });
    const key = await newKey('ES256');
    const { third_party, fetched } = await publishing('/keys', key);
    for (let round = 0; round < 3; round += 1) {
      assert.deepEqual(await statusOnNodes(world, third_party, key), [200, 200]);
    }
    assert.equal(fetched(), 2);
    mock.timers.setTime(Date.now() + 60_000);
    assert.deepEqual(await statusOnNodes(world, third_party, key), [200, 200]);
    assert.equal(fetched(), 4);
  });

  it('rotates them: within a minute the new key is accepted, and the withdrawn one is refused', async () => {
    mock.timers.enable({ apis: ['Date'], now: Math.floor(Date.now() / 60_000) * 60_000 });
    const [old, next] = [await newKey('ES256', 'old'), await newKey('PS256', 'next')];
    const { third_party, publish } = await publishing('/rotated', old);
    assert.deepEqual(await statusOnNodes(world, third_party, old), [200, 200]);
    publish(next);
    mock.timers.setTime(Date.now() + 60_000);
    assert.deepEqual(await statusOnNodes(world, third_party, old), [401, 401], 'even before the new key is used');
    assert.deepEqual(await statusOnNodes(world, third_party, next), [200, 200]);
  });

  it('is refused, with the reason in the log, when they cannot be fetched', async () => {
    const key = await newKey('ES256');
    const { third_party: other } = await publishing('/elsewhere', key);
    const rows: readonly (readonly [string, (response: ServerResponse) => unknown, RegExp])[] = [
      ['/long', (response) => response.end(`{"keys":[${' '.repeat(70_000)}]}`), /larger than 65536 bytes/],
      ['/moved', (response) => response.writeHead(302, { Location: '/elsewhere' }).end(), /the status 302, not 200/],
      ['/broken', (response) => response.writeHead(500).end(), /the status 500, not 200/],
      ['/html', (response) => response.end('<html>'), /not valid JSON/],
      // The service waits for 2.5 seconds.
      ['/slow', () => undefined, /no answer within 2500 ms/],
    ];
    for (const [path, answer, reason] of rows) {
      answers.set(path, answer);
      const third_party = await world.register({ is_sandbox: false, jwks_uri: theirs.origin + path });
      assert.deepEqual(await statusOnNodes(world, third_party, key), [401, 401], path);
      const line = world.warned.at(-1) ?? '';
      assert.match(line, reason);
      assert.ok(line.startsWith('token refused invalid_client ') && line.endsWith(` ${third_party.client_id}`), line);
    }
    assert.deepEqual(await statusOnNodes(world, other, key), [200, 200], 'the redirect was to good keys');
  });

  it('is refused when no authority vouches for the server', async () => {
    const loopback = addressGuard(loopback_networks);
    const strict = documentReader({ guard: loopback, explained: loopback });
    const strict_world = await startWorld({ fetchKeys: strict.read });
    const key = await newKey('ES256');
    const { fetched } = await publishing('/unknown-authority', key);
    try {
      const jwks_uri = `${theirs.origin}/unknown-authority`;
      const third_party = await strict_world.register({ is_sandbox: false, jwks_uri });
      assert.deepEqual(await statusOnNodes(strict_world, third_party, key), [401]);
      assert.match(strict_world.warned.at(-1) ?? '', /DEPTH_ZERO_SELF_SIGNED_CERT/);
      assert.equal(fetched(), 0);
    } finally {
      await strict_world.close();
      await strict.close();
    }
  });

  it('is refused when the address is not public, without a connection to it', async () => {
    const guarded = await startWorld();
    const stranger = await tlsReceiver();
    const key = await newKey('ES256');
    try {
      for (const host of ['127.0.0.1', 'localhost', 'localhost.', '[::1]', '168.63.129.16']) {
        const jwks_uri = `https://${host}:${stranger.port}/private`;
        const third_party = await guarded.register({ is_sandbox: false, jwks_uri });
        assert.deepEqual(await statusOnNodes(guarded, third_party, key), [401]);
        assert.match(guarded.warned.at(-1) ?? '', /which may not be called: a public address is needed/);
      }
      assert.equal(stranger.connections(), 0);
    } finally {
      await guarded.close();
      await stranger.close();
    }
  });
});
