import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { money } from '@tallystick/kernel';
import { database_names } from '@tallystick/test-support';
import {
  account_number,
  authorize,
  book,
  buy,
  clear,
  issueCard,
  newReference,
  openAccount,
} from './reconciliation-world.ts';
import { type Reply, type Service, startService } from './service.ts';

const path = '/v1/reconciliation';

/** Sets up items of several statuses, and returns the two cards. */
async function fill(service: Service) {
  const [card, other] = [await issueCard(service), await issueCard(service)];
  const account_id = await openAccount(service);
  const [matched, differs] = [newReference(), newReference()];
  await buy(service, card, { authorized: 12_000, cleared: 11_850, acquirer_reference_data: matched });
  await buy(service, card, { authorized: 5_000, acquirer_reference_data: differs });
  await buy(service, other, {
    authorized: 2_000,
    settlement_date: '2030-03-14',
    acquirer_reference_data: newReference(),
  });
  await clear(service, other, 700, { merchant_name: '=HYPERLINK("x")', acquirer_reference_data: newReference() });
  await authorize(service, other, 900);
  await book(service, account_id, [
    { amount: money(-11_850), acquirer_reference: matched },
    { amount: money(-5_040), acquirer_reference: differs },
    { amount: money(-333), booking_date: '2030-03-11', text: '=CARD', bank_reference: '-7' },
    { amount: money(2_500), bai_code: '495' },
  ]);
  return { card, other, account_id };
}

async function itemsOf({ send }: Service, query = '') {
  const reply = await send('GET', `${path}/items${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.json.data as readonly Readonly<Record<string, unknown>>[];
}

const shown = (items: readonly Readonly<Record<string, unknown>>[]) =>
  items.map(({ status, kind, authorized, cleared, stated }) => [status, kind, authorized, cleared, stated]);

const lone_line = ['break', 'unexplained_line', null, null, 333];
const awaited = ['awaiting', null, 900, null, null];
const force_post = ['break', 'unauthorized', null, 700, null];
const unstated = ['awaiting', null, 2_000, 2_000, null];
const differing = ['break', 'amount', 5_000, 5_000, 5_040];
const complete = ['matched', null, 12_000, 11_850, 11_850];

for (const database of database_names) {
  describe(`reconciliation over ${database}`, () => {
    it('lists an item for each purchase, lone clearing and lone card line, newest first', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const items = await itemsOf(service);
      assert.deepEqual(
        new Set(shown(items).map(String)),
        new Set([lone_line, awaited, force_post, unstated, differing, complete].map(String)),
      );
      const opened = items.map(({ opened_at }) => String(opened_at));
      assert.deepEqual(opened, opened.toSorted().reverse());
      let next: string | null = `${path}/items?page[limit]=2`;
      const ids: unknown[] = [];
      while (next !== null) {
        const { data, links }: Reply['json'] = (await service.send('GET', next)).json;
        ids.push(...data.map(({ id }: { id: string }) => id));
        next = links.next;
      }
      assert.deepEqual(
        ids,
        items.map(({ id }) => id),
      );
    });

    it('shows of an item its records, and why they belong together', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const [matched] = await itemsOf(service, '?filter[status]=matched');
      const { json } = await service.send('GET', String(matched!.url));
      const item: Reply['json'] = json.data;
      assert.deepEqual([item.history, item.has_more_alternatives], [[], false]);
      const { lines, clearings, authorizations } = item;
      assert.equal(item.statement_line, null);
      for (const name of ['history', 'has_more_alternatives', 'lines', 'statement_line', 'clearings', 'authorizations'])
        delete item[name];
      assert.deepEqual({ ...item }, matched);
      assert.deepEqual(
        [item.class, item.sides, item.difference, item.settlement_date],
        ['under', 3, -150, '2030-03-15'],
      );
      assert.deepEqual([item.authorization_ids.length, item.clearing_ids.length, item.line_ids.length], [1, 1, 1]);
      assert.deepEqual(
        [item.account_id, item.booking_date, item.bank_text, item.bank_reference, item.approval_code],
        [account_number, '2030-03-15', 'CARD PURCHASE', null, authorizations[0].approval_code],
      );
      assert.equal(item.acquirer_reference, clearings[0].acquirer_reference);
      assert.deepEqual([lines[0].amount, lines[0].item_id], [-11_850, item.id]);
      assert.deepEqual(
        [clearings[0].amount, clearings[0].class, clearings[0].merchant_name],
        [11_850, 'under', 'Paper & Ink'],
      );
      assert.deepEqual([authorizations[0].amount, authorizations[0].id], [12_000, item.authorization_ids[0]]);
      const matches = item.matches.map((one: Record<string, unknown>) => [one.side, one.rule, one.class]);
      assert.deepEqual(matches, [
        ['authorization', '3', 'under'],
        ['statement', 'ard', null],
      ]);
      assert.equal(item.matches[1].values.days, 0);
    });

    it('filters by every field, and by several at once', async (t) => {
      const service = await startService(t, database);
      const { card, other } = await fill(service);
      const filtered = async (...filters: readonly string[]) =>
        shown(await itemsOf(service, `?${filters.map((one) => `filter${one}`).join('&')}`)).toSorted();
      const inOrder = (...items: readonly unknown[][]) => items.toSorted();
      assert.deepEqual(await filtered('[status]=break'), inOrder(lone_line, force_post, differing));
      assert.deepEqual(await filtered('[status]=proposed'), []);
      assert.deepEqual(await filtered('[class]=under'), [complete]);
      assert.deepEqual(await filtered('[kind]=unauthorized'), [force_post]);
      assert.deepEqual(await filtered(`[vcn_id]=${card.id}`), inOrder(complete, differing));
      assert.deepEqual(await filtered('[currency]=USD', '[status]=matched'), [complete]);
      assert.deepEqual(await filtered('[currency]=EUR'), []);
      assert.deepEqual(await filtered('[settlement_date]=2030-03-14'), [unstated]);
      assert.deepEqual(await filtered('[settlement_date]=[2030-03-15,]'), inOrder(complete, differing, force_post));
      assert.deepEqual(await filtered('[settlement_date]=[,2030-03-13]'), []);
      assert.deepEqual(await filtered('[amount]=[11850,11850]'), [complete]);
      assert.deepEqual(await filtered('[amount]=5040'), [differing]);
      assert.deepEqual(await filtered('[amount]=[,500]'), [lone_line]);
      assert.deepEqual(await filtered('[merchant_name]=Nobody'), []);
      assert.deepEqual(await filtered(`[account_id]=${account_number}`), inOrder(complete, differing, lone_line));
      assert.deepEqual(await filtered('[account_id]=1000000009'), []);
      assert.deepEqual(await filtered('[booking_date]=2030-03-11'), [lone_line]);
      assert.deepEqual(await filtered('[booking_date]=[2030-03-12,]', '[status]=break'), [differing]);
      assert.deepEqual(await filtered('[reference]=-7'), [lone_line]);
      const [matched] = await itemsOf(service, '?filter[status]=matched');
      assert.deepEqual(await filtered(`[reference]=${matched!.acquirer_reference}`), [complete]);
      assert.deepEqual(
        await filtered(`[merchant_name]=${encodeURIComponent(String(matched!.merchant_name))}`, '[amount]=5040'),
        [differing],
      );
      assert.deepEqual(await filtered('[age_days]=[1,1]'), [lone_line]);
      assert.deepEqual(await filtered('[age_days]=0'), inOrder(differing, force_post));
      assert.deepEqual(await filtered('[age_days]=[0,]', '[status]=break', `[vcn_id]=${other.id}`), [force_post]);
      assert.deepEqual(await filtered('[kind]=amount', '[class]=exact', '[settlement_date]=[2030-03-15,2030-03-15]'), [
        differing,
      ]);
    });

    it('shows what time has made of an item', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const before = await itemsOf(service, '?filter[kind]=unstated');
      assert.deepEqual(before, []);
      service.setClock('2030-03-20T00:00:00Z');
      const after = await itemsOf(service, '?filter[kind]=unstated');
      assert.deepEqual(
        after.map(({ status, due_date, age_days }) => [status, due_date, age_days]),
        [['break', '2030-03-17', 3]],
      );
      const { by_age } = (await service.send('GET', `${path}/summary`)).json.data;
      assert.deepEqual(Object.keys(by_age).toSorted(), ['2-3', '4-7']);
    });

    it('counts a break that settles tomorrow as new, in the summary, the filter and the table', async (t) => {
      const service = await startService(t, database);
      const card = await issueCard(service);
      await clear(service, card, 700, { settlement_date: '2030-03-16' });
      const { by_age } = (await service.send('GET', `${path}/summary`)).json.data;
      assert.deepEqual(by_age, { '0-1': { count: 1, sum: 700 } });
      for (const filter of ['0', '[0,1]', '[,1]']) {
        const found = await itemsOf(service, `?filter[age_days]=${filter}`);
        assert.deepEqual(
          found.map(({ due_date, age_days }) => [due_date, age_days]),
          [['2030-03-16', 0]],
          filter,
        );
      }
      assert.deepEqual(await itemsOf(service, '?filter[age_days]=[1,]'), []);
    });

    it('sums items up by status, kind, class and age', async (t) => {
      const service = await startService(t, database);
      assert.deepEqual((await service.send('GET', `${path}/summary`)).json.data, {
        currency: null,
        by_status: {},
        by_kind: {},
        by_class: {},
        by_age: {},
        by_currency: {},
      });
      await fill(service);
      const { by_currency, ...summary } = (await service.send('GET', `${path}/summary`)).json.data;
      assert.deepEqual(summary, {
        currency: 'USD',
        by_status: {
          break: { count: 3, sum: 333 + 700 + 5_040 },
          awaiting: { count: 2, sum: 900 + 2_000 },
          matched: { count: 1, sum: 11_850 },
        },
        by_kind: {
          unauthorized: { count: 1, sum: 700 },
          amount: { count: 1, sum: 5_040 },
          unexplained_line: { count: 1, sum: 333 },
        },
        by_class: {
          exact: { count: 2, sum: 5_040 + 2_000 },
          under: { count: 1, sum: 11_850 },
          force_post: { count: 1, sum: 700 },
        },
        by_age: { '0-1': { count: 3, sum: 333 + 700 + 5_040 } },
      });
      const { currency: _, ...totals } = summary;
      assert.deepEqual(by_currency, { USD: totals });
    });

    it('counts the matches of each rule', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const { json } = await service.send('GET', `${path}/rules`);
      const count = { confirmed: 0, undone: 0 };
      assert.deepEqual(json.data, {
        rules: [
          { rule: '3', authorization_matches: 3, statement_matches: 0, ...count },
          { rule: 'ard', authorization_matches: 0, statement_matches: 2, ...count },
        ],
        matches: 5,
        share_without_person: 1,
        tolerated: 0,
        ...count,
        items: 6,
        items_untouched: 6,
        share_untouched: 1,
      });
      const of_day = await service.send('GET', `${path}/rules?filter[settlement_date]=[,2030-03-14]`);
      assert.deepEqual([of_day.json.data.matches, of_day.json.data.items], [1, 1]);
    });

    it('leads from balance to balance over a bridge whose steps add up', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const of_account = `${path}/bridge?filter[account_id]=${account_number}`;
      const { data } = (await service.send('GET', of_account)).json;
      const [breaks] = await itemsOf(service, '?filter[kind]=amount');
      const [matched] = await itemsOf(service, '?filter[status]=matched');
      const [lone] = await itemsOf(service, '?filter[kind]=unexplained_line');
      const { differences, ...sums } = data;
      assert.deepEqual(sums, {
        account_id: account_number,
        currency: 'USD',
        from: null,
        to: null,
        opening_balance: 1_000_000,
        card_lines: -17_223,
        other_lines: 2_500,
        closing_balance: 985_277,
        clearings: -16_850,
        fees: 0,
        authorized: -17_000,
        differences_count: 2,
        difference_sums: [
          { step: 'statement', kind: 'amount', count: 1, sum: -40, items_url: `${path}/items?filter[kind]=amount` },
          { step: 'authorization', kind: 'under', count: 1, sum: 150, items_url: `${path}/items?filter[class]=under` },
        ],
        unexplained: [{ line_id: (lone!.line_ids as number[])[0], amount: -333 }],
        unexplained_count: 1,
        unexplained_sum: -333,
      });
      const named = differences.map((one: Record<string, unknown>) => [one.item_id, one.step, one.kind, one.amount]);
      assert.deepEqual(
        named.toSorted(),
        [
          [breaks!.id, 'statement', 'amount', -40],
          [matched!.id, 'authorization', 'under', 150],
        ].toSorted(),
      );
      const listing: readonly string[] = sums.difference_sums.map((one: { items_url: string }) => one.items_url);
      for (const [at, item_id] of [breaks!.id, matched!.id].entries()) {
        const listed = (await service.send('GET', listing[at]!)).json.data as readonly { readonly id: string }[];
        assert.deepEqual(
          listed.map(({ id }) => id),
          [item_id],
        );
      }
      const later = (await service.send('GET', `${of_account}&filter[booking_date]=[2030-03-12,2030-03-31]`)).json.data;
      assert.deepEqual([later.opening_balance, later.closing_balance, later.unexplained], [999_667, 985_277, []]);
    });

    it('names no list of items for what a refund gave back: they have the class of the purchase', async (t) => {
      const service = await startService(t, database);
      const card = await issueCard(service);
      const account_id = await openAccount(service);
      const [bought, returned, alone] = [newReference(), newReference(), newReference()];
      const net_reference_number = 'MCC7654320315';
      const credit = { clearing_type: 'CREDIT' };
      await authorize(service, card, 5_000, { net_reference_number });
      await clear(service, card, 5_000, { net_reference_number, acquirer_reference_data: bought });
      await clear(service, card, 5_000, { ...credit, net_reference_number, acquirer_reference_data: returned });
      await clear(service, card, 400, { ...credit, merchant_id: 'M-78', acquirer_reference_data: alone });
      await book(service, account_id, [
        { amount: money(-5_000), acquirer_reference: bought },
        { amount: money(5_000), acquirer_reference: returned, bai_code: '824' },
        { amount: money(400), acquirer_reference: alone, bai_code: '824' },
      ]);
      const { json } = await service.send('GET', `${path}/bridge?filter[account_id]=${account_number}`);
      const of_alone = `${path}/items?filter[class]=refund_unlinked`;
      assert.deepEqual(json.data.difference_sums, [
        { step: 'authorization', kind: 'refund_linked', count: 1, sum: 5_000, items_url: null },
        { step: 'authorization', kind: 'refund_unlinked', count: 1, sum: 400, items_url: of_alone },
      ]);
      assert.equal((await service.send('GET', of_alone)).json.data.length, 1);
      assert.equal((await itemsOf(service, '?filter[class]=exact')).length, 1, 'the purchase with its refund');
    });

    it('writes a table that is harmless in a spreadsheet, of any length', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const reply = await service.send('GET', `${path}/items.csv?filter[status]=break`);
      assert.equal(reply.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
      const [head, ...rows] = reply.text.split('\r\n').filter((row) => row !== '');
      assert.equal(
        head,
        'id,version,status,kind,class,rule,vcn_id,merchant_name,authorized,cleared,stated,fees,difference,currency,settlement_date,due_date,age_days,decision,note,acquirer_reference,approval_code,account,booking_date,bank_text,bank_reference,suggestions,with',
      );
      assert.equal(rows.length, 3);
      const [formula] = rows.filter((row) => row.includes('HYPERLINK'));
      assert.match(formula!, /,"'=HYPERLINK\(""x""\)",,700,,0,0,USD,2030-03-15,2030-03-15,0,,,\d{17},,,,,,/);
      assert.ok(
        rows.some((row) => row.includes(`,${account_number},2030-03-11,'=CARD,'-7,`)),
        reply.text,
      );
      const { by_status } = (await service.send('GET', `${path}/summary`)).json.data;
      assert.equal(by_status.break.count, rows.length);
    });

    it('shows nothing of another company', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const [item] = await itemsOf(service);
      const operator = (data: object) => ({ key: 'operator', body: { data } }) as const;
      const made = await service.send(
        'POST',
        '/operator/v1/companies',
        operator({ name: 'Other', customer_number: '7' }),
      );
      const key_data = { role: 'client', company_id: Number(made.json.data.id), name: 'other' };
      const { key } = (await service.send('POST', '/operator/v1/keys', operator(key_data))).json.data;
      const theirs = { key } as const;
      assert.equal((await service.send('GET', String(item!.url), theirs)).status, 404);
      assert.deepEqual((await service.send('GET', `${path}/items`, theirs)).json.data, []);
      assert.deepEqual((await service.send('GET', `${path}/summary`, theirs)).json.data.by_status, {});
      assert.equal((await service.send('GET', `${path}/items.csv`, theirs)).text.split('\r\n').length, 2);
      const bridge = await service.send('GET', `${path}/bridge?filter[account_id]=${account_number}`, theirs);
      assert.equal(bridge.status, 404);
      for (const key of ['operator', 'network', 'bank'] as const) {
        assert.equal((await service.send('GET', `${path}/items`, { key })).status, 403, key);
      }
    });
  });
}

describe('a read of reconciliation', () => {
  it('that is malformed is refused with what would be right', async (t) => {
    const { send } = await startService(t);
    const refused: readonly (readonly [string, RegExp])[] = [
      ['items?filter[status]=open', /filter\[status\] must be one of ignored, accepted, break/],
      ['items?filter[age_days]=[7,4]', /filter\[age_days\] begins after it ends/],
      ['items?filter[settlement_date]=yesterday', /filter\[settlement_date\] must be a date, YYYY-MM-DD/],
      ['items?filter[vcn_id]=x', /filter\[vcn_id\] must be the id of a card/],
      ['items?filter[stat]=break', /filter\[stat\] is not a filter of this path; did you mean filter\[status\]\?/],
      ['items?page[after]=x', /page\[after\] must be the cursor of an earlier page of this list/],
      ['items.csv?page[limit]=1', /page\[limit\] is not a parameter of this path, which is not a list/],
      ['summary?filter[status]=break', /is not a filter of this path/],
      ['bridge', /filter\[account_id\] is required/],
      ['bridge?filter[account_id]=1&filter[booking_date]=[2030-02-30,]', /filter\[booking_date\] must be a date/],
    ];
    for (const [query, error] of refused) {
      const reply = await send('GET', `${path}/${query}`);
      assert.equal(reply.status, 400, query);
      assert.match(reply.json.error, error, query);
    }
    for (const id of ['1', '3', '999999']) {
      assert.equal((await send('GET', `${path}/items/${id}`)).status, 404, id);
    }
  });
});
