import type { ConsultationRecord, ConsultationStore } from '@tallystick/cards';
import type { Selectable } from 'kysely';
import { lockOrSkip, type Session, type Tables } from '../../connection/session.ts';
import { readNewestFirst } from '../queries/paging.ts';

export function consultationStore(session: Session): ConsultationStore {
  const { db } = session;
  const ofCompany = (company_id: number) =>
    db.selectFrom('tallystick_consultations').selectAll().where('company_id', '=', company_id);

  return {
    async find(company_id, consultation_id) {
      const row = await ofCompany(company_id).where('consultation_id', '=', consultation_id).executeTakeFirst();
      return row === undefined ? null : recordOf(row);
    },

    list: (company_id, page) => readNewestFirst('consultations', ofCompany(company_id), page, recordOf),

    async findByAuthorization(company_id, authorization_id) {
      const row = await ofCompany(company_id).where('authorization_id', '=', authorization_id).executeTakeFirst();
      return row === undefined ? null : recordOf(row);
    },

    async keepLate(company_id, consultation_id, late) {
      const row = await db
        .updateTable('tallystick_consultations')
        .set(late)
        .where('company_id', '=', company_id)
        .where('consultation_id', '=', consultation_id)
        .where('authorization_id', 'is not', null)
        .where('late_answer', 'is', null)
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : recordOf(row);
    },

    async purge(before_ms, limit) {
      // Ids rise with time, so the first are the oldest.
      const oldest = db.selectFrom('tallystick_consultations').select(['id', 'sent_at_ms']).orderBy('id').limit(limit);
      const old = db.selectFrom(oldest.as('oldest')).select('id').where('sent_at_ms', '<', before_ms);
      const locked = db.selectFrom('tallystick_consultations').select('id').where('id', 'in', old);
      const { numDeletedRows } = await db
        .deleteFrom('tallystick_consultations')
        .where('id', 'in', lockOrSkip(session, locked))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function recordOf(row: Selectable<Tables['tallystick_consultations']>): ConsultationRecord {
  return row;
}
