import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  migratedDatabase,
  refusing_port,
  type ScratchDatabase,
  type ServerProcess,
  send,
  startServer,
} from '@tallystick/test-support';

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

const path = fileURLToPath(new URL('../../src/devtools/purchase.ts', import.meta.url));

function run(...words: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=source', path, ...words], (error, out, err) => {
      resolve({ status: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

describe('npm run purchase', () => {
  let database: ScratchDatabase;
  let server: ServerProcess;

  before(async () => {
    database = await migratedDatabase('sqlite');
    server = await startServer({ database_url: database.database_url });
    const body = { data: { total_card_amount: 5_000 } };
    const { status, text } = await send(server.url, 'POST', '/v1/virtualcards', { key: 'client', body });
    assert.equal(status, 200, text);
  });
  after(async () => {
    await server?.stop();
    await database?.dispose();
  });
  const purchase = (...words: string[]): Promise<Ended> => run(...words, '--url', server.url);

  it('buys, clears and refunds, and prints each step in words', async () => {
    const { status, out, err } = await purchase(
      '1',
      '1250',
      '--merchant',
      'Book\u{1b}shop',
      '--mcc',
      '5942',
      '--refund',
    );
    assert.equal(status, 0, err);
    assert.match(out, /^Approved: 12\.50 USD at Book\u{fffd}shop\. Authorization 1, approval code \w{6}$/mu);
    assert.match(out, /^Cleared: 12\.50 USD\. Clearing 1, class exact$/m);
    assert.match(out, /^Refunded: 12\.50 USD\. Clearing 2, class refund_linked$/m);
    assert.match(out, /^Card 1: 50\.00 USD available$/m);
  });

  it('prints why a purchase was declined, and reverses one', async () => {
    assert.match((await purchase('1', '5001')).out, /^Declined: 50\.01 USD at Corner Grocer\. E: /m);
    const answers = JSON.parse((await purchase('1', '700', '--reverse', '--json')).out);
    assert.deepEqual(answers.map((answer: Record<string, unknown>) => answer.status ?? null).slice(0, 2), [
      'open',
      'reversed',
    ]);
  });

  it('exits with status 1 for an unknown card, and without a sandbox', async () => {
    const unknown = await purchase('99', '1');
    assert.deepEqual([unknown.status, /there is no virtual card 99/.test(unknown.err)], [1, true], unknown.err);
    const silent = await run('1', '1', '--url', `http://127.0.0.1:${refusing_port}`);
    assert.deepEqual([silent.status, /^no answer from .*; .* with --url$/m.test(silent.err)], [1, true], silent.err);
  });

  it('exits with status 2 for invalid words, and names them', async () => {
    for (const [words, message] of [
      [[], /<card> and <amount> are required/],
      [['1'], /<card> and <amount> are required/],
      [['one', '5'], /"one" is not the id of a card/],
      [['1', '12.50'], /"12\.50" is not an amount: a whole number of minor units from 1 to \d+, such as 1250/],
      [['1', '0'], /"0" is not an amount: a whole number of minor units from 1 to 1000000000000,/],
      [['1', '1000000000001'], /"1000000000001" is not an amount: .* from 1 to 1000000000000,/],
      [['1', '5', '6'], /"6" is an unexpected word/],
      [['1', '5', '--reverse', '--clear'], /--reverse excludes --clear/],
      [['1', '5', '--merchent', 'x'], /did you mean --merchant\?/],
    ] as const) {
      const { status, err } = await run(...words);
      assert.equal(status, 2, words.join(' '));
      assert.match(err, message);
    }
    assert.match((await run('--help')).out, /^Usage: npm run purchase/);
  });
});
