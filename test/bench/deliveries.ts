import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createRealCard, issueCard, normalizeAuthorization, revealNumbers } from '@tallystick/cards';
import { createWebhook } from '@tallystick/events';
import {
  type ServerProcess,
  scratchDatabase,
  serverEnvironment,
  startLocalRedis,
  startServer,
} from '@tallystick/test-support';
import { Agent } from 'undici';
import { readConfig } from '../../apps/server/src/configuration/config.ts';
import { closeContainer, createContainer, tokens } from '../../apps/server/src/container.ts';
import type { DatabaseName } from './filled-database.ts';
import { authorizationBody } from './http-requests.ts';
import type { Bench } from './main.ts';
import { interleave, median, monotonicNow, percentile, type Row, row } from './measure.ts';

const endpoints = 64;
const live_endpoints = 90;
const hanging_endpoints = 10;
const per_endpoint = 8;
const pace_per_s = 500;

/**
 * Webhook deliveries from the server of one process on SQLite, against a bare undici loop to the
 * same receivers.
 */
export const deliveries: Bench = {
  name: 'deliveries',
  async run({ quick, repetitions, postgres, log }) {
    const rows: Row[] = [];
    const count = quick ? 640 : 12_800;
    log(`${count} deliveries to ${endpoints} TLS endpoints on loopback`);
    rows.push(await throughput(count, repetitions));
    log(`deliveries to ${live_endpoints} endpoints while ${hanging_endpoints} hang`);
    rows.push(await besideHanging(quick ? 10 : 120, repetitions));
    log(
      `from commit to the first byte, ${pace_per_s}/s, ${hanging_endpoints} of ${live_endpoints + hanging_endpoints} endpoints hang`,
    );
    rows.push(await latency(quick ? 250 : 2_500, repetitions));
    if (!postgres) return rows;
    for (const workers of [1, 4]) {
      log(`${count} deliveries, Bull, Postgres, workers: ${workers}`);
      rows.push(await throughWorkers(workers, count, repetitions));
    }
    return rows;
  },
};

async function throughput(count: number, repetitions: number): Promise<Row> {
  await using receivers = await startReceivers(endpoints, 0);
  await using service = await startService(receivers.live, []);
  await using bare = barePoster(receivers.live);
  const warm_up = count / 4;
  await timed(receivers, warm_up, () => service.happen(service.live, warm_up));
  await timed(receivers, warm_up, () => bare.post(warm_up));
  const medians = await interleave(repetitions, {
    ours: () => timed(receivers, count, () => service.happen(service.live, count)),
    baseline: () => timed(receivers, count, () => bare.post(count)),
  });
  return row(
    'webhook deliveries, 64 endpoints, SQLite',
    '/s',
    { ...medians, baseline_name: 'bare undici loop with an HMAC' },
    { kind: 'at_least', ratio: 0.6 },
    'ours from the committed events to the last request, including the database',
  );
}

/**
 * Deliveries by worker processes, of events that this process commits. They share the cores with
 * Postgres, Redis and the receivers.
 */
async function throughWorkers(count_of_workers: number, count: number, repetitions: number): Promise<Row> {
  const redis = await startLocalRedis();
  const workers: ServerProcess[] = [];
  try {
    await using receivers = await startReceivers(endpoints, 0);
    await using bare = barePoster(receivers.live);
    const shared = { REDIS_URL: redis.url, LOG_LEVEL: 'silent' };
    await using service = await startService(receivers.live, [], 'postgres', { ...shared, ROLE: 'api' });
    const { database_url } = service;
    while (workers.length < count_of_workers) {
      workers.push(await startServer({ database_url, env: { ...shared, ROLE: 'worker' } }));
    }
    const ours = () => timed(receivers, count, () => service.happen(service.live, count));
    const baseline = () => timed(receivers, count, () => bare.post(count));
    await ours();
    await baseline();
    const before = await Promise.all(workers.map(attemptsOf));
    const medians = await interleave(repetitions, { ours, baseline });
    const made = (await Promise.all(workers.map(attemptsOf))).map((after, at) => after - before[at]!);
    const all = made.reduce((sum, attempts) => sum + attempts, 0);
    const shares = made.map((attempts) => `${Math.round((100 * attempts) / all)} %`).join(', ');
    return row(
      `webhook deliveries, 64 endpoints, Bull, Postgres, workers: ${count_of_workers}`,
      '/s',
      { ...medians, baseline_name: 'bare undici loop with an HMAC' },
      { kind: 'at_least', ratio: 0.5 },
      `attempts of each worker: ${shares}; receivers, Postgres and Redis on the same cores`,
    );
  } finally {
    for (const worker of workers) await worker.stop();
    await redis.stop();
  }
}

/** How many deliveries the worker has attempted, as its metrics report it. */
async function attemptsOf({ url }: ServerProcess): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const counts = metrics.matchAll(/^tallystick_delivery_attempt_duration_seconds_count\{[^}]*\} (\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function besideHanging(each: number, repetitions: number): Promise<Row> {
  await using receivers = await startReceivers(live_endpoints, hanging_endpoints);
  await using service = await startService(receivers.live, receivers.hanging);
  const count = each * live_endpoints;
  const alone: number[] = [];
  const beside: number[] = [];
  await timed(receivers, count, () => service.happen(service.live, count));
  for (let run = 0; run < repetitions; run += 1) {
    alone.push(await timed(receivers, count, () => service.happen(service.live, count)));
  }
  for (let run = 0; run < repetitions; run += 1) {
    // The endpoints that hang come first in every batch.
    const both = () =>
      service.happen(service.hanging, each * hanging_endpoints).then(() => service.happen(service.live, count));
    beside.push(await timed(receivers, count, both));
  }
  return row(
    'deliveries to 90 live endpoints while 10 hang',
    '/s',
    { ours: median(beside), baseline: median(alone), baseline_name: 'the same 90 alone' },
    { kind: 'at_least', ratio: 0.9 },
  );
}

async function latency(count: number, repetitions: number): Promise<Row> {
  await using receivers = await startReceivers(live_endpoints, hanging_endpoints);
  await using service = await startService(receivers.live, receivers.hanging);
  await using bare = barePoster(receivers.live);
  const ours = () => p99(receivers, count, service.liveShare, (place) => service.authorize(place));
  const baseline = () =>
    p99(
      receivers,
      count,
      () => true,
      (place) => bare.postOne(place),
    );
  await ours();
  await baseline();
  const medians = await interleave(repetitions, { ours, baseline });
  return row(
    'event from commit to the first byte, p99, 500/s, a tenth of the endpoints hanging',
    'ms',
    { ...medians, baseline_name: 'p99 of a bare POST' },
    { kind: 'at_most', ratio: 20 },
  );
}

/** Requests per second, from the call of `begin` to the last arrival. */
export async function timed(receivers: Receivers, count: number, begin: () => Promise<void>): Promise<number> {
  const all = receivers.expect(count);
  const started_ms = performance.now();
  await begin();
  await all;
  return (count * 1_000) / (performance.now() - started_ms);
}

/**
 * The 99th percentile of the time from the start that `send` returns to the arrival, in
 * milliseconds, of `count` requests sent at the pace. `arrives` returns whether a request goes to a
 * live endpoint.
 */
async function p99(
  receivers: Receivers,
  count: number,
  arrives: (place: number) => boolean,
  send: (place: number) => Promise<{ readonly trace_id: string; readonly from_ms: number }>,
): Promise<number> {
  const expected = Array.from({ length: count }, (_, place) => arrives(place)).filter(Boolean).length;
  const all = receivers.expect(expected);
  const sent: Promise<{ trace_id: string; from_ms: number }>[] = [];
  const started_ms = performance.now();
  while (sent.length < count) {
    const due = Math.min(count, Math.floor(((performance.now() - started_ms) * pace_per_s) / 1_000));
    while (sent.length < due) sent.push(send(sent.length));
    await delay(1);
  }
  const from = await Promise.all(sent);
  const { arrivals } = await all;
  const times = from.flatMap(({ trace_id, from_ms }) => {
    const at_ms = arrivals[trace_id];
    return at_ms === undefined ? [] : [at_ms - from_ms];
  });
  return percentile(times, 0.99);
}

interface Receivers extends AsyncDisposable {
  readonly live: readonly number[];
  readonly hanging: readonly number[];
  /** Resolves when this number of further requests has arrived at live endpoints. */
  expect(count: number): Promise<{ readonly arrivals: Readonly<Record<string, number>> }>;
}

export async function startReceivers(live: number, hanging: number): Promise<Receivers> {
  const path = fileURLToPath(new URL('./receivers.ts', import.meta.url));
  const child: ChildProcess = fork(path, [String(live), String(hanging)], { execArgv: ['--conditions=source'] });
  const [ports] = (await once(child, 'message')) as [{ live: number[]; hanging: number[] }];
  return {
    ...ports,
    async expect(count) {
      child.send({ expect: count });
      const [report] = (await once(child, 'message')) as [{ arrivals: Record<string, number> }];
      return report;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

interface Poster extends AsyncDisposable {
  /**
   * Posts this number of requests in total, to the endpoints in turn, with the courier's limit of
   * requests in flight.
   */
  post(count: number): Promise<void>;
  postOne(place: number): Promise<{ readonly trace_id: string; readonly from_ms: number }>;
}

/** Hand-written code: sign and post. */
function barePoster(ports: readonly number[]): Poster {
  const agent = new Agent({
    connections: per_endpoint,
    pipelining: 1,
    allowH2: false,
    connect: { rejectUnauthorized: false },
  });
  let posted = 0;
  const postOne = async (place: number) => {
    posted += 1;
    const trace_id = `bare-${posted}`;
    const origin = `https://127.0.0.1:${ports[place % ports.length]}`;
    const body = JSON.stringify({
      data: { date: new Date().toISOString(), payload: { ...filler, trace_id }, type: 'bare' },
    });
    const timestamp = Math.floor(Date.now() / 1_000);
    const signed_text = `${timestamp}\nPOST\n${origin}\n${body}`;
    const signature = createHmac('sha256', 'a secret of sixteen or more').update(signed_text).digest('hex');
    const from_ms = monotonicNow();
    const headers = { 'content-type': 'application/json', 'x-timestamp': String(timestamp), 'x-signature': signature };
    const answer = await agent.request({ origin, path: '/', method: 'POST', headers, body });
    await answer.body.dump();
    return { trace_id, from_ms };
  };
  return {
    postOne,
    async post(count) {
      let next = 0;
      const caller = async () => {
        for (let place = next++; place < count; place = next++) await postOne(place);
      };
      await Promise.all(Array.from({ length: Math.min(512, ports.length * per_endpoint) }, caller));
    },
    [Symbol.asyncDispose]: () => agent.close(),
  };
}

/** The payload is about as long as that of an authorization. */
export const filler = { text: 'x'.repeat(900) };

interface Service extends AsyncDisposable {
  readonly database_url: string;
  /** Companies whose one webhook is live, and companies whose one webhook hangs. */
  readonly live: readonly number[];
  readonly hanging: readonly number[];
  /** Commits this number of events in total, for the companies in turn. */
  happen(companies: readonly number[], count: number): Promise<void>;
  /** Decides one authorization, for all companies in turn, and returns when it was committed. */
  authorize(place: number): Promise<{ readonly trace_id: string; readonly from_ms: number }>;
  /** Whether the authorization at this place goes to a live endpoint. */
  readonly liveShare: (place: number) => boolean;
}

/** The server's own composition, in this process, with a company and a webhook for each port. */
export async function startService(
  live_ports: readonly number[],
  hanging_ports: readonly number[],
  database_name: DatabaseName = 'sqlite',
  env: Readonly<Record<string, string>> = { LOG_LEVEL: 'silent' },
): Promise<Service> {
  const database = await scratchDatabase(database_name);
  const { database_url } = database;
  const container = createContainer(readConfig(serverEnvironment({ database_url, env })));
  const { unitOfWork } = await container.getAsync(tokens.persistence);
  const { card_vault: vault, sealer, random } = await container.getAsync(tokens.vault);
  const network = await container.getAsync(tokens.network);
  const deliveries_of = await container.getAsync(tokens.deliveries);
  const jobs = await container.getAsync(tokens.jobs);
  const now_ms = Date.now();
  const numbers: string[] = [];
  const companies: number[] = [];
  for (const port of [...live_ports, ...hanging_ports]) {
    await unitOfWork.run(async (tx) => {
      const name = `On port ${port}`;
      const { id: company_id } = await tx.companies.insert({
        name,
        customer_number: String(port),
        created_at_ms: now_ms,
        full_details_in_mail: false,
        hold_days: null,
        status: 'active',
        rate_limit_per_minute: null,
        four_eyes: null,
        endpoint_version: 0,
      });
      const call = { company_id, actor: 'command', request_id: null, now_ms };
      await createRealCard(tx, call, { alias: name, billing_currency: 'USD', account_range: '545454' });
      const { card } = await issueCard(tx, { vault, random }, call, { total_card_amount: 1_000_000_000_000 });
      const shown = await revealNumbers(tx, { vault }, call, [card]);
      numbers.push(shown.get(card.id)!.card_number);
      companies.push(company_id);
    });
  }
  jobs.start();
  await jobs.runDue();
  for (const [place, port] of [...live_ports, ...hanging_ports].entries()) {
    const call = { company_id: companies[place]!, actor: 'command', request_id: null, now_ms };
    const input = { callback_url: `https://127.0.0.1:${port}`, event_type_ids: [1] };
    await unitOfWork.run((tx) => createWebhook(tx, { sealer, random, url_policy: () => null }, call, input));
  }
  let authorized = 0;
  return {
    database_url,
    live: companies.slice(0, live_ports.length),
    hanging: companies.slice(live_ports.length),
    liveShare: (place) => place % companies.length < live_ports.length,
    async happen(of, count) {
      for (let from = 0; from < count; from += 500) {
        const length = Math.min(500, count - from);
        const events = Array.from({ length }, (_, place) => ({
          company_id: of[(from + place) % of.length]!,
          event_type: 'virtualcard.realtime.auths',
          payload: filler,
          previous: null,
          created_at_ms: now_ms,
          request_id: null,
        }));
        await unitOfWork.run((tx) => tx.events.append(events));
        deliveries_of.nudge();
      }
    },
    async authorize(place) {
      authorized += 1;
      const trace_id = `ours-${authorized}`;
      await network.authorize(
        normalizeAuthorization(authorizationBody(numbers[place % numbers.length]!, trace_id), vault, null),
      );
      return { trace_id, from_ms: monotonicNow() };
    },
    async [Symbol.asyncDispose]() {
      await closeContainer(container);
      await database.dispose();
    },
  };
}
