import { type Company, type CompanyStore, refuseTakenNumber } from '@tallystick/access';
import type { Selectable } from 'kysely';
import { lockForUpdate, parseOrNull, type Session, type Tables, toJsonOrNull } from '../../connection/session.ts';
import { holdDaysOf, no_end } from '../../schema/tables/access.ts';
import { isOneOf } from '../queries/json-rows.ts';
import { readNewestFirst } from '../queries/paging.ts';

export function companyStore(session: Session): CompanyStore {
  const { db } = session;
  return {
    async insert(company) {
      const row = await db
        .insertInto('tallystick_companies')
        .values({ ...company, hold_days: toColumn(company.hold_days), four_eyes: toJsonOrNull(company.four_eyes) })
        // Waits for another transaction that inserts the same number.
        .onConflict((conflict) => conflict.column('customer_number').doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw refuseTakenNumber(company.customer_number);
      return companyOf(row);
    },

    async update({ id, customer_number: _fixed, created_at_ms: _kept, hold_days, four_eyes, ...changed }) {
      await db
        .updateTable('tallystick_companies')
        .set({ ...changed, hold_days: toColumn(hold_days), four_eyes: toJsonOrNull(four_eyes) })
        .where('id', '=', id)
        .execute();
    },

    async find(id, options) {
      const found = db.selectFrom('tallystick_companies').selectAll().where('id', '=', id);
      const row = await (options?.for_update ? lockForUpdate(session, found) : found).executeTakeFirst();
      return row === undefined ? null : companyOf(row);
    },

    async findByIds(ids) {
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom('tallystick_companies')
        .selectAll()
        .where(isOneOf(session.dialect, 'id', ids))
        .execute();
      return rows.map(companyOf);
    },

    list(page) {
      return readNewestFirst('companies', db.selectFrom('tallystick_companies').selectAll(), page, companyOf);
    },
  };
}

function toColumn(hold_days: Company['hold_days']): number | null {
  return hold_days === 'never' ? no_end : hold_days;
}

function companyOf(row: Selectable<Tables['tallystick_companies']>): Company {
  return {
    ...row,
    full_details_in_mail: Boolean(row.full_details_in_mail),
    hold_days: holdDaysOf(row.hold_days),
    four_eyes: parseOrNull(row.four_eyes),
  };
}
