// transactions.ts
import type { EntityManager } from '@mikro-orm/postgresql';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Kysely, PostgresDialect } from 'kysely';
import { createTallystick } from 'tallystick';
import { fromDrizzle, fromKysely, fromMikroOrm } from 'tallystick/tx';
import { pool, tally } from './tally.ts';

interface Tables {
  readonly orders: { readonly amount: number; readonly card_id: string };
}

export async function withKysely(company_id: string): Promise<void> {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  await db.transaction().execute(async (trx) => {
    const { cards } = tally.company(company_id);
    const { id } = await cards.issue({ total_card_amount: 500 }, { tx: fromKysely(trx) });
    await trx.insertInto('orders').values({ amount: 500, card_id: id }).execute();
  });
}

export async function withDrizzle(company_id: string): Promise<void> {
  const db = drizzle(pool);
  await db.transaction(async (tx) => {
    const { cards } = tally.company(company_id);
    await cards.issue({ total_card_amount: 500 }, { tx: fromDrizzle(tx) });
  });
}

export async function withMikroOrm(em: EntityManager, company_id: string): Promise<void> {
  await em.transactional(async (its_own) => {
    const { cards } = tally.company(company_id);
    await cards.issue({ total_card_amount: 500 }, { tx: fromMikroOrm(its_own) });
  });
}

export async function onSqlite(file: string): Promise<number> {
  const database = new Database(file);
  await using other = await createTallystick({ database, sandbox: true });
  await other.migrate();
  database.exec('create table orders (card_id integer)');
  const changes = await other.transaction(database, async (tx, native) => {
    const { id } = await other.company(1).cards.issue({ total_card_amount: 500 }, { tx });
    return native.prepare('insert into orders values (?)').run(id).changes;
  });
  database.close();
  return changes;
}
