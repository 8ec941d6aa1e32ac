import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import {
  authlib_expected,
  type ClientCertificates,
  chromium_expected,
  client_subject,
  clientCertificates,
  loopbackCertificate,
  migratedDatabase,
  type ScratchDatabase,
  type ServerProcess,
  sandbox_keys,
  startServer,
} from '@tallystick/test-support';
import type { Browser } from 'playwright-core';
import { Agent, fetch as undiciFetch } from 'undici';
import { authlib } from './oauth-clients/authlib.ts';
import { type OAuthClient, type Registration, type Way, ways } from './oauth-clients/oauth-client.ts';
import { oauth4webapi } from './oauth-clients/oauth4webapi.ts';
import { openidClient5 } from './oauth-clients/openid-client-5.ts';
import { openidClient6 } from './oauth-clients/openid-client-6.ts';
import { launchChromium } from './readable-page.ts';

const redirect_uri = 'https://tpp.example/callback';

const libraries: readonly {
  readonly name: string;
  readonly open: (registration: Registration) => Promise<OAuthClient>;
  readonly skip?: string | false;
}[] = [
  { name: 'openid-client 5', open: openidClient5 },
  { name: 'openid-client 6', open: openidClient6 },
  { name: 'oauth4webapi', open: oauth4webapi },
  { name: 'Authlib', open: authlib, skip: !authlib_expected && 'NOT RUN: no Python here has Authlib' },
];

const cases: readonly (readonly [Way, Registration['authentication']])[] = [
  ...ways.map((way) => [way, 'private_key_jwt'] as const),
  ['pushed', 'tls_client_auth'],
];

describe('OAuth clients of other authors, as they are shipped', { skip: !chromium_expected }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-clients-'));
  let database: ScratchDatabase | undefined;
  let server: ServerProcess | undefined;
  let browser: Browser | undefined;
  let dispatcher: Agent | undefined;
  let certificates: ClientCertificates;
  let ca: string;
  before(async () => {
    const [own, clients] = await Promise.all([loopbackCertificate(), clientCertificates()]);
    [certificates, ca] = [clients, own.cert];
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    database = await migratedDatabase('sqlite');
    const env = {
      TLS_CERTIFICATE: file('certificate.pem', own.cert),
      TLS_KEY: file('key.pem', own.key),
      TLS_CLIENT_CA: file('client-ca.pem', clients.authority.cert),
    };
    server = await startServer({ database_url: database.database_url, env });
    // A token of a certificate is only good with it.
    dispatcher = new Agent({ connect: { ca, ...clients.client } });
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await dispatcher?.close();
    await server?.stop();
    await database?.dispose();
    rmSync(folder, { recursive: true });
  });

  async function post(path: string, token: string, body: object) {
    const answer = await undiciFetch(server!.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      dispatcher: dispatcher!,
    });
    assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
    // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
    return (await answer.json()) as any;
  }

  let registered = 0;
  async function register(authentication: Registration['authentication']): Promise<Registration> {
    registered += 1;
    const client_id = `third-party-${registered}`;
    const algorithm = {
      name: 'RSA-PSS',
      hash: 'SHA-256',
      modulusLength: 2_048,
      publicExponent: Buffer.from([1, 0, 1]),
    };
    const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const exported = (await crypto.subtle.exportKey('jwk', privateKey)) as Readonly<Record<string, string>>;
    const { kty, n, e, d, p, q, dp, dq, qi } = exported;
    const public_jwk = { kty: kty!, n: n!, e: e!, kid: `${client_id}-key`, alg: 'PS256', use: 'sig' };
    await post('/operator/v1/third-parties', sandbox_keys.operator, {
      data: {
        client_id,
        name: `Budget App ${registered}`,
        scopes: ['accounts'],
        redirect_uris: [redirect_uri],
        jwks: { keys: [public_jwk] },
        ...(authentication === 'tls_client_auth' ? { certificate_subject: client_subject } : {}),
      },
    });
    return {
      issuer: server!.url,
      client_id,
      redirect_uri,
      authentication,
      private_jwk: { ...public_jwk, d: d!, p: p!, q: q!, dp: dp!, dq: dq!, qi: qi! },
      certificate: certificates.client,
      ca,
    };
  }

  /** The user logs in and allows, in the browser. Returns where the browser is sent. */
  async function allow(t: TestContext, url: string): Promise<URL> {
    const context = await browser!.newContext({ ignoreHTTPSErrors: true, javaScriptEnabled: false });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.route(`${redirect_uri}**`, (route) => route.fulfill({ contentType: 'text/html', body: 'back' }));
    await page.goto(url);
    await page.getByLabel('User name').fill('alex');
    await page.getByLabel('Password').fill('sandbox');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByLabel('Operations').check();
    await page.getByRole('button', { name: 'Allow access' }).click();
    await page.waitForURL(`${redirect_uri}**`, { waitUntil: 'commit' });
    return new URL(page.url());
  }

  async function goThrough(t: TestContext, client: OAuthClient, way: Way): Promise<void> {
    const body = { Data: { Permissions: ['ReadAccountsBasic'] }, Risk: {} };
    const { Data } = await post('/account-access-consents', await client.clientCredentials(), body);
    const { url, finish } = await client.begin(way, Data.ConsentId);
    const tokens = await finish(await allow(t, url));
    const first = tokens.refresh_token!;
    // The same refresh token twice, as if the answer of the first time was lost.
    const refreshed = [await client.refresh(first), await client.refresh(first)];
    for (const { access_token } of [tokens, ...refreshed]) {
      const accounts = (await client.read(`${server!.url}/accounts`, access_token)) as {
        readonly Data: { readonly Account: readonly { readonly AccountId: string }[] };
      };
      assert.deepEqual(
        accounts.Data.Account.map(({ AccountId }) => AccountId),
        ['1000000001'],
      );
    }
  }

  for (const { name, open, skip = false } of libraries) {
    for (const [way, authentication] of cases) {
      it(`${name} authorises, refreshes and reads: ${way}, ${authentication}`, { skip }, async (t) => {
        const client = await open(await register(authentication));
        t.after(() => client.close?.());
        await goThrough(t, client, way);
      });
    }
  }
});
