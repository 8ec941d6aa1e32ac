import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '@tallystick/test-support';
import { type BrowsedConsole, browseConsole } from './browse.ts';

const everything = { role: 'admin', company_id: null } as const;

/** Names of merchants that a page must show as text: markup, direction, no width, many marks. */
const hostile_names = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '\u202egpj.exe\u2066',
  'Sh\u200b\u200dell',
  `a${'\u0301'.repeat(40)}`,
];

describe('the cards of the console', () => {
  let world: BrowsedConsole;
  before(async () => {
    world = await browseConsole();
  });
  after(() => world[Symbol.asyncDispose]());

  const company = () => world.tally.company(1);

  it('leads from the search to the one thing that is named, and lists what a text may mean', async () => {
    const card = await company().cards.issue({ total_card_amount: 50_000, metadata: { order: 'PO-4711 7' } });
    const bought = await company().sandbox.buy({ vcn_id: card.id, amount: 12_345, merchant_name: 'SHELL 4712' });
    await company().sandbox.clear(bought.id!);
    const browser = world.as('otto', { role: 'viewer', company_id: 1 });
    const decision = `/companies/1/cards/${card.id}/decisions/${bought.id}`;
    for (const [text, path] of [
      [`card ${card.id}`, `/companies/1/cards/${card.id}`],
      ['order: PO-4711 7', `/companies/1/cards/${card.id}`],
      ['po-4711 7', null],
      ['PO-4711 7', `/companies/1/cards/${card.id}`],
      [`*${card.last4}`, `/companies/1/cards/${card.id}`],
      [`authorization ${bought.id}`, decision],
      ['shell 47', null],
    ] as const) {
      const page = await browser.get(`/companies/1/search?q=${encodeURIComponent(text)}`);
      assert.equal(page.status, 200, text);
      if (path !== null) assert.equal(page.path, path, text);
    }
    const listed = await browser.get('/companies/1/search?q=123.45');
    assert.match(listed.text, /Authorizations 123\.45 \w{3} at SHELL 4712/);
    assert.match(listed.text, /Clearings 123\.45/);
    assert.match((await browser.get('/companies/1/search?q=shell%2047')).text, /at SHELL 4712/);
    assert.match((await browser.get('/companies/1/search?q=hell%204712')).text, /Authorizations .* at SHELL 4712/);
    await company().sandbox.buy({ vcn_id: card.id, amount: 12_345, merchant_name: 'ARAL 1' });
    assert.match((await browser.get('/companies/1/search?q=123.45')).text, /at ARAL 1/);
    for (const text of ['Shell 123.45', '123.45 at hell 47', `123.45 ${bought.billing_currency} SHELL`]) {
      const { text: shown } = await browser.get(`/companies/1/search?q=${encodeURIComponent(text)}`);
      assert.match(shown, /Authorizations 123\.45 \w{3} at SHELL 4712 .* Clearings 123\.45 \w{3} at SHELL 4712/, text);
      assert.doesNotMatch(shown, /at ARAL 1/, text);
    }
    const clearing = await browser.get(`/companies/1/search?q=${bought.approval_code}`);
    assert.match(clearing.text, /Authorizations .* Clearings /);
    assert.match((await browser.get('/companies/1/search?q=')).text, /What can be found/);
    assert.match((await browser.get('/companies/1/search?q=nothing%20such')).text, /Nothing was found/);
    assert.match((await browser.get(`/search?q=*${card.last4}`)).path, new RegExp(`/cards/${card.id}$`));
    const { card_number } = await company().cards.read(card.id, { show_card_number: true });
    const asked = await browser.get(`/companies/1/search?q=${card_number}`);
    assert.equal(asked.path, `/companies/1/cards/${card.id}`);
    assert.ok(!asked.html.includes(card_number));
    await world.tally.operator.companies.create({ name: 'Second', customer_number: 'C-2' });
    const everywhere = world.as('olga', { role: 'viewer', company_id: null });
    for (const path of ['/search', '/companies/1/cards']) {
      const page = await everywhere.get(`${path}?q=${card_number}`);
      assert.deepEqual([page.status, page.html.includes(card_number)], [200, false], path);
    }
  });

  it('says why a purchase was declined, and who did what to the card', async () => {
    const card = await company().cards.issue({ total_card_amount: 20_000, recurring: 'Monthly' });
    const first = await company().sandbox.buy({ vcn_id: card.id, amount: 12_000, merchant_name: 'Shell' });
    const second = await company().sandbox.buy({ vcn_id: card.id, amount: 12_000, merchant_name: 'Shell' });
    assert.equal(second.decline_reason, 'F');
    const browser = world.as('anna', { role: 'support', company_id: 1 });
    const path = `/companies/1/cards/${card.id}`;
    const decision = await browser.get(`${path}/decisions/${second.id}`);
    assert.match(
      decision.text,
      /The purchase of 120\.00 (\w{3}) at Shell on .* was declined because only 80\.00 \1 of the monthly limit were left\./,
    );
    assert.match(decision.html, /<tr class="failed">/);
    assert.match(decision.text, /only the time|outcome/);
    assert.match(decision.text, /Status: Active Company: active/);
    assert.match(decision.text, /Rule of the template: all categories but those on its list/);

    await browser.get(`${path}/decisions/${first.id}`);
    const unsaid = await browser.post(`${path}/decisions/${first.id}/release`, { note: ' ' });
    assert.match(unsaid.html, /<a href="#field-note">[^<]+: is required<\/a>/);
    const released = await browser.post(`${path}/decisions/${first.id}/release`, { note: 'Will not come' });
    assert.match(released.text, /The hold was released\./);
    const frozen = await browser.post(`${path}/freeze`, { note: 'Lost <b>' });
    assert.match(frozen.text, /The card is frozen\..*Frozen/);
    const third = await company().sandbox.buy({ vcn_id: card.id, amount: 100 });
    const while_frozen = await browser.get(`${path}/decisions/${third.id}`);
    assert.match(while_frozen.text, /Company: active Frozen since: /);
    assert.doesNotMatch(while_frozen.text, /Status: Active/);
    const mailed = await browser.post(`${path}/email`, { email: 'ada@example.com' });
    assert.match(mailed.text, /The mail is on its way/);
    assert.match(mailed.text, /anna \(you\) Mail \w+ to a\*\*\*@example\.com/);
    assert.match(mailed.text, /anna \(you\) Frozen “ ?Lost <b> ?”/);
    assert.match(mailed.text, /Released a hold of 120\.00/);
    assert.match(mailed.text, /Declined F, more than what is left: 120\.00 \w{3} at Shell/);
    assert.match(mailed.text, /The card was created/);

    const canceled = await browser.post(`${path}/cancel`);
    assert.match(canceled.text, /The card was canceled\..*A canceled card cannot be changed/);
  });

  it('shows a number only in the answer to the person who said why', async () => {
    const card = await company().cards.issue({ total_card_amount: 1_000 });
    const { card_number } = await company().cards.read(card.id, { show_card_number: true });
    const grouped = card_number.replace(/(\d{4})(?=\d)/g, '$1 ');
    const path = `/companies/1/cards/${card.id}`;
    for (const role of ['viewer', 'risk', 'finance'] as const) {
      const browser = world.as({ role, company_id: 1 });
      assert.doesNotMatch((await browser.get(path)).text, /Show the number/);
      const refused = await browser.post(`${path}/number`, { reason: 'I want to' });
      assert.equal(refused.status, 403, role);
      assert.ok(!refused.text.includes(grouped));
    }
    const browser = world.as('berta', { role: 'support', company_id: 1 });
    assert.ok(!(await browser.get(`${path}/number`)).text.includes(grouped));
    const unsaid = await browser.post(`${path}/number`, { reason: ' ' });
    assert.deepEqual([unsaid.status, unsaid.text.includes(grouped)], [400, false]);
    const shown = await browser.post(`${path}/number`, { reason: 'The cardholder cannot open the mail' });
    assert.ok(shown.text.includes(grouped));
    assert.match(shown.headers.get('cache-control') ?? '', /no-store/);
    const page = await browser.get(path);
    assert.match(page.text, /berta \(you\) Number shown “ ?The cardholder cannot open the mail ?”/);
    assert.ok(!page.html.includes(card_number) && !page.text.includes(grouped));
  });

  it('changes a limit after it has shown what that would have changed', async () => {
    // Backtests run in the background.
    await world.tally.start();
    const card = await company().cards.issue({ total_card_amount: 30_000 });
    await company().sandbox.buy({ vcn_id: card.id, amount: 20_000, merchant_name: 'Big one' });
    const browser = world.as({ role: 'support', company_id: 1 });
    const path = `/companies/1/cards/${card.id}`;
    await browser.get(`${path}/limits`);
    const same = { total_card_amount: '300.00', per_transaction_max: '300.00', per_transaction_min: '0.00' };
    assert.match((await browser.post(`${path}/limits`, same)).text, /the card has these limits and merchants already/);
    const wrong = await browser.post(`${path}/limits`, { ...same, total_card_amount: 'much' });
    assert.match(wrong.text, /must be an amount in \w{3}, such as 1250\.00/);
    const low = await browser.post(`${path}/limits`, { ...same, total_card_amount: '150.00' });
    assert.match(low.text, /That was not done Limit, \w{3}: must be at least 200\.00 \w{3}, which the card has used/);
    let result = await browser.post(`${path}/limits`, {
      total_card_amount: '250.00',
      per_transaction_max: '150.00',
      per_transaction_min: '0.00',
    });
    assert.match(result.text, /Limit 300\.00 \w{3} → 250\.00/);
    await until(async () => {
      result = await browser.get(result.path);
      return /approved then, and declined/.test(result.text);
    });
    await company().sandbox.buy({ vcn_id: card.id, amount: 8_000, merchant_name: 'Meanwhile' });
    const changed = await browser.post(result.path);
    assert.match(changed.text, /That was not done Limit: .*28000/);
    const more = await browser.post(`${path}/limits`, { ...same, total_card_amount: '500.00' });
    const raised = await browser.post(more.path);
    assert.match(raised.text, /The card was changed\./);
    assert.equal((await company().cards.read(card.id)).total_card_amount, 50_000);
  });

  it('changes template and merchants, and leaves what was not typed as it is', async () => {
    const deny = ['Two\nlines', 'Acme*'];
    const merchant_controls = { merchant_names: { deny } };
    const card = await company().cards.issue({ total_card_amount: 30_000, merchant_controls });
    await company().templates.request({
      name: 'Restaurants',
      description: 'Meals',
      mcc_list: ['5812'],
      mcc_rule: 'ALLOW',
      required_control: 'VELOCITY',
    });
    const pending = (await company().templates.list()).items.find(({ name }) => name === 'Restaurants');
    const template_id = String(pending?.id);
    await world.tally.operator.templates.complete(template_id);
    const browser = world.as({ role: 'risk', company_id: 1 });
    const path = `/companies/1/cards/${card.id}`;
    assert.match((await browser.get(`${path}/limits`)).html, new RegExp(`<option value="${template_id}">Restaurants`));
    const typed = { template_id, 'merchant_names.deny': deny.join('\r\n'), 'countries.allow': 'DE\r\n\r\nFRA' };
    const wrong = await browser.post(`${path}/limits`, { ...typed, 'countries.allow': 'Nowhere' });
    assert.equal(wrong.status, 422);
    const result = await browser.post(`${path}/limits`, typed);
    assert.match(result.text, /Template .* → Restaurants Merchants .* → .*Countries allowed: DEU, FRA/);
    assert.match((await browser.post(result.path)).text, /The card was changed\..*Template Restaurants/);
    const changed = await company().cards.read(card.id);
    assert.equal(String(changed.template_id), template_id);
    assert.deepEqual(changed.merchant_controls?.merchant_names, { allow: null, deny });
    assert.deepEqual(changed.merchant_controls?.countries, { allow: ['DEU', 'FRA'], deny: null });
    const cleared = await browser.post(`${path}/limits`, { template_id });
    assert.match((await browser.post(cleared.path)).text, /The card was changed\./);
    assert.equal((await company().cards.read(card.id)).merchant_controls, null);
  });

  it('creates a card, and refuses what is none beside its field', async () => {
    const browser = world.as(everything);
    const page = await browser.get('/companies/1/cards/new');
    const rcn_id = /<option value="(\d+)" selected/.exec(page.html)?.[1] ?? '';
    const wrong = await browser.post('/companies/1/cards', { rcn_id, total_card_amount: '1,5', metadata: 'nothing' });
    assert.equal(wrong.status, 422);
    const made = await browser.post('/companies/1/cards', {
      rcn_id,
      total_card_amount: '1,250.00',
      recurring: 'Weekly',
      metadata: 'project: Apollo\r\nowner = Ada',
    });
    assert.match(made.text, /The card was created\..*Weekly limit/);
    const id = Number(made.path.split('/').at(-1));
    const { metadata, total_card_amount } = await company().cards.read(id);
    assert.deepEqual([metadata, total_card_amount], [{ project: 'Apollo', owner: 'Ada' }, 125_000]);
    const listed = await browser.get('/companies/1/cards?state=active&metadata=owner%3DAda');
    assert.match(listed.text, new RegExp(`Card ${id}, ending in`));
    assert.doesNotMatch((await browser.get('/companies/1/cards?state=canceled&metadata=Ada')).text, /ending in/);
  });

  it('reads no part of an amount that is too long, and metadata of any length at once', async () => {
    const browser = world.as(everything);
    const page = await browser.get('/companies/1/cards/new');
    const rcn_id = /<option value="(\d+)" selected/.exec(page.html)?.[1] ?? '';
    const blanks = ' '.repeat(300_000);
    const sound = { rcn_id, total_card_amount: '5.00', recurring: 'Weekly' };
    for (const wrong of [{ metadata: `project${blanks}Apollo` }, { total_card_amount: `5.00${blanks}0` }]) {
      assert.equal((await browser.post('/companies/1/cards', { ...sound, ...wrong })).status, 422);
    }
    assert.equal((await browser.get(`/companies/1/cards?metadata=project${'+'.repeat(14_000)}Apollo`)).status, 200);
  });

  it('shows names of merchants as the text that they are', async () => {
    const card = await company().cards.issue({ total_card_amount: 100_000 });
    const browser = world.as({ role: 'viewer', company_id: 1 });
    for (const merchant_name of hostile_names) {
      const { id } = await company().sandbox.buy({ vcn_id: card.id, amount: 100, merchant_name });
      for (const path of [
        `/companies/1/cards/${card.id}`,
        `/companies/1/cards/${card.id}/decisions/${id}`,
        `/companies/1/search?q=${encodeURIComponent(merchant_name)}`,
      ]) {
        const { html, status } = await browser.get(path);
        assert.equal(status, 200, path);
        assert.doesNotMatch(html, /<script>|<img/, path);
        assert.ok(Buffer.byteLength(html) < 100_000, path);
      }
      const page = await browser.get(`/companies/1/cards/${card.id}`);
      assert.match(page.html, /<bdi class="foreign">/);
    }
  });
});
