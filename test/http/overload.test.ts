import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { createNetwork, type Ledger } from '@tallystick/cards';
import { machine_timers } from '@tallystick/kernel';
import { database_names, until } from '@tallystick/test-support';
import { authorization, type Reply, type Service, startService } from './service.ts';

const cards = '/v1/virtualcards';
const authorizations = '/network/v1/authorizations';
const clearings = '/network/v1/clearings';

/** A service whose passes wait until they are released. */
async function startHeld(
  t: { after(cleanup: () => unknown): void },
  bounds: { readonly queue_max?: number; readonly requests_max?: number },
) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  t.after(release);
  let begun = 0;
  const hold = (ledger: Ledger): Ledger => ({
    ...ledger,
    async pass(messages, fold) {
      begun += 1;
      await released;
      return await ledger.pass(messages, fold);
    },
  });
  let held: Ledger | undefined;
  const service = await startService(
    t,
    'sqlite',
    (ports) => {
      const network = createNetwork({ ...ports, ledger: held!, ...bounds });
      return { ...ports, network, ...bounds };
    },
    (ledger) => {
      held = hold(ledger);
      return held;
    },
  );
  const issued = await service.send('POST', cards, {
    body: { data: { total_card_amount: 100_000 }, show_card_number: true },
  });
  const { card_number, id } = issued.json.data;
  const authorize = (key = 'network') =>
    service.send('POST', authorizations, { key, body: authorization(card_number) });
  return { service, authorize, card_id: Number(id), begun: () => begun, release };
}

async function metric(service: Service, line: RegExp): Promise<string | undefined> {
  return line.exec((await service.send('GET', '/metrics', { key: null })).text)?.[1];
}

/** Sends a message that is in a pass and one that waits. Returns a function that lets both end. */
async function fill({ service, authorize, begun, release }: Awaited<ReturnType<typeof startHeld>>) {
  const running = authorize();
  await until(() => begun() === 1);
  const waiting = authorize();
  // The third request in flight is the one that reads the metric.
  await until(async () => (await metric(service, /^tallystick_http_requests_in_flight (\d+)$/m)) === '3');
  return async () => {
    release();
    return await Promise.all([running, waiting]);
  };
}

describe('a network message under overload', () => {
  it('is refused unread: 503 with Retry-After, the code U, and no effect', async (t) => {
    const held = await startHeld(t, { queue_max: 1 });
    const { service, authorize, card_id } = held;
    const finish = await fill(held);
    const refused = await authorize();
    assert.equal(refused.status, 503, refused.text);
    assert.equal(refused.headers.get('retry-after'), '1');
    const { error, request_id, ...rest } = refused.json;
    assert.equal(typeof error, 'string');
    assert.equal(request_id, refused.headers.get('x-request-id'));
    assert.deepEqual(rest, {
      code: 'unable_to_process',
      data: {
        id: null,
        status: 'declined',
        decline_reason: 'U',
        vcn_response: 'Unable to process',
        issuer_response: 'Declined',
        response_code: '96',
        approval_code: null,
      },
    });
    const clearing = await service.send('POST', clearings, { key: 'network', body: { data: { vcn_id: card_id } } });
    assert.deepEqual([clearing.status, clearing.json.code], [503, 'unavailable']);
    assert.equal(clearing.headers.get('retry-after'), '1');
    assert.equal(await metric(service, /^tallystick_authorization_decisions_total\{code="U"\} (\d+)$/m), '1');
    assert.deepEqual(
      (await finish()).map(({ json }) => json.data.response_code),
      ['00', '00'],
    );
    const recorded = await service.send('GET', `${cards}/${card_id}/authorizations`);
    assert.equal(recorded.json.data.length, 2);
    assert.equal((await authorize()).status, 200);
  });

  it('is refused only to a key that may send it', async (t) => {
    const held = await startHeld(t, { queue_max: 1 });
    const { service, authorize } = held;
    const finish = await fill(held);
    assert.equal((await authorize()).status, 503);
    assert.equal((await authorize('client')).status, 403);
    assert.equal((await service.send('POST', authorizations, { key: null, body: {} })).status, 401);
    await finish();
  });

  it('is refused before its body has arrived', async (t) => {
    const held = await startHeld(t, { queue_max: 1 });
    const { service } = held;
    const finish = await fill(held);
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write(
      `POST ${authorizations} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer tly_test_network_sandbox\r\n` +
        'Content-Type: application/json\r\nContent-Length: 500\r\n\r\n',
    );
    socket.setEncoding('latin1');
    const head = await new Promise((resolve) => socket.once('data', resolve));
    assert.match(String(head), /^HTTP\/1\.1 503 /);
    await finish();
  });
});

describe('a message that is refused before anything else is done', () => {
  const shown = ({ status, text, headers }: Reply) => {
    return { status, text, headers: [...headers].filter(([name]) => name !== 'date') };
  };

  for (const bounds of [{ queue_max: 1 }, { requests_max: 2 }]) {
    it(`has the answer of the pipeline byte for byte, with ${JSON.stringify(bounds)}`, async (t) => {
      const held = await startHeld(t, bounds);
      const { service } = held;
      const finish = await fill(held);
      for (const path of [authorizations, clearings]) {
        for (const id of ['an-id', 'x'.repeat(128)]) {
          const call = { key: 'network', body: { data: {} }, headers: { 'x-request-id': id } };
          const direct = await service.send('POST', path, call);
          // A query brings Koa in between.
          const through_koa = await service.send('POST', `${path}?unknown=1`, call);
          assert.deepEqual(shown(direct), shown(through_koa));
          assert.deepEqual([direct.status, direct.json.request_id], [503, id]);
        }
      }
      const own_id = await service.send('POST', authorizations, { key: 'network', body: { data: {} } });
      assert.equal(own_id.headers.get('content-length'), String(own_id.text.length));
      assert.equal(own_id.headers.get('x-request-id'), own_id.json.request_id);
      await finish();
    });
  }

  it('counts in the metrics, and its line in the log has its id', async (t) => {
    const held = await startHeld(t, { queue_max: 1 });
    const { service } = held;
    const finish = await fill(held);
    for (const id of ['first', 'second']) {
      const headers = { 'x-request-id': id };
      await service.send('POST', authorizations, { key: 'network', body: { data: {} }, headers });
    }
    const of_503 =
      /^tallystick_http_request_duration_seconds_count\{method="POST",route="\/network\/v1\/authorizations",status="503"\} (\d+)$/m;
    assert.equal(await metric(service, of_503), '2');
    await until(() => service.log().includes('second'));
    const lines = service
      .log()
      .split('\n')
      .filter((line) => line.includes('requests refused'))
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.flatMap(({ requests }) => requests.map(({ request_id }: { request_id: string }) => request_id)),
      ['first', 'second'],
    );
    const { route, status, key_id } = lines[0];
    assert.deepEqual([route, status, key_id], [authorizations, 503, 'sandbox:network']);
    await until(async () => (await metric(service, /^tallystick_http_requests_in_flight (\d+)$/m)) === '3');
    await finish();
  });

  it('still counts in the rate limit of its key', async (t) => {
    const held = await startHeld(t, { queue_max: 1 });
    const { service } = held;
    const operator_call = { data: { role: 'network', name: 'limited', rate_limit_per_minute: 1 } };
    const { key } = (await service.send('POST', '/operator/v1/keys', { key: 'operator', body: operator_call })).json
      .data;
    const finish = await fill(held);
    const statuses = [];
    for (let sent = 0; sent < 2; sent += 1) {
      statuses.push((await service.send('POST', authorizations, { key, body: { data: {} } })).status);
    }
    assert.deepEqual(statuses, [503, 429]);
    await finish();
  });

  it('leaves its connection usable, whether its body came with the headers, in pieces or twice', async (t) => {
    const held = await startHeld(t, { queue_max: 1 });
    const finish = await fill(held);
    const socket = connect(Number(new URL(held.service.url).port), '127.0.0.1');
    t.after(() => socket.destroy());
    socket.setEncoding('latin1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const answers = () => received.match(/HTTP\/1\.1 503 /g)?.length ?? 0;
    const head =
      `POST ${authorizations} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer tly_test_network_sandbox\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n';
    const body = ' '.repeat(100_000);
    socket.write(head + body);
    await until(() => answers() === 1);
    socket.write(head + body.slice(0, 10));
    await until(() => answers() === 2);
    socket.write(body.slice(10));
    const short = head.replace('100000', '2');
    socket.write(`${short}{}${short}{}`);
    await until(() => answers() === 4);
    assert.equal(received.match(/HTTP\/1\.1 /g)?.length, 4);
    await finish();
  });
});

describe('too many requests in progress', () => {
  it('refuse network messages with the code U, and neither other requests nor health', async (t) => {
    const { service, authorize, begun, release } = await startHeld(t, { requests_max: 1 });
    const running = authorize();
    await until(() => begun() === 1);
    const refused = await authorize();
    assert.deepEqual([refused.status, refused.json.data.response_code], [503, '96']);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal((await service.send('GET', cards)).status, 200);
    assert.equal((await service.send('GET', '/healthz', { key: null })).status, 200);
    assert.equal(await metric(service, /^tallystick_http_requests_refused_total (\d+)$/m), '1');
    release();
    assert.equal((await running).status, 200);
    assert.equal((await authorize()).status, 200);
  });

  it('refuse a request of a company past its share with 503, and no network message', async (t) => {
    const held = Promise.withResolvers<void>();
    const inside = Promise.withResolvers<void>();
    const service = await startService(t, 'sqlite', (ports) => ({
      ...ports,
      requests_max: 1,
      unitOfWork: {
        ...ports.unitOfWork,
        async read(work) {
          inside.resolve();
          await held.promise;
          return await ports.unitOfWork.read(work);
        },
      },
      look_ups: ports.unitOfWork,
    }));
    const { card_number } = (
      await service.send('POST', cards, { body: { data: { total_card_amount: 100_000 }, show_card_number: true } })
    ).json.data;
    const running = service.send('GET', cards);
    await inside.promise;
    const refused = await service.send('GET', cards);
    assert.deepEqual([refused.status, refused.json.code], [503, 'unavailable']);
    assert.equal(refused.headers.get('retry-after'), '1');
    const decided = await service.send('POST', authorizations, { key: 'network', body: authorization(card_number) });
    assert.deepEqual([decided.status, decided.json.data.response_code], [200, '00']);
    held.resolve();
    assert.equal((await running).status, 200);
  });

  it('does not include a request whose body has not arrived yet', async (t) => {
    const { service } = await startHeld(t, { requests_max: 1 });
    const slow = connect(Number(new URL(service.url).port), '127.0.0.1');
    t.after(() => slow.destroy());
    slow.write(
      `POST ${cards} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer tly_test_client_sandbox\r\n` +
        'Content-Type: application/json\r\nContent-Length: 500\r\n\r\n',
    );
    await until(() => service.lifecycle.in_flight === 1);
    assert.equal((await service.send('GET', cards)).status, 200);
  });
});

describe('uploads of the clients of several companies', () => {
  it('take all places of clients, and none of an operator', async (t) => {
    const service = await startService(t);
    const decisions = '/v1/reconciliation/decisions';
    const create = async (path: string, data: object) =>
      (await service.send('POST', `/operator/v1/${path}`, { key: 'operator', body: { data } })).json;
    const keys: string[] = [];
    // One upload of each fills the eight places of clients.
    for (const name of 'ABCDEFGH') {
      const company = await create('companies', { name, customer_number: name });
      const { data } = await create('keys', { role: 'client', name, company_id: Number(company.data.id) });
      keys.push(data.key);
    }
    const { port } = new URL(service.url);
    for (const key of keys) {
      const socket = connect(Number(port), '127.0.0.1');
      t.after(() => socket.destroy());
      socket.write(
        `POST ${decisions} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
          'Content-Type: text/csv\r\nContent-Length: 500\r\n\r\nid',
      );
    }
    const headers = { 'content-type': 'text/csv' };
    await until(async () => (await service.send('POST', decisions, { body: 'id\n', headers })).status === 503);
    const imported = await service.send('POST', '/operator/v1/imports?name=a.csv', {
      key: 'operator',
      body: 'x',
      headers: { 'content-type': 'application/octet-stream' },
    });
    assert.equal(imported.status, 200, imported.text);
  });
});

for (const name of database_names) {
  describe(`strangers who hold hundreds of requests at every door, on ${name}`, () => {
    it('refuse no authorization, no request of a company, and no new key', async (t) => {
      const held = Promise.withResolvers<void>();
      t.after(() => held.resolve());
      const strange_id = 1_000_000;
      const service = await startService(t, name, (ports) => ({
        ...ports,
        requests_max: 100,
        // Look-ups of made-up keys, and all that strangers ask the authorisation server, hang.
        look_ups: {
          ...ports.unitOfWork,
          async read(work) {
            let is_strange = false;
            const result = await ports.unitOfWork.read((tx) => {
              const findByIds = (ids: readonly number[]) => {
                is_strange ||= ids.includes(strange_id);
                return tx.api_keys.findByIds(ids);
              };
              return work({ ...tx, api_keys: { ...tx.api_keys, findByIds } });
            });
            if (is_strange) await held.promise;
            return result;
          },
        },
        open_banking: {
          ...ports.open_banking!,
          authorisation: {
            async find() {
              await held.promise;
              return null;
            },
            handles: (path) => path.startsWith('/oauth/') || path.startsWith('/consents'),
            async handle(_request, response) {
              await held.promise;
              response.writeHead(401).end();
            },
          },
        },
      }));
      const issue = { data: { total_card_amount: 100_000 }, show_card_number: true };
      const { card_number } = (await service.send('POST', cards, { body: issue })).json.data;
      const operator_call = { key: 'operator', body: { data: { role: 'network', name: 'new' } } };
      const { key: new_key } = (await service.send('POST', '/operator/v1/keys', operator_call)).json.data;

      const of_each = 120;
      const made_up = `tly_test_${strange_id}_${'A'.repeat(43)}`;
      const { port } = new URL(service.url);
      const statuses: number[] = [];
      for (const [target, authorization] of [
        ['GET /accounts', `Bearer ${'a'.repeat(43)}`],
        [`GET ${cards}`, `Bearer ${made_up}`],
        [`POST ${authorizations}`, `Bearer ${made_up}`],
        ['POST /oauth/token', 'Basic YTph'],
        ['POST /consents/login', 'Basic YTph'],
      ]) {
        for (let sent = 0; sent < of_each; sent += 1) {
          const socket = connect(Number(port), '127.0.0.1');
          t.after(() => socket.destroy());
          socket.on('data', (bytes) => statuses.push(Number(/^HTTP\/1\.1 (\d+)/.exec(String(bytes))?.[1] ?? 0)));
          socket.write(`${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: 0\r\n\r\n`);
        }
      }
      // Those at a door wait for their turn, and are refused after five seconds.
      await until(() => service.lifecycle.in_flight + statuses.length >= 5 * of_each);

      for (let sent = 0; sent < 20; sent += 1) {
        const { status, json } = await service.send('POST', authorizations, {
          key: 'network',
          body: authorization(card_number, { billing_amount: 100 }),
        });
        assert.deepEqual([status, json.data?.response_code], [200, '00']);
        assert.equal((await service.send('GET', cards)).status, 200);
      }
      const by_new_key = service.send('POST', authorizations, { key: new_key, body: authorization(card_number) });
      held.resolve();
      assert.equal((await by_new_key).status, 200);
      await until(() => statuses.length === 5 * of_each);
      assert.deepEqual(
        statuses.filter((status) => status !== 401 && status !== 503),
        [],
      );
      assert.ok(statuses.filter((status) => status === 401).length >= 2 * of_each, 'no key is refused unseen');
    });
  });
}

describe('failures of strangers', () => {
  it('are answered slowly after twenty, from any door, and delay neither known callers nor health', async (t) => {
    const pauses: { readonly ms: number; readonly end: () => void }[] = [];
    const service = await startService(t, 'sqlite', (ports) => ({
      ...ports,
      pause: (ms) => new Promise((end) => pauses.push({ ms, end })),
      open_banking: {
        ...ports.open_banking!,
        authorisation: {
          find: async () => null,
          handles: (path) => path.startsWith('/oauth/'),
          async handle(_request, response, bounds) {
            await bounds.slowDown();
            response.writeHead(401).end();
          },
        },
      },
    }));
    const doors = [
      ['GET', cards, 401],
      ['POST', authorizations, 401],
      ['GET', '/accounts', 401],
      ['POST', '/oauth/token', 401],
      ['GET', `/card-details/${'a'.repeat(43)}`, 410],
      ['GET', '/nowhere', 404],
    ] as const;
    const key = `tly_test_1_${'A'.repeat(43)}`;
    const failAt = (door: number) => {
      const [method, path, status] = doors[door % doors.length]!;
      return service.send(method, path, { key }).then((reply) => assert.equal(reply.status, status, path));
    };
    const failing = Array.from({ length: 60 }, (_, at) => failAt(at));
    const answered = new Set<number>();
    for (const [at, one] of failing.entries()) void one.then(() => answered.add(at));
    await until(() => answered.size + pauses.length === failing.length);
    assert.ok(answered.size >= 20 && pauses.length >= 20, `${answered.size} were answered at once`);
    const waiting = failing.filter((_, at) => !answered.has(at));
    const doors_that_wait = new Set(
      failing
        .keys()
        .filter((at) => !answered.has(at))
        .map((at) => at % doors.length),
    );
    assert.equal(doors_that_wait.size, doors.length);
    const { length: before } = pauses;
    assert.ok(pauses.every(({ ms }) => ms > 0 && ms <= 2_000));
    const undelayed = [
      service.send('GET', cards),
      service.send('GET', `${cards}/1234`),
      service.send('POST', authorizations, { key: 'client' }),
      service.send('GET', '/openapi.json', { key: null }),
      service.send('GET', '/healthz', { key: null }),
    ];
    const statuses: number[] = [];
    for (const [at, one] of undelayed.entries()) void one.then(({ status }) => (statuses[at] = status));
    await until(() => Object.keys(statuses).length === undelayed.length || pauses.length > before);
    for (const { end } of pauses) end();
    assert.deepEqual([pauses.length - before, statuses], [0, [200, 404, 403, 200, 200]]);
    await Promise.all(waiting);
  });

  it('wait by the timers that the composition passes in', async (t) => {
    const pauses: number[] = [];
    const service = await startService(t, 'sqlite', ({ pause: _, ...ports }) => ({
      ...ports,
      // At rest, so that no failure is forgotten.
      timers: { ...machine_timers, monotonicNow: () => 0, pause: async (ms) => void pauses.push(ms) },
    }));
    for (let failed = 0; failed < 22; failed += 1) {
      assert.equal((await service.send('GET', cards, { key: `tly_test_1_${'A'.repeat(43)}` })).status, 401);
    }
    assert.equal(pauses.length, 2);
  });
});
