import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { migratedDatabase, send, serverEnvironment, startServer } from '@tallystick/test-support';
import { runReconcile } from './run-command.ts';

/** A sandbox with a force post of 7.00 and a purchase that is awaited. The server has ended. */
async function withItems(work: (env: NodeJS.ProcessEnv) => Promise<void>): Promise<void> {
  const database = await migratedDatabase('sqlite');
  try {
    const server = await startServer(database);
    const card = { data: { total_card_amount: 100_000 } };
    const { id } = (await send(server.url, 'POST', '/v1/virtualcards', { body: card })).json.data;
    const clearing = {
      vcn_id: Number(id),
      network_financial_transaction_id: 'TX-1',
      billing_amount: 700,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      merchant_name: 'Paper & Ink, a shop with a very long name',
      settlement_date: '2030-03-16',
    };
    const cleared = await send(server.url, 'POST', '/network/v1/clearings', {
      key: 'network',
      body: { data: clearing },
    });
    assert.equal(cleared.status, 200, cleared.text);
    await server.stop();
    await work(serverEnvironment(database));
  } finally {
    await database.dispose();
  }
}

describe('npm run reconcile', () => {
  it('shows what has arrived, without a server', async () => {
    await withItems(async (env) => {
      const report = await runReconcile(['report'], env);
      assert.equal(report.status, 0, report.err);
      assert.match(report.out, /^Company 1, USD$/m);
      assert.match(report.out, /^ {2}break +1 +7\.00$/m);
      assert.match(report.out, /^ {2}unauthorized +1 +7\.00\n {2}total +1 +7\.00$/m);
      const csv = await runReconcile(['report', '--csv'], env);
      assert.deepEqual(csv.out.split('\r\n').slice(0, 3), [
        'company_id,currency,part,name,items,sum,authorization_matches,statement_matches,confirmed,undone,day',
        '1,USD,by_status,break,1,700,,,,,',
        '1,USD,by_kind,unauthorized,1,700,,,,,',
      ]);
      assert.ok(csv.out.includes('\r\n1,,by_person,untouched,1,,,,,,\r\n1,,by_person,touched,0,,,,,,\r\n'), csv.out);
      assert.match(report.out, /^ {2}breaks on +0-1 +2-3 +4-7 +8-30 +over 30 +total$/m);
      assert.match(report.out, /^ {2}1 item; no person touched 1 of them, 100\.00 %$/m);
      const { status, out } = await runReconcile(['report', '--json'], env);
      assert.equal(status, 0);
      const [{ summary, rules, ages_of_breaks }] = JSON.parse(out);
      assert.deepEqual(summary.by_status, { break: { count: 1, sum: 700 } });
      assert.deepEqual([rules.items, rules.items_untouched, rules.share_untouched], [1, 1, 1]);
      assert.equal(ages_of_breaks.USD.length, 30);
      const open = Object.values(ages_of_breaks.USD[0].by_age as Record<string, number>);
      assert.equal(
        open.reduce((sum, count) => sum + count, 0),
        1,
      );
    });
  });

  it('lists breaks as a table for people, in JSON and in CSV', async () => {
    await withItems(async (env) => {
      const { out } = await runReconcile(['breaks', '--kind', 'unauthorized'], env);
      assert.match(out, /^item \d+ {2}unauthorized {2}age \d+, due 2030-03-16 {2}card \d+ {2}Paper & Ink, a shop with/);
      assert.match(out, /^ {2}cleared 7\.00, difference 0\.00 USD$/m);
      assert.match(out, /^npm run reconcile -- show \d+ shows one; accept, ignore and match decide it\.$/m);
      assert.match(out, /\n1 break, 7\.00 USD\n/);
      assert.equal(JSON.parse((await runReconcile(['breaks', '--json'], env)).out)[0].cleared, 700);
      const csv = await runReconcile(['breaks', '--csv'], env);
      assert.match(csv.out, /^id,version,status,.*\r\n\d+,1,break,unauthorized,force_post,8,\d+,"Paper/);
      assert.equal((await runReconcile(['breaks', '--kind', 'unstated'], env)).out, 'There are no such breaks.\n');
    });
  });

  it('finds nothing to mend in what was kept up to date', async () => {
    await withItems(async (env) => {
      await runReconcile(['report'], env);
      for (const words of [['rebuild', '--check'], ['rebuild']]) {
        const { status, out, err } = await runReconcile([...words, '--quiet'], env);
        assert.deepEqual([status, out], [0, '1 record and 1 item of 1 company: nothing differs\n'], err);
      }
    });
  });

  it('stops a rebuild after the transaction in progress, and mends the rest with the same command', async () => {
    await withItems(async (env) => {
      await runReconcile(['report'], env);
      const { status, out, err } = await runReconcile(['rebuild'], env, { is_terminal: true, stops_at: 'err' });
      assert.deepEqual([status, out], [1, ''], err);
      assert.match(err, /\nSIGINT: stopping after the batch in progress; /);
      assert.ok(err.endsWith('stopped; what was mended stays, and the same command begins again\n'), err);
      assert.equal((await runReconcile(['rebuild', '--quiet'], env)).status, 0);
    });
  });

  it('names the problem of a wrong command line', async () => {
    await withItems(async (env) => {
      const wrong: readonly (readonly [readonly string[], number, RegExp])[] = [
        [['breaks', '--kind', 'open'], 2, /^--kind must be one of .*, not "open"\n/m],
        [['breaks', '--age', '[4'], 2, /^--age must be a number of days/m],
        [['breaks', '--card', 'x'], 2, /^--card must be the id of a card/m],
        [['breaks', '--from', '2026-02-02', '--to', '2026-02-01'], 2, /^--from to --to begins after it ends\n/m],
        [
          ['bridge', '--account', '1000000001', '--from', '2026-02-02', '--to', '2026-02-01'],
          2,
          /^--from to --to begins/m,
        ],
        [['breaks', '--from', '2026-13-01'], 2, /--from must be a date, YYYY-MM-DD, not "2026-13-01"/],
        [['breaks', '--company', 'x'], 2, /--company is "x"; it must be a positive integer/],
        [['rebuild', '--check', '--company', '99'], 1, /there is no company 99\n/],
        [['report', '--company', '9'], 1, /there is no company 9/],
        [['bridge'], 2, /--account is missing/],
        [['bridge', '--account', '7'], 1, /there is no account 7/],
        [['braeks'], 2, /did you mean "breaks"\?/],
      ];
      for (const [words, status, problem] of wrong) {
        const ended = await runReconcile(words, env);
        assert.equal(ended.status, status, words.join(' ') + ended.err);
        assert.match(ended.err, problem);
      }
    });
  });
});
