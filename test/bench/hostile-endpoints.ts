import type { AddressInfo } from 'node:net';
import {
  type ScratchDatabase,
  type ServerProcess,
  sandbox_keys,
  scratchDatabase,
  startServer,
} from '@tallystick/test-support';
import { create, issueCards, silentServer } from './hostile.ts';
import { closedLoop, type LoadTarget, pacedLoad } from './http-load.ts';
import { authorizationRequest } from './http-requests.ts';
import type { Bench, BenchOptions } from './main.ts';
import { median, percentile, type Row, row } from './measure.ts';

const companies = 20;
/**
 * Purchases with the cards of all of them, as a share of the peak. Each is two passes, and waits for
 * an endpoint for two seconds.
 */
const asked_share = 0.05;
const connections = 64;
const p99_ms_max = 1_000;

/**
 * The authorizations of a company without a decision endpoint, at half of their peak, while twenty
 * others have endpoints that accept connections and never answer.
 */
export const endpoints: Bench = {
  name: 'endpoints',
  async run(options) {
    const names: ScratchDatabase['name'][] = options.postgres ? ['sqlite', 'postgres'] : ['sqlite'];
    const rows: Row[] = [];
    for (const name of names) rows.push(...(await measure(name, options)));
    return rows;
  },
};

async function measure(name: ScratchDatabase['name'], { quick, repetitions }: BenchOptions): Promise<Row[]> {
  const database = await scratchDatabase(name);
  const silent = await silentServer();
  const { port: silent_port } = silent.address() as AddressInfo;
  const server = await startServer({ database_url: database.database_url, env: { LOG_LEVEL: 'error' } });
  try {
    const numbers = await issueCards(server);
    const slow_numbers: string[] = [];
    for (let at = 0; at < companies; at += 1) slow_numbers.push(await slowCompany(server, at, silent_port));
    const target: LoadTarget = { host: '127.0.0.1', port: Number(new URL(server.url).port), connections };
    let sent = 0;
    const requestOf = (cards: readonly string[]) => () => {
      sent += 1;
      return authorizationRequest(cards[sent % cards.length]!, `E${sent}`);
    };
    const request = requestOf(numbers);
    const seconds = quick ? 1 : 5;
    const peak = async () => (await closedLoop(target, quick ? 300 : 10_000, request)).per_second;
    await peak();
    const halves: number[] = [];
    const kept: number[] = [];
    const p99s: number[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const half = (await peak()) / 2;
      const slow_target = { ...target, connections: 512 };
      // It begins early, so that the endpoints have as many questions as they get.
      const asked_per_second = 2 * half * asked_share;
      const slow_count = Math.round(asked_per_second * (seconds + 3));
      const slow = pacedLoad(slow_target, slow_count, asked_per_second, requestOf(slow_numbers));
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const load = await pacedLoad(target, Math.round(half * seconds), half, request);
      await slow;
      halves.push(half);
      kept.push(load.per_second / half);
      p99s.push(percentile(load.latencies_ms, 0.99));
    }
    const half = median(halves);
    return [
      row(
        `authorizations at half of the peak, 20 companies whose endpoints hang, ${name}`,
        '/s',
        { ours: median(kept) * half, baseline: half, baseline_name: 'sent' },
        { kind: 'at_least', ratio: 0.95 },
      ),
      row(
        'p99 of these',
        'ms',
        { ours: median(p99s), baseline: p99_ms_max, baseline_name: 'one second' },
        { kind: 'at_most', ratio: 1 },
      ),
    ];
  } finally {
    await server.kill();
    silent.close();
    await database.dispose();
  }
}

/** A company with an endpoint that hangs. Returns the number of its card. */
async function slowCompany(server: ServerProcess, at: number, silent_port: number): Promise<string> {
  const operate = (path: string, data: object) => create(server, sandbox_keys.operator, path, { data });
  const company = await operate('/operator/v1/companies', { name: `Slow ${at}`, customer_number: `S${at}` });
  const company_id = Number(company.id);
  await operate('/operator/v1/realcards', {
    company_id,
    alias: 'a',
    billing_currency: 'USD',
    account_range: `545454${70 + at}`,
  });
  const { key } = await operate('/operator/v1/keys', { role: 'client', company_id, name: 'slow' });
  const body = { data: { total_card_amount: 10 ** 12 }, show_card_number: true };
  const { card_number } = await create(server, key!, '/v1/virtualcards', body);
  const endpoint = await fetch(`${server.url}/v1/decision-endpoint`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ data: { url: `https://127.0.0.1:${silent_port}/`, timeout_ms: 2_000 } }),
  });
  if (endpoint.status !== 200) throw new Error(await endpoint.text());
  return card_number!;
}
