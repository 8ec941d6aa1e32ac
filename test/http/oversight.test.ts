import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { afterAttempt, failures_until_failing, relayEvents } from '@tallystick/events';
import { sealAuditLog, Temporal } from '@tallystick/kernel';
import { database_names } from '@tallystick/test-support';
import { authorization, type Reply, type Service, start, startService } from './service.ts';

const operator = { key: 'operator' } as const;
const start_ms = Temporal.Instant.from(start).epochMilliseconds;

function get({ send }: Service, path: string): Promise<Reply> {
  return send('GET', `/operator/v1/${path}`, operator);
}

function idsOf(reply: Reply): readonly string[] {
  assert.equal(reply.status, 200, reply.text);
  return reply.json.data.map(({ id }: { readonly id: string }) => id);
}

/** Another company with a webhook, beside the webhook of the sandbox's company. */
async function withWebhooks(service: Service): Promise<{ readonly company_id: number }> {
  const { send } = service;
  const post = (path: string, data: object, key = 'operator') => send('POST', path, { key, body: { data } });
  const company = await post('/operator/v1/companies', { name: 'Other', customer_number: 'O-1' });
  const company_id = Number(company.json.data.id);
  const { key } = (await post('/operator/v1/keys', { role: 'client', name: 'n', company_id })).json.data;
  for (const [of, url] of [
    ['client', 'https://127.0.0.1/sandbox'],
    [key, 'https://127.0.0.1/other?token=t'],
  ]) {
    assert.equal((await post('/v1/webhooks', { callback_url: url, event_type_ids: [1] }, of)).status, 200);
  }
  return { company_id };
}

/** Records events of the company, and makes their deliveries. */
async function happen({ send, persistence }: Service, company_id: number, count: number): Promise<void> {
  for (let place = 0; place < count; place += 1) {
    const data = { company_id, event_type: 'ach.status', payload: { id: place } };
    assert.equal((await send('POST', '/operator/v1/events', { ...operator, body: { data } })).status, 200);
  }
  await persistence.unitOfWork.run((tx) => relayEvents(tx, start_ms, 100));
}

/** Records one attempt of each of these deliveries, with this status of the receiver. */
async function attempt({ persistence }: Service, ids: readonly number[], status: number): Promise<void> {
  const { delivery_desk } = persistence;
  const orders = await delivery_desk.claim(ids, start_ms, { token: 't', machine_ms: 0, until_machine_ms: 1 });
  assert.equal(orders.length, ids.length);
  const answer = {
    kind: 'answered',
    status,
    excerpt: 'secret of a receiver',
    retry_after: null,
    duration_ms: 3,
  } as const;
  await delivery_desk.record(
    orders.map(({ delivery, lease }) => ({ ...afterAttempt(delivery, answer, start_ms, '{}'), lease })),
  );
}

for (const name of database_names) {
  describe(`the operator's lists on ${name}`, () => {
    it('show the webhooks of all companies: which fail, since when, and what waits for them', async (t) => {
      const service = await startService(t, name);
      const { company_id } = await withWebhooks(service);
      await happen(service, company_id, 5);
      await attempt(service, [1, 2, 3].slice(0, failures_until_failing), 500);
      const [other, own] = (await get(service, 'webhooks')).json.data;
      assert.deepEqual(other, {
        id: '2',
        company_id,
        callback_url: 'https://127.0.0.1/other?token=t',
        event_type_ids: [1],
        status: 'active',
        failing: true,
        failures_in_a_row: 3,
        failing_since: '2030-03-15T10:00:00.000Z',
        backlog: 5,
        oldest_due_at: '2030-03-15T10:00:00.000Z',
        recent: { pending: 5, succeeded: 0, failed: 0 },
        created_at: '2030-03-15T10:00:00.000Z',
        type: 'webhook',
      });
      assert.deepEqual([own.id, own.failing, own.failing_since, own.backlog], ['1', false, null, 0]);
      assert.deepEqual(idsOf(await get(service, 'webhooks?filter[failing]=true')), ['2']);
      assert.deepEqual(idsOf(await get(service, 'webhooks?filter[failing]=false')), ['1']);
      assert.deepEqual(idsOf(await get(service, 'webhooks?filter[company_id]=1')), ['1']);
      assert.ok(!(await get(service, 'webhooks')).text.includes('whsec_'));
      const { company_id: _, ...shown } = own;
      const of_company = await service.send('GET', '/v1/webhooks/states?filter[failing]=false');
      assert.deepEqual(of_company.json.data, [shown], 'a company sees its own');
      await attempt(service, [4], 200);
      assert.deepEqual(idsOf(await get(service, 'webhooks?filter[failing]=true')), []);
    });

    it('show the deliveries of all companies, without what receivers answered', async (t) => {
      const service = await startService(t, name);
      const { company_id } = await withWebhooks(service);
      await happen(service, 1, 2);
      await happen(service, company_id, 3);
      await attempt(service, [1, 3], 200);
      await attempt(service, [4], 410);
      await attempt(service, [5], 500);
      const all = await get(service, 'deliveries');
      assert.deepEqual(idsOf(all), ['5', '4', '3', '2', '1']);
      assert.ok(!all.text.includes('secret of a receiver'));
      const { attempts, ...third } = all.json.data[2];
      assert.deepEqual(third, {
        id: '3',
        company_id,
        webhook_id: 2,
        event_id: '3',
        event_type: 'ach.status',
        sequence: 1,
        state: 'succeeded',
        next_attempt_at: null,
        created_at: '2030-03-15T10:00:00.000Z',
        type: 'delivery',
      });
      assert.deepEqual(
        attempts.map(({ number, status }: { number: number; status: number }) => [number, status]),
        [[1, 200]],
      );
      for (const [query, ids] of [
        ['filter[company_id]=1', ['2', '1']],
        ['filter[webhook_id]=2', ['5', '4', '3']],
        ['filter[state]=failed', ['4']],
        ['filter[state]=pending', ['5', '2']],
        [`filter[company_id]=${company_id}&filter[state]=succeeded`, ['3']],
        ['filter[next_attempt_at]=[2030-03-15T10:00:01Z,]', ['5']],
        ['filter[next_attempt_at]=[,2030-03-15T10:00:00Z]', ['2']],
        ['filter[next_attempt_at]=2030-03-15', ['5', '2']],
      ] as const) {
        assert.deepEqual(idsOf(await get(service, `deliveries?${query}`)), ids, query);
      }
      const first = await get(service, 'deliveries?filter[state]=pending&page[limit]=1');
      const rest = await service.send('GET', first.json.links.next, operator);
      assert.deepEqual([...idsOf(first), ...idsOf(rest), rest.json.links.next], ['5', '2', null]);
    });

    it('show the audit log by company, actor, action, object and time', async (t) => {
      const service = await startService(t, name);
      const { send } = service;
      const body = { data: { total_card_amount: 5 }, show_card_number: true };
      await send('POST', '/v1/virtualcards', { body, headers: { 'X-Request-Id': 'trace-1' } });
      service.setClock('2030-03-16T10:00:00Z');
      await send('PATCH', '/operator/v1/companies/1', { ...operator, body: { data: { status: 'closed' } } });
      const [newest, shown] = (await get(service, 'audit')).json.data;
      assert.deepEqual(newest, {
        id: newest.id,
        at: '2030-03-16T10:00:00.000Z',
        company_id: 1,
        actor: 'key:sandbox:operator',
        action: 'company.updated',
        object: 'company:1',
        request_id: newest.request_id,
        source_address: '127.0.0.1',
        details: { status: 'closed' },
        type: 'audit_entry',
      });
      assert.deepEqual(
        [shown.action, shown.object, shown.request_id],
        ['card_number.shown', 'virtualcard:1', 'trace-1'],
      );
      for (const [query, actions] of [
        ['filter[company_id]=1&filter[action]=card_number.shown', ['card_number.shown']],
        ['filter[actor]=key:sandbox:client', ['card_number.shown']],
        ['filter[actor]=key:sandbox', []],
        ['filter[object]=company:1', ['company.updated', 'company.created']],
        ['filter[at]=2030-03-16', ['company.updated']],
        ['filter[at]=[,2030-03-15]&filter[object]=virtualcard:1', ['card_number.shown']],
      ] as const) {
        const reply = await get(service, `audit?${query}`);
        const found = reply.json.data.map(({ action }: { readonly action: string }) => action);
        assert.deepEqual(found, actions, `${query}: ${reply.text}`);
      }
      const one = await get(service, 'audit?page[limit]=1');
      const two = await send('GET', one.json.links.next, operator);
      assert.deepEqual([one.json.data[0].action, two.json.data[0].action], ['company.updated', 'card_number.shown']);
    });

    it('show in the audit log from which address each caller came, behind a proxy too, as the request log does', async (t) => {
      const service = await startService(t, name, (ports) => ({ ...ports, trusted_proxies: ['127.0.0.0/8'] }));
      const { send } = service;
      const headers = { 'X-Forwarded-For': '198.51.100.1, 203.0.113.7', 'Idempotency-Key': 'once' };
      const data = { total_card_amount: 50_000 };
      const issued = await send('POST', '/v1/virtualcards', { headers, body: { data, show_card_number: true } });
      const from = { 'X-Forwarded-For': '2001:DB8::1' };
      await send('POST', '/v1/virtualcards', {
        headers: { ...headers, ...from },
        body: { data, show_card_number: true },
      });
      const { card_number } = issued.json.data;
      await send('POST', '/network/v1/authorizations', { key: 'network', body: authorization(card_number) });
      const release = { headers: from, body: { data: { note: 'n' } } };
      assert.equal((await send('POST', '/v1/virtualcards/1/authorizations/1/release', release)).status, 200);
      const { data: entries } = (await get(service, 'audit')).json;
      assert.deepEqual(
        entries.map((entry: Reply['json']) => [entry.action, entry.source_address]),
        [
          ['hold.released', '2001:db8::1'],
          ['card_number.shown', '2001:db8::1'],
          ['card_number.shown', '203.0.113.7'],
          ['real_card.created', null],
          ['company.created', null],
        ],
      );
      const logged = service
        .log()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const [issuing] = logged.filter(({ route }) => route === '/v1/virtualcards');
      assert.equal(issuing?.source_address, '203.0.113.7');
    });
  });
}

describe("the operator's lists", () => {
  it('verify the audit log step by step, and write it to a file of any length', async (t) => {
    const service = await startService(t);
    const { unitOfWork } = service.persistence;
    const entry = { company_id: 1, actor: 'job:many', action: 'a.b', object: 'company:1', request_id: null };
    const written = Array.from({ length: 5_600 }, (_, at) => {
      return { ...entry, source_address: null, details: { at, text: '=1+1' } };
    });
    await unitOfWork.run((tx) => tx.audit.recordAll(written, Date.parse(start)));
    await sealAuditLog({ unitOfWork, mac: service.vault.audit_mac });
    const first = (await get(service, 'audit/verification')).json.data;
    assert.deepEqual([first.intact, first.is_whole, first.checked, first.finding], [true, false, 5_000, null]);
    const rest = (await get(service, `audit/verification?from_number=${first.from_number}`)).json.data;
    assert.deepEqual([rest.intact, rest.is_whole], [true, true]);

    const csv = await get(service, 'audit/export?filter[actor]=job:many');
    const lines = csv.text.trimEnd().split('\r\n');
    assert.equal(csv.headers.get('content-disposition'), 'attachment; filename="audit.csv"');
    assert.equal(lines.length, written.length + 1);
    assert.match(lines[1]!, /^\d+,2030-03-15T10:00:00.000Z,1,job:many,,a\.b,company:1,,"\{""at"":5599,/);
    const json = await get(service, 'audit/export?filter[actor]=job:many&format=ndjson');
    const entries = json.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      entries.map(({ details }) => details.at),
      written.map(({ details }) => details.at).reverse(),
    );
    assert.equal((await get(service, 'audit/export?format=xml')).status, 400);
    assert.equal((await get(service, 'audit/verification?from_number=99999999')).status, 404);
  });

  it('are for operators', async (t) => {
    const { send } = await startService(t);
    for (const list of ['webhooks', 'deliveries', 'audit']) {
      for (const key of ['client', 'network', 'bank'] as const) {
        assert.equal((await send('GET', `/operator/v1/${list}`, { key })).status, 403, `${list} ${key}`);
      }
      assert.equal((await send('GET', `/operator/v1/${list}`, { key: null })).status, 401);
    }
  });

  it('refuse values that a filter cannot have, and name it', async (t) => {
    const service = await startService(t);
    for (const [query, path] of [
      ['webhooks?filter[failing]=maybe', 'filter[failing]'],
      ['webhooks?filter[company_id]=x', 'filter[company_id]'],
      ['audit?filter[object]=virtualcard', 'filter[object]'],
      ['deliveries?filter[webhook_id]=0', 'filter[webhook_id]'],
      ['deliveries?filter[state]=done', 'filter[state]'],
      ['deliveries?filter[next_attempt_at]=soon', 'filter[next_attempt_at]'],
      ['deliveries?filter[next_attempt_at]=[2030-03-16,2030-03-15]', 'filter[next_attempt_at]'],
      ['audit?filter[at]=[,]', 'filter[at]'],
      ['audit?filter[actor]=', 'filter[actor]'],
      ['audit?page[after]=x', 'page[after]'],
      ['audit?filter[who]=me', 'filter[who]'],
    ] as const) {
      const reply = await get(service, query);
      assert.deepEqual([reply.status, reply.json.code, reply.json.fields[0].path], [400, 'invalid_query', path], query);
    }
  });
});
