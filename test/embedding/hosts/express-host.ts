/** Express and pg: the pool of the host is that of Tallystick, which has a schema of its own. */
import { createServer } from 'node:http';
import express, { type ErrorRequestHandler } from 'express';
import pg from 'pg';
import { createTallystick, isRefusal } from 'tallystick';
import { fromPg } from 'tallystick/tx';
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

async function open({ database_url, keys }: OpenOptions): Promise<RunningHost> {
  const pool = new pg.Pool({ connectionString: database_url });
  for (const text of host_tables) await pool.query(text);
  const tally = await createTallystick({ database: pool, schema: 'cards', keys });
  await tally.migrate();
  const company_id = await openCompany(tally);
  const { cards } = tally.company(company_id);

  /** The host begins and ends its transaction itself. */
  async function placeOrder(request: OrderRequest): Promise<Order> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const card = await cards.issue({ total_card_amount: request.amount }, { tx: fromPg(client) });
      const order = orderOf(request, card.id);
      await client.query('insert into orders (id, item, card_id) values ($1, $2, $3)', [
        order.id,
        order.item,
        order.card_id,
      ]);
      assertInStock(request);
      await client.query('commit');
      return order;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  const orders = async () => (await pool.query<Order>('select id, item, card_id from orders order by id')).rows;
  await tally.subscribe('ledger', ledger_types, writeLedger);
  await tally.start();

  const app = express();
  app.use('/cards', tally.nodeHandler());
  app.use(express.json());
  app.get('/orders', async (_request, response) => {
    response.json(await orders());
  });
  app.post('/orders', async (request, response) => {
    response.status(201).json(await placeOrder(request.body));
  });
  const answerErrors: ErrorRequestHandler = (error, _request, response, _next) => {
    if (error instanceof SoldOut) response.status(409).json({ error: error.message });
    else if (isRefusal(error)) response.status(422).json({ error: error.message });
    else response.status(500).json({ error: 'unexpected' });
  };
  app.use(answerErrors);
  const server = createServer(app);
  return {
    tally,
    company_id,
    address: await listen(server),
    orders,
    ledger: async () => (await pool.query('select event_id, event_type, card_id from ledger')).rows,
    async close() {
      await stop(server);
      await tally.close();
      await pool.end();
    },
  };
}

export const express_host: HostApplication = { name: 'Express with pg', databases: ['postgres'], open };
