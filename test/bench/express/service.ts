import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { sandbox_keys } from '@tallystick/test-support';
import { Queue } from 'bullmq';
import express from 'express';
import pg from 'pg';
import type { authorizationBody } from '../http-requests.ts';

/**
 * The service that a good engineer writes first: Express, a pool of `pg`, one transaction for each
 * request that locks its card, and a job of BullMQ for each event and webhook. A process of its own,
 * with the words: database, size of the pool, Redis, prefix of the queue. Sends its port to its
 * parent.
 */
const [connectionString, pool_size, redis_url = '', prefix = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: Number(pool_size) });
const queue = new Queue('webhooks', { connection: { url: redis_url }, prefix });
const webhooks = (await pool.query<{ id: string; company_id: string }>('select id, company_id from webhooks')).rows;
const key = Buffer.from(`Bearer ${sandbox_keys.network}`);

interface Card {
  readonly id: string;
  readonly company_id: string;
  readonly last4: string;
  readonly status: string;
  readonly currency: string;
  readonly amount_max: string;
  readonly held: string;
  readonly valid: boolean;
}

type Authorization = ReturnType<typeof authorizationBody>;

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use((request, response, next) => {
  const sent = Buffer.from(request.get('authorization') ?? '');
  if (sent.length === key.length && timingSafeEqual(sent, key)) next();
  else response.status(401).json({ error: 'unauthorized' });
});
app.post('/network/v1/authorizations', express.json(), async (request, response) => {
  const { data: sent } = request.body as { readonly data: Authorization };
  const client = await pool.connect();
  try {
    await client.query('begin');
    const answer = await authorize(client, sent);
    await client.query('commit');
    if (answer !== null) await notify(answer.event_id, answer.company_id);
    if (answer === null) response.status(404).json({ error: 'unknown card' });
    else response.json({ data: answer.payload });
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    console.error(error);
    response.status(500).json({ error: 'internal error' });
  } finally {
    client.release();
  }
});

async function authorize(client: pg.PoolClient, sent: Authorization) {
  const number_hash = createHash('sha256').update(sent.card_number).digest();
  const [card] = (
    await client.query<Card>({
      name: 'find card',
      text: `select id, company_id, last4, status, currency, amount_max, held,
               current_date between valid_from and valid_until as valid
             from cards where number_hash = $1 for update`,
      values: [number_hash],
    })
  ).rows;
  if (card === undefined) return null;
  const decline_reason = declineReason(card, sent);
  const approval_code =
    decline_reason === null
      ? randomInt(36 ** 6)
          .toString(36)
          .toUpperCase()
          .padStart(6, '0')
      : null;
  const { card_number, ...kept } = sent;
  const inserted = await client.query<{ id: string }>({
    name: 'insert authorization',
    text: `insert into authorizations (card_id, trace_id, amount, approval_code, decline_reason, request)
           values ($1, $2, $3, $4, $5, $6) returning id`,
    values: [card.id, sent.trace_id, sent.billing_amount, approval_code, decline_reason, JSON.stringify(kept)],
  });
  if (decline_reason === null) {
    await client.query({
      name: 'update card',
      text: 'update cards set held = held + $1, uses = uses + 1 where id = $2',
      values: [sent.billing_amount, card.id],
    });
  }
  const payload = {
    ...kept,
    id: Number(inserted.rows[0]!.id),
    card_id: Number(card.id),
    card_number: `************${card.last4}`,
    status: decline_reason === null ? 'open' : 'declined',
    decline_reason,
    response_code: decline_reason === null ? '00' : '05',
    approval_code,
  };
  const event = await client.query<{ id: string }>({
    name: 'insert event',
    text: 'insert into events (company_id, type, payload) values ($1, $2, $3) returning id',
    values: [card.company_id, 'authorization', JSON.stringify(payload)],
  });
  return { event_id: event.rows[0]!.id, company_id: card.company_id, payload };
}

function declineReason(card: Card, sent: Authorization): string | null {
  if (card.status !== 'active') return 'card is not active';
  if (!card.valid) return 'card is not valid today';
  if (sent.billing_currency !== card.currency) return 'other currency';
  if (Number(card.held) + sent.billing_amount > Number(card.amount_max)) return 'limit exceeded';
  return null;
}

async function notify(event_id: string, company_id: string): Promise<void> {
  const of_company = webhooks.filter((webhook) => webhook.company_id === company_id);
  if (of_company.length === 0) return;
  const opts = { attempts: 8, backoff: { type: 'exponential', delay: 1_000 }, removeOnComplete: true };
  await queue.addBulk(of_company.map(({ id }) => ({ name: 'deliver', data: { event_id, webhook_id: id }, opts })));
}

const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port, numbers: [] });
});
server.keepAliveTimeout = 65_000;
