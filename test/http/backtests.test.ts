import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backtest_lease_ms, runBacktests } from '@tallystick/cards';
import { drawLease } from '@tallystick/kernel';
import { database_names } from '@tallystick/test-support';
import { authorization, type Service, startService } from './service.ts';

/** Runs the backtests that wait, as the job of a process does. */
async function run({ persistence, vault }: Service, machine_ms = 0): Promise<void> {
  const clock = { nowMs: () => machine_ms };
  const { unitOfWork, giveWay } = persistence;
  await runBacktests({ unitOfWork, giveWay, clock, machine_clock: clock, random: vault.random });
}

interface Card {
  readonly id: string;
  pay(amount: number, more?: object): Promise<{ readonly id: number; readonly response_code: string }>;
}

async function createCard({ send }: Service, fields: object = {}): Promise<Card> {
  const body = { data: { total_card_amount: 10_000, ...fields }, show_card_number: true };
  const { id, card_number } = (await send('POST', '/v1/virtualcards', { body })).json.data;
  let sent = 0;
  return {
    id,
    async pay(amount, more = {}) {
      sent += 1;
      const amounts = { billing_amount: amount, merchant_amount: amount };
      const names = { trace_id: `T${id}-${sent}`, system_trace_audit_number: String(sent).padStart(6, '0') };
      const { data } = authorization(card_number) as { readonly data: object };
      const reply = await send('POST', '/network/v1/authorizations', {
        key: 'network',
        body: { data: { ...data, ...names, ...amounts, ...more } },
      });
      assert.equal(reply.status, 200, reply.text);
      return reply.json.data;
    },
  };
}

for (const database of database_names) {
  describe(`backtests over ${database}`, () => {
    it('report what other limits would have decided, with the messages', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      const card = await createCard(service);
      const other = await createCard(service);
      const ids: number[] = [];
      for (const amount of [4_000, 3_000, 2_000, 9_000]) ids.push((await card.pay(amount)).id);
      await other.pay(9_000);
      service.setClock('2030-03-15T11:00:00Z');
      const changes = { total_card_amount: 8_000 };
      const created = await send('POST', '/v1/backtests', { body: { data: { vcn_id: card.id, changes } } });
      assert.equal(created.status, 200, created.text);
      assert.equal(created.json.data.status, 'pending');
      const path = created.json.data.url;
      await run(service);
      const { data } = (await send('GET', path)).json;
      assert.deepEqual(
        [data.status, data.progress, data.differences],
        ['completed', { cards_done: 1, cards_total: 1, messages: 4 }, 2],
      );
      const [currency, count] = ['USD', 1];
      assert.deepEqual(data.result, [
        { kind: 'declined', recorded: 'V', replayed: 'F', currency, count, amount: 2_000 },
        { kind: 'reason', recorded: 'F', replayed: 'E', currency, count, amount: 9_000 },
      ]);
      const first = (await send('GET', `${path}/differences?page[limit]=1`)).json;
      assert.equal(first.data[0].authorization_id, ids[2]);
      const next = (await send('GET', first.links.next)).json;
      assert.equal(next.data[0].authorization_id, ids[3]);
      assert.equal(next.links.next, null);
    });

    it('compare what was decided in the millisecond in which they begin', async (t) => {
      const service = await startService(t, database);
      const card = await createCard(service);
      const { id } = await card.pay(4_000);
      const body = { data: { changes: { total_card_amount: 3_000 } } };
      const { url } = (await service.send('POST', '/v1/backtests', { body })).json.data;
      await run(service);
      const { data } = (await service.send('GET', `${url}/differences`)).json;
      assert.deepEqual(
        data.map(({ authorization_id }: { authorization_id: number }) => authorization_id),
        [id],
      );
    });

    it('of all cards with unchanged limits find no difference', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      for (const recurring of ['Daily', 'Monthly']) {
        const card = await createCard(service, { recurring });
        await card.pay(6_000);
        service.setClock(recurring === 'Daily' ? '2030-03-16T10:00:00Z' : '2030-04-20T10:00:00Z');
        await card.pay(6_000);
        await send('PATCH', `/v1/virtualcards/${card.id}`, { body: { data: { total_card_amount: 20_000 } } });
        await card.pay(6_000);
      }
      service.setClock('2030-05-01T10:00:00Z');
      const { data } = (await send('POST', '/v1/backtests', { body: { data: { changes: {} } } })).json;
      await run(service);
      const done = (await send('GET', data.url)).json.data;
      assert.deepEqual([done.status, done.differences, done.progress.cards_done], ['completed', 0, 2]);
    });

    it('are refused beyond three of a company, also when they are asked for at the same time', async (t) => {
      const service = await startService(t, database);
      await createCard(service);
      const asked = Array.from({ length: 8 }, () =>
        service.send('POST', '/v1/backtests', { body: { data: { changes: {} } } }),
      );
      const replies = await Promise.all(asked);
      const statuses = replies.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [200, 200, 200, 409, 409, 409, 409, 409]);
      const [kept] = replies.filter(({ status }) => status === 200);
      assert.equal((await service.send('DELETE', kept!.json.data.url)).status, 204);
      assert.equal((await service.send('GET', kept!.json.data.url)).status, 404);
      assert.equal((await service.send('DELETE', kept!.json.data.url)).status, 404);
      assert.equal((await service.send('POST', '/v1/backtests', { body: { data: { changes: {} } } })).status, 200);
    });

    it('continue at the card that a dead process had not done, and count nothing twice', async (t) => {
      const service = await startService(t, database);
      const { send, persistence, vault } = service;
      for (let at = 0; at < 3; at += 1) await (await createCard(service)).pay(4_000);
      service.setClock('2030-03-15T11:00:00Z');
      const changes = { total_card_amount: 3_000 };
      const { data } = (await send('POST', '/v1/backtests', { body: { data: { changes } } })).json;
      const lease = drawLease(vault.random, 0, backtest_lease_ms);
      // The process writes what it found on the first card, and dies before the card is done.
      await persistence.unitOfWork.run(async ({ backtests }) => {
        const claimed = (await backtests.claim(lease))!;
        const [first] = await backtests.cardsAfter(claimed.company_id, 0, 1);
        const found = { card_id: first!.card.id, authorization_id: 1, kind: 'declined', decided_at_ms: 0 };
        const { token, until_machine_ms } = lease;
        assert.ok(await backtests.save({ ...claimed, card_messages: 1 }, token, until_machine_ms, [found as never]));
      });
      await run(service);
      assert.equal((await send('GET', data.url)).json.data.status, 'running', 'the lease of the other holds');
      await run(service, backtest_lease_ms);
      const done = (await send('GET', data.url)).json.data;
      assert.deepEqual([done.status, done.differences], ['completed', 3]);
      assert.equal((await send('GET', `${data.url}/differences`)).json.data.length, 3);
      const late = await persistence.unitOfWork.run(async ({ backtests }) => {
        const state = (await backtests.find(1, Number(data.id)))!;
        return await backtests.save(state, lease.token, null, []);
      });
      assert.equal(late, false, 'the dead process writes nothing more');
    });

    it('are removed when they are old or deleted, with their differences', async (t) => {
      const service = await startService(t, database);
      const { send, persistence } = service;
      await (await createCard(service)).pay(4_000);
      service.setClock('2030-03-15T11:00:00Z');
      const { data } = (
        await send('POST', '/v1/backtests', { body: { data: { changes: { total_card_amount: 1_000 } } } })
      ).json;
      await run(service);
      const purge = (before_ms: number) =>
        persistence.unitOfWork.run(({ backtests }) => backtests.purge(before_ms, 100));
      assert.equal(await purge(0), 0);
      assert.equal((await send('DELETE', data.url)).status, 204);
      assert.deepEqual([await purge(0), await purge(0), await purge(0)], [1, 1, 0]);
    });

    it('refuse what cannot be, naming each field', async (t) => {
      const service = await startService(t, database);
      const card = await createCard(service);
      const refused = async (data: object) => {
        const reply = await service.send('POST', '/v1/backtests', { body: { data } });
        assert.equal(reply.status, 400, reply.text);
        return reply.json.fields.map(({ path }: { readonly path: string }) => path);
      };
      assert.deepEqual(await refused({ vcn_id: card.id }), ['data.changes']);
      assert.deepEqual(await refused({ changes: { curency: 'EUR' } }), ['data.changes.curency']);
      assert.deepEqual(
        await refused({ vcn_id: card.id, changes: { authorization_hold_days: 3, per_transaction_max: 20_000 } }),
        ['data.changes.authorization_hold_days', 'data.changes.per_transaction_max'],
      );
      assert.deepEqual(await refused({ changes: { currency: 'EUR' }, from: '2030-03-01' }), ['data.from']);
      assert.deepEqual(await refused({ changes: {}, from: '2030-03-02', to: '2030-03-01' }), ['data.to']);
      assert.deepEqual(await refused({ changes: {}, from: '2099-01-01' }), ['data.from']);
      assert.equal(
        (await service.send('POST', '/v1/backtests', { body: { data: { vcn_id: 999, changes: {} } } })).status,
        404,
      );
    });
  });
}
