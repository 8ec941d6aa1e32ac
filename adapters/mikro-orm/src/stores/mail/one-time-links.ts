import type { OneTimeLinkStore } from '@tallystick/cards';
import { lockForUpdate, type Session } from '../../connection/session.ts';

export function oneTimeLinkStore(session: Session): OneTimeLinkStore {
  const { db } = session;
  return {
    async replace(link) {
      const kept = await db
        .insertInto('tallystick_one_time_links')
        .values({ ...link, used_at_ms: null })
        .onConflict((conflict) =>
          conflict
            .column('mail_id')
            .doUpdateSet((eb) => ({
              token_sha256: eb.ref('excluded.token_sha256'),
              created_at_ms: eb.ref('excluded.created_at_ms'),
              expires_at_ms: eb.ref('excluded.expires_at_ms'),
            }))
            .where('tallystick_one_time_links.used_at_ms', 'is', null),
        )
        .returning('id')
        .executeTakeFirst();
      return kept !== undefined;
    },

    async find(token_sha256) {
      const links = db.selectFrom('tallystick_one_time_links').selectAll();
      return (await links.where('token_sha256', '=', token_sha256).executeTakeFirst()) ?? null;
    },

    async use(token_sha256, now_ms) {
      // A second caller waits for the commit of the first, reads the row again, and finds it used.
      const used = await db
        .updateTable('tallystick_one_time_links')
        .set({ used_at_ms: now_ms })
        .where('token_sha256', '=', token_sha256)
        .where('used_at_ms', 'is', null)
        .where('expires_at_ms', '>', now_ms)
        .returningAll()
        .executeTakeFirst();
      return used ?? null;
    },

    async purge(before_ms, limit) {
      const old = db
        .selectFrom('tallystick_one_time_links')
        .select('id')
        .where('expires_at_ms', '<', before_ms)
        .orderBy('expires_at_ms')
        .limit(limit);
      const { numDeletedRows } = await db
        .deleteFrom('tallystick_one_time_links')
        .where('id', 'in', lockForUpdate(session, old))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
