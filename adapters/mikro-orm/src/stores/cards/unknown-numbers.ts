import type { UnknownNumberStore } from '@tallystick/cards';
import { lockOrSkip, type Session } from '../../connection/session.ts';

/** Messages for numbers that no card has. */
export function unknownNumberStore(session: Session): UnknownNumberStore {
  const { db } = session;
  return {
    async purge(before_ms, limit) {
      // Ids rise with time, so the first are the oldest, and no message pays for an index by time.
      const oldest = db
        .selectFrom('tallystick_unknown_number_messages')
        .select(['id', 'recorded_at_ms'])
        .orderBy('id')
        .limit(limit);
      const old = db.selectFrom(oldest.as('oldest')).select('id').where('recorded_at_ms', '<', before_ms);
      // Only rows to delete are locked: a purge with a longer retention hides none from this one.
      const locked = db.selectFrom('tallystick_unknown_number_messages').select('id').where('id', 'in', old);
      const { numDeletedRows } = await db
        .deleteFrom('tallystick_unknown_number_messages')
        .where('id', 'in', lockOrSkip(session, locked))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
