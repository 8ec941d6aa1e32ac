/**
 * Hono and Drizzle: the interface as a function of the Fetch standard. Statements of Drizzle return
 * at once on SQLite, and promises on Postgres, so each database has its own code for orders.
 */
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import Database from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import { drizzle as drizzleOnSqlite } from 'drizzle-orm/better-sqlite3';
import { drizzle as drizzleOnPostgres } from 'drizzle-orm/node-postgres';
import { pgTable, varchar } from 'drizzle-orm/pg-core';
import { sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core';
import { Hono } from 'hono';
import pg from 'pg';
import { type CompanyOperations, createTallystick, isRefusal, type Tallystick } from 'tallystick';
import { fromDrizzle } from 'tallystick/tx';
import {
  assertInStock,
  type HostApplication,
  host_tables,
  type LedgerEntry,
  ledger_types,
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

/** The host's own tables in one database. */
interface Shop {
  /** The option of `createTallystick`. */
  readonly handle: pg.Pool | Database.Database;
  place(tally: Tallystick, cards: CompanyOperations['cards'], request: OrderRequest): Promise<Order>;
  orders(): Promise<readonly Order[]>;
  ledger(): Promise<readonly LedgerEntry[]>;
  close(): Promise<void>;
}

const select_ledger = sql.raw('select event_id, event_type, card_id from ledger');

async function shopOnPostgres(database_url: string): Promise<Shop> {
  const pool = new pg.Pool({ connectionString: database_url });
  const db = drizzleOnPostgres(pool);
  for (const text of host_tables) await db.execute(sql.raw(text));
  const orders = pgTable('orders', {
    id: varchar({ length: 40 }).primaryKey(),
    item: varchar({ length: 100 }).notNull(),
    card_id: varchar({ length: 20 }).notNull(),
  });
  return {
    handle: pool,
    place: (_tally, cards, request) =>
      db.transaction(async (tx) => {
        const card = await cards.issue({ total_card_amount: request.amount }, { tx: fromDrizzle(tx) });
        const order = orderOf(request, card.id);
        await tx.insert(orders).values(order);
        assertInStock(request);
        return order;
      }),
    orders: () => db.select().from(orders).orderBy(orders.id),
    ledger: async () => (await db.execute<LedgerEntry & Record<string, unknown>>(select_ledger)).rows,
    close: () => pool.end(),
  };
}

async function shopOnSqlite(file: string): Promise<Shop> {
  const database = new Database(file);
  const db = drizzleOnSqlite(database);
  for (const text of host_tables) db.run(sql.raw(text));
  const orders = sqliteTable('orders', {
    id: sqliteText().primaryKey(),
    item: sqliteText().notNull(),
    card_id: sqliteText().notNull(),
  });
  return {
    handle: database,
    place: (tally, cards, request) =>
      tally.transaction(db, async (_tx, native) => {
        const card = await cards.issue({ total_card_amount: request.amount }, { tx: fromDrizzle(native) });
        const order = orderOf(request, card.id);
        native.insert(orders).values(order).run();
        assertInStock(request);
        return order;
      }),
    orders: async () => db.select().from(orders).orderBy(orders.id).all(),
    ledger: async () => db.all<LedgerEntry>(select_ledger),
    close: async () => void database.close(),
  };
}

async function open({ database_url, keys }: OpenOptions): Promise<RunningHost> {
  const sqlite_file = /^sqlite:(.+)/.exec(database_url)?.[1];
  const shop = sqlite_file === undefined ? await shopOnPostgres(database_url) : await shopOnSqlite(sqlite_file);
  const tally = await createTallystick({ database: shop.handle, keys });
  await tally.migrate();
  const company_id = await openCompany(tally);
  const { cards } = tally.company(company_id);
  await tally.subscribe('ledger', ledger_types, writeLedger);
  await tally.start();

  const app = new Hono();
  const handler = tally.fetchHandler({ prefix: '/cards' });
  app.all('/cards/*', (c) => handler(c.req.raw));
  app.onError((error, c) =>
    c.json({ error: error.message }, error instanceof SoldOut ? 409 : isRefusal(error) ? 422 : 500),
  );
  app.get('/orders', async (c) => c.json(await shop.orders()));
  app.post('/orders', async (c) => c.json(await shop.place(tally, cards, await c.req.json<OrderRequest>()), 201));
  const { server, address } = await new Promise<{ server: Server; address: string }>((resolve) => {
    const served = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
      resolve({ server: served as Server, address: `http://127.0.0.1:${port}` }),
    );
  });
  return {
    tally,
    company_id,
    address,
    orders: shop.orders,
    ledger: shop.ledger,
    async close() {
      await stop(server);
      await tally.close();
      await shop.close();
    },
  };
}

export const hono_host: HostApplication = { name: 'Hono with Drizzle', databases: ['sqlite', 'postgres'], open };
