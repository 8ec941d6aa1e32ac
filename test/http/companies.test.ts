import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { database_names } from '@tallystick/test-support';
import { authorization, type Call, type Service, startService } from './service.ts';

const own = '/operator/v1/companies/1';

function patch({ send }: Service, data: object) {
  return send('PATCH', own, { key: 'operator', body: { data } });
}

/** Issues a card of the sandbox's company, and returns its number. */
async function issue({ send }: Service): Promise<string> {
  const body = { data: { total_card_amount: 100_000 }, show_card_number: true };
  return (await send('POST', '/v1/virtualcards', { body })).json.data.card_number;
}

async function clientKey({ send }: Service, data: object = {}): Promise<string> {
  const body = { data: { role: 'client', name: 'n', company_id: 1, ...data } };
  return (await send('POST', '/operator/v1/keys', { key: 'operator', body })).json.data.key;
}

for (const name of database_names) {
  describe(`a company on ${name}`, () => {
    it('is closed: its keys are forbidden at once and its cards decline K, until it is active again', async (t) => {
      const service = await startService(t, name);
      const { send } = service;
      const number = await issue(service);
      const stored = await clientKey(service);
      const bank = await clientKey(service, { role: 'bank' });
      const pay = async () => {
        const reply = await send('POST', '/network/v1/authorizations', { key: 'network', body: authorization(number) });
        return [reply.status, reply.json.data.decline_reason, reply.json.data.response_code];
      };
      const keys = ['client', 'bank', stored, bank];
      const statuses = (call: Call = {}) =>
        Promise.all(keys.map(async (key) => (await send('GET', '/v1/virtualcards', { ...call, key })).status));
      assert.deepEqual(await statuses(), [200, 403, 200, 403]);
      assert.deepEqual(await pay(), [200, null, '00']);

      const closed = await patch(service, { status: 'closed' });
      assert.deepEqual([closed.status, closed.json.data.status], [200, 'closed']);
      assert.deepEqual(await statuses(), [403, 403, 403, 403]);
      const refused = await send('GET', '/v1/virtualcards', { key: stored });
      assert.deepEqual([refused.json.code, refused.json.error], ['forbidden', 'the company of this key is closed']);
      assert.deepEqual(await pay(), [200, 'K', '62']);
      assert.equal((await send('GET', own, { key: 'operator' })).status, 200, 'operators still read it');

      assert.equal((await patch(service, { status: 'active' })).json.data.status, 'active');
      assert.deepEqual(await statuses(), [200, 403, 200, 403]);
      assert.deepEqual(await pay(), [200, null, '00']);
    });

    it('still gets its clearings while it is closed', async (t) => {
      const service = await startService(t, name);
      await issue(service);
      await patch(service, { status: 'closed' });
      const data = {
        vcn_id: 1,
        network_financial_transaction_id: 'N-1',
        billing_amount: 5,
        billing_currency: 'USD',
        clearing_type: 'DEBIT',
        settlement_date: '2030-03-16',
      };
      const cleared = await service.send('POST', '/network/v1/clearings', { key: 'network', body: { data } });
      assert.equal(cleared.status, 200, cleared.text);
      await patch(service, { status: null });
      assert.equal((await service.send('GET', '/v1/virtualcards/1')).json.data.available_balance, 99_995);
    });

    it('has a customer number that no other company has', async (t) => {
      const service = await startService(t, name);
      const create = (customer_number: string, headers = {}) =>
        service.send('POST', '/operator/v1/companies', {
          key: 'operator',
          body: { data: { name: 'Example Ltd', customer_number } },
          headers,
        });
      const taken = await create('SANDBOX');
      assert.deepEqual([taken.status, taken.json.fields[0].path], [400, 'data.customer_number']);
      const racing = await Promise.all(Array.from({ length: 8 }, () => create('4711')));
      assert.deepEqual(racing.map(({ status }) => status).sort(), [200, 400, 400, 400, 400, 400, 400, 400]);
      const first = await create('4712', { 'Idempotency-Key': 'one' });
      const replayed = await create('4712', { 'Idempotency-Key': 'one' });
      assert.deepEqual([first.status, replayed.status, replayed.text], [200, 200, first.text]);
    });

    it('keeps both of two changes that are made at the same time', async (t) => {
      const service = await startService(t, name);
      for (let round = 1; round <= 5; round += 1) {
        await Promise.all([
          patch(service, { status: 'closed' }),
          patch(service, { hold_days: round }),
          patch(service, { rate_limit_per_minute: 1000 + round }),
        ]);
        const { status, hold_days, rate_limit_per_minute } = (await service.send('GET', own, { key: 'operator' })).json
          .data;
        assert.deepEqual([status, hold_days, rate_limit_per_minute], ['closed', round, 1000 + round]);
        await patch(service, { status: 'active' });
      }
    });
  });
}

describe('the rate limit of a company', () => {
  it('bounds all its keys together, and the refusal says so', async (t) => {
    const service = await startService(t);
    const { send } = service;
    const keys = [await clientKey(service), await clientKey(service, { rate_limit_per_minute: 1 })];
    const other = await send('POST', '/operator/v1/companies', {
      key: 'operator',
      body: { data: { name: 'Other', customer_number: '2' } },
    });
    const foreign = await clientKey(service, { company_id: Number(other.json.data.id) });
    await patch(service, { rate_limit_per_minute: 3 });
    const get = (key: string) => send('GET', '/v1/realcards', { key });
    assert.equal((await get(keys[1]!)).status, 200);
    const of_key = await get(keys[1]!);
    assert.equal(of_key.status, 429);
    assert.match(of_key.json.error, /^this key may send 1 requests a minute; try again in \d+ s$/);
    assert.equal((await get(keys[0]!)).status, 200);
    assert.equal((await get('client')).status, 200, 'the refused request took nothing from the company');
    const of_company = await get(keys[0]!);
    assert.deepEqual([of_company.status, of_company.json.code], [429, 'rate_limited']);
    assert.match(of_company.json.error, /^the keys of this company together may send 3 requests a minute/);
    assert.match(of_company.headers.get('retry-after') ?? '', /^([1-9]|1\d|20)$/);
    assert.equal((await get(foreign)).status, 200, 'another company is not bounded');
    assert.equal((await get('operator')).status, 403, 'keys without a company are not bounded');

    await patch(service, { rate_limit_per_minute: null });
    assert.equal((await get(keys[0]!)).status, 200);
  });
});
