import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { database_names, readRows } from '@tallystick/test-support';
import { authorization, type Service, startService } from './service.ts';

async function createCard({ send }: Service): Promise<{ readonly id: string; readonly card_number: string }> {
  const body = { data: { total_card_amount: 10_000 }, show_card_number: true };
  return (await send('POST', '/v1/virtualcards', { body })).json.data;
}

for (const database of database_names) {
  describe(`a freeze over ${database}`, () => {
    it('declines requests until it ends, is shown, listed and recorded once', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      const [{ id, card_number }, other] = [await createCard(service), await createCard(service)];
      const path = `/v1/virtualcards/${id}`;
      const authorize = async () => {
        const call = { key: 'network', body: authorization(card_number) } as const;
        return (await send('POST', '/network/v1/authorizations', call)).json.data.response_code;
      };
      const listed = async (frozen: boolean) => {
        const { json } = await send('GET', `/v1/virtualcards?filter[frozen]=${frozen}`);
        return json.data.map((card: { id: string }) => card.id);
      };
      assert.equal(await authorize(), '00');
      const frozen = await send('POST', `${path}/freeze`, { body: { data: { note: 'lost with 5555555555554444' } } });
      const { status, frozen_at } = frozen.json.data;
      assert.deepEqual([frozen.status, status, frozen.json.data.frozen], [200, 'Approved', true]);
      assert.ok(Number.isFinite(Date.parse(frozen_at)), frozen_at);
      assert.deepEqual((await send('GET', path)).json.data, frozen.json.data);
      assert.equal(await authorize(), '62');
      assert.deepEqual([await listed(true), await listed(false)], [[id], [other.id]]);
      const again = await send('POST', `${path}/freeze`, { body: { data: {} } });
      assert.deepEqual([again.status, again.json.data.frozen_at], [200, frozen_at]);
      const unfrozen = await send('POST', `${path}/unfreeze`);
      assert.deepEqual([unfrozen.status, unfrozen.json.data.frozen, unfrozen.json.data.frozen_at], [200, false, null]);
      assert.equal(await authorize(), '00');
      assert.deepEqual(await listed(true), []);

      const events = (await send('GET', '/v1/events')).json.data.filter(
        ({ event_type }: { event_type: string }) => event_type === 'virtualcard.updated',
      );
      const masked = 'lost with ************4444';
      assert.deepEqual(
        events.map(({ payload }: (typeof events)[number]) => [payload.frozen, payload.frozen_at, payload.note]),
        [
          [false, null, null],
          [true, frozen_at, masked],
        ],
      );
      const { note: _note, ...payload } = events[1].payload;
      assert.deepEqual(payload, { ...events[1].previous, frozen: true, frozen_at });
      const audited = await readRows(
        service.database,
        `select actor, action, details from tallystick_audit_entries where "object" = 'virtualcard:${id}' and action like 'card.%frozen' order by id`,
      );
      assert.deepEqual(
        audited.map(({ actor, action, details }) => [actor, action, JSON.parse(String(details)).note]),
        [
          ['key:sandbox:client', 'card.frozen', masked],
          ['key:sandbox:client', 'card.unfrozen', null],
        ],
      );
      if (database === 'sqlite') assert.ok(!service.stored().includes('5555555555554444'));
    });

    it('leaves PATCH, and is left by it, and ends with DELETE', async (t) => {
      const { send, ...service } = await startService(t, database);
      const { id } = await createCard({ send, ...service });
      const path = `/v1/virtualcards/${id}`;
      const { frozen_at } = (await send('POST', `${path}/freeze`)).json.data;
      const patched = (await send('PATCH', path, { body: { data: { total_card_amount: 20_000 } } })).json.data;
      assert.deepEqual([patched.total_card_amount, patched.frozen_at], [20_000, frozen_at]);
      const sent_back = await send('PATCH', path, { body: { data: { ...patched, transactions_max: 3 } } });
      assert.deepEqual([sent_back.json.data.transactions_max, sent_back.json.data.frozen], [3, true]);
      const by_patch = await send('PATCH', path, { body: { data: { frozen: false } } });
      assert.deepEqual([by_patch.status, by_patch.json.fields[0].path], [400, 'data.frozen']);
      assert.equal((await send('DELETE', path)).status, 204);
      for (const name of ['freeze', 'unfreeze']) {
        const reply = await send('POST', `${path}/${name}`);
        assert.deepEqual([reply.status, reply.json.code], [409, 'conflict'], name);
      }
      const card = (await send('GET', path)).json.data;
      assert.deepEqual([card.status, card.frozen_at], ['Canceled', frozen_at]);
    });
  });
}

describe('a freeze', () => {
  it('is for the company of the card and for an operator', async (t) => {
    const service = await startService(t);
    const { send } = service;
    const { id } = await createCard(service);
    const freeze = (key: string) => send('POST', `/v1/virtualcards/${id}/freeze`, { key, body: { data: {} } });
    for (const key of ['network', 'bank']) assert.equal((await freeze(key)).status, 403);
    const company = { key: 'operator', body: { data: { name: 'Other', customer_number: '2' } } } as const;
    const company_id = (await send('POST', '/operator/v1/companies', company)).json.data.id;
    const role = { key: 'operator', body: { data: { role: 'client', name: 'n', company_id } } } as const;
    const { key } = (await send('POST', '/operator/v1/keys', role)).json.data;
    assert.equal((await freeze(key)).status, 404);
    const frozen = await freeze('operator');
    assert.deepEqual([frozen.status, frozen.json.data.id, frozen.json.data.frozen], [200, id, true]);
    assert.equal((await send('GET', `/v1/virtualcards/${id}`)).json.data.frozen, true);
  });

  it('is refused with a wrong note, and a list with another value than true or false', async (t) => {
    const { send, ...service } = await startService(t);
    const { id } = await createCard({ send, ...service });
    for (const note of ['', ' ', 5, 'x'.repeat(501)]) {
      const reply = await send('POST', `/v1/virtualcards/${id}/freeze`, { body: { data: { note } } });
      assert.deepEqual([reply.status, reply.json.fields[0].path], [400, 'data.note'], String(note));
    }
    assert.equal((await send('GET', '/v1/virtualcards?filter[frozen]=yes')).status, 400);
    assert.equal((await send('POST', '/v1/virtualcards/999/freeze')).status, 404);
  });
});
