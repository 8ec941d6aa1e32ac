import assert from 'node:assert/strict';
import { it } from 'node:test';
import { database_names, scratchDatabase } from '@tallystick/test-support';
import { sql } from 'kysely';
import { connect } from '../src/connection/connection.ts';
import { prepared } from '../src/connection/prepared-statement.ts';

const skip = database_names.includes('postgres') ? false : 'no Postgres';

it('a statement with the mark is prepared once for a connection of Postgres, and no other is', { skip }, async (t) => {
  const database = await scratchDatabase('postgres');
  t.after(() => database.dispose());
  const connection = await connect({ database_url: database.database_url, connections_max: 3 });
  t.after(() => connection.close());
  assert(connection.dialect === 'postgres');
  const db = connection.orm.em.getKysely();
  for (const value of [1, 2, 3]) {
    const marked = await sql<{ twice: number }>`${prepared} select ${value}::bigint * 2 as twice`.execute(db);
    assert.deepEqual(marked.rows, [{ twice: 2 * value }]);
    const other = await sql<{ thrice: number }>`select ${value}::bigint * 3 as thrice`.execute(db);
    assert.deepEqual(other.rows, [{ thrice: 3 * value }]);
  }
  const kept = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db);
  assert.deepEqual(
    kept.rows.map(({ statement }) => statement),
    ['/* prepared */ select $1::bigint * 2 as twice'],
  );
});
