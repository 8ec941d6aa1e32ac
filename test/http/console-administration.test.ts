import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Consent } from '@tallystick/operations/resources';
import type { PageBrowser } from '@tallystick/test-support';
import { type ConsoleWorld, openConsole } from './console-world.ts';

const hostile = '<script>alert(1)</script>"\'&';

describe('the administration in the console', () => {
  let world: ConsoleWorld;
  let admin: PageBrowser;
  const ends: (() => Promise<void> | void)[] = [];
  before(async () => {
    world = await openConsole({ after: (end) => void ends.unshift(end) }, () => ({
      sandbox: true,
      open_banking: true,
    }));
    admin = await as('admin');
  });
  after(async () => {
    for (const end of ends) await end();
  });

  async function as(role: string): Promise<PageBrowser> {
    const browser = world.browser();
    await browser.post('/console/log-in/sandbox', { role, back: '/account' });
    return browser;
  }

  const shows = (browser: PageBrowser, text: string) => assert.ok(browser.page.html.includes(text), browser.page.html);

  it('makes a person, shows its secret once, and takes its roles away', async () => {
    await admin.get('/console/people');
    await admin.post('/console/people', { handle: 'Not a handle', name: '', role_0: 'viewer', company_0: '999' });
    assert.equal(admin.page.status, 422);
    shows(admin, 'value="Not a handle"');
    await admin.post('/console/people', {
      handle: 'anna',
      name: hostile,
      role_0: 'support',
      company_0: '1',
      role_1: 'viewer',
    });
    assert.match(admin.page.path, /^\/console\/people\/\d+$/);
    const at = admin.page.path;
    assert.ok(!admin.page.html.includes(hostile), 'a name is escaped');
    shows(admin, 'support (company 1)');
    shows(admin, 'viewer (all companies)');

    await admin.post(`${at}/password`, { password: 'short' });
    assert.deepEqual([admin.page.status, admin.page.html.includes('at least 12')], [422, true]);
    assert.ok(!admin.page.html.includes('value="short"'), 'a password is not repeated');
    await admin.post(`${at}/password`, { password: 'correct horse battery' });
    await admin.post(`${at}/totp`, {});
    const [, uri] = /(otpauth:\/\/totp\/[^<]+)</.exec(admin.page.html) ?? [];
    assert.ok(uri !== undefined);
    await admin.get(at);
    assert.ok(!admin.page.html.includes('otpauth:'));
    shows(admin, 'password and code');

    await admin.post(at, { name: 'Anna', role_0: '' });
    shows(admin, 'no role');
    await admin.post(`${at}/status`, { status: 'disabled' });
    shows(admin, 'All sessions have ended');
    const { items } = await world.tally.operator.audit.list({ filter: { actor: 'person:admin' } });
    assert.deepEqual(
      items
        .map(({ action }) => action)
        .filter((action) => action.startsWith('person.') && action !== 'person.logged_in'),
      ['person.disabled', 'person.updated', 'person.totp_reset', 'person.password_set', 'person.created'],
    );
  });

  it('refuses an old form that would undo what somebody has changed since', async () => {
    const { operator } = world.tally;
    const company = world.tally.company(1);
    const { id: person } = await operator.people.create({
      handle: 'olga',
      name: 'Olga',
      grants: [{ role: 'admin', company_id: null }],
    });
    const { id: key } = await operator.keys.create({ role: 'operator', name: 'till' });
    const { id: webhook } = await company.webhooks.create({
      callback_url: 'https://hooks.example/old',
      event_type_ids: [3],
    });
    const { id: card } = await company.cards.issue({ total_card_amount: 50_000 });
    const limits = `/console/companies/1/cards/${card}/limits`;
    await admin.get(limits);
    await admin.post(limits, { total_card_amount: '900.00' });
    const forms: readonly (readonly [form: string, fields: Record<string, string>, change: () => unknown])[] = [
      [
        `/console/people/${person}`,
        { name: 'Olga Old', role_0: 'admin', company_0: '' },
        () => operator.people.update(person, { grants: [] }),
      ],
      [
        `/console/keys/${key}`,
        { name: 'till 2' },
        () => operator.keys.update(key, { expires_at: '2031-01-01T00:00:00Z' }),
      ],
      [
        '/console/companies/1/settings',
        { name: 'Old', status: 'active', four_eyes: 'off' },
        () => operator.companies.update(1, { four_eyes: { above: {} } }),
      ],
      [
        `/console/companies/1/webhooks/${webhook}/edit`,
        { type: '3', active: 'on' },
        () => company.webhooks.update(webhook, { status: 'inactive' }),
      ],
      [admin.page.path, {}, () => company.cards.update(card, { total_card_amount: 10_000 })],
    ];
    const stateOf = async () =>
      JSON.stringify([
        (await operator.people.read(person)).grants,
        (await operator.keys.read(key)).expires_at,
        (await operator.companies.read(1)).four_eyes,
        (await company.webhooks.read(webhook)).status,
        (await company.cards.read(card)).total_card_amount,
      ]);
    for (const [form, fields, change] of forms) {
      await admin.get(form);
      await change();
      const before = await stateOf();
      await admin.post(form, fields);
      assert.equal(admin.page.status, 409, form);
      shows(admin, 'somebody has changed it since');
      assert.equal(await stateOf(), before, form);
      await admin.post(form, fields);
      assert.equal(admin.page.status, 200, `${form} as it is now: ${admin.page.html}`);
      assert.notEqual(await stateOf(), before, form);
    }
    await operator.companies.update(1, { four_eyes: null });
  });

  it('makes a key, shows its text once, changes and revokes it', async () => {
    await admin.get('/console/keys');
    await admin.post('/console/keys', { role: 'client', company_id: '', name: 'till' });
    assert.equal(admin.page.status, 422, 'a client key needs a company');
    await admin.post('/console/keys', { role: 'client', company_id: '1', name: 'till', expires_at: '2999-01-01' });
    const [, text] = /<code>(tly_test_\d+_[\w-]+)<\/code>/.exec(admin.page.html) ?? [];
    assert.ok(text !== undefined, admin.page.html);
    const id = text.split('_')[2];
    const call = async () =>
      (await fetch(`${world.url}/v1/virtualcards`, { headers: { authorization: `Bearer ${text}` } })).status;
    assert.equal(await call(), 200);
    await admin.get(`/console/keys/${id}`);
    assert.ok(!admin.page.html.includes(text));
    await admin.post(`/console/keys/${id}`, { name: 'back office', rate_limit_per_minute: 'many' });
    assert.equal(admin.page.status, 422);
    await admin.post(`/console/keys/${id}`, { name: 'back office', rate_limit_per_minute: '600', expires_at: '' });
    shows(admin, 'back office');
    await admin.post(`/console/keys/${id}/revoke`, {});
    shows(admin, 'revoked');
    assert.equal(await call(), 401);
  });

  it('creates a company, and closes it', async () => {
    await admin.get('/console/new-company');
    await admin.post('/console/new-company', { name: 'Second', customer_number: 'SANDBOX' });
    assert.equal(admin.page.status, 422, 'the number is taken');
    await admin.post('/console/new-company', { name: 'Second', customer_number: '4711' });
    const at = admin.page.path;
    assert.match(at, /^\/console\/companies\/\d+\/settings$/);
    const sent = {
      name: 'Second',
      status: 'closed',
      hold_days: 'never',
      full_details_in_mail: 'no',
      rate_limit_per_minute: '',
      four_eyes: 'on',
      above: '500 EUR; 1,250.50 USD',
    };
    for (const wrong of [
      { hold_days: '0' },
      { above: '500' },
      { above: '500 EUR, 600 USD' },
      { above: '5 EUR; 6 EUR' },
    ]) {
      await admin.post(at, { ...sent, ...wrong });
      assert.equal(admin.page.status, 422);
    }
    await admin.post(at, sent);
    const { items } = await world.tally.operator.companies.list({ limit: 1 });
    assert.deepEqual([items[0]?.status, items[0]?.hold_days], ['closed', 'never']);
    assert.deepEqual(items[0]?.four_eyes, { above: { EUR: 500_00, USD: 1_250_50 } });
  });

  it('filters the audit log, verifies it, and takes it along', async () => {
    await admin.get('/console/audit?action=person.logged_in&object=');
    shows(admin, 'person.logged_in');
    assert.ok(!admin.page.html.includes('>company.created<'));
    const [shown, whole] = [
      await admin.get('/console/audit?actor=admin'),
      await admin.get('/console/audit?actor=person%3Aadmin'),
    ].map(({ html }) => /<tbody>.*<\/tbody>/s.exec(html)?.[0]);
    assert.ok(shown !== undefined && shown === whole, 'a person is found as it is shown');
    await admin.get('/console/audit/verify');
    shows(admin, 'The log is intact');
    const csv = await admin.get('/console/audit.csv?action=person.logged_in');
    assert.equal(csv.headers.get('content-disposition'), 'attachment; filename="audit.csv"');
    const rows = csv.html.trimEnd().split('\r\n').slice(1);
    assert.ok(rows.length > 0 && rows.every((row) => row.includes('person.logged_in')));
    const lines = (await admin.get('/console/audit.ndjson?action=person.logged_in&from=2000-01-01')).html;
    assert.equal(lines.trimEnd().split('\n').length, rows.length);
    const cookie = admin.cookie_header;
    for (let asked = 0; asked < 6; asked += 1) {
      const head = await fetch(`${world.url}/console/audit.csv`, { method: 'HEAD', headers: { cookie } });
      assert.equal(head.status, 200, 'no file is begun, which would keep its place');
    }
  });

  it('suspends a third party, and activates it', async () => {
    await admin.get('/console/third-parties');
    shows(admin, 'Sandbox budget planner');
    const [, id] = /third-parties\/(\d+)">/.exec(admin.page.html) ?? [];
    await admin.get(`/console/third-parties/${id}`);
    await admin.post(`/console/third-parties/${id}/suspend`, {});
    shows(admin, 'All its tokens have ended');
    await admin.post(`/console/third-parties/${id}/activate`, {});
    shows(admin, '>Suspend</button>');
  });

  it('shows whether a consent reads an account, and withdraws it', async () => {
    const send = async (path: string, data: object) => {
      const headers = { authorization: 'Bearer tly_test_bank_sandbox', 'content-type': 'application/json' };
      const body = JSON.stringify({ data });
      const reply = await fetch(`${world.url}/sandbox/v1/consents${path}`, { method: 'POST', headers, body });
      assert.ok(reply.ok, await reply.clone().text());
      return ((await reply.json()) as { readonly data: Consent }).data;
    };
    const { id } = await send('', { client_id: 'sandbox-aisp' });
    const { user_id, account_ids } = await send(`/${id}/decide`, { decision: 'approve' });
    await admin.get('/console/consents');
    shows(admin, account_ids[0]!);
    await admin.get(`/console/companies/1/search?q=${user_id}`);
    assert.equal(admin.page.path, `/console/consents?user_id=${user_id}`);
    shows(admin, id);
    await admin.get(`/console/consents?consent_id=${id}`);
    shows(admin, 'The third party reads now');
    shows(admin, account_ids[0]!);
    await admin.post(`/console/consents/${id}/withdraw`, {});
    shows(admin, 'The third party reads nothing');
    assert.equal((await admin.get('/console/consents/unknown')).status, 404);
  });

  it('is read by every role, and changed by no other one: neither its buttons are shown nor its forms accepted', async () => {
    const [, person] = /people\/(\d+)"/.exec((await admin.get('/console/people')).html) ?? [];
    const forms: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      ['/console/people', { handle: 'eve', name: 'Eve', role_0: 'admin' }],
      [`/console/people/${person}`, { name: 'Eve', role_0: 'admin' }],
      [`/console/people/${person}/status`, { status: 'disabled' }],
      [`/console/people/${person}/password`, { password: 'correct horse battery' }],
      [`/console/people/${person}/totp`, {}],
      [`/console/people/${person}/end-sessions`, {}],
      ['/console/keys', { role: 'operator', name: 'eve' }],
      ['/console/keys/1', { name: 'eve' }],
      ['/console/keys/1/revoke', {}],
      ['/console/new-company', { name: 'Eve', customer_number: '1' }],
      ['/console/companies/1/settings', { name: 'Eve', status: 'closed' }],
      ['/console/third-parties/1/suspend', {}],
      ['/console/consents/1/withdraw', {}],
    ];
    const before = await world.tally.operator.audit.list({ limit: 1 });
    for (const role of ['viewer', 'support', 'risk', 'finance']) {
      const browser = await as(role);
      for (const path of [
        '/people',
        '/keys',
        '/keys/1',
        '/audit',
        '/third-parties/1',
        '/consents',
        '/companies/1/settings',
      ]) {
        const page = await browser.get(`/console${path}`);
        assert.equal(page.status, 200, `${role} ${path}`);
        const posts = [...page.html.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, to]) => to);
        assert.deepEqual(posts, ['/console/log-out'], `${role} ${path}`);
      }
      for (const [path, fields] of forms) {
        await browser.get('/console/account');
        const page = await browser.post(path, fields);
        const is_refused = page.status === 403 || (path.includes('/consents/') && page.status === 404);
        assert.ok(is_refused, `${role} ${path}: ${page.status}`);
      }
    }
    const later = await world.tally.operator.audit.list({ limit: 50 });
    const since = later.items.slice(
      0,
      later.items.findIndex(({ id }) => id === before.items[0]?.id),
    );
    assert.ok(
      since.every(({ action }) => action === 'person.logged_in'),
      JSON.stringify(since),
    );
  });

  it('is not there for who has a role for one company', async () => {
    const { people } = world.tally.operator;
    const listed = (await people.list({ limit: 50 })).items.find(({ handle }) => handle === 'support')!;
    await people.update(listed.id, { grants: [{ role: 'admin', company_id: 1 }] });
    const browser = await as('support');
    for (const path of [
      '/people',
      '/keys',
      '/audit',
      '/audit.csv',
      '/audit/verify',
      '/third-parties',
      '/consents',
      '/new-company',
    ]) {
      const page = await browser.get(`/console${path}`);
      assert.equal(page.status, 403, path);
    }
    await browser.get('/console/account');
    const made = await browser.post('/console/people', { handle: 'eve', name: 'Eve', role_0: 'admin' });
    assert.equal(made.status, 403);
  });
});
