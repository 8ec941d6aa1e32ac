import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type PageBrowser, type TlsReceiver, tlsReceiver, until } from '@tallystick/test-support';
import { type BrowsedConsole, browseConsole } from './browse.ts';

const webhooks = '/companies/1/webhooks';

describe('webhooks in the console', () => {
  let world: BrowsedConsole;
  let receiver: TlsReceiver;
  let admin: PageBrowser;
  let status = 500;
  /** The path of a webhook that has failed since it was made, below the company's. */
  let failing = '';

  const sent = () => receiver.received.filter(({ path }) => path === '/hook');
  const advance = async (time: string, attempts: number): Promise<void> => {
    await world.tally.sandbox.clock.move({ advance: time });
    await until(() => sent().length === attempts);
  };
  /** Waits until the page says so: the result of an attempt is recorded after its answer. */
  const shows = async (path: string, words: RegExp): Promise<string> => {
    let text = '';
    await until(async () => {
      ({ text } = await admin.get(path));
      return words.test(text);
    });
    return text;
  };

  before(async () => {
    receiver = await tlsReceiver((_, response) => {
      response.statusCode = status;
      response.end('<script>alert(1)</script>');
    });
    world = await browseConsole();
    await world.tally.start();
    admin = world.as('anna', { role: 'admin', company_id: 1 });
    await admin.get(webhooks);
    const fields = { callback_url: `${receiver.origin}/hook`, type: '5', active: 'on' };
    const made = await admin.post(`${webhooks}/new`, fields);
    assert.match(made.text, /whsec_\S{44}/);
    failing = /href="\/ops\/companies\/1(\/webhooks\/\d+)"/.exec(made.html)![1]!;
    await world.tally.operator.events.record({ company_id: 1, event_type: 'ach.status', payload: { id: 7 } });
    for (const [at, time] of ['PT0S', 'PT10M', 'PT18M'].entries()) await advance(time, at + 1);
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
    await receiver?.close();
  });

  it('come with those that fail first, since when, and what comes next', async () => {
    await admin.post(`${webhooks}/new`, { callback_url: 'https://127.0.0.1/other', type: '6', active: 'on' });
    const text = await shows(webhooks, /Failing /);
    assert.ok(text.indexOf('Failing') < text.indexOf('Others'));
    assert.match(text, new RegExp(`${receiver.origin}/hook .*ach\\.status .*failing .*0 of 1 delivered, 1 waiting`));
    assert.match(text, /Others .*other .*State active/);
  });

  it('show of a delivery the request with the signature that was sent, and the answer as text', async () => {
    const list = await admin.get(`/companies/1${failing}?state=pending`);
    const [, path = ''] = /href="\/ops(\/companies\/1\/webhooks\/\d+\/deliveries\/\d+)"/.exec(list.html) ?? [];
    const { text, html } = await admin.get(path);
    for (const { headers } of sent()) assert.ok(text.includes(String(headers['x-signature'])));
    assert.ok(text.includes(sent()[0]!.body));
    assert.match(text, /Attempt 3 .*failed status 500/);
    assert.match(text, new RegExp(`that was sent, x-signature ${sent().at(-1)!.headers['x-signature']}`));
    const [, at = ''] = /Attempt 3 .*? Time (\S+ \S+ \S+ \d\d:\d\d)/.exec(text) ?? [];
    assert.ok(list.text.includes(`3 attempts, the last ${at}`), `${at}: ${list.text}`);
    assert.ok(text.includes('<script>alert(1)</script>'));
    assert.ok(!html.includes('<script>alert'));
  });

  it('send again what failed since it began, one delivery, and a test', async () => {
    await advance('PT50M', 4);
    await advance('PT30M', 5);
    const page = `/companies/1${failing}`;
    await shows(page, /1 failed/);
    const [, since = ''] = /<option value="([^"]+)"[^>]*>It began to fail/.exec((await admin.get(page)).html) ?? [];
    status = 204;
    const recovered = await admin.post(`${page}/recover`, { since, at: '' });
    assert.match(recovered.text, /1 delivery is sent again\./);
    await until(() => sent().length === 6);
    await shows(`${page}?state=succeeded`, /State delivered/);
    const [, delivery = ''] = /\/deliveries\/(\d+)"/.exec((await admin.get(`${page}?state=all`)).html) ?? [];
    assert.match((await admin.post(`${page}/deliveries/${delivery}/retry`, { from: 'list' })).text, /is sent again/);
    await until(() => sent().length === 7);
    assert.match((await admin.post(`${page}/test`)).text, /The test event was answered with status 204\./);
    assert.match((await admin.post(`${page}/recover`, { since: '', at: '2099-01-01T00:00' })).text, /No delivery/);
  });

  it('are changed, get another secret and are deleted after a question', async () => {
    const made = await admin.post(`${webhooks}/new`, { callback_url: 'https://127.0.0.1/third', active: 'on' });
    const [, secret = ''] = /(whsec_\S{44})/.exec(made.text) ?? [];
    const [, path = ''] = /href="\/ops(\/companies\/1\/webhooks\/\d+)"/.exec(made.html) ?? [];
    const taken = await admin.post(`${path}/edit`, { type: '5', active: 'on' });
    assert.equal(taken.status, 422);
    assert.match(taken.text, /That was not done Events: has 5, which webhook 1 already has/);
    assert.match(
      (await admin.post(`${path}/edit`, { type: '7' })).text,
      /was changed.* paused .*virtualcard\.clearings/,
    );
    assert.match((await admin.post(`${path}/enable`)).text, /is active/);
    const rotated = await admin.post(`${path}/rotate`);
    assert.match(rotated.text, /whsec_\S{44}/);
    assert.ok(!rotated.text.includes(secret));
    assert.match((await admin.get(`${path}/delete`)).text, /Its deliveries are deleted with it/);
    assert.match((await admin.post(`${path}/delete`)).text, /was deleted/);
    assert.equal((await admin.get(path)).status, 404);
  });

  it('of a viewer and of another company: no button, and no act', async () => {
    const viewer = world.as('vera', { role: 'viewer', company_id: 1 });
    const page = await viewer.get(`/companies/1${failing}`);
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /test event|Send again|Replace|Delete|Pause/);
    assert.equal((await viewer.post(`/companies/1${failing}/test`)).status, 403);
    const { id } = await world.tally.operator.companies.create({ name: 'B', customer_number: 'B' });
    const other = world.as('otto', { role: 'admin', company_id: Number(id) });
    assert.equal((await other.get(`/companies/1${failing}`)).status, 403);
    assert.equal((await other.get(`/companies/${id}${failing}`)).status, 404);
  });

  /** Makes a portal link with the page of it, and returns its code. */
  async function codeFrom(browser: PageBrowser, fields: Readonly<Record<string, string>>): Promise<string> {
    await browser.get('/companies/1/portal-link');
    const { html, text } = await browser.post('/companies/1/portal-link', { expires_in_s: '300', ...fields });
    const [, code] = /https:\/\/host\.example\/ops\/portal#([\w-]{43})/.exec(html) ?? [];
    return code ?? assert.fail(text);
  }

  it('open by a portal link once, and nothing else opens by it', async () => {
    const code = await codeFrom(admin, {});
    const visitor = world.stranger();
    assert.match((await visitor.get('/portal')).html, /id="portal-code"/);
    const page = await visitor.post('/portal', { code: `https://host.example/ops/portal#${code}` });
    assert.deepEqual([page.status, page.path], [200, '/portal/webhooks']);
    assert.ok(page.html.includes(`href="/ops/portal${failing}"`));
    assert.doesNotMatch(page.html, /\/companies\/|\/cards|Portal link|log-out/);
    assert.match((await visitor.get('/portal/events')).text, /ach\.status/);
    assert.match((await visitor.post(`/portal${failing}/test`)).text, /answered with status 204/);
    for (const path of ['/portal/breaks', '/portal/portal-link', '/portal/bridge']) {
      assert.ok([403, 404].includes((await visitor.get(path)).status), path);
    }
    assert.equal((await visitor.post('/portal/portal-link', { expires_in_s: '60' })).status, 403);
    assert.equal((await visitor.get(webhooks)).status, 403, 'the console itself');
    assert.equal((await world.stranger().post('/portal', { code })).status, 410, 'used');
    const { items } = await world.tally.operator.audit.list({ filter: { action: 'portal_link.opened' } });
    assert.match(items[0]!.actor, /^portal:\d+$/);
    assert.match((await visitor.post('/portal/end')).text, /The visit has ended/);
    assert.equal((await visitor.get('/portal/webhooks')).status, 410);
  });

  it('open by a cookie that goes back only to their host and over https, where browsers see https', async () => {
    const body = new URLSearchParams({ code: await codeFrom(admin, {}) });
    const answer = await fetch(`${world.url}/portal`, { method: 'POST', body, redirect: 'manual' });
    const [set = ''] = answer.headers.getSetCookie();
    assert.match(set, /^__Host-tallystick_portal=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/);
  });

  it('only read by a portal link of who only reads them', async () => {
    const support = world.as('sue', { role: 'support', company_id: 1 });
    const visitor = world.stranger();
    await visitor.post('/portal', { code: await codeFrom(support, { read_only: 'on' }) });
    const page = await visitor.get(`/portal${failing}`);
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /test event|Send again|Replace|Delete|Pause/);
    assert.equal((await visitor.post(`/portal${failing}/test`)).status, 403);
    assert.equal((await support.post('/companies/1/portal-link', { expires_in_s: '300' })).status, 403);
  });
});
