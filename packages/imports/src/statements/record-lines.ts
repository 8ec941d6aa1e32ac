import {
  type Account,
  isShowableBalance,
  type ReportedPlace,
  type StatementLine,
  updateCoverage,
} from '@tallystick/accounts';
import { assert, type Money, money } from '@tallystick/kernel';
import { applicableRecords, doneRecords } from '../import.ts';
import type { ImportBatch, ImportRecord } from '../import-store.ts';
import type { ImportRun } from '../importing/import-run.ts';
import type { ImportTx } from '../ports.ts';
import { recordText, sealRecords } from '../staging/staged-record.ts';
import { endStatements } from './end-statements.ts';
import type { ImportStatement, StatementsByNumber } from './import-statement.ts';
import { type ComparedStatement, compareLines } from './known-lines.ts';
import type { BalancedStatement } from './place-statements.ts';
import { batchRecordsOf, linesOf, type SummedLine } from './staged-lines.ts';

/**
 * Records the staged lines of a claimed import in their order, each batch with its counts in one
 * transaction, and ends the import. Lines of held statements stay staged. Rejects with `LeaseLost`
 * when another process continues it.
 */
export async function recordLines(run: ImportRun, begun: ImportRecord): Promise<ImportRecord> {
  const { ports, claim } = run;
  const { id, bytes } = begun;
  const records_total = applicableRecords(begun);
  const recording = await ports.unitOfWork.read(({ imports }) => imports.statements(id, ['recording']));
  const statements: StatementsByNumber = new Map(recording.map((one) => [one.number, one]));
  for (let after = 0; ; ) {
    const [batch] = await ports.unitOfWork.read(({ imports }) => imports.batches(id, 'lines', after, 1));
    if (batch === undefined) break;
    after = batch.number;
    const record = await run.retry(() => ports.unitOfWork.run((tx) => recordBatch(run, tx, batch, statements)));
    await run.afterWrite({ phase: 'applying', bytes, bytes_total: bytes, records: doneRecords(record), records_total });
  }
  await coverDates(run, recording);
  return await ports.unitOfWork.run(async (tx) => endStatements(run, tx, await claim.lock(tx.imports, id)));
}

/**
 * What the bank reported by itself for the dates of the new statements, and they do not have, differs
 * from now on. In several transactions when it is much.
 */
async function coverDates({ ports }: ImportRun, recorded: readonly ImportStatement[]): Promise<void> {
  const added = recorded.filter(({ is_known }) => !is_known);
  for (const [number, its] of Map.groupBy(added, ({ account_number }) => account_number)) {
    const dates = its.map(({ as_of }) => as_of).sort();
    const covered = await ports.unitOfWork.run(async ({ accounts }) => {
      const account = await accounts.lockByNumber(number);
      assert(account !== null, 'statements were recorded on an account that does not exist');
      return await updateCoverage(accounts, { account_id: account.id, from: dates[0]!, to: dates.at(-1)! });
    });
    let after: ReportedPlace | null = null;
    do {
      const place: ReportedPlace | null = after;
      after = await ports.unitOfWork.run(async ({ accounts }) => {
        await accounts.lockByNumber(number);
        return await accounts.compareReported(covered, place, compared_at_once);
      });
    } while (after !== null);
  }
}

/** How many lines of the bank one transaction compares with statements. */
const compared_at_once = 500;

/** Records the lines of a batch, counts them, and removes them from it. */
async function recordBatch(
  { ports, claim, call }: ImportRun,
  { imports, accounts }: Pick<ImportTx, 'imports' | 'accounts'>,
  batch: ImportBatch,
  statements: StatementsByNumber,
): Promise<ImportRecord> {
  const record = await claim.lock(imports, batch.import_id);
  const lines = linesOf(ports, batch);
  const due = lines.filter(({ statement_number }) => statements.has(statement_number));
  if (due.length === 0) return record;
  const of_number = await lockAccounts(accounts, due, statements);
  const rows = await rowsOf(accounts, due, statements, of_number);
  const added = await accounts.recordLines(rows.map((row) => ({ ...row, recorded_at_ms: call.now_ms })));
  const kept = lines.filter(({ statement_number }) => !statements.has(statement_number));
  if (kept.length === 0) await imports.removeBatch(batch);
  else {
    const sealed = sealRecords(ports.sealer, batchRecordsOf(kept).map(recordText));
    await imports.replaceBatch({ ...batch, sealed });
  }
  const counted: ImportRecord = {
    ...record,
    applied: record.applied + added.length,
    duplicates: record.duplicates + due.length - added.length,
    lease: claim.renewed(),
  };
  await imports.update(counted);
  return counted;
}

/** The accounts of the lines by their numbers. The bank reports no line of them meanwhile. */
async function lockAccounts(
  accounts: ImportTx['accounts'],
  lines: readonly SummedLine[],
  statements: StatementsByNumber,
): Promise<ReadonlyMap<string, Account>> {
  const numbers = new Set(lines.map(({ statement_number }) => statements.get(statement_number)!.account_number));
  const found = new Map<string, Account>();
  for (const number of [...numbers].sort()) {
    const account = await accounts.lockByNumber(number);
    assert(account !== null, 'a line is recorded on an account that does not exist');
    found.set(number, account);
  }
  return found;
}

/** The lines that are to be recorded. Of a statement that was known, those that it lacks. */
async function rowsOf(
  accounts: ImportTx['accounts'],
  lines: readonly SummedLine[],
  statements: StatementsByNumber,
  of_number: ReadonlyMap<string, Account>,
): Promise<readonly LineRow[]> {
  const compared = new Map<number, ComparedStatement>();
  for (const statement of statements.values()) {
    const account = of_number.get(statement.account_number);
    if (!statement.is_known || account === undefined) continue;
    const { statement_id: known_id } = statement;
    compared.set(statement.number, { statement: statement as BalancedStatement, account, known_id, pages: new Set() });
  }
  const { known } = await compareLines(accounts, lines, compared);
  const recorded = lines
    .filter(({ ordinal }) => !known.has(ordinal))
    .map((line) => ({ line, statement: statements.get(line.statement_number)! }));
  const rows = recorded.map(({ line, statement }) => rowOf(line, statement, of_number.get(statement.account_number)!));
  return recorded.some(({ statement }) => mayHaveEquals(statement))
    ? await countedOn(accounts, rows, statements)
    : rows;
}

/** Whether lines of a new statement may be recorded as those of another one: of a page, or released. */
function mayHaveEquals({ is_known, reference, accepted_problems }: ImportStatement): boolean {
  return !is_known && (reference !== null || accepted_problems.includes('statement_differs'));
}

type LineRow = Omit<StatementLine, 'id' | 'recorded_at_ms'>;

/**
 * The rows, of which those that another statement has, too, are counted on after its ones: it is
 * another page, or a person has released them as further lines.
 */
async function countedOn(
  accounts: ImportTx['accounts'],
  rows: readonly LineRow[],
  statements: StatementsByNumber,
): Promise<readonly LineRow[]> {
  // Equals of pages in one file are counted already.
  const own = new Set([...statements.values()].map(({ statement_id }) => statement_id));
  const of_others = new Map<string, number>();
  let looked_up = rows.flatMap((row) =>
    row.bank_reference === null ? [] : [{ ...row, bank_reference: row.bank_reference, occurrence: 1 }],
  );
  while (looked_up.length > 0) {
    const found = await accounts.linesByKey(looked_up);
    const owners = new Map(found.map((line) => [contentOf(line), line.statement_id]));
    looked_up = looked_up.flatMap((row) => {
      const owner = owners.get(contentOf(row)) ?? null;
      if (owner === null || own.has(owner)) return [];
      of_others.set(contentOf(row), row.occurrence);
      return [{ ...row, occurrence: row.occurrence + 1 }];
    });
  }
  return rows.map((row) => ({ ...row, occurrence: row.occurrence + (of_others.get(contentOf(row)) ?? 0) }));
}

function contentOf({ account_id, bank_reference, booking_date, amount, bai_code }: LineRow): string {
  return JSON.stringify([account_id, bank_reference, booking_date, amount, bai_code]);
}

function rowOf(
  { line, place, occurrence, sum_before }: SummedLine,
  statement: ImportStatement,
  { id: account_id, company_id, currency }: Account,
): LineRow {
  return {
    ...line,
    account_id,
    company_id,
    currency,
    statement_id: statement.statement_id,
    place: statement.known_lines + place,
    occurrence,
    balance_after: balanceAfter(statement, sum_before, line.amount, currency),
    standing: null,
  };
}

/**
 * The balance of the account after a line; null: the statement was recorded without it, or it is
 * too large to be shown, as between the lines of a statement that ends with a balance in bounds.
 */
function balanceAfter(
  { is_known, is_newest_first, opening_balance, closing_balance }: ImportStatement,
  sum_before: Money,
  amount: Money,
  currency: string,
): Money | null {
  if (is_known || opening_balance === null || closing_balance === null) return null;
  const balance = is_newest_first ? closing_balance - sum_before : opening_balance + sum_before + amount;
  return isShowableBalance(balance, currency) ? money(balance) : null;
}
