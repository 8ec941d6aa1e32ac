import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import Router from '@koa/router';
import {
  type AuthorizationAnswer,
  type AuthorizationMessage,
  issueCard,
  type Network,
  normalizeAuthorization,
  Pan,
  revealNumbers,
} from '@tallystick/cards';
import { money } from '@tallystick/kernel';
import { createHttpServer } from '@tallystick/koa';
import { sandbox_keys, serverEnvironment } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import Koa from 'koa';
import { readConfig } from '../../apps/server/src/configuration/config.ts';
import { closeContainer, createContainer, tokens } from '../../apps/server/src/container.ts';
import { byHand } from './by-hand.ts';
import { authorizationBody } from './http-requests.ts';

/**
 * One of the servers of the HTTP bench, in a separate process. `bare` is only Koa with a router,
 * `hand` is the same with the hand-written decision behind it, `ours` is the server as it starts,
 * `jobless` is the same without the jobs in the background, and `idle` is that with a network side that
 * answers immediately. Sends its port and card numbers to its parent.
 */
const [kind, database_url = '', card_count = '0'] = process.argv.slice(2);

// Longer than the bench leaves a connection idle.
const keptAlive = (app: Koa) => createServer({ keepAliveTimeout: 65_000 }, app.callback());
if (kind === 'bare') listen(keptAlive(bare()), []);
else {
  // The waits of a test server are long; the bench measures those of the service.
  const env = { LOG_LEVEL: 'info', NETWORK_WAIT_MS_MAX: undefined, DECISION_MS_MAX: undefined };
  const container = createContainer(readConfig(serverEnvironment({ database_url, env })));
  const numbers = await issueCards(container, Number(card_count));
  if (kind === 'hand') {
    await closeContainer(container);
    listen(keptAlive(hand(database_url.slice('sqlite:'.length), numbers)), numbers);
  } else await listenAsService(container, numbers);
}

async function listenAsService(container: Container, numbers: readonly string[]): Promise<void> {
  const network = await container.getAsync(tokens.network);
  if (kind === 'idle') {
    const at_once = await answeringAtOnce(container, network, numbers[0] ?? '');
    (await container.rebindAsync(tokens.network)).toConstantValue(at_once);
  }
  if (kind === 'ours') (await container.getAsync(tokens.jobs)).start();
  const ports = {
    timers: container.get(tokens.timers),
    random: container.get(tokens.random),
    log: container.get(tokens.logger),
    metrics: container.get(tokens.metrics),
  };
  listen(createHttpServer((await container.getAsync(tokens.http_app)).callback(), ports), numbers);
}

function listen(server: Server, numbers: readonly string[]): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.({ port: typeof address === 'object' ? address?.port : null, numbers });
  });
}

type Container = ReturnType<typeof createContainer>;

/** Parses the JSON and answers with as much JSON as the service. */
function bare(): Koa {
  const router = new Router();
  router.post('/network/v1/authorizations', async (ctx) => {
    const { data } = await readJson(ctx.req);
    ctx.body = { data: { ...example, trace_id: data.trace_id, billing_amount: data.billing_amount } };
  });
  const app = new Koa();
  app.use(router.routes());
  return app;
}

/** Parses the JSON, checks the key, decides by hand with group commit, and answers. */
function hand(path: string, numbers: readonly string[]): Koa {
  const index_key = randomBytes(32);
  const indexOf = (number: string) => createHmac('sha256', index_key).update(number).digest();
  const database = new Database(path);
  const cards = database.prepare<[], { id: number }>('select id from tallystick_virtual_cards order by id').all();
  const set_index = database.prepare('update tallystick_virtual_cards set number_index = ? where id = ?');
  for (const [at, { id }] of cards.entries()) set_index.run(indexOf(numbers[at]!), id);
  database.close();

  const by_hand = byHand(path, 'keys', setImmediate);
  const key = Buffer.from(`Bearer ${sandbox_keys.network}`);
  const router = new Router();
  router.post('/network/v1/authorizations', async (ctx) => {
    const sent_key = Buffer.from(ctx.get('authorization'));
    if (sent_key.length !== key.length || !timingSafeEqual(sent_key, key)) ctx.throw(401);
    const { data } = await readJson(ctx.req);
    const answer = await by_hand.decide(messageOf(data, indexOf(data.card_number)));
    if (answer === null) ctx.throw(422);
    ctx.type = 'json';
    ctx.body = `{"data":${answer}}`;
  });
  const app = new Koa();
  app.use(router.routes());
  return app;
}

/** The message that was sent, unchecked. */
function messageOf(data: ReturnType<typeof authorizationBody>, number_index: Uint8Array): AuthorizationMessage {
  const { merchant_name, merchant_city, merchant_state_or_country_code, mcc_description } = data;
  const { acquirer_ica, financial_network_code, settlement_date } = data;
  return {
    kind: 'authorization',
    pan: new Pan(data.card_number),
    number_index,
    expiry: null,
    cvc: null,
    message_type: '0100',
    incremental: false,
    explain: false,
    trace_id: data.trace_id,
    system_trace_audit_number: data.system_trace_audit_number,
    transaction_date_time_ms: Date.parse(data.transaction_date_time),
    billing_amount: money(data.billing_amount),
    billing_currency: data.billing_currency,
    merchant_amount: money(data.merchant_amount),
    merchant_currency: data.merchant_currency,
    mcc: data.mcc,
    response_code: null,
    approval_code: null,
    card_holder_transaction_type_code: null,
    replacement_amounts: null,
    net_reference_number: data.net_reference_number,
    merchant_id: data.merchant_id,
    details: {
      ...{ merchant_name, merchant_city, merchant_state_or_country_code, mcc_description },
      ...{ acquirer_ica, financial_network_code, settlement_date },
    },
    suspects: [],
    request_id: randomUUID(),
  };
}

async function readJson(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

async function answeringAtOnce(container: Container, network: Network, card_number: string): Promise<Network> {
  const { card_vault } = await container.getAsync(tokens.vault);
  const message = normalizeAuthorization(authorizationBody(card_number, 'first'), card_vault, null);
  const answer: AuthorizationAnswer = await network.authorize(message);
  return { ...network, authorize: async () => answer };
}

/** Cards of the sandbox's company. */
async function issueCards(container: Container, count: number): Promise<string[]> {
  const { unitOfWork } = await container.getAsync(tokens.persistence);
  const { card_vault: vault, random } = await container.getAsync(tokens.vault);
  const sandbox = await container.getAsync(tokens.sandbox);
  if (sandbox === null) throw new Error('the bench runs in the sandbox');
  const now_ms = (await container.getAsync(tokens.clock)).nowMs();
  const call = { company_id: sandbox.company_id, actor: 'command', request_id: null, now_ms };
  return await unitOfWork.run(async (tx) => {
    const cards = [];
    for (let made = 0; made < count; made += 1) {
      const { card } = await issueCard(tx, { vault, random }, call, { total_card_amount: 1_000_000_000_000 });
      cards.push(card);
    }
    return [...(await revealNumbers(tx, { vault }, call, cards)).values()].map((shown) => shown.card_number);
  });
}

const example = {
  id: 123_456,
  company_id: 1,
  vcn_id: 123,
  rcn_id: 1,
  rcn_alias: 'Travel',
  card_number: '************1234',
  message_type_indicator: 'Authorization Request',
  transaction_type: 'Authorization Request',
  trace_id: '',
  system_trace_audit_number: '123456',
  transaction_date_time: '2026-05-20T12:00:00Z',
  billing_amount: 0,
  billing_currency: 'USD',
  merchant_amount: 1200,
  merchant_currency: 'USD',
  merchant_id: 'M123',
  merchant_name: 'Merchant 123',
  merchant_city: 'Portland',
  merchant_state_or_country_code: 'OR',
  mcc: '5812',
  mcc_description: 'Eating places',
  net_reference_number: 'MCC1234560520',
  acquirer_ica: '1234',
  advice_reason_code: null,
  card_holder_transaction_type_code: null,
  financial_network_code: 'MCC',
  pos_transaction_status: null,
  purchase_request_company_guid: null,
  purchase_request_issuer_guid: null,
  settlement_date: '0520',
  replacement_amounts: { billing_amount: null, settlement_amount: null, transaction_amount: null },
  status: 'open',
  decline_reason: null,
  broken_reason: null,
  vcn_response: 'Valid',
  issuer_response: 'Approved',
  response_code: '00',
  approval_code: 'A1B2C3',
};
