import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resealQuarantine } from '@tallystick/cards';
import { database_names, readRows, test_keys } from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';
import { type Reply, type Service, startService } from './service.ts';

const path = '/operator/v1/quarantine';
const operator = { key: 'operator' } as const;

function clear({ send }: Service, data: object): Promise<Reply> {
  const body = {
    data: {
      network_financial_transaction_id: 'NFT-1',
      billing_amount: 2_400,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2030-03-16',
      ...data,
    },
  };
  return send('POST', '/network/v1/clearings', { key: 'network', body });
}

async function createCard({ send }: Service): Promise<{ readonly id: string; readonly available_balance: number }> {
  return (await send('POST', '/v1/virtualcards', { body: { data: { total_card_amount: 10_000 } } })).json.data;
}

for (const database of database_names) {
  describe(`the quarantine over ${database}`, () => {
    it('keeps a clearing of an unknown card, which a replay applies once the card is there', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      assert.equal((await clear(service, { vcn_id: 1 })).status, 404);
      assert.equal((await clear(service, { vcn_id: 1 })).status, 404);
      const { data: listed } = (await send('GET', path, operator)).json;
      assert.equal(listed.length, 1);
      const [{ id, count, status, reason, source, message }] = listed;
      assert.deepEqual([count, status, reason, source], [2, 'quarantined', 'unknown_card', 'http']);
      assert.equal(message.billing_amount, 2_400);

      const early = await send('POST', `${path}/${id}/replay`, operator);
      assert.deepEqual([early.status, early.json.code], [409, 'conflict']);
      assert.match(early.json.error, /there is no virtual card 1/);

      const card = await createCard(service);
      assert.equal(card.id, '1');
      const replays = await Promise.all(
        Array.from({ length: 4 }, () => send('POST', `${path}/${id}/replay`, operator)),
      );
      assert.deepEqual(replays.map((reply) => reply.status).toSorted(), [200, 409, 409, 409]);
      const applied = replays.find((reply) => reply.status === 200)!.json.data;
      const [clearing] = (await send('GET', '/v1/virtualcards/1/clearings')).json.data;
      assert.deepEqual([applied.status, applied.clearing_id], ['applied', clearing.id]);
      assert.equal((await send('GET', '/v1/virtualcards/1')).json.data.available_balance, 7_600);
      assert.equal((await send('POST', `${path}/${id}/replay`, operator)).status, 409);
      assert.deepEqual((await send('GET', `${path}?filter[status]=quarantined`, operator)).json.data, []);
      assert.deepEqual((await send('GET', `${path}/${id}`, operator)).json.data, applied);
      const audited = await readRows<{ action: string }>(
        service.database,
        `select action from tallystick_audit_entries where "object" = 'quarantine:${id}' order by id`,
      );
      assert.deepEqual(
        audited.map(({ action }) => action),
        ['quarantine.replay_refused', 'quarantine.replay_applied'],
      );
    });

    it('keeps a clearing with a known transaction id and other content, once however often it comes', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      await createCard(service);
      const first = await clear(service, { vcn_id: 1 });
      const copy = await clear(service, { vcn_id: 1, merchant_name: 'Inn', approval_code: 'A1B2C3' });
      assert.deepEqual([first.status, copy.status, copy.json.data], [200, 200, first.json.data]);
      for (const other of [{ billing_amount: 5_000 }, { clearing_type: 'CREDIT' }]) {
        const [field] = Object.keys(other);
        for (const _ of [1, 2]) {
          const { status, json } = await clear(service, { vcn_id: 1, ...other });
          assert.deepEqual([status, json.code], [400, 'validation_failed']);
          assert.deepEqual(
            json.fields.map(({ path }: { path: string }) => path),
            ['data.network_financial_transaction_id', `data.${field}`],
          );
        }
      }
      const { data: kept } = (await send('GET', path, operator)).json;
      const once = { reason: 'transaction_of_another_clearing', count: 2 };
      assert.deepEqual(
        kept.map(({ reason, count }: { reason: string; count: number }) => ({ reason, count })),
        [once, once],
      );
      assert.match(kept[0].explanation, /a clearing of this card with clearing_type DEBIT has it/);
      assert.equal((await send('GET', '/v1/virtualcards/1')).json.data.available_balance, 7_600);
      assert.equal((await send('POST', `${path}/${kept[0].id}/replay`, operator)).status, 409);
    });

    it('keeps a clearing whose transaction id names nothing', async (t) => {
      const service = await startService(t, database);
      await createCard(service);
      const ids = ['0000000000', '5.55E+17'];
      for (const network_financial_transaction_id of ids) {
        const { status, json } = await clear(service, { vcn_id: 1, network_financial_transaction_id });
        assert.deepEqual([status, json.fields[0].path], [400, 'data.network_financial_transaction_id']);
        assert.match(json.error, /names no transaction/);
      }
      const { data: kept } = (await service.send('GET', path, operator)).json;
      assert.deepEqual(
        kept.map(({ message }: { message: object }) => Object.values(message).includes(ids[0])),
        [false, true],
      );
      assert.deepEqual((await service.send('GET', '/v1/virtualcards/1/clearings')).json.data, []);
    });

    it('keeps the other refusals, and states the reason that holds now', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      await createCard(service);
      await createCard(service);
      const other_currency = await clear(service, { vcn_id: 1, billing_currency: 'EUR' });
      assert.equal(other_currency.status, 400);
      assert.equal((await clear(service, { vcn_id: 2 })).status, 200);
      assert.equal((await clear(service, { vcn_id: 1 })).status, 400);
      const reasons = async () =>
        (await send('GET', path, operator)).json.data.map(({ reason }: { reason: string }) => reason);
      assert.deepEqual(await reasons(), ['transaction_of_another_card', 'other_billing_currency']);
      const filtered = await send('GET', `${path}?filter[reason]=other_billing_currency`, operator);
      const [{ id }] = filtered.json.data;
      const replay = await send('POST', `${path}/${id}/replay`, operator);
      assert.equal(replay.status, 409);
      assert.deepEqual(await reasons(), ['transaction_of_another_card', 'transaction_of_another_card']);
    });
  });
}

describe('the quarantine', () => {
  it('masks card numbers in answers, and encrypts them in storage', async (t) => {
    const service = await startService(t);
    const card_number = '5555555555554444';
    assert.equal((await clear(service, { card_number })).status, 404);
    const { text, json } = await service.send('GET', path, operator);
    assert.equal(json.data[0].message.card_number, '************4444');
    assert.ok(!text.includes(card_number) && !service.stored().includes(card_number));
    assert.ok(!service.log().includes(card_number));
  });

  it('is for operators', async (t) => {
    const { send } = await startService(t);
    for (const key of ['client', 'network', 'bank'] as const) {
      assert.equal((await send('GET', path, { key })).status, 403);
      assert.equal((await send('POST', `${path}/1/replay`, { key })).status, 403);
    }
    assert.equal((await send('GET', `${path}/1`, operator)).status, 404);
    assert.equal((await send('POST', `${path}/1/replay`, operator)).status, 404);
  });

  it('does not keep a message that cannot be read, and none that is applied', async (t) => {
    const service = await startService(t);
    await createCard(service);
    assert.equal((await clear(service, { vcn_id: 1, billing_currency: 'US' })).status, 400);
    assert.equal((await clear(service, { vcn_id: 1 })).status, 200);
    assert.equal((await clear(service, { vcn_id: 1 })).status, 200);
    assert.deepEqual((await service.send('GET', path, operator)).json.data, []);
  });

  it('is sealed again by a key rotation, so that the old key can be removed', async (t) => {
    const service = await startService(t);
    for (const vcn_id of [8, 9]) await clear(service, { vcn_id });
    const { unitOfWork } = service.persistence;
    const { sealer } = createVault(parseKeyRing(test_keys).withNewKey());
    assert.equal(await resealQuarantine(unitOfWork, service.vault.sealer), 0, 'the newest key sealed them');
    assert.equal(await resealQuarantine(unitOfWork, sealer, 1), 2);
    assert.equal(await resealQuarantine(unitOfWork, sealer), 0);
    const { items } = await unitOfWork.read((tx) => tx.quarantine.list({}, { limit: 10 }));
    assert.ok(items.every(({ message_sealed }) => sealer.isCurrent(message_sealed)));
  });
});
