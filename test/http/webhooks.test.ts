import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  migratedDatabase,
  type Received,
  readRows,
  refusing_port,
  type ScratchDatabase,
  type ServerProcess,
  startServer,
  type TlsReceiver,
  tlsReceiver,
} from '@tallystick/test-support';
import { addressGuard, urlPolicy } from '@tallystick/webhook-client';
import { verifyDelivery } from '@tallystick/webhook-signature';
import { Webhook } from 'standardwebhooks';
import { Company, moveClock, type OwnWebhook } from '../webhooks/company.ts';
import { type Call, type Service, startService } from './service.ts';

const path = '/v1/webhooks';
const callback_url = 'https://hooks.example/a';

/** A wrong request, the status of its answer, and the field that the answer names. Null: none. */
interface Wrong {
  readonly name: string;
  readonly method: string;
  readonly at: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly field: string | null;
  readonly says?: RegExp;
  readonly call?: Call;
}

/**
 * Addresses that a webhook may use only if the configuration allows their network, in all
 * notations.
 */
const refused_hosts = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '127.0.0.1.',
  'localhost',
  'LOCALHOST.',
  'hooks.localhost',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::]',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '167772161',
  '172.16.0.1',
  '192.168.0.1',
  '0300.0250.0.1',
  '[::ffff:192.168.0.1]',
  '100.64.0.1',
  '169.254.169.254',
  '2852039166',
  '[::ffff:169.254.169.254]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[64:ff9b::a00:1]',
  '[2002:7f00:1::]',
  '224.0.0.1',
  '255.255.255.255',
  '①②⑦.0.0.1',
];

function registering(name: string, data: Readonly<Record<string, unknown>>, field: string, says?: RegExp): Wrong {
  return { name, method: 'POST', at: path, data, status: 400, field, ...(says === undefined ? {} : { says }) };
}

function urlRefused(name: string, url: unknown, says?: RegExp): Wrong {
  return registering(name, { callback_url: url }, 'callback_url', says);
}

/**
 * Webhook 1 belongs to the company and has the types 2 and 6. Webhook 2 belongs to another company.
 */
const wrong_requests: readonly Wrong[] = [
  registering('no callback URL', { event_type_ids: [3] }, 'callback_url', /required/),
  urlRefused('null for one', null, /required/),
  urlRefused('an http URL', 'http://hooks.example/a', /https/),
  urlRefused('another scheme', 'ftp://hooks.example/a', /https/),
  urlRefused('a script', 'javascript:alert(1)', /https/),
  urlRefused('no URL', 'hooks.example/a', /URL/),
  urlRefused('an empty URL', '', /URL/),
  urlRefused('a URL without a host', 'https://', /URL/),
  urlRefused('a port past the last', 'https://hooks.example:65536/', /URL/),
  urlRefused('a number for a URL', 7),
  urlRefused('a user name', 'https://me@hooks.example/', /user name/),
  urlRefused('a password', 'https://me:secret@hooks.example/', /user name/),
  urlRefused('a fragment', 'https://hooks.example/#a', /fragment/),
  urlRefused('an endless URL', `https://hooks.example/${'a'.repeat(2_048)}`, /2048 characters/),
  ...refused_hosts.map((host) => urlRefused(`the address ${host}`, `https://${host}/hooks`, /may not be called/)),
  registering('an unknown type', { callback_url, event_type_ids: [3, 8] }, 'event_type_ids', /not 8$/),
  registering('type 0', { callback_url, event_type_ids: [0] }, 'event_type_ids[0]'),
  registering('a type by name', { callback_url, event_type_ids: ['all'] }, 'event_type_ids[0]'),
  registering('a fraction of a type', { callback_url, event_type_ids: [2.5] }, 'event_type_ids[0]'),
  registering('one type, not a list', { callback_url, event_type_ids: 3 }, 'event_type_ids'),
  registering('a type that another webhook has', { callback_url, event_type_ids: [2] }, 'event_type_ids', /webhook 1 /),
  registering('the second name of one', { callback_url, event_type_ids: [10] }, 'event_type_ids', /has 10.*webhook 1 /),
  registering('a short secret', { callback_url, secret: 'x'.repeat(15) }, 'secret', /16 to 256/),
  registering('an empty secret', { callback_url, secret: '' }, 'secret', /16 to 256/),
  registering('a long secret', { callback_url, secret: 'x'.repeat(257) }, 'secret', /16 to 256/),
  registering(
    'a secret of Standard Webhooks that is no base64',
    { callback_url, secret: 'whsec_not base64 at all' },
    'secret',
    /after whsec_, the padded base64/,
  ),
  registering(
    'a secret of Standard Webhooks without padding',
    { callback_url, secret: `whsec_${Buffer.alloc(32, 1).toString('base64url')}` },
    'secret',
  ),
  registering(
    'a secret of Standard Webhooks of 15 bytes',
    { callback_url, secret: `whsec_${Buffer.alloc(15, 1).toString('base64')}` },
    'secret',
    /at least 16 bytes/,
  ),
  registering('a number for a secret', { callback_url, secret: 1234567890123456 }, 'secret'),
  registering('another status', { callback_url, status: 'paused' }, 'status', /one of active, inactive/),
  registering('a status in capitals', { callback_url, status: 'Active' }, 'status', /one of active, inactive/),
  { name: 'no data', method: 'POST', at: path, status: 400, field: 'data', call: { body: {} } },
  ...[
    ['the callback URL', { callback_url: `${callback_url}/b` }, 'callback_url', /cannot be changed/] as const,
    ['the callback URL to null', { callback_url: null }, 'callback_url', /cannot be changed/] as const,
    ['the callback URL to a number', { callback_url: 5 }, 'callback_url', /cannot be changed/] as const,
    ['the secret', { secret: 'another secret of mine' }, 'secret', /rotate/] as const,
    ['the secret to a number', { secret: 5 }, 'secret', /rotate/] as const,
    ['the status to another', { status: 'deleted' }, 'status', /one of active, inactive/] as const,
    ['the types to unknown ones', { event_type_ids: [12] }, 'event_type_ids', /not 12$/] as const,
  ].map(([what, data, field, says]): Wrong => {
    return { name: `a change of ${what}`, method: 'PATCH', at: `${path}/1`, data, status: 400, field, says };
  }),
  {
    name: 'an unknown filter',
    method: 'GET',
    at: `${path}?filter[status]=active`,
    status: 400,
    field: 'filter[status]',
  },
  { name: 'a page of none', method: 'GET', at: `${path}?page[limit]=0`, status: 400, field: 'page[limit]' },
  { name: 'a page of too many', method: 'GET', at: `${path}?page[limit]=101`, status: 400, field: 'page[limit]' },
  {
    name: 'a forged cursor',
    method: 'GET',
    at: `${path}?page[after]=mine`,
    status: 400,
    field: 'page[after]',
  },
  {
    name: 'a forged cursor of deliveries',
    method: 'GET',
    at: `${path}/1/deliveries?page[after]=mine`,
    status: 400,
    field: 'page[after]',
  },
  {
    name: 'an unknown state',
    method: 'GET',
    at: `${path}/1/deliveries?filter[state]=lost`,
    status: 400,
    field: 'filter[state]',
    says: /pending, succeeded, failed/,
  },
  ...['yesterday', '2030-03-15', '2030-13-15T00:00:00Z', '', null, 5].map((since): Wrong => {
    const data = { since };
    return { name: `since ${since}`, method: 'POST', at: `${path}/1/recover`, data, status: 400, field: 'since' };
  }),
  { name: 'since nothing', method: 'POST', at: `${path}/1/recover`, data: {}, status: 400, field: 'since' },
  ...['1', '2', '77'].flatMap((id): Wrong[] =>
    (
      [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['POST', '/rotate-secret'],
        ['GET', '/test'],
        ['GET', '/deliveries'],
        ['GET', '/deliveries/1'],
        ['POST', '/deliveries/1/retry'],
        ['POST', '/recover'],
      ] as const
    )
      // The company's webhook exists; only its delivery is unknown.
      .filter(([, what]) => id !== '1' || what.startsWith('/deliveries/'))
      .map(([method, what]) => ({
        name: `${method} ${what || 'itself'} of ${{ 1: 'an unknown delivery', 2: 'another company', 77: 'an unknown webhook' }[id]}`,
        method,
        at: `${path}/${id}${what}`,
        ...(what === '/recover' ? { data: { since: '2030-01-01T00:00:00Z' } } : {}),
        ...(method === 'PATCH' ? { data: { status: 'inactive' } } : {}),
        status: 404,
        field: null,
      })),
  ),
  { name: 'an id that is none', method: 'GET', at: `${path}/one`, status: 404, field: null },
  { name: 'no key', method: 'GET', at: path, status: 401, field: null, call: { key: null } },
  { name: 'the network’s key', method: 'GET', at: path, status: 403, field: null, call: { key: 'network' } },
  { name: 'a method that is none', method: 'PUT', at: `${path}/1`, status: 405, field: null },
];

describe('a wrong request about webhooks', () => {
  let service: Service;
  const cleanups: (() => unknown)[] = [];
  before(async () => {
    const t = { after: (cleanup: () => unknown) => void cleanups.unshift(cleanup) };
    service = await startService(t, 'sqlite', (ports) => ({ ...ports, url_policy: urlPolicy(addressGuard()) }));
    const data = { callback_url, event_type_ids: [2, 6] };
    assert.equal((await service.send('POST', path, { body: { data } })).json.data.id, '1');
    const other = await Company.found(service.url, 'another');
    assert.equal((await other.registers(callback_url)).id, '2');
  });
  after(async () => {
    for (const cleanup of cleanups) await cleanup();
  });

  for (const { name, method, at, data, status, field, says = /./, call } of wrong_requests) {
    it(`is refused and changes nothing: ${name}`, async () => {
      const stored = service.stored();
      const reply = await service.send(method, at, { ...(data === undefined ? {} : { body: { data } }), ...call });
      assert.equal(reply.status, status, reply.text);
      const fields = (reply.json.fields ?? []).map((one: { path: string }) => one.path);
      const prefix = method === 'GET' || field === 'data' ? '' : 'data.';
      assert.deepEqual(fields, field === null ? [] : [`${prefix}${field}`]);
      assert.match(field === null ? reply.json.error : reply.json.fields[0].message, says);
      assert.equal(service.stored(), stored);
    });
  }

  it('reports every problem at once', async () => {
    const data = { callback_url: 'http://a', event_type_ids: [99], secret: 'short', status: 'on' };
    const { json } = await service.send('POST', path, { body: { data } });
    assert.deepEqual(
      json.fields.map((one: { path: string }) => one.path),
      ['data.callback_url', 'data.event_type_ids', 'data.secret', 'data.status'],
    );
    assert.ok(!JSON.stringify(json).includes('short'), 'a secret is in no message');
  });

  it('of another company has the same answer as an unknown object', async () => {
    const headers = { 'X-Request-Id': 'same' };
    const [foreign, unknown] = await Promise.all(
      ['2', '77'].map((id) => service.send('GET', `${path}/${id}`, { headers })),
    );
    assert.equal(foreign?.text.replace('webhook 2', '#'), unknown?.text.replace('webhook 77', '#'));
  });
});

describe('webhooks', () => {
  let database: ScratchDatabase;
  let server: ServerProcess;
  let receiver: TlsReceiver;
  /** The status that the receiver returns on a path: 200 by default. */
  const answers = new Map<string, number>();
  /**
   * By path: a request waits for `until` before it is answered, and `came` is called when it
   * arrives.
   */
  const held = new Map<string, { readonly came: () => void; readonly until: Promise<void> }>();
  let companies = 0;

  before(async () => {
    receiver = await tlsReceiver(async ({ path: at }, response) => {
      const hold = held.get(at);
      hold?.came();
      await hold?.until;
      response.writeHead(answers.get(at) ?? 200, { 'retry-after': '120' }).end(`answer of ${at} ${'.'.repeat(5_000)}`);
    });
    database = await migratedDatabase('sqlite');
    server = await startServer({ database_url: database.database_url });
    await moveClock(server.url, { set: '2099-03-15T10:00:00Z' });
  });
  after(async () => {
    await server?.stop();
    await receiver?.close();
    await database?.dispose();
  });

  /** Creates a company for one test, and the URL of a separate endpoint. */
  async function newcomer(): Promise<{
    company: Company;
    at: string;
    url: string;
    received: () => readonly Received[];
  }> {
    companies += 1;
    const at = `/hooks/${companies}?of=company`;
    const company = await Company.found(server.url, `company ${companies}`);
    const received = () => receiver.received.filter((one) => one.path === at);
    return { company, at, url: receiver.origin + at, received };
  }

  async function verifies(one: Received | undefined, webhook: OwnWebhook, secret = webhook.secret): Promise<boolean> {
    assert.ok(one !== undefined);
    return (await verifyDelivery(one, { secrets: secret, callback_url: webhook.callback_url })).verified;
  }

  it('are registered, with a secret that is shown once and never stored in plain text', async () => {
    const { company, url } = await newcomer();
    const made = await company.send('POST', path, { callback_url: url, event_type_ids: [2, 6, 2, 10] });
    assert.equal(made.status, 200);
    const { id, secret } = made.json.data;
    assert.match(secret, /^whsec_[0-9A-Za-z+/]{43}=$/);
    const webhook = { id, type: 'webhook', url: `${path}/${id}`, callback_url: url, event_type_ids: [2, 6, 2, 10] };
    assert.deepEqual(made.json, { data: { ...webhook, status: 'active', secret } });
    const read = { data: { ...webhook, status: 'active', secret: null } };
    assert.deepEqual((await company.send('GET', `${path}/${id}`)).json, read);
    const changed = await company.send('PATCH', `${path}/${id}`, { status: 'inactive' });
    assert.deepEqual(changed.json, { data: { ...webhook, status: 'inactive', secret: null } });
    const [row] = await readRows<{ sealed: Uint8Array }>(
      database,
      `select secret_sealed as sealed from tallystick_webhooks where id = ${id}`,
    );
    assert.ok(!Buffer.from(row!.sealed).includes(secret));
    assert.ok(!server.output().includes(secret));
  });

  it('have defaults: active, no event types; and may set a secret, of any characters', async () => {
    const { company, url, received } = await newcomer();
    const webhook = await company.registers(url, {
      event_type_ids: null,
      secret: 'schlüssel 鍵 😀 of mine',
      status: null,
    });
    assert.deepEqual(
      { ...webhook, id: '' },
      {
        id: '',
        type: 'webhook',
        url: `${path}/${webhook.id}`,
        callback_url: url,
        event_type_ids: [],
        status: 'active',
        secret: 'schlüssel 鍵 😀 of mine',
      },
    );
    await company.hears({ id: 1 });
    assert.deepEqual(await company.ask('GET', `${path}/${webhook.id}/test`), { status: 200 });
    assert.equal(received().length, 1);
    assert.ok(await verifies(received()[0], webhook));
    const raw = new Webhook(Buffer.from(webhook.secret), { format: 'raw' });
    assert.ok(raw.verify(received()[0]!.body, received()[0]!.headers as Record<string, string>));
  });

  it('sign with a secret of Standard Webhooks of their own as every library expects', async () => {
    const { company, url, received } = await newcomer();
    const secret = `whsec_${Buffer.from('sixteen bytes ok').toString('base64')}`;
    const webhook = await company.registers(url, { event_type_ids: [], secret });
    assert.equal(webhook.secret, secret);
    assert.deepEqual(await company.ask('GET', `${path}/${webhook.id}/test`), { status: 200 });
    const { headers, body } = received()[0]!;
    assert.ok(await verifies(received()[0], webhook));
    assert.ok(new Webhook(secret).verify(body, headers as Record<string, string>));
  });

  it('are listed as id, type and url, newest first, page by page', async () => {
    const { company, url } = await newcomer();
    const ids: string[] = [];
    for (const type of [2, 3, 5]) ids.unshift((await company.registers(url, { event_type_ids: [type] })).id);
    const items = ids.map((id) => ({ id, type: 'webhook', url: `${path}/${id}` }));
    const all = (await company.send('GET', path)).json;
    assert.deepEqual(all, { data: items, links: { first: path, next: null } });
    const first = (await company.send('GET', `${path}?page[limit]=2`)).json;
    assert.deepEqual(first.data, items.slice(0, 2));
    const second = (await company.send('GET', first.links.next)).json;
    assert.deepEqual(second.data, items.slice(2));
    assert.equal(second.links.next, null);
  });

  it('are registered once under one idempotency key: the secret is in the answer again', async () => {
    const { company, url } = await newcomer();
    const headers = { 'Idempotency-Key': `register-${url}` };
    const data = { callback_url: url, event_type_ids: [1] };
    const first = await company.send('POST', path, data, headers);
    const again = await company.send('POST', path, data, headers);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.match(again.json.data.secret, /^whsec_/);
    assert.equal((await company.send('GET', path)).json.data.length, 1);
  });

  it('change their types: a clash names the other webhook, and removed types are free', async () => {
    const { company, url } = await newcomer();
    const one = await company.registers(url, { event_type_ids: [2, 6] });
    const other = await company.registers(url, { event_type_ids: [3], status: 'inactive' });
    const patch = (id: string, event_type_ids: readonly number[]) =>
      company.send('PATCH', `${path}/${id}`, { event_type_ids });
    const clash = await patch(other.id, [3, 10]);
    assert.equal(clash.status, 400, clash.text);
    assert.match(clash.json.error, new RegExp(`has 10, which webhook ${one.id} `));
    assert.match(
      (await patch(one.id, [3])).json.error,
      new RegExp(`has 3, which webhook ${other.id} `),
      'inactive ones count',
    );
    // 1 clashes only with 1. It may be combined with any other type.
    await company.registers(url, { event_type_ids: [1] });
    assert.equal((await patch(one.id, [10, 6])).status, 200);
    assert.deepEqual((await company.ask('GET', `${path}/${one.id}`)).event_type_ids, [10, 6]);
    assert.equal((await patch(other.id, [2])).status, 200);
    assert.equal((await company.send('DELETE', `${path}/${one.id}`)).status, 204);
    assert.equal((await patch(other.id, [2, 6])).status, 200);
  });

  it('show their types exactly as they were sent, and get one delivery for each event', async () => {
    const { company, url, received } = await newcomer();
    const event_type_ids = [5, 10, 1, 6, 5, 10];
    const webhook = await company.registers(url, { event_type_ids });
    assert.deepEqual(webhook.event_type_ids, event_type_ids);
    await company.hears({ id: 1 });
    await moveClock(server.url);
    assert.equal(received().length, 1);
    const changed = [7, 7, 6, 10];
    const answer = await company.ask('PATCH', `${path}/${webhook.id}`, { event_type_ids: changed });
    assert.deepEqual(answer.event_type_ids, changed);
    assert.deepEqual((await company.ask('GET', `${path}/${webhook.id}`)).event_type_ids, changed);
  });

  it('get a new secret: for 24 hours both sign, then only the new one', async () => {
    const { company, url, received } = await newcomer();
    const webhook = await company.registers(url);
    await company.hears({ id: 1 });
    await moveClock(server.url);
    assert.equal(received().at(-1)?.headers['x-signature-previous'], undefined);
    const rotated = await company.ask('POST', `${path}/${webhook.id}/rotate-secret`);
    assert.match(rotated.secret, /^whsec_[0-9A-Za-z+/]{43}=$/);
    assert.notEqual(rotated.secret, webhook.secret);
    assert.equal((await company.ask('GET', `${path}/${webhook.id}`)).secret, null);

    const hear = async (advance: string): Promise<Received> => {
      await moveClock(server.url, { advance });
      await company.hears({ id: 2 });
      await moveClock(server.url);
      return received().at(-1) as Received;
    };
    const libraryVerifies = ({ body, headers }: Received, secret: string): unknown =>
      new Webhook(secret).verify(body, headers as Record<string, string>);

    for (const both of [await hear('PT0S'), await hear('PT23H59M59.999S')]) {
      for (const secret of [webhook.secret, rotated.secret]) {
        assert.ok(await verifies(both, webhook, secret));
        libraryVerifies(both, secret);
      }
      assert.equal(String(both.headers['webhook-signature']).split(' ').length, 2);
      assert.match(String(both.headers['x-signature-previous']), /^[0-9a-f]{64}$/);
    }
    const later = await hear('PT0.001S');
    assert.ok(await verifies(later, webhook, rotated.secret));
    libraryVerifies(later, rotated.secret);
    assert.ok(!(await verifies(later, webhook)));
    assert.throws(() => libraryVerifies(later, webhook.secret));
    assert.equal(later.headers['x-signature-previous'], undefined);
  });

  it('are tested, active or not, with any types, with a separate body and without a record', async () => {
    const { company, at, url, received } = await newcomer();
    const webhook = await company.registers(url, { event_type_ids: [11], status: 'inactive' });
    for (const status of ['inactive', 'active']) {
      await company.ask('PATCH', `${path}/${webhook.id}`, { status });
      const now = await moveClock(server.url);
      const tested = await company.send('GET', `${path}/${webhook.id}/test`);
      assert.deepEqual(tested.json, { data: { status: 200 } });
      const one = received().at(-1);
      assert.ok(await verifies(one, webhook));
      assert.deepEqual(JSON.parse(one!.body), {
        data: {
          date: now,
          'event-id': 0,
          payload: { id: webhook.id, callback_url: url, event_type_ids: [11], status },
          previous: null,
          type: 'webhooks.test',
        },
      });
    }
    for (const status of [204, 302, 410, 503]) {
      answers.set(at, status);
      assert.deepEqual(await company.ask('GET', `${path}/${webhook.id}/test`), { status });
    }
    assert.equal(received().length, 6);
    assert.deepEqual(await company.deliveries(webhook), []);
  });

  it('are not tested by HEAD, which has no effect: it is refused, and the answer lists the methods of the path', async () => {
    const { company, url, received } = await newcomer();
    const webhook = await company.registers(url);
    const head = await company.send('HEAD', `${path}/${webhook.id}/test`);
    assert.deepEqual([head.status, head.headers.get('allow'), head.text], [405, 'GET', '']);
    assert.deepEqual(await company.ask('GET', `${path}/${webhook.id}/test`), { status: 200 });
    assert.equal(received().length, 1);
    assert.equal((await company.send('HEAD', `${path}/${webhook.id}`)).status, 200);
  });

  it('of one company have two tests in progress, while those of another are tested', async (t) => {
    const held: (() => void)[] = [];
    const arrivals = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    const hanging = await tlsReceiver((_request, response) => {
      held.push(() => response.end());
      arrivals[held.length - 1]?.resolve();
    });
    t.after(() => hanging.close());
    const [{ company: slow }, { company: prompt, url }] = [await newcomer(), await newcomer()];
    const hung = await slow.registers(`${hanging.origin}/hang`);
    const tests = Array.from({ length: 2 }, () => slow.send('GET', `${path}/${hung.id}/test`));
    await arrivals[1]!.promise;
    for (let further = 0; further < 3; further += 1) {
      const { status, headers, json } = await slow.send('GET', `${path}/${hung.id}/test`);
      assert.deepEqual([status, json.code, headers.get('retry-after')], [429, 'rate_limited', '15']);
    }
    const webhook = await prompt.registers(url);
    assert.deepEqual(await prompt.ask('GET', `${path}/${webhook.id}/test`), { status: 200 });
    for (const answer of held) answer();
    for (const { status, json } of await Promise.all(tests)) assert.deepEqual([status, json.data.status], [200, 200]);
    assert.equal(hanging.received.length, 2);
    const later = slow.send('GET', `${path}/${hung.id}/test`);
    await arrivals[2]!.promise;
    held[2]!();
    assert.equal((await later).status, 200, 'an ended test makes room');
  });

  it('that cannot be reached return status 0 and an error to the test', async () => {
    const { company } = await newcomer();
    for (const [place, [callback, error]] of (
      [
        [`https://127.0.0.1:${refusing_port}/`, /ECONNREFUSED/],
        // A label of 64 characters is not a valid name, so no resolver is queried. A slow or lying
        // resolver cannot affect the test.
        [`https://${'a'.repeat(64)}.invalid/`, /^address_refused: a+\.invalid has no address that may be called$/],
      ] as const
    ).entries()) {
      const { id } = await company.registers(callback, { event_type_ids: [place + 2] });
      const { status, error: problem } = await company.ask('GET', `${path}/${id}/test`);
      assert.equal(status, 0);
      assert.match(problem, error);
    }
  });

  it('list their deliveries with all attempts, newest first, by state', async () => {
    const { company, at, url } = await newcomer();
    const webhook = await company.registers(url);
    const started = await moveClock(server.url);
    const first = await company.hears({ id: 1 });
    await moveClock(server.url);
    answers.set(at, 500);
    const second = await company.hears({ id: 2 }, 'ach.status.advice');
    await moveClock(server.url);
    const later = await moveClock(server.url, { advance: 'PT10M' });

    const deliveries = `${path}/${webhook.id}/deliveries`;
    const { data, links } = (await company.send('GET', deliveries)).json;
    assert.deepEqual(links, { first: deliveries, next: null });
    const attempt = (number: number, when: string, status: number) => ({
      number,
      at: when,
      status,
      error: null,
      duration_ms: 0,
      answer: `answer of ${at} ${'.'.repeat(5_000)}`.slice(0, 4_096),
      retry_after: '120',
    });
    const untimed = data.map((one: { attempts: { duration_ms: number; headers: object }[] }) => ({
      ...one,
      attempts: one.attempts.map(({ headers: _, ...made }) => {
        assert.ok(Number.isInteger(made.duration_ms) && made.duration_ms >= 0);
        return { ...made, duration_ms: 0 };
      }),
    }));
    const [{ id: second_id }, { id: first_id }] = data;
    const common = { type: 'delivery', created_at: started };
    assert.deepEqual(untimed, [
      {
        ...common,
        id: second_id,
        url: `${deliveries}/${second_id}`,
        event_id: second,
        event_type: 'ach.status.advice',
        sequence: 2,
        state: 'pending',
        next_attempt_at: '2099-03-16T10:28:00.000Z',
        attempts: [attempt(1, started, 500), attempt(2, later, 500)],
      },
      {
        ...common,
        id: first_id,
        url: `${deliveries}/${first_id}`,
        event_id: first,
        event_type: 'ach.status',
        sequence: 1,
        state: 'succeeded',
        next_attempt_at: null,
        attempts: [attempt(1, started, 200)],
      },
    ]);
    const ids = async (query: string) =>
      (await company.send('GET', `${deliveries}?${query}`)).json.data.map((one: { id: string }) => one.id);
    assert.deepEqual(await ids('filter[state]=pending'), [second_id]);
    assert.deepEqual(await ids('filter[state]=succeeded'), [first_id]);
    assert.deepEqual(await ids('filter[state]=failed'), []);
    const page = (await company.send('GET', `${deliveries}?page[limit]=1`)).json;
    const next = (await company.send('GET', page.links.next)).json;
    assert.deepEqual([page.data[0].id, next.data[0].id, next.links.next], [second_id, first_id, null]);
    const minimal = await company.send('GET', deliveries, undefined, { Prefer: 'return-minimal' });
    assert.deepEqual(minimal.json.data[1], { id: first_id, type: 'delivery', url: `${deliveries}/${first_id}` });
  });

  it('serve each delivery at its URL as it was sent, only to its company and under its webhook', async () => {
    const { company, at, url, received } = await newcomer();
    const stranger = await newcomer();
    const webhook = await company.registers(url);
    const other = await company.registers(url, { event_type_ids: [11] });
    answers.set(at, 500);
    await company.hears({ id: 1 });
    await moveClock(server.url);
    await moveClock(server.url, { advance: 'PT10M' });
    const [listed] = (await company.send('GET', `${path}/${webhook.id}/deliveries`)).json.data;
    const read = await company.send('GET', listed.url);
    assert.equal(read.status, 200, read.text);
    const { body, ...rest } = read.json.data;
    assert.deepEqual(rest, listed);
    assert.equal(received().length, 2);
    for (const [place, { headers, ...request }] of received().entries()) {
      const sent = listed.attempts[place].headers;
      assert.deepEqual(sent, Object.fromEntries(Object.keys(sent).map((name) => [name, headers[name]])));
      assert.equal(body, request.body);
      assert.ok(await verifies({ ...request, headers: sent }, webhook), 'what is shown verifies');
    }
    assert.deepEqual(
      listed.attempts.map(({ number, status }: { number: number; status: number }) => [number, status]),
      [
        [1, 500],
        [2, 500],
      ],
    );
    const not_there = [
      await stranger.company.send('GET', listed.url),
      await company.send('GET', `${path}/${other.id}/deliveries/${listed.id}`),
      await company.send('GET', `${path}/${webhook.id}/deliveries/999999`),
      await company.send('GET', `${path}/${webhook.id}/deliveries/0`),
    ];
    assert.deepEqual(
      not_there.map(({ status }) => status),
      [404, 404, 404, 404],
    );
  });

  it('send one delivery again on retry, successful or not, and the failed ones since an instant on recover', async () => {
    const { company, at, url, received } = await newcomer();
    const webhook = await company.registers(url);
    const hears = async (id: number, status: number): Promise<string> => {
      answers.set(at, status);
      await company.hears({ id });
      return await moveClock(server.url);
    };
    await hears(1, 200);
    await hears(2, 410);
    const since = await moveClock(server.url, { advance: 'PT1H' });
    await hears(3, 410);
    await hears(4, 410);
    answers.set(at, 200);
    const numbers = () => received().map(({ headers }) => Number(headers['x-webhook-sequence']));
    assert.deepEqual(numbers(), [1, 2, 3, 4]);

    const [taken] = await company.deliveries(webhook);
    const retried = await company.send('POST', `${path}/${webhook.id}/deliveries/${taken!.id}/retry`);
    assert.equal(retried.status, 204);
    assert.equal(retried.text, '');
    await moveClock(server.url);
    assert.deepEqual(numbers(), [1, 2, 3, 4, 1]);
    assert.deepEqual(received().at(-1)?.body, received()[0]?.body);

    const recover = (from: string) => company.ask('POST', `${path}/${webhook.id}/recover`, { since: from });
    assert.deepEqual(await recover('2100-01-01T00:00:00Z'), { recovered: 0 });
    assert.deepEqual(await recover(since), { recovered: 2 });
    await moveClock(server.url);
    assert.deepEqual(numbers().slice(5).toSorted(), [3, 4]);
    assert.deepEqual(await recover('2099-01-01T01:00:00+01:00'), { recovered: 1 });
    await moveClock(server.url);
    assert.deepEqual(numbers().slice(7), [2]);
    for (const { state, attempts } of await company.deliveries(webhook)) {
      assert.equal(state, 'succeeded');
      assert.equal(attempts.length, 2);
    }
  });

  it('send a delivery again on retry while it is in flight, after its answer, and show both attempts', async () => {
    const { company, at, url, received } = await newcomer();
    const webhook = await company.registers(url);
    const came = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    held.set(at, { came: came.resolve, until: answered.promise });
    await company.hears({ id: 1 });
    await came.promise;
    const [{ url: delivery_url }] = (await company.send('GET', `${path}/${webhook.id}/deliveries`)).json.data;
    assert.equal((await company.send('POST', `${delivery_url}/retry`)).status, 204);
    held.delete(at);
    answered.resolve();
    await moveClock(server.url);
    const { state, attempts } = await company.ask('GET', delivery_url);
    assert.equal(state, 'succeeded');
    assert.deepEqual(
      attempts.map(({ number, status }: { number: number; status: number }) => [number, status]),
      [
        [1, 200],
        [2, 200],
      ],
    );
    assert.equal(received().length, 2);
  });

  it('are deleted with their pending deliveries', async () => {
    const { company, at, url, received } = await newcomer();
    const webhook = await company.registers(url);
    answers.set(at, 500);
    await company.hears({ id: 1 });
    await moveClock(server.url);
    assert.equal(received().length, 1);
    assert.equal((await company.send('DELETE', `${path}/${webhook.id}`)).status, 204);
    await company.hears({ id: 2 });
    await moveClock(server.url, { advance: 'PT3H' });
    assert.equal(received().length, 1);
    for (const what of ['', '/deliveries', '/test']) {
      assert.equal((await company.send('GET', `${path}/${webhook.id}${what}`)).status, 404);
    }
    assert.equal((await company.send('DELETE', `${path}/${webhook.id}`)).status, 404);
    const [rows] = await readRows<{ count: number }>(
      database,
      `select count(*) as count from tallystick_deliveries where webhook_id = ${webhook.id}`,
    );
    assert.equal(rows?.count, 0);
  });
});
