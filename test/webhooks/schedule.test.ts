import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import { type Received, type TlsReceiver, tlsReceiver } from '@tallystick/test-support';
import { verifyDelivery, verifyStandardWebhook } from '@tallystick/webhook-signature';
import { Webhook } from 'standardwebhooks';
import { Company, moveClock, type OwnWebhook, type ShownDelivery } from './company.ts';
import { type Arrangement, both_queues, type Installation } from './installation.ts';

const start_ms = Date.UTC(2099, 2, 15, 10);
const minute_ms = 60_000;

/**
 * When attempts are due, and the last millisecond before each of them; then a day without further
 * attempts.
 */
const walk_ms = [10, 28, 78, 108].flatMap((minutes) => [minutes * minute_ms - 1, minutes * minute_ms]);
const moments_ms = [0, ...walk_ms, 24 * 60 * minute_ms];

/** The answers of each endpoint, by the number of the call; null: it closes the connection. */
const endpoints = {
  unavailable: () => 503,
  refuses: () => 400,
  'not-found': () => 404,
  redirects: () => 302,
  'hangs-up': () => null,
  gone: () => 410,
  'gone-later': (call: number) => (call < 3 ? 500 : 410),
  'well-at-last': (call: number) => (call < 5 ? 500 : 204),
  well: () => 200,
  paused: () => 503,
} as const satisfies Record<string, (call: number) => number | null>;

type EndpointName = keyof typeof endpoints;
const names = Object.keys(endpoints) as EndpointName[];

/** Calls after each moment of the walk. */
const once = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
const five_times = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5];
const expected_calls: Readonly<Record<EndpointName, readonly number[]>> = {
  unavailable: five_times,
  refuses: five_times,
  'not-found': five_times,
  redirects: five_times,
  'hangs-up': five_times,
  gone: once,
  'gone-later': [1, 1, 2, 2, 3, 3, 3, 3, 3, 3],
  'well-at-last': five_times,
  well: once,
  // Inactive from the first attempt until just before 28 minutes: the second attempt is late, the
  // third is not.
  paused: [1, 1, 1, 2, 3, 3, 4, 4, 5, 5],
};

/**
 * A client of one endpoint with a separate company, because a company has one URL per event type.
 */
interface Subscriber {
  readonly company: Company;
  readonly webhook: OwnWebhook;
  readonly event_id: string;
}

interface Call extends Received {
  readonly machine_ms: number;
  /**
   * When the clock was last moved and all work due by then was done: later attempts began later.
   */
  readonly settled_machine_ms: number;
}

for (const arrangement of both_queues) describe(`the schedule on ${arrangement.name}`, () => rules(arrangement));

function rules(arrangement: Arrangement): void {
  let installation: Installation;
  let receiver: TlsReceiver;
  let url = '';
  let settled_machine_ms = 0;
  const calls = new Map<string, Call[]>();
  const subscribers = new Map<EndpointName, Subscriber>();
  /** Endpoints that answer 200 from now on. */
  const repaired = new Set<EndpointName>();
  /** Calls of each endpoint after each moment. */
  const counts = new Map<EndpointName, number[]>(names.map((name) => [name, []]));
  let undelivered_event_id = '';

  const callsOf = (name: string): readonly Call[] => calls.get(`/${name}`) ?? [];
  const subscriber = (name: EndpointName): Subscriber => subscribers.get(name)!;
  const deliveryOf = async (name: EndpointName): Promise<ShownDelivery> => {
    const { company, webhook } = subscriber(name);
    const deliveries = await company.deliveries(webhook);
    assert.equal(deliveries.length, 1);
    return deliveries[0]!;
  };
  const move = async (to_ms: number): Promise<void> => {
    await moveClock(url, { set: iso(to_ms) });
    settled_machine_ms = Date.now();
  };

  function answer(request: Received, response: ServerResponse, socket: Socket): void {
    const its = calls.get(request.path) ?? [];
    calls.set(request.path, [...its, { ...request, machine_ms: Date.now(), settled_machine_ms }]);
    const name = request.path.slice(1) as EndpointName;
    const status = repaired.has(name) ? 200 : (endpoints[name]?.(its.length + 1) ?? null);
    if (status === null) return void socket.destroy();
    response.writeHead(status, status === 302 ? { location: `${receiver.origin}/elsewhere` } : { 'retry-after': '1' });
    response.end(`this is ${request.path}`);
  }

  before(async () => {
    receiver = await tlsReceiver(answer);
    installation = await arrangement.install();
    url = installation.urls[0]!;
    await move(start_ms);
    for (const name of names) {
      const company = await Company.found(url, name);
      const webhook = await company.registers(`${receiver.origin}/${name}`);
      const event_id = await company.hears({ id: 7, status: 'returned', note: 'Grüße, 10 €, 😀 & </script>' });
      subscribers.set(name, { company, webhook, event_id });
    }
    for (const [place, after_ms] of moments_ms.entries()) {
      await move(start_ms + after_ms);
      const { company, webhook } = subscriber('paused');
      if (place === 0) {
        await company.ask('PATCH', `/v1/webhooks/${webhook.id}`, { status: 'inactive' });
        undelivered_event_id = await company.hears({ id: 8, status: 'returned' });
      }
      if (after_ms === 28 * minute_ms - 1) {
        await company.ask('PATCH', `/v1/webhooks/${webhook.id}`, { status: 'active' });
        await move(start_ms + after_ms);
      }
      for (const name of names) counts.get(name)?.push(callsOf(name).length);
    }
  });
  after(async () => {
    await installation?.stop();
    await receiver?.close();
  });

  for (const name of names) {
    it(`calls the endpoint "${name}" only at the times of the schedule`, async () => {
      assert.deepEqual(counts.get(name), expected_calls[name], installation.output());
      const { attempts } = await deliveryOf(name);
      const calls_made = expected_calls[name];
      const at = moments_ms.flatMap((after_ms, place) =>
        calls_made[place]! > (calls_made[place - 1] ?? 0) ? [iso(start_ms + after_ms)] : [],
      );
      assert.deepEqual(
        attempts.map((attempt) => attempt.at),
        at,
      );
      assert.deepEqual(
        attempts.map(({ number, status }) => [number, status]),
        at.map((_, place) => [place + 1, endpoints[name](place + 1)]),
      );
    });
  }

  it('follows no redirect', () => {
    assert.deepEqual(callsOf('elsewhere'), []);
  });

  it('ends with success on 2xx, and fails after the fifth attempt or on 410', async () => {
    const states = new Map<EndpointName, string>();
    for (const name of names) {
      const { state, next_attempt_at } = await deliveryOf(name);
      assert.equal(next_attempt_at, null);
      states.set(name, state);
    }
    const succeeded = new Set<EndpointName>(['well', 'well-at-last']);
    assert.deepEqual([...states], [...names.map((name) => [name, succeeded.has(name) ? 'succeeded' : 'failed'])]);
  });

  it('sends the same bytes at each attempt, and shows the same delivery', () => {
    for (const name of names) {
      const [first, ...others] = callsOf(name);
      for (const other of others) {
        assert.equal(other.body, first?.body);
        for (const header of ['webhook-id', 'x-webhook-sequence', 'content-type']) {
          assert.equal(other.headers[header], first?.headers[header], header);
        }
      }
    }
  });

  it('signs each attempt with the time of the attempt; the receiver package and the standardwebhooks library verify it', async () => {
    for (const name of names) {
      const { webhook } = subscriber(name);
      const library = new Webhook(webhook.secret);
      for (const { headers, body, machine_ms, settled_machine_ms: settled_ms } of callsOf(name)) {
        const { callback_url, secret } = webhook;
        const delivery = { headers, body };
        const signed = await verifyDelivery(delivery, { secrets: secret, callback_url });
        assert.ok(signed.verified, name);
        const elsewhere = await verifyDelivery(delivery, { secrets: secret, callback_url: `${callback_url}/` });
        assert.equal(elsewhere.verified ? null : elsewhere.reason, 'signature_mismatch');
        assert.ok((await verifyStandardWebhook(delivery, { secrets: secret })).verified, name);
        const verified = library.verify(body, headers as Record<string, string>);
        assert.deepEqual(verified, JSON.parse(body));
        const timestamp = Number(headers['x-timestamp']);
        assert.equal(headers['webhook-timestamp'], headers['x-timestamp']);
        assert.ok(timestamp >= Math.floor(settled_ms / 1_000), `${timestamp} is from before the attempt`);
        assert.ok(timestamp <= machine_ms / 1_000, `${timestamp} is not of the machine's time`);
      }
    }
  });

  it('queues no delivery for a webhook that was inactive at the time of the event', () => {
    const event_ids = callsOf('paused').map(({ body }) => String(JSON.parse(body).data['event-id']));
    assert.ok(!event_ids.includes(undelivered_event_id));
  });

  it('sends a failed delivery again on retry: the same event, number and body, in a new round', async () => {
    const { company, webhook, event_id } = subscriber('unavailable');
    const { id } = await deliveryOf('unavailable');
    const [first] = callsOf('unavailable');
    repaired.add('unavailable');
    await company.ask('POST', `/v1/webhooks/${webhook.id}/deliveries/${id}/retry`);
    await move(start_ms + 24 * 60 * minute_ms);
    const again = callsOf('unavailable').at(-1);
    assert.equal(callsOf('unavailable').length, 6);
    assert.equal(again?.body, first?.body);
    assert.equal(again?.headers['x-webhook-sequence'], first?.headers['x-webhook-sequence']);
    const delivery = await deliveryOf('unavailable');
    assert.equal(delivery.event_id, event_id);
    assert.equal(delivery.state, 'succeeded');
    assert.deepEqual(
      delivery.attempts.map(({ number, status }) => [number, status]),
      [
        [1, 503],
        [2, 503],
        [3, 503],
        [4, 503],
        [5, 503],
        [6, 200],
      ],
    );
  });

  it('also has five attempts in the new round, counted from the first of the round', async () => {
    const { company, webhook } = subscriber('refuses');
    const since = iso(start_ms);
    const { recovered } = await company.ask('POST', `/v1/webhooks/${webhook.id}/recover`, { since });
    assert.equal(recovered, 1);
    const again_ms = start_ms + 24 * 60 * minute_ms;
    await move(again_ms);
    for (const minutes of [10, 28, 78, 108, 500]) await move(again_ms + minutes * minute_ms);
    const { attempts, state } = await deliveryOf('refuses');
    assert.deepEqual(
      attempts.slice(5).map(({ at }) => at),
      [0, 10, 28, 78, 108].map((minutes) => iso(again_ms + minutes * minute_ms)),
    );
    assert.equal(state, 'failed');
  });
}

function iso(at_ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at_ms).toString({ fractionalSecondDigits: 3 });
}
