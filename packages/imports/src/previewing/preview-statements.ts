import { findSame } from '@tallystick/accounts';
import type { RecordPlace } from '../formats/record-place.ts';
import type { ImportPorts } from '../ports.ts';
import { acceptLine, acceptStatement, refuseCardNumbers } from '../statements/accept-statement-item.ts';
import { AccountChains } from '../statements/account-chains.ts';
import { type CheckedStatement, checkStatements } from '../statements/check-statements.ts';
import { checkLines, SeenReferences } from '../statements/known-lines.ts';
import type { FileLine, FileStatement } from '../statements/statement-items.ts';
import { type StatementProblem, worstProblem } from '../statements/statement-problem.ts';
import { addLine, newTotals, type StatementTotals } from '../statements/statement-totals.ts';
import { type PreviewedRecord, previewedRecord } from './previewed-record.ts';

/**
 * What an import would do with the statements of a file. Each line is compared with what is
 * recorded as it is read. Bank references that lines of the file share are found among the first
 * 400,000 of them.
 */
export class StatementPreview {
  readonly #ports: Pick<ImportPorts, 'unitOfWork' | 'vault'>;
  readonly #chains: AccountChains;
  readonly #totals: StatementTotals[] = [];
  readonly #statements = new Map<number, Pick<CheckedStatement, 'statement' | 'account' | 'repeats'>>();
  readonly #references = new SeenReferences();
  #problem: StatementProblem | null = null;

  constructor(ports: Pick<ImportPorts, 'unitOfWork' | 'vault'>) {
    this.#ports = ports;
    this.#chains = new AccountChains(ports);
  }

  /** How many statements were read. */
  get statements(): number {
    return this.#totals.length;
  }

  /** Takes the next statement. Throws `FileProblem` for one that cannot be stored. */
  async takeStatement(item: FileStatement): Promise<void> {
    const statement = acceptStatement(item);
    await refuseCardNumbers(this.#ports, [statement]);
    this.#totals.push(newTotals(statement));
    const account = await this.#chains.account(statement.account_number);
    if (account === null) return;
    const { of_date } = await this.#chains.around(account.id, statement.as_of);
    this.#statements.set(statement.number, { statement, account, repeats: findSame(statement, of_date)?.id ?? null });
  }

  /** The line as it would be stored, counted to its statement. */
  takeLine(item: FileLine): FileLine {
    const line = acceptLine(item);
    this.#totals.push(addLine(this.#totals.pop()!, line));
    return line;
  }

  /** What an import would do with these lines. */
  async show(lines: readonly FileLine[]): Promise<readonly PreviewedRecord[]> {
    await refuseCardNumbers(this.#ports, lines);
    const { known, problem } = await checkLines(this.#ports, lines, this.#statements);
    this.#problem ??= problem;
    for (const line of lines) this.#problem ??= this.#references.add(line, this.#statements);
    return lines.map((item) => {
      const { statement } = this.#totalsOf(item);
      const account = this.#statements.get(item.statement_number)?.account;
      return {
        ...previewedRecord(item satisfies RecordPlace),
        outcome: known.has(item.ordinal) ? 'duplicate' : 'applied',
        account_number: statement.account_number,
        booking_date: item.line.booking_date,
        bai_code: item.line.bai_code,
        amount: item.line.amount,
        currency: account?.currency ?? statement.currency,
      };
    });
  }

  /** Why the file would be held; null: it would not be. */
  async problem(): Promise<StatementProblem | null> {
    const { problem } = await checkStatements(this.#ports, this.#totals);
    return worstProblem([problem, this.#problem]);
  }

  #totalsOf({ statement_number }: FileLine): StatementTotals {
    // The lines that are shown at once are those of the last statements.
    return this.#totals.findLast(({ statement }) => statement.number === statement_number)!;
  }
}
