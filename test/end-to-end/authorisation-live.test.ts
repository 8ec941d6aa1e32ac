import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  loopbackCertificate,
  migratedDatabase,
  runAdmin,
  type ScratchDatabase,
  type ServerProcess,
  startServer,
} from '@tallystick/test-support';
import * as client from 'openid-client';
import { Agent, fetch as undiciFetch } from 'undici';
import { actionOf, authoriseSigned, newKey, type Service, userAgent } from '../open-banking/authorisation-client.ts';

/** The name of the server, which is not in any DNS. */
const issuer = 'https://bank.example';
const redirect_uri = 'https://tpp.example/callback';
const strong = 'urn:openbanking:psd2:sca';

/** The login of a bank: the name that a user types is not the id that the bank reports. */
const login_module = `
const users = new Map([['dana@example.com', { id: 'user-17', password: 'live password' }]]);
export default () => ({
  acr: '${strong}',
  async authenticate({ user_name, password }) {
    const user = users.get(user_name);
    return user?.password === password ? user.id : null;
  },
});
`;

describe('an authorisation on a live server that terminates TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-live-'));
  let database: ScratchDatabase | undefined;
  let server: ServerProcess | undefined;
  let dispatcher: Agent | undefined;
  before(async () => {
    database = await migratedDatabase('sqlite');
  });
  after(async () => {
    await server?.stop();
    await dispatcher?.close();
    await database?.dispose();
    rmSync(folder, { recursive: true });
  });

  function file(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  it('goes from the set-up by the bank to the accounts that its user chose', async () => {
    const certificate = await loopbackCertificate();
    const { database_url } = database!;
    const env = {
      SANDBOX: 'off',
      PUBLIC_URL: issuer,
      BANK_NAME: 'Example & Sons',
      USER_LOGIN_MODULE: file('login.mjs', login_module),
      TLS_CERTIFICATE: file('certificate.pem', certificate.cert),
      TLS_KEY: file('key.pem', certificate.key),
    };
    server = await startServer({ database_url, env });
    const { url } = server;
    assert.match(url, /^https:/);
    assert.doesNotMatch(server.output(), /USER_LOGIN_MODULE is not set|Open Banking is off/);
    assert.match(
      server.output(),
      /^Open Banking is on\. Its issuer is https:.*, and users see the name Example & Sons\.$/m,
    );

    dispatcher = new Agent({ connect: { ca: certificate.cert } });
    const send = ((address: string | URL, options?: object) => {
      const { pathname, search } = new URL(address);
      return undiciFetch(new URL(pathname + search, url), { ...options, dispatcher: dispatcher! });
    }) as unknown as typeof fetch;
    const call = async (method: string, path: string, token: string, body?: object): Promise<unknown> => {
      const answer = await send(issuer + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      assert.ok(answer.ok, `${method} ${path} answered ${answer.status}: ${await answer.clone().text()}`);
      return await answer.json();
    };

    // The bank sets up a company with accounts and a user, and a third party.
    const words = ['key', 'create', '--role', 'operator', '--name', 'operator'];
    const operator = String((await runAdmin(words, { database_url, env })).key);
    const create = async (path: string, token: string, data: object): Promise<Readonly<Record<string, unknown>>> =>
      ((await call('POST', path, token, { data })) as { readonly data: Readonly<Record<string, unknown>> }).data;
    const { id: company_id } = await create('/operator/v1/companies', operator, { name: 'Acme', customer_number: '7' });
    const bank = String((await create('/operator/v1/keys', operator, { role: 'bank', name: 'bank' })).key);
    for (const number of ['1000000001', '1000000002']) {
      await create('/bank/v1/accounts', bank, { company_id, number, currency: 'GBP', kind: 'deposit' });
    }
    await call('PUT', `/bank/v1/companies/${company_id}/open-banking`, bank, {
      data: { eligible_services: ['aisp'], is_configured: true },
    });
    await call('PUT', '/bank/v1/users/user-17', bank, {
      data: {
        company_id,
        name: 'Dana Doe',
        status: 'active',
        eligible_services: ['aisp'],
        configured_services: ['aisp'],
        may_view_direct_debits: false,
        viewable_accounts: ['1000000001', '1000000002'],
      },
    });
    const key = await newKey('PS256');
    const { client_id } = await create('/operator/v1/third-parties', operator, {
      name: 'Budget App',
      scopes: ['accounts'],
      redirect_uris: [redirect_uri],
      jwks: { keys: [key.jwk] },
    });

    // The third party asks for a consent.
    const authentication = client.PrivateKeyJwt(key.private_key);
    const config = await client.discovery(new URL(issuer), String(client_id), undefined, authentication, {
      [client.customFetch]: send as unknown as client.CustomFetch,
      execute: [client.useCodeIdTokenResponseType, client.enableDetachedSignatureResponseChecks],
    });
    const own = await client.clientCredentialsGrant(config, { scope: 'accounts' });
    const created = (await call('POST', '/account-access-consents', own.access_token, {
      Data: { Permissions: ['ReadAccountsBasic'] },
      Risk: {},
    })) as { readonly Data: { readonly ConsentId: string } };
    const { ConsentId: consent_id } = created.Data;

    // The user decides on the pages.
    const service: Service = { issuer, nodes: [server], fetch: send };
    const agent = userAgent(service);
    const asked = await authoriseSigned(config, key, consent_id);
    const wrong = await agent.logIn(asked.url, 'user-17', 'live password');
    assert.equal(wrong.status, 401, 'the id of a user is not its name');
    assert.match(wrong.html ?? '', /value="user-17"/);
    const stranger = userAgent(service);
    for (let failures = 1; failures <= 4; failures += 1) {
      const { html } = await stranger.logIn(`${issuer}/consents`, 'someone', 'wrong');
      // Failures are forgotten with time, so the third one leads to a pause only without a moment
      // between.
      const words = failures < 4 ? /each further one takes longer/ : /the next one takes up to 1 second/;
      if (failures !== 3) assert.match(html ?? '', words, `after ${failures} failures`);
    }
    const page = await agent.submit(wrong, actionOf(wrong, 'login'), [
      ['user_name', 'dana@example.com'],
      ['password', 'live password'],
    ]);
    assert.match(page.html ?? '', /<title>Allow Budget App\? - Example &amp; Sons<\/title>/);
    assert.match(page.html ?? '', /You are logged in as Dana Doe/);
    const { url: callback } = await agent.submit(page, actionOf(page, 'decide'), [
      ['account', '1000000002'],
      ['decision', 'approve'],
    ]);
    assert.equal(callback.origin + callback.pathname, redirect_uri);

    // The third party reads what was chosen.
    const tokens = await client.authorizationCodeGrant(config, callback, asked.checks);
    assert.deepEqual([tokens.claims()?.acr, tokens.claims()?.openbanking_intent_id], [strong, consent_id]);
    const read = (await call('GET', '/accounts', tokens.access_token)) as {
      readonly Data: { readonly Account: readonly { readonly AccountId: string }[] };
    };
    assert.deepEqual(
      read.Data.Account.map(({ AccountId }) => AccountId),
      ['1000000002'],
    );
  });
});
