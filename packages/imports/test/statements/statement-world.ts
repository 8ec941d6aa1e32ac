import type { Account, Statement, StatementLine } from '@tallystick/accounts';
import { everyPage, type Line, makeCompany, newAccount } from '@tallystick/harness';
import type { Import } from '../../src/index.ts';
import type { ImportWorld } from '../world.ts';

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
export function openLater({ storage }: ImportWorld, number: string, currency = 'USD'): Promise<Account> {
  return storage.unitOfWork.run(async (tx) =>
    tx.accounts.insert(newAccount((await makeCompany(tx)).id, { number, currency })),
  );
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
