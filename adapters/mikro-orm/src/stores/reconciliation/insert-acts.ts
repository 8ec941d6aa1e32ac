import type { Act } from '@tallystick/reconciliation';
import { sql } from 'kysely';
import type { Session } from '../../connection/session.ts';
import { columnsOf } from '../../schema/tables/columns.ts';
import { ReconciliationAct } from '../../schema/tables/reconciliation.ts';
import { jsonRows } from '../queries/json-rows.ts';

const columns = columnsOf(ReconciliationAct, 'id');

/** Inserts acts with one statement. Their ids rise in their order. */
export async function insertActs(
  { db, dialect }: Pick<Session, 'db' | 'dialect'>,
  acts: readonly Omit<Act, 'id'>[],
): Promise<readonly Act[]> {
  if (acts.length === 0) return [];
  const records = acts.map(({ subject, ...act }, place) => ({ ...act, subject: JSON.stringify(subject), place }));
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)));
  const { rows } = await sql<{ id: number }>`insert into tallystick_reconciliation_acts (${names})
    select ${names} from ${jsonRows(dialect, { ...columns, place: 'integer' }, records)} as n
    order by n.place returning id`.execute(db);
  const ids = rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
  return acts.map((act, place) => ({ ...act, id: ids[place]! }));
}
