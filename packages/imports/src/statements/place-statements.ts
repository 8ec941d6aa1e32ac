import {
  type Account,
  balanceMaxOf,
  type ChainAround,
  completeBalances,
  isShowableBalance,
  lastPosition,
  mayCover,
  oldestFirst,
  placeStatement,
  type StatementPlace,
} from '@tallystick/accounts';
import { type Money, maskCardNumbers, showAmount } from '@tallystick/kernel';
import type { ImportPorts } from '../ports.ts';
import { AccountChains, type ChainedStatement } from './account-chains.ts';
import type { ImportStatement } from './import-statement.ts';
import { nameReference, nameStatement, type StatementProblem, showBalances } from './statement-problem.ts';

/** A statement with both of its balances, as it states them or as they follow. */
export interface BalancedStatement extends ImportStatement {
  readonly opening_balance: Money;
  readonly closing_balance: Money;
}

/** A statement of a file that has a place in the chain of its account. */
export interface FittingStatement {
  readonly statement: BalancedStatement;
  readonly account: Account;
  /** The stored statement that it repeats or differs from; null: it is new. */
  readonly known_id: number | null;
  /** Of a new one: its place among the statements of its date. */
  readonly position: number;
  /** Its place if it is a new one after all, because its lines are not known. Null: it cannot be. */
  readonly or_position: number | null;
  /** The stored statements of which it is a further page. */
  readonly pages: ReadonlySet<number>;
}

/** What the comparison of lines has found of statements, by their numbers. */
export interface LineFindings {
  /** They have lines that contradict what is recorded. */
  readonly differing: ReadonlyMap<number, StatementProblem>;
  /** They look like known ones, and have lines of their own. */
  readonly as_new: ReadonlySet<number>;
}

export interface Placing {
  readonly fitting: ReadonlyMap<number, FittingStatement>;
  readonly held: ReadonlyMap<number, StatementProblem>;
}

export const no_findings: LineFindings = { differing: new Map(), as_new: new Set() };

/**
 * Places the statements of a file, each by itself: its account is known and has its currency, its
 * lines lead from balance to balance, and it joins the chain of its account (decision: statement
 * lines). What does not fit is held. Writes nothing.
 */
export async function placeStatements(
  ports: Pick<ImportPorts, 'unitOfWork'>,
  statements: readonly ImportStatement[],
  findings: LineFindings = no_findings,
): Promise<Placing> {
  const chains = new AccountChains(ports);
  const held = new Map<number, StatementProblem>();
  const of_account = new Map<Account, ImportStatement[]>();
  const incomplete = new Set<Account>();
  for (const statement of statements) {
    const account = await chains.account(statement);
    const problem =
      problemOfItself(statement, account) ??
      findings.differing.get(statement.number) ??
      problemOfBalance(statement, account);
    if (problem !== null || account === null) {
      held.set(statement.number, problem!);
      if (account !== null) incomplete.add(account);
      continue;
    }
    const its = of_account.get(account) ?? [];
    its.push(statement);
    of_account.set(account, its);
  }
  const fitting = new Map<number, FittingStatement>();
  for (const [account, its] of of_account) {
    await new AccountPlacing(chains, account, findings, { fitting, held }, !incomplete.has(account)).place(its);
  }
  return { fitting, held };
}

function problemOfItself(statement: ImportStatement, account: Account | null): StatementProblem | null {
  const { account_number, currency, offset, stated_problem } = statement;
  const name = nameStatement(statement);
  if (stated_problem !== null && !isAccepted(statement, stated_problem.code)) {
    const { code, message } = stated_problem;
    const remedy = 'Ask the bank for a file with a right one';
    return { code, message: `${name} cannot be applied: ${message}. ${remedy}`, offset, waits_for: null };
  }
  if (account === null) {
    const message = `${name} is of an account that does not exist; create account ${maskCardNumbers(account_number)}, and it is applied by itself`;
    return { code: 'unknown_account', message, offset, waits_for: account_number };
  }
  if (currency !== null && currency !== account.currency) {
    const waits_for = `${account_number}${currency}`;
    const message = `${name} is in ${currency}, and the account is in ${account.currency}; if it has several currencies, create account ${maskCardNumbers(waits_for)}, and it is applied by itself`;
    return { code: 'statement_currency', message, offset, waits_for };
  }
  return problemOfSize(statement, account.currency);
}

/** No release helps: Open Banking cannot show the balance of the account. */
function problemOfSize(statement: ImportStatement, currency: string): StatementProblem | null {
  const { opening_balance, closing_balance, sum, offset } = statement;
  const opening = opening_balance ?? (closing_balance === null ? null : closing_balance - sum);
  const closing = closing_balance ?? (opening_balance === null ? null : opening_balance + sum);
  const large = [opening, closing].find((balance) => balance !== null && !isShowableBalance(balance, currency));
  if (large == null) return null;
  const [shown, max] = [large, balanceMaxOf(currency)].map((amount) => showAmount(amount, currency));
  const message = `${nameStatement(statement)} cannot be applied: a balance is ${shown}, and the largest that Open Banking can show is ${max}. Ask the bank for a file with a right one`;
  return { code: 'statement_too_large', message, offset, waits_for: null };
}

function problemOfBalance(statement: ImportStatement, account: Account | null): StatementProblem | null {
  const { opening_balance, closing_balance, sum, lines, offset, accepted_problems } = statement;
  if (opening_balance === null || closing_balance === null) return null;
  const reached = opening_balance + sum;
  if (reached === closing_balance || accepted_problems.includes('statement_out_of_balance')) return null;
  const currency = account?.currency ?? statement.currency ?? '';
  const show = (amount: number) => showAmount(amount, currency);
  const message = `${nameStatement(statement)} opens with ${show(opening_balance)}, and its ${lines} lines of ${show(sum)} lead to ${show(reached)}; it closes with ${show(closing_balance)}: the lines are ${show(reached - closing_balance)} off, and must amount to ${show(closing_balance - opening_balance)}`;
  return { code: 'statement_out_of_balance', message, offset, waits_for: null };
}

/**
 * Places the statements of one account. A file may list them in any order, so all that remain are
 * tried again as long as one joins the chain.
 */
class AccountPlacing {
  readonly #chains: AccountChains;
  readonly #account: Account;
  readonly #findings: LineFindings;
  readonly #fitting: Map<number, FittingStatement>;
  readonly #held: Map<number, StatementProblem>;
  /** No statement of the account is held for itself, so balances follow from the chain. */
  readonly #is_complete: boolean;

  constructor(
    chains: AccountChains,
    account: Account,
    findings: LineFindings,
    found: { readonly fitting: Map<number, FittingStatement>; readonly held: Map<number, StatementProblem> },
    is_complete: boolean,
  ) {
    this.#is_complete = is_complete;
    this.#chains = chains;
    this.#account = account;
    this.#findings = findings;
    this.#fitting = found.fitting;
    this.#held = found.held;
  }

  async place(statements: readonly ImportStatement[]): Promise<void> {
    let remaining = oldestFirst(statements).toSorted((a, b) => (a.as_of === b.as_of ? 0 : a.as_of < b.as_of ? -1 : 1));
    while (remaining.length > 0) {
      const waiting: ImportStatement[] = [];
      for (const statement of remaining) if (!(await this.#tryToPlace(statement, waiting))) waiting.push(statement);
      if (waiting.length === remaining.length && !(await this.#placeOverGap(waiting))) {
        for (const statement of waiting) await this.#hold(statement);
        return;
      }
      // Those before the beginning of the chain join it from the newest to the oldest.
      remaining = waiting.toReversed();
    }
  }

  /** False: it joins the chain at no place yet. */
  async #tryToPlace(stated: ImportStatement, waiting: readonly ImportStatement[]): Promise<boolean> {
    const around = await this.#around(stated);
    const statement = this.#balanced(stated, around, waiting.length === 0);
    if (statement === null) return false;
    const found = await this.#placeOf(statement, around);
    switch (found.kind) {
      case 'gap':
        return false;
      case 'new':
        this.#fit(statement, { position: found.position, pages: pagesOf(statement, around) });
        return true;
      case 'repeat':
        this.#fitKnown(statement, found, found.known, around);
        return true;
      case 'covers':
        this.#fitKnown(statement, found, found.to, around);
        return true;
      case 'differs': {
        const known_id = isAccepted(statement, 'statement_differs') ? found.known.id : null;
        if (known_id === null) this.#held.set(statement.number, this.#problemOf(statement, found));
        else this.#fit(statement, { known_id });
      }
    }
    return true;
  }

  /** Fits a statement that looks like a known one. With lines of its own it is another one. */
  #fitKnown(
    statement: BalancedStatement,
    found: Extract<StatementPlace<ChainedStatement>, { readonly or_position: number | null }>,
    known: ChainedStatement,
    around: ChainAround<ChainedStatement>,
  ): void {
    const { or_position } = found;
    const is_other = this.#findings.as_new.has(statement.number) || (found.kind === 'covers' && statement.lines === 0);
    if (or_position !== null && (is_other || (known.id === null && found.kind === 'repeat'))) {
      this.#fit(statement, { position: or_position, pages: pagesOf(statement, around) });
    } else if (known.id === null) this.#held.set(statement.number, this.#problemOf(statement, found));
    else this.#fit(statement, { known_id: known.id, or_position });
  }

  async #placeOf(statement: BalancedStatement, around: ChainAround<ChainedStatement>) {
    const opening = mayCover(statement, around) ? await this.#chains.opening(this.#account.id, statement) : null;
    return placeStatement(statement, around, opening);
  }

  #balanced(
    statement: ImportStatement,
    around: ChainAround<ChainedStatement>,
    is_first: boolean,
  ): BalancedStatement | null {
    // What is before it in the chain is known only when no earlier statement of the file waits.
    const known = this.#is_complete && is_first ? around : { before: null, of_date: [], after: null };
    const balances = completeBalances(statement, statement.sum, known, this.#account.currency);
    return balances === null ? null : { ...statement, ...balances };
  }

  /** Places the first that a person released over a gap, and removes it. False: there is none. */
  async #placeOverGap(waiting: ImportStatement[]): Promise<boolean> {
    for (const [at, stated] of waiting.entries()) {
      if (!isAccepted(stated, 'statement_gap')) continue;
      const around = await this.#around(stated);
      const statement = this.#balanced(stated, around, true);
      if (statement === null) continue;
      waiting.splice(at, 1);
      // Before a known statement it may be of days that are known: only what they lack is recorded.
      const later = around.of_date.at(-1) ?? around.after;
      const is_other = this.#findings.as_new.has(statement.number);
      if (later?.id == null || is_other) this.#fit(statement, { position: lastPosition(around) });
      else this.#fit(statement, { known_id: later.id, or_position: lastPosition(around) });
      return true;
    }
    return false;
  }

  async #hold(stated: ImportStatement): Promise<void> {
    const around = await this.#around(stated);
    const statement = this.#balanced(stated, around, true);
    const problem =
      statement === null
        ? this.#missingBalance(stated)
        : this.#problemOf(statement, await this.#placeOf(statement, around));
    this.#held.set(stated.number, problem);
  }

  #around({ as_of }: ImportStatement) {
    return this.#chains.around(this.#account.id, as_of);
  }

  #fit(statement: BalancedStatement, place: Partial<Omit<FittingStatement, 'statement' | 'account'>>): void {
    const account = this.#account;
    const fitting = { statement, account, known_id: null, position: 0, or_position: null, pages: no_pages, ...place };
    this.#fitting.set(statement.number, fitting);
    if (fitting.known_id !== null) return;
    const { as_of, reference, opening_balance, closing_balance } = statement;
    const { position } = fitting;
    this.#chains.add(account.id, { id: null, position, as_of, reference, opening_balance, closing_balance });
  }

  #missingBalance(statement: ImportStatement): StatementProblem {
    const { offset, account_number: waits_for } = statement;
    const message = `${nameStatement(statement)} states no balance, and no statement before it is recorded from which one within bounds follows. It is applied by itself once that is imported`;
    return { code: 'balance_missing', message, offset, waits_for };
  }

  #problemOf(statement: BalancedStatement, place: StatementPlace<ChainedStatement>): StatementProblem {
    const { currency, number } = this.#account;
    const { offset } = statement;
    const its = `${nameStatement(statement)} leads ${showBalances(statement, currency)}`;
    if (place.kind === 'gap') {
      const { neighbour, is_after } = place;
      const [balance, way, order] = is_after
        ? [showAmount(neighbour.closing_balance, currency), 'closes', 'before']
        : [showAmount(neighbour.opening_balance, currency), 'opens', 'after'];
      const message = `${its}, and the statement of ${neighbour.as_of}, the nearest ${order} it, ${way} with ${balance}: a statement between them is missing. It is applied by itself once that is imported`;
      return { code: 'statement_gap', message, offset, waits_for: number };
    }
    if (place.kind !== 'differs') {
      const message = `${nameStatement(statement)} is of days that other statements of the file have, too. It is compared with them once they are recorded`;
      return { code: 'statement_differs', message, offset, waits_for: number };
    }
    const { known } = place;
    const is_stored = known.id !== null;
    const where = is_stored ? 'was recorded before' : 'is in the same file';
    const message = `${its}; the statement of ${known.as_of}${nameReference(known.reference)}, which ${where}, leads ${showBalances(known, currency)}. A release records the lines that it lacks; its balances stay as they are`;
    return { code: 'statement_differs', message, offset, waits_for: is_stored ? null : number };
  }
}

const no_pages: ReadonlySet<number> = new Set();

/** The stored statements of the date with the id of this one. */
function pagesOf({ reference }: BalancedStatement, { of_date }: ChainAround<ChainedStatement>): ReadonlySet<number> {
  if (reference === null) return no_pages;
  return new Set(of_date.flatMap((known) => (known.reference === reference && known.id !== null ? [known.id] : [])));
}

function isAccepted({ accepted_problems }: ImportStatement, code: string): boolean {
  return accepted_problems.includes(code);
}
