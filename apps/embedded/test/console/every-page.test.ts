import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type PersonRole, person_roles } from '@tallystick/access';
import { type ConsolePorts, createConsole } from '@tallystick/console';
import { type ConsoleAnswer, crawlConsole, type FoundConsole, type PageBrowser } from '@tallystick/test-support';
import { type BrowsedConsole, browseConsole } from './browse.ts';

/** No request is sent to it. */
const { routes } = createConsole({} as ConsolePorts);

/** Pages of the log-in, which this host has itself, and of Open Banking, which it has not. */
const elsewhere = ['/account', '/consents', '/consents/:consent_id', '/third-parties', '/third-parties/:id'];

/** Texts of the second company. They begin with what no other text contains. */
const hostile = (name: string) => `ZEBRA-${name}-"'><script>x()</script><b onx>\u202e&amp;`;
/** Where fewer characters are permitted. */
const plain = (name: string) => `ZEBRA${name}`;

const quiet = () => undefined;

let world: BrowsedConsole;
let found: FoundConsole;
const numbers: string[] = [];
const people = new Map<string, PageBrowser>();

/** Lets a person in with this role. */
function enter(name: string, role: PersonRole, company_id: number | null): PageBrowser {
  const browser = world.as(name, { role, company_id });
  people.set(name, browser);
  return browser;
}

before(async () => {
  world = await browseConsole({ sandbox: true, logger: { debug: quiet, info: quiet, warn: quiet, error: quiet } });
  const examples = enter('filler', 'admin', null);
  await examples.get('/companies/1/sandbox');
  const filled = await examples.post('/companies/1/sandbox', { do: 'examples', days: '4' });
  assert.equal(filled.status, 200, filled.text);
  const tried = await fillSecondCompany();
  found = await crawlConsole({
    base: '/ops',
    routes,
    from: ['/', '/companies/1', '/companies/2', '/companies/1/lines/1', '/companies/1/live', tried],
    alike_max: 4,
    get: (path) => ask('filler', path),
  });
});
after(() => world[Symbol.asyncDispose]());

/** Returns the page of a change of limits that was tried, to which only its form leads. */
async function fillSecondCompany(): Promise<string> {
  const { operator, bank, sandbox } = world.tally;
  await operator.companies.create({ name: hostile('company'), customer_number: 'C-2' });
  await operator.realCards.create({
    company_id: 2,
    alias: plain('alias'),
    billing_currency: 'USD',
    account_range: '54545455',
  });
  const company = world.tally.company(2);
  for (let at = 0; at < 2; at += 1) {
    const { id, card_number } = await company.cards.issue(
      { total_card_amount: 10_000, metadata: { [hostile('name')]: hostile('value') } },
      { show_card_number: true },
    );
    numbers.push(card_number);
    const purchase = { vcn_id: Number(id), merchant_name: hostile('merchant') };
    const { id: authorization_id } = await company.sandbox.buy({ ...purchase, amount: 1_200 });
    await company.sandbox.clear(authorization_id!, { amount: 1_300 });
    await company.sandbox.buy({ ...purchase, amount: 500 });
    await company.sandbox.buy({ ...purchase, amount: 90_000 });
  }
  const [{ id: card_id } = { id: '' }] = (await company.cards.list()).items;
  const backtest = await company.backtests.create({ vcn_id: Number(card_id), changes: { total_card_amount: 900 } });
  await company.templates.request({
    name: plain('template'),
    description: hostile('template'),
    mcc_list: ['4511'],
    mcc_rule: 'ALLOW',
    required_control: 'VELOCITY',
  });
  await company.webhooks.create({
    callback_url: `https://127.0.0.1:9/ZEBRA'%22%3E<script>x()</script>`,
    event_type_ids: [3, 6],
  });
  await company.decisionEndpoint.put({ url: 'https://127.0.0.1:9/ZEBRA', stand_in: [] });
  await bank.accounts.create({
    company_id: 2,
    number: '1000000002',
    currency: 'USD',
    kind: 'deposit',
    name: hostile('account'),
  });
  await bank.users.put('ZEBRA.user', { company_id: 2, name: hostile('user'), status: 'active' });
  const [first, second] = (await company.reconciliation.items.list({ filter: { status: 'break' } })).items;
  await company.reconciliation.items.comment(first!.id, { text: hostile('comment') });
  await company.reconciliation.items.ignore(first!.id, { note: hostile('note') });
  await operator.companies.update(2, { four_eyes: { above: {} } });
  await company.reconciliation.items.ignore(second!.id, { note: hostile('asked') });
  await operator.keys.create({ role: 'client', company_id: 2, name: hostile('key') });
  await operator.imports.create(Buffer.from('no file of the network'), { name: plain('import.csv') }).catch(quiet);
  await sandbox.clock.move({ advance: 'PT1H' });
  return `/companies/2/cards/${card_id}/limits/${backtest.id}`;
}

/** Asks for a page, or sends a form, as a person; without following where it leads. */
function ask(person: string, path: string, body?: URLSearchParams | FormData): Promise<ConsoleAnswer> {
  return people.get(person)!.ask(path, body);
}

describe('every page of the console', () => {
  it('is reached by a link, and has no link to nowhere', () => {
    const reached = new Set(found.pages.map(({ route }) => route));
    const missed = routes.filter(({ method, path }) => method === 'GET' && ![...reached, ...elsewhere].includes(path));
    assert.deepEqual(
      missed.map(({ path }) => path),
      [],
    );
    assert.deepEqual(found.dead, []);
    const failed = found.pages.filter(({ status }) => ![200, 303].includes(status));
    assert.deepEqual(
      failed.map(({ path, status }) => `${status} ${path}`),
      [],
    );
  });

  it('has each id once, so that a label names its own field', () => {
    for (const { path, html } of found.pages) {
      const ids = [...html.matchAll(/<[a-z][^>]*? id="([^"]*)"/g)].map(([, id]) => id);
      assert.deepEqual(
        ids.filter((id, at) => ids.indexOf(id) !== at),
        [],
        path,
      );
    }
  });

  it('shows no card number', () => {
    assert.equal(numbers.length, 2);
    for (const { path, html } of found.pages) assert.ok(!showsNumber(html), path);
  });

  it('escapes every text', () => {
    const marked = found.pages.filter(({ path, html }) => html.includes('ZEBRA') && !/\.(csv|ndjson)\b/.test(path));
    assert.ok(marked.length > 5);
    for (const { path, html } of marked) {
      const [broken] = html.match(/.{0,80}ZEBRA-\w*-["'<>].{0,40}|.{0,80}(<script>x|<b onx).{0,40}/s) ?? [];
      assert.equal(broken, undefined, path);
    }
  });

  it('is refused to whoever has no role for its company, and shows others nothing of it', async () => {
    const company = (path: string) => /^\/companies\/\d+/.exec(path)?.[0] ?? '';
    const each = new Map(found.pages.map((page) => [`${company(page.path)} ${page.route}`, page])).values().toArray();
    for (const role of person_roles) {
      enter(role, role, 1);
      for (const { path, status } of each) {
        const answer = await ask(role, path);
        const is_foreign = !/^\/companies\/1\b/.test(path) && path !== '/';
        const allowed = is_foreign ? [303, 403, 404] : [200, 303, 403, 404];
        assert.ok(allowed.includes(answer.status), `${role} ${path} ${answer.status}, to all ${status}`);
        assert.doesNotMatch(answer.html, /ZEBRA/, `${role} ${path}`);
        if (!path.startsWith('/companies/2/')) continue;
        const among_own = await ask(role, path.replace('/companies/2/', '/companies/1/'));
        assert.doesNotMatch(among_own.html, /ZEBRA/, `${role} ${path} as of the own company`);
      }
    }
  });

  it('takes no form without the token of its visitor, in parts or not, from anybody', async () => {
    for (const { method, path } of routes) {
      if (method !== 'POST') continue;
      const sent_to = path.replace(':company_id', '2').replace(/:\w+(\{[^}]*\})?/g, '1');
      const parts = new FormData();
      parts.set('file', new Blob(['x']), 'x.csv');
      for (const body of [new URLSearchParams({ do: 'x' }), parts]) {
        assert.equal((await ask('filler', sent_to, body)).status, 403, path);
      }
    }
  });

  it('changes nothing for who only reads, or is of another company', async () => {
    assert.ok(found.forms.length > 5);
    enter('viewer', 'viewer', null);
    enter('foreign', 'admin', 1);
    const before_all = await changeable();
    for (const person of ['viewer', 'foreign']) {
      const form_token = await tokenOf(person);
      for (const { path, fields } of found.forms) {
        if (person === 'foreign' && /^\/companies\/1\b/.test(path)) continue;
        const { status, html } = await ask(person, path, new URLSearchParams({ ...fields, form_token }));
        assert.ok(status < 500, `${person} ${status} ${path}`);
        if (person === 'foreign') assert.ok([403, 404].includes(status), `${status} ${path}`);
        assert.ok(!showsNumber(html), `${person} ${path}`);
      }
      assert.equal(await changeable(), before_all, person);
    }
  });

  it('bears every button of every form, of which one shows a card number', async () => {
    const form_token = await tokenOf('filler');
    const showing: string[] = [];
    for (const { path, route, fields } of found.forms) {
      if (fields.do === 'examples') continue;
      const { status, html } = await ask('filler', path, new URLSearchParams({ ...fields, form_token }));
      assert.ok(status < 500, `${status} ${path} ${JSON.stringify(fields)}`);
      if (showsNumber(html)) showing.push(route);
    }
    assert.deepEqual(showing, ['/companies/:company_id/cards/:id/number']);
  });
});

function showsNumber(html: string): boolean {
  const digits = html.replace(/<[^>]*>|[^\w]/g, '');
  return numbers.some((number) => digits.includes(number));
}

/** What changes with every act. */
async function changeable(): Promise<string> {
  const { operator } = world.tally;
  const state: unknown[] = [(await operator.audit.list({ limit: 1 })).items, (await operator.imports.list()).items];
  for (const company_id of [1, 2]) {
    const company = world.tally.company(company_id);
    state.push((await company.events.list({ limit: 1 })).items, (await company.reconciliation.items.list()).items);
  }
  return JSON.stringify(state);
}

async function tokenOf(person: string): Promise<string> {
  const browser = people.get(person)!;
  await browser.get('/companies/1');
  return browser.token;
}
