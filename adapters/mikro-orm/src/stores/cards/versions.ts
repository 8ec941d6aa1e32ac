import type { EndedVersion } from '@tallystick/kernel';
import { sql } from 'kysely';
import type { Session } from '../../connection/session.ts';

type VersionTable = 'tallystick_card_versions' | 'tallystick_template_versions';

/** Inserts a version. `ended` also has the id of what it is a version of. */
export async function keepVersion<State>(
  { db }: Session,
  table: VersionTable,
  { state, ...ended }: EndedVersion<State>,
): Promise<void> {
  const columns = { ...ended, state: JSON.stringify(state) };
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)));
  await sql`insert into ${sql.table(table)} (${names}) values (${sql.join(Object.values(columns))})`.execute(db);
}

/** The versions of one thing with smaller numbers, the newest first. */
export async function versionsBelow<Of extends Readonly<Record<string, number>>, State>(
  { db }: Session,
  table: VersionTable,
  of: Of,
  version: number,
  limit: number,
): Promise<readonly (Of & EndedVersion<State>)[]> {
  const [[name, id]] = Object.entries(of) as [[string, number]];
  const { rows } = await sql<Of & EndedVersion<State> & { readonly state: string }>`
    select * from ${sql.table(table)} where ${sql.ref(name)} = ${id} and version < ${version}
    order by version desc limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, state: JSON.parse(row.state) as State }));
}
