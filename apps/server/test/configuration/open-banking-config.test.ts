import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { defaultPublicUrl } from 'tallystick/inversify';
import { readConfig } from '../../src/configuration/config.ts';
import { loadUserLogin, UnusableUserLogin } from '../../src/configuration/user-login.ts';

const live = {
  DATABASE_URL: 'postgres://a@b/c',
  TALLYSTICK_KEYS: Buffer.alloc(32, 7).toString('base64'),
  SMTP_URL: 'smtps://mail.example',
  MAIL_FROM: 'cards@bank.example',
};
const PUBLIC_URL = 'https://bank.example';

describe('the configuration of Open Banking', () => {
  it('serves it in the sandbox, and outside of it only with an address that is the issuer', () => {
    assert.equal(readConfig({}).open_banking, true);
    assert.equal(readConfig({ ROLE: 'worker', REDIS_URL: 'redis://127.0.0.1' }).open_banking, false);
    const { SMTP_URL: _, ...without_mail } = live;
    const off = readConfig(without_mail);
    assert.equal(off.open_banking, false);
    assert.ok(off.notices.some((notice) => /^PUBLIC_URL is not set: Open Banking is off/.test(notice)));
    assert.equal(readConfig({ ...live, PUBLIC_URL }).open_banking, true);
  });

  it('does not serve it under a path, where no client finds its endpoints', () => {
    for (const given of [live, {}]) {
      const off = readConfig({ ...given, PUBLIC_URL: `${PUBLIC_URL}/tally/` });
      assert.equal(off.open_banking, false);
      assert.match(off.notices.join(), /PUBLIC_URL has a path: Open Banking is off/);
      assert.equal(readConfig({ ...given, PUBLIC_URL: `${PUBLIC_URL}/` }).open_banking, true);
    }
  });

  it('says at start that nobody can authorise a consent without a module for the login', () => {
    const notices = readConfig({ ...live, PUBLIC_URL }).notices.join();
    assert.match(notices, /USER_LOGIN_MODULE is not set: no user of the bank can authorise/);
    const named = readConfig({ ...live, PUBLIC_URL, USER_LOGIN_MODULE: './login.mjs' });
    assert.deepEqual([named.notices, named.user_login_module], [[], resolve('login.mjs')]);
    assert.deepEqual(readConfig({}).notices, []);
  });

  it('names the bank on the pages of its users', () => {
    assert.equal(readConfig({}).bank_name, 'Tallystick sandbox bank');
    assert.equal(readConfig({ ...live, PUBLIC_URL }).bank_name, 'Your bank');
    assert.equal(readConfig({ BANK_NAME: '  Bank of <Tests> & Söhne ' }).bank_name, 'Bank of <Tests> & Söhne');
    for (const BANK_NAME of [' ', 'a\nb', 'x'.repeat(101)]) {
      assert.throws(() => readConfig({ BANK_NAME }), /BANK_NAME: must be a name of 1 to 100 characters/);
    }
  });

  it('needs certificate and key together, and TLS for client certificates', () => {
    const files = { TLS_CERTIFICATE: 'c.pem', TLS_KEY: 'k.pem' };
    const tls = { certificate: resolve('c.pem'), key: resolve('k.pem'), client_ca: null };
    assert.deepEqual(readConfig(files).tls, tls);
    assert.equal(readConfig({}).tls, null);
    assert.throws(() => readConfig({ TLS_CERTIFICATE: 'c.pem' }), /TLS_KEY: is required with TLS_CERTIFICATE/);
    assert.throws(() => readConfig({ TLS_KEY: 'k.pem' }), /TLS_CERTIFICATE: is required with TLS_KEY/);
    assert.throws(() => readConfig({ TLS_CLIENT_CA: 'a.pem' }), /TLS_CERTIFICATE: is required with TLS_CLIENT_CA/);
  });

  it('takes a header with certificates from named proxies only', () => {
    const CLIENT_CERTIFICATE_HEADER = 'X-Client-Cert';
    const config = readConfig({ CLIENT_CERTIFICATE_HEADER, TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8' });
    assert.equal(config.certificate_header, 'x-client-cert');
    assert.deepEqual(config.trusted_proxies, ['10.0.0.0/8', 'fd00::/8']);
    assert.equal(readConfig({}).certificate_header, null);
    assert.deepEqual(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8' }).trusted_proxies, ['10.0.0.0/8']);
    assert.throws(() => readConfig({ CLIENT_CERTIFICATE_HEADER }), /TRUSTED_PROXIES: is required with/);
    const wrong = { CLIENT_CERTIFICATE_HEADER: 'a b', TRUSTED_PROXIES: '10.0.0.0' };
    assert.throws(
      () => readConfig(wrong),
      /CLIENT_CERTIFICATE_HEADER: is "a b"; it must be.*TRUSTED_PROXIES: must be networks/s,
    );
  });

  it('refuses proxies that are everyone', () => {
    for (const wide of ['0.0.0.0/0', '::/0', '10.1.2.3/0', '0.0.0.0/1,128.0.0.0/1', '::/1', '::ffff:0:0/96', '::/8']) {
      const given = { TRUSTED_PROXIES: `10.0.0.0/8,${wide}` };
      assert.throws(() => readConfig(given), /TRUSTED_PROXIES: must not have a network as wide as/, wide);
    }
    const TRUSTED_PROXIES = '10.0.0.0/8,fc00::/7,192.0.2.7/32,::1/128,::ffff:10.0.0.0/104';
    assert.equal(readConfig({ TRUSTED_PROXIES }).trusted_proxies.length, 5);
  });

  it('takes certificates only from a header that is named after them', () => {
    const read = (CLIENT_CERTIFICATE_HEADER: string) =>
      readConfig({ CLIENT_CERTIFICATE_HEADER, TRUSTED_PROXIES: '10.0.0.0/8' }).certificate_header;
    for (const name of [
      ...['Authorization', 'authorization', 'Cookie', 'Host', 'Content-Type', 'Content-Length', 'Transfer-Encoding'],
      ...['X-Forwarded-For', 'X-Forwarded-Host', 'Forwarded', 'X-Real-IP', 'User-Agent', 'Accept', 'Origin', 'Date'],
      ...['X-Request-Id', 'X-Signature', 'X-Timestamp', 'Idempotency-Key', 'x-fapi-interaction-id', 'Prefer', 'Via'],
    ]) {
      assert.throws(
        () => read(name),
        /CLIENT_CERTIFICATE_HEADER: .* must be the name of a header for certificates/,
        name,
      );
    }
    for (const name of [
      'X-Client-Cert',
      'Client-Cert',
      'X-SSL-CERT',
      'X-Forwarded-Tls-Client-Cert',
      'ssl-client-cert',
    ]) {
      assert.equal(read(name), name.toLowerCase());
    }
  });

  it('has an issuer of https where the server terminates TLS', () => {
    assert.equal(defaultPublicUrl('https://127.0.0.1:8443'), 'https://127.0.0.1:8443');
    assert.equal(defaultPublicUrl('https://0.0.0.0:8443'), 'https://127.0.0.1:8443');
  });
});

describe('the module that authenticates users', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-login-'));
  after(() => rmSync(folder, { recursive: true }));
  const moduleWith = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  it('exports an object with authenticate, or a function that returns one', async () => {
    const object = '{ authenticate: async ({ user_name, password }) => password === "p" ? user_name : null }';
    for (const [name, text] of [
      ['object.mjs', `export default { acr: 'urn:openbanking:psd2:sca', ...${object} }`],
      ['function.mjs', `export default async () => (${object})`],
    ] as const) {
      const users = await loadUserLogin(moduleWith(name, text));
      assert.equal(await users.authenticate({ user_name: 'alex', password: 'p' }), 'alex');
      assert.equal(await users.authenticate({ user_name: 'alex', password: 'x' }), null);
      assert.equal(users.acr, name === 'object.mjs' ? 'urn:openbanking:psd2:sca' : undefined);
    }
  });

  it('refuses a user for whom it returns nothing', async () => {
    const users = await loadUserLogin(moduleWith('nothing.mjs', 'export default { authenticate: async () => {} }'));
    assert.equal(await users.authenticate({ user_name: 'a', password: 'b' }), null);
  });

  it('fails when it returns a user that is no text', async () => {
    const users = await loadUserLogin(moduleWith('number.mjs', 'export default { authenticate: async () => 7 }'));
    await assert.rejects(users.authenticate({ user_name: 'a', password: 'b' }), /must return the id of a user as text/);
  });

  it('is refused with its path when it cannot be used', async () => {
    for (const [name, text] of [
      ['none.mjs', 'export const other = 1'],
      ['wrong.mjs', 'export default { authenticate: 1 }'],
      ['acr.mjs', 'export default { acr: "strong", authenticate: async () => null }'],
      ['throws.mjs', 'throw new Error("no directory")'],
      ['syntax.mjs', 'export default {'],
    ] as const) {
      const path = moduleWith(name, text);
      await assert.rejects(loadUserLogin(path), (error: Error) => {
        return error instanceof UnusableUserLogin && error.message.includes(path);
      });
    }
    await assert.rejects(loadUserLogin(join(folder, 'absent.mjs')), UnusableUserLogin);
  });
});
