/**
 * Fastify and Kysely: Tallystick gets the handle below Kysely. On SQLite its tables have a prefix in
 * the file of the host.
 */
import Database from 'better-sqlite3';
import fastify from 'fastify';
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely';
import pg from 'pg';
import { createTallystick, isRefusal } from 'tallystick';
import { fromKysely } from 'tallystick/tx';
import {
  assertInStock,
  type HostApplication,
  host_tables,
  type LedgerEntry,
  ledger_types,
  listen,
  type OpenOptions,
  type Order,
  type OrderRequest,
  openCompany,
  orderOf,
  type RunningHost,
  SoldOut,
  stop,
  writeLedger,
} from './host.ts';

interface Tables {
  readonly orders: Order;
  readonly ledger: LedgerEntry;
}

function openHandle(database_url: string) {
  const sqlite_file = /^sqlite:(.+)/.exec(database_url)?.[1];
  if (sqlite_file === undefined) {
    const pool = new pg.Pool({ connectionString: database_url });
    return { dialect: new PostgresDialect({ pool }), options: { database: pool } };
  }
  const database = new Database(sqlite_file);
  return { dialect: new SqliteDialect({ database }), options: { database } };
}

async function open({ database_url, keys }: OpenOptions): Promise<RunningHost> {
  const { dialect, options } = openHandle(database_url);
  const db = new Kysely<Tables>({ dialect });
  for (const text of host_tables) await sql.raw(text).execute(db);
  const tally = await createTallystick({ ...options, keys });
  await tally.migrate();
  const company_id = await openCompany(tally);
  const { cards } = tally.company(company_id);

  async function placeOrder(request: OrderRequest): Promise<Order> {
    return await tally.transaction(db, async (_tx, trx) => {
      const card = await cards.issue({ total_card_amount: request.amount }, { tx: fromKysely(trx) });
      const order = orderOf(request, card.id);
      await trx.insertInto('orders').values(order).execute();
      assertInStock(request);
      return order;
    });
  }

  const orders = () => db.selectFrom('orders').selectAll().orderBy('id').execute();
  await tally.subscribe('ledger', ledger_types, writeLedger);
  await tally.start();

  const app = fastify();
  const handler = tally.nodeHandler({ prefix: '/cards' });
  await app.register(async (scope) => {
    // The parsers of the host stay away from these bodies.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.all('/cards/*', (request, reply) => {
      reply.hijack();
      handler(request.raw, reply.raw);
    });
  });
  app.setErrorHandler(async (error, _request, reply) => {
    const status = error instanceof SoldOut ? 409 : isRefusal(error) ? 422 : 500;
    return await reply.code(status).send({ error: (error as Error).message });
  });
  app.get('/orders', orders);
  app.post<{ Body: OrderRequest }>('/orders', async ({ body }, reply) => reply.code(201).send(await placeOrder(body)));
  await app.ready();
  return {
    tally,
    company_id,
    address: await listen(app.server),
    orders,
    ledger: () => db.selectFrom('ledger').selectAll().execute(),
    async close() {
      await stop(app.server);
      await app.close();
      await tally.close();
      await db.destroy();
    },
  };
}

export const fastify_host: HostApplication = { name: 'Fastify with Kysely', databases: ['sqlite', 'postgres'], open };
