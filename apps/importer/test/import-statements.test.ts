import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { reportedLine } from '@tallystick/harness';
import { money } from '@tallystick/kernel';
import { statement_formats } from '@tallystick/statement-files';
import { database_names, migratedDatabase, send, serverEnvironment, startServer } from '@tallystick/test-support';
import { runHere, runPeople } from './run-command.ts';

const bai2 = statement_formats.find(({ name }) => name === 'bai2')!;

/** A file with one statement of the sandbox's deposit account. */
function statement(as_of: string, opening: number, amounts: readonly number[]): Buffer {
  const lines = amounts.map((amount) => reportedLine(amount, { booking_date: as_of, value_date: as_of }));
  const closing = amounts.reduce((sum, amount) => sum + amount, opening);
  const head = {
    account_number: '1000000001',
    currency: 'USD',
    reference: null,
    as_of,
    opening_balance: money(opening),
    closing_balance: money(closing),
  };
  const content = { sequence: Number(as_of.slice(-2)), created_on: as_of, statements: [{ head, lines }] };
  return Buffer.concat([...bai2.writeStatements!(content)]);
}

for (const database_name of database_names) {
  describe(`npm run import of statements, on ${database_name}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-statements-'));
    const database = await migratedDatabase(database_name);
    const env = serverEnvironment(database);
    before(async () => {
      // The first start opens the accounts of the sandbox.
      const server = await startServer(database);
      const accounts = await send(server.url, 'GET', '/bank/v1/accounts', { key: 'bank' });
      assert.equal(accounts.json.data.length, 2, accounts.text);
      await server.stop();
      writeFileSync(join(folder, '18.bai'), statement('2026-05-18', 1_000, [-100, -250]));
      writeFileSync(join(folder, '19.bai'), statement('2026-05-19', 650, [-50]));
      writeFileSync(join(folder, '20.bai'), statement('2026-05-20', 600, [-1, -2, -3]));
      writeFileSync(join(folder, '18-other.bai'), statement('2026-05-18', 1_000, [-100, -249]));
    });
    after(async () => {
      await database.dispose();
      rmSync(folder, { recursive: true });
    });

    it('shows lines in a dry run, and counts them', async () => {
      const dry = await runHere(['18.bai', '--dry-run'], env, folder);
      assert.equal(dry.status, 0, dry.out + dry.err);
      assert.match(dry.out, /account 1000000001 booked 2026-05-18 code 821 -1\.00 USD applied/);
      assert.match(dry.out, /would be completed .*\n.*\n {2}applied 2 lines of 1 statement; duplicates 0/);
      const first = await runHere(['18.bai'], env, folder);
      assert.equal(first.status, 0, first.out + first.err);
      assert.match(
        first.out,
        /18\.bai: completed \(import \d+\)\n.*\n {2}applied 2 lines of 1 statement; duplicates 0/,
      );
    });

    it('holds a file behind a gap, and names it when the missing file is imported', async () => {
      const held = await runHere(['20.bai'], env, folder);
      assert.equal(held.status, 3, held.out + held.err);
      assert.match(held.out, /statement_gap.*6\.00 USD.*6\.50 USD/);
      assert.match(held.out, /npm run imports -- release \d+/);
      const filled = await runHere(['19.bai', '--json'], env, folder);
      assert.equal(filled.status, 0, filled.out + filled.err);
      const report = JSON.parse(filled.out);
      assert.deepEqual([report.import.statements, report.import.applied], [1, 1]);
      const [waited] = report.waiting_applied;
      assert.deepEqual([waited.name, waited.status, waited.applied], ['20.bai', 'completed', 3]);
      const again = await runHere(['20.bai'], env, folder);
      assert.match(again.out, /the same bytes were imported before/);
    });

    it('releases a statement by its number, and records the lines that the known one lacks', async () => {
      const held = await runHere(['18-other.bai', '--json'], env, folder);
      assert.equal(held.status, 3, held.out);
      const { id, problem, held_statements } = JSON.parse(held.out).import;
      assert.equal(problem.code, 'statement_differs');
      assert.equal(held_statements[0].number, 1);
      const unknown = await runPeople(['release', id, '--note', 'please', '--statement', '2'], env);
      assert.match(unknown.err, /statement 2 of import \d+ is not held/);
      const release = await runPeople(['release', id, '--note', 'the bank says so', '--statement', '1'], env);
      assert.match(release.out, /completed/, release.err);
      const { out } = await runPeople(['statements', id], env);
      assert.match(out, /^1 .* applied/m);
    });
  });
}
