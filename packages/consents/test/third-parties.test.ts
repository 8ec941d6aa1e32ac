import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  listThirdParties,
  readThirdParty,
  registerThirdParty,
  setThirdPartyStatus,
  type ThirdPartyRequest,
} from '@tallystick/consents';
import { Refusal } from '@tallystick/kernel';
import { now_ms } from './bank-world.ts';
import { ConsentWorld, codeOf, random } from './consent-world.ts';

const call = { actor: 'command', request_id: 'r-1', now_ms };

function jwkOf(key: KeyObject): Readonly<Record<string, unknown>> {
  return { ...key.export({ format: 'jwk' }) };
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa_key = { ...jwkOf(rsa.publicKey), kid: 'r', use: 'sig', alg: 'PS256' };
const ec_key: Readonly<Record<string, unknown>> = { ...jwkOf(ec.publicKey), kid: 'e' };

const sound: ThirdPartyRequest = {
  name: ' Budget ',
  scopes: ['accounts'],
  redirect_uris: ['https://budget.example/callback'],
  jwks: { keys: [rsa_key, ec_key] },
};

function register(world: ConsentWorld, changes: object = {}) {
  return world.run((tx) => registerThirdParty(tx, { random }, call, { ...sound, ...changes }));
}

/** The paths of the invalid fields. */
async function pathsOf(changes: object): Promise<readonly string[]> {
  const [outcome] = await Promise.allSettled([register(new ConsentWorld(), changes)]);
  assert(outcome.status === 'rejected', 'it was not refused');
  assert(outcome.reason instanceof Refusal && outcome.reason.code === 'validation_failed', String(outcome.reason));
  return outcome.reason.fields.map(({ path }) => path);
}

describe('a third party', () => {
  it('is registered, read, listed and audited', async () => {
    const world = new ConsentWorld();
    const registered = await register(world, {
      client_id: 'budget.app',
      scopes: ['fundsconfirmations', 'accounts', 'accounts'].slice(0, 2),
      certificate_subject: 'CN=budget,O=Budget Ltd,C=GB',
    });
    assert.deepEqual(registered, {
      id: registered.id,
      client_id: 'budget.app',
      name: 'Budget',
      scopes: ['accounts', 'fundsconfirmations'],
      redirect_uris: ['https://budget.example/callback'],
      jwks: { keys: [rsa_key, ec_key] },
      jwks_uri: null,
      certificate_subject: 'CN=budget,O=Budget Ltd,C=GB',
      is_sandbox: false,
      status: 'active',
      created_at_ms: now_ms,
    });
    assert.deepEqual(await world.read((tx) => readThirdParty(tx, registered.id)), registered);
    assert.deepEqual((await world.read((tx) => listThirdParties(tx, { limit: 10 }))).items, [registered]);
    assert.deepEqual(await world.audited(), ['third_party.registered']);
    assert.equal(await codeOf(world.read((tx) => readThirdParty(tx, 99))), 'not_found');
  });

  it('has a client id that nobody can guess when it names none', async () => {
    const world = new ConsentWorld();
    const ids = [await register(world), await register(world, { client_id: null })].map(({ client_id }) => client_id);
    assert.equal(new Set(ids).size, 2);
    for (const id of ids) assert.match(id, /^tp-[A-Za-z0-9_-]{32}$/);
  });

  it('is refused the client id of another', async () => {
    const world = new ConsentWorld();
    await register(world, { client_id: 'budget' });
    assert.equal(await codeOf(register(world, { client_id: 'budget' })), 'conflict');
  });

  it('is refused with every invalid field', async () => {
    const request = { client_id: 'a b', name: ' ', scopes: [], redirect_uris: [], jwks: {}, certificate_subject: 'x' };
    assert.deepEqual(await pathsOf(request), [
      'client_id',
      'name',
      'scopes',
      'redirect_uris',
      'jwks',
      'certificate_subject',
    ]);
    const nothing = { name: null, scopes: null, redirect_uris: null, jwks: null };
    assert.deepEqual(await pathsOf(nothing), ['name', 'scopes', 'redirect_uris', 'jwks']);
  });

  it('has scopes of the service only', async () => {
    for (const scopes of [['payments'], ['accounts', 7], 'accounts', ['accounts', 'accounts', 'fundsconfirmations']]) {
      assert.deepEqual(await pathsOf({ scopes }), ['scopes'], String(scopes));
    }
  });

  it('has redirect addresses of https without a fragment, localhost included', async () => {
    const world = new ConsentWorld();
    const redirect_uris = ['https://localhost/callback', 'https://localhost:8443/cb?a=b', 'https://[::1]/'];
    assert.deepEqual((await register(world, { redirect_uris })).redirect_uris, redirect_uris);
    for (const wrong of [
      'http://localhost/callback',
      'http://127.0.0.1/callback',
      'https://a.example/#fragment',
      'https://a.example/#',
      'https://user:secret@a.example/',
      'https://',
      'https:/a.example/',
      'HTTPS://a.example/',
      'https://a.example\\@b.example/',
      'https://a.example/a b',
      'https://ä.example/',
      'com.example.app:/callback',
      'javascript:alert(1)',
      `https://a.example/${'a'.repeat(2_048)}`,
      '',
      7,
      null,
    ]) {
      assert.deepEqual(
        await pathsOf({ redirect_uris: ['https://a.example/', wrong] }),
        ['redirect_uris.1'],
        String(wrong),
      );
    }
    assert.deepEqual(await pathsOf({ redirect_uris: Array(17).fill('https://a.example/') }), ['redirect_uris']);
  });

  it('has either keys or an https address of keys', async () => {
    const world = new ConsentWorld();
    const jwks_uri = 'https://a.example/jwks';
    const registered = await register(world, { jwks: null, jwks_uri });
    assert.deepEqual([registered.jwks, registered.jwks_uri], [null, jwks_uri]);
    assert.deepEqual(await pathsOf({ jwks_uri }), ['jwks']);
    assert.deepEqual(await pathsOf({ jwks: null, certificate_subject: 'CN=a' }), ['jwks']);
    // As openssl prints it: no certificate has this subject.
    assert.deepEqual(await pathsOf({ certificate_subject: 'subject=CN=a' }), ['certificate_subject']);
    assert.deepEqual(await pathsOf({ jwks: null, jwks_uri: 'http://a.example/jwks' }), ['jwks_uri']);
  });
});

describe('the keys of a third party', () => {
  const at = ['jwks.keys.0'];
  const pathsOfKey = (...keys: readonly unknown[]) => pathsOf({ jwks: { keys } });

  it('are public: a private one is refused without being repeated', async () => {
    const secret = jwkOf(rsa.privateKey);
    const [outcome] = await Promise.allSettled([register(new ConsentWorld(), { jwks: { keys: [secret] } })]);
    assert(outcome.status === 'rejected');
    assert(!JSON.stringify([outcome.reason.message, outcome.reason.fields]).includes(String(secret.d)));
    for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']) {
      assert.deepEqual(await pathsOfKey({ ...rsa_key, [name]: 'AQAB' }), at, name);
    }
    assert.deepEqual(await pathsOfKey({ kty: 'oct', k: 'AQAB' }), at);
  });

  it('are RSA of 2048 bits or more, or EC on P-256', async () => {
    const modulus = (bits: number) =>
      Buffer.concat([Buffer.from([0x80]), Buffer.alloc(bits / 8 - 1, 1)]).toString('base64url');
    for (const wrong of [
      { ...rsa_key, n: modulus(2_040) },
      { ...rsa_key, n: Buffer.concat([Buffer.alloc(2), Buffer.alloc(255, 0xff)]).toString('base64url') },
      { ...rsa_key, n: modulus(8_200) },
      { ...rsa_key, n: '' },
      { ...rsa_key, n: 'not base64!' },
      { ...rsa_key, n: undefined },
      { ...rsa_key, e: 'AQ' },
      { ...rsa_key, e: 'Ag' },
      { ...rsa_key, e: 7 },
      { ...ec_key, crv: 'P-384' },
      { ...ec_key, x: 'AQAB' },
      { ...ec_key, y: undefined },
      { kty: 'OKP', crv: 'Ed25519', x: ec_key.x },
      {},
      [],
      null,
      'key',
    ]) {
      assert.deepEqual(await pathsOfKey(wrong), at, JSON.stringify(wrong));
    }
    await register(new ConsentWorld(), { jwks: { keys: [{ ...rsa_key, n: modulus(4_096) }] } });
  });

  it('sign by PS256 or ES256', async () => {
    for (const alg of ['RS256', 'none', 'HS256']) assert.deepEqual(await pathsOfKey({ ...rsa_key, alg }), at, alg);
    const world = new ConsentWorld();
    const keys = [
      { ...rsa_key, use: 'enc', alg: 'RSA-OAEP-256', kid: 'x' },
      { ...ec_key, use: 'sig', alg: 'ES256' },
    ];
    assert.deepEqual((await register(world, { jwks: { keys } })).jwks, { keys });
  });

  it('are 1 to 32, each with a kid of its own, and bounded', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at_index) => ({ ...ec_key, kid: `k${at_index}` }));
    await register(new ConsentWorld(), { jwks: { keys: many(32) } });
    assert.deepEqual(await pathsOfKey(...many(33)), ['jwks']);
    assert.deepEqual(await pathsOfKey(), ['jwks']);
    assert.deepEqual(await pathsOfKey(ec_key, ec_key), ['jwks']);
    for (const wrong of ['x'.repeat(8_193), 7, {}, ['\ud800'], Array(9).fill('x')]) {
      assert.deepEqual(await pathsOfKey({ ...ec_key, x5c: wrong }), at);
    }
  });

  it('keep only the members of a public key', async () => {
    const keys = [{ ...ec_key, exp: 1, note: { deep: 'x'.repeat(100_000) }, constructor: 1 }];
    assert.deepEqual((await register(new ConsentWorld(), { jwks: { keys } })).jwks, { keys: [ec_key] });
  });
});

describe('the suspension of a third party', () => {
  it('ends all its tokens, and those of no other', async () => {
    const world = new ConsentWorld();
    const { id, client_id } = await register(world, { client_id: 'budget' });
    const record = {
      model: 'AccessToken',
      payload_sealed: new Uint8Array([1]),
      consent_id: null,
      user_id: null,
      grant_id: null,
      expires_at_ms: null,
      ends_by: 'service' as const,
      consumed_at_ms: null,
    };
    const put = () =>
      world.run(async ({ authorisation }) => {
        await authorisation.put({ ...record, id_hash: 'one', client_id });
        await authorisation.put({ ...record, id_hash: 'two', client_id: 'other' });
      });
    const left = () =>
      world.read(async ({ authorisation }) => {
        const found = [await authorisation.find('AccessToken', 'one'), await authorisation.find('AccessToken', 'two')];
        return found.map((one) => one !== null);
      });
    for (let round = 0; round < 2; round += 1) {
      await put();
      const suspended = await world.run((tx) => setThirdPartyStatus(tx, call, id, 'suspended'));
      assert.deepEqual([suspended.status, await left()], ['suspended', [false, true]]);
    }
    // A token that was issued during the suspension stays dead, and one of an active party stays.
    await put();
    const active = await world.run((tx) => setThirdPartyStatus(tx, call, id, 'active'));
    assert.deepEqual(await left(), [false, true]);
    await put();
    await world.run((tx) => setThirdPartyStatus(tx, call, id, 'active'));
    assert.deepEqual(await left(), [true, true]);
    assert.deepEqual(active, await world.read((tx) => readThirdParty(tx, id)));
    const expected = ['third_party.registered', 'third_party.suspended', 'third_party.activated'];
    assert.deepEqual(await world.audited(), expected);
    assert.equal(await codeOf(world.run((tx) => setThirdPartyStatus(tx, call, 99, 'active'))), 'not_found');
  });
});
