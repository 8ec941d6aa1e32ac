import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { propertyParameters, sandbox_keys } from '@tallystick/test-support';
import fc from 'fast-check';
import { authorization, type Service, startService } from './service.ts';

/** A request of the card network, without its path. */
interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Received {
  readonly status: number | undefined;
  readonly headers: readonly string[];
  readonly text: string;
}

/** Sends a request to exactly this target, in one piece or with its body in two. */
async function send({ url }: Service, target: string, { headers, body }: Sent, in_pieces: boolean): Promise<Received> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const length = Buffer.byteLength(body);
    const sent = request(
      { hostname, port, path: target, method: 'POST', headers: { ...headers, 'content-length': length } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () => {
          const shown = answer.rawHeaders.filter((_, at) => answer.rawHeaders[at - (at % 2)] !== 'Date');
          resolve({ status: answer.statusCode, headers: shown, text });
        });
      },
    );
    sent.on('error', reject);
    if (!in_pieces || length < 2) return void sent.end(body);
    sent.flushHeaders();
    setImmediate(() => {
      sent.write(body.slice(0, 1));
      setImmediate(() => sent.end(body.slice(1)));
    });
  });
}

const odd = fc.oneof(
  fc.constantFrom(null, '', '0', -1, 0, 1.5, 1e13, true, [], {}, 'USD', '2030-01-01', '4111111111111111', '\u{1F600}'),
  fc.string({ maxLength: 300 }),
);

function bodyOf(card_number: string) {
  const { data } = authorization(card_number) as { readonly data: Record<string, unknown> };
  const clearing = {
    card_number,
    network_financial_transaction_id: 'N-1',
    billing_amount: 100,
    billing_currency: 'USD',
    clearing_type: 'DEBIT',
    settlement_date: '2030-03-15',
  };
  const names = [...new Set([...Object.keys(data), ...Object.keys(clearing)]), 'cvc', 'expiry', 'x', '__proto__'];
  const changed = fc
    .tuple(
      fc.constantFrom(data, clearing),
      fc.array(fc.tuple(fc.constantFrom(...names), fc.option(odd, { nil: undefined })), { maxLength: 2 }),
      fc.string({ minLength: 1, maxLength: 20 }),
    )
    .map(([base, changes, id]) =>
      JSON.stringify({
        data: { ...base, trace_id: id, network_financial_transaction_id: id, ...Object.fromEntries(changes) },
      }),
    );
  const other = fc.oneof(
    odd.map((value) => JSON.stringify({ data: value })),
    odd.map((value) => JSON.stringify(value)),
    fc.constantFrom(
      '',
      '{',
      '{"data":{}}',
      '{"data":{"trace_id":"\\u0000"}}',
      `${'['.repeat(70)}`,
      `"${'x'.repeat(70_000)}"`,
    ),
  );
  return fc.oneof({ weight: 4, arbitrary: changed }, { weight: 1, arbitrary: other });
}

const headers = fc
  .record({
    authorization: fc.constantFrom(
      ...Array<string>(5).fill(`Bearer ${sandbox_keys.network}`),
      `Bearer ${sandbox_keys.client}`,
      'Bearer tly_test_1_x',
      'Basic x',
    ),
    'content-type': fc.constantFrom(
      ...Array<string>(5).fill('application/json'),
      'application/json; charset=utf-8',
      'text/plain',
    ),
    prefer: fc.constantFrom('', 'return-minimal', 'respond-async'),
  })
  .map(({ prefer, ...others }) => ({ ...others, ...(prefer === '' ? {} : { prefer }), 'x-request-id': 'same' }));

describe('a message of the network', () => {
  it('has the same answer byte for byte with Koa in between, where a query brings it, and without', async (t) => {
    const service = await startService(t);
    const body = { data: { total_card_amount: 1_000_000 }, show_card_number: true };
    const { card_number } = (await service.send('POST', '/v1/virtualcards', { body })).json.data;
    const path = fc.constantFrom('/network/v1/authorizations', '/network/v1/clearings');
    const seen = new Set<number | undefined>();
    await fc.assert(
      fc.asyncProperty(path, headers, bodyOf(card_number), fc.boolean(), async (path, headers, body, in_pieces) => {
        // The same message again has the same answer.
        const direct = await send(service, path, { headers, body }, in_pieces);
        const through_koa = await send(service, `${path}?unknown=1`, { headers, body }, false);
        seen.add(direct.status);
        assert.deepEqual(direct, through_koa);
      }),
      propertyParameters({ short: 200, full: 2_000 }),
    );
    assert.ok(
      [200, 400, 401, 403, 415].every((status) => seen.has(status)),
      [...seen].join(' '),
    );
    assert.ok(!service.log().includes('request failed'));
  });

  it('is refused without the header Host, which HTTP/1.1 requires', async (t) => {
    const service = await startService(t);
    const { port } = new URL(service.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('POST /network/v1/authorizations HTTP/1.1\r\nContent-Length: 0\r\n\r\n');
    let answer = '';
    for await (const chunk of socket.setEncoding('utf8')) answer += chunk;
    assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*"code":"malformed_request"/);
  });

  it('is refused when its body has no room', async (t) => {
    const service = await startService(t, 'sqlite', (ports) => ({ ...ports, bodies_bytes_max: 256 }));
    const headers = { authorization: `Bearer ${sandbox_keys.network}`, 'content-type': 'application/json' };
    const body = JSON.stringify(authorization('4111111111111111'));
    for (const in_pieces of [false, true]) {
      const { status, text } = await send(service, '/network/v1/authorizations', { headers, body }, in_pieces);
      assert.deepEqual([status, JSON.parse(text).data.decline_reason], [503, 'U']);
    }
  });
});
