import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import {
  claimIdempotencyKey,
  type IdempotencyOwner,
  idempotency_keep_ms,
  isKept,
  keepAnswer,
  parseIdempotencyKey,
  resealAnswers,
  type SignedParts,
} from '@tallystick/access';
import { Fault } from '@tallystick/kernel';
import { memoryVault } from '@tallystick/memory';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { hashRequest, idempotency_lease_ms } from '../src/requests/idempotency-key.ts';
import { AccessStorage, newer_sealer, random, sealer, sha256 } from './access-storage.ts';
import { gist, refusalOf } from './refusal.ts';

let machine_ms = 0;
const ports = {
  sealer,
  random,
  sha256,
  machine_clock: { nowMs: () => machine_ms },
};
const request: SignedParts = {
  method: 'POST',
  path: '/v1/virtualcards',
  query: '',
  body: Buffer.from('{"data":{}}'),
};
const principal = { key_id: '17' };
const answer = new TextEncoder().encode('200 the answer');

let storage: AccessStorage;

beforeEach(() => {
  storage = new AccessStorage();
  machine_ms = 0;
});

const claim = (now_ms: number, asked = request, who = principal) =>
  storage.run((tx) => claimIdempotencyKey(tx, ports, who, 'order-1', asked, now_ms));

const keep = (owned: IdempotencyOwner) => storage.run((tx) => keepAnswer(tx, sealer, owned, answer));

const release = (owned: IdempotencyOwner) => storage.run((tx) => tx.idempotency.release(owned));

async function owner(now_ms: number) {
  const claimed = await claim(now_ms);
  assert.ok(claimed.kind === 'claimed');
  return claimed.owner;
}

test('an idempotency key is 1 to 255 visible characters', async () => {
  for (const key of ['a', '!', '~', 'x'.repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"']) {
    assert.equal(parseIdempotencyKey(key), key);
  }
  for (const key of ['', ' ', 'a b', 'a\tb', 'x'.repeat(256), 'schlüssel', 'a\0', '\x7f']) {
    const refusal = await refusalOf(() => parseIdempotencyKey(key));
    assert.equal(gist(refusal), 'validation_failed: Idempotency-Key');
  }
});

test('the key that a caller sent is not stored, only its hash', async () => {
  const { key, scope } = await owner(0);
  assert.equal(key, Buffer.from(sha256(Buffer.from('order-1'))).toString('hex'));
  assert.equal(scope, '17');
});

test('the first answer is returned again for 24 hours and no longer', async () => {
  await keep(await owner(0));
  for (const now_ms of [0, 1, idempotency_keep_ms - 1]) {
    assert.deepEqual(await claim(now_ms), { kind: 'answered', answer });
  }
  assert.equal((await claim(idempotency_keep_ms)).kind, 'claimed');
});

test('while one request uses a key another is refused, until the lease expires in machine time', async () => {
  await owner(0);
  for (const now_ms of [0, idempotency_lease_ms, idempotency_keep_ms]) {
    for (machine_ms of [0, idempotency_lease_ms - 1]) {
      assert.equal((await refusalOf(() => claim(now_ms))).code, 'idempotency_in_progress');
    }
  }
  machine_ms = idempotency_lease_ms;
  assert.equal((await claim(0)).kind, 'claimed', 'while the service’s clock is frozen');
});

test('a key belongs to one request: another method, path, query or body is refused', async () => {
  const others: readonly Partial<SignedParts>[] = [
    { method: 'PATCH' },
    { path: '/v1/virtualcards/' },
    { query: 'x=1' },
    { body: Buffer.from('{"data":{ }}') },
  ];
  const first = await owner(0);
  for (const answered of [false, true]) {
    if (answered) await keep(first);
    for (const other of others) {
      const refusal = await refusalOf(() => claim(1, { ...request, ...other }));
      assert.equal(refusal.code, 'idempotency_mismatch');
    }
  }
});

test('idempotency keys of different API keys are independent', async () => {
  await keep(await owner(0));
  assert.equal((await claim(0, request, { key_id: 'sandbox:client' })).kind, 'claimed');
});

test('a request that outlasts its lease cannot answer, and its transaction rolls back', async () => {
  const first = await owner(0);
  machine_ms = idempotency_lease_ms;
  const second = await owner(1);
  const company = {
    name: 'made twice?',
    customer_number: '1',
    full_details_in_mail: false,
    hold_days: null,
    status: 'active',
    rate_limit_per_minute: null,
    four_eyes: null,
    endpoint_version: 0,
    created_at_ms: 0,
  } as const;
  const late = storage.run(async (tx) => {
    await tx.companies.insert(company);
    await keepAnswer(tx, sealer, first, Buffer.from('late'));
  });
  assert.equal((await refusalOf(() => late)).code, 'idempotency_in_progress');
  assert.equal(storage.tables.companies.size, 0);

  await release(first);
  await keep(second);
  assert.equal((await refusalOf(() => keep(first))).code, 'idempotency_in_progress');
  assert.deepEqual(await claim(2), { kind: 'answered', answer });
});

test('a released key is free immediately', async () => {
  await release(await owner(0));
  assert.equal((await claim(0)).kind, 'claimed');
});

test('an answer cannot be opened in the record of another key', async () => {
  await keep(await owner(0));
  const other = await storage.run((tx) => claimIdempotencyKey(tx, ports, principal, 'order-2', request, 0));
  assert.ok(other.kind === 'claimed');
  const moved = storage.tables.idempotency_records.values()[0]!.answer_sealed!;
  await storage.run((tx) => tx.idempotency.complete(other.owner, moved));
  await assert.rejects(
    storage.run((tx) => claimIdempotencyKey(tx, ports, principal, 'order-2', request, 0)),
    Fault,
  );
});

test('answers to failures of the service are not kept', () => {
  assert.deepEqual(
    [200, 204, 400, 404, 499, 500, 503].map((status) => isKept(status)),
    [true, true, true, true, true, false, false],
  );
});

test('requests have the same hash only when they are the same', () => {
  assert.equal(
    Buffer.from(hashRequest(sha256, request)).toString('hex'),
    '57c76dcacd3f9352ff5b2e1337995252625f28d46b6d7927aedaecf77d08b707',
  );
  const line = fc.string({ unit: fc.constantFrom('a', '/', '?', '='), maxLength: 3 });
  const parts = fc.record({ method: line, path: line, query: line, body: fc.uint8Array({ max: 10, maxLength: 2 }) });
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  fc.assert(
    fc.property(parts, parts, (one, two) => {
      const same =
        one.method === two.method &&
        one.path === two.path &&
        one.query === two.query &&
        Buffer.compare(one.body, two.body) === 0;
      assert.equal(hex(hashRequest(sha256, one)) === hex(hashRequest(sha256, two)), same);
    }),
    propertyParameters({ short: 500, full: 1_500 }),
  );
});

test('a rotation reseals every kept answer of an older key, and the replay is the same', async () => {
  await keep(await owner(0));
  await storage.run((tx) => claimIdempotencyKey(tx, ports, principal, 'in progress', request, 0));
  assert.equal(await resealAnswers(storage, newer_sealer, 1), 1);
  assert.equal(await resealAnswers(storage, newer_sealer, 1), 0);
  const { sealer: without_old_key } = memoryVault(['k2']);
  const again = await storage.run((tx) =>
    claimIdempotencyKey(tx, { ...ports, sealer: without_old_key }, principal, 'order-1', request, 1),
  );
  assert.deepEqual(again, { kind: 'answered', answer });
});
