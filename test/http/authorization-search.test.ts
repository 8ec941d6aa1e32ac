import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { relayEvents } from '@tallystick/events';
import { Temporal } from '@tallystick/kernel';
import { database_names } from '@tallystick/test-support';
import { authorization, type Reply, type Service, start, startService } from './service.ts';

const operator = { key: 'operator' } as const;

async function listed(service: Service, path: string, key = 'client'): Promise<Reply['json']> {
  const reply = await service.send('GET', encodeURI(path), { key });
  assert.equal(reply.status, 200, `${path}: ${reply.text}`);
  return reply.json.data;
}

function idsOf(items: readonly { readonly id: number | string }[]): readonly number[] {
  return items.map(({ id }) => Number(id));
}

/** Another company with a key, and a card of each company with its number. */
async function withCards(service: Service) {
  const post = async (path: string, data: object, key = 'operator') => {
    const reply = await service.send('POST', path, {
      key,
      body: { data, show_card_number: path.startsWith('/v1') || undefined },
    });
    assert.equal(reply.status, 200, reply.text);
    return reply.json.data;
  };
  const company = await post('/operator/v1/companies', { name: 'Other', customer_number: 'O-1' });
  const company_id = Number(company.id);
  const range = { alias: 'Fuel', billing_currency: 'USD', account_range: '555556' };
  await post('/operator/v1/realcards', { ...range, company_id });
  const { key } = await post('/operator/v1/keys', { role: 'client', name: 'n', company_id });
  const issue = (of: string) => post('/v1/virtualcards', { total_card_amount: 1_000, metadata: { order: 'Ö 7' } }, of);
  return { company_id, key: key as string, mine: await issue('client'), other: await issue(key) };
}

for (const name of database_names) {
  describe(`authorizations across cards on ${name}`, () => {
    it('are found by what they are and by their status now, of the own company only', async (t) => {
      const service = await startService(t, name);
      const { company_id, key, mine, other } = await withCards(service);
      const decide = async (card: { card_number: string }, trace_id: string, changes: object = {}) => {
        const { status, json } = await service.send('POST', '/network/v1/authorizations', {
          key: 'network',
          body: authorization(card.card_number, { trace_id, ...changes }),
        });
        assert.equal(status, 200, JSON.stringify(json));
        return json.data;
      };
      const cafe = await decide(mine, 'T1', { merchant_name: 'Café 食堂', billing_amount: 300 });
      const declined = await decide(mine, 'T2', { billing_amount: 900 });
      const reversed = await decide(mine, 'T3', { billing_amount: 10 });
      const reversal = await decide(mine, 'T3', { message_type_indicator: '0400', billing_amount: 10 });
      const foreign = await decide(other, 'T4', { merchant_name: 'Café 食堂' });
      const found = (filter: string, of = 'client') => listed(service, `/v1/authorizations?${filter}`, of).then(idsOf);
      assert.deepEqual(await found(''), [reversal.id, reversed.id, declined.id, cafe.id]);
      assert.deepEqual(await found('', key), [foreign.id]);
      assert.deepEqual(await found('filter[merchant_name]=Café 食堂'), [cafe.id]);
      assert.deepEqual(await found('filter[merchant_name]=Cafe\u0301 食堂'), []);
      assert.deepEqual(await found('filter[merchant_name_prefix]=Café'), [cafe.id]);
      assert.deepEqual(await found('filter[merchant_name_prefix]=café'), []);
      assert.deepEqual(await found('filter[status]=open'), [cafe.id]);
      assert.deepEqual(await found('filter[status]=reversed'), [reversed.id]);
      assert.deepEqual(await found('filter[status]=declined'), [declined.id]);
      assert.deepEqual(await found('filter[decision]=declined'), [declined.id]);
      assert.deepEqual(await found('filter[decision]=approved&filter[billing_amount]=[11,]'), [cafe.id]);
      assert.deepEqual(await found('filter[decline_reason]=F'), [declined.id]);
      assert.deepEqual(await found(`filter[approval_code]=${cafe.approval_code}`), [cafe.id]);
      assert.deepEqual(await found(`filter[vcn_id]=${other.id}`), []);
      assert.deepEqual(await found(`filter[decided_at]=${start.slice(0, 10)}&filter[status]=reversed`), [reversed.id]);
      assert.deepEqual(await found('filter[decided_at]=[2031-01-01,]'), []);
      const [item] = await listed(service, '/v1/authorizations?filter[merchant_name]=Café 食堂');
      const [own] = (await listed(service, `/v1/virtualcards/${mine.id}/authorizations`)).slice(-1);
      assert.deepEqual(item, own);
      const read = (id: number, of = 'client') => service.send('GET', `/v1/authorizations/${id}`, { key: of });
      assert.deepEqual((await read(cafe.id)).json.data, own);
      assert.deepEqual([(await read(cafe.id, key)).status, (await read(9_999)).status], [404, 404]);
      const all = (filter: string) => listed(service, `/operator/v1/authorizations?${filter}`, 'operator').then(idsOf);
      assert.deepEqual(await all('filter[merchant_name]=Café 食堂'), [foreign.id, cafe.id]);
      assert.deepEqual(await all(`filter[company_id]=${company_id}`), [foreign.id]);
      assert.deepEqual(await all(`filter[vcn_id]=${other.id}&filter[billing_amount]=[0,]`), [foreign.id]);
      assert.deepEqual(await all('filter[status]=reversed'), [reversed.id]);
      for (const [query, field] of [
        ['filter[status]=opened', 'filter[status]'],
        ['filter[decline_reason]=ZZ', 'filter[decline_reason]'],
        ['filter[billing_amount]=[9,1]', 'filter[billing_amount]'],
        ['filter[mcc]=[1,2]', 'filter[mcc]'],
        ['filter[company_id]=1', 'filter[company_id]'],
        ['filter[merchant]=x', 'filter[merchant]'],
        ['filter[merchant_name_prefix]=xy', 'filter[merchant_name_prefix]'],
        ['page[offset]=3', 'page[offset]'],
      ] as const) {
        const { status, json } = await service.send('GET', `/v1/authorizations?${query}`);
        assert.deepEqual([status, json.fields?.[0]?.path], [400, field], query);
      }
    });

    it('lead to their clearings, and to who did what to their card', async (t) => {
      const service = await startService(t, name);
      const { key, mine } = await withCards(service);
      const send = async (method: string, path: string, sent: object) => {
        const reply = await service.send(method, path, sent);
        assert.equal(reply.status, 200, reply.text);
        return reply.json.data;
      };
      const decided = await send('POST', '/network/v1/authorizations', {
        key: 'network',
        body: authorization(mine.card_number, { billing_amount: 300, merchant_id: 'M 1' }),
      });
      const data = {
        vcn_id: mine.id,
        network_financial_transaction_id: 'F-4711',
        clearing_type: 'DEBIT',
        billing_amount: 300,
        billing_currency: 'USD',
        merchant_id: 'M 1',
        settlement_date: start.slice(0, 10),
      };
      const cleared = await send('POST', '/network/v1/clearings', { key: 'network', body: { data } });
      const found = (filter: string, of = 'client') => listed(service, `/v1/clearings?${filter}`, of).then(idsOf);
      assert.deepEqual(await found('filter[network_financial_transaction_id]=F-4711'), [cleared.id]);
      assert.deepEqual(await found(`filter[id]=${cleared.id}`), [cleared.id]);
      assert.deepEqual(await found(`filter[authorization_id]=${decided.id}`), [cleared.id]);
      assert.deepEqual(await found(`filter[authorization_id]=${decided.id}&filter[id]=9`), []);
      assert.deepEqual(await found(`filter[id]=${cleared.id}`, key), []);
      const { status, json } = await service.send('GET', '/v1/clearings');
      assert.deepEqual([status, json.fields?.[0]?.path], [400, 'filter[id]']);

      assert.deepEqual(idsOf(await listed(service, '/v1/virtualcards?filter[metadata_value]=Ö 7')), [Number(mine.id)]);
      const card = `/v1/virtualcards/${mine.id}`;
      await send('GET', `${card}?show_card_number=true&reason=Lost%20mail%20about%20${mine.card_number}`, {});
      await send('POST', `${card}/email`, { body: { data: { email: 'ada@example.com' } } });
      const acts = await listed(service, `${card}/audit`);
      assert.deepEqual(
        acts.map(({ actor, action, details }: Reply['json']) => [actor, action, details]),
        [
          ['key:sandbox:client', 'card.mailed', { recipient: 'a***@example.com' }],
          ['key:sandbox:client', 'card_number.shown', { reason: `Lost mail about ************${mine.last4}` }],
          ['key:sandbox:client', 'card_number.shown', {}],
        ],
      );
      const [mail] = await listed(service, `${card}/mails`);
      assert.deepEqual([mail.recipient, mail.queued_by], ['a***@example.com', 'key:sandbox:client']);
      for (const path of [`${card}/audit`, `${card}/mails`]) {
        assert.equal((await service.send('GET', path, { key })).status, 404);
      }
      const unsaid = await service.send('GET', `${card}?show_card_number=true&reason=%20`);
      assert.deepEqual([unsaid.status, unsaid.json.fields?.[0]?.path], [400, 'reason']);
    });

    it('lead an operator to the card, its records and the deliveries of its events', async (t) => {
      const service = await startService(t, name);
      const { company_id, key, mine, other } = await withCards(service);
      for (const event_type_ids of [[1], [6]]) {
        const data = { callback_url: 'https://127.0.0.1/hook', event_type_ids };
        assert.equal((await service.send('POST', '/v1/webhooks', { key, body: { data } })).status, 200);
      }
      const sent = authorization(other.card_number, { billing_amount: 300, net_reference_number: 'MCC7654320315' });
      const decided = (await service.send('POST', '/network/v1/authorizations', { key: 'network', body: sent })).json
        .data;
      const find = (filter: string) => listed(service, `/operator/v1/virtualcards?${filter}`, 'operator').then(idsOf);
      const [mine_id, other_id] = [Number(mine.id), Number(other.id)];
      const last4 = other.card_number.slice(-4);
      assert.deepEqual(await find(''), [other_id, mine_id]);
      assert.deepEqual(await find('filter[metadata.order]=Ö 7'), [other_id, mine_id]);
      assert.deepEqual(await find(`filter[metadata.order]=Ö 7&filter[company_id]=${company_id}`), [other_id]);
      assert.deepEqual(await find(`filter[id]=${mine_id}`), [mine_id]);
      assert.ok((await find(`filter[last4]=${last4}`)).includes(other_id));
      assert.deepEqual(await find(`filter[approval_code]=${decided.approval_code}`), [other_id]);
      assert.deepEqual(await find('filter[net_reference_number]=MCC7654320315'), [other_id]);
      assert.deepEqual(await find(`filter[net_reference_number]=MCC7654320315&filter[id]=${mine_id}`), []);
      assert.deepEqual(await find('filter[approval_code]=NOBODY'), []);
      const card = await service.send('GET', `/operator/v1/virtualcards/${other_id}`, operator);
      assert.equal(card.json.data.company_id, company_id);
      assert.equal(card.json.data.card_number, `************${last4}`);
      assert.ok(!card.text.includes(other.card_number));
      assert.deepEqual(idsOf(card.json.data.authorizations), [decided.id]);
      const of_card = `/operator/v1/virtualcards/${other_id}`;
      assert.deepEqual(idsOf(await listed(service, `${of_card}/authorizations`, 'operator')), [decided.id]);
      assert.deepEqual(await listed(service, `${of_card}/clearings`, 'operator'), []);
      const changed = { key, body: { data: { total_card_amount: 2_000 } } };
      assert.equal((await service.send('PATCH', `/v1/virtualcards/${other_id}`, changed)).status, 200);
      const now_ms = Temporal.Instant.from(start).epochMilliseconds;
      await service.persistence.unitOfWork.run((tx) => relayEvents(tx, now_ms, 100));
      const found: string[] = [];
      for (let path: string | null = `${of_card}/deliveries?page[limit]=1`; path !== null; ) {
        const page: Reply = await service.send('GET', path, operator);
        for (const { webhook_id, event_type } of page.json.data) found.push(`${webhook_id} ${event_type}`);
        path = page.json.links.next;
      }
      // The newest events first, and of one event the newest delivery.
      const of_event = found.slice(1).toSorted();
      assert.deepEqual(
        [found[0], of_event],
        ['1 virtualcard.updated', ['1 virtualcard.realtime.auths', '2 virtualcard.realtime.auths']],
      );
      for (const part of ['', '/authorizations', '/clearings', '/deliveries']) {
        assert.equal((await service.send('GET', `/operator/v1/virtualcards/999${part}`, operator)).status, 404, part);
        assert.equal((await service.send('GET', `${of_card}${part}`)).status, 403, part);
      }
    });
  });
}
