import type { UnknownNumberStore } from '@tallystick/cards';
import { heldOrPassedOver, type Session } from '../connection/session.ts';

/** Messages for numbers that nobody has. */
export function unknownNumberStore(session: Session): UnknownNumberStore {
  const { db } = session;
  return {
    async purge(before_ms, limit) {
      // Ids rise with time: the oldest are the first, and no index by time is paid for at each message.
      const oldest = db
        .selectFrom('unknown_number_messages')
        .select(['id', 'recorded_at_ms'])
        .orderBy('id')
        .limit(limit);
      const old = db
        .selectFrom(heldOrPassedOver(session, oldest).as('oldest'))
        .select('id')
        .where('recorded_at_ms', '<', before_ms);
      const { numDeletedRows } = await db
        .deleteFrom('unknown_number_messages')
        .where('id', 'in', old)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
