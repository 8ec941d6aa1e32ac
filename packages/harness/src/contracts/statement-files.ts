import type { Account, ReportedLine, Statement, StatementHead, StatementLine } from '@tallystick/accounts';
import type { Import } from '@tallystick/imports';
import { money } from '@tallystick/kernel';
import { newAccount } from './account-store.ts';
import { freshFileId, type Records } from './import-files.ts';
import type { ImportWorld } from './import-world.ts';
import { fileOf, type Line } from './line-format.ts';
import { everyPage, makeCompany } from './storage.ts';

/** A statement of a test: its amounts lead from the opening balance on. */
export interface StatementPlan extends Partial<Omit<StatementHead, 'account_number'>> {
  readonly as_of: string;
  readonly opening: number;
  readonly lines: readonly (number | (Partial<Omit<ReportedLine, 'amount'>> & { readonly amount: number }))[];
  /** What the statement says in place of the balance to which its lines lead. */
  readonly closing?: number;
}

/** A line of this amount, without a reference of the bank. */
export function reportedLine(amount: number, changes: Partial<Omit<ReportedLine, 'amount'>> = {}): ReportedLine {
  return {
    bank_reference: null,
    booking_date: '2026-05-20',
    value_date: '2026-05-20',
    amount: money(amount),
    bai_code: '821',
    text: 'CARD PURCHASE',
    acquirer_reference: null,
    ...changes,
  };
}

/** The records of a statement. */
export function statementRecords(account: Pick<Account, 'number'>, plan: StatementPlan): readonly Line[] {
  const { as_of, opening, closing, lines, ...head } = plan;
  const reported = lines.map((line) =>
    typeof line === 'number'
      ? reportedLine(line, { booking_date: as_of, value_date: as_of })
      : reportedLine(line.amount, { booking_date: as_of, value_date: as_of, ...line }),
  );
  const reached = reported.reduce((sum, { amount }) => sum + amount, opening);
  const stated: StatementHead = {
    account_number: account.number,
    currency: null,
    reference: null,
    as_of,
    opening_balance: money(opening),
    closing_balance: money(closing ?? reached),
    ...head,
  };
  return [{ kind: 'statement', head: stated }, ...reported.map((line): Line => ({ kind: 'line', line }))];
}

/** A file with statements of one account. */
export function statementFile(
  account: Pick<Account, 'number'>,
  plans: readonly StatementPlan[],
  header: { readonly file_id?: string; readonly mode?: 'production' | 'test' } = {},
): readonly Line[] {
  const records = plans.flatMap((plan) => statementRecords(account, plan)) as unknown as Records;
  return fileOf(records, { file_id: freshFileId(), ...header });
}

/** The same file in other bytes: with white space at the ends of texts. */
export function withWhiteSpace(lines: readonly Line[]): readonly Line[] {
  return lines.map((line) =>
    line.kind === 'line' ? { ...line, line: { ...line.line, text: `  ${line.line.text} ` } } : line,
  );
}

/** A new account of a new company. */
export function makeAccount({ storage }: ImportWorld, changes: Partial<Account> = {}): Promise<Account> {
  return storage.unitOfWork.run(async (tx) => tx.accounts.insert(newAccount((await makeCompany(tx)).id, changes)));
}

/** Opens an account whose number a file has named before. */
export function openLater({ storage }: ImportWorld, number: string): Promise<Account> {
  return storage.unitOfWork.run(async (tx) => tx.accounts.insert(newAccount((await makeCompany(tx)).id, { number })));
}

/** What is recorded of an account. */
export async function recordedOf({ storage }: ImportWorld, { id }: Pick<Account, 'id'>) {
  return await storage.unitOfWork.read(async ({ accounts }) => {
    const account = await accounts.find(id);
    const statements: Statement[] = [];
    for (let next = await accounts.statementAfter(id, ''); next !== null; ) {
      const of_date = await accounts.statementsOf(id, next.as_of);
      statements.push(...of_date);
      next = await accounts.statementAfter(id, next.as_of);
    }
    const lines: readonly StatementLine[] = await everyPage((page) => accounts.listLines(id, {}, page), 100);
    return {
      ends: [account?.first_statement ?? null, account?.last_statement ?? null],
      statements: statements.map(({ as_of, opening_balance, closing_balance }) => [
        as_of,
        opening_balance,
        closing_balance,
      ]),
      amounts: lines.toReversed().map(({ amount }) => amount as number),
      lines,
    };
  });
}

/** The status, the problem and the counts of an import. */
export function endOf({ status, problem, applied, duplicates }: Import) {
  return [status, problem?.code ?? null, applied, duplicates];
}
