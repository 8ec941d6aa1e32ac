import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import {
  type Certified,
  type ClientCertificates,
  client_subject,
  clientCertificates,
  loopbackCertificate,
  migratedDatabase,
  serverEnvironment,
} from '@tallystick/test-support';
import { readConfig } from '../src/configuration/config.ts';
import { createServer } from '../src/server.ts';

interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The client certificate of the connection, or in the header. */
  readonly certificate?: Certified | undefined;
}

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
  readonly json: any;
}

type Send = (method: string, path: string, sending?: Sending) => Promise<Reply>;

async function startSandbox(t: TestContext, env: Readonly<Record<string, string>>): Promise<string> {
  const scratch = await migratedDatabase('sqlite');
  t.after(() => scratch.dispose());
  const server = createServer(readConfig(serverEnvironment({ ...scratch, env: { LOG_LEVEL: 'silent', ...env } })));
  t.after(() => server.stop());
  return (await server.start()).url;
}

function folderWith(t: TestContext, files: Readonly<Record<string, string>>): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-tls-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return (name) => join(folder, name);
}

describe('client certificates', () => {
  let certificates: ClientCertificates;
  let own: Certified;
  before(async () => {
    [certificates, own] = await Promise.all([clientCertificates(), loopbackCertificate()]);
  });

  it('authenticate a third party where the server terminates TLS, and bind its tokens', async (t) => {
    const file = folderWith(t, { cert: own.cert, key: own.key, ca: certificates.authority.cert });
    const env = { TLS_CERTIFICATE: file('cert'), TLS_KEY: file('key'), TLS_CLIENT_CA: file('ca') };
    const url = await startSandbox(t, env);
    assert.match(url, /^https:/);
    await assertBound((method, path, { headers = {}, body, certificate } = {}) => {
      const tls = {
        ca: own.cert,
        ...(certificate === undefined ? {} : { key: certificate.key, cert: certificate.cert }),
      };
      return answerOf(tlsRequest(url + path, { method, headers, agent: false, ...tls }), body);
    });
  });

  it('do the same where a trusted proxy passes them on', async (t) => {
    const env = { CLIENT_CERTIFICATE_HEADER: 'X-Client-Cert', TRUSTED_PROXIES: '127.0.0.1/32' };
    const url = await startSandbox(t, env);
    // A proxy passes on only what it has verified, never a certificate that a client claims.
    await assertBound((method, path, { headers = {}, body, certificate } = {}) => {
      const is_verified = certificate !== undefined && certificate !== certificates.pretender;
      const passed = is_verified ? { 'X-Client-Cert': encodeURIComponent(certificate.cert) } : {};
      return answerOf(httpRequest(url + path, { method, headers: { ...headers, ...passed }, agent: false }), body);
    });
  });

  it('are none when a proxy adds its header to one that the client sent', async (t) => {
    const env = { CLIENT_CERTIFICATE_HEADER: 'X-Client-Cert', TRUSTED_PROXIES: '127.0.0.1/32' };
    const url = await startSandbox(t, env);
    const client_id = await register((method, path, { headers = {}, body } = {}) =>
      answerOf(httpRequest(url + path, { method, headers: { ...headers }, agent: false }), body),
    );
    const [claimed, verified] = [certificates.client, certificates.other].map(({ cert }) => encodeURIComponent(cert));
    for (const passed of [[claimed!, verified!], [`${claimed}, ${verified}`], [verified!, claimed!]]) {
      const send: Send = (method, path, { headers = {}, body } = {}) =>
        answerOf(
          httpRequest(url + path, { method, headers: { ...headers, 'X-Client-Cert': passed }, agent: false }),
          body,
        );
      assert.equal((await token(send, client_id, undefined)).json.error, 'invalid_client');
    }
  });

  it('are not read from a header of an address that is not trusted', async (t) => {
    const env = { CLIENT_CERTIFICATE_HEADER: 'X-Client-Cert', TRUSTED_PROXIES: '192.0.2.0/24' };
    const url = await startSandbox(t, env);
    const send: Send = (method, path, { headers = {}, body, certificate } = {}) => {
      const passed = certificate === undefined ? {} : { 'X-Client-Cert': encodeURIComponent(certificate.cert) };
      return answerOf(httpRequest(url + path, { method, headers: { ...headers, ...passed }, agent: false }), body);
    };
    const client_id = await register(send);
    const { json } = await token(send, client_id, certificates.client);
    assert.equal(json.error, 'invalid_client');
  });

  /** Asserts that a token that was issued to a certificate is refused without it. */
  async function assertBound(send: Send): Promise<void> {
    const client_id = await register(send);
    for (const wrong of [undefined, certificates.other, certificates.pretender]) {
      const { status, json } = await token(send, client_id, wrong);
      assert.deepEqual([status, json.error], [401, 'invalid_client']);
    }
    const issued = await token(send, client_id, certificates.client);
    assert.equal(issued.status, 200, JSON.stringify(issued.json));
    const ask = (certificate?: Certified) => {
      const headers = { Authorization: `Bearer ${issued.json.access_token}` };
      return send('GET', '/account-access-consents/unknown', { headers, certificate });
    };
    assert.equal((await ask(certificates.client)).status, 400);
    for (const wrong of [undefined, certificates.other, certificates.pretender]) {
      assert.equal((await ask(wrong)).status, 401);
    }
  }
});

describe('the files of TLS', () => {
  it('are checked when the server starts', async (t) => {
    const own = await loopbackCertificate();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const other_key = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
    const file = folderWith(t, { cert: own.cert, key: own.key, other: other_key, text: 'text' });
    const rows: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
      [{ TLS_CERTIFICATE: file('none'), TLS_KEY: file('key') }, /TLS_CERTIFICATE: there is no file .*none/],
      [{ TLS_CERTIFICATE: file('cert'), TLS_KEY: file('other') }, /TLS_CERTIFICATE .* and TLS_KEY .* cannot be used/],
      [{ TLS_CERTIFICATE: file('text'), TLS_KEY: file('key') }, /cannot be used/],
      [{ TLS_CERTIFICATE: file('cert'), TLS_KEY: file('key'), TLS_CLIENT_CA: file('text') }, /TLS_CLIENT_CA .*PEM/],
    ];
    for (const [env, expected] of rows) {
      await assert.rejects(startSandbox(t, env), (error: Error) => {
        assert.match(error.message, expected);
        return !error.message.includes('PRIVATE KEY');
      });
    }
  });
});

async function register(send: Send): Promise<string> {
  const data = {
    name: 'Budget App',
    scopes: ['accounts'],
    redirect_uris: ['https://budget.example/callback'],
    jwks_uri: 'https://budget.example/jwks.json',
    certificate_subject: client_subject,
  };
  const headers = { Authorization: 'Bearer tly_test_operator_sandbox', 'Content-Type': 'application/json' };
  const reply = await send('POST', '/operator/v1/third-parties', { headers, body: JSON.stringify({ data }) });
  assert.equal(reply.status, 200, JSON.stringify(reply.json));
  return reply.json.data.client_id;
}

function token(send: Send, client_id: string, certificate: Certified | undefined): Promise<Reply> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'accounts', client_id }).toString();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return send('POST', '/oauth/token', { headers, body, certificate });
}

function answerOf(request: ReturnType<typeof httpRequest>, body: string | undefined): Promise<Reply> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, json: text === '' ? null : JSON.parse(text) });
      });
    });
    request.end(body);
  });
}
