import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  type Authenticator,
  area_roles,
  companyOf,
  createAuthenticator,
  createCompany,
  createKey,
  type Environment,
  requireRole,
  revokeKey,
  roles,
  sandbox_keys,
  updateCompany,
} from '@tallystick/access';
import { Fault, Violation } from '@tallystick/kernel';
import { memoryVault } from '@tallystick/memory';
import { AccessStorage, random, sealer, sha256 } from './access-storage.ts';
import { refusalOf } from './refusal.ts';

const call = { actor: 'command', request_id: null, now_ms: 1_700_000_000_000 };

let storage: AccessStorage;
let monotonic_ms: number;
let text: string;
let now_ms: number;
let used: number[];

beforeEach(async () => {
  storage = new AccessStorage();
  monotonic_ms = 1_000;
  now_ms = call.now_ms;
  used = [];
  await storage.run((tx) => createCompany(tx, call, { name: 'Acme', customer_number: '1' }));
  text = await newKey('live');
});

async function newKey(environment: Environment, expires_at: string | null = null): Promise<string> {
  const ports = { sealer, random, sha256, environment };
  const request = {
    role: 'client',
    company_id: 1,
    name: 'erp',
    signing_secret: 'a secret of sorts',
    expires_at,
  } as const;
  return (await storage.run((tx) => createKey(tx, ports, call, request))).text;
}

function authenticator(sandbox_company_id: number | null = null): Authenticator {
  return createAuthenticator({
    unitOfWork: storage,
    sealer,
    sha256,
    monotonicNow: () => monotonic_ms,
    sandbox_company_id,
    clock: { nowMs: () => now_ms },
    keyUsed: (key_id) => used.push(key_id),
  });
}

test('a key identifies its caller', async () => {
  const { authenticate } = authenticator();
  for (const scheme of ['Bearer', 'bearer', 'BEARER ']) {
    assert.deepEqual(await authenticate(`${scheme} ${text}`), {
      key_id: '1',
      role: 'client',
      company_id: 1,
      signing_secret: 'a secret of sorts',
      rate_limit_per_minute: null,
      company_rate_limit_per_minute: null,
    });
  }
});

test('a header without a key is refused, and the message does not repeat it', async () => {
  const { authenticate } = authenticator();
  for (const header of [
    undefined,
    '',
    'Bearer',
    `Basic ${text}`,
    text,
    `Bearer ${text} x`,
    `Bearer ${'x'.repeat(201)}`,
  ]) {
    const refusal = await refusalOf(() => authenticate(header));
    assert.equal(refusal.code, 'unauthenticated');
    assert.match(refusal.message, /Authorization header/);
    assert.ok(!refusal.message.includes('tly_'));
  }
});

test('unknown, wrong and revoked keys are refused in the same words', async () => {
  const { authenticate } = authenticator();
  const other = await newKey('live');
  await storage.run((tx) => revokeKey(tx, call, 2));
  for (const wrong of [
    'nonsense',
    text.replace('tly_live_1_', 'tly_live_9_'),
    text.replace('tly_live_1_', 'tly_test_1_'),
    `tly_live_1_${'A'.repeat(43)}`,
    other,
  ]) {
    const refusal = await refusalOf(() => authenticate(`Bearer ${wrong}`));
    assert.deepEqual([refusal.code, refusal.message], ['unauthenticated', 'the API key is unknown, revoked or ended']);
  }
});

test('a key ends at its very end, also one that is remembered, in the words of a revoked one', async () => {
  const end_ms = call.now_ms + 500;
  const ending = `Bearer ${await newKey('live', new Date(end_ms).toISOString())}`;
  const { authenticate } = authenticator();
  await authenticate(ending);
  now_ms = end_ms - 1;
  await authenticate(ending);
  now_ms = end_ms;
  const refusal = await refusalOf(() => authenticate(ending));
  assert.deepEqual([refusal.code, refusal.message], ['unauthenticated', 'the API key is unknown, revoked or ended']);
  assert.deepEqual(used, [2, 2], 'only accepted requests are uses');
});

test('a key is remembered for a second without a read, and for two at most', async () => {
  const { authenticate } = authenticator();
  storage.key_reads = 0;
  const first = await authenticate(`Bearer ${text}`);
  for (const at_ms of [1_000, 1_999]) {
    monotonic_ms = at_ms;
    assert.equal(authenticate(`Bearer ${text}`), first);
  }
  assert.equal(storage.key_reads, 1);
  monotonic_ms = 3_000;
  await authenticate(`Bearer ${text}`);
  assert.equal(storage.key_reads, 2);
});

test('a key in use is read again once in its second second, and nobody waits for it', async () => {
  const { authenticate } = authenticator();
  await authenticate(`Bearer ${text}`);
  storage.key_reads = 0;
  for (let second = 1; second <= 3; second += 1) {
    monotonic_ms += 1_000;
    for (let call_number = 0; call_number < 3; call_number += 1) {
      assert.ok(!(authenticate(`Bearer ${text}`) instanceof Promise));
    }
    await setImmediate();
    assert.equal(storage.key_reads, second);
  }
});

test('a key whose database is away while it is read again is remembered until its two seconds are over', async () => {
  const { authenticate } = authenticator();
  await authenticate(`Bearer ${text}`);
  storage.gate = Promise.reject(new Fault('away', { retryable: true }));
  monotonic_ms += 1_999;
  assert.ok(!(authenticate(`Bearer ${text}`) instanceof Promise));
  await setImmediate();
  monotonic_ms += 1;
  await assert.rejects(async () => authenticate(`Bearer ${text}`), Fault);
});

test('keys of a closed company are forbidden: here immediately, in another process within two seconds', async () => {
  const change = (status: string) => storage.run((tx) => updateCompany(tx, call, 1, { status }));
  for (const bearer of [`Bearer ${text}`, `Bearer ${sandbox_keys.client}`]) {
    const installation = bearer.includes('_live_') ? null : 1;
    const [here, elsewhere] = [authenticator(installation), authenticator(installation)];
    for (const { authenticate } of [here, elsewhere]) await authenticate(bearer);
    await change('closed');
    here.forgetCompany(1);
    const refusal = await refusalOf(() => here.authenticate(bearer));
    assert.deepEqual([refusal.code, refusal.message], ['forbidden', 'the company of this key is closed']);
    await elsewhere.authenticate(bearer);
    monotonic_ms += 2_000;
    assert.equal((await refusalOf(() => elsewhere.authenticate(bearer))).code, 'forbidden');

    await change('active');
    here.forgetCompany(1);
    assert.ok(await here.authenticate(bearer), 'a company can be opened again');
    monotonic_ms += 2_000;
    assert.ok(await elsewhere.authenticate(bearer));
  }
});

test('a read of a key that began before its company was closed is not remembered', async () => {
  const { authenticate, forgetCompany } = authenticator();
  const gate = Promise.withResolvers<void>();
  storage.gate = gate.promise;
  const early = authenticate(`Bearer ${text}`);
  await storage.run((tx) => updateCompany(tx, call, 1, { status: 'closed' }));
  forgetCompany(1);
  gate.resolve();
  await Promise.resolve(early).catch(() => undefined);
  assert.equal((await refusalOf(() => authenticate(`Bearer ${text}`))).code, 'forbidden');
});

test('the secret of a key is compared before the state of its company is shown', async () => {
  await storage.run((tx) => updateCompany(tx, call, 1, { status: 'closed' }));
  const { authenticate } = authenticator();
  const wrong = `Bearer tly_live_1_${'A'.repeat(43)}`;
  assert.equal((await refusalOf(() => authenticate(wrong))).code, 'unauthenticated');
});

test('the caller has the limit of the company, for the fixed keys of the sandbox too', async () => {
  await storage.run((tx) => updateCompany(tx, call, 1, { rate_limit_per_minute: 90 }));
  const stored = await authenticator().authenticate(`Bearer ${text}`);
  assert.equal(stored.company_rate_limit_per_minute, 90);
  const { authenticate } = authenticator(1);
  assert.equal((await authenticate(`Bearer ${sandbox_keys.client}`)).company_rate_limit_per_minute, 90);
  assert.equal((await authenticate(`Bearer ${sandbox_keys.network}`)).company_rate_limit_per_minute, null);
});

test('a wrong secret is also refused for a remembered key', async () => {
  const { authenticate } = authenticator();
  await authenticate(`Bearer ${text}`);
  await refusalOf(() => authenticate(`Bearer tly_live_1_${'A'.repeat(43)}`));
});

test('concurrent callers share one look-up', async () => {
  const { authenticate } = authenticator();
  storage.key_reads = 0;
  await Promise.all(Array.from({ length: 20 }, () => authenticate(`Bearer ${text}`)));
  assert.equal(storage.key_reads, 1);
});

test('any number of unknown keys is read in two transactions, with a new key among them', async () => {
  const { authenticate } = authenticator();
  storage.key_reads = 0;
  const strange = (id: number) => `Bearer ${text.replace('tly_live_1_', `tly_live_${id}_`)}`;
  const refused = Array.from({ length: 200 }, (_, at) => refusalOf(() => authenticate(strange(1_000 + at))));
  assert.equal((await authenticate(`Bearer ${text}`)).key_id, '1');
  for (const refusal of await Promise.all(refused)) assert.equal(refusal.code, 'unauthenticated');
  assert.equal(storage.key_reads, 2);
});

test('a signing secret that cannot be opened is a fault for the caller with that key only', async () => {
  const { authenticate } = authenticator();
  const { sealer } = memoryVault(['k0']);
  const { text: sealed } = await storage.run((tx) =>
    createKey(tx, { sealer, random, sha256, environment: 'live' }, call, {
      role: 'network',
      name: 'sealed with a key that the ring lacks',
      signing_secret: 'a secret of sorts',
    }),
  );
  const secret = 'A'.repeat(43);
  // The first is read alone, and those that come meanwhile are read together.
  const keys = [`tly_live_9_${secret}`, sealed, text, `tly_live_2_${secret}`];
  const [, own, other, stranger] = await Promise.allSettled(
    keys.map(async (key) => await authenticate(`Bearer ${key}`)),
  );
  assert.ok(own?.status === 'rejected' && own.reason instanceof Fault);
  assert.ok(other?.status === 'fulfilled' && other.value.key_id === '1');
  assert.ok(stranger?.status === 'rejected' && stranger.reason.code === 'unauthenticated');
});

test('a key in use does not wait for unknown keys', async () => {
  const { authenticate } = authenticator();
  const first = await authenticate(`Bearer ${text}`);
  monotonic_ms += 2_000;
  const gate = Promise.withResolvers<void>();
  storage.gate = gate.promise;
  const strange = refusalOf(() => authenticate(`Bearer ${text.replace('tly_live_1_', 'tly_live_9_')}`));
  await setImmediate();
  storage.gate = Promise.resolve();
  assert.deepEqual(await authenticate(`Bearer ${text}`), first);
  gate.resolve();
  assert.equal((await strange).code, 'unauthenticated');
});

test('a key revoked in another process is refused within two seconds, a key forgotten here immediately', async () => {
  const elsewhere = authenticator();
  const here = authenticator();
  for (const { authenticate } of [elsewhere, here]) await authenticate(`Bearer ${text}`);
  await storage.run((tx) => revokeKey(tx, call, 1));
  here.forget(1);
  await refusalOf(() => here.authenticate(`Bearer ${text}`));
  monotonic_ms = 2_999;
  await elsewhere.authenticate(`Bearer ${text}`);
  monotonic_ms = 3_000;
  await refusalOf(() => elsewhere.authenticate(`Bearer ${text}`));
});

test('the two seconds begin before the key is read, even when the read is slow', async () => {
  const { authenticate } = authenticator();
  const gate = Promise.withResolvers<void>();
  storage.gate = gate.promise;
  const slow = authenticate(`Bearer ${text}`);
  monotonic_ms += 2_000;
  gate.resolve();
  await slow;
  await storage.run((tx) => revokeKey(tx, call, 1));
  await refusalOf(() => authenticate(`Bearer ${text}`));
});

test('a read that began before a key was forgotten is not remembered', async () => {
  const { authenticate, forget } = authenticator();
  const gate = Promise.withResolvers<void>();
  storage.gate = gate.promise;
  const early = authenticate(`Bearer ${text}`);
  storage.gate = Promise.resolve();
  await storage.run((tx) => revokeKey(tx, call, 1));
  forget(1);
  gate.resolve();
  await early;
  await refusalOf(() => authenticate(`Bearer ${text}`));
});

test('a machine clock that is set back does not extend how long a key is remembered', async () => {
  const { authenticate } = authenticator();
  await authenticate(`Bearer ${text}`);
  await storage.run((tx) => revokeKey(tx, call, 1));
  monotonic_ms = -3_600_000;
  await refusalOf(() => authenticate(`Bearer ${text}`));
});

test('an unavailable database is a fault, and the next call reads again', async () => {
  const { authenticate } = authenticator();
  storage.gate = Promise.reject(new Fault('away', { retryable: true }));
  await assert.rejects(async () => authenticate(`Bearer ${text}`), Fault);
  storage.gate = Promise.resolve();
  assert.equal((await authenticate(`Bearer ${text}`)).key_id, '1');
});

test('at most 10,000 keys are remembered', async () => {
  const { authenticate } = authenticator();
  const { key: model } = await storage.run((tx) =>
    createKey(tx, { sealer, random, sha256, environment: 'live' }, call, {
      role: 'network',
      name: 'many',
    }),
  );
  const secret = 'A'.repeat(43);
  const secret_sha256 = sha256(Buffer.from(secret));
  const ids = Array.from({ length: 10_001 }, (_, at) => at + 1);
  for (const id of ids) storage.tables.api_keys.set(id, { ...model, id, secret_sha256 });
  storage.key_reads = 0;
  for (const id of ids) await authenticate(`Bearer tly_live_${id}_${secret}`);
  assert.equal(storage.key_reads, 10_001);
  await authenticate(`Bearer tly_live_10001_${secret}`);
  await authenticate(`Bearer tly_live_2_${secret}`);
  assert.equal(storage.key_reads, 10_001);
  await authenticate(`Bearer tly_live_1_${secret}`);
  assert.equal(storage.key_reads, 10_002);
});

test("the sandbox's fixed keys act for its company, and need no look-up of a key", async () => {
  const { authenticate } = authenticator(7);
  storage.key_reads = 0;
  for (const role of roles) {
    assert.deepEqual(await authenticate(`Bearer ${sandbox_keys[role]}`), {
      key_id: `sandbox:${role}`,
      role,
      company_id: role === 'client' || role === 'bank' ? 7 : null,
      signing_secret: null,
      rate_limit_per_minute: null,
      company_rate_limit_per_minute: null,
    });
  }
  assert.equal(storage.key_reads, 0);
});

test('fixed keys and stored test keys are refused outside the sandbox, and live keys inside it', async () => {
  const test_text = await newKey('test');
  for (const role of roles) {
    const refusal = await refusalOf(() => authenticator().authenticate(`Bearer ${sandbox_keys[role]}`));
    assert.deepEqual([refusal.code, /outside the sandbox/.test(refusal.message)], ['unauthenticated', true]);
  }
  await refusalOf(() => authenticator().authenticate(`Bearer ${test_text}`));
  await refusalOf(() => authenticator(7).authenticate(`Bearer ${text}`));
  assert.equal((await authenticator(7).authenticate(`Bearer ${test_text}`)).key_id, '2');
});

test('each part of the service is for its roles only', async () => {
  const { authenticate } = authenticator(7);
  for (const role of roles) {
    const principal = await authenticate(`Bearer ${sandbox_keys[role]}`);
    for (const [area, allowed] of Object.entries(area_roles)) {
      if ([allowed].flat().includes(role)) requireRole(principal, area as keyof typeof area_roles);
      else {
        const refusal = await refusalOf(() => requireRole(principal, area as keyof typeof area_roles));
        assert.equal(refusal.code, 'forbidden');
      }
    }
  }
  assert.deepEqual(new Set(Object.values(area_roles).flat()), new Set(roles));
});

test('a client acts for its company; reading the company of a key without one is a violation', async () => {
  const { authenticate } = authenticator(7);
  assert.equal(companyOf(await authenticate(`Bearer ${sandbox_keys.client}`)), 7);
  const network = await authenticate(`Bearer ${sandbox_keys.network}`);
  assert.throws(() => companyOf(network), Violation);
});
