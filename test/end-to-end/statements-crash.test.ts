import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createCompany } from '@tallystick/access';
import { type AccountRequest, openAccount } from '@tallystick/accounts';
import { reportedLine } from '@tallystick/harness';
import type { WrittenStatement } from '@tallystick/imports';
import { money } from '@tallystick/kernel';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import { statement_formats } from '@tallystick/statement-files';
import {
  type CrashSubject,
  changeRows,
  type DatabaseName,
  database_names,
  killInEachPhase,
  long_run,
  migratedDatabase,
  phasesOf,
  readRows,
  type ScratchDatabase,
  test_keys,
} from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';
import { runImport } from './import-process.ts';

/** Several batches of 1,000 lines, so that a kill comes before, between and after others. */
const days = 3;
const lines_a_day = long_run ? 1_500 : 700;

const account: Omit<AccountRequest, 'company_id'> = { number: '1000000009', currency: 'USD', kind: 'deposit' };

async function prepare(name: DatabaseName): Promise<ScratchDatabase> {
  const database = await migratedDatabase(name);
  const { audit_mac } = createVault(parseKeyRing(test_keys));
  const clock = { nowMs: () => Date.now() };
  const persistence = await mikroOrmPersistence({ database_url: database.database_url, clock, audit_mac });
  try {
    const call = { actor: 'command', request_id: null, now_ms: Date.now() };
    await persistence.unitOfWork.run(async (tx) => {
      const { id: company_id } = await createCompany(tx, call, { name: 'n', customer_number: '1' });
      await openAccount(tx, call, { ...account, company_id });
    });
  } finally {
    await persistence.close();
  }
  return database;
}

/** The statements of some days. Each line has a reference and an amount of its own. */
function* statements(): Generator<WrittenStatement> {
  for (let day = 1; day <= days; day += 1) {
    const first = (day - 1) * lines_a_day + 1;
    const as_of = `2026-05-0${day}`;
    const lines = Array.from({ length: lines_a_day }, (_, at) =>
      reportedLine(-(first + at), {
        // Every second line is known by its place only.
        bank_reference: at % 2 === 0 ? `R${first + at}` : null,
        booking_date: as_of,
        value_date: as_of,
      }),
    );
    const head = {
      account_number: String(account.number),
      currency: 'USD',
      reference: null,
      as_of,
      opening_balance: money(-sumTo(first - 1)),
      closing_balance: money(-sumTo(first - 1 + lines_a_day)),
    };
    yield { head, lines };
  }
}

/** 1 + 2 + ... + `last`. */
function sumTo(last: number): number {
  return (last * (last + 1)) / 2;
}

/** The import of the file into the database, as a program that is killed. */
function importInto(database: ScratchDatabase, path: string): CrashSubject {
  return {
    async run(env) {
      const { status, signal, output } = await runImport({ ...database, env }, path);
      assert.ok(status === 0 || signal !== null, output);
      return signal;
    },
    // The lease of the process that died outlasts it in machine time.
    afterKill: () =>
      changeRows(database, 'update tallystick_imports set lease_until_machine_ms = 0 where lease_until_machine_ms > 0'),
  };
}

describe('an import of statements', { concurrency: true }, () => {
  for (const name of database_names) {
    it(`that SIGKILL ends in each of its phases records each line once, on ${name}`, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'tallystick-statements-'));
      t.after(() => rmSync(folder, { recursive: true }));
      const path = join(folder, 'may.bai');
      const bai2 = statement_formats.find((format) => format.name === 'bai2')!;
      const content = { sequence: 1, created_on: '2026-05-05', statements: statements() };
      writeFileSync(path, Buffer.concat([...bai2.writeStatements!(content)]));

      const unbroken = await prepare(name);
      t.after(() => unbroken.dispose());
      const phases = await phasesOf(importInto(unbroken, path));
      await assertRecorded(unbroken);
      const database = await prepare(name);
      t.after(() => database.dispose());
      await killInEachPhase(importInto(database, path), phases);
      await assertRecorded(database);
    });
  }
});

/** Everything is there, once, and the balances lead from line to line. */
async function assertRecorded(database: ScratchDatabase): Promise<void> {
  const [lines] = await readRows(
    database,
    'select count(*) as count, sum(amount) as sum, count(distinct amount) as amounts from tallystick_statement_lines',
  );
  const all = days * lines_a_day;
  assert.deepEqual(numbersOf(lines), { count: all, sum: -sumTo(all), amounts: all });
  const [statement_count] = await readRows(database, 'select count(*) as count from tallystick_statements');
  assert.deepEqual(numbersOf(statement_count), { count: days });
  const [ends] = await readRows(
    database,
    'select first_statement_balance, last_statement_balance from tallystick_accounts',
  );
  assert.deepEqual(numbersOf(ends), { first_statement_balance: 0, last_statement_balance: -sumTo(all) });
  const imports = await readRows(database, 'select status, applied, duplicates from tallystick_imports');
  assert.deepEqual(
    imports.map(({ status, applied, duplicates }) => [status, Number(applied), Number(duplicates)]),
    [['completed', all, 0]],
  );
  const [left] = await readRows(database, 'select count(*) as count from tallystick_import_batches');
  assert.deepEqual(numbersOf(left), { count: 0 });
  // A process that was killed may have left some to the next one that looks.
  const [waiting] = await readRows(
    database,
    "select count(*) as count from tallystick_reconciliation_inbox where kind = 'line'",
  );
  const [items] = await readRows(database, 'select count(*) as count from tallystick_reconciliation_items');
  const noted = Number(waiting?.count) + Number(items?.count);
  assert.equal(noted, all, 'each card line has an item of reconciliation, or waits for one');
}

function numbersOf(row: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(row ?? {}).map(([column, value]) => [column, Number(value)]));
}
