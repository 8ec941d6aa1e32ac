import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { money } from '@tallystick/kernel';
import { database_names } from '@tallystick/test-support';
import { account_number, book, buy, issueCard, newReference, openAccount } from './reconciliation-world.ts';
import { type Reply, type Service, startService } from './service.ts';

const path = '/v1/reconciliation/lines';

/** A purchase with its line, a card line without a clearing, and a line of another code. */
async function fill(service: Service) {
  const reference = newReference();
  const account_id = await openAccount(service);
  await buy(service, await issueCard(service), { authorized: 5_000, acquirer_reference_data: reference });
  await book(service, account_id, [
    { amount: money(-5_000), acquirer_reference: reference, text: 'PAPER & INK', bank_reference: 'B-1' },
    { amount: money(-333), booking_date: '2030-03-11', value_date: '2030-03-12' },
    { amount: money(2_500), bai_code: '495', balance_after: money(997_167) },
  ]);
  return reference;
}

async function linesOf({ send }: Service, query = '') {
  const reply = await send('GET', `${path}${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.json.data as readonly Readonly<Record<string, unknown>>[];
}

const amountsOf = (lines: readonly Readonly<Record<string, unknown>>[]) => lines.map(({ amount }) => amount);

for (const database of database_names) {
  describe(`statement lines over ${database}`, () => {
    it('are listed newest first, with the item that has each', async (t) => {
      const service = await startService(t, database);
      const reference = await fill(service);
      const lines = await linesOf(service);
      assert.deepEqual(amountsOf(lines), [2_500, -5_000, -333]);
      const [other, bought, lone] = lines;
      assert.equal(other!.item_id, null, 'no card line');
      const { id, item_id, url, ...shown } = bought!;
      assert.deepEqual(shown, {
        account_id: account_number,
        booking_date: '2030-03-15',
        value_date: '2030-03-15',
        amount: -5_000,
        currency: 'USD',
        bai_code: '821',
        text: 'PAPER & INK',
        bank_reference: 'B-1',
        acquirer_reference: reference,
        balance_after: null,
        statement_id: null,
        standing: null,
        type: 'reconciliation_line',
      });
      for (const line of [bought!, lone!]) {
        const item = (await service.send('GET', `/v1/reconciliation/items/${line.item_id}`)).json.data;
        assert.deepEqual(item.line_ids, [Number(line.id)]);
      }
      assert.deepEqual((await service.send('GET', String(url))).json.data, bought);
      assert.equal(url, `${path}/${id}`);
      assert.notEqual(item_id, lone!.item_id);
    });

    it('are found by each filter and on pages', async (t) => {
      const service = await startService(t, database);
      const reference = await fill(service);
      const filtered = async (query: string) => amountsOf(await linesOf(service, `?${query}`));
      assert.deepEqual(await filtered(`filter[account_id]=${account_number}`), [2_500, -5_000, -333]);
      assert.deepEqual(await filtered('filter[account_id]=1000000009'), []);
      assert.deepEqual(await filtered('filter[booking_date]=2030-03-11'), [-333]);
      assert.deepEqual(await filtered('filter[amount]=[-5000,0]'), [-5_000, -333]);
      assert.deepEqual(await filtered('filter[amount]=-333'), [-333]);
      assert.deepEqual(await filtered('filter[reference]=B-1'), [-5_000]);
      assert.deepEqual(await filtered(`filter[reference]=${reference}`), [-5_000]);
      assert.deepEqual(await filtered('filter[bai_code]=495&filter[amount]=[1,]'), [2_500]);
      const amounts: unknown[] = [];
      for (let next: string | null = `${path}?page[limit]=1`; next !== null; ) {
        const { data, links }: Reply['json'] = (await service.send('GET', next)).json;
        amounts.push(...amountsOf(data));
        next = links.next;
      }
      assert.deepEqual(amounts, [2_500, -5_000, -333]);
    });

    it('show nothing of another company', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const [line] = await linesOf(service);
      const operator = (data: object) => ({ key: 'operator', body: { data } }) as const;
      const made = await service.send(
        'POST',
        '/operator/v1/companies',
        operator({ name: 'Other', customer_number: '7' }),
      );
      const key_data = { role: 'client', company_id: Number(made.json.data.id), name: 'other' };
      const { key } = (await service.send('POST', '/operator/v1/keys', operator(key_data))).json.data;
      assert.equal((await service.send('GET', String(line!.url), { key })).status, 404);
      assert.deepEqual((await service.send('GET', path, { key })).json.data, []);
      const of_account = `${path}?filter[account_id]=${account_number}`;
      assert.deepEqual((await service.send('GET', of_account, { key })).json.data, []);
      for (const role of ['operator', 'network', 'bank'] as const) {
        assert.equal((await service.send('GET', path, { key: role })).status, 403, role);
      }
    });
  });
}

describe('a read of statement lines', () => {
  it('that is malformed is refused with what would be right', async (t) => {
    const { send } = await startService(t);
    const refused: readonly (readonly [string, RegExp])[] = [
      ['?filter[amount]=1.50', /filter\[amount\] must be an amount in minor units/],
      ['?filter[amount]=[5,1]', /filter\[amount\] begins after it ends/],
      ['?filter[booking_date]=today', /filter\[booking_date\] must be a date, YYYY-MM-DD/],
      ['?filter[bai_code]=8', /filter\[bai_code\] must be a BAI code of three digits/],
      ['?filter[bookingdate]=2030-03-11', /did you mean filter\[booking_date\]\?/],
      ['?page[after]=x', /page\[after\] must be the cursor of an earlier page of this list/],
    ];
    for (const [query, error] of refused) {
      const reply = await send('GET', `${path}${query}`);
      assert.equal(reply.status, 400, query);
      assert.match(reply.json.error, error, query);
    }
    assert.equal((await send('GET', `${path}/999999`)).status, 404);
  });
});
