import type { ConsoleSessionStore } from '@tallystick/access';
import { lockOrSkip, type Session } from '../../connection/session.ts';

export function consoleSessionStore(session: Session): ConsoleSessionStore {
  const { db } = session;
  return {
    async insert(begun) {
      const insert = db.insertInto('tallystick_console_sessions').values(begun).returningAll();
      return await insert.executeTakeFirstOrThrow();
    },

    async findAll(token_sha256s) {
      if (token_sha256s.length === 0) return [];
      return await db
        .selectFrom('tallystick_console_sessions')
        .selectAll()
        .where('token_sha256', 'in', token_sha256s)
        .execute();
    },

    async touch(id, seen_machine_ms) {
      await db
        .updateTable('tallystick_console_sessions')
        .set({ seen_machine_ms })
        .where('id', '=', id)
        .where('seen_machine_ms', '<', seen_machine_ms)
        .execute();
    },

    async ofPerson(person_id) {
      return await db
        .selectFrom('tallystick_console_sessions')
        .selectAll()
        .where('person_id', '=', person_id)
        .orderBy('id', 'desc')
        .execute();
    },

    async end(id) {
      await db.deleteFrom('tallystick_console_sessions').where('id', '=', id).execute();
    },

    async endAll(person_id) {
      const { numDeletedRows } = await db
        .deleteFrom('tallystick_console_sessions')
        .where('person_id', '=', person_id)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },

    async purge({ ends, seen }, limit) {
      const over = db
        .selectFrom('tallystick_console_sessions')
        .select('id')
        .where((eb) => eb.or([eb('ends_machine_ms', '<=', ends), eb('seen_machine_ms', '<=', seen)]))
        .limit(limit);
      const { numDeletedRows } = await db
        .deleteFrom('tallystick_console_sessions')
        .where('id', 'in', lockOrSkip(session, over))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
