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
    }
    assert.equal((await world.as({ role: 'viewer', company_id: 1 }).get('/overview')).status, 403);
  });
});
