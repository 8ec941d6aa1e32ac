import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  database_names,
  migratedDatabase,
  type ScratchDatabase,
  type ServerProcess,
  startServer,
} from '@tallystick/test-support';
import * as client from 'openid-client';
import { actionOf, authorisePlain, type Service, userAgent } from '../open-banking/authorisation-client.ts';

/** Both processes are behind a proxy that terminates TLS. */
const issuer = 'https://bank.example';
const client_id = 'sandbox-aisp';
const [user_name, password] = ['alex', 'sandbox'];

for (const name of database_names) {
  describe(`an authorisation on two server processes, ${name}`, () => {
    let database: ScratchDatabase;
    let servers: readonly ServerProcess[];
    let service: Service;
    let requests = 0;
    before(async () => {
      database = await migratedDatabase(name);
      const { database_url } = database;
      const one = () => startServer({ database_url, env: { PUBLIC_URL: issuer, LOG_LEVEL: 'debug' } });
      servers = [await one(), await one()];
      service = { issuer, nodes: servers };
    });
    after(async () => {
      await Promise.all((servers ?? []).map((server) => server.stop()));
      await database?.dispose();
    });

    /** Sends each request to the other process than the one before. */
    const alternating = (url: string | URL, options?: object): Promise<Response> => {
      requests += 1;
      const { pathname, search } = new URL(url);
      return fetch(new URL(pathname + search, servers[requests % servers.length]!.url), options as RequestInit);
    };

    async function post(path: string, token: string, body: object): Promise<Record<string, unknown>> {
      const answer = await alternating(issuer + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      assert.equal(answer.status, 201, await answer.clone().text());
      return (await answer.json()) as Record<string, unknown>;
    }

    /** The statuses of a read on each process. */
    const read = (token: string): Promise<readonly number[]> =>
      Promise.all(
        servers.map(async ({ url }) => {
          const answer = await fetch(`${url}/accounts`, { headers: { authorization: `Bearer ${token}` } });
          await answer.text();
          return answer.status;
        }),
      );

    it('is begun, decided, exchanged, used, refreshed and withdrawn, each on another process', async () => {
      const secret = client.ClientSecretBasic(`${client_id}-secret`);
      const config = await client.discovery(new URL(issuer), client_id, undefined, secret, {
        [client.customFetch]: alternating,
        execute: [client.enableNonRepudiationChecks],
      });
      const own = await client.clientCredentialsGrant(config, { scope: 'accounts' });
      const created = await post('/account-access-consents', own.access_token, {
        Data: { Permissions: ['ReadAccountsDetail', 'ReadBalances'] },
        Risk: {},
      });
      const { ConsentId: consent_id } = created.Data as { readonly ConsentId: string };

      const agent = userAgent(service);
      const asked = await authorisePlain(config, consent_id);
      const page = await agent.logIn(asked.url, user_name, password);
      const account = /name="account" value="([^"]+)"/.exec(page.html ?? '')?.[1];
      assert.notEqual(account, undefined, page.html ?? String(page.url));
      const decision = [
        ['account', account!],
        ['decision', 'approve'],
      ] as const;
      const { url: callback } = await agent.submit(page, actionOf(page, 'decide'), decision);
      const tokens = await client.authorizationCodeGrant(config, callback, asked.checks);
      assert.deepEqual(await read(tokens.access_token), [200, 200]);
      const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!);
      assert.deepEqual(await read(refreshed.access_token), [200, 200]);

      await agent.logIn(`${issuer}/consents`, user_name, password);
      const question = await agent.get(`${issuer}/consents/${consent_id}`);
      await agent.submit(question, actionOf(question, 'withdraw'), []);
      assert.deepEqual(await read(refreshed.access_token), [401, 401]);
      await assert.rejects(client.refreshTokenGrant(config, refreshed.refresh_token!), { error: 'invalid_grant' });

      const secrets = [
        own.access_token,
        callback.searchParams.get('code')!,
        tokens.access_token,
        tokens.refresh_token!,
        refreshed.refresh_token!,
        page.url.pathname.split('/')[2]!,
        // The library would write to the console.
        'oidc-provider',
      ];
      for (const server of servers) {
        const output = server.output();
        assert.match(output, /oauth/);
        for (const secret of secrets) assert.ok(!output.includes(secret), `the log has ${secret}`);
      }
    });
  });
}
