import type { PortalLink, PortalLinkStore } from '@tallystick/access';
import type { Selectable } from 'kysely';
import { lockForUpdate, type Session, type Tables } from '../../connection/session.ts';

export function portalLinkStore(session: Session): PortalLinkStore {
  const { db } = session;
  const links = () => db.selectFrom('tallystick_portal_links').selectAll();
  return {
    async insert(link) {
      const insert = db.insertInto('tallystick_portal_links').values(link).returningAll();
      return linkOf(await insert.executeTakeFirstOrThrow());
    },

    async find(id) {
      return await first(links().where('id', '=', id));
    },

    async findByToken(token_sha256) {
      return await first(links().where('token_sha256', '=', token_sha256));
    },

    async use(token_sha256, now_ms) {
      // A second caller waits for the commit of the first, reads the row again, and finds it used.
      const used = db
        .updateTable('tallystick_portal_links')
        .set({ used_at_ms: now_ms })
        .where('token_sha256', '=', token_sha256)
        .where('used_at_ms', 'is', null)
        .where('expires_at_ms', '>', now_ms)
        .returningAll();
      return await first(used);
    },

    async purge(before_ms, limit) {
      const old = db
        .selectFrom('tallystick_portal_links')
        .select('id')
        .where('expires_at_ms', '<', before_ms)
        .orderBy('expires_at_ms')
        .limit(limit);
      const { numDeletedRows } = await db
        .deleteFrom('tallystick_portal_links')
        .where('id', 'in', lockForUpdate(session, old))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

type Row = Selectable<Tables['tallystick_portal_links']>;

async function first(query: { executeTakeFirst(): Promise<Row | undefined> }): Promise<PortalLink | null> {
  const row = await query.executeTakeFirst();
  return row === undefined ? null : linkOf(row);
}

function linkOf(row: Row): PortalLink {
  return { ...row, read_only: Boolean(row.read_only) };
}
