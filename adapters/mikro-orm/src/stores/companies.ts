import type { Company, CompanyStore } from '@tallystick/access';
import type { Selectable } from 'kysely';
import type { Session, Tables } from '../connection/session.ts';
import { holdDaysOf, no_end } from '../schema/hold-days.ts';
import { readNewestFirst } from './paging.ts';

/** Companies. */
export function companyStore({ db }: Session): CompanyStore {
  return {
    async insert(company) {
      const { name, customer_number, full_details_in_mail, hold_days, created_at_ms } = company;
      const row = await db
        .insertInto('companies')
        .values({
          name,
          customer_number,
          full_details_in_mail,
          hold_days: hold_days === 'never' ? no_end : hold_days,
          created_at_ms,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return companyOf(row);
    },

    async update({ id, name, full_details_in_mail, hold_days }) {
      await db
        .updateTable('companies')
        .set({ name, full_details_in_mail, hold_days: hold_days === 'never' ? no_end : hold_days })
        .where('id', '=', id)
        .execute();
    },

    async find(id) {
      const row = await db.selectFrom('companies').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : companyOf(row);
    },

    list(page) {
      return readNewestFirst('companies', db.selectFrom('companies').selectAll(), 'id', page, companyOf);
    },
  };
}

function companyOf(row: Selectable<Tables['companies']>): Company {
  return { ...row, full_details_in_mail: Boolean(row.full_details_in_mail), hold_days: holdDaysOf(row.hold_days) };
}
