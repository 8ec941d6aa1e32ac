import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { database_names } from '@tallystick/test-support';
import { type Reply, type Service, startService } from './service.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Scene extends Service {
  readonly vcn_id: number;
  /** Sends `data` to a path below /sandbox/v1 with the client's key. */
  post(path: string, data: Fields): Promise<Reply>;
  /** A purchase, whatever was decided. */
  buy(data: Fields): Promise<Fields>;
  balance(): Promise<number>;
}

async function open(t: TestContext, name: 'sqlite' | 'postgres' = 'sqlite', card: Fields = {}): Promise<Scene> {
  const service = await startService(t, name);
  const body = { data: { total_card_amount: 10_000, ...card } };
  const created = await service.send('POST', '/v1/virtualcards', { body });
  assert.equal(created.status, 200, created.text);
  const vcn_id = Number(created.json.data.id);
  const post: Scene['post'] = (path, data) => service.send('POST', `/sandbox/v1/${path}`, { body: { data } });
  return {
    ...service,
    vcn_id,
    post,
    async buy(data) {
      const reply = await post('purchases', { vcn_id, ...data });
      assert.equal(reply.status, 200, reply.text);
      return reply.json.data;
    },
    async balance() {
      return (await service.send('GET', `/v1/virtualcards/${vcn_id}`)).json.data.available_balance;
    },
  };
}

describe('a purchase in the sandbox', () => {
  for (const name of database_names) {
    it(`is authorized, cleared in parts and refunded like a purchase of the network, ${name}`, async (t) => {
      const { post, buy, balance } = await open(t, name);
      const bought = await buy({ amount: 6_000, merchant_name: 'Café Ω', mcc: '5812' });
      assert.deepEqual(
        [bought.issuer_response, bought.response_code, bought.merchant_name, bought.mcc, bought.status],
        ['Approved', '00', 'Café Ω', '5812', 'open'],
      );
      assert.equal(await balance(), 4_000);
      const path = `authorizations/${bought.id}`;

      const part = await post(`${path}/clear`, { amount: 2_500 });
      assert.deepEqual(
        [part.json.data.authorization_id, part.json.data.match_rule, part.json.data.partial, part.json.data.class],
        [bought.id, 3, true, 'partial'],
      );
      const rest = await post(`${path}/clear`, {});
      assert.deepEqual([rest.json.data.billing_amount, rest.json.data.partial], [3_500, false]);
      assert.equal(await balance(), 4_000);
      for (const what of ['clear', 'reverse']) {
        const again = await post(`${path}/${what}`, {});
        assert.deepEqual([again.status, again.json.code], [409, 'conflict'], `${what}: ${again.text}`);
      }

      const refund = await post(`${path}/refund`, {});
      assert.deepEqual(
        [refund.json.data.clearing_type, refund.json.data.billing_amount, refund.json.data.authorization_id],
        ['CREDIT', 6_000, bought.id],
      );
      assert.equal(await balance(), 10_000);
    });
  }

  for (const name of database_names) {
    it(`is declined by the merchant controls of the card and of its template, ${name}`, async (t) => {
      const { send, buy, vcn_id } = await open(t, name);
      const template = {
        ...{ name: 'No Acme', description: 'd', mcc_list: ['5999'], mcc_rule: 'DENY', required_control: 'VELOCITY' },
        merchant_controls: { merchant_names: { deny: ['acme*'] } },
      };
      const requested = await send('POST', '/v1/content/virtualcard-templates', { body: { data: template } });
      assert.equal(requested.status, 200, requested.text);
      const listed = await send('GET', '/v1/content/virtualcard-templates');
      const [{ id: template_id, merchant_controls: of_template }] = listed.json.data;
      assert.deepEqual(of_template.merchant_names, { allow: null, deny: ['acme*'] });
      const completion = `/operator/v1/templates/${template_id}/complete`;
      assert.equal((await send('POST', completion, { key: 'operator' })).status, 200);

      const changes = { template_id, merchant_controls: { countries: { allow: ['DE'] }, card_present: 'forbidden' } };
      const path = `/v1/virtualcards/${vcn_id}`;
      const changed = await send('PATCH', path, { body: { data: changes } });
      assert.equal(changed.status, 200, changed.text);
      const shown = {
        merchant_ids: null,
        merchant_names: null,
        countries: { allow: ['DEU'], deny: null },
        card_present: 'forbidden',
      };
      assert.deepEqual(changed.json.data.merchant_controls, shown);
      const again = await send('PATCH', path, { body: { data: changed.json.data } });
      assert.deepEqual(again.json.data.merchant_controls, shown, 'sent back');

      const german = { amount: 10, merchant_country: 'DE' };
      const reasons = [];
      for (const data of [
        german,
        { ...german, merchant_name: 'ACME 1' },
        { amount: 10, merchant_country: 'FRA' },
        { amount: 10 },
        { ...german, card_present: true },
      ]) {
        reasons.push((await buy(data)).decline_reason);
      }
      assert.deepEqual(reasons, [null, 'H', 'L', 'L', 'N']);
      const free = await send('PATCH', path, { body: { data: { merchant_controls: null } } });
      assert.equal(free.json.data.merchant_controls, null);
      assert.equal((await buy({ amount: 10 })).decline_reason, null);
    });
  }

  it('is reversed in part, then in full', async (t) => {
    const { post, buy, balance } = await open(t);
    const bought = await buy({ amount: 6_000 });
    const part = await post(`authorizations/${bought.id}/reverse`, { amount: 1_500 });
    assert.equal(part.status, 200, part.text);
    assert.equal(part.json.data.replacement_amounts.billing_amount, 4_500);
    assert.equal(await balance(), 5_500);
    assert.equal((await post(`authorizations/${bought.id}/reverse`, {})).json.data.status, 'reversed');
    assert.equal(await balance(), 10_000);
    const again = await post(`authorizations/${bought.id}/reverse`, {});
    assert.deepEqual([again.status, again.json.code], [409, 'conflict']);
  });

  it('is declined by the rules of the card, and nothing follows it', async (t) => {
    const { post, buy } = await open(t, 'sqlite', { currency: 'EUR' });
    assert.equal((await buy({ amount: 500 })).merchant_currency, 'EUR');
    assert.equal((await buy({ amount: 10_001 })).decline_reason, 'E');
    const declined = await buy({ amount: 500, currency: 'USD' });
    assert.deepEqual([declined.decline_reason, declined.issuer_response], ['M', 'Declined']);
    for (const what of ['clear', 'reverse', 'refund']) {
      const reply = await post(`authorizations/${declined.id}/${what}`, {});
      assert.deepEqual([reply.status, reply.json.code], [409, 'conflict'], `${what}: ${reply.text}`);
    }
  });

  it('keeps its rate of conversion in what follows it', async (t) => {
    const { send, vcn_id, post } = await open(t);
    const { card_number } = (await send('GET', `/v1/virtualcards/${vcn_id}?show_card_number=true`)).json.data;
    const message = {
      card_number,
      message_type_indicator: '0100',
      billing_amount: 1_000,
      billing_currency: 'USD',
      merchant_amount: 900,
      merchant_currency: 'EUR',
      mcc: '5812',
      trace_id: 'T1',
      system_trace_audit_number: '1',
      transaction_date_time: '2030-03-15T10:00:00Z',
    };
    const { id } = (await send('POST', '/network/v1/authorizations', { key: 'network', body: { data: message } })).json
      .data;
    const { json } = await post(`authorizations/${id}/clear`, { amount: 333 });
    assert.deepEqual(
      [json.data.billing_amount, json.data.merchant_amount, json.data.merchant_currency],
      [333, 300, 'EUR'],
    );
  });

  it('is refused with every invalid field, and what another company has does not exist', async (t) => {
    const { post, buy, vcn_id, send } = await open(t);
    const bad = await post('purchases', { vcn_id, amount: 0, currency: 'usd', mcc: '1', merchant_name: ' ' });
    assert.deepEqual(
      bad.json.fields.map(({ path }: { path: string }) => path),
      ['data.amount', 'data.currency', 'data.mcc', 'data.merchant_name'],
    );
    for (const amount of [-1, 1.5, '5', 10 ** 12 + 1]) {
      assert.equal((await post('purchases', { vcn_id, amount })).status, 400, String(amount));
    }
    assert.equal((await post('purchases', { vcn_id: 999, amount: 1 })).status, 404);
    assert.equal((await post('purchases', { vcn_id, amount: 1, ammount: 1 })).status, 400);
    const bought = await buy({ amount: 100 });
    assert.equal((await post(`authorizations/${bought.id}/refund`, {})).status, 409, 'nothing has cleared');
    assert.equal((await post(`authorizations/${bought.id}/reverse`, { amount: 101 })).status, 400);
    assert.equal((await post('authorizations/999/clear', {})).status, 404);

    const operator = { key: 'operator' } as const;
    const company = { data: { name: 'Another', customer_number: '77' } };
    const { id } = (await send('POST', '/operator/v1/companies', { ...operator, body: company })).json.data;
    const key = { data: { role: 'client', company_id: Number(id), name: 'k' } };
    const { key: text } = (await send('POST', '/operator/v1/keys', { ...operator, body: key })).json.data;
    const theirs = await send('POST', `/sandbox/v1/authorizations/${bought.id}/clear`, {
      key: text,
      body: { data: {} },
    });
    assert.equal(theirs.status, 404, theirs.text);
    const with_their_key = { key: text, body: { data: { vcn_id, amount: 1 } } };
    assert.equal((await send('POST', '/sandbox/v1/purchases', with_their_key)).status, 404);
  });

  it('is made once for one Idempotency-Key, and its answers and logs show no number', async (t) => {
    const { send, vcn_id, balance, log } = await open(t);
    const { card_number } = (await send('GET', `/v1/virtualcards/${vcn_id}?show_card_number=true`)).json.data;
    const call = { body: { data: { vcn_id, amount: 100 } }, headers: { 'Idempotency-Key': 'once' } };
    const first = await send('POST', '/sandbox/v1/purchases', call);
    const second = await send('POST', '/sandbox/v1/purchases', call);
    assert.equal(second.text, first.text);
    assert.equal(await balance(), 9_900);
    assert.ok(!first.text.includes(card_number) && !log().includes(card_number));
  });

  it('does not exist outside the sandbox', async (t) => {
    const { send } = await startService(t, 'sqlite', (ports) => ({ ...ports, sandbox: null }));
    const reply = await send('POST', '/sandbox/v1/purchases', { key: null, body: { data: { vcn_id: 1, amount: 1 } } });
    assert.equal(reply.status, 404);
  });
});
