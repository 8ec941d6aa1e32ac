import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { database_names } from '@tallystick/test-support';
import { authorization, startService } from './service.ts';

/** The largest amount of one message, and how often a card can clear it. */
const amount = 10 ** 12;
const times = 999;
const at_once = 64;

describe('clearings past the largest sum of a card', () => {
  for (const name of database_names) {
    it(`are answered 409 and kept, and the card and the others work on, ${name}`, async (t) => {
      const { send } = await startService(t, name);
      const body = { data: { total_card_amount: 5_000 }, show_card_number: true };
      const { id, card_number } = (await send('POST', '/v1/virtualcards', { body })).json.data;
      const clear = (at: number | string, data: object = {}) =>
        send('POST', '/network/v1/clearings', {
          key: 'network',
          body: {
            data: {
              vcn_id: id,
              network_financial_transaction_id: `N-${at}`,
              billing_amount: amount,
              billing_currency: 'USD',
              clearing_type: 'DEBIT',
              settlement_date: '2030-03-16',
              ...data,
            },
          },
        });
      const replies = [];
      // So many at once that they share passes, and so few that none waits until it is refused.
      for (let from = 0; from < times + 20; from += at_once) {
        const next = Array.from({ length: Math.min(at_once, times + 20 - from) }, (_, at) => clear(from + at));
        replies.push(...(await Promise.all(next)));
      }
      const statuses = Map.groupBy(replies, ({ status }) => status);
      assert.deepEqual([...statuses.keys()].toSorted(), [200, 409]);
      assert.equal(statuses.get(200)?.length, times);
      assert.equal(statuses.get(409)?.[0]?.json.code, 'conflict');

      const card = await send('GET', `/v1/virtualcards/${id}`);
      assert.equal(card.json.data.available_balance, 5_000 - times * amount, card.text);
      const declined = await send('POST', '/network/v1/authorizations', {
        key: 'network',
        body: authorization(card_number),
      });
      assert.deepEqual([declined.status, declined.json.data.decline_reason], [200, 'F'], declined.text);

      const kept = await send('GET', '/operator/v1/quarantine?filter[reason]=sum_limit', { key: 'operator' });
      assert.equal(kept.json.data.length, 20, kept.text);
      assert.equal((await clear('credit', { clearing_type: 'CREDIT' })).status, 200);
      const replayed = await send('POST', `/operator/v1/quarantine/${kept.json.data[0].id}/replay`, {
        key: 'operator',
      });
      assert.deepEqual([replayed.status, replayed.json.data?.status], [200, 'applied'], replayed.text);
    });
  }
});
