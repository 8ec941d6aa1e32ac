import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setThirdPartyStatus, type ThirdParty, withdrawConsent } from '@tallystick/consents';
import { database_names } from '@tallystick/test-support';
import * as client from 'openid-client';
import { authorisePlain, authoriseSigned, configure, registerWithKey, userAgent } from './authorisation-client.ts';
import { newConsent, startWorld, type World, type WorldStorage } from './authorisation-world.ts';

const storages: readonly WorldStorage[] = ['memory', ...database_names];

for (const storage of storages) {
  describe(`two nodes on one storage, ${storage}`, () => {
    let world: World;
    before(async () => {
      world = await startWorld({ storage, nodes: 2 });
    });
    after(() => world.close());

    /** Requests of the client go to each node in turn, as the browser's do. */
    async function alternating(third_party: ThirdParty): Promise<client.Configuration> {
      const config = await configure(world, third_party);
      let requests = 0;
      config[client.customFetch] = (url, options) => {
        requests += 1;
        const { pathname, search } = new URL(url);
        return fetch(new URL(pathname + search, world.nodes[requests % 2]!.url), options as RequestInit);
      };
      return config;
    }

    async function authorised() {
      const third_party = await world.register();
      const config = await alternating(third_party);
      const consent_id = await newConsent(world, third_party);
      const request = await authorisePlain(config, consent_id);
      const callback = await userAgent(world).approve(request.url, 'alice', ['1000000001']);
      return { third_party, config, consent_id, request, callback };
    }

    const foundOnNodes = (token: string) =>
      Promise.all(world.nodes.map(async ({ server }) => (await server.find(token, null)) !== null));

    it('make their RSA keys once, also when both start at the same time, and keep them sealed', async () => {
      const keySet = async ({ url }: { readonly url: string }) => await (await fetch(`${url}/oauth/jwks`)).text();
      const [first, second] = await Promise.all(world.nodes.map(keySet));
      assert.equal(first, second);
      const { keys } = JSON.parse(first!) as {
        readonly keys: readonly { readonly kty: string; readonly n?: string }[];
      };
      assert.deepEqual(
        keys.map(({ kty }) => kty),
        ['RSA', 'RSA', 'EC', 'EC'],
      );
      const stored = await world.unitOfWork.run(async (tx) => {
        const listed = await tx.authorisation.listSealed(0, 10_000);
        return listed.filter(({ model }) => model === 'SigningKey');
      });
      assert.equal(stored.length, 2);
      const moduli = keys.flatMap(({ n }) => n ?? []);
      assert.equal(moduli.length, 2);
      for (const { payload_sealed } of stored) {
        const text = Buffer.from(payload_sealed).toString('latin1');
        for (const modulus of moduli) assert.ok(!text.includes(modulus), 'it is encrypted');
      }
    });

    it('share interactions, codes and tokens, with another node at each step', async () => {
      const { config, callback, request } = await authorised();
      const tokens = await client.authorizationCodeGrant(config, callback, request.checks);
      assert.deepEqual(await foundOnNodes(tokens.access_token), [true, true]);
      const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!);
      assert.deepEqual(await foundOnNodes(refreshed.access_token), [true, true]);
    });

    it('share the session of a user', async () => {
      const agent = userAgent(world);
      for (let step = 0; step < 3; step += 1) {
        const page =
          step === 0
            ? await agent.logIn(`${world.issuer}/consents`, 'bob')
            : await agent.get(`${world.issuer}/consents`);
        assert.match(page.html ?? '', /Who has access/);
      }
    });

    it('end the tokens of a withdrawn consent at once', async () => {
      const { config, consent_id, callback, request } = await authorised();
      const tokens = await client.authorizationCodeGrant(config, callback, request.checks);
      const call = { actor: 'test', request_id: null, now_ms: world.nowMs() };
      await world.unitOfWork.run((tx) => withdrawConsent(tx, call, { consent_id }));
      assert.deepEqual(await foundOnNodes(tokens.access_token), [false, false]);
      await assert.rejects(client.refreshTokenGrant(config, tokens.refresh_token!), { error: 'invalid_grant' });
    });

    it('end a code of a consent that is withdrawn before its use', async () => {
      const { config, consent_id, callback, request } = await authorised();
      const call = { actor: 'test', request_id: null, now_ms: world.nowMs() };
      await world.unitOfWork.run((tx) => withdrawConsent(tx, call, { consent_id }));
      await assert.rejects(client.authorizationCodeGrant(config, callback, request.checks), { error: 'invalid_grant' });
    });

    it('end all tokens of a suspended third party at once, and refuse it as a client', async () => {
      const { config, third_party, callback, request } = await authorised();
      const tokens = await client.authorizationCodeGrant(config, callback, request.checks);
      const own = await client.clientCredentialsGrant(config, { scope: 'accounts' });
      const call = { actor: 'test', request_id: null, now_ms: world.nowMs() };
      await world.unitOfWork.run((tx) => setThirdPartyStatus(tx, call, third_party.id, 'suspended'));
      assert.deepEqual(await foundOnNodes(tokens.access_token), [false, false]);
      assert.deepEqual(await foundOnNodes(own.access_token), [false, false]);
      await assert.rejects(client.clientCredentialsGrant(config, { scope: 'accounts' }), { status: 401 });
      await world.unitOfWork.run((tx) => setThirdPartyStatus(tx, call, third_party.id, 'active'));
      assert.deepEqual(await foundOnNodes(tokens.access_token), [false, false]);
      await assert.rejects(client.refreshTokenGrant(config, tokens.refresh_token!), { error: 'invalid_grant' });
    });

    it('find no token of a suspended third party, even one that is issued while it is suspended', async () => {
      const { config, third_party, callback, request } = await authorised();
      const tokens = await client.authorizationCodeGrant(config, callback, request.checks);
      // As if the suspension had committed before the token was stored.
      await world.unitOfWork.run((tx) => tx.third_parties.update({ ...third_party, status: 'suspended' }));
      assert.deepEqual(await foundOnNodes(tokens.access_token), [false, false]);
      await world.unitOfWork.run((tx) => tx.third_parties.update(third_party));
      assert.deepEqual(await foundOnNodes(tokens.access_token), [true, true]);
    });

    it('exchange a code once, when both get it at the same time', async () => {
      for (let round = 0; round < 3; round += 1) {
        const { config, callback, request } = await authorised();
        const exchanges = Array.from({ length: 4 }, () =>
          client.authorizationCodeGrant(config, callback, request.checks),
        );
        const tokens = (await Promise.allSettled(exchanges)).filter(({ status }) => status === 'fulfilled');
        assert.ok(tokens.length <= 1, `${tokens.length} got tokens`);
        for (const settled of tokens) {
          const { access_token } = (settled as PromiseFulfilledResult<{ access_token: string }>).value;
          assert.deepEqual(await foundOnNodes(access_token), [false, false], 'the reuse ended the grant');
        }
      }
    });

    it('answer every refresh of workers that send one refresh token at the same time', async () => {
      const { config, consent_id, callback, request } = await authorised();
      const { access_token, refresh_token } = await client.authorizationCodeGrant(config, callback, request.checks);
      const issued = [access_token];
      for (let round = 0; round < 3; round += 1) {
        const refreshes = Array.from({ length: 6 }, () => client.refreshTokenGrant(config, refresh_token!));
        issued.push(...(await Promise.all(refreshes)).map((refreshed) => refreshed.access_token));
      }
      assert.equal(new Set(issued).size, 19);
      for (const token of issued) assert.deepEqual(await foundOnNodes(token), [true, true]);

      // A withdrawal ends them all, also those that are issued at the same time.
      const call = { actor: 'test', request_id: null, now_ms: world.nowMs() };
      const late = Array.from({ length: 6 }, () => client.refreshTokenGrant(config, refresh_token!));
      await world.unitOfWork.run((tx) => withdrawConsent(tx, call, { consent_id }));
      for (const settled of await Promise.allSettled(late)) {
        if (settled.status === 'fulfilled') issued.push(settled.value.access_token);
      }
      for (const token of issued) assert.deepEqual(await foundOnNodes(token), [false, false]);
      await assert.rejects(client.refreshTokenGrant(config, refresh_token!), { error: 'invalid_grant' });
    });

    it('accept an assertion of a client once, when both get it at the same time', async () => {
      const { config } = await registerWithKey(world, 'ES256');
      let body: URLSearchParams | undefined;
      config[client.customFetch] = async (_url, options) => {
        body = options.body as URLSearchParams;
        throw new Error('not sent');
      };
      for (let round = 0; round < 3; round += 1) {
        await assert.rejects(client.clientCredentialsGrant(config, { scope: 'accounts' }));
        const sent = Array.from({ length: 6 }, async (_, at) => {
          const answer = await fetch(`${world.nodes[at % 2]!.url}/oauth/token`, { method: 'POST', body: body! });
          return answer.status;
        });
        assert.deepEqual((await Promise.all(sent)).toSorted(), [200, 401, 401, 401, 401, 401]);
      }
    });

    it('accept a request object once, when both get it at the same time', async () => {
      const { config, key, third_party } = await registerWithKey(world, 'ES256');
      client.useJwtResponseMode(config);
      for (let round = 0; round < 3; round += 1) {
        const { url } = await authoriseSigned(config, key, await newConsent(world, third_party));
        const sent = Array.from({ length: 6 }, async (_, at) => {
          const address = new URL(url.pathname + url.search, world.nodes[at % 2]!.url);
          const { headers } = await fetch(address, { redirect: 'manual' });
          return headers.get('location')?.startsWith('/authorise/');
        });
        assert.equal((await Promise.all(sent)).filter(Boolean).length, 1);
      }
    });

    it('store no token, code or id in clear', async () => {
      const { config, callback, request } = await authorised();
      const tokens = await client.authorizationCodeGrant(config, callback, request.checks);
      const secrets = [callback.searchParams.get('code')!, tokens.access_token, tokens.refresh_token!];
      const rows = await world.unitOfWork.run(async (tx) => {
        const listed = await tx.authorisation.listSealed(0, 10_000);
        return Promise.all(listed.map(({ model, id_hash }) => tx.authorisation.find(model, id_hash)));
      });
      assert.ok(rows.length > 3);
      const stored = rows.map((row) =>
        JSON.stringify({ ...row, payload: Buffer.from(row!.payload_sealed).toString('latin1') }),
      );
      for (const secret of secrets) assert.ok(!stored.some((text) => text.includes(secret)));
      for (const name of ['accountId', 'redirectUri', 'clientId'])
        assert.ok(!stored.some((text) => text.includes(name)), name);
    });

    it('log no fault', () => {
      assert.deepEqual(world.logged, []);
    });
  });
}
