import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { ClearingInput } from '@tallystick/cards';
import { clearing_formats } from '@tallystick/clearing-files';
import { money } from '@tallystick/kernel';
import { statement_formats } from '@tallystick/statement-files';
import { type BrowsedPage, type PageBrowser, until } from '@tallystick/test-support';
import { type BrowsedConsole, browseConsole } from './browse.ts';

const cdf3 = clearing_formats.find(({ name }) => name === 'cdf3')!;
const bai2 = statement_formats.find(({ name }) => name === 'bai2')!;

let sequence = 0;

function clearingsFile(...clearings: readonly Partial<ClearingInput>[]): Buffer {
  sequence += 1;
  const written = clearings.map((differing, at) => ({
    input: {
      network_financial_transaction_id: `TX-${sequence}-${at}`,
      billing_amount: 2_400,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2030-03-16',
      ...differing,
    } as ClearingInput,
  }));
  return Buffer.concat([...cdf3.write!({ sequence, created_on: '2030-03-16', mode: 'test', clearings: written })]);
}

/** A statement with one debit of 7.00, from this balance. */
function statementFile(account_number: string, as_of: string, opening: number): Buffer {
  sequence += 1;
  const amount = money(-700);
  const line = { bank_reference: `B${sequence}`, booking_date: as_of, value_date: as_of, amount, bai_code: '821' };
  const head = {
    account_number,
    currency: 'USD',
    reference: null,
    as_of,
    opening_balance: money(opening),
    closing_balance: money(opening - 700),
  };
  const statements = [{ head, lines: [{ ...line, text: 'FEE', acquirer_reference: null }] }];
  return Buffer.concat([...bai2.writeStatements!({ sequence, created_on: as_of, statements })]);
}

function formOf(bytes: Buffer, name: string, fields: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData();
  // The browser puts its token here.
  form.set('form_token', '');
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set('file', new Blob([new Uint8Array(bytes)]), name);
  return form;
}

/** The address of the first form whose button has this text, with its hidden fields. */
function formWith(
  { html }: BrowsedPage,
  button: string,
): { readonly path: string; readonly fields: Record<string, string> } {
  const form = html
    .split('<form ')
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf('</form>')))
    .find((one) => one.includes(`${button}<`));
  assert.ok(form, `no form has the button ${button}`);
  const hidden = [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const path = /action="\/ops([^"]+)"/.exec(form)![1]!;
  return { path, fields: Object.fromEntries(hidden.map(([, name, value]) => [name!, value!])) };
}

function uploadRequest(
  { url }: BrowsedConsole,
  query: string,
  headers: Readonly<Record<string, string>>,
): ClientRequest {
  return request(`${url}/imports${query}`, { method: 'POST', headers: { 'x-person': 'finance', ...headers } });
}

/** The page, once it has these words. */
async function shown(browser: PageBrowser, path: string, words: string): Promise<BrowsedPage> {
  let page = await browser.get(path);
  await until(async () => {
    page = await browser.get(path);
    return page.text.includes(words);
  });
  return page;
}

describe('imports in the console', () => {
  let world: BrowsedConsole;
  let finance: PageBrowser;
  before(async () => {
    world = await browseConsole();
    finance = world.as('finance', { role: 'finance', company_id: null });
  });
  after(() => world[Symbol.asyncDispose]());

  it('takes a file by a form, and says of each record in quarantine why it is there', async () => {
    const card = await world.tally.company(1).cards.issue({ total_card_amount: 10_000 });
    const file = clearingsFile({ vcn_id: Number(card.id) }, { vcn_id: 999_999 });
    await finance.get('/imports');
    const page = await finance.post('/imports', formOf(file, 'a <b>.xml', { format: 'cdf3', profile: '' }));
    assert.match(page.path, /^\/imports\/\d+$/);
    assert.match(page.html, /<h1>a &lt;b&gt;\.xml<\/h1>/);
    const ended = await shown(finance, page.path, 'applied in part');
    assert.match(ended.text, /Clearings applied 1 .*In quarantine 1 /);
    assert.match(ended.text, /There is no such card/);
    assert.match(ended.html, /hx-trigger="live, every 15s"/);
    assert.match(ended.html, /<noscript><p class="quiet"><a href="\?">Reload<\/a>/);
    const { path, fields } = formWith(ended, 'Try again');
    const refused = await finance.post(path, fields);
    assert.deepEqual([refused.status, /That was not done/.test(refused.text)], [409, true]);
    assert.match((await finance.get('/quarantine?reason=unknown_card')).text, /There is no such card/);
    const again = await finance.post(`${page.path}/replay`);
    assert.match(again.text, /What is left: 1 records in quarantine/);

    const viewer = world.as({ role: 'viewer', company_id: null });
    assert.match((await viewer.get('/companies/1')).text, /1 clearing is in quarantine/);
    const of_one = world.as({ role: 'viewer', company_id: 1 });
    assert.doesNotMatch((await of_one.get('/companies/1')).text, /quarantine/);
    assert.doesNotMatch((await viewer.get('/imports')).html, /type="file"/);
    assert.doesNotMatch((await viewer.get(page.path)).html, /replay|release/);
    assert.equal((await viewer.post('/imports', formOf(file, 'b.xml'))).status, 403);
  });

  it('shows what a file is before anything is stored, and imports no other one after it', async () => {
    const card = await world.tally.company(1).cards.issue({ total_card_amount: 10_000 });
    const file = clearingsFile({ vcn_id: Number(card.id) }, { vcn_id: 999_999, clearing_type: 'CREDIT' });
    await finance.get('/imports');
    const stored = await world.tally.operator.imports.list();
    const page = await finance.post('/imports/preview', formOf(file, 'seen.xml', { format: '', profile: '' }));
    assert.equal(page.status, 200);
    assert.match(page.text, /It would be applied in part \. Nothing is stored yet\./);
    assert.match(page.text, /Format cdf3 .*Period 16.Mar.2030 to 16.Mar.2030 Debits less credits 0\.00 USD/);
    assert.match(page.text, /Would be applied 1 .*Would be in quarantine 1 /);
    assert.match(page.text, /There is no such card/);
    assert.deepEqual(await world.tally.operator.imports.list(), stored, 'nothing is stored');

    const { path, fields } = formWith(page, 'Import');
    assert.equal(path, '/imports');
    const { form_token: _, ...hidden } = fields;
    const other = await finance.post(path, formOf(clearingsFile({ vcn_id: 999_999 }), 'seen.xml', hidden));
    assert.deepEqual([other.status, /is not the file that was shown/.test(other.text)], [422, true]);
    assert.deepEqual(await world.tally.operator.imports.list(), stored, 'the other file is not kept');
    const imported = await finance.post(path, formOf(file, 'seen.xml', hidden));
    await shown(finance, imported.path, 'applied in part');
    const again = await finance.post('/imports/preview', formOf(file, 'seen.xml', hidden));
    assert.match(again.text, /The same file was imported before/);
    assert.doesNotMatch(again.html, /data-upload/);
  });

  it('shows of statements their accounts and sums, and of a file without a format why it is refused', async () => {
    await finance.get('/imports');
    const page = await finance.post(
      '/imports/preview',
      formOf(statementFile('7000000009', '2030-03-16', 10_000), 's.bai'),
    );
    assert.match(page.text, /It would be held .*Accounts 7000000009 Period .* Sum of its lines \u22127\.00 USD/);
    const refused = await finance.post('/imports/preview', formOf(Buffer.from('???'), '4111111111111111.bin'));
    assert.doesNotMatch(refused.html, /4111111111111111/);
    assert.match(refused.text, /It would be refused \. Nothing is stored yet\./);
    assert.doesNotMatch(refused.html, /data-upload/);
    const viewer = world.as({ role: 'viewer', company_id: null });
    await viewer.get('/imports');
    assert.equal((await viewer.post('/imports/preview', formOf(Buffer.from('?'), 'x'))).status, 403);
  });

  it('reads the beginning of a long file, and compares that', async () => {
    const file = clearingsFile(...Array.from({ length: 9_000 }, () => ({ vcn_id: 999_997 })));
    assert.ok(file.length > 6 * 1024 * 1024, `${file.length} bytes`);
    await finance.get('/imports');
    const page = await finance.post('/imports/preview', formOf(file, 'long.xml'));
    assert.match(
      page.text,
      /It is long: only its first [\d,]+ records were read\. .* compared with this one in its first 5 MB only/,
    );
    const { fields } = formWith(page, 'Import');
    assert.match(fields.previewed!, /^[0-9a-f]{64}$/);
    const send = uploadRequest(world, `/preview?name=long.xml`, {
      'x-form-token': finance.token,
      'content-type': 'application/octet-stream',
    });
    send.end(file.subarray(0, 5 * 1024 * 1024));
    const [response] = await once(send, 'response');
    const part = Buffer.concat(await response.toArray()).toString();
    assert.match(part, new RegExp(`name="previewed" value="${fields.previewed}"`), 'the same of a script');
  });

  it('says why a statement is held, creates its account by one button, and releases it with a note', async () => {
    const admin = world.as('admin', { role: 'admin', company_id: null });
    await admin.get('/imports');
    const first = await admin.post('/imports', formOf(statementFile('7000000001', '2030-03-16', 10_000), 's1.bai'));
    const held = await shown(admin, first.path, 'is of an account that does not exist');
    const viewer = world.as({ role: 'viewer', company_id: null });
    assert.match((await viewer.get(first.path)).text, /with the role finance or admin can create the account/);
    const { path, fields } = formWith(held, 'Create account 7000000001');
    const created = await admin.post(path, { ...fields, company_id: '1', currency: 'USD' });
    assert.match(created.text, /The account is created, and its statements are applied\..*Every record is applied/);

    const second = await finance.post('/imports', formOf(statementFile('7000000001', '2030-03-20', 5_000), 's2.bai'));
    const gap = await shown(finance, second.path, 'Held statements');
    const release = formWith(gap, 'Release');
    const refused = await finance.post(release.path, { ...release.fields, note: '' });
    assert.match(refused.text, /That was not done note: is required/);
    const released = await finance.post(release.path, { ...release.fields, note: 'The bank has no other' });
    assert.match(released.text, /It was released/);
    await shown(finance, second.path, 'Every record is applied');
    assert.match((await finance.get(`${second.path}/statements`)).text, /7000000001/);
  });

  it('matches records that differ with one note, which is the reason of the difference too', async () => {
    const { tally } = world;
    const company = tally.company(1);
    await tally.bank.accounts.create({
      company_id: 1,
      number: '7000000005',
      currency: 'USD',
      kind: 'deposit',
      name: 'A',
    });
    await tally.operator.imports.create(statementFile('7000000005', '2030-03-16', 10_000), { name: 's5.bai' });
    const card = await company.cards.issue({ total_card_amount: 10_000 });
    const bought = await company.sandbox.buy({ vcn_id: card.id, amount: 702 });
    await company.sandbox.clear(bought.id!);
    const items = await Array.fromAsync(company.reconciliation.items.list());
    const [clearing_id] = items.find(({ authorization_ids }) => authorization_ids.includes(bought.id!))!.clearing_ids;
    const { id, version } = items.find(({ line_ids }) => line_ids.length > 0)!;
    const path = `/companies/1/items/${id}`;
    const match = { do: `match:${id}:${version}`, with: `clearing:${clearing_id}`, note: 'A tip was cut' };
    assert.doesNotMatch((await finance.get(path)).html, /name="accept_difference"[^>]* checked/);
    const led = await finance.get(`${path}?with=${match.with}`);
    assert.match(
      led.html,
      /name="accept_difference"[^>]* checked/,
      'where the page was opened to match with another amount',
    );
    const refused = await finance.post(path, match);
    assert.match(
      refused.text,
      /That was not done (?:With|Or with) these records: .* also accept the difference that is left/,
    );
    const matched = await finance.post(path, { ...match, accept_difference: 'on', reason: '' });
    assert.match(matched.text, /is accepted now\..* A tip was cut/);
    const [{ reason } = { reason: null }] = (await company.reconciliation.items.read(id)).history;
    assert.equal(reason, 'A tip was cut');
  });

  it('takes a file of a script as it arrives, and none without the token', async () => {
    await finance.get('/imports');
    const { token } = finance;
    const send = async (name: string, form_token: string, bytes: Buffer): Promise<IncomingMessage> => {
      const sent = uploadRequest(world, `?${new URLSearchParams({ name, format: '' })}`, {
        'x-form-token': form_token,
        'content-type': 'application/octet-stream',
      });
      sent.end(bytes);
      const [response] = await once(sent, 'response');
      return response.resume();
    };
    const file = clearingsFile({ vcn_id: 999_998 });
    assert.equal((await send('stranger.xml', 'no token', file)).statusCode, 403);
    const { statusCode, headers } = await send('whole.xml', token, file);
    assert.equal(statusCode, 201);
    assert.match((await finance.get(headers.location!)).text, /whole\.xml.*Clearings applied/);
    assert.equal((await send('unknown.bin', token, Buffer.from('???'))).statusCode, 201);
    const listed = await finance.get('/imports?status=refused');
    assert.match(listed.text, /unknown\.bin/);
    assert.doesNotMatch(listed.text, /stranger/);
  });

  it('keeps nothing of a file that breaks off, of a script or of a form', async () => {
    await finance.get('/imports');
    const { token } = finance;
    // The first bytes decide the format, and an import begins with the next ones.
    const file = clearingsFile(...Array.from({ length: 200 }, () => ({ vcn_id: 999_998 }))).subarray(0, -10);
    const part = (head: string, body: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}`;
    const form = `${part('name="form_token"', token)}\r\n${part('name="file"; filename="broken.xml"', '')}`;
    const of_script = { 'x-form-token': token, 'content-type': 'application/octet-stream' };
    for (const [query, headers, head] of [
      ['?name=broken.xml', of_script, ''],
      ['', { 'content-type': 'multipart/form-data; boundary=b' }, form],
    ] as const) {
      const broken = uploadRequest(world, query, { ...headers, 'content-length': String(10 * file.length) });
      broken.on('error', () => undefined);
      broken.write(head);
      broken.write(file);
      const { html } = await shown(finance, '/imports', 'broken.xml');
      assert.match(html, /hx-trigger="live, every 2s"/);
      const running = await finance.get(/href="\/ops(\/imports\/\d+)"/.exec(html)![1]!);
      assert.match(
        running.html,
        /<div id="import" hx-get="\?"[^>]+ hx-trigger="live, every 2s" hx-headers='{"X-Live":"1"}'/,
      );
      assert.match(running.text, /in progress.* \d+ records were read so far\./);
      broken.destroy();
      await until(async () => !(await finance.get('/imports')).text.includes('broken.xml'));
    }
  });

  it('takes no file of a form whose token follows the file', async () => {
    await finance.get('/imports');
    const { token } = finance;
    const form = new FormData();
    form.set('file', new Blob(['?']), 'late.xml');
    form.set('form_token', token);
    const response = await fetch(`${world.url}/imports`, {
      method: 'POST',
      headers: { 'x-person': 'finance' },
      body: form,
    });
    assert.equal(response.status, 403);
    assert.doesNotMatch((await finance.get('/imports')).text, /late\.xml/);
  });
});
