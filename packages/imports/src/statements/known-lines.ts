import { type AccountStore, type ReportedLine, recorded_lines_max, type StatementLine } from '@tallystick/accounts';
import { maskCardNumbers } from '@tallystick/kernel';
import type { FittingStatement } from './place-statements.ts';
import type { StagedLine } from './staged-line.ts';
import { nameStatement, type StatementProblem, showLine } from './statement-problem.ts';

/** A statement with whose account lines are compared, and the stored one that it repeats. */
export type ComparedStatement = Pick<FittingStatement, 'statement' | 'account' | 'known_id' | 'pages'>;

export interface ComparedLines {
  /** The ordinals of lines that were recorded before. */
  readonly known: ReadonlySet<number>;
  /** The first line of each statement, by its number, that contradicts what is recorded. */
  readonly differing: ReadonlyMap<number, StatementProblem>;
}

type Compared = ComparedStatement & { readonly line: StagedLine };

/**
 * Compares lines with those that were recorded before (decision: statement lines). A line is that
 * with its reference, date, amount and code; equals are counted. Of a statement that was recorded
 * before, all lines are known: a line that only the bank reported is none of its lines. A new one has
 * no line of another statement, because its balances count it a second time; it may have lines that
 * the bank reported by itself, and equals of its other pages. Lines of statements that are not among
 * `statements` are not compared.
 */
export async function compareLines(
  accounts: Pick<AccountStore, 'linesByKey' | 'linesByReference' | 'countUnreferenced'>,
  lines: readonly StagedLine[],
  statements: ReadonlyMap<number, ComparedStatement>,
): Promise<ComparedLines> {
  const compared = lines.flatMap((line): Compared[] => {
    const its = statements.get(line.statement_number);
    return its === undefined ? [] : [{ line, ...its }];
  });
  const known = new Set<number>();
  const differing = new Map<number, StatementProblem>();
  const note = (one: Compared, difference: string | null, recorded?: StatementLine): void => {
    if (difference === null) known.add(one.line.ordinal);
    else if (!differing.has(one.statement.number))
      differing.set(one.statement.number, problemOf(one, difference, recorded));
  };
  for (let from = 0; from < compared.length; from += recorded_lines_max) {
    const part = compared.slice(from, from + recorded_lines_max);
    await compareReferenced(accounts, part, note);
    await compareUnreferenced(accounts, part, note);
  }
  return { known, differing };
}

async function compareReferenced(
  accounts: Pick<AccountStore, 'linesByKey' | 'linesByReference'>,
  compared: readonly Compared[],
  note: (one: Compared, difference: string | null, recorded?: StatementLine) => void,
): Promise<void> {
  const keyed = compared.flatMap((one) => {
    const { bank_reference, booking_date, amount, bai_code } = one.line.line;
    if (bank_reference === null) return [];
    const content = { account_id: one.account.id, bank_reference, booking_date, amount, bai_code };
    return [{ one, key: { ...content, occurrence: one.line.occurrence } }];
  });
  if (keyed.length === 0) return;
  const found = new Map((await accounts.linesByKey(keyed.map(({ key }) => key))).map((line) => [keyOf(line), line]));
  const others = new Map<string, StatementLine>();
  for (const line of await accounts.linesByReference(
    keyed.map(({ key }) => key).filter((key) => !found.has(keyOf(key))),
  )) {
    others.set(referenceOf(line), line);
  }
  for (const { one, key } of keyed) {
    const same = found.get(keyOf(key));
    const other = others.get(referenceOf(key));
    if (one.known_id !== null) {
      const is_known = same !== undefined && same.statement_id !== null;
      note(one, is_known ? null : 'is not among the lines that were recorded before', other);
    } else if (same !== undefined) {
      if (same.statement_id === null) note(one, null);
      else if (!one.pages.has(same.statement_id)) note(one, 'was recorded before as a line of another statement', same);
    }
  }
}

async function compareUnreferenced(
  accounts: Pick<AccountStore, 'countUnreferenced'>,
  compared: readonly Compared[],
  note: (one: Compared, difference: string | null) => void,
): Promise<void> {
  const unnamed = compared.filter(({ line, known_id }) => known_id !== null && line.line.bank_reference === null);
  for (const [account_id, its] of Map.groupBy(unnamed, ({ account }) => account.id)) {
    const counts = await accounts.countUnreferenced(
      account_id,
      its.map(({ line }) => line.line),
    );
    for (const [at, one] of its.entries()) {
      const is_known = counts[at]! >= one.line.occurrence;
      note(one, is_known ? null : 'is not among the lines that were recorded before');
    }
  }
}

function problemOf(
  { line: item, statement, account }: Compared,
  difference: string,
  recorded?: StatementLine,
): StatementProblem {
  const { currency } = account;
  const { bank_reference }: ReportedLine = item.line;
  const reference = bank_reference === null ? '' : ` (bank reference ${maskCardNumbers(bank_reference)})`;
  const ours = `line ${item.place}${reference} of ${nameStatement(statement)}, ${showLine(item.line, currency)},`;
  const theirs = recorded === undefined ? '' : `: ${showLine(recorded, currency)}`;
  const remedy = 'A release records it as a further line';
  return {
    code: 'statement_differs',
    message: `${ours} ${difference}${theirs}. ${remedy}`,
    offset: item.offset,
    waits_for: null,
  };
}

function keyOf(
  line: Pick<StatementLine, 'account_id' | 'bank_reference' | 'booking_date' | 'amount' | 'bai_code' | 'occurrence'>,
): string {
  const { account_id, bank_reference, booking_date, amount, bai_code, occurrence } = line;
  return JSON.stringify([account_id, bank_reference, booking_date, amount, bai_code, occurrence]);
}

function referenceOf({ account_id, bank_reference }: Pick<StatementLine, 'account_id' | 'bank_reference'>): string {
  return `${account_id} ${bank_reference}`;
}
