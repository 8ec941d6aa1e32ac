import type { ConsultationRecord, ConsultationStore } from '@tallystick/cards';
import { newestFirst } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';

export function consultationStore({ consultations }: State): ConsultationStore {
  const ofCompany = (company_id: number) => consultations.values().filter((record) => record.company_id === company_id);
  const find = (company_id: number, isAsked: (record: ConsultationRecord) => boolean) =>
    ofCompany(company_id).find(isAsked) ?? null;

  return {
    async find(company_id, consultation_id) {
      return find(company_id, (record) => record.consultation_id === consultation_id);
    },
    async list(company_id, page) {
      return newestFirst('consultations', ofCompany(company_id), page);
    },
    async findByAuthorization(company_id, authorization_id) {
      return find(company_id, (record) => record.authorization_id === authorization_id);
    },
    async keepLate(company_id, consultation_id, late) {
      const known = find(company_id, (record) => record.consultation_id === consultation_id);
      if (known === null || known.authorization_id === null || known.late_answer !== null) return null;
      consultations.set(known.id, { ...known, ...late });
      return { ...known, ...late };
    },
    async purge(before_ms, limit) {
      const old = consultations.values().filter(({ sent_at_ms }) => sent_at_ms < before_ms);
      const purged = old.slice(0, limit);
      for (const { id } of purged) consultations.delete(id);
      return purged.length;
    },
  };
}
