import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { database_names } from '@tallystick/test-support';
import { authorization, type Service, startService } from './service.ts';

interface Row {
  readonly code: string;
  readonly result: string;
  readonly would_decline: boolean | null;
  readonly limits: readonly { readonly name: string; readonly value: unknown }[];
  readonly values: readonly { readonly name: string; readonly value: unknown }[];
}

async function createCard({ send }: Service, data: object = {}): Promise<{ id: string; card_number: string }> {
  const body = { data: { total_card_amount: 10_000, ...data }, show_card_number: true };
  return (await send('POST', '/v1/virtualcards', { body })).json.data;
}

/** Sends a message, and returns the explanation of its decision. */
async function explain(
  { send }: Service,
  id: string,
  card_number: string,
  changes: Readonly<Record<string, unknown>> = {},
) {
  const body = authorization(card_number, changes);
  const { data } = (await send('POST', '/network/v1/authorizations', { key: 'network', body })).json;
  const reply = await send('GET', `/v1/virtualcards/${id}/decisions/${data.id}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.json.data;
}

const resultsOf = (table: readonly Row[]) => table.map(({ code, result }) => `${code} ${result}`);
const namesOf = (facts: Row['limits']) => Object.fromEntries(facts.map(({ name, value }) => [name, value]));

for (const database of database_names) {
  describe(`the explanation of a decision over ${database}`, () => {
    it('shows every reason in its order, with the limits of then, and who changed them since', async (t) => {
      const service = await startService(t, database);
      const { id, card_number } = await createCard(service, { currency: 'EUR', per_transaction_max: 2_000 });
      const declined = await explain(service, id, card_number, { merchant_currency: 'USD' });
      assert.deepEqual(
        [declined.decision.code, declined.blocked_by, declined.reproduced, declined.no_longer_known],
        ['M', 'card_limits', true, []],
      );
      const { table } = declined;
      assert.deepEqual(resultsOf(table).slice(0, 8), [
        'I passed',
        'K passed',
        'A passed',
        'B passed',
        'C passed',
        'D passed',
        'M failed',
        'J not_reached',
      ]);
      const [m, e] = ['M', 'E'].map((code) => table.find((row: Row) => row.code === code));
      assert.deepEqual(
        [namesOf(m.limits), namesOf(m.values)],
        [{ currency_expected: 'EUR' }, { currency_sent: 'USD' }],
      );
      assert.deepEqual([e.result, e.would_decline], ['not_reached', true]);
      assert.equal(namesOf(e.limits).per_transaction_max, 2_000);
      assert.deepEqual([declined.versions.controls, declined.changed_since], [1, []]);

      const data = { per_transaction_max: 9_000, metadata: { trip: 'Oslo' } };
      await service.send('PATCH', `/v1/virtualcards/${id}`, { body: { data } });
      await service.send('PATCH', `/v1/virtualcards/${id}`, { body: { data: { metadata: null } } });
      const path = `/v1/virtualcards/${id}/decisions/${declined.id}`;
      const later = (await service.send('GET', path)).json.data;
      assert.deepEqual(later.table, table);
      const [change] = later.changed_since;
      assert.deepEqual(later.changed_since.length, 1);
      assert.deepEqual(change.changes, [{ name: 'per_transaction_max', before: 2_000, after: 9_000 }]);
      assert.match(change.by, /^key:/);
      assert.equal((await explain(service, id, card_number, { merchant_currency: 'EUR' })).versions.controls, 2);
    });

    it('shows what advices, refunds, reversals and late originals met', async (t) => {
      const service = await startService(t, database);
      const { id, card_number } = await createCard(service, { total_card_amount: 3_000 });
      const above = { billing_amount: 5_000, merchant_amount: 5_000 };
      const advice = await explain(service, id, card_number, { message_type_indicator: '0120', ...above });
      assert.deepEqual(
        [advice.decision.code, advice.applied_anyway, advice.blocked_by, advice.reproduced],
        ['V', true, null, true],
      );
      assert.equal(advice.table.find(({ result }: Row) => result === 'failed').code, 'E');
      assert.deepEqual([advice.before.available, advice.after.available], [3_000, -2_000]);

      const refund = await explain(service, id, card_number, { ...above, card_holder_transaction_type_code: '20' });
      assert.deepEqual(
        refund.table.filter(({ code }: Row) => 'EGF'.includes(code)).map(({ result }: Row) => result),
        ['not_applied', 'not_applied', 'not_applied'],
      );
      const elsewhere = await explain(service, id, card_number, {
        message_type_indicator: '0120',
        response_code: '05',
      });
      assert.deepEqual([elsewhere.blocked_by, elsewhere.versions], ['network', null]);
      assert.ok(elsewhere.table.every(({ result }: Row) => result === 'not_applied'));

      const reversal = await explain(service, id, card_number, { message_type_indicator: '0400', trace_id: 'early' });
      assert.deepEqual([reversal.before, reversal.blocked_by], [null, null]);
      const late = await explain(service, id, card_number, { trace_id: 'early' });
      assert.deepEqual([late.decision.code, late.blocked_by, late.reproduced], ['U', 'network', true]);
      assert.deepEqual(resultsOf(late.table).slice(0, 2), ['U failed', 'I not_reached']);
    });

    it('is the same once the message is reduced, and says what is no longer known', async (t) => {
      const service = await startService(t, database);
      const { id, card_number } = await createCard(service, { recurring: 'Daily' });
      const before = [];
      for (const changes of [
        { billing_amount: 99_999 },
        { cvc: '000' },
        { message_type_indicator: '0120', response_code: '05' },
      ]) {
        before.push(await explain(service, id, card_number, changes));
      }
      const now_ms = Date.parse('2030-04-20T10:00:00Z');
      service.setClock('2030-04-20T10:00:00Z');
      const bounds = { before_ms: now_ms, now_ms };
      const { unitOfWork } = service.persistence;
      const { rows } = await unitOfWork.read(({ retention }) => retention.due('authorizations', bounds, 0));
      await unitOfWork.run(({ retention }) => retention.remove('authorizations', bounds, rows));
      for (const { authorization: _full, ...known } of before) {
        const { data } = (await service.send('GET', `/v1/virtualcards/${id}/decisions/${known.id}`)).json;
        const { authorization: _reduced, ...after } = data;
        const no_longer_known = ['the city of the merchant and the description of the transaction'];
        assert.deepEqual(after, { ...known, no_longer_known });
      }
    });

    it('says that it is no longer known whether the company was asked about a reduced message', async (t) => {
      const service = await startService(t, database);
      const { id, card_number } = await createCard(service);
      const approved = await explain(service, id, card_number, {});
      assert.deepEqual([approved.table.at(-1).result, approved.no_longer_known], ['not_applied', []]);
      const release = `/v1/virtualcards/${id}/authorizations/${approved.id}/release`;
      assert.equal((await service.send('POST', release, { body: { data: { note: 'over' } } })).status, 200);
      const now_ms = Date.parse('2030-04-20T10:00:00Z');
      const bounds = { before_ms: now_ms, now_ms };
      const { unitOfWork } = service.persistence;
      const { rows } = await unitOfWork.read(({ retention }) => retention.due('authorizations', bounds, 0));
      await unitOfWork.run(({ retention }) => retention.remove('authorizations', bounds, rows));
      const { data } = (await service.send('GET', `/v1/virtualcards/${id}/decisions/${approved.id}`)).json;
      assert.deepEqual([data.reproduced, data.client, data.table.at(-1).result], [true, null, 'unknown']);
      assert(data.no_longer_known.includes('the consultation of the company, if there was one'));
    });

    it('is of a card and its company only', async (t) => {
      const service = await startService(t, database);
      const [one, other] = [await createCard(service), await createCard(service)];
      const { id } = await explain(service, one.id, one.card_number);
      for (const path of [`${other.id}/decisions/${id}`, `${one.id}/decisions/999999`, `999999/decisions/${id}`]) {
        assert.equal((await service.send('GET', `/v1/virtualcards/${path}`)).status, 404, path);
      }
    });
  });

  describe(`a decision that is tried over ${database}`, () => {
    it('changes nothing, and is the decision that follows', async (t) => {
      const service = await startService(t, database);
      const { id, card_number } = await createCard(service, { total_card_amount: 3_000, transactions_max: 2 });
      const attempt = (data: object) => service.send('POST', `/v1/virtualcards/${id}/decisions`, { body: { data } });
      for (const [amount, code] of [
        [2_000, 'V'],
        [2_000, 'F'],
        [1_000, 'V'],
        [0, 'G'],
      ] as const) {
        const before = (await service.send('GET', `/v1/virtualcards/${id}`)).json.data;
        const tried = (await attempt({ amount, mcc: '5812' })).json.data;
        assert.deepEqual((await service.send('GET', `/v1/virtualcards/${id}`)).json.data, before);
        const amounts = { billing_amount: amount, merchant_amount: amount };
        const followed = await explain(service, id, card_number, amounts);
        assert.equal(tried.decision.code, code);
        assert.deepEqual(tried.decision, followed.decision);
        assert.deepEqual([tried.before, tried.after], [followed.before, followed.after]);
      }
    });

    it('rolls the window and the holds to the time that is asked for, which is not before now', async (t) => {
      const service = await startService(t, database);
      const { id, card_number } = await createCard(service, { total_card_amount: 3_000, recurring: 'Daily' });
      await explain(service, id, card_number, { billing_amount: 2_500, merchant_amount: 2_500 });
      const attempt = (data: object) => service.send('POST', `/v1/virtualcards/${id}/decisions`, { body: { data } });
      assert.equal((await attempt({ amount: 1_000 })).json.data.decision.code, 'F');
      const tomorrow = await attempt({ amount: 1_000, at: '2030-03-16T00:00:00Z' });
      assert.deepEqual([tomorrow.json.data.decision.code, tomorrow.json.data.before.held], ['V', 0]);
      for (const at of ['2030-03-14T00:00:00Z', '2040-01-01T00:00:00Z', 'tomorrow']) {
        const refused = await attempt({ amount: 1_000, at });
        assert.deepEqual([refused.status, refused.json.fields[0].path], [400, 'data.at'], at);
      }
      assert.equal((await attempt({ amount: 1, mmc: '5812' })).status, 400);
    });
  });

  describe(`the versions of controls over ${database}`, () => {
    it('are listed newest first, on pages of any size, with what changed', async (t) => {
      const service = await startService(t, database);
      const { id } = await createCard(service);
      for (const total_card_amount of [11_000, 12_000, 13_000]) {
        await service.send('PATCH', `/v1/virtualcards/${id}`, { body: { data: { total_card_amount } } });
      }
      await service.send('DELETE', `/v1/virtualcards/${id}`);
      const all = (await service.send('GET', `/v1/virtualcards/${id}/versions`)).json.data;
      assert.deepEqual(
        all.map(({ version, until }: { version: number; until: unknown }) => [version, until === null]),
        [
          [5, true],
          [4, false],
          [3, false],
          [2, false],
          [1, false],
        ],
      );
      assert.deepEqual(all[0].changes, [{ name: 'status', before: 'Approved', after: 'Canceled' }]);
      assert.deepEqual([all[4].changes, all[4].by], [null, null]);
      const paged: unknown[] = [];
      for (let next = `/v1/virtualcards/${id}/versions?page[limit]=2`; next !== null; ) {
        const { data, links } = (await service.send('GET', next)).json;
        paged.push(...data);
        next = links.next;
      }
      assert.deepEqual(paged, all);
      const offset = await service.send('GET', `/v1/virtualcards/${id}/versions?page[offset]=3`);
      assert.deepEqual(offset.json.data, all.slice(3));
    });

    it('of a template begin with its request and its completion', async (t) => {
      const service = await startService(t, database);
      const template = {
        name: 'Meals',
        description: 'd',
        mcc_list: ['5812'],
        mcc_rule: 'ALLOW',
        required_control: 'VELOCITY',
      };
      await service.send('POST', '/v1/content/virtualcard-templates', { body: { data: template } });
      const path = '/v1/content/virtualcard-templates';
      const [{ id }] = (await service.send('GET', path)).json.data;
      await service.send('POST', `/operator/v1/templates/${id}/complete`, { key: 'operator' });
      const versions = (await service.send('GET', `${path}/${id}/versions`)).json.data;
      assert.deepEqual(
        versions.map(({ version, state }: { version: number; state: { status: string } }) => [version, state.status]),
        [
          [2, 'ACTIVE'],
          [1, 'PENDING'],
        ],
      );
      assert.match(versions[0].by, /^key:/);
      assert.equal((await service.send('GET', `${path}/999/versions`)).status, 404);
    });
  });
}
