/** A host that issues cards in its own transactions, as fast as it can, until it is killed. */
import { fixedClock } from '@tallystick/kernel';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import Database from 'better-sqlite3';
import pg from 'pg';
import { transaction } from '../../apps/embedded/src/tx/index.ts';
import { host_keys, issueIn, start_ms } from './host-world.ts';

let database: Database.Database | undefined;
let pool: pg.Pool | undefined;

const [database_url = '', company_id = ''] = process.argv.slice(2);
const persistence = await mikroOrmPersistence({
  database_url,
  clock: fixedClock(start_ms),
  audit_mac: host_keys.audit_mac,
});

for (let row = 1; ; row += 1) {
  const text = `insert into host_rows (id) values (${row})`;
  await (database_url.startsWith('sqlite:') ? onSqlite(text) : onPostgres(text));
  process.stdout.write(`${row}\n`);
}

async function onSqlite(text: string): Promise<void> {
  database ??= new Database(database_url.slice('sqlite:'.length));
  await transaction(database, async (tx, native) => {
    native.exec(text);
    await issueIn(persistence.joining(tx), Number(company_id));
  });
}

async function onPostgres(text: string): Promise<void> {
  pool ??= new pg.Pool({ connectionString: database_url });
  await transaction(pool, async (tx, client) => {
    await client.query(text);
    await issueIn(persistence.joining(tx), Number(company_id));
  });
}
