import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  beginSession,
  changeOwnPassword,
  createPerson,
  findSession,
  type Person,
  setPassword,
  updatePerson,
} from '@tallystick/access';
import type { PasswordHasher } from '@tallystick/kernel';
import { checkOnStorages, type TestStorage } from '@tallystick/test-support';
import { random, sha256 } from './access-storage.ts';
import { gist, refusalOf } from './refusal.ts';

/** Hashes in no time. */
const passwords: PasswordHasher = {
  hash: async (password) => `hash of ${password}`,
  verify: async (password, hash) => hash === `hash of ${password}`,
};

const [present, password] = ['correct horse battery', 'a staple of a battery'];
const machine_ms = Date.UTC(2030, 0, 1);

const callOf = (storage: TestStorage) => ({ actor: 'person:x', request_id: null, now_ms: storage.now_ms });

/** A person with a password and two sessions. */
async function loggedInTwice(storage: TestStorage) {
  const call = callOf(storage);
  const handle = `p${randomBytes(6).toString('hex')}`;
  const { id } = await storage.unitOfWork.run((tx) => createPerson(tx, call, { handle, name: 'P', grants: [] }));
  const person = await setPassword({ ...storage, passwords }, call, id, present);
  const begin = () =>
    storage.unitOfWork.run((tx) =>
      beginSession(tx, { random, sha256 }, { person_id: id }, { source_address: null, machine_ms }),
    );
  return { person, sessions: [await begin(), await begin()] as const };
}

const change = (storage: TestStorage, person: Person, session_id: number, to = password, by = present) =>
  changeOwnPassword({ ...storage, passwords }, callOf(storage), person, session_id, { present: by, password: to });

const isOpen = async (storage: TestStorage, token: string) =>
  (await storage.unitOfWork.read((tx) => findSession(tx, { sha256 }, token, machine_ms))) !== null;

const hashOf = async (storage: TestStorage, { id }: Person) =>
  (await storage.unitOfWork.read((tx) => tx.people.find(id)))?.password_hash;

checkOnStorages('a person that changes its own password', [
  {
    rule: 'proves the present one, and ends every session but its own',
    async check(open) {
      const storage = await open();
      const { person, sessions } = await loggedInTwice(storage);
      const [own, other] = sessions;
      assert.equal(await change(storage, person, own.session.id, password, 'wrong'), null);
      assert.equal(await change(storage, { ...person, password_hash: null }, own.session.id), null, 'it has none');
      const short = await refusalOf(() => change(storage, person, own.session.id, 'short'));
      assert.equal(gist(short), 'validation_failed: password');
      assert.equal(await isOpen(storage, other.token), true);
      await change(storage, person, own.session.id);
      assert.deepEqual([await isOpen(storage, own.token), await isOpen(storage, other.token)], [true, false]);
      assert.equal(await hashOf(storage, person), `hash of ${password}`);
    },
  },
  {
    rule: 'is refused when the password that it proved was changed meanwhile, so that one of two at once counts',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      const another = await storage.another();
      const { person, sessions } = await loggedInTwice(storage);
      const changes = [
        change(storage, person, sessions[0].session.id),
        change(another, person, sessions[1].session.id, `${password}, another`),
      ];
      const outcomes = await Promise.allSettled(changes);
      const codes = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'changed' : outcome.reason.code));
      assert.deepEqual(codes.toSorted(), ['changed', 'conflict']);
      const is_first = codes[0] === 'changed';
      assert.equal(await hashOf(storage, person), `hash of ${password}${is_first ? '' : ', another'}`);
      const open_now = await Promise.all(sessions.map(({ token }) => isOpen(storage, token)));
      assert.deepEqual(open_now, [is_first, !is_first]);
      await storage.unitOfWork.run((tx) => updatePerson(tx, callOf(storage), person.id, { status: 'disabled' }));
      assert.equal(await isOpen(storage, sessions[is_first ? 0 : 1].token), false, 'of a disabled person');
    },
  },
  {
    rule: 'is refused when the session ends while the passwords are hashed',
    async check(open) {
      const storage = await open();
      const { person, sessions } = await loggedInTwice(storage);
      const { id } = sessions[0].session;
      const disable = () =>
        storage.unitOfWork.run((tx) => updatePerson(tx, callOf(storage), person.id, { status: 'disabled' }));
      const slow = { ...passwords, hash: (to: string) => disable().then(() => passwords.hash(to)) };
      const refused = await refusalOf(() =>
        changeOwnPassword({ ...storage, passwords: slow }, callOf(storage), person, id, { present, password }),
      );
      assert.equal(refused.code, 'conflict');
      assert.equal(await hashOf(storage, person), `hash of ${present}`);
    },
  },
]);
