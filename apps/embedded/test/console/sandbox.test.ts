import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BrowsedPage } from '@tallystick/test-support';
import { type BrowsedConsole, browseConsole } from './browse.ts';

const page = '/companies/1/sandbox';
const quiet = () => undefined;
const silent = { debug: quiet, info: quiet, warn: quiet, error: quiet };

describe('the page to try the sandbox', () => {
  let world: BrowsedConsole;
  before(async () => {
    // The webhook of the examples fails, which is a warning in the log.
    world = await browseConsole({ sandbox: true, logger: silent });
  });
  after(() => world[Symbol.asyncDispose]());

  it('leads from a card to an item whose three sides match, and to a break, with the calls of each button', async () => {
    const browser = world.as({ role: 'admin', company_id: null });
    await browser.get(page);
    const press = async (fields: Readonly<Record<string, string>>): Promise<BrowsedPage> => {
      const answer = await browser.post(page, fields);
      assert.equal(answer.status, 200, answer.text);
      return answer;
    };
    const made = await press({ do: 'card', limit: '500.00', team: "O'Hara" });
    assert.match(made.text, /Card 1, which ends in \d{4}, can be used: 500.00 USD each month/);
    assert.match(
      made.text,
      /await tally\.company\(1\)\.cards\.issue\(\{ total_card_amount: 50000, recurring: 'Monthly', metadata: \{ team: 'O\\'Hara' \} \}\);/,
    );
    assert.match(
      (await press({ do: 'buy', card: '1', amount: '42.50', merchant: '<b>Bistro' })).text,
      /Approved: 42.50 USD at <b>Bistro/,
    );
    for (const [why, code] of [
      ['limit', 'E'],
      ['frozen', 'K'],
      ['currency', 'M'],
      ['category', 'J'],
    ] as const) {
      const declined = await press({ do: 'decline', card: '1', why });
      assert.match(declined.text, new RegExp(`Declined: .* \\(${code}\\)\\.`), why);
    }
    assert.match((await press({ do: 'clear', authorization: '1' })).text, /One purchase has cleared: 42.50 USD/);
    assert.match((await press({ do: 'statement' })).text, /Statement lines: 1 applied, 0 in quarantine/);
    const account = { company_id: 1, number: '9000000009', currency: 'USD', kind: 'deposit', name: 'Later' } as const;
    await world.tally.bank.accounts.create(account);
    await press({ do: 'buy', card: '1', amount: '10' });
    assert.match((await press({ do: 'clearing_file' })).text, /Clearings: 1 applied, 0 in quarantine/);
    await press({ do: 'statement', differs: 'on' });
    const { items } = await world.tally.company(1).reconciliation.items.list({ filter: { vcn_id: 1 } });
    assert.deepEqual(
      items.map(({ status, kind, sides, difference }) => ({ status, kind, sides, difference })),
      [
        { status: 'break', kind: 'amount', sides: 3, difference: 50 },
        { status: 'matched', kind: null, sides: 3, difference: 0 },
      ],
    );
    const { items: lines } = await world.tally.company(1).reconciliation.lines.list();
    assert.equal(new Set(lines.map(({ account_id }) => account_id)).size, 1, 'statements are of one account');
    assert.match((await press({ do: 'mail', card: '1' })).html, /href="[^"]*\/sandbox#mailbox".*id="mailbox"/s);
    assert.match((await press({ do: 'refund', authorization: '1' })).text, /Refunded: 42.50 USD/);
    assert.match((await press({ do: 'statement' })).text, /Statement lines: 1 applied, 0 in quarantine/);
    const both = await world.tally.company(1).reconciliation.items.list({ filter: { vcn_id: 1 } });
    assert.deepEqual(
      both.items.slice(1).map(({ status, cleared, stated, line_ids }) => [status, cleared, stated, line_ids.length]),
      [['matched', 0, 0, 2]],
    );
    assert.match((await press({ do: 'clock', advance: 'P1D' })).text, /All work that became due is done/);
    const { sandbox } = world.tally.company(1);
    for (let made = 0; made < 101; made += 1) {
      const { id } = await sandbox.buy({ vcn_id: 1, amount: 100, merchant_name: 'Bakery' });
      await sandbox.clear(id!);
    }
    assert.match((await press({ do: 'statement' })).text, /Statement lines: 100 applied/);
    assert.match((await press({ do: 'statement' })).text, /Statement lines: 1 applied/);
  });

  it('names the field that was typed wrongly, and keeps what was typed', async () => {
    const browser = world.as({ role: 'support', company_id: 1 });
    await browser.get(page);
    const answer = await browser.post(page, { do: 'buy', card: '1', amount: 'much', merchant: 'Bistro' });
    assert.equal(answer.status, 422);
    assert.match(answer.html, /id="field-amount"[^>]*value="much"/);
    assert.match(answer.text, /Amount, USD: must be an amount in USD, such as/);
  });

  it('does nothing for a viewer', async () => {
    const browser = world.as({ role: 'viewer', company_id: null });
    const shown = await browser.get(page);
    assert.doesNotMatch(shown.html, /<main[\s\S]*<form/);
    assert.equal((await browser.post(page, { do: 'card', limit: '1' })).status, 403);
  });

  it('fills a company with examples of each case, also when it has some', async () => {
    const browser = world.as('filler', { role: 'admin', company_id: null });
    await browser.get(page);
    const company = world.tally.company(1);
    const filled = await browser.post(page, { do: 'examples' });
    const [, purchases, declined] = /(\d+) purchases were made: (\d+) were declined/.exec(filled.text) ?? [];
    assert.ok(Number(purchases) >= 100 && Number(declined) >= 10, filled.text);
    assert.ok(filled.html.length < 100_000);
    const { items: breaks } = await company.reconciliation.items.list({
      filter: { status: 'break' },
      suggestions: true,
      limit: 100,
    });
    const [summary, imports, webhooks, periods, approvals, cards] = await Promise.all([
      company.reconciliation.summary(),
      world.tally.operator.imports.list(),
      company.webhooks.list(),
      company.reconciliation.periods.list(),
      company.reconciliation.approvals.list(),
      company.cards.list({ limit: 5 }),
    ]);
    const worked_on = breaks.find(({ assignee }) => assignee !== null);
    const { history } = await company.reconciliation.items.read(worked_on!.id);
    const has = {
      'each status': ['matched', 'break', 'proposed', 'awaiting'].every((one) => one in summary.by_status),
      'breaks of more than a week': '8-30' in summary.by_age,
      'a suggested match': worked_on?.suggestions[0]?.differs.merchant === 'same',
      'a comment': history.some(({ action }) => action === 'comment'),
      'a file that is held': imports.items.some(({ status }) => status === 'held'),
      'a clearing in quarantine': imports.items.some(({ quarantined }) => quarantined > 0),
      'a webhook': webhooks.items.length === 1,
      'a closed period': periods.items.length === 1,
      'an act that waits': approvals.items.length === 1 && approvals.items[0]?.status === 'pending',
      'a card near its limit': cards.items.some((one) => one.available_balance < one.total_card_amount / 10),
      'a frozen card': cards.items.some(({ frozen }) => frozen),
    };
    assert.deepEqual(
      Object.entries(has).filter(([, is_true]) => !is_true),
      [],
    );
    const { items: deliveries } = await company.webhooks.deliveries.list(webhooks.items[0]!.id);
    assert.deepEqual([...new Set(deliveries.map(({ state }) => state))], ['pending', 'failed']);

    const twice = await Promise.all([1, 2].map(() => browser.post(page, { do: 'examples' })));
    assert.deepEqual(twice.map(({ status }) => status).toSorted(), [200, 409], 'one of two at once');
    assert.equal((await company.webhooks.list()).items.length, 1);
  });
});
