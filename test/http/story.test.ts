import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { database_names } from '@tallystick/test-support';
import { authorization, startService } from './service.ts';

for (const database of database_names) {
  describe(`the interface over ${database}`, () => {
    it('issues a card, decides its authorizations, records a clearing, and records an event of each change', async (t) => {
      const { send } = await startService(t, database);
      const created = await send('POST', '/v1/virtualcards', {
        body: { data: { total_card_amount: 10_000, metadata: { trip: 'Oslo' } }, show_card_number: true },
      });
      assert.equal(created.status, 200, created.text);
      const { id, card_number, cvc, expiry } = created.json.data;
      assert.match(card_number, /^54545454\d{8}$/);
      assert.match(cvc, /^\d{3}$/);
      assert.equal(created.json.data.url, `/v1/virtualcards/${id}`);

      const approved = await send('POST', '/network/v1/authorizations', {
        key: 'network',
        body: authorization(card_number, { cvc, expiry }),
      });
      assert.equal(approved.status, 200, approved.text);
      assert.equal(approved.json.data.response_code, '00');
      assert.equal(approved.json.data.vcn_response, 'Valid');

      const declined = await send('POST', '/network/v1/authorizations', {
        key: 'network',
        body: authorization(card_number, { billing_amount: 9_999, merchant_amount: 9_999 }),
      });
      assert.equal(declined.status, 200);
      assert.equal(declined.json.data.response_code, '61');
      assert.equal(declined.json.data.approval_code, null);

      const cleared = await send('POST', '/network/v1/clearings', {
        key: 'network',
        body: {
          data: {
            vcn_id: id,
            network_financial_transaction_id: 'NFT1',
            billing_amount: 2400,
            billing_currency: 'USD',
            clearing_type: 'DEBIT',
            settlement_date: '2030-03-16',
            approval_code: approved.json.data.approval_code,
            merchant_id: 'M-77',
          },
        },
      });
      assert.equal(cleared.status, 200, cleared.text);

      const read = await send('GET', `/v1/virtualcards/${id}`);
      assert.equal(read.json.data.available_balance, 7_600);
      assert.equal(read.json.data.card_number, `************${read.json.data.last4}`);
      assert.equal(read.json.data.cvc, '***');
      assert.deepEqual(
        read.json.data.authorizations.map((item: { status: string }) => item.status),
        ['declined', 'cleared'],
      );
      assert.equal(read.json.data.clearings.length, 1);

      const events = await send('GET', '/v1/events');
      assert.deepEqual(events.json.data.map((event: { event_type: string }) => event.event_type).toReversed(), [
        'virtualcard.created',
        'virtualcard.realtime.auths',
        'virtualcard.realtime.auths',
        'virtualcard.clearings',
      ]);
      assert.equal((await send('DELETE', `/v1/virtualcards/${id}`)).status, 204);
      assert.equal((await send('GET', `/v1/virtualcards/${id}`)).json.data.status, 'Canceled');
    });
  });
}
