import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import pg from 'pg';
import { database_names, postgresProblem, scratchDatabase } from '../src/index.ts';

describe('a scratch database', () => {
  if (database_names.includes('postgres')) {
    it('is empty on Postgres, and removed by dispose, even with open connections', async (t) => {
      const scratch = await scratchDatabase('postgres');
      t.after(() => scratch.dispose());
      const client = new pg.Client({ connectionString: scratch.database_url });
      client.on('error', () => {});
      t.after(() => client.end());
      await client.connect();
      const tables = await client.query("select 1 from pg_tables where schemaname = 'public'");
      assert.equal(tables.rowCount, 0);
      await scratch.dispose();
      assert.match((await postgresProblem(scratch.database_url)) ?? '', /does not exist/);
      await scratch.dispose();
    });
  }

  it('is a separate folder on SQLite, and removed by dispose', async (t) => {
    const [one, other] = await Promise.all([scratchDatabase('sqlite'), scratchDatabase('sqlite')]);
    t.after(() => Promise.all([one.dispose(), other.dispose()]));
    assert.notEqual(one.database_url, other.database_url);
    const folder = one.database_url.replace(/^sqlite:(.*)\/[^/]*$/, '$1');
    assert.ok(existsSync(folder));
    await one.dispose();
    await other.dispose();
    assert.ok(!existsSync(folder));
  });

  it('cannot be made on an unavailable Postgres, and the error states the reason', async () => {
    assert.match((await postgresProblem('postgres://postgres@127.0.0.1:1/postgres')) ?? '', /ECONNREFUSED/);
  });
});
