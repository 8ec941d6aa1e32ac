import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import type { BankData } from '@tallystick/accounts';
import { Fault } from '@tallystick/kernel';
import { until } from '@tallystick/test-support';
import { aisp, all_permissions, other_aisp, startWorld } from './world.ts';

describe('the bounds of Open Banking', () => {
  it('limit the requests a minute of each third party (429, with Retry-After and no body)', async (t) => {
    const world = await startWorld(t, 'sqlite', (ports) => ({ ...ports, rate_limit_per_minute: 2 }));
    const [token, other] = [world.managementToken(aisp, 'accounts'), world.managementToken(other_aisp, 'accounts')];
    const ask = (sent: string) => world.send('GET', '/account-access-consents/x', { token: sent });
    assert.deepEqual([(await ask(token)).status, (await ask(token)).status], [400, 400]);
    const third = await ask(token);
    assert.deepEqual([third.status, third.text], [429, '']);
    assert.match(third.headers.get('retry-after') ?? '', /^\d+$/);
    assert.ok(third.headers.has('x-fapi-interaction-id'));
    assert.equal((await ask(other)).status, 400);
    // Another token of the same third party.
    assert.equal((await ask(world.managementToken(aisp, 'accounts'))).status, 429);
  });

  it('refuse what is more than the requests in progress (503, with Retry-After and no body)', async (t) => {
    const release = Promise.withResolvers<void>();
    const inside = Promise.withResolvers<void>();
    const world = await startWorld(t, 'sqlite', (ports) => ({
      ...ports,
      requests_max: 1,
      unitOfWork: {
        ...ports.unitOfWork,
        async read(work) {
          inside.resolve();
          await release.promise;
          return await ports.unitOfWork.read(work);
        },
      },
    }));
    const token = world.managementToken(aisp, 'accounts');
    const first = world.send('GET', '/account-access-consents/x', { token });
    await inside.promise;
    const second = await world.send('GET', '/account-access-consents/x', { token });
    release.resolve();
    assert.deepEqual([second.status, second.text, second.headers.get('retry-after')], [503, '', '1']);
    assert.equal((await first).status, 400);
  });

  it('answer 503 without a body when the database does not respond, and 500 with an error for a bug', async (t) => {
    let error: Error = new Fault('gone', { retryable: true });
    const world = await startWorld(t, 'sqlite', (ports) => ({
      ...ports,
      unitOfWork: { ...ports.unitOfWork, read: () => Promise.reject(error) },
    }));
    const token = world.managementToken(aisp, 'accounts');
    const gone = await world.send('GET', '/account-access-consents/x', { token });
    assert.deepEqual([gone.status, gone.text, gone.headers.get('retry-after')], [503, '', '1']);
    error = new Error('a secret of the bug');
    const bug = await world.send('GET', '/account-access-consents/x', { token });
    assert.equal(bug.status, 500);
    assert.equal(bug.json.Errors[0].ErrorCode, 'UK.OBIE.UnexpectedError');
    assert.equal(bug.json.Id, bug.headers.get('x-request-id'));
    assert.ok(!bug.text.includes('secret'));
    assert.match(world.service.log(), /a secret of the bug/);
  });

  it('are no bounds where Open Banking is not served: every path is a plain 404', async (t) => {
    const world = await startWorld(t, 'sqlite', ({ open_banking: _, ...ports }) => ports);
    for (const path of ['/accounts', '/account-access-consents', '/open-banking/v3.1/aisp/accounts', '/oauth/token']) {
      const reply = await world.send('GET', path);
      assert.deepEqual([reply.status, reply.json.code], [404, 'not_found']);
      assert.equal(reply.headers.get('x-fapi-interaction-id'), null);
    }
  });

  it('ask the bank of the host, where there is one, and fail when it does', async (t) => {
    let findUser: BankData['findUser'] = async () => null;
    const world = await startWorld(t, 'sqlite', (ports) => ({
      ...ports,
      open_banking: { ...ports.open_banking!, bank: { findUser: (id: string) => findUser(id) } as BankData },
    }));
    const token = await world.grant(all_permissions);
    const unknown = await world.send('GET', '/accounts', { token });
    assert.deepEqual([unknown.status, unknown.json.Errors[0].ErrorCode], [403, 'Tallystick.Access.NotEligible']);
    findUser = () => Promise.reject(new Error('the directory is away'));
    const away = await world.send('GET', '/accounts', { token });
    assert.deepEqual([away.status, away.json.Errors[0].ErrorCode], [500, 'UK.OBIE.UnexpectedError']);
    assert.ok(!away.text.includes('directory'));
  });

  it('keep what a third party may do apart from the keys of the other routes', async (t) => {
    const world = await startWorld(t);
    const token = await world.grant(all_permissions);
    for (const path of ['/v1/virtualcards', '/bank/v1/accounts', '/operator/v1/companies']) {
      assert.equal((await world.send('GET', path, { token })).status, 401);
    }
  });
});

describe('the way to the authorisation server', () => {
  /** A world whose authorisation server repeats what it receives. */
  async function startEcho(t: Parameters<typeof startWorld>[0], requests_max = 512) {
    return await startWorld(t, 'sqlite', (ports) => ({
      ...ports,
      requests_max,
      open_banking: {
        ...ports.open_banking!,
        authorisation: {
          find: async () => null,
          handles: (path) => path.startsWith('/oauth/'),
          async handle(request, response) {
            const { method, url, headers } = request;
            const body = await text(request);
            response.setHeader('Content-Type', 'application/json');
            response.end(JSON.stringify({ method, url, headers, body }));
          },
        },
      },
    }));
  }

  it('hands over method, target, headers and body as they were sent', async (t) => {
    const world = await startEcho(t);
    for (const [method, body] of [
      ['GET', undefined],
      ['POST', 'a=1&b=%20'],
      ['POST', ''],
      ['POST', 'x'.repeat(200_000)],
    ] as const) {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Cookie: 'a=b' };
      const reply = await world.send(method, '/oauth/x?y=%2F', { headers, ...(body === undefined ? {} : { body }) });
      assert.equal(reply.status, 200);
      assert.deepEqual([reply.json.method, reply.json.url, reply.json.body], [method, '/oauth/x?y=%2F', body ?? '']);
      assert.equal(reply.json.headers.cookie, 'a=b');
      assert.ok(reply.headers.has('x-request-id'));
    }
  });

  it('bounds the body, and counts no request whose body is still to come', async (t) => {
    const world = await startEcho(t, 1);
    assert.equal((await world.send('POST', '/oauth/x', { body: 'x'.repeat(1024 * 1024 + 1) })).status, 413);
    const slow = httpRequest(`${world.service.url}/oauth/slow`, { method: 'POST' });
    const answered = once(slow, 'response');
    slow.write('a');
    assert.equal((await world.send('GET', '/oauth/x')).status, 200);
    slow.end('b');
    const [response] = (await answered) as [IncomingMessage];
    assert.equal(JSON.parse(await text(response)).body, 'ab');
  });

  it('leaves users and other third parties a place when one third party hangs', async (t) => {
    const release = Promise.withResolvers<void>();
    t.after(() => release.resolve());
    let hanging = 0;
    const world = await startWorld(t, 'sqlite', (ports) => ({
      ...ports,
      requests_max: 16,
      open_banking: {
        ...ports.open_banking!,
        authorisation: {
          find: async () => null,
          handles: (path) => /^\/(oauth|authorise|consents)/.test(path),
          async handle(request, response) {
            if ((await text(request)).includes('hanging')) {
              hanging += 1;
              await release.promise;
            }
            response.end();
          },
        },
      },
    }));
    const assertionOf = (client_id: string) => {
      const payload = Buffer.from(JSON.stringify({ sub: client_id })).toString('base64url');
      return `client_assertion=e30.${payload}.AA`;
    };
    const ask = (body: string) => world.send('POST', '/oauth/token', { body });
    const first = ask(`hanging&${assertionOf('a')}`);
    await until(() => hanging === 1);
    const waiting = ask(assertionOf('a'));
    const others = [await ask(assertionOf('b')), await ask('client_id=c'), await ask('')];
    for (const path of ['/oauth/authorize', '/authorise/x', '/oauth/authorize/x', '/consents']) {
      others.push(await world.send('GET', path));
    }
    release.resolve();
    assert.deepEqual(
      [...others, await first, await waiting].map(({ status }) => status),
      Array.from({ length: 9 }, () => 200),
    );
  });

  it('leaves a half of the transactions to others, however many requests are at its doors', async (t) => {
    const release = Promise.withResolvers<void>();
    t.after(() => release.resolve());
    const begun: string[] = [];
    const running: string[] = [];
    const world = await startWorld(t, 'sqlite', (ports) => ({
      ...ports,
      transactions_max: 2,
      open_banking: {
        ...ports.open_banking!,
        authorisation: {
          find: async () => null,
          handles: (path) => path.startsWith('/oauth/'),
          async handle({ url = '' }, response, { transaction }) {
            const work = transaction(() => {
              running.push(url);
              return release.promise;
            });
            begun.push(url);
            await work;
            response.end();
          },
        },
      },
    }));
    const sent = ['/oauth/1', '/oauth/2', '/oauth/3'].map((path) => world.send('GET', path));
    await until(() => begun.length === 3);
    assert.deepEqual(running, begun.slice(0, 1));
    release.resolve();
    for (const reply of await Promise.all(sent)) assert.equal(reply.status, 200);
    assert.equal(running.length, 3);
  });

  it('looks tokens of another address up while those of one address hang', async (t) => {
    const release = Promise.withResolvers<void>();
    t.after(() => release.resolve());
    let hanging = 0;
    const world = await startWorld(t, 'sqlite', (ports) => ({
      ...ports,
      requests_max: 16,
      trusted_proxies: ['127.0.0.0/8'],
      open_banking: {
        ...ports.open_banking!,
        authorisation: {
          handles: () => false,
          handle: async () => {},
          async find(token) {
            if (token === 'hanging') {
              hanging += 1;
              await release.promise;
            }
            return null;
          },
        },
      },
    }));
    const ask = (token: string, address: string) =>
      world.send('GET', '/accounts', { token, headers: { 'X-Forwarded-For': address } });
    const hung = [1, 2].map(() => ask('hanging', '192.0.2.1'));
    await until(() => hanging === 1);
    assert.equal((await ask('another', '192.0.2.2')).status, 401);
    assert.equal(hanging, 1);
    release.resolve();
    for (const reply of await Promise.all(hung)) assert.equal(reply.status, 401);
  });

  it('counts ids that no third party has as their address', async (t) => {
    const release = Promise.withResolvers<void>();
    t.after(() => release.resolve());
    let inside = 0;
    const world = await startWorld(t, 'sqlite', (ports) => ({
      ...ports,
      requests_max: 32,
      open_banking: {
        ...ports.open_banking!,
        authorisation: {
          find: async () => null,
          handles: (path) => path.startsWith('/oauth/'),
          async handle(_request, response) {
            inside += 1;
            await release.promise;
            response.end();
          },
        },
      },
    }));
    const ask = (client_id: string) => world.send('POST', '/oauth/token', { body: `client_id=${client_id}` });
    const long = ['a', 'b', 'c'].map((letter) => ask(letter.repeat(65)));
    await until(() => inside === 2);
    const short = ask('a'.repeat(64));
    await until(() => inside === 3);
    const body = 'x'.repeat(16 * 1024);
    const padded = ask(`d&${body}`);
    const health = await world.send('GET', '/healthz');
    assert.deepEqual([health.status, inside], [200, 3]);
    release.resolve();
    for (const one of [...long, short, padded]) assert.equal((await one).status, 200);
  });

  it('sends a refusal that has waited, although no place is free', async (t) => {
    const release = Promise.withResolvers<void>();
    t.after(() => release.resolve());
    const pauses: (() => void)[] = [];
    let hanging = 0;
    const world = await startWorld(t, 'sqlite', (ports) => ({
      ...ports,
      requests_max: 8,
      pause: () => new Promise((end) => pauses.push(end)),
      open_banking: {
        ...ports.open_banking!,
        authorisation: {
          find: async () => null,
          handles: (path) => path.startsWith('/oauth/'),
          async handle(request, response, bounds) {
            if ((await text(request)) === 'hanging') {
              hanging += 1;
              await release.promise;
            } else await bounds.slowDown();
            response.writeHead(401).end();
          },
        },
      },
    }));
    const ask = (body: string) => world.send('POST', '/oauth/token', { body });
    const refused: Promise<{ readonly status: number }>[] = [];
    while (pauses.length === 0) {
      const one = ask('wrong');
      refused.push(one);
      await Promise.race([one, until(() => pauses.length > 0)]);
    }
    const holding = ask('hanging');
    await until(() => hanging === 1);
    for (const end of pauses) end();
    for (const one of refused) assert.equal((await one).status, 401);
    release.resolve();
    await holding;
  });

  it('keeps nothing of a body while its sender waits for a refusal', async (t) => {
    const pauses: (() => void)[] = [];
    let held = false;
    const world = await startWorld(t, 'sqlite', (ports) => ({
      ...ports,
      pause: () => new Promise((end) => pauses.push(end)),
      open_banking: {
        ...ports.open_banking!,
        authorisation: {
          find: async () => null,
          handles: (path) => path.startsWith('/oauth/'),
          async handle(request, response, bounds) {
            await bounds.slowDown();
            held ||= request.readableLength > 0;
            response.writeHead(401).end();
          },
        },
      },
    }));
    let answered = 0;
    const ask = async () => {
      await world.send('POST', '/oauth/token', { body: 'x'.repeat(200_000) });
      answered += 1;
    };
    const all = Array.from({ length: 40 }, ask);
    await until(() => pauses.length > 0 && answered + pauses.length === all.length);
    const metrics = await text((await fetch(`${world.service.url}/metrics`)).body!);
    for (const end of pauses) end();
    await Promise.all(all);
    assert.match(metrics, /^tallystick_http_body_bytes 0$/m);
    assert.equal(held, false);
  });

  it('logs neither path nor query', async (t) => {
    const world = await startEcho(t);
    const reply = await world.send('GET', '/oauth/secret-id?code=secret');
    const line = world.service
      .log()
      .split('\n')
      .find((one) => one.includes(reply.headers.get('x-request-id')!));
    assert.match(line ?? '', /"route":"\/oauth\/\*"/);
    assert.ok(!line?.includes('secret'));
  });
});
