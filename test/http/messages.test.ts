import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { createNetwork, type Ledger } from '@tallystick/cards';
import { database_names, until } from '@tallystick/test-support';
import pg from 'pg';
import { type LineAnswer, lineOf, openMessages } from './messages-client.ts';
import { authorization, type Service, start, startService } from './service.ts';

async function issue(service: Service, total_card_amount = 1_000_000): Promise<{ card_number: string; id: number }> {
  const { json } = await service.send('POST', '/v1/virtualcards', {
    body: { data: { total_card_amount }, show_card_number: true },
  });
  return { card_number: json.data.card_number, id: Number(json.data.id) };
}

function clearing(vcn_id: number, network_financial_transaction_id: string, change: object = {}) {
  const amounts = { billing_amount: 2500, billing_currency: 'USD' };
  return {
    data: {
      vcn_id,
      network_financial_transaction_id,
      clearing_type: 'DEBIT',
      settlement_date: start.slice(0, 10),
      ...amounts,
      ...change,
    },
  };
}

const byLine = (answers: readonly LineAnswer[]) => answers.toSorted((a, b) => a.line - b.line);

/** A service whose passes wait until they are released. */
async function startHeld(t: { after(cleanup: () => unknown): void }, bounds: object = {}, ports_change: object = {}) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  t.after(release);
  const passes: number[] = [];
  let held: Ledger | undefined;
  const service = await startService(
    t,
    'sqlite',
    (ports) => ({ ...ports, network: createNetwork({ ...ports, ledger: held!, ...bounds }), ...ports_change }),
    (ledger) => {
      held = {
        ...ledger,
        async pass(messages, fold, pass_bounds) {
          passes.push(messages.length);
          await released;
          return await ledger.pass(messages, fold, pass_bounds);
        },
      };
      return held;
    },
  );
  return { service, passes, release };
}

for (const database_name of database_names) {
  describe(`many messages in one request, on ${database_name}`, () => {
    it('are each answered as alone: body and status', async (t) => {
      const service = await startService(t, database_name);
      const { card_number, id } = await issue(service);
      const bodies = [
        ['authorization', authorization(card_number)],
        ['authorization', authorization(card_number, { billing_amount: 2_000_000, merchant_amount: 2_000_000 })],
        ['authorization', authorization('5454545400000000')],
        ['authorization', authorization(card_number, { billing_amount: -1, mcc: 'x' })],
        ['authorization', authorization(card_number, { billing_currency: 'EUR' })],
        ['authorization', { data: [] }],
        ['authorization', {}],
        ['authorization', authorization(card_number, { merchant_name: 'Blåbær \u{1f353} "\\ \u2028' })],
        ['authorization', authorization(card_number, { merchant_name: 'a\u0000b' })],
        ['clearing', clearing(id, 'F1')],
        ['clearing', clearing(id, 'F1', { billing_amount: 1 })],
        ['clearing', clearing(999_999, 'F2')],
        ['clearing', clearing(id, '')],
      ] as const;
      const messages = openMessages(service);
      for (const [type, body] of bodies) messages.write(lineOf(type, body as { data: object }));
      messages.end();
      const answers = byLine(await messages.ended);
      assert.deepEqual(
        answers.map(({ line }) => line),
        bodies.map((_, index) => index + 1),
      );
      for (const [index, [type, body]] of bodies.entries()) {
        // A repeat gets the first answer, so it is compared with that of the same message alone.
        const alone = await service.send('POST', `/network/v1/${type}s`, { key: 'network', body });
        const { line, status, ...answered } = answers[index]!;
        const same = { ...answered, ...(answered.request_id && { request_id: alone.json.request_id }) };
        assert.deepEqual([status, same], [alone.status, alone.json], `line ${line}`);
      }
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 400, 404]));
    });

    it('are decided in the order of the lines of a card', async (t) => {
      const service = await startService(t, database_name);
      const cards = await Promise.all([issue(service, 10_000), issue(service, 10_000)]);
      const messages = openMessages(service);
      // Each card has 100.00: of purchases over 1.00, 2.00, 3.00 ... the first thirteen fit (91.00).
      for (let place = 1; place <= 20; place += 1) {
        for (const { card_number } of cards) {
          const amounts = { billing_amount: 100 * place, merchant_amount: 100 * place };
          messages.write(lineOf('authorization', authorization(card_number, amounts)));
        }
      }
      messages.end();
      const codes = byLine(await messages.ended).map(({ data }) => data.decline_reason ?? 'V');
      const expected = Array.from({ length: 20 }, (_, index) => (index < 13 ? 'V' : 'F'));
      for (const card of [0, 1]) {
        assert.deepEqual(
          codes.filter((_, index) => index % 2 === card),
          expected,
        );
      }
    });

    it('that are sent twice get the first answer', async (t) => {
      const service = await startService(t, database_name);
      const { card_number, id } = await issue(service);
      const line = lineOf('authorization', authorization(card_number));
      const messages = openMessages(service);
      messages.write(line + line + lineOf('clearing', clearing(id, 'F1')) + lineOf('clearing', clearing(id, 'F1')));
      messages.end();
      const [first, second, third, fourth] = byLine(await messages.ended);
      assert.deepEqual(second?.data, first?.data);
      assert.deepEqual(fourth?.data, third?.data);
      const again = openMessages(service);
      again.write(line);
      again.end();
      assert.deepEqual((await again.ended)[0]?.data, first?.data);
      const recorded = await service.send('GET', `/v1/virtualcards/${id}/authorizations`);
      assert.equal(recorded.json.data.length, 1);
    });

    it('are decided although their sender is gone', async (t) => {
      const service = await startService(t, database_name);
      const { card_number, id } = await issue(service);
      const body = authorization(card_number);
      const messages = openMessages(service);
      await messages.head;
      messages.write(`${lineOf('authorization', body)}{"type":"authorization","data":{"card_nu`);
      await until(() => messages.answers.length === 1);
      messages.write(lineOf('authorization', authorization(card_number)).slice(0, 100));
      messages.outgoing.destroy();
      await until(() => service.lifecycle.in_flight === 0);
      const alone = await service.send('POST', '/network/v1/authorizations', { key: 'network', body });
      assert.deepEqual(alone.json.data, messages.answers[0]?.data);
      const recorded = await service.send('GET', `/v1/virtualcards/${id}/authorizations`);
      assert.equal(recorded.json.data.length, 1);
    });
  });
}

describe('many messages in one request', () => {
  it('wait for a locked card only where they are about it', async (t) => {
    const service = await startService(t, 'postgres');
    const [locked, other] = [await issue(service), await issue(service)];
    const holder = new pg.Client({ connectionString: service.database.database_url });
    // The database is dropped under it when the test fails.
    holder.on('error', () => undefined);
    await holder.connect();
    await holder.query('begin');
    await holder.query('select id from tallystick_virtual_cards where id = $1 for update', [locked.id]);
    const messages = openMessages(service);
    for (const { card_number } of [locked, other, locked, other]) {
      messages.write(lineOf('authorization', authorization(card_number)));
    }
    await until(() => messages.answers.length === 2);
    messages.write(lineOf('authorization', authorization(other.card_number)));
    await until(() => messages.answers.length === 3);
    assert.deepEqual(
      messages.answers.map(({ line }) => line),
      [2, 4, 5],
    );
    await holder.end();
    messages.end();
    const answers = await messages.ended;
    assert.deepEqual(
      answers.slice(3).map(({ line, status }) => [line, status]),
      [
        [1, 200],
        [3, 200],
      ],
    );
  });
});

describe('the lines of a request', () => {
  it('are answered as soon as they are decided, while the request goes on', async (t) => {
    const service = await startService(t);
    const { card_number } = await issue(service);
    const messages = openMessages(service);
    const { statusCode, headers } = await messages.head;
    assert.deepEqual([statusCode, headers['content-type']], [200, 'application/x-ndjson']);
    for (let line = 1; line <= 3; line += 1) {
      messages.write(lineOf('authorization', authorization(card_number)));
      await until(() => messages.answers.length === line);
    }
    messages.end();
    assert.equal((await messages.ended).length, 3);
  });

  it('end with LF or CR LF, the last one also with the body; empty ones are counted', async (t) => {
    const service = await startService(t);
    const { card_number } = await issue(service);
    const line = () => lineOf('authorization', authorization(card_number)).trimEnd();
    const messages = openMessages(service);
    messages.write(`\n\r\n${line()}\r\n\n${line()}\n{"type":"authorization","data":\n${line()}`);
    messages.end();
    const answers = byLine(await messages.ended);
    assert.deepEqual(
      answers.map(({ line, status, code }) => [line, status, code]),
      [
        [3, 200, undefined],
        [5, 200, undefined],
        [6, 400, 'malformed_json'],
        [7, 200, undefined],
      ],
    );
  });

  it('are refused alone when they are no message', async (t) => {
    const service = await startService(t);
    const { card_number } = await issue(service);
    const good = lineOf('authorization', authorization(card_number));
    const bad: readonly (readonly [string | Uint8Array, number, string, string?])[] = [
      ['null\n', 400, 'validation_failed', 'body'],
      ['[]\n', 400, 'validation_failed', 'body'],
      ['{}\n', 400, 'validation_failed', 'type'],
      ['{"type":"constructor","data":{}}\n', 400, 'validation_failed', 'type'],
      ['{"type":["authorization"],"data":{}}\n', 400, 'validation_failed', 'type'],
      [Buffer.from([0xff, 0x0a]), 400, 'malformed_json'],
      ['{"type":"authorization","data":{"merchant_name":"\\ud800"}}\n', 400, 'malformed_json', 'data.merchant_name'],
      [`{"type":"authorization","data":${'['.repeat(100)}${']'.repeat(100)}}\n`, 400, 'malformed_json'],
      [`{"type":"clearing","data":{"note":"${'x'.repeat(70_000)}"}}\n`, 413, 'body_too_large'],
    ];
    const messages = openMessages(service);
    for (const [line] of bad) {
      messages.write(line);
      messages.write(good);
    }
    messages.end();
    const answers = byLine(await messages.ended);
    for (const [index, [, status, code, path]] of bad.entries()) {
      const refused = answers[2 * index];
      assert.deepEqual([refused?.line, refused?.status, refused?.code], [2 * index + 1, status, code]);
      if (path !== undefined) assert.equal(refused?.fields?.[0]?.path, path);
      assert.equal(refused?.request_id, (await messages.head).headers['x-request-id']);
      assert.equal(answers[2 * index + 1]?.status, 200);
    }
    assert.doesNotMatch(service.log(), /request failed/);
  });

  it('may be cut anywhere, also within a character', async (t) => {
    const service = await startService(t);
    const { card_number } = await issue(service);
    const bytes = Buffer.from(
      `${lineOf('authorization', authorization(card_number, { merchant_name: 'Zażółć \u{1f9ff}' }))}\r\n`.repeat(2),
    );
    const messages = openMessages(service);
    for (const byte of bytes) messages.write(Uint8Array.of(byte));
    messages.end();
    assert.deepEqual(
      byLine(await messages.ended).map(({ line, data }) => [line, data.merchant_name]),
      [
        [1, 'Zażółć \u{1f9ff}'],
        [3, 'Zażółć \u{1f9ff}'],
      ],
    );
  });

  it('are nothing: the answer is empty', async (t) => {
    const service = await startService(t);
    const reply = await service.send('POST', '/network/v1/messages', {
      key: 'network',
      body: '',
      headers: { 'Content-Type': 'application/x-ndjson' },
    });
    assert.deepEqual([reply.status, reply.text], [200, '']);
  });
});

describe('a request of many messages', () => {
  it('is refused as a whole by its key, its role, its type, and what covers a whole body', async (t) => {
    const service = await startService(t);
    const refused = async (key: string, headers: Readonly<Record<string, string>> = {}) => {
      const { status, json } = await service.send('POST', '/network/v1/messages', {
        key,
        body: '\n',
        headers: { 'Content-Type': 'application/x-ndjson', ...headers },
      });
      return [status, json?.code, json?.fields?.[0]?.path];
    };
    const created = await service.send('POST', '/operator/v1/keys', {
      key: 'operator',
      body: { data: { role: 'network', name: 'signs', signing_secret: 'a signing secret of the tests' } },
    });
    assert.equal(created.status, 200, created.text);
    assert.deepEqual(await refused('tly_test_1_unknown'), [401, 'unauthenticated', undefined]);
    assert.deepEqual(await refused('client'), [403, 'forbidden', undefined]);
    assert.deepEqual(await refused(created.json.data.key), [403, 'forbidden', undefined]);
    assert.deepEqual(await refused('network', { 'X-Signature': 'x' }), [400, 'validation_failed', 'X-Signature']);
    assert.deepEqual(await refused('network', { 'Idempotency-Key': 'x' }), [
      400,
      'validation_failed',
      'Idempotency-Key',
    ]);
    assert.deepEqual(await refused('network', { 'Content-Type': 'application/json' }), [
      415,
      'unsupported_media_type',
      undefined,
    ]);
    assert.deepEqual(await refused('network', { 'Content-Encoding': 'gzip' }), [
      415,
      'unsupported_media_type',
      undefined,
    ]);
    assert.equal((await service.send('GET', '/network/v1/messages', { key: 'network' })).status, 405);
  });

  it('has one log line, with the lines by status, and counts its decisions', async (t) => {
    const service = await startService(t);
    const { card_number } = await issue(service);
    const messages = openMessages(service);
    messages.write(`${lineOf('authorization', authorization(card_number))}{}\n`);
    messages.write(lineOf('authorization', authorization('5454545400000000')));
    messages.end();
    await messages.ended;
    await until(() => service.log().includes('/network/v1/messages'));
    const logged = service
      .log()
      .split('\n')
      .filter((line) => line.includes('"/network/v1/messages"'));
    assert.equal(logged.length, 1);
    const { lines, status, key_id } = JSON.parse(logged[0]!);
    assert.deepEqual([lines, status, key_id], [{ 200: 2, 400: 1 }, 200, 'sandbox:network']);
    const metrics = (await service.send('GET', '/metrics', { key: null })).text;
    assert.match(metrics, /tallystick_authorization_decisions_total\{code="V"\} 1\n/);
    assert.match(metrics, /tallystick_authorization_decisions_total\{code="I"\} 1\n/);
    assert.match(
      metrics,
      /request_duration_seconds_count\{method="POST",route="\/network\/v1\/messages",status="200"\} 1\n/,
    );
  });

  it('takes no more lines than its share of the places, and leaves some to single messages', async (t) => {
    const { service, passes, release } = await startHeld(t, {}, { requests_max: 9 });
    const { card_number } = await issue(service);
    const messages = openMessages(service);
    for (let line = 0; line < 50; line += 1) messages.write(lineOf('authorization', authorization(card_number)));
    messages.end();
    await until(() => passes.length === 1);
    const alone = [0, 1, 2, 3].map(() =>
      service.send('POST', '/network/v1/authorizations', { key: 'network', body: authorization(card_number) }),
    );
    await until(async () => {
      const { text } = await service.send('GET', '/metrics', { key: null });
      return /^tallystick_http_requests_in_flight 6$/m.test(text);
    });
    const refused = await service.send('POST', '/network/v1/authorizations', {
      key: 'network',
      body: authorization(card_number),
    });
    assert.deepEqual([refused.status, refused.json.data.response_code], [503, '96']);
    release();
    assert.deepEqual(new Set((await Promise.all(alone)).map(({ status }) => status)), new Set([200]));
    assert.deepEqual(new Set((await messages.ended).map(({ status }) => status)), new Set([200]));
    assert.equal(messages.answers.length, 50);
    assert.ok(passes.every((count) => count <= 9));
  });

  it('leaves places to single messages, however many other requests send lines', async (t) => {
    const { service, release } = await startHeld(t, {}, { requests_max: 128 });
    const { card_number } = await issue(service);
    const requests = Array.from({ length: 8 }, () => openMessages(service));
    for (const messages of requests) {
      const lines = Array.from({ length: 200 }, () => lineOf('authorization', authorization(card_number)));
      messages.write(`no message\n${lines.join('')}`);
      messages.end();
      await until(() => messages.answers.length === 1);
    }
    const alone = Array.from({ length: 16 }, () =>
      service.send('POST', '/network/v1/authorizations', { key: 'network', body: authorization(card_number) }),
    );
    await until(async () => {
      const { text } = await service.send('GET', '/metrics', { key: null });
      return /^tallystick_http_requests_in_flight 25$/m.test(text);
    });
    release();
    assert.deepEqual(new Set((await Promise.all(alone)).map(({ status }) => status)), new Set([200]));
    for (const messages of requests) {
      const [refused, ...decided] = byLine(await messages.ended);
      assert.equal(refused?.status, 400);
      assert.equal(decided.length, 200);
      assert.deepEqual(new Set(decided.map(({ status }) => status)), new Set([200]));
    }
  });

  it('gets 503 for lines beyond the load, with the code U for authorizations', async (t) => {
    const { service, passes, release } = await startHeld(t, { queue_max: 1 });
    const { card_number, id } = await issue(service);
    const messages = openMessages(service);
    const line = lineOf('authorization', authorization(card_number));
    messages.write(line);
    await until(() => passes.length === 1);
    messages.write(lineOf('authorization', authorization(card_number)));
    messages.write(lineOf('authorization', authorization(card_number)) + lineOf('clearing', clearing(id, 'F1')));
    await until(() => messages.answers.length === 2);
    const [item, error] = byLine(messages.answers);
    assert.deepEqual([item?.line, item?.status, item?.retry_after_s, item?.code], [3, 503, 1, 'unable_to_process']);
    assert.deepEqual([item?.data.response_code, item?.data.id], ['96', null]);
    assert.deepEqual([error?.line, error?.status, error?.retry_after_s, error?.code], [4, 503, 1, 'unavailable']);
    release();
    messages.end();
    assert.equal((await messages.ended).length, 4);
  });

  it('is not a way around the rate limit: each line counts', async (t) => {
    const service = await startService(t, 'sqlite', (ports) => ({ ...ports, rate_limit_per_minute: 4 }));
    const { card_number } = await issue(service);
    const messages = openMessages(service);
    for (let line = 0; line < 5; line += 1) messages.write(lineOf('authorization', authorization(card_number)));
    messages.end();
    const answers = byLine(await messages.ended);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 429, 429],
    );
    assert.ok((answers[3]?.retry_after_s ?? 0) >= 1);
  });

  it('ends when its key is revoked: lines that come after are refused', async (t) => {
    const service = await startService(t);
    const { card_number, id } = await issue(service);
    const { json } = await service.send('POST', '/operator/v1/keys', {
      key: 'operator',
      body: { data: { role: 'network', name: 'to be revoked' } },
    });
    const messages = openMessages(service, json.data.key);
    messages.write(lineOf('authorization', authorization(card_number)));
    await until(() => messages.answers.length === 1);
    assert.equal((await service.send('DELETE', `/operator/v1/keys/${json.data.id}`, { key: 'operator' })).status, 204);
    const line = lineOf('authorization', authorization(card_number));
    messages.write(line + line);
    const answers = byLine(await messages.ended);
    assert.deepEqual(
      answers.map(({ status, code }) => [status, code]),
      [
        [200, undefined],
        [401, 'unauthenticated'],
        [401, 'unauthenticated'],
      ],
    );
    const recorded = await service.send('GET', `/v1/virtualcards/${id}/authorizations`);
    assert.equal(recorded.json.data.length, 1);
  });

  it('takes no line once the service stops, also of those that have arrived', async (t) => {
    const gates = [Promise.resolve()];
    const reached: number[] = [];
    const service = await startService(t, 'sqlite', (ports) => ({
      ...ports,
      sandbox: {
        ...ports.sandbox!,
        async refreshClock() {
          reached.push(1);
          await gates.at(-1);
        },
      },
    }));
    const { card_number } = await issue(service);
    const messages = openMessages(service);
    messages.write(lineOf('authorization', authorization(card_number)));
    await until(() => messages.answers.length === 1);
    const gate = Promise.withResolvers<void>();
    gates.push(gate.promise);
    const before = reached.length;
    messages.write(lineOf('authorization', authorization(card_number)));
    await until(() => reached.length > before);
    service.lifecycle.stop();
    gate.resolve();
    const [first, second] = await messages.ended;
    assert.deepEqual([first?.status, second?.status, second?.data.response_code], [200, 503, '96']);
  });

  it('ends when the service stops: what was taken is answered', async (t) => {
    const { service, passes, release } = await startHeld(t, {}, { requests_max: 1 });
    const { card_number } = await issue(service);
    const messages = openMessages(service);
    messages.write(lineOf('authorization', authorization(card_number)));
    await until(() => passes.length === 1);
    messages.write(lineOf('authorization', authorization(card_number)).repeat(2));
    await messages.head;
    // The two lines have arrived, and wait for a place.
    await new Promise((resolve) => connect(Number(new URL(service.url).port), '127.0.0.1', () => resolve(undefined)));
    service.lifecycle.stop();
    await until(() => messages.answers.length === 2);
    assert.deepEqual(
      messages.answers.map(({ line, status, data }) => [line, status, data.response_code]),
      [
        [2, 503, '96'],
        [3, 503, '96'],
      ],
    );
    release();
    assert.deepEqual(
      (await messages.ended).slice(2).map(({ line, status }) => [line, status]),
      [[1, 200]],
    );
    await until(() => service.lifecycle.in_flight === 0);
  });
});
