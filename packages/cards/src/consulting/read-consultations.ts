import { type Call, type Page, type PageRequest, Refusal, showValue } from '@tallystick/kernel';
import { day_ms } from '@tallystick/velocity';
import type { ConsultationRecord } from '../records/consultation.ts';
import type { ConsultationsTx } from './ports.ts';

type ReadTx = Pick<ConsultationsTx, 'consultations'>;

/** The requests about which the company was asked, newest first. */
export function listConsultations(
  tx: ReadTx,
  { company_id }: Pick<Call, 'company_id'>,
  page: PageRequest,
): Promise<Page<ConsultationRecord>> {
  return tx.consultations.list(company_id, page);
}

/** Refuses `not_found`, also for a consultation of another company. */
export async function readConsultation(
  tx: ReadTx,
  { company_id }: Pick<Call, 'company_id'>,
  consultation_id: string,
): Promise<ConsultationRecord> {
  const record = await tx.consultations.find(company_id, consultation_id);
  if (record === null) throw new Refusal('not_found', `there is no consultation ${showValue(consultation_id)}`);
  return record;
}

/** Deletes consultations after as many days, at most `limit`; returns how many. */
export function purgeConsultations(tx: ReadTx, kept_days: number, now_ms: number, limit: number): Promise<number> {
  return tx.consultations.purge(now_ms - kept_days * day_ms, limit);
}
