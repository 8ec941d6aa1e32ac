import { assert } from '@tallystick/kernel';
import type { ImportProblem } from '../import.ts';
import type { ImportRecord } from '../import-store.ts';
import type { ImportRun } from '../importing/import-run.ts';
import type { ImportTx } from '../ports.ts';
import { type ImportStatement, namedHeld, worstProblem } from './import-statement.ts';

/**
 * Ends a file of statements, of which none is left to be recorded, in a transaction that has its
 * claim. The chains of the accounts reach their new ends together with it, so that nobody expects
 * lines before they are there. A file of which nothing is applied is held.
 */
export async function endStatements(run: ImportRun, tx: ImportTx, own: ImportRecord): Promise<ImportRecord> {
  const recorded = await tx.imports.statements(own.id, ['recording']);
  const numbers = new Set(recorded.map(({ account_number }) => account_number));
  for (const number of [...numbers].sort()) await moveEnds(tx.accounts, number);
  await tx.imports.putStatements(recorded.map((one): ImportStatement => ({ ...one, status: 'applied' })));
  const held = await tx.imports.statements(own.id, ['held']);
  const is_any_applied = held.length < own.statements;
  const ended: ImportRecord = {
    ...own,
    status: held.length === 0 ? 'completed' : is_any_applied ? 'completed_with_quarantine' : 'held',
    phase: null,
    problem: is_any_applied ? null : problemOf(held),
    held_statements: namedHeld(held),
    held: held.reduce((sum, { lines }) => sum + lines, 0),
    finished_at_ms: run.endedAt(),
    lease: null,
  };
  await tx.imports.update(ended);
  return ended;
}

/** The worst problem, as that of the file. */
function problemOf(held: readonly ImportStatement[]): ImportProblem | null {
  const worst = worstProblem(held);
  return worst === null ? null : { code: worst.code, message: worst.message, offset: worst.offset };
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
