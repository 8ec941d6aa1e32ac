import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { fixedClock, machine_timers } from '@tallystick/kernel';
import { type Service, startService } from './service.ts';

const secret = 'a signing secret of the tests';
/** Machine time in these tests, seconds. */
const machine_s = 1_900_000_000;

/** A service with a stopped machine clock, and a client's key whose requests must be signed. */
async function signedClient(t: TestContext): Promise<Service & { readonly key: string }> {
  const service = await startService(t, 'sqlite', (ports) => ({
    ...ports,
    timers: { ...machine_timers, ...fixedClock(machine_s * 1000) },
  }));
  const data = { role: 'client', name: 'signed', company_id: service.company_id, signing_secret: secret };
  const made = await service.send('POST', '/operator/v1/keys', { key: 'operator', body: { data } });
  assert.equal(made.json.data.signed, true, made.text);
  assert.ok(!made.text.includes(secret));
  return { ...service, key: made.json.data.key };
}

/** Computes the signature as the service specification defines it. */
function signed(method: string, target: string, body = '', timestamp = String(machine_s), with_secret = secret) {
  const [path, query = ''] = target.split('?');
  const signature = createHmac('sha256', with_secret)
    .update([timestamp, method, path, query, body].join('\n'))
    .digest('hex');
  return { 'X-Timestamp': timestamp, 'X-Signature': signature };
}

/** Computes the signature of version 2 as docs and OpenAPI document define it. */
function signedV2(method: string, path: string, headers: readonly [string, string], body: string) {
  const timestamp = String(machine_s);
  const signature = createHmac('sha256', secret)
    .update(['v2', timestamp, method, path, '', ...headers, body].join('\n'))
    .digest('hex');
  return { 'X-Timestamp': timestamp, 'X-Signature': signature, 'X-Signature-Version': '2' };
}

describe('a request that must be signed', () => {
  it('is accepted when timestamp, method, path, query and body are as signed', async (t) => {
    const { send, key } = await signedClient(t);
    const body = JSON.stringify({ data: { total_card_amount: 5 } });
    const made = await send('POST', '/v1/virtualcards', {
      key,
      body,
      headers: signed('POST', '/v1/virtualcards', body),
    });
    assert.equal(made.status, 200, made.text);
    const target = '/v1/events?filter[payload.mcc]=5734&page[limit]=1';
    assert.equal((await send('GET', target, { key, headers: signed('GET', encoded(target)) })).status, 200);
    assert.equal(
      (await send('DELETE', '/v1/virtualcards/1', { key, headers: signed('DELETE', '/v1/virtualcards/1') })).status,
      204,
    );
  });

  it('is accepted within 300 seconds of machine time, and not outside', async (t) => {
    const { send, key } = await signedClient(t);
    const at = (seconds: number) => signed('GET', '/v1/events', '', String(machine_s + seconds));
    for (const seconds of [-300, 300])
      assert.equal((await send('GET', '/v1/events', { key, headers: at(seconds) })).status, 200);
    for (const seconds of [-301, 301])
      assert.equal((await send('GET', '/v1/events', { key, headers: at(seconds) })).status, 401);
  });

  it('is compared with machine time when the clock of the sandbox moves', async (t) => {
    const service = await signedClient(t);
    service.setClock('2040-01-01T00:00:00Z');
    const headers = signed('GET', '/v1/events');
    assert.equal((await service.send('GET', '/v1/events', { key: service.key, headers })).status, 200);
  });

  it('is refused after any change, and has no effect', async (t) => {
    const service = await signedClient(t);
    const path = '/v1/virtualcards';
    const body = JSON.stringify({ data: { total_card_amount: 5 } });
    const right = signed('POST', path, body);
    const wrong: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      'no signature': {},
      'no timestamp': { 'X-Signature': right['X-Signature'] },
      'a timestamp in words': { ...right, 'X-Timestamp': 'now' },
      'another timestamp': { ...right, 'X-Timestamp': String(machine_s + 1) },
      'another method': signed('PUT', path, body),
      'another path': signed('POST', `${path}/`, body),
      'another query': signed('POST', `${path}?a=1`, body),
      'another body': signed('POST', path, `${body} `),
      'another secret': signed('POST', path, body, undefined, 'a signing secret of another'),
      'capital letters': { ...right, 'X-Signature': right['X-Signature'].toUpperCase() },
      'a short signature': { ...right, 'X-Signature': right['X-Signature'].slice(0, 63) },
      'no hex': { ...right, 'X-Signature': 'z'.repeat(64) },
      'an empty signature': { ...right, 'X-Signature': '' },
    };
    const stored = service.stored();
    for (const [name, headers] of Object.entries(wrong)) {
      const reply = await service.send('POST', path, { key: service.key, body, headers });
      assert.deepEqual([reply.status, reply.json.code], [401, 'unauthenticated'], name);
      assert.ok(!reply.text.includes(secret));
    }
    assert.equal(service.stored(), stored);
  });
});

describe('a request signed with version 2', () => {
  const path = '/v1/virtualcards';
  const body = JSON.stringify({ data: { total_card_amount: 5 } });
  const json = 'application/json';

  it('is accepted with the Content-Type and the Idempotency-Key that were signed, and repeated by its key', async (t) => {
    const { send, key } = await signedClient(t);
    const headers = { ...signedV2('POST', path, [json, 'order-1'], body), 'Idempotency-Key': 'order-1' };
    const first = await send('POST', path, { key, body, headers });
    assert.equal(first.status, 200, first.text);
    const again = await send('POST', path, { key, body, headers });
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true']);
    const plain = await send('POST', path, { key, body, headers: signedV2('POST', path, [json, ''], body) });
    assert.equal(plain.status, 200, plain.text);
  });

  it('is refused when either header is removed, changed or added, or the version is', async (t) => {
    const service = await signedClient(t);
    const right = signedV2('POST', path, [json, 'order-1'], body);
    const with_key = { ...right, 'Idempotency-Key': 'order-1' };
    const { 'X-Signature-Version': _version, ...stripped } = with_key;
    const wrong: Readonly<Record<string, { headers: Readonly<Record<string, string>>; sent?: string }>> = {
      'the key removed': { headers: right },
      'the key changed': { headers: { ...right, 'Idempotency-Key': 'order-2' } },
      'the key added': {
        headers: { ...signedV2('POST', path, [json, ''], body), 'Idempotency-Key': 'order-1' },
      },
      'another type': { headers: { ...with_key, 'Content-Type': 'application/json; charset=utf-8' } },
      'the version removed': { headers: stripped },
      'the version lowered': { headers: { ...with_key, 'X-Signature-Version': '1' } },
      'an unknown version': { headers: { ...with_key, 'X-Signature-Version': '3' } },
      'the version removed, its lines in the body': { headers: stripped, sent: `${json}\norder-1\n${body}` },
      'version 1 called version 2': { headers: { ...signed('POST', path, body), 'X-Signature-Version': '2' } },
    };
    const stored = service.stored();
    for (const [name, { headers, sent = body }] of Object.entries(wrong)) {
      const reply = await service.send('POST', path, { key: service.key, body: sent, headers });
      assert.deepEqual([reply.status, reply.json.code], [401, 'unauthenticated'], name);
    }
    assert.equal(service.stored(), stored);
  });

  it('cannot lose its key by a downgrade where the route ignores the body', async (t) => {
    const { send, key } = await signedClient(t);
    const made = await send('POST', path, { key, body, headers: signed('POST', path, body) });
    const target = `${path}/${made.json.data.id}`;
    const { 'X-Signature-Version': _version, ...stripped } = signedV2('DELETE', target, ['', ''], '');
    const reply = await send('DELETE', target, { key, body: '\n\n', headers: { ...stripped, 'Content-Type': '' } });
    assert.equal(reply.status, 401, reply.text);
  });
});

/** The target as fetch sends it. */
function encoded(target: string): string {
  const { pathname, search } = new URL(target, 'http://host');
  return pathname + search;
}
