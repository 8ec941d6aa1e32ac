import type { QuarantinedRecord, QuarantineStore } from '@tallystick/cards';
import type { Selectable } from 'kysely';
import { lockForUpdate, type Session, type Tables } from '../connection/session.ts';
import { readNewestFirst } from './paging.ts';

/** Messages that were refused and are kept. */
export function quarantineStore(session: Session): QuarantineStore {
  const { db } = session;
  const records = () => db.selectFrom('quarantine').selectAll();
  return {
    async find(id) {
      const row = await records().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : recordOf(row);
    },

    list({ status, reason }, page) {
      let its = records();
      if (status !== undefined) its = its.where('status', '=', status);
      if (reason !== undefined) its = its.where('reason', '=', reason);
      return readNewestFirst('quarantine', its, 'id', page, recordOf);
    },

    async apply(id, clearing_id, at_ms) {
      const { numUpdatedRows } = await db
        .updateTable('quarantine')
        .set({ status: 'applied', clearing_id, applied_at_ms: at_ms })
        .where('id', '=', id)
        .where('status', '=', 'quarantined')
        .executeTakeFirst();
      return Number(numUpdatedRows) === 1;
    },

    async countOpen() {
      const open = db.selectFrom('quarantine').where('status', '=', 'quarantined');
      const { count } = await open.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
      return Number(count);
    },

    async listAfter(after_id, limit) {
      const rows = await lockForUpdate(
        session,
        records().where('id', '>', after_id).orderBy('id').limit(limit),
      ).execute();
      return rows.map(recordOf);
    },

    async reseal(id, message_sealed) {
      await db.updateTable('quarantine').set({ message_sealed }).where('id', '=', id).execute();
    },
  };
}

function recordOf(row: Selectable<Tables['quarantine']>): QuarantinedRecord {
  return { ...row, excerpt: JSON.parse(row.excerpt) };
}
