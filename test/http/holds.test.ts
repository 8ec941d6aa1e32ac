import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { database_names } from '@tallystick/test-support';
import { authorization } from './authorization.ts';
import { type Service, startService } from './service.ts';

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
