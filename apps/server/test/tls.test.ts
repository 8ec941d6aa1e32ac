import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type ConnectionOptions, connect, getCiphers } from 'node:tls';
import { type Certified, makeLoopbackCertificate, migratedDatabase, serverEnvironment } from '@tallystick/test-support';
import { readConfig } from '../src/configuration/config.ts';
import { createServer } from '../src/server.ts';

async function startSandbox(t: TestContext, env: Readonly<Record<string, string>>): Promise<string> {
  const scratch = await migratedDatabase('sqlite');
  t.after(() => scratch.dispose());
  const server = createServer(readConfig(serverEnvironment({ ...scratch, env: { LOG_LEVEL: 'silent', ...env } })));
  t.after(() => server.stop());
  return (await server.start()).url;
}

async function startTls(t: TestContext, { cert, key }: Certified): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-tls-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = { TLS_CERTIFICATE: join(folder, 'cert'), TLS_KEY: join(folder, 'key') };
  writeFileSync(files.TLS_CERTIFICATE, cert);
  writeFileSync(files.TLS_KEY, key);
  return await startSandbox(t, files);
}

/** The suite of a connection; null: it was refused. */
async function suiteOf(url: string, ca: string, options: ConnectionOptions): Promise<string | null> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ca, ...options });
  try {
    await once(socket, 'secureConnect');
    return `${socket.getProtocol()} ${socket.getCipher().standardName}`;
  } catch {
    return null;
  } finally {
    socket.destroy();
  }
}

/** What a client that offers one suite at a time gets. Also what current clients do not offer. */
async function offered(url: string, ca: string): Promise<readonly string[]> {
  const found = new Set<string | null>();
  for (const name of getCiphers()) {
    const is_13 = name.startsWith('tls_');
    const versions = is_13 ? ['TLSv1.3'] : ['TLSv1', 'TLSv1.1', 'TLSv1.2'];
    for (const version of versions as readonly NonNullable<ConnectionOptions['minVersion']>[]) {
      const ciphers = is_13 ? name.toUpperCase() : `${name.toUpperCase()}:@SECLEVEL=0`;
      found.add(await suiteOf(url, ca, { minVersion: version, maxVersion: version, ciphers }));
    }
  }
  found.delete(null);
  return [...(found as Set<string>)].toSorted();
}

const of_tls_13 = [
  'TLSv1.3 TLS_AES_128_GCM_SHA256',
  'TLSv1.3 TLS_AES_256_GCM_SHA384',
  'TLSv1.3 TLS_CHACHA20_POLY1305_SHA256',
];

describe('TLS that the server terminates', () => {
  it('offers TLS 1.3, and of TLS 1.2 what FAPI 1 Advanced 8.5 permits', async (t) => {
    const own = await makeLoopbackCertificate('rsa');
    assert.deepEqual(await offered(await startTls(t, own), own.cert), [
      'TLSv1.2 TLS_DHE_RSA_WITH_AES_128_GCM_SHA256',
      'TLSv1.2 TLS_DHE_RSA_WITH_AES_256_GCM_SHA384',
      'TLSv1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
      'TLSv1.2 TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
      ...of_tls_13,
    ]);
  });

  it('offers TLS 1.3 alone with an ECDSA certificate, for which FAPI permits no suite of TLS 1.2', async (t) => {
    const own = await makeLoopbackCertificate('ec');
    assert.deepEqual(await offered(await startTls(t, own), own.cert), of_tls_13);
  });
});

const paths = ['/healthz', '/v1/realcards', '/accounts', '/nothing', '/oauth/jwks', '/consents', '/docs', '/'];

async function headersOf(sent: ReturnType<typeof httpRequest>): Promise<IncomingMessage['headers']> {
  const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage];
  answer.resume();
  return answer.headers;
}

describe('Strict-Transport-Security', () => {
  it('is in every answer over TLS, also to bytes that are not a request', async (t) => {
    const own = await makeLoopbackCertificate('ec');
    const url = await startTls(t, own);
    for (const path of paths) {
      const headers = await headersOf(tlsRequest(url + path, { ca: own.cert, agent: false }));
      assert.equal(headers['strict-transport-security'], 'max-age=31536000', path);
    }
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), ca: own.cert });
    socket.end('NONSENSE\r\n\r\n');
    const text = (await socket.setEncoding('latin1').toArray()).join('');
    assert.match(text, /^HTTP\/1\.1 400 .*\r\nStrict-Transport-Security: max-age=31536000\r\n/s);
  });

  it('is in every answer behind a proxy when the public address is https, and in none over plain http', async (t) => {
    const behind = await startSandbox(t, { PUBLIC_URL: 'https://cards.bank.example' });
    const plain = await startSandbox(t, {});
    for (const path of paths) {
      const at = async (url: string) =>
        (await headersOf(httpRequest(url + path, { agent: false })))['strict-transport-security'];
      assert.equal(await at(behind), 'max-age=31536000', path);
      assert.equal(await at(plain), undefined, path);
    }
  });
});
