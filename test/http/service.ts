import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { Writable } from 'node:stream';
import { createCompany } from '@tallystick/access';
import {
  createActivity,
  createConsultingNetwork,
  createNetwork,
  createRealCard,
  endpointDecisionMaker,
  endpointTester,
  type Ledger,
} from '@tallystick/cards';
import { clearing_formats, tableSource } from '@tallystick/clearing-files';
import { createWebhookTester, type WebhookSender } from '@tallystick/events';
import { createFormats } from '@tallystick/imports';
import { type Clock, fixedClock, machine_timers } from '@tallystick/kernel';
import {
  createHttpApp,
  createHttpServer,
  createLifecycle,
  createMetrics,
  type HttpAppPorts,
  type Lifecycle,
  logOptions,
  measureLedger,
} from '@tallystick/koa';
import { mikroOrmPersistence, type Persistence } from '@tallystick/mikro-orm';
import type { WebhookServices } from '@tallystick/operations';
import { statement_formats } from '@tallystick/statement-files';
import {
  assertDocumented,
  type DatabaseName,
  migratedDatabase,
  type ScratchDatabase,
  sandbox_keys,
  test_keys,
} from '@tallystick/test-support';
import { createVault, parseKeyRing, type Vault } from '@tallystick/vault';
import { addressGuard, decisionPoster, urlPolicy, webhookClient } from '@tallystick/webhook-client';
import pino from 'pino';
import { createImportPorts } from 'tallystick/inversify';

/** The time of the service's clock, unless a test moves it. */
export const start = '2030-03-15T10:00:00Z';

/** The answer to a request. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
  readonly json: any;
}

export interface Call {
  /** A role's fixed key, a key's text, or null for none. Default: the client's. */
  readonly key?: keyof typeof sandbox_keys | (string & {}) | null;
  /** Sent as JSON. A string or bytes are sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The HTTP interface over real storage, on a real socket. */
export interface Service {
  readonly url: string;
  readonly database: Pick<ScratchDatabase, 'name' | 'database_url'>;
  readonly persistence: Persistence;
  readonly vault: Vault;
  readonly lifecycle: Lifecycle;
  readonly company_id: number;
  send(method: string, path: string, call?: Call): Promise<Reply>;
  /** Sets the service's clock. */
  setClock(instant: string): void;
  /** Returns everything that was logged so far. */
  log(): string;
  /**
   * Returns every row of every table as text, except rows that a request without effect may leave.
   * Only on SQLite.
   */
  stored(): string;
}

/** Ports of the application that a test replaces. */
export type Otherwise = (ports: HttpAppPorts) => HttpAppPorts;

/** Starts a service with one company, `SANDBOX`, and its real card in USD. */
export async function startService(
  t: { after(cleanup: () => unknown): void },
  database_name: DatabaseName = 'sqlite',
  otherwise: Otherwise = (ports) => ports,
  around: (ledger: Ledger) => Ledger = (ledger) => ledger,
): Promise<Service> {
  const database = await migratedDatabase(database_name);
  t.after(() => database.dispose());
  let clock_now = fixedClock(start);
  const clock: Clock = { nowMs: () => clock_now.nowMs() };
  const vault = createVault(parseKeyRing(test_keys));
  const { audit_mac } = vault;
  const persistence = await mikroOrmPersistence({
    database_url: database.database_url,
    clock,
    audit_mac,
    owns_process: true,
  });
  const metrics = createMetrics({ process_metrics: false });
  const ledger = measureLedger(around(persistence.ledger), metrics);
  const lifecycle = createLifecycle();
  const sender = webhookClient({ guard });
  const poster = decisionPoster({ guard });
  const { unitOfWork } = persistence;
  const asking = { poster, sealer: vault.sealer, hmac: vault.hmacSha256, clock, machine_clock: machine_timers };
  const activity = createActivity(clock, unitOfWork);
  const network = createConsultingNetwork({
    network: createNetwork({ ...vault, ledger, vault: vault.card_vault }),
    decision_maker: endpointDecisionMaker(asking, unitOfWork),
    unitOfWork,
    clock,
    timers: machine_timers,
    bounds: { asked_max: 256 },
    onAnswered: activity.answered,
  });
  t.after(() => poster.close());
  t.after(() => sender.close());
  const company_id = await seed(persistence, clock);
  let logged = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged += chunk;
      done();
    },
  });
  const options = otherwise({
    unitOfWork,
    network,
    vault: vault.card_vault,
    sealer: vault.sealer,
    random: vault.random,
    sha256: vault.sha256,
    passwords: vault.passwords,
    audit_mac: vault.audit_mac,
    hmacSha256: vault.hmacSha256,
    clock,
    timers: machine_timers,
    log: pino(logOptions('info'), sink),
    metrics,
    activity,
    lifecycle,
    ping: () => persistence.ping(),
    template_completion_delay_ms: 5_000,
    webhooks: webhookServices(vault, clock, sender),
    testEndpoint: endpointTester(asking, machine_timers),
    portalUrl: () => 'https://cards.example/console/portal',
    url_policy: urlPolicy(guard),
    readTable: tableSource,
    imports: createImportPorts(
      { sandbox: true },
      { ...persistence, ledger },
      vault,
      clock,
      machine_timers,
      createFormats([...clearing_formats, ...statement_formats]),
    ),
    sandbox: {
      company_id,
      async moveClock({ set, frozen }) {
        clock_now = fixedClock(set ?? start);
        return { now: set ?? start, frozen: frozen ?? false };
      },
    },
    rate_limit_per_minute: null,
    // A test is a stranger that fails often.
    pause: async () => {},
    open_banking: {
      authorisation: { find: async () => null, handles: () => false, handle: async () => {} },
      baseUrl: () => 'http://127.0.0.1',
      certificateOf: () => null,
    },
    version: '0.0.0',
  });
  const document = await documentOf(options);
  const server = createHttpServer(createHttpApp(options).callback(), options);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await network.drain();
    await persistence.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    database,
    persistence,
    vault,
    lifecycle,
    company_id,
    send: (method, path, call = {}) => send(document, url + path, method, call),
    setClock(instant) {
      clock_now = fixedClock(instant);
    },
    log: () => logged,
    stored: () => allRows(database.database_url.slice('sqlite:'.length)),
  };
}

/** The text of the document, by what else it depends on than the version. */
const documents = new Map<string, string>();

/** The document of a service, from a separate application: the log and metrics do not show it. */
async function documentOf(options: HttpAppPorts): Promise<string> {
  const depends_on = JSON.stringify([options.sandbox !== null, options.v1_deprecation]);
  const known = documents.get(depends_on);
  if (known !== undefined) return known;
  const silent = { log: pino({ level: 'silent' }), metrics: createMetrics({ process_metrics: false }) };
  const app = createHttpApp({ ...options, ...silent, lifecycle: createLifecycle() });
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const text = await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).text();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  documents.set(depends_on, text);
  return text;
}

async function send(
  document: string,
  url: string,
  method: string,
  { key = 'client', body, headers = {} }: Call,
): Promise<Reply> {
  const text = key !== null && key in sandbox_keys ? sandbox_keys[key as keyof typeof sandbox_keys] : key;
  const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers: {
      ...(text === null ? {} : { Authorization: `Bearer ${text}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
  });
  await assertDocumented(document, method, new URL(url), response);
  const answer = await response.text();
  return { status: response.status, headers: response.headers, text: answer, json: parsed(answer) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function seed({ unitOfWork }: Persistence, clock: Clock): Promise<number> {
  return await unitOfWork.run(async (tx) => {
    const call = { actor: 'job:test', request_id: null, now_ms: clock.nowMs() };
    const company = await createCompany(tx, call, { name: 'Sandbox company', customer_number: 'SANDBOX' });
    const real_card = { alias: 'Main', billing_currency: 'USD', account_range: '54545454' };
    await createRealCard(tx, { ...call, company_id: company.id }, real_card);
    return company.id;
  });
}

function allRows(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table' order by name").all();
    return tables
      .map(({ name }) => `${name}: ${JSON.stringify(database.prepare(`select * from "${name}"`).all(), shown)}`)
      .join('\n');
  } finally {
    database.close();
  }
}

function shown(_name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
}

/** Webhooks may use loopback addresses, as in the sandbox. */
const guard = addressGuard(['127.0.0.0/8', '::1/128']);

function webhookServices({ sealer, random, hmacSha256 }: Vault, clock: Clock, sender: WebhookSender): WebhookServices {
  return {
    test: createWebhookTester({ sender, sealer, random, hmac: hmacSha256, clock, machine_clock: clock }),
    due: () => {},
  };
}

let stan = 0;

/** An authorization request over 25.00 USD. */
export function authorization(card_number: string, change: Readonly<Record<string, unknown>> = {}) {
  stan += 1;
  return {
    data: {
      card_number,
      message_type_indicator: 'Authorization Request',
      trace_id: `TRACE${stan}`,
      system_trace_audit_number: String(stan).padStart(6, '0'),
      transaction_date_time: start,
      billing_amount: 2500,
      billing_currency: 'USD',
      merchant_amount: 2500,
      merchant_currency: 'USD',
      mcc: '5734',
      merchant_id: 'M-77',
      merchant_name: 'Paper & Ink',
      ...change,
    },
  };
}
