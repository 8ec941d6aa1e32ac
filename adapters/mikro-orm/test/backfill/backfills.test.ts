import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { database_names, scratchDatabase } from '@tallystick/test-support';
import type { BackfillStep } from '../../src/backfill/backfill-step.ts';
import { backfillsOn } from '../../src/backfill/backfills.ts';
import { connect } from '../../src/connection/connection.ts';
import { migrate } from '../../src/connection/migrate.ts';
import { startBackfill } from '../../src/schema/migrations/start-backfill.ts';
import { run } from '../ledger-fixture.ts';

const copySql = (after: number | string, through: number | string) =>
  `insert into new_rows (id) select id from old_rows where id > ${after} and id <= ${through}`;

/** Copies `old_rows` to `new_rows` and then drops `old_rows`. */
const step: BackfillStep = {
  name: 'rows',
  unit: 'rows',
  batch_max: 4,
  copyOnSqlite: (database, { after, through }) => void database.prepare(copySql('?', '?')).run(after, through),
  copyOnPostgres: async (client, { after, through }) =>
    void (await client.query(copySql('$1::bigint', '$2::bigint'), [after, through])),
  removal: { sqlite: ['drop table if exists old_rows'], postgres: ['drop table if exists old_rows'] },
};

for (const name of database_names) {
  describe(`a backfill on ${name}`, () => {
    /** A migrated database with the old rows 1..`count`, and processes on it. */
    async function open(t: TestContext, count: number) {
      const database = await scratchDatabase(name);
      t.after(() => database.dispose());
      const process = async (of: BackfillStep = step) => {
        const connection = await connect(database);
        t.after(() => connection.close());
        return { connection, backfills: backfillsOn(connection, [of]) };
      };
      const { connection, backfills } = await process();
      await migrate(connection);
      await run(connection, 'create table old_rows (id bigint primary key)');
      await run(connection, 'create table new_rows (id bigint primary key)');
      for (let id = 1; id <= count; id += 1) await run(connection, `insert into old_rows (id) values (${id})`);
      await run(connection, startBackfill(step.name, count));
      const sql = (text: string) => run(connection, text);
      const copied = async () => (await sql('select id from new_rows order by id')).map(({ id }) => Number(id));
      return { process, backfills, sql, copied };
    }

    const range = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

    it('copies rows in batches up to the number of its migration, then removes the old structure', async (t) => {
      const { backfills, sql, copied } = await open(t, 10);
      await sql('insert into old_rows (id) values (11)');
      const [first] = await backfills.runBatches();
      assert.deepEqual(first, { name: 'rows', state: 'copying', unit: 'rows', done: 4, total: 10, remaining_ms: null });
      assert.deepEqual(await copied(), range(4));
      assert.equal(backfills.isCopied('rows'), false);
      const [second] = await backfills.runBatches();
      assert(second?.remaining_ms !== null && second?.remaining_ms !== undefined && second.remaining_ms > 0);
      assert.equal((await backfills.runBatches())[0]?.state, 'copied');
      assert.equal(backfills.isCopied('rows'), true);
      assert.deepEqual(await copied(), range(10));
      await sql('update backfills set copied_at_ms = copied_at_ms - 10000');
      assert.deepEqual(await backfills.runBatches(), []);
      await assert.rejects(sql('select * from old_rows'));
    });

    it('keeps the old structure for ten seconds after the last row was copied', async (t) => {
      const { backfills, sql } = await open(t, 1);
      assert.equal((await backfills.runBatches())[0]?.state, 'copied');
      assert.equal((await backfills.runBatches())[0]?.state, 'copied');
      assert.equal((await sql('select * from old_rows')).length, 1);
    });

    it('has nothing to do when the table was empty at its migration', async (t) => {
      const { backfills } = await open(t, 0);
      assert.deepEqual(await backfills.runBatches(), []);
      assert.equal(backfills.isCopied('rows'), true);
    });

    it('continues at the checkpoint after a batch that failed, and repeats none of its rows', async (t) => {
      const { process, copied, sql } = await open(t, 6);
      const failing = await process({
        ...step,
        copyOnSqlite(database, of) {
          step.copyOnSqlite(database, of);
          throw new Error('the process ends');
        },
        async copyOnPostgres(client, of) {
          await step.copyOnPostgres(client, of);
          throw new Error('the process ends');
        },
      });
      await assert.rejects(failing.backfills.runBatches(), /the process ends/);
      assert.deepEqual(await copied(), []);
      const { backfills } = await process();
      await backfills.runBatches();
      await backfills.runBatches();
      assert.deepEqual(await copied(), range(6));
      assert.deepEqual(await sql(`select state, checkpoint from backfills where name = 'rows'`), [
        { state: 'copied', checkpoint: 6 },
      ]);
    });

    it('is shared by processes without repeating a row', async (t) => {
      const { process, copied } = await open(t, 50);
      const processes = await Promise.all([process(), process(), process()]);
      await Promise.all(
        processes.map(async ({ backfills }) => {
          while (!backfills.isCopied('rows')) await backfills.runBatches();
        }),
      );
      assert.deepEqual(await copied(), range(50));
    });
  });
}
