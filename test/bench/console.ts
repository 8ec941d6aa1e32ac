import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { person_roles } from '@tallystick/access';
import { Pan } from '@tallystick/cards';
import { type ConsolePorts, createConsole } from '@tallystick/console';
import {
  crawlConsole,
  type FoundPage,
  type ServerProcess,
  sandbox_keys,
  startServer,
  test_keys,
} from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';
import { breaksSql } from './breaks.ts';
import { type DatabaseName, filledDatabase } from './filled-database.ts';
import { create } from './hostile.ts';
import { closedLoop, type LoadResult, type LoadTarget, pacedLoad } from './http-load.ts';
import { authorizationRequest } from './http-requests.ts';
import type { Bench, BenchOptions } from './main.ts';
import { median, percentile, type Row, row } from './measure.ts';
import { follow } from './reconciliation.ts';

const full = { authorizations: 1_000_000, breaks: 100_000 };

/** The bounds of a page. */
const page_ms_max = 100;
const page_kb_max = 100;

/** What is looked for: last digits, an amount, a merchant, references, ids, and what nobody has. */
const searches = [
  '1234',
  '12.00',
  'Merchant 7',
  'M7',
  '100031',
  'MCC1000311120',
  'OLD77',
  '7',
  '743210660610',
  'Nobody',
];

/** People who browse, and how long each looks at a page, milliseconds. */
const people = 20;
const looks_ms = 3_000;

/** Every page of the console with much behind it, and decisions while people look at pages. */
export const console_pages: Bench = {
  name: 'console',
  async run(options) {
    const rows = await measure('sqlite', options);
    return options.postgres ? [...rows, ...(await measure('postgres', options))] : rows;
  },
};

async function measure(name: DatabaseName, options: BenchOptions): Promise<readonly Row[]> {
  const { growth_scale, log } = options;
  const scaled = (count: number) => Math.max(1_000, Math.round(count * (growth_scale ?? 1)));
  const [authorizations, breaks] = [scaled(full.authorizations), scaled(full.breaks)];
  const cards = authorizations / 10;
  const size = `${authorizations.toLocaleString('en-US')} authorizations and ${breaks.toLocaleString('en-US')} breaks`;
  log(`filling ${name} with ${size}`);
  const database = await filledDatabase(name, { cards, authorizations, events: authorizations });
  for (const sql of [...sealedSql(name), ...breaksSql(name, breaks, cards)]) await database.execute(sql);
  if (name === 'postgres') {
    for (const table of filled_by_id) {
      await database.execute(`select setval('tallystick_${table}_id_seq', (select max(id) from tallystick_${table}))`);
    }
  }
  await database.settle();
  log(`keeping the items up to date, ${name}`);
  await follow(database);
  await database.settle();
  const server = await startServer({
    database_url: database.database_url,
    env: { LOG_LEVEL: 'error', CONSOLE: 'on', NETWORK_WAIT_MS_MAX: undefined, DECISION_MS_MAX: undefined },
  });
  try {
    const pages = await findPages(server);
    log(`${pages.length} pages on ${name}`);
    return [
      ...(await pageRows(server, pages, `${size}, ${name}`, options)),
      ...(await decisionRows(server, pages, name, options)),
    ];
  } catch (error) {
    log(server.output());
    throw error;
  } finally {
    await server.kill();
    await database.dispose();
  }
}

/** Tables whose next id Postgres does not know after they were filled with ids. */
const filled_by_id = ['companies', 'real_cards', 'accounts', 'clearings', 'statement_lines'];

/** The first card gets a number that the keys of the server open, and all its key. */
function sealedSql(name: DatabaseName): readonly string[] {
  const { card_vault } = createVault(parseKeyRing(test_keys));
  const { number_sealed, number_index, number_key_id } = card_vault.seal(new Pan('5454545400000007'));
  const bytes = (value: Uint8Array): string => {
    const hex = Buffer.from(value).toString('hex');
    return name === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'::bytea`;
  };
  return [
    `update tallystick_virtual_cards set number_sealed = ${bytes(number_sealed)}, number_key_id = '${number_key_id}'`,
    `insert into tallystick_virtual_card_details (card_id, emails, notified, metadata) select id, null, ${name === 'sqlite' ? '1' : 'true'}, '{}' from tallystick_virtual_cards`,
    `update tallystick_virtual_cards set number_index = ${bytes(number_index)} where id = 1`,
  ];
}

const is_table = /\.(csv|ndjson)\b/;

/** The pages that an administrator finds, from the company with the history on. */
async function findPages(server: ServerProcess): Promise<readonly FoundPage[]> {
  const anna = await logIn(server, 'admin');
  const { routes } = createConsole({} as ConsolePorts);
  const { pages: found } = await crawlConsole({
    base: '/console',
    routes,
    from: ['/', '/companies/1'],
    alike_max: 1,
    // A table of 100,000 breaks is no page.
    get: async (path) => (is_table.test(path) ? { status: 200, html: '', location: null } : await anna.get(path)),
  });
  const pages = [...found];
  for (const words of searches) {
    const path = `/companies/1/search?q=${encodeURIComponent(words)}`;
    pages.push({ ...(await anna.get(path)), path, route: '/companies/:company_id/search' });
  }
  // The history is that of the first company.
  const of_first = pages.filter(({ path }) => !/^\/companies\/[^1]/.test(path));
  const failed = of_first.filter(({ status }) => status >= 400);
  if (failed.length > 0) throw new Error(failed.map(({ path, status }) => `${path}: ${status}`).join(', '));
  return of_first.filter(({ html }) => html.startsWith('<!doctype html>'));
}

/** The slowest and the largest page, and which those are that follow. */
async function pageRows(
  server: ServerProcess,
  pages: readonly FoundPage[],
  size: string,
  { quick, repetitions, log }: BenchOptions,
): Promise<readonly Row[]> {
  const anna = await logIn(server, 'admin');
  const times = new Map<string, number[]>(pages.map(({ path }) => [path, []]));
  for (let round = 0; round < (quick ? 3 : repetitions * 4); round += 1) {
    for (const { path } of pages) {
      const began_ms = performance.now();
      const { status } = await anna.get(path);
      if (status !== 200) throw new Error(`${path}: ${status}`);
      times.get(path)!.push(performance.now() - began_ms);
    }
  }
  const by_median = pages
    .map(({ path }) => ({ path, ms: median(times.get(path)!), max_ms: Math.max(...times.get(path)!) }))
    .toSorted((a, b) => b.ms - a.ms);
  const by_size = pages
    .map(({ path, html }) => ({ path, kb: Buffer.byteLength(html) / 1_000 }))
    .toSorted((a, b) => b.kb - a.kb);
  for (const { path, ms, max_ms } of by_median) log(`  ${ms.toFixed(1)} ms, at most ${max_ms.toFixed(1)} ms: ${path}`);
  const at_most = { kind: 'at_most', ratio: 1 } as const;
  const of_all = `of ${pages.length}`;
  return [
    row(
      `slowest page of the console at ${size}`,
      'ms',
      { ours: by_median[0]!.ms, baseline: page_ms_max, baseline_name: 'bound' },
      at_most,
      `${of_all}: ${by_median
        .slice(0, 5)
        .map(({ path, ms }) => `${path} ${ms.toFixed(0)}`)
        .join(', ')}`,
    ),
    row(
      'slowest answer of these',
      'ms',
      { ours: Math.max(...by_median.map(({ max_ms }) => max_ms)), baseline: page_ms_max, baseline_name: 'bound' },
      at_most,
    ),
    row(
      `largest page of the console at ${size}`,
      'KB',
      { ours: by_size[0]!.kb, baseline: page_kb_max, baseline_name: 'bound' },
      at_most,
      `${of_all}: ${by_size
        .slice(0, 5)
        .map(({ path, kb }) => `${path} ${kb.toFixed(0)}`)
        .join(', ')}`,
    ),
  ];
}

/**
 * Decisions at half of the peak, in turns alone and while people browse: each opens a page, looks at
 * it for three seconds, and opens the next. At the peak the process has no free time, so that every
 * page takes some from the decisions: there is no target.
 */
async function decisionRows(
  server: ServerProcess,
  pages: readonly FoundPage[],
  name: DatabaseName,
  { quick, repetitions }: BenchOptions,
): Promise<readonly Row[]> {
  const numbers: string[] = [];
  for (let made = 0; made < 200; made += 1) {
    const body = { data: { total_card_amount: 10 ** 12 }, show_card_number: true };
    numbers.push((await create(server, sandbox_keys.client, '/v1/virtualcards', body)).card_number!);
  }
  const target: LoadTarget = { host: '127.0.0.1', port: Number(new URL(server.url).port), connections: 64 };
  let sent = 0;
  const next = () => {
    sent += 1;
    return authorizationRequest(numbers[sent % numbers.length]!, `H${sent}`);
  };
  const [count, seconds] = quick ? [300, 1] : [10_000, 10];
  // With 64, a machine that does other work refuses some.
  const peak = async () => await closedLoop({ ...target, connections: 32 }, count, next);
  await peak();
  const alone: Load[] = [];
  const beside: Load[] = [];
  const looked: number[] = [];
  for (let repetition = 0; repetition < Math.min(repetitions, quick ? 1 : 3); repetition += 1) {
    const peak_per_second = (await peak()).per_second;
    const half = async (): Promise<Load> => {
      const due = Math.round((peak_per_second / 2) * seconds);
      return { ...(await pacedLoad(target, due, peak_per_second / 2, next)), due, peak_per_second };
    };
    alone.push(await half());
    const { load, times } = await whileBrowsing(server, pages, async () => {
      const { per_second } = await pacedLoad(target, count, peak_per_second, next);
      return { ...(await half()), peak_per_second: per_second };
    });
    beside.push(load);
    looked.push(...times);
  }
  const of = (loads: readonly Load[], figure: (load: Load) => number) => median(loads.map(figure));
  const pair = (figure: (load: Load) => number) => ({
    ours: of(beside, figure),
    baseline: of(alone, figure),
    baseline_name: 'alone',
  });
  const at = (share: number) => (load: Load) => percentile(load.latencies_ms, share);
  const lost = beside.reduce((sum, { due, approved_count }) => sum + due - approved_count, 0);
  return [
    row(
      `authorizations at half of the peak, ${people} people browse, ${name}`,
      '/s',
      pair((load) => load.per_second),
      { kind: 'at_least', ratio: lost > 0 ? Number.POSITIVE_INFINITY : 0.95 },
      `${lost} refused or not approved; ${looked.length} pages, half of them within ${median(looked).toFixed(0)} ms`,
    ),
    row(`p50 of these, ${name}`, 'ms', pair(at(0.5)), null),
    row(`p99 of these, ${name}`, 'ms', pair(at(0.99)), { kind: 'at_most', ratio: 2 }),
    row(
      `peak of authorizations, ${people} people browse, ${name}`,
      '/s',
      pair((load) => load.peak_per_second),
      null,
    ),
  ];
}

/** Authorizations at half of the peak, and the peak just before. */
interface Load extends LoadResult {
  readonly due: number;
  readonly peak_per_second: number;
}

/**
 * Sends a load while people open the pages one after another, each beginning with another one.
 * Rejects with the first failure of either.
 */
async function whileBrowsing(
  server: ServerProcess,
  pages: readonly FoundPage[],
  send: () => Promise<Load>,
): Promise<{ readonly load: Load; readonly times: readonly number[] }> {
  const visitors = await Promise.all(
    Array.from({ length: people }, (_, at) => logIn(server, person_roles[at % person_roles.length]!)),
  );
  const times: number[] = [];
  let is_over = false;
  const sending = send().finally(() => {
    is_over = true;
  });
  const browsing = visitors.map(async ({ get }, at) => {
    await pause((looks_ms * at) / people);
    for (let page = at; !is_over; page += 7) {
      const began_ms = performance.now();
      const { path } = pages[page % pages.length]!;
      const { status } = await get(path);
      if (![200, 303, 403].includes(status)) throw new Error(`${path}: ${status}`);
      times.push(performance.now() - began_ms);
      await pause(looks_ms);
    }
  });
  const [load] = await Promise.all([sending, ...browsing]);
  return { load, times };
}

/** A person of the sandbox who has logged in by one click. */
async function logIn(server: ServerProcess, role: string) {
  const agent = new Agent({ keepAlive: true });
  const base = `${server.url}/console`;
  const { headers } = await exchange(agent, `${base}/log-in/sandbox`, {}, `role=${role}`);
  const cookie = (headers['set-cookie'] ?? []).map((one) => one.split(';')[0]).join('; ');
  return {
    async get(path: string) {
      const { status, headers: answered, text } = await exchange(agent, base + path, { cookie });
      return { status, html: text, location: answered.location ?? null };
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

function exchange(
  agent: Agent,
  url: string,
  headers: Readonly<Record<string, string>>,
  form?: string,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request(url, {
    agent,
    method: form === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }) },
  });
  sent.on('error', reject);
  sent.on('response', (response) => {
    const stays_open = response.headers['content-type']?.startsWith('text/event-stream') === true;
    const done = (text: string) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    if (stays_open) {
      sent.destroy();
      return done('');
    }
    response
      .setEncoding('utf8')
      .toArray()
      .then((pieces) => done(pieces.join('')), reject);
  });
  sent.end(form);
  return promise;
}
