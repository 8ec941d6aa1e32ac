import { type Account, lastPosition, placeStatement, type StatementPlace } from '@tallystick/accounts';
import { maskCardNumbers, showAmount } from '@tallystick/kernel';
import type { ImportPorts } from '../ports.ts';
import { AccountChains, type ChainedStatement } from './account-chains.ts';
import type { AcceptedStatement } from './statement-items.ts';
import { nameStatement, type StatementProblem, showBalances, worstProblem } from './statement-problem.ts';
import type { StatementTotals } from './statement-totals.ts';

/** A statement of a file that can be applied. */
export interface CheckedStatement {
  readonly statement: AcceptedStatement;
  readonly account: Account;
  /** The stored statement that it repeats; null: it is new. */
  readonly repeats: number | null;
  /** Of a new one: its place among the statements of its date. */
  readonly position: number;
}

/** The statements of a file after their check. */
export interface CheckedStatements {
  /** By their numbers in the file. Those that cannot be applied are missing. */
  readonly statements: ReadonlyMap<number, CheckedStatement>;
  readonly problem: StatementProblem | null;
}

/**
 * Checks the statements of a file: their accounts are known and have their currencies, their lines
 * lead from balance to balance, and they join the chains of their accounts (decision: statement
 * lines). Problems with the codes of `accepted` are no problems. Writes nothing.
 */
export async function checkStatements(
  ports: Pick<ImportPorts, 'unitOfWork'>,
  totals: readonly StatementTotals[],
  accepted: readonly string[] = [],
): Promise<CheckedStatements> {
  const chains = new AccountChains(ports);
  const problems: (StatementProblem | null)[] = [];
  const of_account = new Map<Account, AcceptedStatement[]>();
  for (const one of totals) {
    const account = await chains.account(one.statement.account_number);
    const problem = problemOfAccount(one.statement, account);
    problems.push(problem, accepted.includes('statement_out_of_balance') ? null : problemOfBalance(one, account));
    if (problem !== null || account === null) continue;
    const its = of_account.get(account) ?? [];
    its.push(one.statement);
    of_account.set(account, its);
  }
  const statements = new Map<number, CheckedStatement>();
  for (const [account, its] of of_account) {
    const placed = await placeAll(chains, account, its, accepted.includes('statement_gap'));
    for (const one of placed.statements) statements.set(one.statement.number, one);
    problems.push(placed.problem);
  }
  return { statements, problem: worstProblem(problems) };
}

function problemOfAccount(statement: AcceptedStatement, account: Account | null): StatementProblem | null {
  const { account_number, currency, offset } = statement;
  if (account === null) {
    const shown = maskCardNumbers(account_number);
    const message = `${nameStatement(statement)} is of an account that does not exist; create account ${shown}, and the file is applied by itself`;
    return { code: 'unknown_account', message, offset, waits_for: account_number };
  }
  if (currency === null || currency === account.currency) return null;
  const message = `${nameStatement(statement)} is in ${currency}, and the account is in ${account.currency}`;
  return { code: 'statement_currency', message, offset, waits_for: null };
}

function problemOfBalance(
  { statement, sum, lines }: StatementTotals,
  account: Account | null,
): StatementProblem | null {
  const { opening_balance, closing_balance, offset } = statement;
  const reached = opening_balance + sum;
  if (reached === closing_balance) return null;
  const currency = account?.currency ?? statement.currency ?? '';
  const off = showAmount(reached - closing_balance, currency);
  const message = `${nameStatement(statement)} opens with ${showAmount(opening_balance, currency)}, and its ${lines} lines of ${showAmount(sum, currency)} lead to ${showAmount(reached, currency)}; it closes with ${showAmount(closing_balance, currency)}: the lines are ${off} off, and must amount to ${showAmount(closing_balance - opening_balance, currency)}`;
  return { code: 'statement_out_of_balance', message, offset, waits_for: null };
}

/**
 * Places the statements of one account. A file may list them in any order, so all that remain are
 * tried again as long as one joins the chain.
 */
async function placeAll(
  chains: AccountChains,
  account: Account,
  statements: readonly AcceptedStatement[],
  accepts_gaps: boolean,
): Promise<{ readonly statements: readonly CheckedStatement[]; readonly problem: StatementProblem | null }> {
  const placed: CheckedStatement[] = [];
  const problems: StatementProblem[] = [];
  let remaining = statements.toSorted((a, b) =>
    a.as_of === b.as_of ? a.number - b.number : a.as_of < b.as_of ? -1 : 1,
  );
  const place = (statement: AcceptedStatement, position: number, repeats: number | null): void => {
    placed.push({ statement, account, position, repeats });
    if (repeats === null) chains.add(account.id, { ...statement, id: null, position });
  };
  while (remaining.length > 0) {
    const waiting: AcceptedStatement[] = [];
    for (const statement of remaining) {
      const found = placeStatement(statement, await chains.around(account.id, statement.as_of));
      if (found.kind === 'new') place(statement, found.position, null);
      else if (found.kind === 'repeat' && found.known.id !== null)
        place(statement, found.known.position, found.known.id);
      else if (found.kind === 'gap') waiting.push(statement);
      else problems.push(problemOfPlace(statement, found, account));
    }
    if (waiting.length === remaining.length) {
      const [first] = waiting;
      const around = await chains.around(account.id, first!.as_of);
      if (accepts_gaps) place(waiting.shift()!, lastPosition(around), null);
      else {
        problems.push(problemOfPlace(first!, placeStatement(first!, around), account));
        break;
      }
    }
    // Those before the beginning of the chain join it from the newest to the oldest.
    remaining = waiting.toReversed();
  }
  return { statements: placed, problem: worstProblem(problems) };
}

function problemOfPlace(
  statement: AcceptedStatement,
  place: StatementPlace<ChainedStatement>,
  { currency, number }: Account,
): StatementProblem {
  const { offset } = statement;
  const its = `${nameStatement(statement)} leads ${showBalances(statement, currency)}`;
  if (place.kind === 'gap') {
    const { neighbour, is_after } = place;
    const [balance, way, order] = is_after
      ? [showAmount(neighbour.closing_balance, currency), 'closes', 'before']
      : [showAmount(neighbour.opening_balance, currency), 'opens', 'after'];
    const message = `${its}, and the statement of ${neighbour.as_of}, the nearest ${order} it, ${way} with ${balance}: a statement between them is missing. The file is applied by itself once that is imported`;
    return { code: 'statement_gap', message, offset, waits_for: number };
  }
  if (place.kind === 'repeat') {
    const message = `${nameStatement(statement)} is twice in the file; each statement must be there once`;
    return { code: 'statement_differs', message, offset, waits_for: null };
  }
  const known = place.kind === 'differs' ? place.known : statement;
  const name = known.reference === null ? '' : ` (${maskCardNumbers(known.reference)})`;
  const where = 'id' in known && known.id !== null ? 'was recorded before' : 'is in the same file';
  const message = `${its}; the statement of ${known.as_of}${name}, which ${where}, leads ${showBalances(known, currency)}. What is recorded is never changed: the bank has to correct it by lines of a later statement`;
  return { code: 'statement_differs', message, offset, waits_for: null };
}
