import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { migratedDatabase, readRows, send, serverEnvironment, startServer } from '@tallystick/test-support';
import { type Ended, runReconcile } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'tallystick-reconcile-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * A sandbox with an open purchase of 9.00 and two clearings without authorization, of 7.00 and
 * 8.00.
 */
describe('npm run reconcile, the commands that act', () => {
  let database: Awaited<ReturnType<typeof migratedDatabase>>;
  let env: NodeJS.ProcessEnv;
  let seven: string;
  let eight: string;

  before(async () => {
    database = await migratedDatabase('sqlite');
    env = serverEnvironment(database);
    const server = await startServer(database);
    const post = async (path: string, data: object, key: 'client' | 'network' = 'client') => {
      const answer = await send(server.url, 'POST', path, { key, body: { data } });
      assert.equal(answer.status, 200, answer.text);
      return answer.json.data;
    };
    const { id } = await post('/v1/virtualcards', { total_card_amount: 100_000 });
    await post('/sandbox/v1/purchases', { vcn_id: Number(id), amount: 900, merchant_name: 'Green Grocer' });
    for (const billing_amount of [700, 800]) {
      const clearing = {
        vcn_id: Number(id),
        network_financial_transaction_id: `TX-${billing_amount}`,
        billing_amount,
        billing_currency: 'USD',
        clearing_type: 'DEBIT',
        merchant_name: 'Coffee & More',
        settlement_date: '2026-01-16',
      };
      await post('/network/v1/clearings', clearing, 'network');
    }
    await server.stop();
    const breaks = JSON.parse((await run('breaks', '--json')).out) as {
      readonly id: string;
      readonly cleared: number;
    }[];
    [seven, eight] = [700, 800].map((amount) => breaks.find(({ cleared }) => cleared === amount)!.id) as [
      string,
      string,
    ];
  });

  after(() => database.dispose());

  const run = (...words: readonly string[]): Promise<Ended> => runReconcile(words, env);

  const runDone = async (...words: readonly string[]): Promise<string> => {
    const { status, out, err } = await run(...words);
    assert.equal(status, 0, err);
    return out;
  };

  it('shows an item with its records, in the words that match takes', async () => {
    const out = await runDone('show', seven);
    assert.match(out, new RegExp(`^Item ${seven}, version 1: break \\(unauthorized\\)\n`));
    assert.match(out, /^ {2}cleared +7\.00 USD$/m);
    assert.match(out, /^ {2}records +clearing:1$/m);
    assert.equal(JSON.parse(await runDone('show', seven, '--json')).cleared, 700);
  });

  it('undoes each action with its opposite, and keeps all of them in the history', async () => {
    const undone: readonly (readonly (readonly string[])[])[] = [
      [['accept'], ['reopen']],
      [['ignore', '--reason', 'a snack on board'], ['reopen']],
      [
        ['match', '--with', 'authorization:1'],
        ['unmatch', '--side', 'authorization'],
      ],
    ];
    for (const acts of undone) {
      // A match joins the item with the older one of the authorization.
      let item = seven;
      const states: string[] = [];
      for (const [action, ...options] of acts) {
        const out = await runDone(action!, item, '--note', `by ${action}`, ...options);
        const [, id, state] = /^Item (\d+), version \d+: (.*)\n/.exec(out)!;
        item = id!;
        states.push(state!);
      }
      assert.notEqual(states[0], 'break (unauthorized)');
      assert.match(await runDone('show', seven), new RegExp(`^Item ${seven}, version \\d+: break`));
    }
    const history = await runDone('show', seven);
    for (const past of ['accepted', 'ignored', 'matched', 'unmatched', 'reopened']) {
      assert.match(history, new RegExp(`^ {2}command ${past} it at `, 'm'));
    }
    assert.match(history.replaceAll(/\s+/g, ' '), /\("by ignore", reason "a snack on board"\)/);
    const entries = await readRows(
      database,
      `select action from tallystick_audit_entries where actor = 'command' order by id`,
    );
    assert.deepEqual(
      entries.map(({ action }) => action),
      [
        ...['reconciliation.accepted', 'reconciliation.reopened', 'reconciliation.ignored', 'reconciliation.reopened'],
        ...['clearing.matched_by_hand', 'clearing.unmatched_by_hand'],
      ],
    );
  });

  it('decides by a table as a spreadsheet saves it, all or nothing', async () => {
    const table = join(folder, 'table.csv');
    const csv = await runDone('breaks', '--csv');
    const [head, ...rows] = csv.trimEnd().split('\r\n');
    const filled = (decisions: Readonly<Record<string, string>>): string => {
      const names = head!.split(',');
      const cells = rows.map((row) => {
        const of_row = row.split(',').map((cell) => cell.replaceAll('"', ''));
        const decision = decisions[of_row[0]!] ?? '';
        of_row[names.indexOf('decision')] = decision;
        of_row[names.indexOf('note')] = decision === '' ? '' : 'a toll; known';
        return of_row.map((cell) => (cell.includes(';') ? `"${cell}"` : cell)).join(';');
      });
      return `\ufeff${[names.join(';'), ...cells].join('\r\n')}\r\n`;
    };
    writeFileSync(table, filled({ [seven]: 'accept', [eight]: 'confirm' }));
    const wrong = await run('decide', table, '--quiet');
    assert.equal(wrong.status, 1);
    assert.match(wrong.err, /^1 error; nothing was decided\n {2}row \d, decision: item \d+ is break/m);
    assert.match(await runDone('show', seven), /: break \(unauthorized\)/);

    writeFileSync(table, filled({ [seven]: 'accept' }));
    const dry = await runDone('decide', table, '--dry-run', '--quiet');
    assert.equal(dry, `${rows.length} rows, ${rows.length - 1} of them without a decision\n1 decision can be made\n`);
    assert.match(await runDone('show', seven), /: break \(unauthorized\)/);
    assert.match(await runDone('decide', table, '--quiet'), /\n1 decision made\n$/);
    assert.match(await runDone('show', seven), /: accepted \(unauthorized\)/);
    assert.match(await runDone('decide', table, '--quiet'), /\n0 decisions made, and 1 stood already\n$/);
    await runDone('reopen', seven, '--note', 'after the test');
  });

  it('sets, shows and removes the tolerance of a currency, in units of the currency', async () => {
    assert.match(await runDone('tolerance'), /^The company has no tolerance/);
    assert.match(await runDone('tolerance', '--currency', 'USD', '--amount', '0.05'), /^USD +0\.05 USD$/m);
    assert.match(await runDone('tolerance', '--currency', 'JPY', '--amount', '5'), /^JPY +5 JPY$/m);
    assert.deepEqual(JSON.parse(await runDone('tolerance', '--json')), { JPY: 5, USD: 5 });
    for (const [amount, currency] of [
      ['0.005', 'USD'],
      ['0.5', 'JPY'],
      ['0', 'USD'],
      ['0.05 USD', 'USD'],
      ['1', 'dollar'],
    ] as const) {
      const ended = await run('tolerance', '--currency', currency, '--amount', amount);
      assert.deepEqual([ended.status, ended.out], [2, ''], `${amount} ${currency}`);
      assert.match(ended.err, /^--(amount|currency)/m);
    }
    assert.match(
      (await run('tolerance', '--currency', 'USD', '--amount', '0,05')).err,
      /^--amount must be an amount of USD such as 0\.05, not "0,05"$/m,
    );
    await runDone('tolerance', '--currency', 'JPY', '--remove');
    assert.deepEqual(JSON.parse(await runDone('tolerance', '--currency', 'USD', '--remove', '--json')), {});
  });

  it('closes the days up to a date, and reopens them', async () => {
    await runDone('accept', eight, '--note', 'a toll');
    assert.equal(await runDone('periods'), 'No period was closed.\n');
    assert.equal(
      await runDone('close', '--through', '2026-01-31'),
      'Closed through 2026-01-31: 1 item frozen, 1 open break\n',
    );
    const frozen = await run('reopen', eight, '--note', 'too late');
    assert.deepEqual([frozen.status, frozen.out], [1, '']);
    assert.match(frozen.err, /belongs to period 1, closed through 2026-01-31, and does not change any more/);
    assert.match(await runDone('periods'), /^2026-01-31 +closed +1 +1 /m);
    const why = ['--note', 'The bank corrected its statement', '--reason', 'late file'];
    assert.equal(await runDone('reopen-period', ...why), 'Reopened: the days through 2026-01-31 are open\n');
    const [period] = JSON.parse(await runDone('periods', '--json'));
    assert.deepEqual([period.reopened_note, period.reopened_reason], [why[1], why[3]]);
    await runDone('reopen', eight, '--note', 'in time');
  });

  it('says what is wrong in a sentence, and changes nothing', async () => {
    const wrong: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['show'], 2, /^<item> is missing\n/m],
      [['show', 'x'], 2, /^<item> is "x"; it must be a positive integer\n/m],
      [['show', '999'], 1, /^there is no item with this id\n/m],
      [['accept', seven], 1, /^--note is required/m],
      [['accept', seven, '--note', 'x', '--version', '77'], 1, /^item \d+ has version \d+ by now, not 77/m],
      [['match', seven, '--note', 'x'], 2, /^--with is missing/m],
      [
        ['match', seven, '--note', 'x', '--with', 'card:1'],
        2,
        /^--with must be words such as authorization:9, clearing:45 or line:408, separated by blanks, and "card:1"/m,
      ],
      [['match', seven, '--note', 'x', '--with', 'suggestion:1'], 2, /^--with must name the records of a suggestion/m],
      [['match', seven, '--note', 'x', '--with', 'line:99'], 1, /^--with .*99/m],
      [['unmatch', seven, '--note', 'x', '--side', 'left'], 1, /^--side must be one of authorization, statement/m],
      [['lines', '--amount', 'x'], 2, /^--amount must be/m],
      [['close'], 2, /^--through is missing\n/m],
      [['close', '--through', '2026-02-30'], 2, /^--through must be a date/m],
      [['reopen-period'], 1, /^no period is closed\n/m],
      [['decide', 'none.csv'], 1, /^there is no file none\.csv\n/m],
      [['accept', seven, '--note', 'x', '--company', '9'], 1, /^there is no company 9\n/m],
    ];
    for (const [words, status, problem] of wrong) {
      const ended = await run(...words);
      assert.equal(ended.status, status, words.join(' ') + ended.err);
      assert.match(ended.err, problem);
      assert.equal(ended.out, '');
    }
    assert.match(await runDone('show', seven), /: break \(unauthorized\)/);
  });
});
