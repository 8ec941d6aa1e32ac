import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  authoriseConsent,
  changeThirdParty,
  listThirdParties,
  readThirdParty,
  registerThirdParty,
  setThirdPartyStatus,
  type ThirdPartyRequest,
} from '@tallystick/consents';
import { Refusal, type UrlPolicy } from '@tallystick/kernel';
import { now_ms } from '../bank-world.ts';
import { ConsentWorld, codeOf, decision_call, random, third_party_call, user_id } from '../consent-world.ts';

/** Refuses a name that may not be called. */
const urlPolicy: UrlPolicy = (url) => (new URL(url).hostname === 'metadata.internal' ? 'may not be called' : null);
const call = { actor: 'command', request_id: 'r-1', now_ms };

function jwkOf(key: KeyObject): Readonly<Record<string, unknown>> {
  return { ...key.export({ format: 'jwk' }) };
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa_key: Readonly<Record<string, unknown>> = { ...jwkOf(rsa.publicKey), kid: 'r', use: 'sig', alg: 'PS256' };
const ec_key: Readonly<Record<string, unknown>> = { ...jwkOf(ec.publicKey), kid: 'e' };

const sound: ThirdPartyRequest = {
  name: ' Budget ',
  scopes: ['accounts'],
  redirect_uris: ['https://budget.example/callback'],
  jwks: { keys: [rsa_key, ec_key] },
};

function register(world: ConsentWorld, changes: object = {}) {
  return world.run((tx) => registerThirdParty(tx, { random, url_policy: urlPolicy }, call, { ...sound, ...changes }));
}

/** The paths of the invalid fields. */
async function pathsOf(changes: object): Promise<readonly string[]> {
  const [outcome] = await Promise.allSettled([register(new ConsentWorld(), changes)]);
  assert(outcome.status === 'rejected', 'it was not refused');
  assert(outcome.reason instanceof Refusal && outcome.reason.code === 'validation_failed', String(outcome.reason));
  return outcome.reason.fields.map(({ path }) => path);
}

/** A token of the client and one of another: `left` says which are there. */
function tokensOf(world: ConsentWorld, client_id: string) {
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
  return {
    put: () =>
      world.run(async ({ authorisation }) => {
        await authorisation.put({ ...record, id_hash: 'one', client_id });
        await authorisation.put({ ...record, id_hash: 'two', client_id: 'other' });
      }),
    left: () =>
      world.read(async ({ authorisation }) => {
        const found = [await authorisation.find('AccessToken', 'one'), await authorisation.find('AccessToken', 'two')];
        return found.map((one) => one !== null);
      }),
  };
}

describe('a third party', () => {
  it('is registered, read, listed and audited', async () => {
    const world = new ConsentWorld();
    const registered = await register(world, {
      client_id: 'budget.app',
      scopes: ['fundsconfirmations', 'accounts'],
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
      id_token_signed_response_alg: 'PS256',
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
    const longest = `https://a.example/${'a'.repeat(2_030)}`;
    const redirect_uris = ['https://localhost/callback', 'https://localhost:8443/cb?a=b', 'https://[::1]/', longest];
    assert.deepEqual((await register(world, { redirect_uris })).redirect_uris, redirect_uris);
    for (const wrong of [
      'http://localhost/callback',
      'http://127.0.0.1/callback',
      'https://a.example/#fragment',
      'https://a.example/#',
      'https://user:secret@a.example/',
      'https://',
      'https:/a.example/',
      'https:///a.example/',
      'HTTPS://a.example/',
      'https://a.example\\@b.example/',
      'https://a.example/a b',
      'https://ä.example/',
      'com.example.app:/callback',
      'javascript:alert(1)',
      `${longest}a`,
      '',
      7,
      null,
    ]) {
      assert.deepEqual(
        await pathsOf({ redirect_uris: ['https://a.example/', wrong] }),
        ['redirect_uris[1]'],
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
    for (const refused of ['http://a.example/jwks', 'https://metadata.internal/jwks']) {
      assert.deepEqual(await pathsOf({ jwks: null, jwks_uri: refused }), ['jwks_uri'], refused);
    }
  });
});

describe('the keys of a third party', () => {
  const at = ['jwks.keys[0]'];
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
      { ...rsa_key, e: Buffer.alloc(9, 1).toString('base64url') },
      { ...rsa_key, kty: 'EC' },
      { ...ec_key, alg: 'PS256' },
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

  it('have at least one for signatures', async () => {
    const others = [
      { ...rsa_key, kid: 'a', use: 'enc' },
      { ...rsa_key, kid: 'b', use: undefined, alg: 'RSA-OAEP' },
      { ...ec_key, kid: 'c', key_ops: ['encrypt'] },
    ].map((key) => JSON.parse(JSON.stringify(key)) as object);
    assert.deepEqual(await pathsOfKey(...others), ['jwks']);
    for (const key of [ec_key, { ...rsa_key, key_ops: ['verify'] }]) {
      await register(new ConsentWorld(), { jwks: { keys: [...others, key] } });
    }
  });

  it('are numbers that a signature can be verified with', async () => {
    const altered = (text: unknown, place: number) => {
      const bytes = Buffer.from(String(text), 'base64url');
      bytes[place < 0 ? bytes.length + place : place]! ^= 1;
      return bytes.toString('base64url');
    };
    const p = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
    const toText = (number: bigint) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex').toString('base64url');
    const y = BigInt(`0x${Buffer.from(String(ec_key.y), 'base64url').toString('hex')}`);
    const y_of_0 = 0x66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4n;
    for (const [wrong, expected] of [
      [{ ...ec_key, y: altered(ec_key.y, -1) }, /a point on the curve P-256$/],
      [{ ...ec_key, x: ec_key.y, y: ec_key.x }, /a point on the curve P-256$/],
      [{ ...ec_key, x: toText(0n), y: toText(0n) }, /a point on the curve P-256$/],
      // It is congruent to the point (0, y), but no coordinate is as large as p.
      [{ ...ec_key, x: toText(p), y: toText(y_of_0) }, /a point on the curve P-256$/],
      [{ ...rsa_key, n: altered(rsa_key.n, -1) }, /an odd RSA modulus/],
    ] as const) {
      const [outcome] = await Promise.allSettled([register(new ConsentWorld(), { jwks: { keys: [wrong] } })]);
      assert(outcome.status === 'rejected' && outcome.reason instanceof Refusal, JSON.stringify(wrong));
      const [problem] = outcome.reason.fields;
      assert(problem !== undefined && problem.path === at[0], String(outcome.reason));
      assert.match(problem.message, expected);
      for (const value of [ec_key.x, ec_key.y, rsa_key.n]) assert(!problem.message.includes(String(value)));
    }
    await register(new ConsentWorld(), { jwks: { keys: [{ ...ec_key, x: toText(0n), y: toText(y_of_0) }] } });
    // The other point with this x is also a key.
    await register(new ConsentWorld(), { jwks: { keys: [{ ...ec_key, y: toText(p - y) }] } });
    for (let round = 0; round < 20; round += 1) {
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      await register(new ConsentWorld(), { jwks: { keys: [jwkOf(publicKey)] } });
    }
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

it('id_tokens are signed by PS256 unless a third party is registered for ES256', async () => {
  assert.equal((await register(new ConsentWorld())).id_token_signed_response_alg, 'PS256');
  for (const alg of ['PS256', 'ES256'] as const) {
    const registered = await register(new ConsentWorld(), { id_token_signed_response_alg: alg });
    assert.equal(registered.id_token_signed_response_alg, alg);
  }
  for (const alg of ['RS256', 'none', 'ps256', '', 1, ['PS256']]) {
    assert.deepEqual(await pathsOf({ id_token_signed_response_alg: alg }), ['id_token_signed_response_alg']);
  }
});

describe('a change of a third party', () => {
  const change = (world: ConsentWorld, id: number, changes: object) =>
    world.run((tx) => changeThirdParty(tx, { url_policy: urlPolicy }, call, id, changes));

  async function refusedPaths(world: ConsentWorld, id: number, changes: object): Promise<readonly string[]> {
    const [outcome] = await Promise.allSettled([change(world, id, changes)]);
    assert(outcome.status === 'rejected', 'it was not refused');
    assert(outcome.reason instanceof Refusal && outcome.reason.code === 'validation_failed', String(outcome.reason));
    return outcome.reason.fields.map(({ path }) => path);
  }

  it('changes the fields that it names, and no other', async () => {
    const world = new ConsentWorld();
    const before = await register(world, { certificate_subject: 'CN=budget' });
    const { id } = before;
    for (const [changes, expected] of [
      [{ name: ' Ledger ' }, { name: 'Ledger' }],
      [{ scopes: ['fundsconfirmations', 'accounts'] }, { scopes: ['accounts', 'fundsconfirmations'] }],
      [{ redirect_uris: ['https://a.example/', 'https://b.example/'] }, {}],
      [{ jwks: { keys: [{ ...ec_key, kid: 'new', note: 1 }] } }, { jwks: { keys: [{ ...ec_key, kid: 'new' }] } }],
      [{ certificate_subject: 'CN=ledger' }, {}],
      [{ certificate_subject: null }, {}],
      [{ id_token_signed_response_alg: 'ES256' }, {}],
      [{ id_token_signed_response_alg: null }, { id_token_signed_response_alg: 'PS256' }],
    ] as const) {
      const present = await world.read((tx) => readThirdParty(tx, id));
      const changed = await change(world, id, changes);
      assert.deepEqual(changed, { ...present, ...changes, ...expected });
      assert.deepEqual(await world.read((tx) => readThirdParty(tx, id)), changed);
    }
  });

  it('moves the keys: those that it names take the place of the others', async () => {
    const world = new ConsentWorld();
    const { id } = await register(world);
    const jwks_uri = 'https://a.example/jwks';
    const jwks = { keys: [ec_key] };
    const keysOf = (third_party: { jwks: unknown; jwks_uri: unknown }) => [third_party.jwks, third_party.jwks_uri];
    assert.deepEqual(keysOf(await change(world, id, { jwks_uri })), [null, jwks_uri]);
    assert.deepEqual(keysOf(await change(world, id, { jwks })), [jwks, null]);
    assert.deepEqual(keysOf(await change(world, id, { jwks: null, jwks_uri })), [null, jwks_uri]);
    assert.deepEqual(keysOf(await change(world, id, { jwks, jwks_uri: null })), [jwks, null]);
    assert.deepEqual(await refusedPaths(world, id, { jwks, jwks_uri }), ['jwks']);
    assert.deepEqual(await refusedPaths(world, id, { jwks_uri: 'https://metadata.internal/jwks' }), ['jwks_uri']);
    assert.deepEqual(await refusedPaths(world, id, { jwks: null }), ['jwks']);
    assert.deepEqual(await refusedPaths(world, id, { jwks: null, jwks_uri: null }), ['jwks']);
    assert.deepEqual(keysOf(await world.read((tx) => readThirdParty(tx, id))), [jwks, null]);
  });

  it('is refused with every invalid field, like a registration', async () => {
    const world = new ConsentWorld();
    const registered = await register(world);
    const wrong = {
      name: ' ',
      scopes: ['payments'],
      redirect_uris: ['http://a.example/'],
      jwks: { keys: [{ ...ec_key, y: ec_key.x }] },
      certificate_subject: 'subject=CN=a',
      client_id: 'other',
      status: 'suspended',
    };
    const paths = await refusedPaths(world, registered.id, wrong);
    assert.deepEqual(paths.toSorted(), [
      'certificate_subject',
      'client_id',
      'jwks.keys[0]',
      'name',
      'redirect_uris[0]',
      'scopes',
      'status',
    ]);
    const nothing = { name: null, scopes: null, redirect_uris: null, client_id: null, status: null };
    const refused = await refusedPaths(world, registered.id, nothing);
    assert.deepEqual(refused.toSorted(), ['client_id', 'name', 'redirect_uris', 'scopes', 'status']);
    assert.deepEqual(await world.read((tx) => readThirdParty(tx, registered.id)), registered);
    assert.equal(await codeOf(change(world, 99, { name: 'A' })), 'not_found');
    assert.deepEqual(await world.audited(), ['third_party.registered']);
  });

  it('is audited by the names of the fields, without a key, and only if it makes a difference', async () => {
    const world = new ConsentWorld();
    const { id, client_id, jwks, ...rest } = await register(world);
    const { name, scopes, redirect_uris, jwks_uri, certificate_subject, status } = rest;
    const same = { client_id, name, scopes, redirect_uris, jwks, jwks_uri, certificate_subject, status };
    assert.deepEqual(await change(world, id, same), await world.read((tx) => readThirdParty(tx, id)));
    await change(world, id, {});
    assert.deepEqual(await world.audited(), ['third_party.registered']);
    await change(world, id, { ...same, name: 'Ledger', jwks: null, jwks_uri: 'https://a.example/jwks' });
    const { items } = await world.read((tx) => tx.audit.list({ action: 'third_party.changed' }, { limit: 10 }));
    assert.deepEqual(
      items.map(({ object, details, actor }) => ({ object, details, actor })),
      [
        {
          object: `third_party:${id}`,
          details: { client_id, changed: ['name', 'jwks', 'jwks_uri'] },
          actor: 'command',
        },
      ],
    );
  });

  it('ends all tokens when a scope is taken away, and none otherwise', async () => {
    const world = new ConsentWorld();
    const { id, client_id } = await register(world, { scopes: ['accounts'] });
    const tokens = tokensOf(world, client_id);
    for (const [changes, left] of [
      [{ scopes: ['accounts', 'fundsconfirmations'] }, [true, true]],
      [{ name: 'Ledger', redirect_uris: ['https://a.example/'], certificate_subject: 'CN=a' }, [true, true]],
      [{ jwks: { keys: [ec_key] } }, [true, true]],
      [{ scopes: ['accounts'] }, [false, true]],
      [{ scopes: ['fundsconfirmations'] }, [false, true]],
    ] as const) {
      await tokens.put();
      await change(world, id, changes);
      assert.deepEqual(await tokens.left(), left, JSON.stringify(changes));
    }
  });

  it('sets a redirect address and keys of a third party of the sandbox, which needs no keys', async () => {
    const world = new ConsentWorld();
    const { id: _, ...registered } = await register(world);
    const { id } = await world.run((tx) =>
      tx.third_parties.insert({ ...registered, client_id: 'sandbox', jwks: null, is_sandbox: true }),
    );
    const redirect_uris = ['https://localhost:8443/callback'];
    const jwks = { keys: [ec_key] };
    assert.deepEqual(
      (await change(world, id, { redirect_uris, jwks: null, jwks_uri: null })).redirect_uris,
      redirect_uris,
    );
    assert.deepEqual((await change(world, id, { jwks })).jwks, jwks);
    assert.equal((await change(world, id, { jwks: null })).jwks, null);
    assert.deepEqual(await refusedPaths(world, id, { certificate_subject: 'CN=a' }), ['certificate_subject']);
  });
});

describe('the suspension of a third party', () => {
  it('ends all its tokens, and those of no other', async () => {
    const world = new ConsentWorld();
    const { id, client_id } = await register(world, { client_id: 'budget' });
    const { put, left } = tokensOf(world, client_id);
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

  it('stops the access of its users, as the loss of a scope does, until they authorise again', async () => {
    const world = new ConsentWorld();
    const { client_id } = third_party_call;
    const { id } = await register(world, { client_id, scopes: ['accounts', 'fundsconfirmations'] });
    const { consent_id } = await world.grantAccess();
    const decision = { consent_id, user_id, account_numbers: [] };
    const authorise = () => world.run((tx) => authoriseConsent(tx, world.ports, decision_call, decision));
    const stoppedAt = async () => (await world.read((tx) => tx.consents.find(consent_id)))?.stopped_at_ms;
    const setStatus = (status: 'active' | 'suspended', at_ms: number) =>
      world.run((tx) => setThirdPartyStatus(tx, { ...call, now_ms: at_ms }, id, status));
    await setStatus('suspended', now_ms + 1);
    assert.equal(await codeOf(authorise()), 'conflict');
    await setStatus('active', now_ms + 2);
    assert.equal(await stoppedAt(), now_ms + 1);
    assert.equal((await authorise()).stopped_at_ms, null);
    await world.run((tx) => changeThirdParty(tx, { url_policy: urlPolicy }, call, id, { scopes: ['accounts'] }));
    assert.equal(await stoppedAt(), now_ms);
  });
});
