import { type Person, type PersonStore, refuseTakenHandle, refuseTakenSubject } from '@tallystick/access';
import { isStorable } from '@tallystick/kernel';
import type { Selectable } from 'kysely';
import { codeOf } from '../../connection/faults.ts';
import { lockForUpdate, type Session, type Tables } from '../../connection/session.ts';
import { readNewestFirst } from '../queries/paging.ts';

export function personStore(session: Session): PersonStore {
  const { db } = session;
  const people = () => db.selectFrom('tallystick_people').selectAll();
  return {
    async insert({ grants, ...person }) {
      const row = await db
        .insertInto('tallystick_people')
        .values({ ...person, grants: JSON.stringify(grants) })
        // Waits for another transaction that inserts the same handle.
        .onConflict((conflict) => conflict.column('handle').doNothing())
        .returningAll()
        .executeTakeFirst()
        .catch(refuseTaken);
      if (row === undefined) throw refuseTakenHandle(person.handle);
      return personOf(row);
    },

    async update({ id, handle: _fixed, created_at_ms: _kept, grants, ...person }) {
      await db
        .updateTable('tallystick_people')
        .set({ ...person, grants: JSON.stringify(grants) })
        .where('id', '=', id)
        .execute()
        .catch(refuseTaken);
    },

    async find(id, { for_update = false } = {}) {
      const found = people().where('id', '=', id);
      return personOrNull(await (for_update ? lockForUpdate(session, found) : found).executeTakeFirst());
    },

    async findByHandle(handle) {
      return personOrNull(await people().where('handle', '=', handle).executeTakeFirst());
    },

    async findBySubject(issuer, subject) {
      if (!isStorable(issuer) || !isStorable(subject)) return null;
      const found = people().where('issuer', '=', issuer).where('subject', '=', subject);
      return personOrNull(await found.executeTakeFirst());
    },

    list(page) {
      return readNewestFirst('people', people(), page, personOf);
    },

    async withTotpSecret(after_id, limit) {
      const query = people()
        .where('id', '>', after_id)
        .where('totp_secret_sealed', 'is not', null)
        .orderBy('id')
        .limit(limit);
      return (await lockForUpdate(session, query).execute()).map(personOf);
    },
  };
}

/** The only unique columns that a conflict does not skip are those of the identity. */
function refuseTaken(error: unknown): never {
  const code = codeOf(error);
  throw code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' ? refuseTakenSubject() : error;
}

function personOrNull(row: Selectable<Tables['tallystick_people']> | undefined): Person | null {
  return row === undefined ? null : personOf(row);
}

function personOf({ grants, ...row }: Selectable<Tables['tallystick_people']>): Person {
  return { ...row, grants: JSON.parse(grants) };
}
