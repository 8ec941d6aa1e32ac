import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type LookupFunction } from 'node:net';
import { after, test } from 'node:test';
import type { WebhookAnswer, WebhookSender } from '@tallystick/events';
import { loopbackCertificate, refusing_port, tlsReceiver } from '@tallystick/test-support';
import { addressGuard, loopback_networks, type WebhookClientPorts, webhookClient } from '../src/index.ts';
import { findUrlProblem } from '../src/url-policy.ts';

const { cert } = await loopbackCertificate();
const loopback = ['127.0.0.0/8', '::1/128'];
const open: WebhookSender[] = [];
after(() => Promise.all(open.map((client) => client.close())));

function client(options: Partial<WebhookClientPorts> & { readonly allowed?: readonly string[] } = {}): WebhookSender {
  const { allowed = loopback, ...rest } = options;
  const explained = addressGuard(loopback);
  const made = webhookClient({
    guard: addressGuard(allowed),
    extra_authorities: [cert],
    explained,
    refusal_ms: 1,
    ...rest,
  });
  open.push(made);
  return made;
}

function request(callback_url: string) {
  return { callback_url, headers: { 'content-type': 'application/json', 'x-timestamp': '1' }, body: '{"data":{}}' };
}

function errorOf(answer: WebhookAnswer): string {
  return answer.kind === 'unanswered' ? answer.error : `answered ${answer.status}`;
}

/** A resolver that returns each list of addresses in turn, and then always the last. */
function resolver(...answers: readonly (readonly string[])[]): LookupFunction & { calls: number } {
  const resolve: LookupFunction = (_hostname, _options, callback) => {
    const addresses = answers[Math.min(counted.calls, answers.length - 1)]!;
    counted.calls += 1;
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  const counted = Object.assign(resolve, { calls: 0 });
  return counted;
}

test('posts the body and the headers unchanged and returns the answer', async () => {
  await using receiver = await disposable(
    await tlsReceiver((_, response) => response.writeHead(201, { 'retry-after': '7' }).end('thanks')),
  );
  const answer = await client().send(request(`${receiver.origin}/hook?a=1`));
  assert.equal(answer.kind, 'answered');
  assert.equal(answer.kind === 'answered' && answer.status, 201);
  assert.equal(answer.kind === 'answered' && answer.excerpt, 'thanks');
  assert.equal(answer.kind === 'answered' && answer.retry_after, '7');
  assert.equal(receiver.received[0]?.path, '/hook?a=1');
  assert.equal(receiver.received[0]?.body, '{"data":{}}');
  assert.equal(receiver.received[0]?.headers['x-timestamp'], '1');
});

test('takes nothing from an interim answer', async () => {
  await using receiver = await disposable(
    await tlsReceiver((_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload', 'retry-after': '7' });
      response.writeHead(200).end();
    }),
  );
  const answer = await client().send(request(receiver.origin));
  assert.equal(errorOf(answer), 'answered 200');
  assert.equal(answer.kind === 'answered' && answer.retry_after, null);
});

test('reuses connections: twenty requests in a row need at most two', async () => {
  await using receiver = await disposable(await tlsReceiver());
  const sender = client();
  for (let sent = 0; sent < 20; sent += 1)
    assert.equal(errorOf(await sender.send(request(receiver.origin))), 'answered 200');
  assert.ok(receiver.connections() <= 2, String(receiver.connections()));
});

test('keeps 4 KiB of a long answer and closes the connection of an endless one', async () => {
  await using receiver = await disposable(
    await tlsReceiver((_, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', write);
      write();
    }),
  );
  const answer = await client().send(request(receiver.origin));
  assert.equal(answer.kind === 'answered' && answer.excerpt.length, 4_096);
});

test('does not follow a redirect', async () => {
  await using target = await disposable(await tlsReceiver());
  await using receiver = await disposable(
    await tlsReceiver((_, response) => response.writeHead(307, { location: target.origin }).end()),
  );
  assert.equal(errorOf(await client().send(request(receiver.origin))), 'answered 307');
  assert.equal(target.received.length, 0);
});

test('gives up on an endpoint that does not answer, and on one that answers byte by byte', async () => {
  await using silent = await disposable(await tlsReceiver(() => {}));
  await using dripping = await disposable(
    await tlsReceiver((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    }),
  );
  for (const receiver of [silent, dripping]) {
    const answer = await client({ request_time_ms: 300 }).send(request(receiver.origin));
    assert.equal(errorOf(answer), 'timeout');
  }
});

test('ends in time while the name is being resolved, and sends nothing afterwards', async () => {
  await using receiver = await disposable(await tlsReceiver());
  const asked = Promise.withResolvers<() => void>();
  const lookup: LookupFunction = (_hostname, _options, callback) =>
    asked.resolve(() => callback(null, [{ address: '127.0.0.1', family: 4 }]));
  const guard = addressGuard(loopback);
  const sender = webhookClient({ guard, extra_authorities: [cert], request_time_ms: 300, lookup });
  const answer = await sender.send(request(`https://hooks.test:${receiver.port}/`));
  assert.equal(errorOf(answer), 'timeout');
  (await asked.promise)();
  await sender.close();
  assert.equal(receiver.received.length, 0);
});

test('does not delay other endpoints of an origin with a slow one', async () => {
  const slow_count = 32;
  const all_slow = Promise.withResolvers<void>();
  const held: (() => void)[] = [];
  await using receiver = await disposable(
    await tlsReceiver(({ path }, response) => {
      if (path !== '/slow') response.end();
      else if (held.push(() => response.end()) === slow_count) all_slow.resolve();
    }),
  );
  const sender = client();
  const slow = Array.from({ length: slow_count }, () => sender.send(request(`${receiver.origin}/slow`)));
  await Promise.race([all_slow.promise, Promise.all(slow)]);
  assert.equal(held.length, slow_count, 'none waits for another before it is sent');
  assert.equal(errorOf(await sender.send(request(`${receiver.origin}/fast`))), 'answered 200');
  for (const answer of held) answer();
  assert.deepEqual(new Set((await Promise.all(slow)).map(errorOf)), new Set(['answered 200']));
});

test('does not trust a certificate of an unknown authority', async () => {
  await using receiver = await disposable(await tlsReceiver());
  const sender = webhookClient({ guard: addressGuard(loopback), explained: addressGuard(loopback) });
  open.push(sender);
  assert.equal(errorOf(await sender.send(request(receiver.origin))), 'tls_failed');
  assert.equal(receiver.received.length, 0);
});

test('reports a refused or reset connection as failed', async () => {
  const nobody = `https://127.0.0.1:${refusing_port}`;
  assert.equal(errorOf(await client().send(request(nobody))), 'connection_failed');
  await using resetting = await disposable(await tlsReceiver((_request, _response, socket) => socket.destroy()));
  assert.equal(errorOf(await client().send(request(resetting.origin))), 'connection_failed');
});

test('trusts any certificate on loopback if configured so, and nowhere else', async () => {
  await using receiver = await disposable(await tlsReceiver());
  const sender = webhookClient({
    guard: addressGuard(loopback),
    trusts_loopback: true,
    explained: addressGuard(loopback),
    lookup: resolver(['127.0.0.1']),
  });
  open.push(sender);
  assert.equal(errorOf(await sender.send(request(receiver.origin))), 'answered 200');
  assert.equal(errorOf(await sender.send(request(`https://localhost:${receiver.port}/`))), 'answered 200');
  assert.equal(errorOf(await sender.send(request(`https://hooks.test:${receiver.port}/`))), 'tls_failed');
});

const tricks: readonly string[] = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://127.0.0.1./',
  'https://0/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[0:0:0:0:0:ffff:127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[fe80::1]/',
  'https://[fd00:ec2::254]/',
  'https://169.254.169.254/latest/meta-data/',
  'https://2852039166/',
  'https://0xa9fea9fe/',
  'https://10.0.0.1/',
  'https://192.168.1.1/',
  'https://100.64.0.1/',
  'https://１２７.０.０.１/',
  'https://①②⑦.0.0.1/',
];

for (const url of tricks) {
  test(`refuses to connect to ${url}`, async () => {
    assert.equal(errorOf(await client({ allowed: [] }).send(request(url))), 'address_refused');
  });
}

for (const url of [
  'http://example.com/',
  'ftp://example.com/',
  'https://user:secret@example.com/',
  'https://',
  'not a url',
  'file:///etc/passwd',
  'https://@example.com/',
  'https://:@example.com/',
  'https://example.com/#',
  'https:example.com',
  'https:///example.com',
  'https:\\\\example.com',
  'https://example.com\\@internal.example/',
  ' https://example.com/',
  'https://example.com/\n',
  'https://example.com/a\tb',
  'https://example.com/a b',
]) {
  test(`refuses a URL that is not plain https: ${url}`, async () => {
    assert.equal(errorOf(await client({ allowed: [] }).send(request(url))), 'url_refused');
  });
}

test('accepts a valid callback URL with upper case, a port, an @ in the path, letters of any script', () => {
  const guard = addressGuard();
  for (const url of ['HTTPS://Example.com', 'https://example.com:8443/a/@me?to=x@y', 'https://bücher.example/ä?ü=1'])
    assert.equal(findUrlProblem(url, guard), null, url);
});

const resolutions: readonly (readonly string[])[] = [
  ['127.0.0.1'],
  ['::1'],
  ['10.1.2.3'],
  ['169.254.169.254'],
  ['::ffff:127.0.0.1'],
  ['64:ff9b::7f00:1'],
  ['8.8.8.8', '127.0.0.1'],
  ['2606:4700::1111', 'fe80::1'],
  ['100.100.100.200'],
  [],
];

for (const addresses of resolutions) {
  test(`refuses a name that resolves to ${addresses.join(' and ') || 'nothing'}`, async () => {
    const sender = client({ allowed: [], lookup: resolver(addresses) });
    const answer = await sender.send(request('https://hooks.test/'));
    assert.equal(errorOf(answer), 'address_refused');
    const detail = answer.kind === 'unanswered' ? answer.detail : '';
    assert.ok(
      !addresses.some((address) => detail.includes(address)),
      'the answer does not reveal the addresses of a name',
    );
  });
}

test('says the same of a name that does not exist and of one that resolves to a refused address', async () => {
  const unknown: LookupFunction = (_hostname, _options, callback) =>
    callback(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), '');
  const refusal_ms = 50;
  const answers: WebhookAnswer[] = [];
  for (const lookup of [unknown, ...resolutions.map((addresses) => resolver(addresses))]) {
    answers.push(await client({ allowed: [], lookup, refusal_ms }).send(request('https://hooks.test/')));
  }
  const error = 'address_refused';
  const detail = 'hooks.test has no address that may be called';
  for (const { duration_ms, ...answer } of answers) {
    assert.deepEqual(answer, { kind: 'unanswered', error, detail });
    assert(duration_ms >= refusal_ms - 1, 'the time shows how the name was resolved');
  }
});

test('says the same of every port of a private network that takes no TLS connection', async (t) => {
  const plain = createServer((socket) => socket.end('-ERR unknown command\r\n'));
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  t.after(() => plain.close());
  await using receiver = await disposable(await tlsReceiver());
  const open_port = (plain.address() as AddressInfo).port;
  for (const host of ['127.0.0.1', 'hooks.test']) {
    const sender = client({ explained: addressGuard(), extra_authorities: [], lookup: resolver(['127.0.0.1']) });
    for (const port of [refusing_port, open_port, receiver.port]) {
      const { duration_ms: _, ...answer } = await sender.send(request(`https://${host}:${port}/`));
      const expected = { kind: 'unanswered', error: 'connection_failed', detail: 'no connection was made' };
      assert.deepEqual(answer, expected, `${host}, port ${port}`);
    }
  }
});

test('connects to the checked address, even if the name resolves differently the second time', async () => {
  await using receiver = await disposable(await tlsReceiver());
  const lookup = resolver(['127.0.0.1'], ['10.0.0.1']);
  const answer = await client({ lookup }).send(request(`https://hooks.test:${receiver.port}/`));
  assert.equal(errorOf(answer), 'answered 200');
  assert.equal(lookup.calls, 1);
});

test('checks again at each connection: refuses a name that moves to a refused address', async () => {
  await using receiver = await disposable(
    await tlsReceiver((_, response) => response.writeHead(200, { connection: 'close' }).end()),
  );
  const sender = client({ allowed: ['127.0.0.1/32'], lookup: resolver(['127.0.0.1'], ['127.0.0.2']) });
  const url = `https://hooks.test:${receiver.port}/`;
  assert.equal(errorOf(await sender.send(request(url))), 'answered 200');
  assert.equal(errorOf(await sender.send(request(url))), 'address_refused');
  assert.equal(receiver.received.length, 1);
});

async function disposable<T extends { close(): Promise<void> }>(value: T): Promise<T & AsyncDisposable> {
  return Object.assign(value, { [Symbol.asyncDispose]: () => value.close() });
}

test('closes an idle connection before a receiver without a stated time closes it after five seconds', async () => {
  const ended = Promise.withResolvers<number>();
  const receiver = await tlsReceiver((_, response, socket) => {
    const answered_ms = performance.now();
    socket.once('end', () => ended.resolve(performance.now() - answered_ms));
    // If the receiver itself sets the header, Node's server does not state how long it keeps the
    // connection.
    response.setHeader('Connection', 'keep-alive').end();
  });
  const { cert } = await loopbackCertificate();
  const sender = webhookClient({ guard: addressGuard(loopback_networks), extra_authorities: [cert] });
  try {
    const answer = await sender.send({ callback_url: receiver.origin, headers: {}, body: '{}' });
    assert.equal(answer.kind === 'answered' && answer.status, 200);
    const deadline = AbortSignal.timeout(4_900);
    deadline.addEventListener('abort', () => ended.reject(new Error('the connection is still open after 4.9 s')));
    assert.ok((await ended.promise) > 1_000, 'it stays open for deliveries that follow soon');
  } finally {
    await sender.close();
    await receiver.close();
  }
});
