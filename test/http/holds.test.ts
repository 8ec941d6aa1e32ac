import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { database_names, readRows } from '@tallystick/test-support';
import { authorization, type Call, type Reply, type Service, startService } from './service.ts';

/** Creates a card with a total of 10,000. */
async function createCard({ send }: Service): Promise<{ readonly id: string; readonly card_number: string }> {
  const body = { data: { total_card_amount: 10_000 }, show_card_number: true };
  return (await send('POST', '/v1/virtualcards', { body })).json.data;
}

async function balanceOf({ send }: Service, id: string): Promise<number> {
  return (await send('GET', `/v1/virtualcards/${id}`)).json.data.available_balance;
}

for (const database of database_names) {
  describe(`holds over ${database}`, () => {
    it('end after the days of the company, and by default after 30', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      const company = '/operator/v1/companies/1';
      const { id, card_number } = await createCard(service);
      const authorize = async () =>
        assert.equal(
          (await send('POST', '/network/v1/authorizations', { key: 'network', body: authorization(card_number) })).json
            .data.response_code,
          '00',
        );
      const setDays = async (hold_days: unknown) => {
        const reply = await send('PATCH', company, { key: 'operator', body: { data: { hold_days } } });
        assert.deepEqual([reply.status, reply.json.data.hold_days], [200, hold_days]);
      };
      assert.equal((await send('GET', company, { key: 'operator' })).json.data.hold_days, null);
      await authorize();
      await setDays(7);
      await authorize();
      await setDays('never');
      await authorize();
      await setDays(null);
      const amount = 2_500;
      for (const [clock, held] of [
        ['2030-03-22T00:00:00.999Z', 3 * amount],
        ['2030-03-22T00:00:01Z', 2 * amount],
        ['2030-04-14T00:00:00.999Z', 2 * amount],
        ['2030-04-14T00:00:01Z', amount],
        ['2032-03-01T00:00:00Z', amount],
      ] as const) {
        service.setClock(clock);
        assert.equal(await balanceOf(service, id), 10_000 - held, clock);
      }
    });
  });
}

interface Released {
  readonly id: string;
  readonly authorization_id: number;
  release(body: unknown, call?: Call): Promise<Reply>;
}

/** A card with a hold of 2,500, and a way to release it. */
async function held(service: Service): Promise<Released> {
  const { id, card_number } = await createCard(service);
  const call = { key: 'network', body: authorization(card_number) } as const;
  const authorization_id = (await service.send('POST', '/network/v1/authorizations', call)).json.data.id;
  const path = `/v1/virtualcards/${id}/authorizations/${authorization_id}/release`;
  return { id, authorization_id, release: (data, call) => service.send('POST', path, { body: { data }, ...call }) };
}

for (const database of database_names) {
  describe(`the release of a hold over ${database}`, () => {
    it('frees the balance, takes the authorization off the card, and is recorded', async (t) => {
      const service = await startService(t, database);
      const { id, authorization_id, release } = await held(service);
      const reply = await release({ note: 'The merchant closed' });
      assert.deepEqual([reply.status, reply.json.data.status], [200, 'released']);
      const card = (await service.send('GET', `/v1/virtualcards/${id}`)).json.data;
      assert.deepEqual([card.available_balance, card.authorizations], [10_000, []]);
      const all = (await service.send('GET', `/v1/virtualcards/${id}/authorizations`)).json.data;
      assert.deepEqual(
        all.map((item: { status: string }) => item.status),
        ['released'],
      );
      const [event] = (await service.send('GET', '/v1/events')).json.data;
      const released = { authorization_id, amount: 2_500, note: 'The merchant closed' };
      assert.equal(event.event_type, 'virtualcard.updated');
      assert.deepEqual(event.payload, { ...event.previous, available_balance: 10_000, released });
      assert.equal(event.previous.available_balance, 7_500);
      const audited = await readRows(
        service.database,
        `select actor, "object", details from tallystick_audit_entries where action = 'hold.released'`,
      );
      assert.deepEqual(
        audited.map((entry) => ({ ...entry, details: JSON.parse(String(entry.details)) })),
        [{ actor: 'key:sandbox:client', object: `virtualcard:${id}`, details: released }],
      );
    });
  });
}

describe('the release of a hold', () => {
  it('is answered again for the same Idempotency-Key, and refused with 409 otherwise', async (t) => {
    const { release } = await held(await startService(t));
    const headers = { 'Idempotency-Key': 'k-1' };
    const first = await release({ note: 'n' }, { headers });
    const again = await release({ note: 'n' }, { headers });
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.equal(again.headers.get('Idempotent-Replayed'), 'true');
    const other = await release({ note: 'n' });
    assert.deepEqual([other.status, other.json.code], [409, 'conflict']);
    assert.match(other.json.error, /is released/);
  });

  it('is for the company and for an operator', async (t) => {
    const service = await startService(t);
    const { release } = await held(service);
    for (const key of ['network', 'bank'] as const) assert.equal((await release({ note: 'n' }, { key })).status, 403);
    const company = { key: 'operator', body: { data: { name: 'Other', customer_number: '2' } } } as const;
    const company_id = (await service.send('POST', '/operator/v1/companies', company)).json.data.id;
    const role = { key: 'operator', body: { data: { role: 'client', name: 'n', company_id } } } as const;
    const { key } = (await service.send('POST', '/operator/v1/keys', role)).json.data;
    assert.equal((await release({ note: 'n' }, { key })).status, 404);
    assert.equal((await release({ note: 'n' }, { key: 'operator' })).json.data.status, 'released');
  });

  it('needs a note, in which card numbers are masked', async (t) => {
    const service = await startService(t);
    const { id, release } = await held(service);
    for (const data of [{}, { note: '' }, { note: 5 }, { note: 'x'.repeat(501) }]) {
      const reply = await release(data);
      assert.deepEqual([reply.status, reply.json.fields[0].path], [400, 'data.note'], JSON.stringify(data));
    }
    const path = `/v1/virtualcards/${id}/authorizations/999/release`;
    assert.equal((await service.send('POST', path, { body: { data: { note: 'n' } } })).status, 404);
    assert.equal((await release({ note: 'instead of 5555555555554444' })).status, 200);
    assert.ok(!service.stored().includes('5555555555554444'));
  });
});

describe('the days of a hold', () => {
  it('are 1 to 365 or "never"', async (t) => {
    const { send } = await startService(t);
    for (const hold_days of [0, 366, 7.5, '7', 'always', true]) {
      const body = { data: { hold_days } };
      const reply = await send('PATCH', '/operator/v1/companies/1', { key: 'operator', body });
      assert.deepEqual([reply.status, reply.json.fields[0].path], [400, 'data.hold_days'], String(hold_days));
    }
  });
});
