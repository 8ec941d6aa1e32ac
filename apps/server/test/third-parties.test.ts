import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import {
  database_names,
  migratedDatabase,
  runAdmin,
  runAdminToEnd,
  type ScratchDatabase,
  serverEnvironment,
} from '@tallystick/test-support';
import { readConfig } from '../src/configuration/config.ts';
import { createThirdPartyClient } from '../src/devtools/third-party-client.ts';
import { createServer } from '../src/server.ts';

/** A server in this process, as a sandbox or not. */
async function start(t: TestContext, scratch: ScratchDatabase, SANDBOX: 'on' | 'off'): Promise<string> {
  // An installation has one issuer, in the sandbox and outside.
  const env = { LOG_LEVEL: 'silent', SANDBOX, PUBLIC_URL: 'http://127.0.0.1:9' };
  const server = createServer(readConfig(serverEnvironment({ database_url: scratch.database_url, env })));
  t.after(() => server.stop());
  return (await server.start()).url;
}

for (const name of database_names) {
  describe(`the third parties of the sandbox on ${name}`, () => {
    it('are there once, and are refused with all their tokens outside the sandbox', async (t) => {
      const scratch = await migratedDatabase(name);
      t.after(() => scratch.dispose());
      const [first, second] = await Promise.all([start(t, scratch, 'on'), start(t, scratch, 'on')]);
      const aisp = createThirdPartyClient(first, 'sandbox-aisp', 'accounts');
      const token = await aisp.manage();
      const path = '/account-access-consents/unknown';
      assert.equal((await aisp.call(token, 'GET', path)).status, 400, 'the token stands for something');
      const beside = createThirdPartyClient(second, 'sandbox-aisp', 'accounts');
      assert.equal((await beside.call(token, 'GET', path)).status, 400, 'on every node');
      const headers = { authorization: 'Bearer tly_test_operator_sandbox' };
      const listed = await (await fetch(`${first}/operator/v1/third-parties`, { headers })).json();
      const { data } = listed as { data: { client_id: string; url: string }[] };
      const ids = data.map(({ client_id }) => client_id);
      assert.deepEqual(ids.toSorted(), ['sandbox-aisp', 'sandbox-aisp-2', 'sandbox-cbpii']);

      // A change of one outlives a restart.
      const redirect_uris = ['https://localhost/callback', 'https://localhost:8443/callback'];
      const { url } = data.find(({ client_id }) => client_id === 'sandbox-aisp')!;
      const changed = await fetch(first + url, {
        method: 'PATCH',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ data: { redirect_uris } }),
      });
      assert.equal(changed.status, 200);
      const restarted = await start(t, scratch, 'on');
      const read = await (await fetch(restarted + url, { headers })).json();
      assert.deepEqual((read as { data: { redirect_uris: unknown } }).data.redirect_uris, redirect_uris);

      const live = createThirdPartyClient(await start(t, scratch, 'off'), 'sandbox-aisp', 'accounts');
      assert.equal((await live.call(token, 'GET', path)).status, 401);
      await assert.rejects(live.manage(), /POST \/oauth\/token answered 401/);
    });
  });
}

describe('npm run admin -- third-party', async () => {
  const scratch = await migratedDatabase('sqlite');
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-third-party-'));
  after(async () => {
    rmSync(folder, { recursive: true });
    await scratch?.dispose();
  });
  const environment = { database_url: scratch.database_url };
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keysIn = (file: string, key: object): string => {
    const path = join(folder, file);
    writeFileSync(path, JSON.stringify({ keys: [key] }));
    return path;
  };
  const base = [
    'third-party',
    'create',
    '--name',
    'Budget App',
    '--redirect',
    'https://b.example/a,https://b.example/b',
  ];

  it('registers one with keys of a file or of an address, lists, suspends and activates it', async () => {
    const file = keysIn('public.json', publicKey.export({ format: 'jwk' }));
    const by_file = [...base, '--scope', 'accounts,fundsconfirmations', '--jwks', file];
    const first = await runAdmin(by_file, environment);
    assert.deepEqual(first.redirect_uris, ['https://b.example/a', 'https://b.example/b']);
    assert.deepEqual(first.scopes, ['accounts', 'fundsconfirmations']);
    assert.equal((first.jwks as { keys: readonly unknown[] }).keys.length, 1);
    const by_address = [
      '--scope',
      'accounts',
      '--jwks',
      'https://b.example/jwks',
      '--certificate-subject',
      'CN=b,C=GB',
      '--id-token-alg',
      'ES256',
    ];
    const second = await runAdmin([...base, ...by_address], environment);
    assert.deepEqual(
      [second.jwks, second.jwks_uri, second.certificate_subject, second.id_token_signed_response_alg],
      [null, 'https://b.example/jwks', 'CN=b,C=GB', 'ES256'],
    );
    for (const [act, status] of [
      ['suspend', 'suspended'],
      ['activate', 'active'],
    ] as const) {
      const changed = await runAdmin(['third-party', act, String(first.id)], environment);
      assert.deepEqual([changed.id, changed.status], [first.id, status]);
    }
    const { out } = await runAdminToEnd(['third-party', 'list'], environment);
    assert.match(
      out,
      /^id +client id +status +scopes +name\n2 .*\n1 .* active +accounts,fundsconfirmations +Budget App/,
    );
  });

  it('changes one: its keys, addresses, scopes, name and certificate', async () => {
    const { id, name } = await runAdmin([...base, '--scope', 'accounts', '--jwks', 'https://b.example/k'], environment);
    const update = (...words: readonly string[]) =>
      runAdmin(['third-party', 'update', String(id), ...words], environment);
    const file = keysIn('new.json', publicKey.export({ format: 'jwk' }));
    const keyed = await update('--jwks', file, '--certificate-subject', 'CN=b,C=GB', '--id-token-alg', 'ES256');
    assert.deepEqual([keyed.jwks_uri, keyed.certificate_subject, keyed.name], [null, 'CN=b,C=GB', name]);
    assert.equal(keyed.id_token_signed_response_alg, 'ES256');
    assert.equal((keyed.jwks as { keys: readonly unknown[] }).keys.length, 1);
    const changed = await update(
      ...['--jwks', 'https://b.example/jwks', '--certificate-subject', 'none', '--name', 'Ledger App'],
      ...['--id-token-alg', 'PS256'],
      ...['--redirect', 'https://b.example/c, https://b.example/d', '--scope', 'accounts,fundsconfirmations'],
    );
    assert.deepEqual(changed, {
      ...keyed,
      name: 'Ledger App',
      jwks: null,
      jwks_uri: 'https://b.example/jwks',
      certificate_subject: null,
      id_token_signed_response_alg: 'PS256',
      redirect_uris: ['https://b.example/c', 'https://b.example/d'],
      scopes: ['accounts', 'fundsconfirmations'],
    });
    const { out } = await runAdminToEnd(['third-party', 'update', String(id), '--name', 'Ledger App'], environment);
    assert.match(out, /^Third party \d+: Ledger App \(active\)\n {2}scopes: accounts, fundsconfirmations\n/);
    assert.match(out, /keys: https:\/\/b\.example\/jwks\n {2}certificate: none\n {2}id_tokens: signed by PS256\n$/);
    for (const [words, expected, exit] of [
      [[String(id)], /^at least one option is required/m, 2],
      [['--name', 'A'], /^<id> is missing/m, 2],
      [['99', '--name', 'A'], /there is no third party 99/, 1],
      [[String(id), '--redirect', 'http://b.example/c'], /^--redirect must be an https address/m, 1],
    ] as const) {
      const { status, err } = await runAdminToEnd(['third-party', 'update', ...words], environment);
      assert.equal(status, exit, err);
      assert.match(err, expected);
    }
  });

  it('names the option of what it refuses, and shows no key', async () => {
    const secret = privateKey.export({ format: 'jwk' });
    const rows: readonly (readonly [readonly string[], RegExp, number])[] = [
      [['--scope', 'payments', '--jwks', 'https://b.example/jwks'], /^--scope must be one or more of/m, 1],
      [['--scope', 'accounts', '--jwks', keysIn('private.json', secret)], /^--jwks: keys\[0\] .*private member d/m, 1],
      [['--scope', 'accounts', '--jwks', 'https://168.63.129.16/k'], /^--jwks names 168.63.129.16, which/m, 1],
      [['--scope', 'accounts', '--jwks', 'http://b.example/jwks'], /^--jwks must be an https address/m, 1],
      [['--scope', 'accounts', '--jwks', join(folder, 'absent')], /^--jwks: there is no file/m, 2],
      [['--scope', 'accounts', '--jwks', folder], /^--jwks: .* is a folder, not a file/m, 2],
      [['--scope', 'accounts'], /^--jwks is missing/m, 2],
      [[], /^--jwks and --scope are missing/m, 2],
    ];
    for (const [words, expected, exit] of rows) {
      const { status, err } = await runAdminToEnd([...base, ...words], environment);
      assert.equal(status, exit, err);
      assert.match(err, expected);
      assert.ok(!err.includes(secret.d!));
    }
  });
});
