import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { database_names } from '@tallystick/test-support';
import { authorization, type Service, startService } from './service.ts';

const net_reference_number = 'MCC1234560315';

type Row = Readonly<Record<string, unknown>> & { readonly result: string };

/** A card with a purchase of 60.00 of which 30.00 cleared, and a declined one of 45.00. */
async function cardWithHistory({ send }: Service) {
  const body = { data: { total_card_amount: 10_000, per_transaction_max: 9_000 }, show_card_number: true };
  const card = (await send('POST', '/v1/virtualcards', { body })).json.data;
  const authorize = async (amount: number, changes: object) => {
    const amounts = { billing_amount: amount, merchant_amount: amount };
    const message = authorization(card.card_number, { ...amounts, merchant_name: 'Blue Bottle', ...changes });
    return (await send('POST', '/network/v1/authorizations', { key: 'network', body: message })).json.data;
  };
  const approved = await authorize(6_000, { trace_id: 'one', system_trace_audit_number: '1', net_reference_number });
  const clearing = {
    vcn_id: Number(card.id),
    network_financial_transaction_id: 'TX-1',
    billing_amount: 3_000,
    billing_currency: 'USD',
    clearing_type: 'DEBIT',
    partial: true,
    settlement_date: '2030-03-15',
    approval_code: approved.approval_code,
    net_reference_number,
  };
  const cleared = await send('POST', '/network/v1/clearings', { key: 'network', body: { data: clearing } });
  assert.equal(cleared.status, 200, cleared.text);
  const declined = await authorize(4_500, { trace_id: 'two', system_trace_audit_number: '2' });
  return { id: card.id, last4: card.card_number.slice(-4), approved, declined };
}

for (const database of database_names) {
  describe(`a question of support over ${database}`, () => {
    it('is answered by one call', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      const { id, last4, declined, approved } = await cardWithHistory(service);
      const read = async (path: string, key?: 'operator') => {
        const reply = await send('GET', path, key === undefined ? {} : { key });
        assert.equal(reply.status, 200, `${path}: ${reply.text}`);
        return reply.json.data;
      };

      // Why was it declined, what would have passed, and was it us or the network?
      const why = await read(`/v1/virtualcards/${id}/decisions/${declined.id}`);
      const facts = Object.fromEntries(why.decision.facts.map((fact: Row) => [fact.name, fact.value]));
      assert.deepEqual([why.decision.code, facts.asked, facts.available], ['F', 4_500, 4_000]);
      assert.deepEqual([facts.total_card_amount, facts.cleared, facts.held], [10_000, 3_000, 3_000]);
      assert.equal(why.table.find(({ result }: Row) => result === 'failed').code, 'F');
      assert.equal(why.would_pass_up_to, 4_000);
      assert.deepEqual([why.blocked_by, why.client], ['card_limits', null]);

      // Would it pass now?
      const body = { data: { amount: 4_000, mcc: '5812' } };
      const tried = (await send('POST', `/v1/virtualcards/${id}/decisions`, { body })).json.data;
      assert.deepEqual([tried.decision.code, tried.after.available], ['V', 0]);

      // Why is 60.00 missing, and when is it available again?
      const { balance } = await read(`/v1/virtualcards/${id}`);
      const { limit, cleared, held, available, next_hold_end, window_ends } = balance;
      assert.deepEqual([limit, cleared, held, available], [10_000, 3_000, 3_000, 4_000]);
      assert.deepEqual([next_hold_end, window_ends], ['2030-04-14T00:00:01.000Z', null]);

      // What is held, and until when?
      const [one, ...others] = await read(`/v1/authorizations?filter[vcn_id]=${id}&filter[status]=partially_cleared`);
      const ends_at = '2030-04-14T00:00:01Z';
      assert.deepEqual(one.hold, { authorized: 6_000, held: 3_000, cleared: 3_000, ends_at });
      assert.deepEqual([one.id, others], [approved.id, []]);

      // Where is the purchase of 45.00 at Blue Bottle?
      const filter = 'filter[merchant_name]=Blue%20Bottle&filter[billing_amount]=4500';
      const found = await read(`/v1/authorizations?${filter}`);
      assert.deepEqual([found.length, found[0].id, found[0].decision.code], [1, declined.id, 'F']);

      // Who changed the limit?
      await send('PATCH', `/v1/virtualcards/${id}`, { body: { data: { total_card_amount: 20_000 } } });
      const [newest] = await read(`/v1/virtualcards/${id}/versions`);
      assert.deepEqual(newest.changes, [{ name: 'total_card_amount', before: 10_000, after: 20_000 }]);
      assert.deepEqual([newest.by, newest.from], ['key:sandbox:client', '2030-03-15T10:00:00.000Z']);

      // Which card ends with these digits?
      const cards = await read(`/operator/v1/virtualcards?filter[last4]=${last4}`, 'operator');
      assert.deepEqual([cards.length, cards[0].id], [1, id]);
    });
  });
}
