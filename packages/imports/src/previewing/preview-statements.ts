import { findSame } from '@tallystick/accounts';
import type { BadRecord, ClearingFormat } from '../formats/clearing-format.ts';
import type { ImportPorts } from '../ports.ts';
import { acceptLine, acceptStatement, findCardNumbers } from '../statements/accept-statement-item.ts';
import { AccountChains } from '../statements/account-chains.ts';
import { LinesOfFile } from '../statements/decide-statements.ts';
import type { ImportStatement } from '../statements/import-statement.ts';
import { type ComparedStatement, compareLines } from '../statements/known-lines.ts';
import { type BalancedStatement, placeStatements } from '../statements/place-statements.ts';
import type { StagedLine } from '../statements/staged-line.ts';
import { StatementDraft } from '../statements/statement-draft.ts';
import type { FileLine, FileStatement, FileStatementEnd } from '../statements/statement-items.ts';
import type { StatementProblem } from '../statements/statement-problem.ts';
import { type PreviewedRecord, previewedRecord } from './previewed-record.ts';

/** A statement of a previewed file, and what would become of its lines if it is not held. */
interface Previewed {
  readonly draft: StatementDraft;
  compared: ComparedStatement | null;
  account_number: string;
  currency: string | null;
  applied: number;
  duplicates: number;
}

/**
 * What an import would do with the statements of a file. Each line is compared with what is
 * recorded as it is read, before it is known whether its statement is held.
 */
export class StatementPreview {
  readonly #ports: Pick<ImportPorts, 'unitOfWork' | 'vault'>;
  readonly #chains: AccountChains;
  readonly #statements = new Map<number, Previewed>();
  readonly #differing = new Map<number, StatementProblem>();
  readonly #compared = new Map<number, ComparedStatement>();
  readonly #in_file = new LinesOfFile(this.#compared);
  #last: Previewed | null = null;

  constructor(ports: Pick<ImportPorts, 'unitOfWork' | 'vault'>) {
    this.#ports = ports;
    this.#chains = new AccountChains(ports);
  }

  /** How many statements were read. */
  get statements(): number {
    return this.#statements.size;
  }

  /** Takes the next statement. Throws `FileProblem` for one too many. */
  async takeStatement(item: FileStatement, format: ClearingFormat): Promise<void> {
    const head = acceptStatement(item);
    const draft = new StatementDraft(head, this.#last?.draft ?? null, format);
    for (const problem of (await findCardNumbers(this.#ports, [head])).values()) draft.fail(problem);
    const account = await this.#chains.account(head);
    const previewed: Previewed = {
      draft,
      compared: null,
      account_number: head.account_number,
      currency: account?.currency ?? head.currency,
      applied: 0,
      duplicates: 0,
    };
    this.#statements.set(head.number, previewed);
    this.#last = previewed;
    if (account === null) return;
    const statement = draft.finish(0) as BalancedStatement;
    const { of_date } = await this.#chains.around(account.id, head.as_of);
    const is_stated = head.opening_balance !== null && head.closing_balance !== null;
    const known = is_stated ? findSame(statement, of_date) : (of_date[0] ?? null);
    const pages = new Set(
      of_date.filter(({ reference }) => reference !== null && reference === head.reference).map(({ id }) => id ?? 0),
    );
    this.#compared.set(head.number, { statement, account, known_id: known?.id ?? null, pages });
  }

  /** The line as it would be staged; null: it cannot be read. */
  takeLine(item: FileLine): StagedLine | null {
    const line = acceptLine(item);
    if (line.kind === 'line') return this.#last!.draft.add(line);
    this.takeBad(line);
    return null;
  }

  takeBad({ code, reason }: BadRecord): void {
    this.#last?.draft.countBad({ code, message: reason });
  }

  takeEnd(item: FileStatementEnd): void {
    this.#last?.draft.end(item);
  }

  /** What an import would do with these lines. */
  async show(lines: readonly StagedLine[]): Promise<readonly PreviewedRecord[]> {
    for (const [ordinal, problem] of await findCardNumbers(this.#ports, lines)) {
      const { statement_number } = lines.find((line) => line.ordinal === ordinal)!;
      this.#statements.get(statement_number)!.draft.fail(problem);
    }
    const { known, differing } = await this.#ports.unitOfWork.read(({ accounts }) =>
      compareLines(accounts, lines, this.#compared),
    );
    for (const [number, problem] of [...differing, ...this.#in_file.findRepeated(lines)]) {
      if (!this.#differing.has(number)) this.#differing.set(number, problem);
    }
    return lines.map((item) => {
      const its = this.#statements.get(item.statement_number)!;
      const is_known = known.has(item.ordinal);
      its[is_known ? 'duplicates' : 'applied'] += 1;
      return {
        ...previewedRecord(item),
        outcome: is_known ? 'duplicate' : 'applied',
        account_number: its.account_number,
        booking_date: item.line.booking_date,
        bai_code: item.line.bai_code,
        amount: item.line.amount,
        currency: its.currency,
      };
    });
  }

  /**
   * The statements that would be held, and the counts of the lines of all of them. Whether the last
   * one would be is not known unless the whole file was read.
   */
  async end({ is_whole }: { readonly is_whole: boolean }): Promise<{
    readonly held: readonly ImportStatement[];
    readonly held_lines: number;
    readonly counts: { readonly applied: number; readonly duplicates: number };
  }> {
    const statements = [...this.#statements.values()].map(({ draft }) => draft.finish(0));
    const placing = await placeStatements(this.#ports, statements);
    const held = new Map(placing.held);
    for (const [number, problem] of this.#differing) {
      // The lines were compared before the place of a statement was certain.
      const is_as_compared =
        (placing.fitting.get(number)?.known_id === null) === (this.#compared.get(number)?.known_id === null);
      if (is_as_compared && !held.has(number)) held.set(number, problem);
    }
    if (!is_whole) held.delete(statements.at(-1)?.number ?? 0);
    const counts = { applied: 0, duplicates: 0 };
    let held_lines = 0;
    for (const statement of statements) {
      const { applied, duplicates } = this.#statements.get(statement.number)!;
      if (held.has(statement.number)) held_lines += statement.lines;
      else {
        counts.applied += applied;
        counts.duplicates += duplicates;
      }
    }
    return {
      held: statements.flatMap((one) => {
        const problem = held.get(one.number);
        return problem === undefined ? [] : [{ ...one, status: 'held' as const, problem }];
      }),
      held_lines,
      counts,
    };
  }
}
