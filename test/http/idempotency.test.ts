import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimIdempotencyKey } from '@tallystick/access';
import { machine_timers, Temporal } from '@tallystick/kernel';
import { database_names, readRows } from '@tallystick/test-support';
import { authorization, type Reply, type Service, start, startService } from './service.ts';

const path = '/v1/virtualcards';

function create(service: Service, key: string, data: unknown = { total_card_amount: 1000 }): Promise<Reply> {
  const body = { data, show_card_number: true };
  return service.send('POST', path, { body, headers: { 'Idempotency-Key': key } });
}

async function cardsOf({ send }: Service): Promise<number> {
  return (await send('GET', path)).json.data.length;
}

for (const database of database_names) {
  describe(`an Idempotency-Key, over ${database}`, () => {
    it('returns the first answer again, byte for byte, and the work is done once', async (t) => {
      const service = await startService(t, database);
      const first = await create(service, 'k');
      const again = await create(service, 'k');
      assert.equal(first.status, 200);
      assert.equal(first.headers.get('idempotent-replayed'), null);
      assert.equal(again.status, 200);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
      assert.equal(again.text, first.text);
      assert.equal(again.headers.get('content-type'), first.headers.get('content-type'));
      assert.equal(await cardsOf(service), 1);
    });

    it('of a request that changes nothing returns the first answer again, too', async (t) => {
      const service = await startService(t, database);
      const { id } = (await create(service, 'k')).json.data;
      const attempt = () =>
        service.send('POST', `${path}/${id}/decisions`, {
          body: { data: { amount: 1 } },
          headers: { 'Idempotency-Key': 'try' },
        });
      const first = await attempt();
      assert.equal(first.status, 200, first.text);
      await service.send('POST', `${path}/${id}/freeze`);
      const again = await attempt();
      assert.deepEqual([again.headers.get('idempotent-replayed'), again.text], ['true', first.text]);
    });

    it('shows a card number again only with an entry in the audit log for each showing', async (t) => {
      const service = await startService(t, database);
      const shown = async () =>
        await readRows<{ actor: string; object: string; details: string; request_id: string }>(
          service.database,
          "select actor, object, details, request_id from tallystick_audit_entries where action = 'card_number.shown' order by id",
        );
      const { card_number, id } = (await create(service, 'k')).json.data;
      assert.equal((await shown()).length, 1);
      for (const request_id of ['second', 'third']) {
        const body = { data: { total_card_amount: 1000 }, show_card_number: true };
        const again = await service.send('POST', path, {
          body,
          headers: { 'Idempotency-Key': 'k', 'X-Request-Id': request_id },
        });
        assert.equal(again.json.data.card_number, card_number);
      }
      const replay = { actor: 'key:sandbox:client', object: `virtualcard:${id}`, details: '{"replayed":true}' };
      assert.deepEqual(
        (await shown()).slice(1).map((entry) => ({ ...entry })),
        [
          { ...replay, request_id: 'second' },
          { ...replay, request_id: 'third' },
        ],
      );

      const hidden = { body: { data: { total_card_amount: 1000 } }, headers: { 'Idempotency-Key': 'hidden' } };
      for (const replayed of [null, 'true']) {
        const answer = await service.send('POST', path, hidden);
        assert.equal(answer.headers.get('idempotent-replayed'), replayed);
      }
      assert.equal((await shown()).length, 3, 'a masked number is no showing');
    });

    it('of a refused request returns the same refusal again, with the request id of the first', async (t) => {
      const service = await startService(t, database);
      const first = await create(service, 'k', { total_card_amount: -1 });
      assert.equal(first.status, 400);
      const again = await create(service, 'k', { total_card_amount: -1 });
      assert.equal(again.status, 400);
      assert.equal(again.text, first.text);
      assert.notEqual(again.headers.get('x-request-id'), first.json.request_id);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
    });

    it('with another body or path is refused with 422', async (t) => {
      const service = await startService(t, database);
      await create(service, 'k');
      const headers = { 'Idempotency-Key': 'k' };
      const body = { data: { total_card_amount: 1000 }, show_card_number: true };
      const others = [
        await create(service, 'k', { total_card_amount: 1001 }),
        await service.send('POST', `${path}/1/email`, { body, headers }),
      ];
      for (const other of others) {
        assert.equal(other.status, 422);
        assert.equal(other.json.code, 'idempotency_mismatch');
      }
      assert.equal(await cardsOf(service), 1);
    });

    it('of many concurrent requests does the work once: the others get 409 or the answer', async (t) => {
      const service = await startService(t, database);
      const replies = await Promise.all(Array.from({ length: 12 }, () => create(service, 'k')));
      const texts = new Set(replies.filter(({ status }) => status === 200).map(({ text }) => text));
      assert.equal(texts.size, 1);
      for (const { status, json } of replies) {
        if (status !== 200) assert.deepEqual([status, json.code], [409, 'idempotency_in_progress']);
      }
      assert.equal(await cardsOf(service), 1);
    });

    it('claimed by a process that died is free after a minute of machine time, even while the service’s clock is frozen', async (t) => {
      let machine_ms = Date.now();
      const machine_clock = { nowMs: () => machine_ms };
      const service = await startService(t, database, (ports) => ({
        ...ports,
        timers: { ...machine_timers, ...machine_clock },
      }));
      const body = { data: { total_card_amount: 1000 }, show_card_number: true };
      const request = { method: 'POST', path, query: '', body: Buffer.from(JSON.stringify(body)) };
      const { unitOfWork } = service.persistence;
      const claimed = await unitOfWork.run((tx) => {
        const now_ms = Temporal.Instant.from(start).epochMilliseconds;
        const ports = { ...service.vault, machine_clock };
        return claimIdempotencyKey(tx, ports, { key_id: 'sandbox:client' }, 'k', request, now_ms);
      });
      assert.equal(claimed.kind, 'claimed');
      for (const passed_ms of [0, 59_999]) {
        machine_ms += passed_ms;
        assert.equal((await create(service, 'k')).json.code, 'idempotency_in_progress');
      }
      machine_ms += 1;
      assert.equal((await create(service, 'k')).status, 200);
      assert.equal(await cardsOf(service), 1);
    });

    it('is free again a day later, and belongs to one API key only', async (t) => {
      const service = await startService(t, database);
      await create(service, 'k');
      const body = { data: { name: 'A', customer_number: '1' } };
      const other = await service.send('POST', '/operator/v1/companies', {
        key: 'operator',
        body,
        headers: { 'Idempotency-Key': 'k' },
      });
      assert.equal(other.status, 200);
      service.setClock('2030-03-16T09:59:59.999Z');
      assert.equal((await create(service, 'k')).headers.get('idempotent-replayed'), 'true');
      service.setClock('2030-03-16T10:00:00Z');
      assert.equal((await create(service, 'k')).headers.get('idempotent-replayed'), null);
      assert.equal(await cardsOf(service), 2);
    });
  });
}

describe('the stored part of an answer', () => {
  it('shows no card number to a reader of the database', async (t) => {
    const service = await startService(t);
    const { card_number } = (await create(service, 'k')).json.data;
    const stored = service.stored();
    assert.match(stored, /idempotency_records: \[\{/);
    for (const form of [
      card_number,
      Buffer.from(card_number).toString('hex'),
      Buffer.from(card_number).toString('base64'),
    ]) {
      assert.ok(!stored.includes(form));
    }
  });

  it('is empty after a failure of the service: the same key does the work at the next try', async (t) => {
    let failing = true;
    const service = await startService(t, 'sqlite', (ports) => ({
      ...ports,
      vault: {
        ...ports.vault,
        seal(pan) {
          if (failing) throw new Error('the vault is broken');
          return ports.vault.seal(pan);
        },
      },
    }));
    assert.equal((await create(service, 'k')).status, 500);
    failing = false;
    const again = await create(service, 'k');
    assert.equal(again.status, 200);
    assert.equal(again.headers.get('idempotent-replayed'), null);
    assert.equal(await cardsOf(service), 1);
  });

  it('is committed with the change: when the answer cannot be stored, nothing is changed', async (t) => {
    let failing = true;
    const service = await startService(t, 'sqlite', (ports) => ({
      ...ports,
      sealer: {
        ...ports.sealer,
        seal(purpose, clear) {
          if (failing) throw new Error('the sealer is broken');
          return ports.sealer.seal(purpose, clear);
        },
      },
    }));
    assert.equal((await create(service, 'k')).status, 500);
    assert.equal(await cardsOf(service), 0);
    failing = false;
    assert.equal((await create(service, 'k')).status, 200);
    assert.equal(await cardsOf(service), 1);
  });

  it('also contains the decision about an authorization', async (t) => {
    const service = await startService(t);
    const { card_number } = (await create(service, 'k')).json.data;
    const call = {
      key: 'network',
      body: authorization(card_number, { billing_amount: 5 }),
      headers: { 'Idempotency-Key': 'n' },
    };
    const first = await service.send('POST', '/network/v1/authorizations', call);
    const again = await service.send('POST', '/network/v1/authorizations', call);
    assert.equal(first.status, 200);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
  });
});
