import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { database_names } from '@tallystick/test-support';
import { authorization, startService } from './service.ts';

for (const database of database_names) {
  describe(`the decision of an authorization over ${database}`, () => {
    it('is in the item and in the event, and in the answer to the network when the message has explain', async (t) => {
      const { send } = await startService(t, database);
      const created = await send('POST', '/v1/virtualcards', {
        body: { data: { total_card_amount: 10_000, recurring: 'Daily' }, show_card_number: true },
      });
      const { id, card_number } = created.json.data;
      const ask = async (fields: Readonly<Record<string, unknown>>) => {
        const body = authorization(card_number, fields);
        return await send('POST', '/network/v1/authorizations', { key: 'network', body });
      };
      const plain = await ask({ billing_amount: 2_400 });
      assert.equal(plain.json.data.response_code, '00');
      assert.equal('decision' in plain.json.data, false, 'without explain');

      const declined = await ask({ billing_amount: 8_000, explain: true });
      const { decision } = declined.json.data;
      assert.deepEqual([decision.code, decision.reason], ['F', 'the amount is above available_balance']);
      const { window_start, window_end, ...amounts } = Object.fromEntries(
        decision.facts.map(({ name, value }: { name: string; value: unknown }) => [name, value]),
      );
      const expected = { asked: 8_000, cleared: 0, held: 2_400, available: 7_600, total_card_amount: 10_000 };
      assert.deepEqual(amounts, expected);
      assert.equal(Date.parse(window_end) - Date.parse(window_start), 86_400_000);

      const unknown = await ask({ card_number: '5454545499999999', explain: true });
      assert.deepEqual(unknown.json.data.decision, { code: 'I', reason: 'no card has this number', facts: [] });

      const { json: card } = await send('GET', `/v1/virtualcards/${id}`);
      const { json: page } = await send('GET', `/v1/virtualcards/${id}/authorizations`);
      const { json: events } = await send('GET', '/v1/events');
      for (const items of [card.data.authorizations, page.data, events.data.map(({ payload }: never) => payload)]) {
        const item = items.find(({ id: of }: { id: number }) => of === declined.json.data.id);
        assert.deepEqual(item.decision, decision);
      }
      const { json: mistaken } = await ask({ expiry: '2031-01', explain: true });
      assert.deepEqual(mistaken.data.decision.facts, [{ name: 'expiry_sent', value: '2031-01' }]);
      const { json: own } = await send('GET', `/v1/virtualcards/${id}/decisions/${mistaken.data.id}`);
      assert.deepEqual(own.data.decision.facts[0], { name: 'expiry_expected', value: card.data.expiry });

      const refused = await ask({ explain: 'yes' });
      assert.deepEqual([refused.status, refused.json.fields[0].path], [400, 'data.explain']);
    });
  });
}
