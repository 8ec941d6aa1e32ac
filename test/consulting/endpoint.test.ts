import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { after, test } from 'node:test';
import {
  type AuthorizationItem,
  askEndpoint,
  type ClientReply,
  type Consultation,
  type DecisionEndpoint,
  type DecisionPoster,
  type EndpointPorts,
  endpointDecisionMaker,
} from '@tallystick/cards';
import { firstSecret } from '@tallystick/events';
import { type Clock, machine_timers, money } from '@tallystick/kernel';
import {
  loopbackCertificate,
  refusing_port,
  type TlsReceiver,
  test_keys,
  tlsReceiver,
  until,
} from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';
import { addressGuard, type ConnectionPorts, decisionPoster, loopback_networks } from '@tallystick/webhook-client';
import { verifyDelivery } from '@tallystick/webhook-signature';

const { cert } = await loopbackCertificate();
const { sealer, random } = createVault(parseKeyRing(test_keys));
const secret = 'a secret of the endpoint';
const { secrets } = firstSecret({ sealer, random }, secret);
const clock: Clock = { nowMs: Date.now };
const hmac = (key: Uint8Array, message: Uint8Array) => createHmac('sha256', key).update(message).digest();

const open: DecisionPoster[] = [];
after(() => Promise.all(open.map((poster) => poster.close())));

function portsWith(options: Partial<ConnectionPorts> = {}): EndpointPorts {
  const guard = addressGuard(loopback_networks);
  const poster = decisionPoster({ guard, explained: guard, extra_authorities: [cert], refusal_ms: 1, ...options });
  open.push(poster);
  return { poster, sealer, hmac, clock, machine_clock: machine_timers };
}

const item = { id: null, vcn_id: 7, company_id: 3, card_number: '************0001', mcc: '5411' } as AuthorizationItem;

const consultation: Consultation = {
  id: 'dec_0123456789abcdef',
  company_id: 3,
  item,
  asked: money(5_000),
  currency: 'USD',
  partial_approval: true,
  asked_at_ms: Date.UTC(2030, 2, 15, 10),
  respond_by_ms: Date.UTC(2030, 2, 15, 10, 0, 1, 500),
};

function endpointAt(url: string): DecisionEndpoint {
  const settings = { timeout_ms: 1_500, stand_in: [], status: 'active' } as const;
  return { company_id: 3, url, ...settings, ...secrets, created_at_ms: 0 };
}

const shared = portsWith();

async function ask(url: string, ports = shared, signal = new AbortController().signal): Promise<ClientReply> {
  return (await askEndpoint(ports, endpointAt(url), consultation, signal)).reply;
}

/** A receiver that ends with the test. */
async function receiverOf(
  t: { after(cleanup: () => unknown): void },
  answer: Parameters<typeof tlsReceiver>[0],
): Promise<TlsReceiver> {
  const receiver = await tlsReceiver(answer);
  t.after(() => receiver.close());
  return receiver;
}

const json = { 'content-type': 'application/json' };

function decide(response: ServerResponse, answer: unknown = { decision: 'approve' }): void {
  response.writeHead(200, json).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
}

const approved: ClientReply = { kind: 'answered', answer: 'approve', amount: null, note: null };

test('a question is posted once, signed as a delivery of a webhook is', async (t) => {
  const receiver = await receiverOf(t, (_, response) => decide(response));
  const url = `${receiver.origin}/decide?a=1`;
  assert.deepEqual(await ask(url), approved);
  const [request, ...others] = receiver.received;
  assert(request !== undefined);
  assert.deepEqual(others, []);
  const verified = await verifyDelivery(request, { secrets: secret, callback_url: url });
  assert.deepEqual(verified.verified, true, JSON.stringify(verified));
  assert.equal(request.headers['webhook-id'], consultation.id);
  assert.equal(request.headers['x-webhook-sequence'], undefined);
  assert.deepEqual(JSON.parse(request.body), {
    data: {
      id: consultation.id,
      type: 'virtualcard.decision.requested',
      respond_by: '2030-03-15T10:00:01.500Z',
      company_id: 3,
      vcn_id: 7,
      amount: 5_000,
      currency: 'USD',
      partial_approval: true,
      test: false,
      authorization: item,
    },
  });
});

test('a test sends the same bytes as a question, except that it says so', async (t) => {
  const receiver = await receiverOf(t, (_, response) => decide(response));
  const { signal } = new AbortController();
  for (const is_test of [false, true]) {
    await askEndpoint(shared, endpointAt(receiver.origin), consultation, signal, { is_test });
  }
  const [question, trial] = receiver.received.map(({ body }) => body);
  assert.equal(trial, question?.replace('"test":false', '"test":true'));
});

test('an answer approves, declines or approves a part, with a note', async (t) => {
  let written: unknown;
  const receiver = await receiverOf(t, (_, response) => decide(response, written));
  const answerTo = async (answer: unknown) => {
    written = answer;
    return await ask(receiver.origin);
  };
  const answered = { kind: 'answered', amount: null, note: null };
  assert.deepEqual(await answerTo({ decision: 'approve', amount: null, note: null }), {
    ...answered,
    answer: 'approve',
  });
  assert.deepEqual(await answerTo({ decision: 'decline', note: 'card 4000 0000 0000 0002 is of a leaver' }), {
    ...answered,
    answer: 'decline',
    note: 'card ************0002 is of a leaver',
  });
  assert.deepEqual(await answerTo({ decision: 'approve_part', amount: 4_000 }), {
    ...answered,
    answer: 'approve_part',
    amount: 4_000,
  });
});

const garbage: Readonly<Record<string, { readonly answer: unknown; readonly note: RegExp }>> = {
  'no JSON': { answer: '{"decision":', note: /is not JSON/ },
  nothing: { answer: '', note: /is not JSON/ },
  'an array': { answer: [], note: /must be an object/ },
  null: { answer: 'null', note: /must be an object/ },
  'a text': { answer: '"approve"', note: /must be an object/ },
  'no decision': { answer: {}, note: /decision must be approve, decline, approve_part/ },
  'another decision': { answer: { decision: 'APPROVE' }, note: /decision must be/ },
  'the field misspelt': { answer: { decison: 'approve' }, note: /did you mean decision\?/ },
  'a field too many': { answer: { decision: 'approve', approved: false }, note: /is not a field of an answer/ },
  'a part without its amount': { answer: { decision: 'approve_part' }, note: /amount must be/ },
  'a part of nothing': { answer: { decision: 'approve_part', amount: 0 }, note: /amount must be/ },
  'a fraction': { answer: { decision: 'approve_part', amount: 1.5 }, note: /amount must be/ },
  'an amount as text': { answer: { decision: 'approve_part', amount: '100' }, note: /amount must be/ },
  'an amount with an approval': { answer: { decision: 'approve', amount: 100 }, note: /amount belongs to/ },
  'a note that is too long': { answer: { decision: 'decline', note: 'x'.repeat(501) }, note: /note must be/ },
  'a note that is no text': { answer: { decision: 'decline', note: 7 }, note: /note must be/ },
  'more than 16 KiB': { answer: { decision: 'approve', note: 'x'.repeat(20_000) }, note: /longer than 16384 bytes/ },
};

for (const [name, { answer, note }] of Object.entries(garbage)) {
  test(`an answer that is ${name} decides nothing, and the reason is kept`, async (t) => {
    const receiver = await receiverOf(t, (_, response) => decide(response, answer));
    const reply = await ask(receiver.origin);
    assert(reply.kind === 'failed');
    assert.equal(reply.why, 'garbage');
    assert.match(reply.note ?? '', note);
  });
}

test('an answer that is not declared as JSON decides nothing', async (t) => {
  const receiver = await receiverOf(t, (_, response) => response.end('{"decision":"approve"}'));
  assert.deepEqual(await ask(receiver.origin), {
    kind: 'failed',
    why: 'garbage',
    note: 'Content-Type must be application/json',
  });
});

test('an approval with a status other than 2xx decides nothing', async (t) => {
  for (const status of [400, 401, 404, 429, 500, 503]) {
    const receiver = await receiverOf(t, (_, response) =>
      response.writeHead(status, json).end('{"decision":"approve"}'),
    );
    assert.deepEqual(await ask(receiver.origin), { kind: 'failed', why: 'status', note: `the status is ${status}` });
  }
});

test('a redirect is not followed', async (t) => {
  const target = await receiverOf(t, (_, response) => decide(response));
  for (const status of [301, 302, 307, 308]) {
    const receiver = await receiverOf(t, (_, response) =>
      response.writeHead(status, { location: target.origin }).end(),
    );
    assert.deepEqual(await ask(receiver.origin), { kind: 'failed', why: 'status', note: `the status is ${status}` });
  }
  assert.deepEqual(target.received, []);
});

test('an endless answer is not read to its end', async (t) => {
  let written = 0;
  const receiver = await receiverOf(t, (_, response) => {
    response.writeHead(200, json);
    const write = (): void => {
      while (!response.destroyed && response.write('x'.repeat(16_384))) written += 16_384;
    };
    response.on('drain', write);
    write();
  });
  const reply = await ask(receiver.origin);
  assert(reply.kind === 'failed');
  assert.equal(reply.why, 'garbage');
  assert(written < 64 * 1_024 * 1_024, String(written));
});

test('an endpoint that hangs, and one that drips, are given up when the signal aborts, and their sockets close', async (t) => {
  const answers: readonly Parameters<typeof tlsReceiver>[0][] = [
    () => undefined,
    (_, response) => {
      response.writeHead(200, json);
      response.write('{');
    },
  ];
  for (const answer of answers) {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const { promise: received, resolve: receive } = Promise.withResolvers<void>();
    const receiver = await receiverOf(t, (request, response, socket) => {
      socket.once('close', () => resolve());
      answer?.(request, response, socket);
      receive();
    });
    const ending = new AbortController();
    const replying = ask(receiver.origin, shared, ending.signal);
    await received;
    ending.abort();
    assert.equal((await replying).kind === 'failed' && ((await replying) as { why: string }).why, 'timeout');
    await closed;
  }
});

test('a connection that is never made is closed, and none is left for each question', async (t) => {
  const closed: Promise<unknown>[] = [];
  const silent = createServer((socket) => {
    closed.push(
      once(
        socket.resume().on('error', () => undefined),
        'close',
      ),
    );
  }).listen(0, '127.0.0.1');
  t.after(() => silent.close());
  await once(silent, 'listening');
  const ending = new AbortController();
  const { port } = silent.address() as AddressInfo;
  const replying = Array.from({ length: 20 }, () => ask(`https://127.0.0.1:${port}/`, shared, ending.signal));
  await until(() => closed.length === 20);
  ending.abort();
  for (const reply of await Promise.all(replying)) {
    assert.match(JSON.stringify(reply), /"why":"timeout","note":"timeout: no answer within \d{1,4} ms"/);
  }
  await Promise.all(closed);
});

test('an answer that comes late is still the answer', async (t) => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<ServerResponse>();
  const receiver = await receiverOf(t, (_, response) => arrive(response));
  const replying = ask(receiver.origin);
  const response = await arrived;
  assert.equal(await Promise.race([replying, new Promise((resolve) => setImmediate(resolve, 'none'))]), 'none');
  decide(response, { decision: 'decline' });
  assert.deepEqual(await replying, { ...approved, answer: 'decline' });
});

test('a second answer on the same connection is not read as that to the next question', async (t) => {
  let count = 0;
  const receiver = await receiverOf(t, (_, response, socket) => {
    count += 1;
    if (count > 1) {
      decide(response, { decision: 'decline' });
      return;
    }
    const [first, second] = ['{"decision":"approve"}', '{"decision":"approve","note":"twice"}'];
    const head = (body: string) =>
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    socket.write(head(first) + first + head(second) + second);
  });
  assert.deepEqual(await ask(receiver.origin), approved);
  assert.deepEqual(await ask(receiver.origin), { ...approved, answer: 'decline' });
});

test('an endpoint that closes or resets the connection is unreachable', async (t) => {
  for (const end of ['close', 'reset'] as const) {
    const receiver: TlsReceiver = await receiverOf(t, (_, __, socket) => {
      if (end === 'close') socket.destroy();
      else receiver.reset(socket);
    });
    const reply = await ask(receiver.origin);
    assert(reply.kind === 'failed');
    assert.equal(reply.why, 'unreachable');
  }
});

test('a port where nothing listens, and one that speaks no TLS, are unreachable', async (t) => {
  const plain = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.destroySoon();
  }).listen(0, '127.0.0.1');
  t.after(() => plain.close());
  await once(plain, 'listening');
  for (const port of [(plain.address() as AddressInfo).port, refusing_port]) {
    const reply = await ask(`https://127.0.0.1:${port}/`);
    assert.equal(reply.kind === 'failed' && reply.why, 'unreachable');
  }
});

test('a certificate of an unknown authority is refused before anything is sent', async (t) => {
  const receiver = await receiverOf(t, (_, response) => decide(response));
  const reply = await ask(receiver.origin, portsWith({ extra_authorities: [] }));
  assert(reply.kind === 'failed');
  assert.equal(reply.why, 'unreachable');
  assert.match(reply.note ?? '', /^tls_failed: /);
  assert.deepEqual(receiver.received, []);
});

test('a private address, and a name that resolves to one, are not called', async (t) => {
  const receiver = await receiverOf(t, (_, response) => decide(response));
  const resolved: string[] = [];
  const ports = portsWith({
    guard: addressGuard([]),
    lookup: (hostname, _options, callback) => {
      resolved.push(hostname);
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    },
  });
  for (const url of [receiver.origin, `https://hooks.test:${receiver.port}/`]) {
    const reply = await ask(url, ports);
    assert(reply.kind === 'failed');
    assert.equal(reply.why, 'unreachable');
    assert.match(reply.note ?? '', /^address_refused: /);
  }
  assert.deepEqual(resolved, ['hooks.test']);
  assert.deepEqual(receiver.received, []);
});

test('questions in a row share connections', async (t) => {
  const receiver = await receiverOf(t, (_, response) => decide(response));
  const ports = portsWith();
  for (let asked = 0; asked < 20; asked += 1) assert.deepEqual(await ask(receiver.origin, ports), approved);
  assert(receiver.connections() <= 2, String(receiver.connections()));
});

test('a question waits for no other one, even at the same address', async (t) => {
  const receiver = await receiverOf(t, ({ path }, response) => {
    if (path === '/fast') decide(response);
  });
  const ending = new AbortController();
  const hanging: Promise<ClientReply>[] = [];
  while (hanging.length < 50) {
    hanging.push(ask(`${receiver.origin}/hangs`, shared, ending.signal));
    await until(() => receiver.received.length === hanging.length);
  }
  assert.deepEqual(await ask(`${receiver.origin}/fast`), approved);
  ending.abort();
  await Promise.all(hanging);
});

/** A decision maker of a company whose endpoint the test sets. */
function makerOf(find: () => Promise<DecisionEndpoint | null>) {
  const read = <Result>(work: (tx: never) => Promise<Result>): Promise<Result> =>
    work({ decision_endpoints: { find } } as never);
  const maker = endpointDecisionMaker(shared, { read, run: read } as never);
  return {
    ask: () => maker.ask(consultation, new AbortController().signal),
    urlOf: async (endpoint_version: number) =>
      ((await maker.termsOf({ company_id: 3, endpoint_version })) as DecisionEndpoint | null)?.url,
  };
}

test('a company without an endpoint, or with an inactive one, is not asked', async () => {
  for (const stored of [null, { ...endpointAt('https://127.0.0.1:1/'), status: 'inactive' } as const]) {
    const maker = makerOf(async () => stored);
    assert.equal(await maker.urlOf(1), undefined);
    assert.deepEqual(await maker.ask(), { kind: 'failed', why: 'removed', note: null });
  }
});

test('an endpoint is read once for each version that a pass saw', async () => {
  let url = 'https://127.0.0.1:1/';
  let reads = 0;
  const maker = makerOf(async () => {
    reads += 1;
    return endpointAt(url);
  });
  for (const _ of [1, 2, 3]) assert.equal(await maker.urlOf(1), 'https://127.0.0.1:1/');
  assert.equal(reads, 1);
  url = 'https://127.0.0.1:2/';
  assert.equal(await maker.urlOf(2), url);
  // A pass that saw the version before may end later.
  assert.equal(await maker.urlOf(1), url);
  assert.equal(reads, 2);
});

test('an endpoint that is read late does not take the place of a later one', async () => {
  const slow = Promise.withResolvers<DecisionEndpoint>();
  const answers = [slow.promise, Promise.resolve(endpointAt('https://127.0.0.1:2/'))];
  const maker = makerOf(() => answers.shift()!);
  const first = maker.urlOf(1);
  assert.equal(await maker.urlOf(2), 'https://127.0.0.1:2/');
  slow.resolve(endpointAt('https://127.0.0.1:1/'));
  assert.equal(await first, 'https://127.0.0.1:2/');
  assert.equal(await maker.urlOf(2), 'https://127.0.0.1:2/');
});
