import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { Fault } from '@tallystick/kernel';
import { until } from '@tallystick/test-support';
import { authorization, type Reply, type Service, startService } from './service.ts';

const path = '/v1/virtualcards';

/** Issues a card and returns it as a client with permission to see numbers sees it. */
async function issue({ send }: Service, data: Readonly<Record<string, unknown>> = {}) {
  const body = { data: { total_card_amount: 100_000, ...data }, show_card_number: true };
  const reply = await send('POST', path, { body });
  assert.equal(reply.status, 200, reply.text);
  return reply.json.data;
}

describe('a list', () => {
  it('is read page by page through links that keep the filters, and ends with null', async (t) => {
    const service = await startService(t);
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      const card = await issue(service, { metadata: { trip: i % 2 === 0 ? 'Oslo' : 'Bergen' } });
      if (i % 2 === 0) ids.unshift(card.id);
    }
    const seen: string[] = [];
    let next: string | null = `${path}?filter[metadata.trip]=Oslo&page[limit]=2`;
    let first: string | undefined;
    while (next !== null) {
      const page: Reply['json'] = (await service.send('GET', next)).json;
      first ??= page.links.first;
      assert.equal(page.links.first, first);
      seen.push(...page.data.map((card: { id: string }) => card.id));
      next = page.links.next;
    }
    assert.deepEqual(seen, ids);
    assert.equal(first, `${path}?filter[metadata.trip]=Oslo&page[limit]=2`);
    const offset = await service.send('GET', `${path}?filter[metadata.trip]=Oslo&page[offset]=1&page[limit]=1`);
    assert.deepEqual(
      offset.json.data.map((card: { id: string }) => card.id),
      [ids[1]],
    );
    assert.ok(!offset.json.links.next.includes('offset'));
  });

  it('is reduced to id, type and url when the client prefers minimal items', async (t) => {
    const service = await startService(t);
    const { id } = await issue(service);
    for (const prefer of ['return-minimal', 'return=minimal']) {
      const reply = await service.send('GET', path, { headers: { Prefer: prefer } });
      assert.deepEqual(reply.json.data, [{ id, type: 'virtualcard', url: `${path}/${id}` }]);
      assert.equal(reply.headers.get('preference-applied'), 'return-minimal');
    }
    const events = await service.send('GET', '/v1/events', { headers: { Prefer: 'return-minimal' } });
    assert.deepEqual(events.json.data, [{ id: '1', type: 'event', url: '/v1/events/1' }]);
    const whole = await service.send('GET', path);
    assert.equal(whole.headers.get('preference-applied'), null);
    assert.equal(whole.json.data[0].last4.length, 4);
  });

  it('of cards is filtered by every value that a card can have', async (t) => {
    const service = await startService(t);
    const { id, last4 } = await issue(service, { supplier_id: Number.MAX_SAFE_INTEGER });
    await issue(service);
    const filters = `filter[supplier_id]=${Number.MAX_SAFE_INTEGER}&filter[last4]=${last4}&filter[status]=Approved`;
    const found = (await service.send('GET', `${path}?${filters}`)).json.data;
    assert.deepEqual(
      found.map((card: { id: string }) => card.id),
      [id],
    );
    assert.deepEqual((await service.send('GET', `${path}?filter[status]=Canceled`)).json.data, []);
    const five = ['a', 'b', 'c', 'd', 'e'].map((name) => `filter[metadata.${name}]=x`).join('&');
    const ten = `filter[rcn_id]=1&filter[template_id]=1&${filters}&${five}`;
    const page = await service.send('GET', `${path}?${ten}`);
    assert.deepEqual([page.status, page.json.data], [200, []], 'ten filters');
  });

  it('supports that preference where its items have a url, and stays whole elsewhere', async (t) => {
    const service = await startService(t);
    const { id, card_number } = await issue(service);
    await service.send('POST', '/network/v1/authorizations', { key: 'network', body: authorization(card_number) });
    const { paths } = (await service.send('GET', '/openapi.json', { key: null })).json;
    for (const [list, honoured] of [
      [path, true],
      [`${path}/{id}/authorizations`, false],
    ] as const) {
      const names = paths[list].get.parameters.map(({ name }: { name: string }) => name);
      assert.equal(names.includes('Prefer'), honoured, list);
      const headers = { Prefer: 'return-minimal' };
      const reply = await service.send('GET', list.replace('{id}', id), { headers });
      assert.equal(reply.headers.get('preference-applied') !== null, honoured);
      assert.equal(Object.keys(reply.json.data[0]).length === 3, honoured);
    }
  });

  it('of cards contains their authorizations only on request', async (t) => {
    const service = await startService(t);
    const { card_number } = await issue(service);
    await service.send('POST', '/network/v1/authorizations', { key: 'network', body: authorization(card_number) });
    const without = await service.send('GET', path);
    assert.deepEqual(without.json.data[0].authorizations, []);
    const with_them = await service.send('GET', `${path}?show_realtime_auths=true`);
    assert.equal(with_them.json.data[0].authorizations.length, 1);
    assert.ok(with_them.json.links.first.includes('show_realtime_auths=true'));
  });
});

describe('a card number', () => {
  it('is shown only on request, and the audit log records each showing', async (t) => {
    const service = await startService(t);
    const hidden = (await service.send('POST', path, { body: { data: { total_card_amount: 5 } } })).json.data;
    assert.equal(hidden.card_number, `************${hidden.last4}`);
    assert.equal(hidden.cvc, '***');
    assert.ok(!service.stored().includes('card_number.shown'));
    const shown = (await service.send('GET', `${path}/${hidden.id}?show_card_number=true`)).json.data;
    assert.match(shown.card_number, /^54545454\d{8}$/);
    assert.equal(service.stored().split('card_number.shown').length - 1, 1);
    const patched = await service.send('PATCH', `${path}/${hidden.id}`, {
      body: { data: { metadata: { a: 1 } }, show_card_number: true },
    });
    assert.equal(patched.json.data.card_number, shown.card_number);
    assert.equal(service.stored().split('card_number.shown').length - 1, 2);
    const list = await service.send('GET', `${path}?show_card_number=true`);
    assert.ok(!list.text.includes(shown.card_number));
    assert.ok(!service.log().includes(shown.card_number));
    assert.ok(!service.stored().includes(shown.card_number));
  });
});

describe('an object of another company', () => {
  it('has the same answer as an unknown object', async (t) => {
    const service = await startService(t);
    const { id } = await issue(service);
    const key = await clientOfAnotherCompany(service);
    const headers = { 'X-Request-Id': 'same' };
    for (const [method, where] of [
      ['GET', path],
      ['PATCH', path],
      ['DELETE', path],
      ['GET', '/v1/events'],
      ['GET', '/v1/realcards'],
    ] as const) {
      const call = { key, headers, ...(method === 'PATCH' ? { body: { data: { total_card_amount: 1 } } } : {}) };
      const foreign = await service.send(method, `${where}/${id}`, call);
      const unknown = await service.send(method, `${where}/77`, call);
      assert.equal(foreign.status, 404, foreign.text);
      assert.equal(foreign.text.replaceAll(id, '#'), unknown.text.replaceAll('77', '#'));
    }
    assert.deepEqual((await service.send('GET', path, { key })).json.data, []);
    assert.equal((await service.send('GET', `${path}/${id}`)).json.data.status, 'Approved');
  });
});

async function clientOfAnotherCompany({ send }: Service): Promise<string> {
  const body = { data: { name: 'Another', customer_number: '2' } };
  const company = await send('POST', '/operator/v1/companies', { key: 'operator', body });
  const data = { role: 'client', name: 'theirs', company_id: Number(company.json.data.id) };
  const made = await send('POST', '/operator/v1/keys', { key: 'operator', body: { data } });
  assert.equal(made.status, 200, made.text);
  return made.json.data.key;
}

describe('the id of a company', () => {
  it('is accepted as a number and as the text in the company’s answer', async (t) => {
    const { send } = await startService(t);
    const body = { data: { name: 'Example Ltd', customer_number: '4711' } };
    const { id } = (await send('POST', '/operator/v1/companies', { key: 'operator', body })).json.data;
    for (const company_id of [id, Number(id)]) {
      const bodies = {
        '/operator/v1/keys': { role: 'client', name: 'k', company_id },
        '/operator/v1/realcards': { alias: 'r', billing_currency: 'EUR', account_range: '54545400', company_id },
        '/operator/v1/events': { event_type: 'ach.status', payload: { id: 1 }, company_id },
      };
      for (const [path, data] of Object.entries(bodies)) {
        const answer = await send('POST', path, { key: 'operator', body: { data } });
        assert.equal(answer.status, 200, answer.text);
      }
    }
    for (const [company_id, message] of [
      ['one', 'must be an integer, or a string of digits'],
      [1.5, 'must be an integer, or a string of digits'],
      [undefined, 'is required'],
    ]) {
      const data = { event_type: 'ach.status', payload: { id: 1 }, company_id };
      const answer = await send('POST', '/operator/v1/events', { key: 'operator', body: { data } });
      assert.deepEqual(answer.json.fields, [{ path: 'data.company_id', message }]);
    }
  });
});

describe('a key', () => {
  it('is shown once, works, and stops working when it is revoked', async (t) => {
    const service = await startService(t);
    const key = await clientOfAnotherCompany(service);
    assert.equal((await service.send('GET', path, { key })).status, 200);
    const listed = await service.send('GET', '/operator/v1/keys', { key: 'operator' });
    assert.ok(!listed.text.includes(key.slice(-20)));
    const [created] = listed.json.data;
    assert.deepEqual((await service.send('GET', created.url, { key: 'operator' })).json.data, created);
    assert.equal((await service.send('DELETE', created.url, { key: 'operator' })).status, 204);
    assert.equal((await service.send('GET', path, { key })).status, 401);
    const [revoked] = (await service.send('GET', '/operator/v1/keys', { key: 'operator' })).json.data;
    assert.equal(typeof revoked.revoked_at, 'string');
  });

  it('is limited to its requests per minute, and the refusal states when to try again', async (t) => {
    const service = await startService(t);
    const data = { role: 'network', name: 'slow', rate_limit_per_minute: 2 };
    const { key } = (await service.send('POST', '/operator/v1/keys', { key: 'operator', body: { data } })).json.data;
    const statuses = [];
    let last: Awaited<ReturnType<Service['send']>> | undefined;
    for (let i = 0; i < 3; i += 1) {
      last = await service.send('POST', '/network/v1/authorizations', { key, body: authorization('4111111111111111') });
      statuses.push(last.status);
    }
    assert.deepEqual(statuses, [200, 200, 429]);
    assert.equal(last?.json.code, 'rate_limited');
    assert.match(last?.headers.get('retry-after') ?? '', /^([1-9]|[12]\d|30)$/);
    assert.equal((await service.send('GET', path)).status, 200);
  });
});

describe('every answer', () => {
  it('has a request id: the caller’s if valid, else a new one', async (t) => {
    const { send } = await startService(t);
    const own = await send('GET', path, { headers: { 'X-Request-Id': 'trace-1' } });
    assert.equal(own.headers.get('x-request-id'), 'trace-1');
    const odd = await send('GET', path, { headers: { 'X-Request-Id': '{"a":"b"}' } });
    assert.match(odd.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    assert.match((await send('GET', '/nowhere')).headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  });

  it('has a request id that is stored in its events, and one log line', async (t) => {
    const service = await startService(t);
    const headers = { 'X-Request-Id': 'trace-2' };
    await service.send('POST', path, { body: { data: { total_card_amount: 5 } }, headers });
    assert.match(service.stored(), /"request_id":"trace-2"/);
    const lines = service
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(lines.length, 1);
    const [{ request_id, method, route, status, duration_ms, key_id, company_id }] = lines;
    const logged = { request_id, method, route, status, key_id, company_id };
    assert.deepEqual(logged, {
      request_id: 'trace-2',
      method: 'POST',
      route: path,
      status: 200,
      key_id: 'sandbox:client',
      company_id: service.company_id,
    });
    assert.equal(typeof duration_ms, 'number');
  });

  it('forbids caching, sniffing, framing and scripts', async (t) => {
    const { send } = await startService(t);
    for (const where of [path, '/v1/events/types', '/nowhere', '/healthz']) {
      const { headers } = await send('GET', where);
      assert.equal(headers.get('cache-control'), 'no-store', where);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'");
      assert.equal(headers.get('x-powered-by'), null);
    }
  });

  it('to HEAD is the answer to GET without the body, and to a deletion has none', async (t) => {
    const service = await startService(t);
    const { id } = await issue(service);
    const head = await service.send('HEAD', `${path}/${id}`);
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    const deleted = await service.send('DELETE', `${path}/${id}`);
    assert.equal(deleted.status, 204);
    assert.equal(deleted.text, '');
    assert.equal((await service.send('DELETE', `${path}/${id}`)).status, 204);
    const events = (await service.send('GET', '/v1/events?filter[event_type]=virtualcard.deleted')).json.data;
    assert.equal(events.length, 1);
  });

  it('to an unexpected error is 500 with the request id, which is in the log', async (t) => {
    const service = await startService(t, 'sqlite', (ports) => ({
      ...ports,
      unitOfWork: {
        run: () => Promise.reject(new Error('secret of the inside')),
        read: () => Promise.reject(new Error('secret of the inside')),
      },
    }));
    const reply = await service.send('GET', path);
    assert.equal(reply.status, 500);
    assert.deepEqual(Object.keys(reply.json), ['error', 'code', 'request_id']);
    assert.ok(!reply.text.includes('secret'));
    assert.match(service.log(), /secret of the inside/);
  });

  it('while the database is unavailable is 503 with Retry-After', async (t) => {
    const away = () => Promise.reject(new Fault('the database is away', { retryable: true }));
    const service = await startService(t, 'sqlite', (ports) => ({
      ...ports,
      unitOfWork: { run: away, read: away },
      ping: away,
    }));
    const reply = await service.send('POST', path, { body: { data: { total_card_amount: 5 } } });
    assert.equal(reply.status, 503);
    assert.equal(reply.json.code, 'unavailable');
    assert.equal(reply.headers.get('retry-after'), '1');
    assert.equal((await service.send('GET', '/readyz', { key: null })).status, 503);
    assert.equal((await service.send('GET', '/healthz', { key: null })).status, 200);
  });
});

describe('an authorization that meets a fault of the service', () => {
  it('is answered 503 with the item, code U, and nothing is recorded as approved', async (t) => {
    let broken = true;
    const service = await startService(t, 'sqlite', undefined, (ledger) => ({
      ...ledger,
      pass: (messages, fold) =>
        broken ? Promise.reject(new Fault('disk full', { retryable: true })) : ledger.pass(messages, fold),
    }));
    const { card_number, id } = await issue(service);
    const body = authorization(card_number);
    const headers = { 'Idempotency-Key': 'once' };
    const failed = await service.send('POST', '/network/v1/authorizations', { key: 'network', body, headers });
    assert.equal(failed.status, 503, failed.text);
    assert.equal(failed.json.data.vcn_response, 'Unable to process');
    assert.equal(failed.json.data.response_code, '96');
    assert.equal(failed.json.data.issuer_response, 'Declined');
    assert.equal(failed.json.code, 'unable_to_process');
    assert.equal(failed.json.request_id, failed.headers.get('x-request-id'));
    assert.equal(failed.headers.get('retry-after'), '1');
    assert.equal((await service.send('GET', `${path}/${id}`)).json.data.available_balance, 100_000);
    const clearing = {
      vcn_id: id,
      network_financial_transaction_id: 'N',
      billing_amount: 1,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2030-03-16',
    };
    assert.equal(
      (await service.send('POST', '/network/v1/clearings', { key: 'network', body: { data: clearing } })).status,
      503,
    );
    broken = false;
    const again = await service.send('POST', '/network/v1/authorizations', { key: 'network', body, headers });
    assert.equal(again.status, 200);
    assert.equal(again.json.data.response_code, '00');
  });
});

describe('while the server stops', () => {
  it('requests in flight are completed, connections are closed, and it is not ready', async (t) => {
    const { send, lifecycle, url } = await startService(t);
    assert.equal((await send('GET', '/readyz', { key: null })).status, 200);
    const slow = connect(Number(new URL(url).port), '127.0.0.1');
    slow.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer tly_test_client_sandbox\r\n` +
        'Content-Type: application/json\r\nContent-Length: 35\r\n\r\n',
    );
    await until(() => lifecycle.in_flight > 0);
    lifecycle.stop();
    assert.equal((await send('GET', '/readyz', { key: null })).status, 503);
    const other = await send('GET', path);
    assert.equal(other.status, 200);
    assert.equal(other.headers.get('connection'), 'close');
    slow.write('{"data":{"total_card_amount":1000}}');
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      slow.on('data', (chunk) => (text += chunk));
      slow.on('close', () => resolve(text));
    });
    assert.match(answer, /^HTTP\/1.1 200 OK\r\n/);
    assert.match(answer, /\r\nConnection: close\r\n/i);
    await lifecycle.idle();
  });
});

describe('the part beside the interface', () => {
  it('is an OpenAPI document with every route', async (t) => {
    const { send } = await startService(t);
    const document = (await send('GET', '/openapi.json', { key: null })).json;
    assert.equal(document.openapi, '3.1.1');
    const routes = Object.entries(document.paths).flatMap(([where, methods]) =>
      Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${where}`),
    );
    for (const route of [
      'POST /v1/virtualcards',
      'GET /v1/virtualcards',
      'GET /v1/virtualcards/{id}',
      'PATCH /v1/virtualcards/{id}',
      'DELETE /v1/virtualcards/{id}',
      'POST /v1/virtualcards/{id}/email',
      'GET /v1/virtualcards/{id}/authorizations',
      'GET /v1/virtualcards/{id}/clearings',
      'GET /v1/realcards',
      'POST /v1/content/virtualcard-templates',
      'GET /v1/content/virtualcard-templates',
      'GET /v1/events/types',
      'GET /v1/events/{id}',
      'GET /v1/events',
      'POST /network/v1/authorizations',
      'POST /network/v1/clearings',
      'POST /sandbox/v1/clock',
      'POST /operator/v1/companies',
      'POST /operator/v1/realcards',
      'POST /operator/v1/keys',
      'GET /operator/v1/keys',
      'DELETE /operator/v1/keys/{id}',
      'POST /operator/v1/templates/{id}/complete',
      'POST /operator/v1/events',
    ]) {
      assert.ok(routes.includes(route), route);
    }
    assertReferences(document);
  });

  it('is metrics by route template, status and answer code', async (t) => {
    const service = await startService(t);
    const { id, card_number } = await issue(service);
    await service.send('GET', `${path}/${id}`);
    await service.send('GET', '/nowhere/4111111111111111');
    await service.send('POST', '/network/v1/authorizations', { key: 'network', body: authorization(card_number) });
    const { text } = await service.send('GET', '/metrics', { key: null });
    assert.match(text, /duration_seconds_count\{method="GET",route="\/v1\/virtualcards\/:id",status="200"\} 1\n/);
    assert.match(text, /duration_seconds_count\{method="GET",route="none",status="404"\} 1\n/);
    assert.match(text, /tallystick_authorization_decisions_total\{code="V"\} 1\n/);
    assert.match(text, /tallystick_http_requests_in_flight 1\n/);
    assert.match(text, /tallystick_pass_messages_sum 1\n/);
    assert.ok(!text.includes('nowhere') && !text.includes('4111111111111111'));
  });
});

/** Asserts that every reference in the document has a target. */
function assertReferences(document: { components: { schemas: object } }): void {
  const text = JSON.stringify(document);
  const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name as string);
  assert.ok(names.length > 20);
  for (const name of names) assert.ok(Object.hasOwn(document.components.schemas, name), name);
}

describe('the clock of the sandbox', () => {
  it('is moved by the operator, and does not exist outside the sandbox', async (t) => {
    const inside = await startService(t);
    const body = { data: { set: '2030-04-01T00:00:00Z', frozen: true } };
    const moved = await inside.send('POST', '/sandbox/v1/clock', { key: 'operator', body });
    assert.deepEqual(moved.json, { data: { now: '2030-04-01T00:00:00Z', frozen: true } });
    const outside = await startService(t, 'sqlite', (ports) => ({ ...ports, sandbox: null }));
    assert.equal((await outside.send('POST', '/sandbox/v1/clock', { key: 'operator', body })).status, 404);
    assert.equal((await outside.send('GET', path)).status, 401);
  });
});

describe('a client that disconnects', () => {
  it('during its body leaves nothing in flight and nothing changed', async (t) => {
    const service = await startService(t);
    const stored = service.stored();
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer tly_test_client_sandbox\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"data":{"total_card_amount":1000}}',
    );
    await until(() => service.lifecycle.in_flight > 0);
    socket.destroy();
    await service.lifecycle.idle();
    assert.equal(service.stored(), stored);
    assert.equal((await service.send('GET', path)).status, 200);
  });
});
