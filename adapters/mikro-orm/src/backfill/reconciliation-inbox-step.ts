import { reconciliation_backfill } from '../schema/reconciliation-item-schema.ts';
import type { BackfillStep } from './backfill-step.ts';

/**
 * Enters authorizations and clearings from before reconciliation into its inbox, a range of ids of
 * both at a time. A record that enters twice is taken into account twice, with the same result.
 */
function enter(from: string, through: string): string {
  return `insert into reconciliation_inbox (company_id, kind, record_id)
    select company_id, 'authorization', id from authorizations where id > ${from} and id <= ${through}
      and root_id = id and decline_code is null and (authorized <> 0 or cleared <> 0)
    union all select company_id, 'clearing', id from clearings where id > ${from} and id <= ${through}`;
}

/** See `enter`. Nothing is removed afterwards. */
export const reconciliation_inbox_step: BackfillStep = {
  name: reconciliation_backfill,
  unit: 'records',
  batch_max: 2_000,

  copyOnSqlite(database, range) {
    database.prepare(enter('$after', '$through')).run(range);
  },

  async copyOnPostgres(client, { after, through }) {
    await client.query(enter('$1::bigint', '$2::bigint'), [after, through]);
  },

  removal: { sqlite: [], postgres: [] },
};
