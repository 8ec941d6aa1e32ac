import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BrowsedPage, PageBrowser } from '@tallystick/test-support';
import { type BrowsedConsole, browseConsole } from './browse.ts';

const home = '/companies/1';

describe('reconciliation in the console', () => {
  let world: BrowsedConsole;
  let [anna, ben, viewer]: PageBrowser[] = [];
  /** The items of two purchases that were cleared with more than was authorized. */
  let [small, large]: string[] = [];

  before(async () => {
    world = await browseConsole();
    const { operator } = world.tally;
    const company = world.tally.company(1);
    const card = await company.cards.issue({ total_card_amount: 900_000 });
    const over = async (amount: number, cleared: number) => {
      const bought = await company.sandbox.buy({ vcn_id: card.id, amount, merchant_name: '<b>Bold & Co</b>' });
      await company.sandbox.clear(bought.id!, { amount: cleared });
      const items = await Array.fromAsync(company.reconciliation.items.list({ filter: { status: 'break' } }));
      return items.find(({ authorization_ids }) => authorization_ids.includes(bought.id!))!.id;
    };
    small = await over(1_000, 2_000);
    large = await over(5_000, 9_000);
    await operator.companies.update(1, { four_eyes: { above: { USD: 6_000 } } });
    const grant = (role: 'finance' | 'viewer') => ({ role, company_id: 1 }) as const;
    anna = world.as('anna', grant('finance'));
    ben = world.as('ben', grant('finance'));
    viewer = world.as('vera', grant('viewer'));
    for (const browser of [anna, ben]) await browser.get(home);
  });
  after(() => world[Symbol.asyncDispose]());

  /** The value of the button with this beginning, as a browser would send it. */
  function buttonOf({ html }: BrowsedPage, start: string): string {
    const found = new RegExp(`value="(${start}[^"]*)"`).exec(html)?.[1];
    assert.ok(found, `a button ${start}`);
    return found;
  }

  it('shows a viewer the queue with its three sides, escaped, without a button that would be refused', async () => {
    const page = await viewer!.get(`${home}/breaks`);
    assert.equal(page.status, 200);
    assert.match(page.html, /&lt;b&gt;Bold &amp; Co&lt;\/b&gt;/);
    assert.match(page.text, /50\.00 Cleared 90\.00/);
    assert.doesNotMatch(page.html, /name="do"/);
    assert.ok(page.html.length < 100_000);
    for (const [text, is_found] of [
      ['90.00 at <b>bold', true],
      ['90.00 at <b>bald', false],
    ] as const) {
      const { html } = await viewer!.get(`${home}/search?q=${encodeURIComponent(text)}`);
      assert.equal(html.includes(`${home}/items/${large}"`), is_found, text);
    }
    const order = async (query: string) => {
      const { html } = await viewer!.get(`${home}/breaks?${query}`);
      return [...html.matchAll(/<tr id="item-(\d+)"/g)].map(([, id]) => id);
    };
    assert.deepEqual(
      [await order('order=oldest'), await order('')],
      [
        [small, large],
        [large, small],
      ],
    );
    const refused = await viewer!.post(`${home}/breaks`, { do: `accept:${small}:1`, note: 'mine' });
    assert.equal(refused.status, 403);
    const none = await viewer!.get(`${home}/breaks?amount_from=1000`);
    assert.match(none.text, /No item fits the filter/);
    assert.match((await viewer!.get(`${home}/breaks?amount_from=89,99&amount_to=90,01`)).text, /Cleared 90\.00/);
    for (const wrong of ['amount_from=x', 'amount_to=0x10', 'amount_to=1.2.3']) {
      assert.equal((await viewer!.get(`${home}/breaks?${wrong}`)).status, 400, wrong);
    }
  });

  it('assigns, comments on and accepts a break, and undoes that, with what was typed after a mistake', async () => {
    const queue = await anna!.get(`${home}/breaks?kind=amount`);
    const accept = buttonOf(queue, `accept:${small}:`);
    const mistaken = await anna!.post(`${home}/breaks?kind=amount`, { do: accept, note: ' ' });
    assert.deepEqual(
      [mistaken.status, /field-note">Note on what you decide: is required/.test(mistaken.html)],
      [422, true],
    );
    await anna!.post(`${home}/breaks?kind=amount`, { do: 'assign', item: `${small}:1` });
    assert.match((await anna!.get(`${home}/breaks?assignee=me`)).text, new RegExp(`Item ${small}`));
    const accepted = await anna!.post(`${home}/breaks?kind=amount`, { do: accept, note: 'the bank refunds it' });
    assert.deepEqual([accepted.path, /is accepted now/.test(accepted.text)], [`${home}/breaks?kind=amount`, true]);
    const said = await anna!.post(`${home}/items/${small}/comments`, { text: '<script>alert(1)</script>\nasked' });
    assert.match(said.html, /&lt;script&gt;alert\(1\)&lt;\/script&gt;\nasked/);
    assert.match(said.text, /anna \(you\) accepted it the bank refunds it/);
    const item = await ben!.get(`${home}/items/${small}`);
    assert.match(item.html, /<a href="[^"]*\/cards\/1\/decisions\/\d+">authorization:\d+<\/a>/);
    const undone = await ben!.post(`${home}/items/${small}`, { do: buttonOf(item, 'reopen:'), note: 'no refund' });
    assert.match(undone.text, /is break now.*anna accepted it.*ben \(you\) undid the decision no refund/);
  });

  it('drops no record that was typed into a match', async () => {
    const at = `${home}/items/${small}`;
    const match = buttonOf(await anna!.get(at), `accept:${small}:`).replace('accept', 'match');
    for (const [typed, message] of [
      ['authorization:1 authorization:2', 'must name one authorization at most'],
      ['line:1 9', 'must be words such as'],
      [' ', 'must also name the records'],
    ] as const) {
      const page = await anna!.post(at, { do: match, with: typed, note: 'the same' });
      assert.deepEqual([page.status, page.text.includes(message)], [422, true], page.text);
    }
  });

  it('lets an act above the amount wait until another person approves it', async () => {
    const accept = buttonOf(await anna!.get(`${home}/items/${large}`), `accept:${large}:`);
    const asked = await anna!.post(`${home}/items/${large}`, { do: accept, note: 'agreed' });
    assert.match(asked.text, /A second person has to approve it first: approval 1\./);
    assert.match(asked.text, /You asked for it, so another person decides/);
    const withdrawn = await anna!.post(`${home}/approvals/1`, { do: 'withdraw' });
    assert.match(withdrawn.text, /Approval 1 was withdrawn: nothing changes/);
    await anna!.post(`${home}/items/${large}`, { do: accept, note: 'agreed after all' });
    assert.match((await anna!.post(`${home}/approvals/2`, { do: 'approve' })).text, /needs another person/);
    const other = await ben!.post(`${home}/items/${large}`, { do: accept.replace('accept', 'ignore'), note: 'mine' });
    assert.deepEqual([other.status, /no other act on it/.test(other.text)], [409, true]);
    assert.match((await ben!.get(`${home}/approvals`)).text, /Approval 2 .*anna/);
    assert.match((await viewer!.get(`${home}/breaks`)).text, /Waits for a second person/);
    assert.equal((await ben!.post(`${home}/approvals/2`, { do: '' })).status, 404, 'nobody approves by mistake');
    const done = await ben!.post(`${home}/approvals/2`, { do: 'approve', note: 'I saw the receipt' });
    assert.deepEqual([done.path, /it is done/.test(done.text)], [`${home}/items/${large}`, true]);
    assert.match(done.text, /anna accepted it, approved by ben \(you\)/);
  });

  it('writes the table, and decides by it as by the rows that are ticked', async () => {
    const { html: csv, headers } = await anna!.get(`${home}/breaks.csv?kind=amount`);
    assert.match(headers.get('content-disposition') ?? '', /attachment; filename="items.csv"/);
    const [head, ...rows] = csv.trim().split('\n');
    const row = rows.find((one) => one.startsWith(`${small},`))!;
    const [id, version] = row.split(',');
    assert.match(head!, /^id,version,/);
    const form = new FormData();
    form.set('dry_run', 'on');
    form.set('table', new File([`id,version,decision,note\n${id},${version},ignore,seen\n`], 'breaks.csv'));
    assert.match((await anna!.post(`${home}/breaks/table`, form)).text, /1 decision can be made\./);
    form.set('table', new File([`id,version,decision,note\n${id},${version},ignore,\n`], 'breaks.csv'));
    const wrong = await anna!.post(`${home}/breaks/table`, form);
    assert.deepEqual([wrong.status, /row 2, note: is required/.test(wrong.text)], [422, true]);
    form.delete('dry_run');
    const refused = await anna!.post(`${home}/breaks/table`, form);
    assert.deepEqual([refused.status, /row 2, note: is required/.test(refused.text)], [422, true]);
    form.set('table', new File([new Uint8Array(9_000_000)], 'breaks.csv'));
    assert.match((await anna!.post(`${home}/breaks/table`, form)).text, /must have at most 8 MB/);
    const unsaid = await anna!.post(`${home}/breaks`, { do: 'ignore', item: `${id}:${version}`, note: ' ' });
    assert.match(unsaid.text, /That was not done Note on what you decide: is required/);
    const stale = await anna!.post(`${home}/breaks`, {
      do: 'ignore',
      item: `${id}:${Number(version) - 1}`,
      note: 'no',
    });
    assert.match(stale.text, new RegExp(`That was not done Item ${id}, version: `));
    const ticked = { do: 'ignore', item: `${id}:${version}`, note: 'say "no", please' };
    assert.match((await anna!.post(`${home}/breaks`, ticked)).text, /1 decision made\./);
    assert.match((await anna!.get(`${home}/items/${small}`)).text, /ignored it say "no", please/);
  });

  it('stays small however much was said, and leads to all of it', async () => {
    const { comment } = world.tally.company(1).reconciliation.items;
    for (let at = 0; at < 30; at += 1) await comment(large!, { text: `(${at})${'"'.repeat(1_900)}` });
    let page = await viewer!.get(`${home}/items/${large}`);
    let said = '';
    for (let link: string | undefined = ''; link !== undefined; ) {
      if (link !== '') page = await viewer!.get(link);
      assert.ok(page.html.length < 100_000);
      said = page.text + said;
      link = /href="([^"]*\?until=\d+)#history"/.exec(page.html)?.[1];
    }
    for (let at = 0; at < 30; at += 1) assert.ok(said.includes(`(${at})`), `comment ${at}`);
  });

  it('is found by the search', async () => {
    const found = await viewer!.get(`${home}/search?q=item%20${large}`);
    assert.deepEqual([found.status, found.path], [200, `${home}/items/${large}`]);
  });

  it('leads from the opening to the closing balance of an account, with nothing unexplained', async () => {
    const page = await viewer!.get(`${home}/bridge?account=1000000001&from=&to=`);
    assert.equal(page.status, 200);
    assert.match(page.text, /unexplained: 0\.00 USD/);
    assert.match(page.text, /Opening balance Items Amount 0\.00 USD .* Closing balance Items Amount 0\.00 USD/);
    assert.equal((await viewer!.get(`${home}/bridge?account=77`)).status, 404);
  });

  it('shows what a closing freezes and leaves open, and closes by two', async () => {
    const look = await anna!.get(`${home}/periods?closed_through=2026-01-31`);
    assert.match(look.text, /If you close through 31 Jan 2026/);
    assert.match((await anna!.get(`${home}/periods?closed_through=2999-01-01`)).text, /items stay open/);
    const asked = await anna!.post(`${home}/periods`, { closed_through: '2026-01-31' });
    assert.deepEqual([asked.path, /close the days through 2026-01-31/.test(asked.text)], [`${home}/approvals/3`, true]);
    const done = await ben!.post(`${home}/approvals/3`, { do: 'approve' });
    assert.match(done.text, /31 Jan 2026 .*closed .*by anna/);
    const wrong = await anna!.post(`${home}/periods`, { closed_through: '2999-01-01' });
    assert.equal(wrong.status, 422);
    const period = /\/periods\/(\d+)\/reopen/.exec(done.html)![1];
    const again = await ben!.post(`${home}/periods/${period}/reopen`, { note: 'late files' });
    const refused = await anna!.post(again.path, { do: 'refuse', note: 'not now' });
    assert.match(refused.text, /was refused: nothing changes/);
  });

  it('says that an item has changed while it waited, and asks again by one click', async () => {
    const company = world.tally.company(1);
    const [{ id: card } = { id: '' }] = (await company.cards.list()).items;
    const bought = await company.sandbox.buy({ vcn_id: Number(card), amount: 7_000, merchant_name: 'Late & Co' });
    await company.sandbox.clear(bought.id!, { amount: 9_000 });
    const items = await Array.fromAsync(company.reconciliation.items.list({ filter: { status: 'break' } }));
    const { id } = items.find(({ authorization_ids }) => authorization_ids.includes(bought.id!))!;
    const path = `${home}/items/${id}`;
    const accept = buttonOf(await anna!.get(path), `accept:${id}:`);
    const asked = await anna!.post(path, { do: accept, note: '"fine" & dandy' });
    const approval = `${home}/approvals/${/approval (\d+)\./.exec(asked.text)![1]}`;
    await ben!.get(approval);
    await company.sandbox.clear(bought.id!, { amount: 1_000 });
    const late = await ben!.post(approval, { do: 'approve' });
    assert.equal(late.status, 409);
    assert.match(
      late.text,
      /That was not done .* is outdated, and nothing was done .* What changed .* Nothing was done Item \d+ has changed/,
    );
    assert.doesNotMatch((await viewer!.get(approval)).text, /Ask again/);
    const note = /name="note" value="([^"]*)"/.exec(late.html)![1]!;
    assert.equal(note, '&quot;fine&quot; &amp; dandy');
    const again = { do: buttonOf(late, `accept:${id}:`), note: '"fine" & dandy' };
    assert.match((await ben!.post(path, again)).text, /A second person has to approve it first/);
    assert.doesNotMatch((await ben!.get(approval)).text, /Ask again/);
    const open = /approvals\/(\d+)/.exec((await anna!.get(path)).html)![1];
    assert.match((await anna!.post(`${home}/approvals/${open}`, { do: 'approve' })).text, /it is done/);
    await world.tally.operator.companies.update(1, { four_eyes: null });
    const alone = await ben!.get(approval);
    assert.match(alone.text, /another person decides, or it is done at once where it needs none any more/);
    const undo = await ben!.post(path, { do: buttonOf(await ben!.get(path), `reopen:${id}:`), note: 'no' });
    assert.match(undo.text, /is break now/);
    const once = { do: buttonOf(await ben!.get(approval), `accept:${id}:`), note: 'alone' };
    assert.match((await ben!.post(path, once)).text, /is accepted now/);
    assert.equal((await ben!.post(path, once)).status, 409, 'asked twice');
  });
});
