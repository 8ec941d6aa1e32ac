import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { money } from '@tallystick/kernel';
import { rebuild } from '@tallystick/reconciliation';
import { database_names } from '@tallystick/test-support';
import { book, buy, clear, issueCard, newReference, openAccount } from './reconciliation-world.ts';
import { type Reply, type Service, startService } from './service.ts';

const path = '/v1/reconciliation';
const closing_time = '2030-03-17T10:00:00Z';

type Item = Reply['json'];

async function itemOfCleared({ send }: Service, cleared: number, kind: string): Promise<Item> {
  const { json } = await send('GET', `${path}/items`);
  const found = json.data.filter((item: Item) => item.cleared === cleared && (item.kind ?? '') === kind);
  assert.equal(found.length, 1, JSON.stringify(json.data));
  return found[0];
}

/** What a rebuild would change. */
async function differences({ persistence, company_id }: Service) {
  const clock = { nowMs: () => Date.parse(closing_time) };
  const found = await rebuild({ unitOfWork: persistence.unitOfWork, clock }, { company_id, check_only: true });
  return [found.items_different, found.entries_different, found.cells_different];
}

for (const database of database_names) {
  describe(`periods over ${database}`, () => {
    it('take what they freeze out of covering sets, and give it back when they are reopened', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      const card = await issueCard(service);
      const account_id = await openAccount(service);
      await buy(service, card, { authorized: 3_000, settlement_date: '2030-03-16' });
      await clear(service, card, 3_000, { merchant_id: 'M-78' });
      await book(service, account_id, [{ amount: money(-3_000) }]);
      service.setClock(closing_time);
      const lone = await itemOfCleared(service, 3_000, 'unauthorized');
      assert.equal((await send('POST', `${lone.url}/accept`, { body: { data: { note: 'x' } } })).status, 200);
      const before = await itemOfCleared(service, 3_000, '');
      assert.deepEqual([before.status, before.alternatives.length], ['awaiting', 1], 'two clearings fit the line');

      const body = { data: { closed_through: '2030-03-15' } };
      const closed = await send('POST', `${path}/periods`, { body });
      assert.deepEqual([closed.status, closed.json.data.frozen], [200, 1], closed.text);
      const after = await itemOfCleared(service, 3_000, '');
      assert.deepEqual([after.status, after.rule, after.line_ids.length], ['proposed', 'covering_set', 1]);
      assert.deepEqual(await differences(service), [0, 0, 0], 'closed');

      const why = { note: 'The bank corrected its statement', reason: null };
      assert.equal(
        (await send('DELETE', `${path}/periods/${closed.json.data.id}`, { body: { data: why } })).status,
        204,
      );
      const [period] = (await send('GET', `${path}/periods`)).json.data;
      assert.deepEqual([period.status, period.reopened_note, period.reopened_reason], ['reopened', why.note, null]);
      const { version: _, ...reopened } = await itemOfCleared(service, 3_000, '');
      const { version: __, ...was } = before;
      assert.deepEqual(reopened, was);
      assert.deepEqual(await differences(service), [0, 0, 0], 'reopened');
    });

    it('leave nothing to a rebuild that they have frozen with a line of a fee only', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      const card = await issueCard(service);
      const account_id = await openAccount(service);
      const reference = newReference();
      await buy(service, card, { authorized: 3_000, acquirer_reference_data: reference });
      await book(service, account_id, [{ amount: money(-30), bai_code: '825', acquirer_reference: reference }]);
      service.setClock('2030-03-20T10:00:00Z');
      const unstated = await itemOfCleared(service, 3_000, 'unstated');
      assert.equal((await send('POST', `${unstated.url}/accept`, { body: { data: { note: 'x' } } })).status, 200);
      const closed = await send('POST', `${path}/periods`, { body: { data: { closed_through: '2030-03-15' } } });
      assert.deepEqual([closed.status, closed.json.data.frozen], [200, 1], closed.text);
      assert.deepEqual(await differences(service), [0, 0, 0]);
    });

    it('leave a line open that was there before, also when its reference is frozen', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      const card = await issueCard(service);
      const account_id = await openAccount(service);
      const reference = newReference();
      const line = { amount: money(-3_000), acquirer_reference: reference };
      await buy(service, card, { authorized: 3_000, acquirer_reference_data: reference });
      await book(service, account_id, [line, { ...line, booking_date: '2030-02-01' }]);
      service.setClock('2030-03-17T10:00:00Z');
      const statuses = async () => {
        const { json } = await send('GET', `${path}/items`);
        return json.data.map(({ status, kind, stated }: Item) => [status, kind, stated]);
      };
      const before = await statuses();
      assert.deepEqual(before, [
        ['break', 'unexplained_line', 3_000],
        ['matched', null, 3_000],
      ]);
      const closed = await send('POST', `${path}/periods`, { body: { data: { closed_through: '2030-03-15' } } });
      assert.deepEqual([closed.status, closed.json.data.frozen], [200, 1], closed.text);
      assert.deepEqual(await statuses(), before);
      assert.deepEqual(await differences(service), [0, 0, 0]);
      const recorded_at_ms = Date.parse('2030-03-18T10:00:00Z');
      await book(service, account_id, [{ ...line, amount: money(-40), bai_code: '825', recorded_at_ms }]);
      assert.deepEqual((await statuses())[0], ['break', 'late_change', 40]);
      assert.deepEqual(await differences(service), [0, 0, 0]);
    });
  });
}
