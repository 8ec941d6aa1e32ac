import type { AppliedRecord, QuarantinedRecord, QuarantineStore } from '@tallystick/cards';
import { countsAfterReplay } from '@tallystick/imports';
import { type Selectable, sql } from 'kysely';
import { lockForUpdate, type Session, type Tables } from '../../connection/session.ts';
import { jsonRows } from '../queries/json-rows.ts';
import { readNewestFirst } from '../queries/paging.ts';

export function quarantineStore(session: Session): QuarantineStore {
  const { db, dialect } = session;
  const records = () => db.selectFrom('tallystick_quarantine').selectAll();

  return {
    async find(id) {
      const row = await records().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : recordOf(row);
    },

    list({ status, reason, import_id }, page) {
      let its = records();
      if (status !== undefined) its = its.where('status', '=', status);
      if (reason !== undefined) its = its.where('reason', '=', reason);
      if (import_id !== undefined) its = its.where('import_id', '=', import_id);
      return readNewestFirst('quarantine', its, page, recordOf);
    },

    async apply(applied, at_ms) {
      const { id, clearing_id } = applied;
      const marked = await db
        .updateTable('tallystick_quarantine')
        .set({ status: 'applied', clearing_id, applied_at_ms: at_ms })
        .where('id', '=', id)
        .where('status', '=', 'quarantined')
        .returning('import_id')
        .executeTakeFirst();
      if (marked === undefined) return false;
      if (marked.import_id !== null) await countAgain(session, marked.import_id, [applied]);
      return true;
    },

    async applyOfImport(import_id, applied, at_ms) {
      // Of a record that is named twice, the first counts.
      const of_id = new Map(applied.toReversed().map((record) => [record.id, record]));
      const rows = jsonRows(dialect, { id: 'integer', clearing_id: 'integer' }, [...of_id.values()]);
      // A later file may have taken a record over.
      const marked = await sql<{ id: number }>`update tallystick_quarantine
        set status = 'applied', clearing_id = n.clearing_id, applied_at_ms = ${at_ms} from ${rows} as n
        where tallystick_quarantine.id = n.id and tallystick_quarantine.import_id = ${import_id} and tallystick_quarantine.status = 'quarantined'
        returning tallystick_quarantine.id`.execute(db);
      await countAgain(
        session,
        import_id,
        marked.rows.map(({ id }) => of_id.get(id)!),
      );
    },

    async openOfImport(import_id, after_ordinal, limit) {
      const open = records().where('import_id', '=', import_id).where('status', '=', 'quarantined');
      const rows = await open.where('ordinal', '>', after_ordinal).orderBy('ordinal').limit(limit).execute();
      return rows.map(recordOf);
    },

    async countOpen() {
      const open = db.selectFrom('tallystick_quarantine').where('status', '=', 'quarantined');
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
      await db.updateTable('tallystick_quarantine').set({ message_sealed }).where('id', '=', id).execute();
    },
  };
}

/** Counts an import again after some of its records were applied. */
async function countAgain(session: Session, import_id: number, marked: readonly AppliedRecord[]): Promise<void> {
  const { db } = session;
  // The lock comes first, so that the count sees every other transaction that applied a record.
  const imports = db.selectFrom('tallystick_imports').selectAll();
  const row = await lockForUpdate(session, imports.where('id', '=', import_id)).executeTakeFirst();
  if (row === undefined) return;
  const open = db
    .selectFrom('tallystick_quarantine')
    .where('import_id', '=', import_id)
    .where('status', '=', 'quarantined');
  const { count } = await open.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
  await db
    .updateTable('tallystick_imports')
    .set(countsAfterReplay(row, marked, Number(count)))
    .where('id', '=', import_id)
    .execute();
}

function recordOf(row: Selectable<Tables['tallystick_quarantine']>): QuarantinedRecord {
  return { ...row, excerpt: JSON.parse(row.excerpt) };
}
