/** Koa and MikroORM: Tallystick opens the database by the same address. */
import { createServer } from 'node:http';
import bodyParser from '@koa/bodyparser';
import { EntitySchema, type MikroORM } from '@mikro-orm/core';
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import Koa from 'koa';
import mount from 'koa-mount';
import { createTallystick, isRefusal } from 'tallystick';
import { fromMikroOrm } from 'tallystick/tx';
import {
  assertInStock,
  type HostApplication,
  host_tables,
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

const OrderEntity = new EntitySchema<Order>({
  name: 'Order',
  tableName: 'orders',
  properties: {
    id: { type: 'string', primary: true },
    item: { type: 'string' },
    card_id: { type: 'string', fieldName: 'card_id' },
  },
});

async function openOrm(database_url: string): Promise<MikroORM> {
  const entities = [OrderEntity];
  const sqlite_file = /^sqlite:(.+)/.exec(database_url)?.[1];
  return sqlite_file === undefined
    ? ((await PostgresOrm.init({ entities, clientUrl: database_url })) as never)
    : ((await SqliteOrm.init({ entities, dbName: sqlite_file })) as never);
}

async function open({ database_url, keys }: OpenOptions): Promise<RunningHost> {
  const orm = await openOrm(database_url);
  for (const text of host_tables) await orm.em.getConnection().execute(text);
  const tally = await createTallystick({ database: database_url, keys });
  await tally.migrate();
  const company_id = await openCompany(tally);
  const { cards } = tally.company(company_id);

  async function placeOrder(request: OrderRequest): Promise<Order> {
    return await tally.transaction(orm, async (_tx, em) => {
      const card = await cards.issue({ total_card_amount: request.amount }, { tx: fromMikroOrm(em) });
      const order = em.create(OrderEntity, orderOf(request, card.id));
      await em.persist(order).flush();
      assertInStock(request);
      return order;
    });
  }

  async function orders(): Promise<readonly Order[]> {
    const found = await orm.em.fork().find(OrderEntity, {}, { orderBy: { id: 'asc' } });
    return found.map(({ id, item, card_id }) => ({ id, item, card_id }));
  }

  await tally.subscribe('ledger', ledger_types, writeLedger);
  await tally.start();

  const app = new Koa();
  app.use(mount('/cards', tally.koaMiddleware() as Koa.Middleware));
  app.use(async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      ctx.status = error instanceof SoldOut ? 409 : isRefusal(error) ? 422 : 500;
      ctx.body = { error: (error as Error).message };
    }
  });
  app.use(bodyParser());
  app.use(async (ctx) => {
    if (ctx.path !== '/orders') return;
    if (ctx.method === 'POST') {
      ctx.body = await placeOrder(ctx.request.body as OrderRequest);
      ctx.status = 201;
    } else ctx.body = await orders();
  });
  const server = createServer(app.callback());
  return {
    tally,
    company_id,
    address: await listen(server),
    orders,
    ledger: () => orm.em.getConnection().execute('select event_id, event_type, card_id from ledger'),
    async close() {
      await stop(server);
      await tally.close();
      await orm.close(true);
    },
  };
}

export const koa_host: HostApplication = { name: 'Koa with MikroORM', databases: ['sqlite', 'postgres'], open };
