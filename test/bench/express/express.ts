import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { redis_url, scratchDatabase } from '@tallystick/test-support';
import { Queue } from 'bullmq';
import pg from 'pg';
import { filler, startReceivers, startService, timed } from '../deliveries.ts';
import {
  closedLoop,
  costOf,
  type LoadCost,
  type LoadResult,
  manyInOne,
  pacedLoad,
  type RequestText,
} from '../http-load.ts';
import { authorizationLine, many_messages_head } from '../http-requests.ts';
import { type HttpServer, requestsTo, startBenchServer, startHttpServer } from '../http-servers.ts';
import type { Bench, BenchOptions } from '../main.ts';
import { interleave, percentile, type Row, row } from '../measure.ts';

const cards = 500;
const pool_sizes = [8, 16, 32];
const endpoints = 64;
const job_counts = [64, 256];
/** Lines of one request that are not answered yet. */
const lines_in_flight = 256;
const baseline_name = 'Express, pg, BullMQ';

/**
 * The service on Postgres against the one that a good engineer writes first (`service.ts`,
 * `worker.ts`), on the same server: decisions, their latency, deliveries. Every approved answer must
 * be a row, and the held amounts their sum.
 */
export const express: Bench = {
  name: 'express',
  async run(options) {
    if (!options.postgres) return [];
    return [...(await decisions(options)), await deliveries(options)];
  },
};

async function decisions({ quick, repetitions, log }: BenchOptions): Promise<readonly Row[]> {
  const count = quick ? 2_000 : 10_000;
  const seconds = quick ? 0.5 : 4;
  const our_database = await scratchDatabase('postgres');
  await using their_database = await peerDatabase();
  const our_server = await startHttpServer('ours', our_database.database_url);
  const ours = countedFrom(our_server);
  const line = requestsTo(our_server.numbers, authorizationLine);
  const { prefix } = their_database;
  const start = async (pool_size: number) => {
    const words = [their_database.database_url, String(pool_size), redis_url, prefix];
    const server = await startBenchServer('express/service.ts', words);
    return countedFrom({ ...server, numbers: their_database.numbers });
  };
  log(`authorizations over HTTP on Postgres, ${count} each time; the peer with ${pool_sizes.join(', ')} connections`);
  const settings = [];
  for (const pool_size of pool_sizes) {
    const server = await start(pool_size);
    for (const part of [0.3, 0.5]) {
      const { per_second } = await server.run((to, request) => closedLoop(to, count * part, request));
      settings[pool_sizes.indexOf(pool_size)] = { pool_size, per_second };
    }
    server.stop();
    their_database.approved_count += server.approved_count;
  }
  const best = settings.toSorted((a, b) => b.per_second - a.per_second)[0]!;
  const theirs = await start(best.pool_size);
  const peak = async ({ run }: Counted) => (await run((to, request) => closedLoop(to, count, request))).per_second;
  const manyAtPeak = async () =>
    (await ours.run((to) => manyInOne(to, many_messages_head, count, lines_in_flight, line))).per_second;
  for (const server of [ours, theirs]) await peak(server);
  await manyAtPeak();
  const peaks = await interleave(repetitions, {
    ours: () => peak(ours),
    many: manyAtPeak,
    baseline: () => peak(theirs),
  });

  log(`both at the peak of the peer, ${Math.round(peaks.baseline)}/s, ${seconds} s each`);
  let load: LoadCost | null = null;
  const p99AtPeak = async ({ run }: Counted) => {
    const paced = await run((to, request) =>
      pacedLoad(to, Math.round(peaks.baseline * seconds), peaks.baseline, request),
    );
    load = paced.load;
    return percentile(paced.latencies_ms, 0.99);
  };
  const p99s = await interleave(repetitions, { ours: () => p99AtPeak(ours), baseline: () => p99AtPeak(theirs) });

  for (const server of [ours, theirs]) server.stop();
  their_database.approved_count += theirs.approved_count;
  await mustAccountFor(
    our_database.database_url,
    ours.approved_count,
    `select count(*) as count, sum(billing_amount) as amount, (select sum(held) from tallystick_virtual_cards) as held
     from tallystick_authorizations where decline_code is null`,
  );
  await mustAccountFor(
    their_database.database_url,
    their_database.approved_count,
    `select count(*) as count, sum(amount) as amount, (select sum(held) from cards) as held
     from authorizations where decline_reason is null`,
  );
  await our_database.dispose();
  const tried = settings.map(({ pool_size, per_second }) => `${pool_size}: ${Math.round(per_second)}/s`).join(', ');
  return [
    row(
      'authorizations over HTTP, Postgres',
      '/s',
      { ours: peaks.ours, baseline: peaks.baseline, baseline_name },
      { kind: 'at_least', ratio: 3 },
      `connections of the peer: ${tried}`,
    ),
    row('the same, many in one request', '/s', { ours: peaks.many, baseline: peaks.baseline, baseline_name }, null),
    row(
      'p99 of these at the peak of the peer',
      'ms',
      { ...p99s, baseline_name },
      { kind: 'at_most', ratio: 0.5 },
      load === null ? null : costOf(load),
    ),
  ];
}

async function deliveries({ quick, repetitions, log }: BenchOptions): Promise<Row> {
  const count = quick ? 1_280 : 6_400;
  log(`${count} deliveries to ${endpoints} TLS endpoints, Postgres`);
  await using receivers = await startReceivers(endpoints, 0);
  await using service = await startService(receivers.live, [], 'postgres');
  await using peer = await peerDatabase();
  const client = new pg.Client(peer.database_url);
  await client.connect();
  const urls = receivers.live.map((port) => `https://127.0.0.1:${port}`);
  await client.query(
    `insert into webhooks (company_id, url, secret) select 1, url, 'a secret of sixteen or more' from unnest($1::text[]) url`,
    [urls],
  );
  const queue = new Queue('webhooks', { connection: { url: redis_url }, prefix: peer.prefix });
  const opts = { attempts: 8, backoff: { type: 'exponential', delay: 1_000 }, removeOnComplete: true };
  let delivered = 0;
  const happen = async () => {
    for (let from = 0; from < count; from += 500) {
      const length = Math.min(500, count - from);
      const { rows } = await client.query<{ id: string }>(
        `insert into events (company_id, type, payload) select 1, 'authorization', $1 from generate_series(1, $2) returning id`,
        [JSON.stringify(filler), length],
      );
      const webhookOf = (at: number) => String(((from + at) % urls.length) + 1);
      const jobs = rows.map(({ id }, at) => ({ event_id: id, webhook_id: webhookOf(at) }));
      await queue.addBulk(jobs.map((data) => ({ name: 'deliver', data, opts })));
    }
    delivered += count;
  };
  const startWorker = (jobs: number) =>
    startBenchServer('express/worker.ts', [peer.database_url, '16', redis_url, peer.prefix, String(jobs)]);
  const settings = [];
  for (const jobs of job_counts) {
    const worker = await startWorker(jobs);
    settings.push({ jobs, per_second: await timed(receivers, count, happen) });
    // What is not recorded yet would be posted again.
    await untilDelivered(client, delivered);
    worker.stop();
  }
  const best = settings.toSorted((a, b) => b.per_second - a.per_second)[0]!;
  const worker = await startWorker(best.jobs);
  const ours = () => timed(receivers, count, () => service.happen(service.live, count));
  const theirs = async () => {
    const per_second = await timed(receivers, count, happen);
    await untilDelivered(client, delivered);
    return per_second;
  };
  await ours();
  await theirs();
  const medians = await interleave(repetitions, { ours, baseline: theirs });
  worker.stop();
  await queue.close();
  await client.end();
  const tried = settings.map(({ jobs, per_second }) => `${jobs}: ${Math.round(per_second)}/s`).join(', ');
  return row(
    'webhook deliveries, 64 endpoints, Postgres',
    '/s',
    { ...medians, baseline_name },
    { kind: 'at_least', ratio: 2 },
    `jobs of the peer at the same time: ${tried}`,
  );
}

/** Resolves when the worker has recorded all deliveries; throws if it does not within 10 s. */
async function untilDelivered(client: pg.Client, expected: number): Promise<void> {
  for (let turn = 0; turn < 1_000; turn += 1) {
    const { rows } = await client.query('select count(*)::int as count from deliveries where status = 200');
    if (rows[0].count === expected) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`the peer did not record ${expected} deliveries`);
}

interface PeerDatabase extends AsyncDisposable {
  readonly database_url: string;
  readonly numbers: readonly string[];
  /** Of its queue in Redis. */
  readonly prefix: string;
  approved_count: number;
}

let made = 0;

async function peerDatabase(): Promise<PeerDatabase> {
  const database = await scratchDatabase('postgres');
  const client = new pg.Client(database.database_url);
  await client.connect();
  await client.query(readFileSync(new URL('tables.sql', import.meta.url), 'utf8'));
  const numbers = Array.from({ length: cards }, (_, at) => `555555${String(at).padStart(10, '0')}`);
  await client.query(
    `insert into cards (company_id, number_hash, last4, amount_max) select 1, hash, last4, 1000000000000
     from unnest($1::bytea[], $2::text[]) as card (hash, last4)`,
    [numbers.map((number) => createHash('sha256').update(number).digest()), numbers.map((number) => number.slice(-4))],
  );
  await client.query('analyze');
  await client.end();
  made += 1;
  const prefix = `bench-${process.pid}-${made}`;
  return {
    database_url: database.database_url,
    numbers,
    prefix,
    approved_count: 0,
    async [Symbol.asyncDispose]() {
      const queue = new Queue('webhooks', { connection: { url: redis_url }, prefix });
      await queue.obliterate({ force: true });
      await queue.close();
      await database.dispose();
    },
  };
}

/** A server and the approved answers that it has sent. */
interface Counted {
  readonly approved_count: number;
  readonly run: <Result extends Pick<LoadResult, 'approved_count'>>(
    load: (to: HttpServer, request: RequestText) => Promise<Result>,
  ) => Promise<Result>;
  readonly stop: () => void;
}

function countedFrom(server: HttpServer): Counted {
  const request = requestsTo(server.numbers);
  let approved_count = 0;
  return {
    get approved_count() {
      return approved_count;
    },
    async run(load) {
      const result = await load(server, request);
      approved_count += result.approved_count;
      return result;
    },
    stop: () => server.stop(),
  };
}

/** Throws unless each approved answer is a row, and the cards hold the sum of the rows. */
async function mustAccountFor(database_url: string, approved_count: number, sql: string): Promise<void> {
  const client = new pg.Client(database_url);
  await client.connect();
  const { rows } = await client.query<{ count: string; amount: string; held: string }>(sql);
  await client.end();
  const { count, amount, held } = rows[0]!;
  if (Number(count) === approved_count && amount === held) return;
  throw new Error(
    `void: ${approved_count} approved answers, ${count} authorizations of ${amount} in all, ${held} held on the cards`,
  );
}
