import { createServer, type Server } from 'node:http';
import Router from '@koa/router';
import {
  type AuthorizationAnswer,
  issueCard,
  type Network,
  normalizeAuthorization,
  revealNumbers,
} from '@tallystick/cards';
import { createHttpServer } from '@tallystick/koa';
import { serverEnvironment } from '@tallystick/test-support';
import Koa from 'koa';
import { readConfig } from '../../apps/server/src/configuration/config.ts';
import { createContainer, tokens } from '../../apps/server/src/container.ts';
import { authorizationBody } from './http-requests.ts';

/**
 * One of the servers of the HTTP bench, in a separate process. `bare` is only Koa with a router,
 * `ours` is the server as it starts, and `idle` is the same with a network side that answers
 * immediately. Sends its port and card numbers to its parent.
 */
const [kind, database_url = '', card_count = '0'] = process.argv.slice(2);

// Longer than the bench leaves a connection idle.
if (kind === 'bare') listen(createServer({ keepAliveTimeout: 65_000 }, bare().callback()), []);
else {
  const container = createContainer(readConfig(serverEnvironment({ database_url, env: { LOG_LEVEL: 'info' } })));
  const numbers = await issueCards(container, Number(card_count));
  const network = await container.getAsync(tokens.network);
  if (kind === 'idle') {
    const at_once = await answeringAtOnce(container, network, numbers[0] ?? '');
    (await container.rebindAsync(tokens.network)).toConstantValue(at_once);
  }
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
    const chunks: Buffer[] = [];
    for await (const chunk of ctx.req) chunks.push(chunk);
    const { data } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    ctx.body = { data: { ...example, trace_id: data.trace_id, billing_amount: data.billing_amount } };
  });
  const app = new Koa();
  app.use(router.routes());
  return app;
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
