import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { createHttpApp, createMetrics, createNodeHandler, type HttpAppPorts } from '@tallystick/koa';
import { sandbox_keys, until } from '@tallystick/test-support';
import { lineOf, openMessages } from '../http/messages-client.ts';
import { authorization, type Service, startService } from '../http/service.ts';
import { type Host, type HostOptions, hosts } from './mounting-hosts.ts';

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
  readonly json: any;
}

interface Sent {
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Mounted {
  readonly service: Service;
  /** The address of the host, without the prefix. */
  readonly address: string;
  readonly host: Host;
  /** Sends a request to a path below the prefix. */
  send(method: string, path: string, sent?: Sent): Promise<Reply>;
}

async function mounted(
  t: { after(cleanup: () => unknown): void },
  host: Host,
  options: HostOptions = {},
  otherwise: (ports: HttpAppPorts) => HttpAppPorts = (ports) => ports,
): Promise<Mounted> {
  let ports: HttpAppPorts | undefined;
  const service = await startService(t, 'sqlite', (given) => {
    ports = given;
    return given;
  });
  const metrics = createMetrics({ process_metrics: false });
  const address = await host.start(t, createHttpApp(otherwise({ ...ports!, metrics })), options);
  return {
    service,
    address,
    host,
    send: (method, path, sent) => sendTo(address + host.prefix + path, method, sent),
  };
}

async function sendTo(
  url: string,
  method: string,
  { key = sandbox_keys.client, body, headers = {} }: Sent = {},
): Promise<Reply> {
  const is_raw = typeof body === 'string' || body instanceof ReadableStream;
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: is_raw ? body : JSON.stringify(body), duplex: 'half' }),
  } as RequestInit);
  const text = await response.text();
  const is_json = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  return { status: response.status, headers: response.headers, text, json: is_json ? JSON.parse(text) : undefined };
}

/** Sends the target as it is, with the key of an operator. */
async function sendTarget(address: string, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const { hostname, port } = new URL(address);
  const headers = { Authorization: `Bearer ${sandbox_keys.operator}` };
  const sent = request({ hostname, port, path, headers, agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode!, text: (await answer.setEncoding('utf8').toArray()).join('') };
}

const card = { data: { total_card_amount: 10_000 } };

/** A stream of bytes of any length, made as it is read. */
function pieces(count: number, piece: string): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(piece);
  let left = count;
  return new ReadableStream({
    pull(controller) {
      left -= 1;
      if (left >= 0) controller.enqueue(bytes);
      else controller.close();
    },
  });
}

for (const host of hosts) {
  describe(`mounted in ${host.name}`, () => {
    it('serves the interface, and leaves all other paths to the host', async (t) => {
      const { send, address } = await mounted(t, host);
      const made = await send('POST', '/v1/virtualcards', { body: card });
      assert.equal(made.status, 200, made.text);
      assert.equal(made.headers.get('x-host'), host.framework);
      const path = `/v1/virtualcards/${made.json.data.id}`;
      assert.equal(made.json.data.url, path, 'the url of a resource is relative to the address of the service');
      assert.equal((await send('GET', path)).json.data.total_card_amount, 10_000);
      const head = await send('HEAD', path);
      assert.deepEqual([head.status, head.text], [200, '']);
      const deleted = await send('DELETE', path);
      assert.deepEqual([deleted.status, deleted.text], [204, '']);
      const missing = await send('GET', '/v1/nothing');
      assert.deepEqual([missing.status, missing.json.code], [404, 'not_found']);
      const refused = await send('POST', '/v1/virtualcards', { body: { data: { total_card_amount: 'x' } } });
      assert.equal(refused.json.fields[0].path, 'data.total_card_amount');
      if (host.prefix !== '') assert.equal((await sendTo(`${address}/own`, 'GET')).text, 'the route of the host');
    });

    it('answers many messages while their request goes on', async (t) => {
      const { service, address } = await mounted(t, host);
      const { json } = await service.send('POST', '/v1/virtualcards', { body: { ...card, show_card_number: true } });
      const messages = openMessages({ url: address + host.prefix });
      for (let line = 1; line <= 3; line += 1) {
        messages.write(lineOf('authorization', authorization(json.data.card_number)));
        await until(() => messages.answers.length === line);
      }
      messages.end();
      assert.deepEqual(
        (await messages.ended).map(({ line, status }) => [line, status]),
        [
          [1, 200],
          [2, 200],
          [3, 200],
        ],
      );
    });

    it('serves no path that a guard of the host on /operator does not see', async (t) => {
      const { address } = await mounted(t, host, { guards_operator: true });
      const { prefix } = host;
      const rest = '/v1/companies';
      const encoded = (path: string) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
      const spellings = [
        `${prefix}/operator${rest}`,
        `${prefix}${encoded('/operator')}${rest}`,
        `${encoded(prefix)}/operator${rest}`,
        `${prefix}/operator${encoded(rest)}`.replace('/operator', '/%6Fperator'),
        `${prefix}%2Foperator${rest}`,
        `${prefix}/operator%2Fv1/companies`.replace('/operator', encoded('/operator')),
        `/${prefix}/operator${rest}`,
        `${prefix}//operator${rest}`,
        `${prefix}/./operator${rest}`,
        `${prefix}/x/../operator${rest}`,
        `${prefix}/%2e/operator${rest}`,
        `/x/..${prefix}/operator${rest}`,
        `${prefix}\\operator${rest}`,
        `${prefix}/\\operator${rest}`,
        `${prefix.toUpperCase()}/operator${rest}`,
        `${prefix}/OPERATOR${rest}`,
        `${prefix};/operator${rest}`,
        `${prefix}/;/operator${rest}`,
        `${address}${prefix}/operator${rest}`,
        `${address}/${prefix}${encoded('/operator')}${rest}`,
      ];
      for (const path of spellings) {
        const { status, text } = await sendTarget(address, path);
        assert.ok(status >= 400 || text === 'the route of the host', `${path}: ${status} ${text}`);
      }
    });

    it('writes its prefix into links, redirects, the document and the page of an unknown path', async (t) => {
      const { send, address } = await mounted(t, host);
      for (let at = 0; at < 3; at += 1) await send('POST', '/v1/virtualcards', { body: card });
      const { links } = (await send('GET', '/v1/virtualcards?filter[status]=Approved&page[limit]=2')).json;
      assert.equal(links.first, `${host.prefix}/v1/virtualcards?filter[status]=Approved&page[limit]=2`);
      assert.ok(links.next.startsWith(`${host.prefix}/v1/virtualcards?`), links.next);
      const rest = await sendTo(address + links.next, 'GET');
      assert.deepEqual([rest.json.data.length, rest.json.links.next], [1, null]);

      const templates = '/v1/content/virtualcard-templates';
      const wanted = { name: 'Meals', description: 'Meals', mcc_list: ['5812'], mcc_rule: 'ALLOW' };
      const requested = await send('POST', templates, { body: { ...wanted, required_control: 'VELOCITY' } });
      const { transaction_key } = requested.json;
      const href = `${host.prefix}${templates}?filter[transaction_key]=${transaction_key}`;
      assert.equal(requested.json.links[0].href, href);
      const [listed] = (await sendTo(address + href, 'GET')).json.data;
      assert.equal(listed.links[0].href, href);
      const completed = await send('POST', `/operator/v1/templates/${listed.id}/complete`, {
        key: sandbox_keys.operator,
      });
      assert.equal(completed.json.data.links[0].href, href);
      const minimal = await sendTo(address + href, 'GET', { headers: { Prefer: 'return-minimal' } });
      assert.ok(minimal.json.data[0].url.startsWith(`${templates}?`), minimal.text);

      const root = await send('GET', '/');
      const location = root.headers.get('location');
      assert.deepEqual([root.status, location], [302, `${host.prefix}/openapi.json`]);
      const document = await sendTo(address + location, 'GET');
      assert.equal(document.json.servers[0].url, host.prefix === '' ? '/' : host.prefix);
      const unknown = await send('GET', '/nothing', { headers: { Accept: 'text/html' } });
      assert.equal(unknown.status, 404);
      assert.ok(unknown.text.includes(`<a href="${host.prefix}/openapi.json">`), unknown.text);
    });

    it('verifies signatures of the path as the client sent it', async (t) => {
      const { send, service } = await mounted(t, host);
      const signing_secret = 'a signing secret of the tests';
      const data = { role: 'client', name: 'signed', company_id: service.company_id, signing_secret };
      const made = await send('POST', '/operator/v1/keys', { key: sandbox_keys.operator, body: { data } });
      const { key } = made.json.data;
      const signed = (method: string, target: string, body = ''): Record<string, string> => {
        const timestamp = String(Math.floor(Date.now() / 1000));
        const [path, query = ''] = target.split('?');
        const text = [timestamp, method, path, query, body].join('\n');
        const signature = createHmac('sha256', signing_secret).update(text).digest('hex');
        return { 'X-Timestamp': timestamp, 'X-Signature': signature };
      };
      const body = JSON.stringify(card);
      const only_once = { 'Idempotency-Key': randomUUID(), ...signed('POST', `${host.prefix}/v1/virtualcards`, body) };
      const first = await send('POST', '/v1/virtualcards', { key, body, headers: only_once });
      assert.equal(first.status, 200, first.text);
      const again = await send('POST', '/v1/virtualcards', { key, body, headers: only_once });
      assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true']);
      const path = '/v1/virtualcards?page[limit]=1';
      const read = await send('GET', path, { key, headers: signed('GET', host.prefix + path) });
      assert.equal(read.status, 200, read.text);
      for (const other of [path, `/other${path}`, `${host.prefix}${host.prefix}${path}`]) {
        if (other === host.prefix + path) continue;
        assert.equal((await send('GET', path, { key, headers: signed('GET', other) })).status, 401, other);
      }
    });

    it('takes files of any length and refuses bodies that are too large, as they arrive', async (t) => {
      const { send } = await mounted(t, host);
      const rows = pieces(64, '1,1,,\n'.repeat(5_000));
      const table = pieces(1, 'id,version,decision,note\n').pipeThrough(followedBy(rows));
      const headers = { 'Content-Type': 'text/csv' };
      const decided = await send('POST', '/v1/reconciliation/decisions?dry_run=true', { body: table, headers });
      assert.deepEqual([decided.status, decided.json?.data?.skipped], [200, 320_000], decided.text);
      const large = await send('POST', '/v1/virtualcards', { body: JSON.stringify({ data: 'x'.repeat(2_000_000) }) });
      assert.deepEqual([large.status, large.json.code], [413, 'body_too_large']);
      const growing = await send('POST', '/v1/virtualcards', { body: pieces(40, ' '.repeat(50_000)) });
      assert.deepEqual([growing.status, growing.json.code], [413, 'body_too_large']);
      const stranger = await send('POST', '/v1/virtualcards', { key: 'x', body: pieces(40, ' '.repeat(50_000)) });
      assert.equal(stranger.status, 401);
      assert.equal((await send('GET', '/v1/virtualcards')).status, 200);
    });

    it('sends tables and pages', async (t) => {
      const { send } = await mounted(t, host);
      const table = await send('GET', '/v1/reconciliation/items.csv');
      assert.match(table.text, /^"?id"?,/);
      assert.match(table.headers.get('content-disposition') ?? '', /items\.csv/);
      const gone = await send('POST', `/card-details/${'x'.repeat(43)}`);
      assert.deepEqual([gone.status, gone.headers.get('content-type')], [410, 'text/html; charset=utf-8']);
    });

    it('ends the work of a request whose client is gone', async (t) => {
      const { service, address } = await mounted(t, host);
      const sending = request(`${address}${host.prefix}/v1/reconciliation/decisions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${sandbox_keys.client}`, 'Content-Type': 'text/csv' },
      });
      sending.on('error', () => undefined);
      sending.write('id,version,decision,note\n');
      await until(() => service.lifecycle.in_flight === 1);
      sending.destroy();
      await until(() => service.lifecycle.in_flight === 0);
      assert.doesNotMatch(service.log(), /"level":(50|"error")/);
    });

    it('answers a client that waits for 100 before its body, and leaves nothing behind on a connection', async (t) => {
      const { address } = await mounted(t, host);
      const warnings: Error[] = [];
      const note = (warning: Error) => void warnings.push(warning);
      process.on('warning', note);
      t.after(() => process.off('warning', note));
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      t.after(() => agent.destroy());
      const sockets = new Set<unknown>();
      for (let at = 0; at < 30; at += 1) {
        const body = JSON.stringify(at % 3 === 0 ? { data: 'refused' } : card);
        const sending = request(`${address}${host.prefix}/v1/virtualcards`, {
          agent,
          method: 'POST',
          headers: {
            Authorization: `Bearer ${sandbox_keys.client}`,
            'Content-Type': 'application/json',
            'Content-Length': body.length,
            ...(at % 2 === 0 ? { Expect: '100-continue' } : {}),
          },
        });
        let continued = 0;
        if (at % 2 === 0) {
          sending.on('continue', () => {
            continued += 1;
          });
          sending.flushHeaders();
          await once(sending, 'continue');
        }
        sending.end(body);
        const [answer] = (await once(sending, 'response')) as [IncomingMessage];
        assert.deepEqual([answer.statusCode, continued], [at % 3 === 0 ? 400 : 200, at % 2 === 0 ? 1 : 0]);
        sockets.add(answer.socket);
        await answer.toArray();
      }
      assert.deepEqual([sockets.size, warnings], [1, []]);
    });

    it('says that a body parser came before it, at once', async (t) => {
      const { send, service } = await mounted(t, host, { reads_bodies: true });
      const answer = await send('POST', '/v1/virtualcards', { body: { ...card, padding: 'x'.repeat(200_000) } });
      assert.equal(answer.status, 500);
      if (host.refuses_taken_bodies) return;
      assert.equal(answer.json.code, 'internal_error');
      assert.match(answer.json.error, /mount Tallystick before the body parser$/);
      assert.match(service.log(), /mount Tallystick before the body parser/);
      assert.equal((await send('GET', '/v1/virtualcards')).status, 200);
    });
  });
}

describe('Open Banking', () => {
  it('is served at the root of a host only: its issuer has no path', async (t) => {
    const handled: string[] = [];
    for (const host of hosts.filter(({ framework }) => framework === 'node')) {
      const { send } = await mounted(t, host, {}, (ports) => ({
        ...ports,
        open_banking: {
          ...ports.open_banking!,
          authorisation: {
            ...ports.open_banking!.authorisation,
            handles: (path) => path.startsWith('/oauth/'),
            async handle(_req, res) {
              handled.push(host.prefix);
              res.end('{}');
            },
          },
        },
      }));
      const statuses: number[] = [];
      for (const path of ['/oauth/token', '/open-banking/v3.1/aisp/accounts']) {
        statuses.push((await send('GET', path)).status);
      }
      assert.deepEqual(statuses, host.prefix === '' ? [200, 401] : [404, 404], host.name);
    }
    assert.deepEqual(handled, ['']);
  });
});

/** Appends a stream to another one. */
function followedBy(rest: ReadableStream<Uint8Array>): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    async flush(controller) {
      for await (const piece of rest) controller.enqueue(piece);
    },
  });
}

it('the interface is also served by a host that speaks HTTP/2', async (t) => {
  let ports: HttpAppPorts | undefined;
  await startService(t, 'sqlite', (given) => {
    ports = given;
    return given;
  });
  const app = createHttpApp({ ...ports!, metrics: createMetrics({ process_metrics: false }) });
  const handler = createNodeHandler(app, { prefix: '/cards' });
  // Node's requests of HTTP/2 have the interface of those of HTTP/1.
  const server = createServer((req, res) =>
    handler(req as unknown as IncomingMessage, res as unknown as ServerResponse),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.after(async () => {
    client.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  const send = async (method: string, path: string, body?: string) => {
    const stream = client.request({
      ':method': method,
      ':path': `/cards${path}`,
      authorization: `Bearer ${sandbox_keys.client}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    });
    stream.on('error', () => undefined);
    stream.end(body);
    const [headers] = await once(stream, 'response');
    stream.setEncoding('utf8');
    return { status: headers[':status'], text: (await stream.toArray()).join('') };
  };

  const made = await send('POST', '/v1/virtualcards', JSON.stringify({ data: { total_card_amount: 5 } }));
  assert.equal(made.status, 200, made.text);
  const listed = await send('GET', '/v1/virtualcards?page[limit]=1');
  assert.deepEqual(JSON.parse(listed.text).links, { first: '/cards/v1/virtualcards?page[limit]=1', next: null });
  assert.equal((await send('DELETE', `/v1/virtualcards/${JSON.parse(made.text).data.id}`)).status, 204);
  const large = await send('POST', '/v1/virtualcards', JSON.stringify({ data: 'x'.repeat(2_000_000) }));
  assert.equal(large.status, 413, large.text);
  const table = await send('GET', '/v1/reconciliation/items.csv');
  assert.equal(table.status, 200);
  assert.match(table.text, /^id,/);
  assert.equal((await send('GET', '/v1/virtualcards')).status, 200);
});
