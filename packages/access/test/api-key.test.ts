import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import {
  type ApiKeyRequest,
  createCompany,
  createKey,
  listCompanies,
  listKeys,
  readCompany,
  readKey,
  resealSigningSecrets,
  revokeKey,
  sandbox_keys,
  updateCompany,
  updateKey,
} from '@tallystick/access';
import { drawSharedSecret, type Sealer } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { parseKey } from '../src/keys/api-key.ts';
import { AccessStorage, newer_sealer, random, sealer, sha256 } from './access-storage.ts';
import { gist, refusalOf } from './refusal.ts';

const call = { actor: 'command', request_id: 'r-1', now_ms: 1_700_000_000_000 };
const ports = { sealer, random, sha256, environment: 'test' as const };
const client_key: ApiKeyRequest = { role: 'client', company_id: 1, name: 'erp' };

function opened(by: Sealer, sealed: Uint8Array): string {
  return Buffer.from(by.open('api_key.signing_secret', sealed)).toString();
}

let storage: AccessStorage;

beforeEach(async () => {
  storage = new AccessStorage();
  await storage.run((tx) => createCompany(tx, call, { name: ' Acme ', customer_number: ' 0042 ' }));
});

test('a company is created, read and audited', async () => {
  const company = await storage.read((tx) => readCompany(tx, 1));
  assert.deepEqual(company, {
    id: 1,
    name: 'Acme',
    customer_number: '0042',
    full_details_in_mail: false,
    hold_days: null,
    status: 'active',
    rate_limit_per_minute: null,
    four_eyes: null,
    endpoint_version: 0,
    created_at_ms: call.now_ms,
  });
  assert.deepEqual((await storage.read((tx) => listCompanies(tx, { limit: 50 }))).items, [company]);
  assert.deepEqual(
    storage.tables.audit.values().map((entry) => [entry.action, entry.object, entry.company_id]),
    [['company.created', 'company:1', 1]],
  );
  assert.equal((await refusalOf(() => storage.read((tx) => readCompany(tx, 2)))).code, 'not_found');
});

test('a company requires a printable name and number', async () => {
  const refusal = await refusalOf(() =>
    storage.run((tx) => createCompany(tx, call, { name: '  ', customer_number: 'a\0b' })),
  );
  assert.equal(gist(refusal), 'validation_failed: name customer_number');
  const long = await refusalOf(() =>
    storage.run((tx) => createCompany(tx, call, { name: 'x'.repeat(256), customer_number: '1' })),
  );
  assert.equal(gist(long), 'validation_failed: name');
  const missing = await refusalOf(() => storage.run((tx) => createCompany(tx, call, { name: 'x' } as never)));
  assert.equal(gist(missing), 'validation_failed: customer_number');
  assert.equal(storage.tables.companies.size, 1);
});

test('the holds of a company last 1 to 365 days, never end, or last as long as the default', async () => {
  const update = (change: object) => storage.run((tx) => updateCompany(tx, call, 1, change));
  for (const hold_days of [1, 365, 'never', null]) {
    assert.deepEqual((await update({ hold_days })).hold_days, hold_days);
    assert.deepEqual((await storage.read((tx) => readCompany(tx, 1))).hold_days, hold_days);
    assert.deepEqual(storage.tables.audit.values().at(-1)?.details, { hold_days });
  }
  const audited = storage.tables.audit.size;
  for (const hold_days of [0, 366, 1.5, -1, '7', 'always', Number.NaN]) {
    assert.equal(gist(await refusalOf(() => update({ hold_days }))), 'validation_failed: hold_days');
  }
  assert.equal((await update({})).hold_days, null, 'an absent field stays');
  assert.equal(storage.tables.audit.size, audited, 'a change without a difference is not audited');
});

test('a company is closed, opened and limited, and each change is audited with its value', async () => {
  const update = (change: object) => storage.run((tx) => updateCompany(tx, call, 1, change));
  for (const [change, value] of [
    [{ status: 'closed' }, 'closed'],
    [{ status: null }, 'active'],
    [{ rate_limit_per_minute: 1_000_000 }, 1_000_000],
    [{ rate_limit_per_minute: null }, null],
  ] as const) {
    const [field] = Object.keys(change) as [keyof typeof change];
    assert.equal((await update(change))[field], value);
    assert.deepEqual(storage.tables.audit.values().at(-1)?.details, { [field]: value });
  }
  for (const [change, field] of [
    [{ status: 'Closed' }, 'status'],
    [{ status: 'deleted' }, 'status'],
    [{ rate_limit_per_minute: 0 }, 'rate_limit_per_minute'],
    [{ rate_limit_per_minute: 1_000_001 }, 'rate_limit_per_minute'],
  ] as const) {
    assert.equal(gist(await refusalOf(() => update(change))), `validation_failed: ${field}`);
  }
});

test('a second company with the same customer number is refused, and names the field', async () => {
  const create = (customer_number: string) =>
    storage.run((tx) => createCompany(tx, call, { name: 'Again', customer_number }));
  assert.equal(gist(await refusalOf(() => create(' 0042'))), 'validation_failed: customer_number');
  assert.equal((await create('42')).customer_number, '42', 'numbers are compared as text');
});

test('the text of a new key reads back to its id, and only a hash of its secret is stored', async () => {
  const { key, text } = await storage.run((tx) => createKey(tx, ports, call, client_key));
  const parsed = parseKey(text);
  assert.ok(parsed?.kind === 'stored');
  assert.deepEqual([parsed.environment, parsed.id], ['test', key.id]);
  assert.equal(Buffer.from(parsed.secret, 'base64url').length, 32);
  assert.deepEqual([...key.secret_sha256], [...sha256(Buffer.from(parsed.secret))]);
  assert.ok(!JSON.stringify([storage.tables.api_keys.values(), storage.tables.audit.values()]).includes(parsed.secret));
  assert.notEqual((await storage.run((tx) => createKey(tx, ports, call, client_key))).text.slice(-43), parsed.secret);
});

test('a key is stored with its signing secret sealed', async () => {
  const signing_secret = drawSharedSecret(random);
  const { key } = await storage.run((tx) =>
    createKey(tx, ports, call, { ...client_key, signing_secret, rate_limit_per_minute: 60 }),
  );
  const { secret_sha256: _, signing_secret_sealed, ...rest } = key;
  assert.deepEqual(rest, {
    id: 1,
    company_id: 1,
    role: 'client',
    environment: 'test',
    name: 'erp',
    rate_limit_per_minute: 60,
    created_at_ms: call.now_ms,
    revoked_at_ms: null,
    expires_at_ms: null,
    last_used_at_ms: null,
  });
  assert.match(signing_secret, /^[0-9A-Za-z]{43}$/);
  assert.equal(opened(sealer, signing_secret_sealed!), signing_secret);
});

test('a key out of bounds is refused, every invalid field by name', async () => {
  const refused: readonly (readonly [Partial<ApiKeyRequest>, string])[] = [
    [{ role: 'admin' as never }, 'role'],
    [{ company_id: null }, 'company_id'],
    [{ company_id: 2 }, 'company_id'],
    [{ role: 'network' }, 'company_id'],
    [{ role: 'operator' }, 'company_id'],
    [{ name: '' }, 'name'],
    [{ signing_secret: 'x'.repeat(15) }, 'signing_secret'],
    [{ signing_secret: 'x'.repeat(257) }, 'signing_secret'],
    [{ signing_secret: `${'x'.repeat(20)}\ud800` }, 'signing_secret'],
    [{ rate_limit_per_minute: 0 }, 'rate_limit_per_minute'],
    [{ rate_limit_per_minute: 1.5 }, 'rate_limit_per_minute'],
    [{ name: 'a\nb', rate_limit_per_minute: -1 }, 'name rate_limit_per_minute'],
  ];
  for (const [change, paths] of refused) {
    const refusal = await refusalOf(() =>
      storage.run((tx) => createKey(tx, ports, call, { ...client_key, ...change })),
    );
    assert.equal(gist(refusal), `validation_failed: ${paths}`);
  }
  assert.equal(storage.tables.api_keys.size, 0);
  for (const role of ['network', 'operator', 'bank'] as const) {
    assert.equal((await storage.run((tx) => createKey(tx, ports, call, { role, name: role }))).key.company_id, null);
  }
  assert.equal(
    (await storage.run((tx) => createKey(tx, ports, call, { role: 'bank', name: 'b', company_id: 1 }))).key.company_id,
    1,
  );
});

test('a key is revoked once, with one entry in the audit log', async () => {
  await storage.run((tx) => createKey(tx, ports, call, client_key));
  const revoked = await storage.run((tx) => revokeKey(tx, { ...call, now_ms: call.now_ms + 1 }, 1));
  assert.equal(revoked.revoked_at_ms, call.now_ms + 1);
  assert.deepEqual(await storage.run((tx) => revokeKey(tx, { ...call, now_ms: call.now_ms + 2 }, 1)), revoked);
  assert.deepEqual(await storage.read((tx) => readKey(tx, 1)), revoked);
  assert.deepEqual((await storage.read((tx) => listKeys(tx, { company_id: 1 }, { limit: 50 }))).items, [revoked]);
  assert.deepEqual(
    storage.tables.audit.values().map((entry) => entry.action),
    ['company.created', 'api_key.created', 'api_key.revoked'],
  );
  assert.equal((await refusalOf(() => storage.run((tx) => revokeKey(tx, call, 9)))).code, 'not_found');
});

test('only the text of a key is parsed as a key', () => {
  const secret = 'A'.repeat(43);
  assert.deepEqual(parseKey(`tly_live_7_${secret}`), { kind: 'stored', environment: 'live', id: 7, secret });
  for (const [role, text] of Object.entries(sandbox_keys)) {
    assert.equal(text, `tly_test_${role}_sandbox`);
    assert.deepEqual(parseKey(text), { kind: 'sandbox', role });
  }
  for (const text of [
    '',
    `tly_prod_7_${secret}`,
    `tly_live_07_${secret}`,
    `tly_live_0_${secret}`,
    `tly_live_-7_${secret}`,
    `tly_live_1000000000000000_${secret}`,
    `tly_live_7_${secret.slice(1)}`,
    `tly_live_7_${secret}A`,
    `tly_live_7_${secret.slice(1)}B`,
    `tly_live_7_${secret.slice(1)}+`,
    ` tly_live_7_${secret}`,
    `tly_live_7_${secret}\n`,
    'tly_live_client_sandbox',
    'tly_test_admin_sandbox',
    'tly_test_client_sandbox ',
  ]) {
    assert.equal(parseKey(text), null, JSON.stringify(text));
  }
});

test('only one of all texts of a secret is accepted', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.integer({ min: 1, max: 1e14 }), (bytes, id) => {
      const secret = Buffer.from(bytes).toString('base64url');
      assert.deepEqual(parseKey(`tly_test_${id}_${secret}`), { kind: 'stored', environment: 'test', id, secret });
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      const twin = secret.slice(0, 42) + alphabet[alphabet.indexOf(secret[42]!) + 1];
      assert.deepEqual([...Buffer.from(twin, 'base64url')], [...bytes]);
      assert.equal(parseKey(`tly_test_${id}_${twin}`), null);
    }),
    propertyParameters(),
  );
});

test('a key is changed in its name, end and limit only, and each difference is audited', async () => {
  const { key } = await storage.run((tx) => createKey(tx, ports, call, client_key));
  const update = (change: object) => storage.run((tx) => updateKey(tx, call, key.id, change));
  const end = '2030-01-31T00:00:00Z';
  const changed = await update({ name: 'till', expires_at: end, rate_limit_per_minute: 60 });
  assert.deepEqual(changed, { ...key, name: 'till', expires_at_ms: Date.parse(end), rate_limit_per_minute: 60 });
  assert.deepEqual(await storage.read((tx) => readKey(tx, key.id)), changed);
  const audited = storage.tables.audit.values().at(-1);
  assert.equal(audited?.action, 'api_key.updated');
  const shown = { role: 'client', name: 'till', signed: false, rate_limit_per_minute: 60 };
  assert.deepEqual(audited?.details, { ...shown, expires_at: '2030-01-31T00:00:00.000Z' });

  const entries = storage.tables.audit.size;
  const later = { ...call, now_ms: Date.parse(end) + 1 };
  const sent_back = { name: 'till', expires_at: end, role: 'client', company_id: '1', signing_secret: null };
  assert.deepEqual(await storage.run((tx) => updateKey(tx, later, key.id, sent_back)), changed, 'an end that is over');
  assert.equal(storage.tables.audit.size, entries, 'no difference, no entry');
  const unlimited = await update({ expires_at: null, rate_limit_per_minute: null });
  assert.deepEqual([unlimited.expires_at_ms, unlimited.rate_limit_per_minute], [null, null]);

  const wrong = { name: null, role: 'operator', company_id: 2, signing_secret: 'another one of 16' };
  const refusal = await refusalOf(() => update({ ...wrong, expires_at: '2020-01-01T00:00:00Z' }));
  assert.equal(gist(refusal), 'validation_failed: name expires_at role company_id signing_secret');
  assert.ok(!refusal.message.includes('another one'), refusal.message);
  for (const expires_at of ['2030-01-31', 'soon', '+010000-01-01T00:00:00Z', new Date(call.now_ms).toISOString()]) {
    assert.equal(gist(await refusalOf(() => update({ expires_at }))), 'validation_failed: expires_at');
    const request = { ...client_key, expires_at };
    const creating = () => storage.run((tx) => createKey(tx, ports, call, request));
    assert.equal(gist(await refusalOf(creating)), 'validation_failed: expires_at');
  }
});

test('a rotation reseals every signing secret of an older key, and no other', async () => {
  for (let at = 0; at < 7; at += 1) {
    const signing_secret = at % 2 === 0 ? `secret-number-000${at}` : null;
    await storage.run((tx) => createKey(tx, ports, call, { ...client_key, signing_secret }));
  }
  await storage.run((tx) =>
    createKey(tx, { ...ports, sealer: newer_sealer }, call, { ...client_key, signing_secret: 'secret-number-0007' }),
  );
  assert.equal(await resealSigningSecrets(storage, newer_sealer, 2), 4);
  assert.equal(await resealSigningSecrets(storage, newer_sealer, 2), 0);
  const secrets = storage.tables.api_keys.values().map(({ signing_secret_sealed: sealed }) => {
    if (sealed !== null) assert.ok(newer_sealer.isCurrent(sealed));
    return sealed && opened(newer_sealer, sealed);
  });
  const expected = [0, null, 2, null, 4, null, 6, 7].map((at) => (at === null ? null : `secret-number-000${at}`));
  assert.deepEqual(secrets, expected);
});
