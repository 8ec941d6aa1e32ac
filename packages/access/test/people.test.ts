import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import {
  beginSession,
  createCompany,
  createPerson,
  endSessions,
  findSession,
  listSessions,
  logInByPassword,
  logInBySubject,
  type Person,
  type PersonRequest,
  purgeSessions,
  readPerson,
  resealTotpSecrets,
  resetTotp,
  setPassword,
  toBase32,
  totpCode,
  totpStepAt,
  updatePerson,
} from '@tallystick/access';
import { fixedClock, type HmacSha1, type PasswordHasher } from '@tallystick/kernel';
import { AccessStorage, newer_sealer, random, sealer, sha256 } from './access-storage.ts';
import { gist, refusalOf } from './refusal.ts';

const hmacSha1: HmacSha1 = (secret, message) => createHmac('sha1', secret).update(message).digest();

/** Hashes in no time, and notes what it was asked. */
const verified: (string | null)[] = [];
const passwords: PasswordHasher = {
  hash: async (password) => `hash of ${password}`,
  async verify(password, hash) {
    verified.push(hash);
    return hash === `hash of ${password}`;
  },
};

const call = { actor: 'command', request_id: 'r-1', now_ms: 1_700_000_000_000 };
const origin = { request_id: 'r-2', source_address: '192.0.2.1' };
const anna: PersonRequest = { handle: 'anna', name: 'Anna', grants: [{ role: 'support', company_id: 1 }] };
const password = 'correct horse battery';
const begun_ms = Date.UTC(2030, 0, 1);

let storage: AccessStorage;
let machine_ms: number;

beforeEach(async () => {
  storage = new AccessStorage();
  machine_ms = begun_ms;
  verified.length = 0;
  await storage.run((tx) => createCompany(tx, call, { name: 'Acme', customer_number: '1' }));
});

const ports = () => ({
  unitOfWork: storage,
  passwords,
  sealer,
  hmacSha1,
  random,
  sha256,
  clock: fixedClock('2031-01-01T00:00:00Z'),
  machine: { nowMs: () => machine_ms },
});

const create = (request: Partial<PersonRequest> = {}) =>
  storage.run((tx) => createPerson(tx, call, { ...anna, ...request }));

const actions = () => storage.tables.audit.values().map(({ action }) => action);

/** A person who can log in by password, and the code of a time. */
async function withPassword(): Promise<{ person: Person; codeAt: (at_ms: number) => string }> {
  const { id } = await create();
  const { person } = await storage.run((tx) => resetTotp(tx, { random, sealer }, call, id));
  const secret = sealer.open('person.totp_secret', person.totp_secret_sealed!);
  await setPassword(ports(), call, id, password);
  return { person, codeAt: (at_ms) => totpCode(hmacSha1, secret, totpStepAt(at_ms)) };
}

describe('a person', () => {
  it('is created and changed by name, identity and grants, and the audit log has both', async () => {
    const person = await create({ issuer: 'https://id.example', subject: 's-1' });
    assert.deepEqual(person.grants, [{ role: 'support', company_id: 1 }]);
    const grants = [{ role: 'admin' }, { role: 'admin', company_id: null }] as const;
    const changed = await storage.run((tx) => updatePerson(tx, call, person.id, { name: ' Änne ', grants }));
    assert.deepEqual(changed, { ...person, name: 'Änne', grants: [{ role: 'admin', company_id: null }] });
    assert.deepEqual(await storage.read((tx) => readPerson(tx, person.id)), changed);
    await storage.run((tx) => updatePerson(tx, call, person.id, { name: 'Änne' }));
    assert.deepEqual(actions().slice(1), ['person.created', 'person.updated']);
  });

  it('needs a plain handle that is free, a whole identity, known roles and known companies', async () => {
    await create({ issuer: 'https://id.example', subject: 's-1' });
    const refused: readonly (readonly [Partial<PersonRequest>, string])[] = [
      [{ handle: 'Anna Smith' }, 'handle'],
      [{ handle: 'anna' }, 'handle'],
      [{ handle: 'b', name: ' ' }, 'name'],
      [{ handle: 'b', subject: 's-2' }, 'issuer'],
      [{ handle: 'b', issuer: 'javascript:1', subject: 's-2' }, 'issuer'],
      [{ handle: 'b', issuer: 'https://id.example', subject: 's-1' }, 'subject'],
      [{ handle: 'b', grants: [{ role: 'operator' as never }] }, 'grants[0].role'],
      [{ handle: 'b', grants: [{ role: 'viewer' }, { role: 'viewer', company_id: 2 }] }, 'grants[1].company_id'],
    ];
    for (const [request, path] of refused) {
      assert.equal(gist(await refusalOf(() => create(request))), `validation_failed: ${path}`);
    }
    assert.equal(storage.tables.people.size, 1);
  });
});

describe('a log-in by password', () => {
  it('needs the password and the code, and begins a session with the person as it is', async () => {
    const { person, codeAt } = await withPassword();
    const wrong = [
      { handle: 'anna', password: `${password}!`, code: codeAt(machine_ms) },
      { handle: 'anna', password, code: '000000' },
      { handle: 'anna', password, code: '' },
      { handle: 'nobody', password, code: codeAt(machine_ms) },
    ];
    for (const credentials of wrong) assert.equal(await logInByPassword(ports(), credentials, origin), null);
    const right = { handle: ' Anna ', password, code: codeAt(machine_ms) };
    const begun = await logInByPassword(ports(), right, origin);
    assert.ok(begun !== null);
    const found = await storage.read((tx) => findSession(tx, ports(), begun.token, machine_ms));
    assert.equal(found?.person?.handle, 'anna');
    assert.equal(found?.session.source_address, '192.0.2.1');
    assert.ok(!JSON.stringify(storage.tables.console_sessions.values()).includes(begun.token));
    const [logged_in] = storage.tables.audit.values().slice(-1);
    assert.deepEqual(
      [logged_in?.action, logged_in?.actor, logged_in?.object],
      ['person.logged_in', 'person:anna', `person:${person.id}`],
    );
  });

  it('hashes as much for an unknown person as for a wrong password', async () => {
    await withPassword();
    await create({ handle: 'berta' });
    for (const handle of ['nobody', 'not a handle', 'berta']) {
      await logInByPassword(ports(), { handle, password, code: '1' }, origin);
    }
    assert.deepEqual(verified, [null, null, null]);
  });

  it('accepts codes one step early or late, and each only once', async () => {
    const { codeAt } = await withPassword();
    const attempt = async (code: string) =>
      (await logInByPassword(ports(), { handle: 'anna', password, code }, origin)) !== null;
    assert.equal(await attempt(codeAt(machine_ms - 60_000)), false);
    assert.equal(await attempt(codeAt(machine_ms - 30_000)), true);
    assert.equal(await attempt(codeAt(machine_ms - 30_000)), false);
    const now = codeAt(machine_ms);
    const both = await Promise.all([attempt(now), attempt(`${now.slice(0, 3)} ${now.slice(3)}`)]);
    assert.deepEqual(both.toSorted(), [false, true]);
    assert.equal(await attempt(codeAt(machine_ms + 30_000)), true);
    assert.equal(await attempt(codeAt(machine_ms)), false);
    machine_ms += 60_000;
    assert.equal(await attempt(codeAt(machine_ms)), true);
  });

  it('is not possible for a disabled person, or after another password was set', async () => {
    const { person, codeAt } = await withPassword();
    const attempt = (typed: string) =>
      logInByPassword(ports(), { handle: 'anna', password: typed, code: codeAt(machine_ms) }, origin);
    await storage.run((tx) => updatePerson(tx, call, person.id, { status: 'disabled' }));
    assert.equal(await attempt(password), null);
    await storage.run((tx) => updatePerson(tx, call, person.id, { status: 'active' }));
    await setPassword(ports(), call, person.id, 'another long password');
    assert.equal(await attempt(password), null);
    assert.ok(await attempt('another long password'));
  });
});

it('a password has at least 12 characters and is not the handle', async () => {
  const { id } = await create({ handle: 'anna.elisabeth' });
  for (const bad of ['elevenchars', 'Anna.Elisabeth', 'x'.repeat(1_025)]) {
    const refusal = await refusalOf(() => setPassword(ports(), call, id, bad));
    assert.equal(gist(refusal), 'validation_failed: password');
    assert.ok(!refusal.message.includes(bad));
  }
  assert.equal((await storage.read((tx) => readPerson(tx, id))).password_hash, null);
});

it('an identity that nobody registered does not log in, however it is called', async () => {
  await create({ issuer: 'https://id.example', subject: 's-1' });
  const attempt = (issuer: string, subject: string) => logInBySubject(ports(), { issuer, subject }, origin);
  assert.equal(await attempt('https://id.example', 'anna'), null);
  assert.equal(await attempt('https://other.example', 's-1'), null);
  assert.equal((await attempt('https://id.example', 's-1'))?.person.handle, 'anna');
});

describe('a session', () => {
  const begin = async (person_id: number) =>
    await storage.run((tx) =>
      beginSession(tx, { random, sha256 }, { person_id }, { source_address: null, machine_ms }),
    );
  const isValid = async (token: string) =>
    (await storage.read((tx) => findSession(tx, ports(), token, machine_ms))) !== null;

  it('ends after 30 minutes without a request, and after 12 hours with them', async () => {
    const { id } = await create();
    const idle = await begin(id);
    machine_ms += 30 * 60_000 - 1;
    assert.equal(await isValid(idle.token), true);
    machine_ms += 1;
    assert.equal(await isValid(idle.token), false);

    const used = await begin(id);
    const from_ms = machine_ms;
    while (machine_ms - from_ms < 12 * 3_600_000) {
      assert.equal(await isValid(used.token), true);
      await storage.run((tx) => tx.console_sessions.touch(used.session.id, machine_ms));
      machine_ms += 20 * 60_000;
    }
    assert.equal(await isValid(used.token), false);
    assert.equal(await storage.run((tx) => purgeSessions(tx, machine_ms, 10)), 2);
  });

  it('is written as seen at most once a minute', async () => {
    const { id } = await create();
    const { token } = await begin(id);
    const isUnseen = async () => (await storage.read((tx) => findSession(tx, ports(), token, machine_ms)))?.is_unseen;
    machine_ms += 59_999;
    assert.equal(await isUnseen(), false);
    machine_ms += 1;
    assert.equal(await isUnseen(), true);
  });

  it('ends with its person, with a new password, new codes, and with all others of the person', async () => {
    const { id } = await create();
    const other = await create({ handle: 'berta' });
    const kept = await begin(other.id);
    const ends: readonly (() => Promise<unknown>)[] = [
      () => storage.run((tx) => endSessions(tx, call, id)),
      () => setPassword(ports(), call, id, password),
      () => storage.run((tx) => resetTotp(tx, { random, sealer }, call, id)),
      () => storage.run((tx) => updatePerson(tx, call, id, { status: 'disabled' })),
    ];
    for (const end of ends) {
      const sessions = [await begin(id), await begin(id)];
      await end();
      for (const { token } of sessions) assert.equal(await isValid(token), false);
      assert.deepEqual(await storage.read((tx) => listSessions(tx, id, machine_ms)), []);
    }
    assert.equal(await isValid(kept.token), true);
  });

  it('is of no use to a disabled person, even if it began at the same time', async () => {
    const person = await create();
    const { token } = await begin(person.id);
    await storage.run((tx) => tx.people.update({ ...person, status: 'disabled' }));
    assert.equal(await isValid(token), false);
  });

  it('sees changed grants at the next request', async () => {
    const { id } = await create();
    const { token } = await begin(id);
    await storage.run((tx) => updatePerson(tx, call, id, { grants: [] }));
    const found = await storage.read((tx) => findSession(tx, ports(), token, machine_ms));
    assert.deepEqual(found?.person?.grants, []);
  });
});

it('codes are those of RFC 6238', () => {
  const secret = Buffer.from('12345678901234567890');
  const vectors = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as const;
  for (const [at_s, code] of vectors) assert.equal(totpCode(hmacSha1, secret, totpStepAt(at_s * 1_000)), code);
  assert.equal(toBase32(secret), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  assert.equal(toBase32(Buffer.from('foob')), 'MZXW6YQ');
});

it('a rotation seals the secrets of codes again, and they stay the same', async () => {
  const { person, codeAt } = await withPassword();
  await create({ handle: 'berta' });
  assert.equal(await resealTotpSecrets(storage, newer_sealer, 1), 1);
  assert.equal(await resealTotpSecrets(storage, newer_sealer, 1), 0);
  const { totp_secret_sealed } = await storage.read((tx) => readPerson(tx, person.id));
  assert.ok(newer_sealer.isCurrent(totp_secret_sealed!));
  const credentials = { handle: 'anna', password, code: codeAt(machine_ms) };
  assert.ok(await logInByPassword({ ...ports(), sealer: newer_sealer }, credentials, origin));
});
