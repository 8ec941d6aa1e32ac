/** Roles and databases of Postgres with settings of their own. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  changeRows,
  database_names,
  migratedDatabase,
  postgres_url,
  readRows,
  type ScratchDatabase,
  scratchDatabase,
  startServer,
} from '@tallystick/test-support';
import { createKeyRingText } from '@tallystick/vault';
import { createTallystick } from 'tallystick';
import { createSandboxClient, type Json } from '../src/devtools/sandbox-client.ts';

const settings = [
  'array_nulls = off',
  'bytea_output = escape',
  "client_encoding = 'LATIN1'",
  "datestyle = 'German, DMY'",
  'default_transaction_deferrable = on',
  'default_transaction_isolation = serializable',
  'extra_float_digits = -15',
  'intervalstyle = sql_standard',
  'jit = on',
  "lc_monetary = 'C'",
  "lc_numeric = 'C'",
  "lc_time = 'C'",
  'lock_timeout = 1',
  'search_path = elsewhere',
  'standard_conforming_strings = off',
  'statement_timeout = 1',
  "timezone = 'Asia/Kathmandu'",
] as const;

const skip = database_names.includes('postgres') ? false : 'there is no Postgres';

describe('a database of Postgres with settings of its own', { skip, timeout: 300_000 }, () => {
  /** On another database: the settings also hold for a connection of this test. */
  const alter = (database: ScratchDatabase, chosen: readonly string[]): Promise<void> => {
    const begin = `alter database ${new URL(database.database_url).pathname.slice(1)}`;
    const sql = [`${begin} reset all`, ...chosen.map((setting) => `${begin} set ${setting}`)].join(';');
    return changeRows({ name: 'postgres', database_url: postgres_url }, sql);
  };
  const create_elsewhere = 'create schema elsewhere';

  it('works with each of them, in use before and after', async (t) => {
    const database = await migratedDatabase('postgres');
    t.after(() => database.dispose());
    await changeRows(database, create_elsewhere);
    const keys = createKeyRingText();
    const metadata = { note: String.raw`Grüße \ 'quoted'` };
    const ids: string[] = [];
    for (const setting of settings) {
      await t.test(setting, async () => {
        await alter(database, [setting]);
        await using tally = await createTallystick({ database: database.database_url, keys, sandbox: true });
        await tally.migrate();
        const { cards } = tally.company(1);
        ids.push((await cards.issue({ total_card_amount: 2_000, metadata })).id);
        for (const id of ids) assert.deepEqual((await cards.read(id)).metadata, metadata);
      });
    }
  });

  it('is created by a server with all of them, and used by the next one', async (t) => {
    const database = await scratchDatabase('postgres');
    t.after(() => database.dispose());
    await changeRows(database, create_elsewhere);
    await alter(database, settings);
    const start = async () => {
      const server = await startServer(database);
      t.after(() => server.kill());
      return { server, client: createSandboxClient(server.url) };
    };
    const first = await start();
    const { data } = await first.client.post('client', '/v1/virtualcards', { data: { total_card_amount: 100 } });
    await first.server.stop();
    const { id } = data as { readonly id: string };
    const second = await start();
    const answer = await second.client.get(`/v1/virtualcards/${id}`);
    assert.equal((answer.data as Json & { readonly id: string }).id, id);
    assert.equal((await second.server.stop()).code, 0);
    await alter(database, []);
    const places = `select distinct schemaname from pg_tables where tablename like 'tallystick%'`;
    assert.deepEqual(await readRows(database, places), [{ schemaname: 'public' }]);
  });

  it('is used as it is when its role or database only reads, and the start says so', async (t) => {
    const database = await scratchDatabase('postgres');
    t.after(() => database.dispose());
    await alter(database, ['default_transaction_read_only = on']);
    await assert.rejects(startServer(database), /cannot be used: .*read-only/);
  });
});
