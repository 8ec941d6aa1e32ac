import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it, type TestContext } from 'node:test';
import { totpCode, totpStepAt } from '@tallystick/access';
import Provider from 'oidc-provider';
import { type ConsoleWorld, openConsole } from './console-world.ts';

const password = 'correct horse battery';

/** A person with a password, and what its app shows. */
async function withPassword({ tally, nowMs }: ConsoleWorld, handle: string, grants: readonly object[]) {
  const { people } = tally.operator;
  const { id } = await people.create({ handle, name: handle, grants: grants as never });
  await people.setPassword(id, { password });
  const { totp_secret } = await people.resetTotp(id);
  const bits = [...totp_secret!].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const secret = Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  );
  const hmacSha1 = (key: Uint8Array, message: Uint8Array) => createHmac('sha1', key).update(message).digest();
  return { id, code: () => totpCode(hmacSha1, secret, totpStepAt(nowMs())) };
}

const everywhere = (role: string) => [{ role, company_id: null }];

describe('the log-in of the console', () => {
  let world: ConsoleWorld;
  const ends: (() => Promise<void> | void)[] = [];
  before(async () => {
    world = await openConsole({ after: (end) => void ends.unshift(end) });
  });
  after(async () => {
    for (const end of ends) await end();
  });

  it('needs password and code, each code once, and leads back to the page that was asked for', async () => {
    const { code } = await withPassword(world, 'anna', everywhere('admin'));
    const browser = world.browser();
    const asked = await browser.get('/console/companies?after=');
    assert.deepEqual([asked.status, asked.path], [200, '/console/log-in?back=%2Fcompanies%3Fafter%3D']);
    const used = code();
    for (const wrong of [
      { password: 'wrong', code: used },
      { password, code: '000000' },
      { password, code: '' },
    ]) {
      const page = await browser.post('/console/log-in', { handle: 'anna', back: '/companies', ...wrong });
      assert.equal(page.status, 401);
      assert.ok(!page.html.includes(wrong.password) || wrong.password === '', 'a password is not repeated');
      assert.equal(browser.cookies.size, 0);
    }
    const page = await browser.post('/console/log-in', { handle: 'anna', password, code: used, back: '/companies' });
    assert.deepEqual([page.status, page.path], [200, '/console/companies']);
    const other = world.browser();
    const again = await other.post('/console/log-in', { handle: 'anna', password, code: used, back: '/' });
    assert.equal(again.status, 401, 'the code was used');
    const outside = await other.post('/console/log-in', {
      handle: 'anna',
      password,
      code: '1',
      back: '//evil.example',
    });
    assert.ok(!outside.html.includes('evil.example'));
    const failed = await world.tally.operator.audit.list({ filter: { action: 'person.login_failed' } });
    assert.deepEqual(
      failed.items.map(({ object, source_address }) => [/^user_name:[0-9a-f]{16}$/.test(object), source_address]),
      [[true, '127.0.0.1']],
      'one entry for several failures of a name and address',
    );
  });

  it('leads back to a search without the card number that was searched for', async () => {
    const back = (query: string) => world.browser().get(`/console/companies/1/search?q=${query}`);
    assert.equal((await back('12.50')).path, '/console/log-in?back=%2Fcompanies%2F1%2Fsearch%3Fq%3D12.50');
    for (const number of ['4111111111111111', '4111+1111-1111%201111']) {
      assert.equal((await back(number)).path, '/console/log-in?back=%2Fcompanies%2F1%2Fsearch');
    }
  });

  it('slows wrong passwords of a name and address, and locks nobody out', async () => {
    const { code } = await withPassword(world, 'bea', everywhere('viewer'));
    const browser = world.browser();
    let page = await browser.get('/console/log-in');
    for (let attempt = 0; attempt < 4; attempt += 1) {
      page = await browser.post('/console/log-in', { handle: 'Bea ', password: 'wrong', code: '1' });
    }
    assert.match(page.html, /the next one takes up to \d+ seconds?\./);
    await withPassword(world, 'berta', everywhere('viewer')).then(async ({ code: of_berta }) => {
      const other = await world
        .browser()
        .post('/console/log-in', { handle: 'berta', password, code: of_berta(), back: '/account' });
      assert.equal(other.path, '/console/account', 'another name of this address does not wait');
    });
    const right = await browser.post('/console/log-in', { handle: 'bea', password, code: code(), back: '/account' });
    assert.equal(right.path, '/console/account', 'the right one succeeds after its pause');
  });

  it('ends with the session: idle, after hours, at a log-out, everywhere, and with the person', async () => {
    const { id, code } = await withPassword(world, 'clara', everywhere('viewer'));
    const logIn = async () => {
      const browser = world.browser();
      world.advance(60_000);
      await browser.post('/console/log-in', { handle: 'clara', password, code: code(), back: '/account' });
      assert.equal(browser.page.path, '/console/account', browser.page.html);
      return browser;
    };
    const isIn = async (browser: ReturnType<ConsoleWorld['browser']>) =>
      (await browser.get('/console/account')).path === '/console/account';

    const idle = await logIn();
    world.advance(29 * 60_000);
    assert.equal(await isIn(idle), true);
    world.advance(29 * 60_000);
    assert.equal(await isIn(idle), true, 'a request keeps it open');
    world.advance(29 * 60_000);
    const cookie = idle.cookie_header;
    const part = await fetch(`${world.url}/console/account`, { headers: { cookie, 'x-live': '1' } });
    assert.equal(part.status, 200);
    world.advance(60_000);
    const late = await fetch(`${world.url}/console/account`, {
      headers: { cookie, 'x-live': '1' },
      redirect: 'manual',
    });
    assert.equal(late.status, 204, 'what a page fetches by itself does not keep it open, and leads nowhere');
    assert.equal(await isIn(idle), false);

    const out = await logIn();
    const kept = new Map(out.cookies);
    await out.post('/console/log-out', {});
    for (const [name, value] of kept) out.cookies.set(name, value);
    assert.equal(await isIn(out), false, 'the token is of no use after a log-out');

    const [first, second] = [await logIn(), await logIn()];
    await first.post('/console/account/end-sessions', {});
    assert.deepEqual([await isIn(first), await isIn(second)], [false, false]);

    const disabled = await logIn();
    await world.tally.operator.people.update(id, { status: 'disabled' });
    assert.equal(await isIn(disabled), false);
  });

  it('lets a person change its own password, which ends its other sessions', async () => {
    const { id, code } = await withPassword(world, 'eva', everywhere('viewer'));
    const logIn = async (typed: string) => {
      const browser = world.browser();
      world.advance(60_000);
      await browser.post('/console/log-in', { handle: 'eva', password: typed, code: code(), back: '/account' });
      return browser;
    };
    const [own, other] = [await logIn(password), await logIn(password)];
    const next = ' a staple of a battery ';
    const change = (fields: object) =>
      own.post('/console/account/password', { present: password, password: next, again: next, ...fields });
    for (const [wrong, problem] of [
      [{ present: 'wrong' }, /Present password: is not your password/],
      [{ present: '' }, /Present password: is not your password/],
      [{ again: 'another' }, /New password, again: must be the same as the new password/],
      [{ password: 'short', again: 'short' }, /New password: must have at least 12 characters/],
      [{ password: 'eva', again: 'eva' }, /New password: must/],
    ] as const) {
      const page = await change(wrong);
      assert.deepEqual([page.status, problem.test(page.html)], [422, true], page.html);
      assert.ok(!page.html.includes(next) && !page.html.includes(password), 'no password is repeated');
    }
    for (let attempt = 0; attempt < 2; attempt += 1) await change({ present: 'wrong' });
    assert.match(own.page.html, /the next one takes up to \d+ seconds?\./);
    assert.equal((await other.get('/console/account')).path, '/console/account');

    const page = await change({});
    assert.deepEqual([page.path, /Your password is changed/.test(page.html)], ['/console/account', true], page.html);
    assert.equal((await other.get('/console/account')).path, '/console/log-in?back=%2Faccount');
    assert.equal((await logIn(password)).page.status, 401, 'the password before');
    assert.equal((await logIn(next)).page.path, '/console/account', 'the new one');
    const { items } = await world.tally.operator.audit.list({ filter: { object: `person:${id}` } });
    const { action, actor } = items.find((entry) => entry.action === 'person.password_set')!;
    assert.deepEqual([action, actor], ['person.password_set', 'person:eva']);
  });

  it('refuses forms without the token of the session, and those that another site sends', async () => {
    const { code } = await withPassword(world, 'dora', everywhere('admin'));
    const browser = world.browser();
    await browser.post('/console/log-in', { handle: 'dora', password, code: code(), back: '/account' });
    const forged = await browser.post('/console/account/end-sessions', { form_token: 'x' });
    assert.equal(forged.status, 403);
    const cookie = browser.cookie_header;
    const parts = new FormData();
    parts.append('form_token', 'x');
    const in_parts = await fetch(`${world.url}/console/account/end-sessions`, {
      method: 'POST',
      body: parts,
      headers: { cookie },
    });
    assert.equal(in_parts.status, 403);
    const elsewhere = await fetch(`${world.url}/console/log-out`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    });
    assert.equal(elsewhere.status, 403);
    assert.equal((await browser.get('/console/account')).path, '/console/account', 'the session goes on');
  });

  it('is one click in a sandbox, for each role, and only there', async (t) => {
    const sandbox = await openConsole(t, () => ({ sandbox: true }));
    for (const [back, path] of [
      ['/account?name=日本', '/console/account?name=%E6%97%A5%E6%9C%AC'],
      ['/\0account', '/console/%00account'],
      ['/\ud800', '/console/%EF%BF%BD'],
      ['/.//evil.example', '/console/companies/1'],
      [`/${'日'.repeat(2_000)}`, '/console/companies/1'],
    ] as const) {
      const browser = sandbox.browser();
      await browser.post('/console/log-in/sandbox', { role: 'viewer', back });
      assert.deepEqual([browser.cookies.size, browser.page.path], [1, path]);
    }
    for (const role of ['viewer', 'support', 'risk', 'finance', 'admin']) {
      const browser = sandbox.browser();
      await browser.post('/console/log-in/sandbox', { role, back: '/account' });
      assert.equal(browser.page.path, '/console/account');
      assert.ok(browser.page.html.includes(`Sandbox ${role}`));
    }
    const { code } = await withPassword(sandbox, 'olga', everywhere('support'));
    const browser = sandbox.browser();
    await browser.post('/console/log-in', { handle: 'olga', password, code: '000000' });
    assert.deepEqual([browser.page.status, /<details open>/.test(browser.page.html)], [401, true]);
    await browser.post('/console/log-in', { handle: 'olga', password, code: code(), back: '/account' });
    assert.equal(browser.page.path, '/console/account', 'who was made here has a password, too');
    await withPassword(world, 'viewer', everywhere('viewer'));
    const page = await world.browser().post('/console/log-in/sandbox', { role: 'viewer', handle: 'viewer' });
    assert.equal(page.status, 401);
  });
});

it('behind a proxy that ends TLS, cookies are for https and this host alone, and a log-out clears them', async (t) => {
  const world = await openConsole(t, () => ({ public_url: 'https://cards.example' }));
  const { code } = await withPassword(world, 'anna', everywhere('viewer'));
  const browser = world.browser();
  const send = (path: string, fields: Readonly<Record<string, string>>) => {
    const cookie = browser.cookie_header;
    const body = new URLSearchParams(fields);
    return fetch(world.url + path, { method: 'POST', body, headers: { cookie }, redirect: 'manual' });
  };
  const logged_in = await send('/console/log-in', { handle: 'anna', password, code: code(), back: '/account' });
  const [set = ''] = logged_in.headers.getSetCookie();
  const attributes = 'Path=/; HttpOnly; SameSite=Lax; Max-Age=';
  const [, token] = /^__Host-tallystick_console=([\w-]{43}); /.exec(set) ?? [];
  assert.equal(set, `__Host-tallystick_console=${token}; ${attributes}43200; Secure`);
  browser.cookies.set('__Host-tallystick_console', token!);
  const account = await browser.get('/console/account');
  const [, form_token] = /name="form_token" value="([\w-]+)"/.exec(account.html)!;
  const out = await send('/console/log-out', { form_token: form_token! });
  assert.deepEqual(out.headers.getSetCookie(), [`__Host-tallystick_console=; ${attributes}0; Secure`]);
  assert.equal((await browser.get('/console/account')).path, '/console/log-in?back=%2Faccount');
});

type ClientAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none';

/** An OpenID provider at which somebody is logged in already. */
async function startProvider(t: TestContext, console_url: () => string, token_endpoint_auth_method: ClientAuthMethod) {
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let handle: ReturnType<Provider['callback']> = () => Promise.resolve();
  const client_secret = token_endpoint_auth_method === 'none' ? null : 'a secret of the client';
  const settings = { issuer, client_id: 'tallystick', client_secret };
  return {
    settings,
    /** `meanwhile` is called while the person is at the provider. */
    start(subject: string, meanwhile = () => {}) {
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: settings.client_id,
            ...(client_secret === null ? {} : { client_secret }),
            token_endpoint_auth_method,
            redirect_uris: [`${console_url()}/console/log-in/openid/callback`],
          },
        ],
        cookies: { keys: ['k'] },
        features: { devInteractions: { enabled: false } },
        clientAuthMethods: [token_endpoint_auth_method],
        pkce: { required: () => true },
        findAccount: (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id, email: 'admin@example.com' }) }),
        async loadExistingGrant(ctx) {
          const grant = new ctx.oidc.provider.Grant({
            clientId: ctx.oidc.client!.clientId,
            accountId: ctx.oidc.session!.accountId!,
          });
          grant.addOIDCScope('openid');
          await grant.save();
          return grant;
        },
        interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      });
      const library = provider.callback();
      handle = async (request, response) => {
        if (!request.url?.startsWith('/interaction/')) return await library(request, response);
        meanwhile();
        await provider.interactionFinished(request, response, { login: { accountId: subject } });
      };
    },
  };
}

/** A console with an OpenID provider. */
async function openWithProvider(t: TestContext, method: ClientAuthMethod = 'client_secret_basic') {
  let console_url = '';
  const provider = await startProvider(t, () => console_url, method);
  const world = await openConsole(t, (url) => {
    console_url = url;
    return { console_provider: provider.settings };
  });
  return { world, provider };
}

it('an identity of the provider logs in only after it was registered, and gets its roles from nowhere else', async (t) => {
  const { world, provider } = await openWithProvider(t);
  provider.start('subject-1');
  const unknown = world.browser();
  await unknown.get('/console/companies');
  const page = await unknown.get('/console/log-in/openid?back=%2Faccount');
  assert.equal(page.status, 403, page.html);
  assert.ok(page.html.includes(provider.settings.issuer) && page.html.includes('subject-1'));
  assert.equal(unknown.cookies.has('tallystick_console'), false);

  const { people } = world.tally.operator;
  const identity = { issuer: provider.settings.issuer, subject: 'subject-1' };
  const { id } = await people.create({ handle: 'anna', name: 'Anna', ...identity, grants: [] });
  const anna = world.browser();
  await anna.get('/console/log-in/openid?back=%2Faccount');
  assert.equal(anna.page.path, '/console/account', anna.page.html);
  assert.equal((await anna.get('/console/companies')).status, 403, 'an e-mail address gives no role');
  await people.update(id, { grants: [{ role: 'viewer' }] });
  assert.equal((await anna.get('/console/companies')).status, 200);

  // An answer of the provider is for the browser that was sent there.
  const other = world.browser();
  const stolen = await other.get('/console/log-in/openid/callback?code=x&state=y');
  assert.equal(stolen.status, 400);
  provider.start('subject-1', () => world.advance(600_000));
  const late = await world.browser().get('/console/log-in/openid');
  assert.equal(late.status, 400, 'the way to the provider ends after ten minutes');
  provider.start('subject-2');
  const second = await world.browser().get('/console/log-in/openid');
  assert.equal(second.status, 403);
});

/** A browser that is about to go to the provider, and the address to which it is sent. */
async function leave({ url, browser }: ConsoleWorld) {
  const leaving = browser();
  const reply = await fetch(`${url}/console/log-in/openid?back=%2Faccount`, { redirect: 'manual' });
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(reply.headers.getSetCookie()[0]!)!;
  leaving.cookies.set(name!, value!);
  return { browser: leaving, to: new URL(reply.headers.get('location')!) };
}

it('an answer of the provider is only for the attempt for which the browser was sent there', async (t) => {
  const { world, provider } = await openWithProvider(t);
  const identity = { issuer: provider.settings.issuer, subject: 'subject-1' };
  await world.tally.operator.people.create({ handle: 'anna', name: 'Anna', ...identity, grants: [] });
  provider.start('subject-1');

  const [own, other] = [await leave(world), await leave(world)];
  for (const name of ['state', 'nonce', 'code_challenge']) {
    const [one, another] = [own, other].map(({ to }) => to.searchParams.get(name) ?? '');
    assert.ok(one!.length >= 43 && one !== another, `${name} is of one attempt: ${one}`);
  }
  assert.equal(own.to.searchParams.get('code_challenge_method'), 'S256');
  /** Goes to the provider as somebody has changed the address, and comes back. */
  const comeBack = async (change: (to: URL) => URL) => {
    const { browser, to } = await leave(world);
    const page = await browser.get(change(to).href);
    return [page.status, page.path.split('?')[0], browser.cookies.has('tallystick_console')] as const;
  };
  const refused = [400, '/console/log-in/openid/callback', false];
  const withOne = (to: URL, name: string, of: URL) => {
    const changed = new URL(to);
    changed.searchParams.set(name, of.searchParams.get(name)!);
    return changed;
  };
  for (const name of ['state', 'nonce', 'code_challenge']) {
    assert.deepEqual(await comeBack((to) => withOne(to, name, other.to)), refused, `another ${name}`);
  }
  assert.deepEqual(await comeBack(() => other.to), refused, 'the code of another browser');
  const mixed = await comeBack((to) => withOne(other.to, 'state', to));
  assert.deepEqual(mixed, refused, 'the code of another browser, with its own state');
  assert.deepEqual(await comeBack((to) => to), [200, '/console/account', true], 'as it was sent');
});

for (const method of ['client_secret_post', 'none'] as const) {
  it(`a client that proves itself by ${method} logs people in`, async (t) => {
    const { world, provider } = await openWithProvider(t, method);
    const identity = { issuer: provider.settings.issuer, subject: 'subject-1' };
    await world.tally.operator.people.create({ handle: 'anna', name: 'Anna', ...identity, grants: [] });
    provider.start('subject-1');
    const page = await world.browser().get('/console/log-in/openid?back=%2Faccount');
    assert.equal(page.path, '/console/account', page.html);
    assert.ok(!page.html.includes('New password'), 'who has no password has none to change');
  });
}
