import { type Account, type AccountStore, findSame, type Statement, type StatementLine } from '@tallystick/accounts';
import { assert } from '@tallystick/kernel';
import { applicableRecords, doneRecords } from '../import.ts';
import type { ImportBatch, ImportRecord } from '../import-store.ts';
import type { ImportRun } from '../importing/import-run.ts';
import type { ImportTx } from '../ports.ts';
import { linesOf, stagedTotals } from './staged-statements.ts';
import type { AcceptedStatement } from './statement-items.ts';

/**
 * Records the staged lines of a claimed import in their order, each batch with its counts in one
 * transaction, and ends the import. The chains of the accounts reach their new ends together with
 * it, so that nobody expects lines before they are there. Rejects with `LeaseLost` when another
 * process continues it.
 */
export async function recordLines(run: ImportRun, begun: ImportRecord): Promise<ImportRecord> {
  const { ports, claim } = run;
  const { id, bytes } = begun;
  const records_total = applicableRecords(begun);
  const accounts = new Map<string, Account>();
  for (;;) {
    const [batch] = await ports.unitOfWork.read(({ imports }) => imports.batches(id, 'lines', 0, 1));
    if (batch === undefined) break;
    const record = await run.retry(() => ports.unitOfWork.run((tx) => recordBatch(run, tx, batch, accounts)));
    await run.afterWrite({ phase: 'applying', bytes, bytes_total: bytes, records: doneRecords(record), records_total });
  }
  const numbers = (await stagedTotals(ports, id)).map(({ statement }) => statement.account_number);
  return await ports.unitOfWork.run(async (tx) => {
    const record = await claim.lock(tx.imports, id);
    for (const number of [...new Set(numbers)].sort()) await moveEnds(tx.accounts, number);
    const finished_at_ms = run.endedAt();
    const ended: ImportRecord = { ...record, status: 'completed', phase: null, finished_at_ms, lease: null };
    await tx.imports.removeBatches(id, 'statements');
    await tx.imports.update(ended);
    return ended;
  });
}

/** Records the lines of a batch, counts them, and removes the batch. */
async function recordBatch(
  { ports, claim, call }: ImportRun,
  { imports, accounts }: Pick<ImportTx, 'imports' | 'accounts'>,
  batch: ImportBatch,
  known_accounts: Map<string, Account>,
): Promise<ImportRecord> {
  const record = await claim.lock(imports, batch.import_id);
  const statement_ids = new Map<number, number>();
  const rows: Omit<StatementLine, 'id'>[] = [];
  for (const { statement, place, line, balance_after } of linesOf(ports, batch)) {
    const account = await accountOf(accounts, statement, known_accounts);
    let statement_id = statement_ids.get(statement.number);
    if (statement_id === undefined) {
      statement_id = (await statementOf(accounts, account, statement)).id;
      statement_ids.set(statement.number, statement_id);
    }
    const { id: account_id, company_id, currency } = account;
    const owner = { account_id, company_id, currency, statement_id, place, occurrence: 1 };
    rows.push({ ...line, ...owner, balance_after, recorded_at_ms: call.now_ms });
  }
  const added = (await accounts.recordLines(rows)).length;
  await imports.removeBatch(batch);
  const counted: ImportRecord = {
    ...record,
    applied: record.applied + added,
    duplicates: record.duplicates + rows.length - added,
    lease: claim.renewed(),
  };
  await imports.update(counted);
  return counted;
}

async function accountOf(
  accounts: Pick<AccountStore, 'findByNumber'>,
  { account_number }: AcceptedStatement,
  known: Map<string, Account>,
): Promise<Account> {
  const account = known.get(account_number) ?? (await accounts.findByNumber(account_number));
  assert(account !== null, 'a line is recorded on an account that does not exist');
  known.set(account_number, account);
  return account;
}

/** The stored statement: the decision about the file has inserted it, or it repeats it. */
async function statementOf(
  accounts: Pick<AccountStore, 'statementsOf'>,
  { id }: Account,
  statement: AcceptedStatement,
): Promise<Statement> {
  const same = findSame(statement, await accounts.statementsOf(id, statement.as_of));
  assert(same !== null, `the statement of ${statement.as_of} was not recorded before its lines`);
  return same;
}

/** Writes the ends of the chain of an account. */
async function moveEnds(accounts: ImportTx['accounts'], number: string): Promise<void> {
  const account = await accounts.lockByNumber(number);
  assert(account !== null, 'statements were recorded on an account that does not exist');
  const first = await accounts.statementAfter(account.id, '');
  const last = await accounts.statementBefore(account.id, '9999-12-32');
  await accounts.updateEnds({
    id: account.id,
    first_statement: first === null ? null : { as_of: first.as_of, balance: first.opening_balance },
    last_statement: last === null ? null : { as_of: last.as_of, balance: last.closing_balance },
  });
}
