import { repeatableRandom } from '@tallystick/test-support';
import { sql } from 'kysely';
import { connect } from '../src/connection/connection.ts';
import type { Session } from '../src/connection/session.ts';
import { unitOfWorkOn } from '../src/connection/unit-of-work.ts';

/** How many rows of a table a transaction has read, as Postgres counts them. */
type RowsRead = Readonly<Record<string, number>>;

/** Does the work in a transaction on Postgres. Returns the rows that it read, by table, without the prefix. */
export async function rowsRead(database_url: string, work: (session: Session) => Promise<unknown>): Promise<RowsRead> {
  const connection = await connect({ database_url });
  try {
    return await unitOfWorkOn(connection, repeatableRandom(1), (session) => session).read(async (session) => {
      await work(session);
      const { rows } = await sql<{ name: string; read: number | string }>`select relname as name,
          coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read
        from pg_stat_xact_user_tables`.execute(session.db);
      return Object.fromEntries(rows.map(({ name, read }) => [name.replace('tallystick_', ''), Number(read)]));
    });
  } finally {
    await connection.close();
  }
}
