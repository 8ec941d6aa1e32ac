import type { ActivityStore } from '@tallystick/cards';
import { sql } from 'kysely';
import type { Session } from '../../connection/session.ts';
import { Activity } from '../../schema/tables/activity.ts';
import { columnsOf } from '../../schema/tables/columns.ts';
import { insertRows } from '../queries/insert-rows.ts';

const columns = columnsOf(Activity);

export function activityStore({ db, dialect }: Session): ActivityStore {
  return {
    async add(counts) {
      await sql`${insertRows(dialect, 'tallystick_activity', columns, counts)}
        on conflict (company_id, at_ms, outcome)
        do update set "count" = tallystick_activity."count" + excluded."count"`.execute(db);
    },

    read: (company_id, from_ms) =>
      db
        .selectFrom('tallystick_activity')
        .selectAll()
        .where('company_id', '=', company_id)
        .where('at_ms', '>=', from_ms)
        .execute(),

    async purge(before_ms, limit) {
      const { numAffectedRows = 0n } = await sql`
        delete from tallystick_activity where (company_id, at_ms, outcome) in (
          select company_id, at_ms, outcome from tallystick_activity where at_ms < ${before_ms} limit ${limit}
        )`.execute(db);
      return Number(numAffectedRows);
    },
  };
}
