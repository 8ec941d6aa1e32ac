import { createHmac } from 'node:crypto';
import { type Job, Worker } from 'bullmq';
import pg from 'pg';
import { Agent } from 'undici';

/**
 * The worker of the same service: posts an event to a webhook, signed, and records the delivery. A
 * process of its own, with the words: database, size of the pool, Redis, prefix of the queue, jobs
 * at the same time. Tells its parent when it is ready.
 */
const [connectionString, pool_size, redis_url = '', prefix = '', concurrency] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: Number(pool_size) });
// The receivers' certificate is their own.
const agent = new Agent({ connections: 8, connect: { rejectUnauthorized: false } });

interface Delivery {
  readonly type: string;
  readonly payload: unknown;
  readonly created_at: Date;
  readonly url: string;
  readonly secret: string;
}

async function deliver(job: Job<{ event_id: string; webhook_id: string }>): Promise<void> {
  const { event_id, webhook_id } = job.data;
  const found = await pool.query<Delivery>({
    name: 'find delivery',
    text: `select e.type, e.payload, e.created_at, w.url, w.secret from events e cross join webhooks w
           where e.id = $1 and w.id = $2`,
    values: [event_id, webhook_id],
  });
  const { type, payload, created_at, url, secret } = found.rows[0]!;
  const body = JSON.stringify({ data: { type, payload, date: created_at } });
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', secret).update(`${timestamp}\nPOST\n${url}\n${body}`).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-timestamp': timestamp, 'x-signature': signature };
  const answer = await agent.request({ origin: url, path: '/', method: 'POST', headers, body });
  await answer.body.dump();
  await pool.query({
    name: 'insert delivery',
    text: 'insert into deliveries (event_id, webhook_id, status) values ($1, $2, $3)',
    values: [event_id, webhook_id, answer.statusCode],
  });
  if (answer.statusCode >= 300) throw new Error(`status ${answer.statusCode}`);
}

const worker = new Worker('webhooks', deliver, {
  connection: { url: redis_url },
  prefix,
  concurrency: Number(concurrency),
});
await worker.waitUntilReady();
process.send?.({ port: 0, numbers: [] });
