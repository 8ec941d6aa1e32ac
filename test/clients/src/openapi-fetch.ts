/**
 * The steps of `npm run demo`, with a client that openapi-typescript generated: a template, a card,
 * approvals and declines, a reversal, a clearing, events and the deliveries to a webhook.
 *
 *     node openapi-fetch.ts <url of a sandbox> <callback url>
 */
import assert from 'node:assert/strict';
import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { components, paths, webhooks } from '../generated/openapi.ts';

type Schemas = components['schemas'];
type AuthorizationMessage = Schemas['AuthorizationMessage']['data'];
type Created = webhooks['virtualcard.created']['post']['requestBody']['content']['application/json'];

const [url = '', callback_url = ''] = process.argv.slice(2);

function clientOf(role: 'client' | 'network' | 'operator'): Client<paths> {
  const headers = { Authorization: `Bearer tly_test_${role}_sandbox` };
  const client = createClient<paths>({ baseUrl: url, headers });
  client.use(refuses_errors);
  return client;
}

const refuses_errors: Middleware = {
  async onResponse({ request, response }) {
    if (response.ok) return;
    throw new Error(`${request.method} ${request.url} answers ${response.status}: ${await response.text()}`);
  },
};

const client = clientOf('client');
const network = clientOf('network');
const operator = clientOf('operator');

async function moveClock(data: Schemas['MoveClock']['data']): Promise<string> {
  const { data: moved } = await operator.POST('/sandbox/v1/clock', { body: { data } });
  assert.ok(moved);
  return moved.data.now;
}

let messages = 0;

async function decide(
  card: Schemas['VirtualCard'],
  billing_amount: number,
  at: string,
  change: Partial<AuthorizationMessage> = {},
): Promise<{ readonly message: AuthorizationMessage; readonly decision: Schemas['Authorization'] }> {
  messages += 1;
  const message: AuthorizationMessage = {
    card_number: card.card_number,
    expiry: card.expiry,
    cvc: card.cvc,
    message_type_indicator: 'Authorization Request',
    billing_amount,
    billing_currency: 'USD',
    merchant_amount: billing_amount,
    merchant_currency: 'USD',
    mcc: '5411',
    merchant_id: 'CLIENT-GROCER',
    trace_id: `CLIENT${messages}`,
    system_trace_audit_number: String(messages).padStart(6, '0'),
    transaction_date_time: at,
    ...change,
  };
  const { data } = await network.POST('/network/v1/authorizations', { body: { data: message } });
  assert.ok(data);
  return { message, decision: data.data };
}

async function balance(id: string): Promise<number> {
  const { data } = await client.GET('/v1/virtualcards/{id}', { params: { path: { id } } });
  assert.ok(data);
  return data.data.available_balance;
}

const now = await moveClock({ advance: 'PT0S', frozen: true });

const webhook = await client.POST('/v1/webhooks', { body: { data: { callback_url, event_type_ids: [1] } } });
assert.equal(webhook.data?.data.status, 'active');
assert.ok(webhook.data.data.secret);

const requested = await client.POST('/v1/content/virtualcard-templates', {
  body: {
    name: `Fuel and groceries ${now}`,
    description: 'Where the drivers may pay',
    mcc_list: ['5411', '5541'],
    mcc_rule: 'ALLOW',
    required_control: 'VELOCITY',
  },
  params: { header: { 'Idempotency-Key': `template-${now}` } },
});
assert.equal(requested.data?.status, 'PENDING');
const at = await moveClock({ advance: 'PT10M', frozen: true });
const templates = await client.GET('/v1/content/virtualcard-templates', {
  params: { query: { filter: { transaction_key: requested.data.transaction_key }, page: { limit: 1 } } },
});
const [template] = templates.data?.data ?? [];
assert.equal(template?.status, 'ACTIVE');

const issued = await client.POST('/v1/virtualcards', {
  body: {
    data: {
      total_card_amount: 450_00,
      per_transaction_max: 200_00,
      transactions_max: 3,
      recurring: 'Daily',
      template_id: template.id,
      metadata: { story: now },
    },
    show_card_number: true,
  },
});
const card = issued.data?.data;
assert.equal(card?.status, 'Approved');

const groceries = await decide(card, 120_00, at);
assert.equal(groceries.decision.response_code, '00');
assert.equal(groceries.decision.vcn_response, 'Valid');
const declined: readonly [Schemas['Authorization']['decline_reason'], number, Partial<AuthorizationMessage>][] = [
  ['E', 250_00, {}],
  ['J', 30_00, { mcc: '5812' }],
  ['C', 30_00, { cvc: String((Number(card.cvc) + 1) % 1000).padStart(3, '0') }],
  ['A', 30_00, { expiry: '2099-12' }],
];
for (const [reason, amount, change] of declined) {
  const { decision } = await decide(card, amount, at, change);
  assert.equal(decision.decline_reason, reason);
  assert.equal(decision.issuer_response, 'Declined');
}
const fuel = await decide(card, 180_00, at, { mcc: '5541' });
assert.equal(fuel.decision.status, 'open');
assert.equal(await balance(card.id), 150_00);
await decide(card, 180_00, at, { ...fuel.message, message_type_indicator: 'Reversal Request' });
assert.equal(await balance(card.id), 330_00);

const cleared = await network.POST('/network/v1/clearings', {
  body: {
    data: {
      card_number: card.card_number,
      network_financial_transaction_id: `CLIENT-${now}`,
      clearing_type: 'DEBIT',
      billing_amount: 118_50,
      billing_currency: 'USD',
      merchant_id: 'CLIENT-GROCER',
      mcc: '5411',
      settlement_date: at.slice(0, 10),
      ...(groceries.decision.approval_code === null ? {} : { approval_code: groceries.decision.approval_code }),
    },
  },
});
assert.equal(cleared.data?.data.class, 'under');
assert.equal(cleared.data.data.authorization_id, groceries.decision.id);
assert.equal(await balance(card.id), 331_50);

const found = await client.GET('/v1/virtualcards', {
  params: { query: { filter: { status: 'Approved', 'metadata.story': now }, show_realtime_auths: true } },
});
const [listed] = found.data?.data ?? [];
for (const card of found.data?.data ?? []) assert.equal(card.last4, listed?.last4);
assert.equal(listed?.id, card.id);
assert.equal(listed.clearings.length, 1);

await client.DELETE('/v1/virtualcards/{id}', { params: { path: { id: card.id } } });
assert.equal((await decide(card, 10_00, at)).decision.decline_reason, 'K');

const events = await client.GET('/v1/events', {
  params: { query: { filter: { created_at: `[${at},]`, 'payload.vcn_id': Number(card.id) } } },
});
const outcomes = (events.data?.data ?? []).map((event) => {
  switch (event.event_type) {
    case 'virtualcard.realtime.auths':
      return event.payload.vcn_response;
    case 'virtualcard.clearings':
      // @ts-expect-error: only a card has it
      event.payload.available_balance;
      return event.payload.class;
    default:
      return event.event_type;
  }
});
assert.deepEqual(outcomes.toReversed(), [
  'Valid',
  'Transaction amount limit',
  'MCC limit',
  'CVC2 mismatch',
  'Expiry date mismatch',
  'Valid',
  'Valid',
  'under',
  'Database status bad',
]);

await moveClock({ advance: 'PT0S', frozen: true });
const deliveries = await client.GET('/v1/webhooks/{id}/deliveries', {
  params: { path: { id: webhook.data.data.id }, query: { filter: { state: 'succeeded' } } },
});
const types = (deliveries.data?.data ?? []).map(({ event_type }) => event_type);
const created: Created['data']['type'] = 'virtualcard.created';
assert.ok(types.includes(created) && types.includes('virtualcard.clearings'));
await client.DELETE('/v1/webhooks/{id}', { params: { path: { id: webhook.data.data.id } } });
console.log(`${outcomes.length} decisions and clearings, ${types.length} deliveries: as expected`);
