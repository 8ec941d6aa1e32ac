import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BrowsedConsole, browseConsole } from './browse.ts';

describe('the home of the console', () => {
  let world: BrowsedConsole;
  before(async () => {
    world = await browseConsole();
  });
  after(() => world[Symbol.asyncDispose]());

  it('counts approvals and declines with their reasons, of a company and of all', async () => {
    const company = world.tally.company(1);
    const [real_card] = (await company.realCards.list()).items;
    const issued = await company.cards.issue({
      rcn_id: real_card!.id,
      total_card_amount: 1_000,
      per_transaction_max: 1_000,
    });
    for (const amount of [300, 400, 5_000]) await company.sandbox.buy({ vcn_id: issued.id, amount });
    for (const [path, grant] of [
      ['/companies/1', 1],
      ['/overview', null],
    ] as const) {
      const page = await world.as({ role: 'viewer', company_id: grant }).get(path);
      assert.equal(page.status, 200, page.text);
      assert.match(page.text, /Requests 3 0 the day before Approved 2 0 the day before Declined 1 0 the day before/);
      assert.match(page.text, /E limit of one purchase Count 1/);
      assert.match(
        page.html,
        /<svg[^>]*role="img"[^>]*>(?:(?!<\/svg>)[\s\S])*<rect class="c1"(?:(?!<\/svg>)[\s\S])*<rect class="c2"/,
      );
      assert.ok(page.html.length < 100_000, `${page.html.length} bytes`);
      // One decline is shown at once.
      const [, declined] = /href="\/ops([^"]+)">limit of one purchase/.exec(page.html) ?? [];
      assert.equal(declined !== undefined, grant === 1);
      if (declined === undefined) continue;
      assert.match((await world.as({ role: 'viewer', company_id: 1 }).get(declined)).text, /Declined E,/);
    }
    assert.equal((await world.as({ role: 'viewer', company_id: 1 }).get('/overview')).status, 403);
  });

  it('leads to the breaks that are older than a week, and to no other', async () => {
    const company = world.tally.company(1);
    const card = await company.cards.issue({ total_card_amount: 10_000 });
    const over = async () => {
      const { id } = await company.sandbox.buy({ vcn_id: card.id, amount: 500 });
      await company.sandbox.clear(id!, { amount: 900 });
    };
    await over();
    await world.tally.sandbox.clock.move({ advance: 'P14D' });
    await over();
    const viewer = world.as({ role: 'viewer', company_id: 1 });
    const [, path] = /href="\/ops([^"]+)"><strong>1<\/strong> break is older/.exec(
      (await viewer.get('/companies/1')).html,
    )!;
    const old = await viewer.get(path!);
    assert.equal(old.html.match(/id="item-/g)?.length, 1);
    assert.match(old.html, /<option value="8-" selected>over 7</);
    const [, aged] = /href="\/ops([^"]+)">8-30 days</.exec((await viewer.get('/companies/1')).html)!;
    assert.equal((await viewer.get(aged!)).html.match(/id="item-/g)?.length, 1);
  });
});
