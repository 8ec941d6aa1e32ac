import { invalid } from '@tallystick/kernel';
import { name_taken, type PurchaseTemplate, type TemplateStore } from '@tallystick/templates';
import type { Selectable } from 'kysely';
import { lockForUpdate, parseOrNull, type Session, type Tables, toJsonOrNull } from '../../connection/session.ts';
import { readNewestFirst } from '../queries/paging.ts';
import { keepVersion, versionsBelow } from './versions.ts';

export function templateStore(session: Session): TemplateStore {
  const { db } = session;
  const templates = () => db.selectFrom('tallystick_purchase_templates').selectAll();
  return {
    async insert(template) {
      const row = await db
        .insertInto('tallystick_purchase_templates')
        .values(toColumns(template))
        .onConflict((conflict) =>
          conflict.columns(['company_id', 'name']).where('deleted_at_ms', 'is', null).doNothing(),
        )
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw invalid({ path: 'name', message: name_taken });
      return templateOf(row);
    },

    async find(company_id, id) {
      const row = await templates()
        .where('id', '=', id)
        .where((eb) => eb.or([eb('company_id', '=', company_id), eb('company_id', 'is', null)]))
        .where('deleted_at_ms', 'is', null)
        .executeTakeFirst();
      return row === undefined ? null : templateOf(row);
    },

    async nameTaken(company_id, name) {
      const row = await db
        .selectFrom('tallystick_purchase_templates')
        .select('id')
        .where('company_id', '=', company_id)
        .where('name', '=', name)
        .where('deleted_at_ms', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },

    list(company_id, { transaction_key }, page) {
      const alive = templates().where('deleted_at_ms', 'is', null);
      const query =
        transaction_key === undefined
          ? alive.where((eb) => eb.or([eb('company_id', '=', company_id), eb('company_id', 'is', null)]))
          : alive.where('company_id', '=', company_id).where('transaction_key', '=', transaction_key);
      return readNewestFirst('templates', query, page, templateOf);
    },

    async claimDue(now_ms, limit) {
      const due = templates()
        .where('completes_at_ms', 'is not', null)
        .where('completes_at_ms', '<=', now_ms)
        .where('status', '=', 'PENDING')
        .where('deleted_at_ms', 'is', null)
        .orderBy('completes_at_ms')
        .orderBy('id')
        .limit(limit);
      return (await lockForUpdate(session, due).execute()).map(templateOf);
    },

    async claim(id) {
      const pending = templates()
        .where('id', '=', id)
        .where('status', '=', 'PENDING')
        .where('deleted_at_ms', 'is', null);
      const row = await lockForUpdate(session, pending).executeTakeFirst();
      return row === undefined ? null : templateOf(row);
    },

    async update({ id, ...template }) {
      await db.updateTable('tallystick_purchase_templates').set(toColumns(template)).where('id', '=', id).execute();
    },

    async keepVersion(ended) {
      await keepVersion(session, 'tallystick_template_versions', ended);
    },

    versionsBelow: (template_id, version, limit) =>
      versionsBelow(session, 'tallystick_template_versions', { template_id }, version, limit),
  };
}

function toColumns(template: Omit<PurchaseTemplate, 'id'>) {
  const { mcc_list, merchant_controls } = template;
  return { ...template, mcc_list: JSON.stringify(mcc_list), merchant_controls: toJsonOrNull(merchant_controls) };
}

function templateOf(row: Selectable<Tables['tallystick_purchase_templates']>): PurchaseTemplate {
  return {
    ...row,
    mcc_list: JSON.parse(row.mcc_list) as readonly string[],
    merchant_controls: parseOrNull(row.merchant_controls),
  };
}
