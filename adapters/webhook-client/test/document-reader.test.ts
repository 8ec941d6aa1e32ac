import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type LookupFunction } from 'node:net';
import { after, test } from 'node:test';
import { tlsReceiver } from '@tallystick/test-support';
import { addressGuard, type DocumentReader, type DocumentReaderPorts, documentReader } from '../src/index.ts';

const loopback = addressGuard(['127.0.0.0/8']);
const open: { close(): Promise<unknown> }[] = [];
after(() => Promise.all(open.map((part) => part.close())));

const receiver = await tlsReceiver(({ path }, response) => answers[path]?.(response));
open.push(receiver);

type Answer = Parameters<NonNullable<Parameters<typeof tlsReceiver>[0]>>[1];
const answers: Readonly<Record<string, (response: Answer) => unknown>> = {
  '/keys?a=1': (response) => response.end('{"keys":[]}'),
  '/moved': (response) => response.writeHead(302, { location: '/keys?a=1' }).end(),
  '/missing': (response) => response.writeHead(404).end(),
  '/long': (response) => response.end(' '.repeat(65_537)),
  '/silent': () => undefined,
  '/dripping': (response) => {
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  },
};

function reader(options: Partial<DocumentReaderPorts> = {}): DocumentReader {
  const extra_authorities = [receiver.certificate.cert];
  const made = documentReader({ guard: loopback, explained: loopback, extra_authorities, refusal_ms: 1, ...options });
  open.push(made);
  return made;
}

/** Resolves every name to these addresses, the first time, and to loopback afterwards. */
function resolvingTo(...first: readonly string[]): LookupFunction {
  let addresses = first;
  return (_name, _options, callback) => {
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
    addresses = ['127.0.0.1'];
  };
}

test('reads a document', async () => {
  assert.equal(String(Buffer.from(await reader().read(`${receiver.origin}/keys?a=1`))), '{"keys":[]}');
});

for (const [path, reason] of [
  ['/moved', /the status 302, not 200/],
  ['/missing', /the status 404, not 200/],
  ['/long', /larger than 65536 bytes/],
  ['/silent', /no answer within 1000 ms/],
  ['/dripping', /no answer within 1000 ms/],
] as const) {
  test(`refuses an answer that is ${path.slice(1)}`, async () => {
    const before = receiver.received.length;
    const ports = /^\/(silent|dripping)/.test(path) ? { read_time_ms: 1_000 } : {};
    await assert.rejects(reader(ports).read(receiver.origin + path), reason);
    assert.equal(receiver.received.length, before + 1);
  });
}

test('makes no connection to a refused address, by whichever name', async () => {
  let connections = 0;
  const listener = createServer(() => {
    connections += 1;
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  try {
    const { port } = listener.address() as AddressInfo;
    const guard = addressGuard();
    for (const host of ['127.0.0.1', '2130706433', 'localhost', 'localhost.', '[::ffff:127.0.0.1]']) {
      await assert.rejects(reader({ guard }).read(`https://${host}:${port}/`), /may not be called/, host);
    }
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], []]) {
      const lookup = resolvingTo(...addresses);
      const reading = reader({ guard, lookup }).read(`https://keys.test:${port}/`);
      await assert.rejects(reading, /has no address that may be called/, String(addresses));
    }
    await assert.rejects(reader().read(`http://127.0.0.1:${port}/`), /must use https/);
    assert.equal(connections, 0);
  } finally {
    listener.close();
  }
});

test('dials the address that was checked: the name is resolved once', async () => {
  let resolved = 0;
  const lookup: LookupFunction = (_name, _options, callback) => {
    resolved += 1;
    callback(null, [{ address: resolved === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
  };
  await reader({ lookup }).read(`https://localhost:${receiver.port}/keys?a=1`);
  assert.equal(resolved, 1);
});

test('accepts a self-signed certificate of loopback in a sandbox only', async () => {
  const url = `${receiver.origin}/keys?a=1`;
  await assert.rejects(reader({ extra_authorities: [] }).read(url), /DEPTH_ZERO_SELF_SIGNED_CERT/);
  await reader({ extra_authorities: [], trusts_loopback: true }).read(url);
});
