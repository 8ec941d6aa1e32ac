import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  type ScratchDatabase,
  type ServerProcess,
  sandbox_keys,
  scratchDatabase,
  send,
  startServer,
} from '@tallystick/test-support';
import Database from 'better-sqlite3';
import pg from 'pg';
import type { HostileOptions } from './hostile-clients.ts';
import { closedLoop, type LoadTarget, pacedLoad } from './http-load.ts';
import { authorizationRequest } from './http-requests.ts';
import type { Bench, BenchOptions } from './main.ts';
import { median, percentile, type Row, row } from './measure.ts';

const cards = 1_000;
const connections = 64;
/** The p99 of authorizations under attack is compared with this, milliseconds. */
const p99_ms_max = 1_000;

/**
 * The authorizations of one company while twenty hostile clients of another company, and strangers,
 * are at work: at half of the peak, and at the peak. The server has its defaults. The peak has no
 * target: there the process has no free time, so every request takes some from the others.
 */
export const hostile: Bench = {
  name: 'hostile',
  run: (options) => measureOnEach('clients', '20 hostile clients', options),
};

/** The same while 700 strangers, and ten callers with keys that send what is costly to read. */
export const strangers: Bench = {
  name: 'strangers',
  run: (options) => measureOnEach('strangers', '700 strangers', options),
};

type Crowd = HostileOptions['crowd'];

async function measureOnEach(crowd: Crowd, who: string, options: BenchOptions): Promise<Row[]> {
  const names: ScratchDatabase['name'][] = options.postgres ? ['sqlite', 'postgres'] : ['sqlite'];
  const rows: Row[] = [];
  for (const name of names) rows.push(...(await measure(name, crowd, who, options)));
  return rows;
}

async function measure(
  name: ScratchDatabase['name'],
  crowd: Crowd,
  who: string,
  { quick, repetitions, log }: BenchOptions,
): Promise<Row[]> {
  const database = await scratchDatabase(name);
  const silent = await silentServer();
  const { port: silent_port } = silent.address() as AddressInfo;
  const server = await startServer({
    database_url: database.database_url,
    env: {
      LOG_LEVEL: 'error',
      NETWORK_WAIT_MS_MAX: undefined,
      SMTP_URL: `smtp://127.0.0.1:${silent_port}`,
      MAIL_FROM: 'bench@example.com',
    },
  });
  try {
    const numbers = await issueCards(server);
    const options = await hostileCompany(server, silent_port, crowd);
    await addMetadata(database, server, options.key);
    const target: LoadTarget = { host: '127.0.0.1', port: options.port, connections };
    let sent = 0;
    const request = () => {
      sent += 1;
      return authorizationRequest(numbers[sent % numbers.length]!, `H${sent}`);
    };
    const count = quick ? 300 : 10_000;
    const seconds = quick ? 0.5 : 5;
    const peak = async () => (await closedLoop(target, count, request)).per_second;
    await peak();
    const peaks: number[] = [];
    const attacked_peaks: number[] = [];
    const kept: number[] = [];
    const p99s: number[] = [];
    let seen: Readonly<Record<string, number>> = {};
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const alone = await peak();
      const attack = await beginAttack(database, options);
      attacked_peaks.push(await peak());
      const load = await pacedLoad(target, Math.round((alone / 2) * seconds), alone / 2, request);
      seen = await attack.end();
      peaks.push(alone);
      kept.push(load.per_second / (alone / 2));
      p99s.push(percentile(load.latencies_ms, 0.99));
    }
    log(`answers to hostile clients on ${name}: ${JSON.stringify(seen)}`);
    const half = median(peaks) / 2;
    return [
      row(
        `authorizations at half of the peak, ${who}, ${name}`,
        '/s',
        { ours: median(kept) * half, baseline: half, baseline_name: 'sent' },
        { kind: 'at_least', ratio: 0.8 },
      ),
      row(
        'p99 of these',
        'ms',
        { ours: median(p99s), baseline: p99_ms_max, baseline_name: 'one second' },
        { kind: 'at_most', ratio: 1 },
      ),
      row(
        `peak of authorizations, ${who}, ${name}`,
        '/s',
        { ours: median(attacked_peaks), baseline: median(peaks), baseline_name: 'without them' },
        null,
      ),
    ];
  } finally {
    await server.kill();
    silent.close();
    await database.dispose();
  }
}

/** A server that accepts connections and never answers. */
export async function silentServer(): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return server;
}

export async function create(server: ServerProcess, key: string, path: string, body: object) {
  const reply = await send(server.url, 'POST', path, { key, body });
  if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
  return JSON.parse(reply.text).data as Record<string, string>;
}

/** Cards of the sandbox's company. */
export async function issueCards(server: ServerProcess): Promise<readonly string[]> {
  const numbers: string[] = [];
  for (let made = 0; made < cards; made += 1) {
    const body = { data: { total_card_amount: 10 ** 12 }, show_card_number: true };
    numbers.push((await create(server, sandbox_keys.client, '/v1/virtualcards', body)).card_number!);
  }
  return numbers;
}

async function hostileCompany(server: ServerProcess, silent_port: number, crowd: Crowd): Promise<HostileOptions> {
  const operate = (path: string, data: object) => create(server, sandbox_keys.operator, path, { data });
  const company_id = Number((await operate('/operator/v1/companies', { name: 'Hostile', customer_number: '666' })).id);
  await operate('/operator/v1/realcards', {
    company_id,
    alias: 'a',
    billing_currency: 'USD',
    account_range: '54545499',
  });
  const { key } = await operate('/operator/v1/keys', { role: 'client', company_id, name: 'hostile' });
  const card = await create(server, key!, '/v1/virtualcards', { data: { total_card_amount: 100 } });
  const callback_url = `https://127.0.0.1:${silent_port}/`;
  const webhook = await create(server, key!, '/v1/webhooks', { data: { callback_url } });
  const third_party = await operate('/operator/v1/third-parties', {
    name: 'Hanging',
    jwks_uri: `https://127.0.0.1:${silent_port}/jwks.json`,
    redirect_uris: ['https://127.0.0.1/callback'],
    scopes: ['accounts'],
  });
  const page = await send(server.url, 'GET', '/consents');
  const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1];
  if (form_token === undefined) throw new Error(`no form of a log-in: ${page.text.slice(0, 300)}`);
  return {
    port: Number(new URL(server.url).port),
    key: key!,
    card_id: card.id!,
    webhook_id: webhook.id!,
    client_id: third_party.client_id!,
    form_token,
    crowd,
  };
}

/**
 * The metadata of 100,000 cards: half of them have the first value that the clients filter by, half
 * the others. It is copied from two cards inside the database.
 */
async function addMetadata(database: ScratchDatabase, server: ServerProcess, key: string): Promise<void> {
  const count = 100_000;
  // No card has these ids.
  const first = 1_000_000;
  const names = Array.from({ length: 10 }, (_, at) => `m${at}`);
  const statements: string[] = [];
  for (const [half, of_half] of [names.slice(0, 1), names.slice(1)].entries()) {
    const metadata = Object.fromEntries(of_half.map((name) => [name, 'x']));
    const { id } = await create(server, key, '/v1/virtualcards', { data: { total_card_amount: 100, metadata } });
    const series =
      database.name === 'postgres'
        ? `generate_series(${first}, ${first + count}) as s (id)`
        : `(with recursive n (id) as (select ${first} union all select id + 1 from n where id < ${first + count}) select id from n) s`;
    statements.push(`insert into tallystick_virtual_card_metadata (company_id, entry, card_id)
      select m.company_id, m.entry, s.id from tallystick_virtual_card_metadata m cross join ${series}
      where m.card_id = ${id} and s.id % 2 = ${half}`);
  }
  if (database.name === 'postgres') {
    const client = new pg.Client(database.database_url);
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
    return;
  }
  const file = new Database(database.database_url.slice('sqlite:'.length));
  for (const statement of statements) file.exec(statement);
  file.close();
}

interface Attack {
  /** Ends the attack. Returns how many answers of each status the clients received. */
  end(): Promise<Readonly<Record<string, number>>>;
}

/** On Postgres another transaction has locked the card that the clients change. */
async function beginAttack(database: ScratchDatabase, options: HostileOptions): Promise<Attack> {
  const holder = database.name === 'postgres' ? new pg.Client(database.database_url) : null;
  await holder?.connect();
  await holder?.query('begin');
  await holder?.query('select id from tallystick_virtual_cards where id = $1 for update', [options.card_id]);
  const path = fileURLToPath(new URL('hostile-clients.ts', import.meta.url));
  const child: ChildProcess = fork(path, [], {
    execArgv: ['--conditions=source'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.send(options);
  return {
    async end() {
      child.send('count');
      const [counts] = (await once(child, 'message')) as [Readonly<Record<string, number>>];
      child.kill('SIGKILL');
      await once(child, 'exit');
      await holder?.end();
      return counts;
    },
  };
}
