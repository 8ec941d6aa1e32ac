import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { createNetwork, type Ledger } from '@tallystick/cards';
import { authorization, type Service, startService } from './service.ts';

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

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
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

describe('any request while too many are in progress', () => {
  it('is refused with 503 and Retry-After, and health and metrics answer', async (t) => {
    const { service, authorize, begun, release } = await startHeld(t, { requests_max: 1 });
    const running = authorize();
    await until(() => begun() === 1);
    const refused = await service.send('GET', cards);
    assert.deepEqual([refused.status, refused.json.code], [503, 'unavailable']);
    assert.equal(refused.headers.get('retry-after'), '1');
    const authorization_refused = await authorize();
    assert.equal(authorization_refused.status, 503);
    assert.equal(authorization_refused.json.data.response_code, '96');
    assert.equal((await service.send('GET', '/healthz', { key: null })).status, 200);
    assert.equal(await metric(service, /^tallystick_http_requests_refused_total (\d+)$/m), '2');
    release();
    assert.equal((await running).status, 200);
    assert.equal((await service.send('GET', cards)).status, 200);
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
