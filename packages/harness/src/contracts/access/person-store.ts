import type { AccessTx, ConsoleSession, Person } from '@tallystick/access';
import { assert } from '@tallystick/kernel';
import { assertEqual, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import type { SharedStorage } from '../storage/storage.ts';
import { uniqueHash, uniqueNumber } from '../unique.ts';

export type PersonStorage = SharedStorage<Pick<AccessTx, 'people' | 'console_sessions' | 'companies'>>;

const noon_ms = Date.UTC(2026, 4, 20, 12);

function personRow(changes: Partial<Person> = {}): Omit<Person, 'id'> {
  return {
    handle: `person-${uniqueNumber()}`,
    name: 'Änne',
    issuer: null,
    subject: null,
    password_hash: null,
    totp_secret_sealed: null,
    totp_last_step: null,
    status: 'active',
    grants: [
      { role: 'viewer', company_id: null },
      { role: 'support', company_id: 7 },
    ],
    created_at_ms: noon_ms,
    ...changes,
  };
}

function sessionRow(changes: Partial<ConsoleSession>): Omit<ConsoleSession, 'id'> {
  return {
    token_sha256: uniqueHash(),
    person_id: null,
    portal_link_id: null,
    source_address: '192.0.2.1',
    created_machine_ms: noon_ms,
    seen_machine_ms: noon_ms,
    ends_machine_ms: noon_ms + 1_000,
    ...changes,
  };
}

async function assertTaken(write: Promise<unknown>, field: string): Promise<void> {
  const { code, fields } = await refusalOf(write, `a taken ${field}`);
  assertEqual([code, fields.map(({ path }) => path)], ['validation_failed', [field]], 'the refusal');
}

export const person_store_contract: readonly ContractRule<PersonStorage>[] = [
  rule('people are read as they were inserted, by id, handle and identity, and listed newest first', async (here) => {
    const there = await anotherOf(here);
    const subject = `subject-${uniqueNumber()}`;
    const secrets = { password_hash: '$scrypt$x', totp_secret_sealed: new Uint8Array([0, 1, 255]), totp_last_step: 9 };
    const rows = [personRow(), personRow({ ...secrets, issuer: 'https://id.example', subject, grants: [] })];
    const [first, second] = await here.unitOfWork.run(async ({ people }) => [
      await people.insert(rows[0]!),
      await people.insert(rows[1]!),
    ]);
    assert(first !== undefined && second !== undefined, 'no person');
    await there.unitOfWork.read(async ({ people }) => {
      assertEqual(await people.find(first.id), { ...rows[0]!, id: first.id }, 'by id');
      assertEqual(await people.findByHandle(second.handle), { ...rows[1]!, id: second.id }, 'by handle');
      assertEqual(await people.findBySubject('https://id.example', subject), second, 'by identity');
      assertEqual(await people.findBySubject('https://other.example', subject), null, 'of another issuer');
      assertEqual(await people.findBySubject('https://id.example', '\0'), null, 'an impossible subject');
      assertEqual(await people.find(999_999_999), null, 'an unknown person');
      const page = await people.list({ limit: 1 });
      assert(page.next !== null, 'the first page has no cursor');
      assertEqual(page.items, [second], 'the first page');
      assertEqual((await people.list({ limit: 1, after: page.next })).items, [first], 'the second page');
    });
  }),
  rule('an update writes all but handle and creation, and nothing of other people', async (here) => {
    const [person, other] = await here.unitOfWork.run(async ({ people }) => [
      await people.insert(personRow()),
      await people.insert(personRow()),
    ]);
    assert(person !== undefined, 'no person');
    const changed: Person = {
      ...person,
      name: 'Berta',
      issuer: 'https://id.example',
      subject: `subject-${uniqueNumber()}`,
      password_hash: '$scrypt$y',
      totp_secret_sealed: new Uint8Array([3]),
      totp_last_step: 4,
      status: 'disabled',
      grants: [{ role: 'admin', company_id: null }],
    };
    await here.unitOfWork.run(({ people }) => people.update({ ...changed, handle: 'another', created_at_ms: 1 }));
    await here.unitOfWork.read(async ({ people }) => {
      assertEqual(await people.find(person.id), changed, 'the person');
      assertEqual(await people.find(other!.id), other, 'another person');
    });
  }),
  rule(
    'of racing inserts of one handle or one identity exactly one succeeds, and the others are refused',
    async (here) => {
      const there = await anotherOf(here);
      const racing = async (rowOf: () => Omit<Person, 'id'>, field: string) => {
        const inserts = [here, there, here, there].map(({ unitOfWork }) =>
          unitOfWork.run(({ people }) => people.insert(rowOf())),
        );
        const settled = await Promise.allSettled(inserts);
        const refused = inserts.filter((_, place) => settled[place]?.status === 'rejected');
        assertEqual(refused.length, inserts.length - 1, `the number of refused inserts of one ${field}`);
        for (const insert of refused) await assertTaken(insert, field);
      };
      const { handle } = personRow();
      await racing(() => personRow({ handle }), 'handle');
      const identity = { issuer: 'https://id.example', subject: `subject-${uniqueNumber()}` };
      await racing(() => personRow(identity), 'subject');
      const { id: _, ...row } = await here.unitOfWork.run(({ people }) => people.insert(personRow()));
      const person = await here.unitOfWork.read(({ people }) => people.findByHandle(row.handle));
      assert(person !== null, 'no person');
      await assertTaken(
        here.unitOfWork.run(({ people }) => people.update({ ...person, ...identity })),
        'subject',
      );
    },
  ),
  rule('of racing transactions that hold a person for update each sees what the one before wrote', async (here) => {
    const there = await anotherOf(here);
    const { id } = await here.unitOfWork.run(({ people }) => people.insert(personRow()));
    const use = ({ unitOfWork }: PersonStorage) =>
      unitOfWork.run(async ({ people }) => {
        const person = await people.find(id, { for_update: true });
        assert(person !== null, 'the person is missing');
        await people.update({ ...person, totp_last_step: (person.totp_last_step ?? 0) + 1 });
      });
    await Promise.all([here, there, here, there, here, there].map(use));
    const changed = await here.unitOfWork.read(({ people }) => people.find(id));
    assertEqual(changed?.totp_last_step, 6, 'the number of changes');
  }),
  rule('people with a secret of codes are read in batches in ascending order of id', async (here) => {
    await here.unitOfWork.run(async ({ people }) => {
      const totp_secret_sealed = new Uint8Array([1]);
      const first = await people.insert(personRow({ totp_secret_sealed, status: 'disabled' }));
      await people.insert(personRow());
      const second = await people.insert(personRow({ totp_secret_sealed }));
      assertEqual(await people.withTotpSecret(first.id - 1, 1), [first], 'a batch');
      assertEqual(await people.withTotpSecret(first.id, 2), [second], 'the next batch');
    });
  }),
  rule('a session is found by the hash of its token until it is ended', async (here) => {
    const there = await anotherOf(here);
    const [visit, portal] = await here.unitOfWork.run(async ({ people, console_sessions }) => {
      const { id: person_id } = await people.insert(personRow());
      return [
        await console_sessions.insert(sessionRow({ person_id })),
        await console_sessions.insert(sessionRow({ portal_link_id: 7 })),
      ];
    });
    assert(visit !== undefined && portal !== undefined, 'no session');
    await there.unitOfWork.run(async ({ console_sessions: sessions }) => {
      const find = async (token_sha256: Uint8Array) => (await sessions.findAll([token_sha256]))[0];
      assertEqual(await find(visit.token_sha256), visit, 'of a person');
      assertEqual(await find(portal.token_sha256), portal, 'of a portal link');
      assertEqual(await find(uniqueHash()), undefined, 'an unknown token');
      const all = [visit, portal].map(({ token_sha256 }) => token_sha256);
      const found = await sessions.findAll([...all, uniqueHash()]);
      assertEqual(
        found.map(({ id }) => id).sort((a, b) => a - b),
        [visit.id, portal.id],
        'of several tokens',
      );
      assertEqual(await sessions.findAll([]), [], 'of no token');
      await sessions.touch(visit.id, noon_ms + 5);
      await sessions.touch(visit.id, noon_ms + 4);
      assertEqual((await find(visit.token_sha256))?.seen_machine_ms, noon_ms + 5, 'the last request');
      assertEqual((await find(portal.token_sha256))?.seen_machine_ms, noon_ms, 'of the other session');
      await sessions.end(portal.id);
      assertEqual(await find(portal.token_sha256), undefined, 'an ended session');
    });
  }),
  rule('all sessions of one person are listed and ended, and none of another', async (here) => {
    await here.unitOfWork.run(async ({ people, console_sessions: sessions }) => {
      const { id: person_id } = await people.insert(personRow());
      const { id: other_id } = await people.insert(personRow());
      const first = await sessions.insert(sessionRow({ person_id }));
      const kept = await sessions.insert(sessionRow({ person_id: other_id }));
      const second = await sessions.insert(sessionRow({ person_id }));
      assertEqual(await sessions.ofPerson(person_id), [second, first], 'the sessions');
      assertEqual(await sessions.endAll(person_id), 2, 'how many ended');
      assertEqual(await sessions.ofPerson(person_id), [], 'the sessions after it');
      assertEqual(await sessions.ofPerson(other_id), [kept], 'the sessions of another person');
    });
  }),
  rule('a purge deletes sessions that ended or were not used, at most so many', async (here) => {
    const early_ms = Date.UTC(1990, 0, 1);
    await here.unitOfWork.run(async ({ people, console_sessions: sessions }) => {
      const { id: person_id } = await people.insert(personRow());
      const begin = (seen_machine_ms: number, ends_machine_ms: number) =>
        sessions.insert(sessionRow({ person_id, seen_machine_ms, ends_machine_ms }));
      await begin(early_ms + 9, early_ms + 10);
      await begin(early_ms + 5, early_ms + 99);
      const open = await begin(early_ms + 6, early_ms + 11);
      const until = { ends: early_ms + 10, seen: early_ms + 5 };
      assertEqual(await sessions.purge(until, 1), 1, 'with a limit');
      assertEqual(await sessions.purge(until, 9), 1, 'the rest');
      assertEqual(await sessions.purge(until, 9), 0, 'nothing is left');
      assertEqual(await sessions.ofPerson(person_id), [open], 'the open session');
    });
  }),
];
