import { isSameLine, type ReportedLine, type StatementLine } from '@tallystick/accounts';
import { maskCardNumbers } from '@tallystick/kernel';
import type { ImportPorts } from '../ports.ts';
import type { CheckedStatement } from './check-statements.ts';
import type { FileLine } from './statement-items.ts';
import { nameStatement, type StatementProblem, showLine } from './statement-problem.ts';

export type StatementsByNumber = ReadonlyMap<number, Pick<CheckedStatement, 'statement' | 'account' | 'repeats'>>;

export interface CheckedLines {
  /** The ordinals of lines that were recorded before. */
  readonly known: ReadonlySet<number>;
  /** The first line that was reported otherwise before; null: none was. */
  readonly problem: StatementProblem | null;
}

/**
 * Compares lines with those that were recorded before (decision: statement lines): a line that is
 * reported again must be the same, and a new statement has no line of another one, because its
 * balances count it a second time. Lines of statements that are not among `statements` are not compared.
 */
export async function checkLines(
  { unitOfWork }: Pick<ImportPorts, 'unitOfWork'>,
  lines: readonly FileLine[],
  statements: StatementsByNumber,
): Promise<CheckedLines> {
  const checked = lines.flatMap((item) => {
    const its = statements.get(item.statement_number);
    return its === undefined ? [] : [{ item, ...its }];
  });
  const references = checked.flatMap(({ item, account }) => {
    const { bank_reference } = item.line;
    return bank_reference === null ? [] : [{ account_id: account.id, bank_reference }];
  });
  const places = checked.flatMap(({ item: { place }, repeats }) =>
    repeats === null ? [] : [{ statement_id: repeats, place }],
  );
  const [of_reference, of_place] = await unitOfWork.read(async ({ accounts }) => [
    byKey(await accounts.linesByReference(references), (line) => referenceKey(line.account_id, line.bank_reference!)),
    byKey(await accounts.linesByPlace(places), (line) => placeKey(line.statement_id!, line.place!)),
  ]);
  const known = new Set<number>();
  let problem: StatementProblem | null = null;
  for (const { item, account, statement, repeats } of checked) {
    const { bank_reference } = item.line;
    const same = bank_reference === null ? undefined : of_reference.get(referenceKey(account.id, bank_reference));
    const recorded = same ?? (repeats === null ? undefined : of_place.get(placeKey(repeats, item.place)));
    const difference = findDifference(item.line, recorded, repeats);
    if (difference === null) {
      if (recorded !== undefined) known.add(item.ordinal);
      continue;
    }
    const reference = bank_reference === null ? '' : ` (bank reference ${maskCardNumbers(bank_reference)})`;
    const ours = `line ${item.place}${reference} of ${nameStatement(statement)}, ${showLine(item.line, account.currency)},`;
    const theirs = recorded === undefined ? '' : `: ${showLine(recorded, account.currency)}`;
    const message = `${ours} ${difference}${theirs}`;
    problem ??= { code: 'statement_differs', message, offset: item.offset, waits_for: null };
  }
  return { known, problem };
}

/** How a line differs from the recorded one; null: it does not. */
function findDifference(
  line: ReportedLine,
  recorded: StatementLine | undefined,
  repeats: number | null,
): string | null {
  if (recorded === undefined) {
    return repeats === null ? null : 'is not among the lines with which the statement was recorded before';
  }
  const is_same = isSameLine(line, recorded) && line.bank_reference === recorded.bank_reference;
  if (!is_same) return 'was recorded before with other content';
  const is_of_other = recorded.statement_id !== null && recorded.statement_id !== repeats;
  return is_of_other ? 'was recorded before as a line of another statement' : null;
}

/** The most bank references that are compared at once, so that the memory is bounded. */
const references_max = 200_000;

/**
 * Finds a bank reference that two lines of a file have on one account: it would be one line, and
 * the balances count two. Reads the lines as often as the bound of references needs.
 */
export async function findRepeatedReference(
  readLines: () => AsyncIterable<readonly FileLine[]>,
  lines_total: number,
  statements: StatementsByNumber,
): Promise<StatementProblem | null> {
  const parts = Math.ceil(lines_total / references_max);
  for (let part = 0; part < parts; part += 1) {
    const seen = new SeenReferences();
    for await (const lines of readLines()) {
      for (const item of lines) {
        const { bank_reference } = item.line;
        if (bank_reference === null || partOf(bank_reference, parts) !== part) continue;
        const problem = seen.add(item, statements);
        if (problem !== null) return problem;
      }
    }
  }
  return null;
}

export class SeenReferences {
  readonly #ordinals = new Map<string, number>();

  /** Adds a line. Returns the problem when an earlier one has its reference on its account. */
  add({ line, place, ordinal, offset, statement_number }: FileLine, statements: StatementsByNumber) {
    const its = statements.get(statement_number);
    if (line.bank_reference === null || its === undefined) return null;
    const key = referenceKey(its.account.id, line.bank_reference);
    const earlier = this.#ordinals.get(key);
    if (earlier === undefined) {
      if (this.#ordinals.size < references_max * 2) this.#ordinals.set(key, ordinal);
      return null;
    }
    const reference = maskCardNumbers(line.bank_reference);
    const message = `line ${place} of ${nameStatement(its.statement)}, ${showLine(line, its.account.currency)}, has the bank reference ${reference} of record ${earlier}; a reference must name one line`;
    const problem: StatementProblem = { code: 'statement_differs', message, offset, waits_for: null };
    return problem;
  }
}

/** The part, from 0, to which a reference belongs. */
function partOf(reference: string, parts: number): number {
  let hash = 0;
  for (let at = 0; at < reference.length; at += 1) hash = (Math.imul(hash, 31) + reference.charCodeAt(at)) >>> 0;
  return hash % parts;
}

function byKey(lines: readonly StatementLine[], keyOf: (line: StatementLine) => string) {
  return new Map(lines.map((line) => [keyOf(line), line]));
}

function referenceKey(account_id: number, bank_reference: string): string {
  return `${account_id} ${bank_reference}`;
}

function placeKey(statement_id: number, place: number): string {
  return `${statement_id} ${place}`;
}
