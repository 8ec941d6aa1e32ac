import type { ConsultationStore } from '@tallystick/cards';
import { lockOrSkip, type Session } from '../../connection/session.ts';
import { readNewestFirst } from '../queries/paging.ts';

export function consultationStore(session: Session): ConsultationStore {
  const { db } = session;
  const ofCompany = (company_id: number) =>
    db.selectFrom('tallystick_consultations').selectAll().where('company_id', '=', company_id);

  return {
    async find(company_id, consultation_id) {
      return (await ofCompany(company_id).where('consultation_id', '=', consultation_id).executeTakeFirst()) ?? null;
    },

    list: (company_id, page) => readNewestFirst('consultations', ofCompany(company_id), page, (row) => row),

    async findByAuthorization(company_id, authorization_id) {
      return (await ofCompany(company_id).where('authorization_id', '=', authorization_id).executeTakeFirst()) ?? null;
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
      return row ?? null;
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
