import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Call, type Reply, type Service, startService } from './service.ts';

/** A resource that a client reads and sends back. */
interface Resource {
  readonly name: string;
  readonly key: 'client' | 'operator';
  readonly at: string;
  readonly create: Readonly<Record<string, unknown>>;
  /** Of a resource with a PATCH. */
  readonly is_changeable?: true;
  /** What a second resource must have of its own. */
  readonly own?: Readonly<Record<string, unknown>>;
}

const resources: readonly Resource[] = [
  {
    name: 'a velocity card',
    key: 'client',
    at: '/v1/virtualcards',
    create: {
      total_card_amount: 1_000,
      per_transaction_max: 500,
      transactions_max: 3,
      recurring: 'Monthly',
      currency: 'EUR',
      supplier_id: 7,
      metadata: { b: 1, a: [null] },
      emails: ['ann@example.com'],
    },
    is_changeable: true,
  },
  {
    name: 'an aging card',
    key: 'client',
    at: '/v1/virtualcards',
    create: { total_card_amount: 1_000, authorization_hold_days: 3, aging_velocity_time_zone: 'UTC' },
    is_changeable: true,
  },
  {
    name: 'a webhook',
    key: 'client',
    at: '/v1/webhooks',
    create: { callback_url: 'https://hooks.example/a', event_type_ids: [10, 6], status: 'inactive' },
    is_changeable: true,
    own: { event_type_ids: [] },
  },
  {
    name: 'a company',
    key: 'operator',
    at: '/operator/v1/companies',
    create: { name: 'Acme', customer_number: '4711' },
    is_changeable: true,
    own: { customer_number: '4712' },
  },
  {
    name: 'a real card',
    key: 'operator',
    at: '/operator/v1/realcards',
    create: { company_id: 1, alias: 'Travel', billing_currency: 'EUR', account_range: '54545400' },
    own: { alias: 'Travel' },
  },
  {
    name: 'a key',
    key: 'operator',
    at: '/operator/v1/keys',
    create: { company_id: 1, role: 'client', name: 'Back office', expires_at: '2100-01-31T00:00:00Z' },
    is_changeable: true,
  },
  {
    name: 'a foreign event',
    key: 'operator',
    at: '/operator/v1/events',
    create: { company_id: 1, event_type: 'ach.status', payload: { id: 1 } },
    own: { company_id: 1 },
  },
  {
    name: 'a purchase template',
    key: 'client',
    at: '/v1/content/virtualcard-templates',
    create: {
      name: 'Fuel',
      mcc_list: ['5541'],
      mcc_rule: 'ALLOW',
      description: 'Fuel only',
      required_control: 'VELOCITY',
    },
    own: { name: 'Fuel, too' },
  },
];

for (const { name, key, at, create, is_changeable, own = {} } of resources) {
  it(`${name} can be sent back as it was answered: members that only answers have are ignored`, async (t) => {
    const service = await startService(t);
    const send = (method: string, path: string, data: unknown) => ask(service, method, path, { key, body: { data } });
    const created = dataOf(await send('POST', at, create));
    const again = dataOf(await send('POST', at, { ...created, ...own }));
    assert.deepEqual(Object.keys(again), Object.keys(created));
    if (is_changeable !== true) return;
    const { url } = created as { readonly url: string };
    const read = dataOf(await ask(service, 'GET', url, { key }));
    for (const shown of [created, read]) {
      assert.deepEqual(dataOf(await send('PATCH', url, shown)), read);
    }
  });
}

it('a card that is sent back unchanged writes no event', async (t) => {
  const service = await startService(t);
  const card = dataOf(await ask(service, 'POST', '/v1/virtualcards', { body: { data: { total_card_amount: 1_000 } } }));
  await ask(service, 'PATCH', '/v1/virtualcards/1', { body: { data: card } });
  const { data } = (await ask(service, 'GET', '/v1/events')).json;
  assert.deepEqual(
    data.map((event: { event_type: string }) => event.event_type),
    ['virtualcard.created'],
  );
});

it('a maximum is kept for good when it is sent alone, and follows the total in a whole card', async (t) => {
  const service = await startService(t);
  const change = async (id: number, data: unknown) =>
    dataOf(await ask(service, 'PATCH', `/v1/virtualcards/${id}`, { body: { data } })).per_transaction_max;
  for (const id of [1, 2]) {
    await ask(service, 'POST', '/v1/virtualcards', { body: { data: { total_card_amount: 100 } } });
    await change(id, { per_transaction_max: 100, ...(id === 2 ? { id: '2' } : {}) });
  }
  assert.equal(await change(1, { total_card_amount: 231 }), 100);
  assert.equal(await change(2, { total_card_amount: 231 }), 231);
  const body = { data: { total_card_amount: 300 }, is_sent_back: true };
  assert.equal((await service.send('PATCH', '/v1/virtualcards/1', { body })).status, 400);
});

it('a webhook is reset by null: no types, active', async (t) => {
  const service = await startService(t);
  const data = { callback_url: 'https://hooks.example/a', event_type_ids: [2], status: 'inactive' };
  await ask(service, 'POST', '/v1/webhooks', { body: { data } });
  const body = { data: { event_type_ids: null, status: null } };
  const { event_type_ids, status } = dataOf(await ask(service, 'PATCH', '/v1/webhooks/1', { body }));
  assert.deepEqual([event_type_ids, status], [[], 'active']);
});

it('a company changes its name, and keeps its customer number', async (t) => {
  const service = await startService(t);
  const change = (data: unknown) =>
    service.send('PATCH', '/operator/v1/companies/1', { key: 'operator', body: { data } });
  assert.equal((await change({ name: 'Renamed' })).json.data.name, 'Renamed');
  for (const [data, path] of [
    [{ customer_number: 'another' }, 'data.customer_number'],
    [{ name: null }, 'data.name'],
    [{ name: ' ' }, 'data.name'],
  ] as const) {
    const { status, json } = await change(data);
    assert.deepEqual([status, json.fields.map((field: { path: string }) => field.path)], [400, [path]]);
  }
  const { json } = await service.send('GET', '/operator/v1/companies/1', { key: 'operator' });
  assert.deepEqual([json.data.name, json.data.customer_number], ['Renamed', 'SANDBOX']);
});

it('a message of the card network may have unknown fields, siblings of data and query parameters', async (t) => {
  const service = await startService(t);
  await ask(service, 'POST', '/v1/virtualcards', { body: { data: { total_card_amount: 1_000 } } });
  const clearing = {
    vcn_id: 1,
    network_financial_transaction_id: 'N',
    billing_amount: 1,
    billing_currency: 'USD',
    clearing_type: 'DEBIT',
    settlement_date: '2030-03-16',
    new_field: { of: 'the network' },
    partial: null,
    merchant_amount: null,
    approval_code: null,
  };
  const call: Call = { key: 'network', body: { data: clearing, version: 7 } };
  const reply = await ask(service, 'POST', '/network/v1/clearings?trace=1', call);
  assert.equal(reply.json.data.network_financial_transaction_id, 'N');
});

async function ask(service: Service, method: string, path: string, call: Call = {}): Promise<Reply> {
  const reply = await service.send(method, path, call);
  assert.equal(reply.status, 200, reply.text);
  return reply;
}

/** A template is answered without `data`. */
function dataOf({ json }: Reply): Readonly<Record<string, unknown>> {
  return json.data ?? json;
}
