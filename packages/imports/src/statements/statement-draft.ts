import { type Money, maskDigitRuns, money, sum_max } from '@tallystick/kernel';
import type { ClearingFormat } from '../formats/clearing-format.ts';
import { Occurrences } from '../staging/occurrences.ts';
import type { ImportStatement } from './import-statement.ts';
import type { StagedLine } from './staged-line.ts';
import type { FileLine, FileStatement, FileStatementEnd, StatedProblem } from './statement-items.ts';

/** A statement that is being read. */
export class StatementDraft {
  #head: FileStatement;
  readonly #occurrences: Occurrences;
  readonly #may_lack_balances: boolean;
  #closing_balance: Money | null;
  #problem: StatedProblem | null;
  #lines = 0;
  #sum = 0;
  #first_booking_date: string | null = null;
  #last_date: string | null = null;
  #is_rising = false;
  #is_falling = false;

  /** `before` is the statement before it in the file. */
  constructor(
    head: FileStatement,
    before: StatementDraft | null,
    { may_lack_balances = false }: Pick<ClearingFormat, 'may_lack_balances'>,
  ) {
    this.#head = head;
    this.#may_lack_balances = may_lack_balances;
    this.#closing_balance = head.closing_balance;
    this.#problem = head.problem ?? null;
    this.#occurrences = before?.occurrencesBefore(head) ?? new Occurrences();
  }

  get number(): number {
    return this.#head.number;
  }

  /** The sum of the lines so far. */
  get sum(): Money {
    return money(this.#sum);
  }

  /** Notes why it cannot be applied. The first problem counts. */
  fail(problem: StatedProblem): void {
    this.#problem ??= problem;
  }

  /** Counts a line that cannot be read. */
  countBad(problem: StatedProblem): void {
    this.#lines += 1;
    this.fail(problem);
  }

  /** Its head has the number of a card: it is not kept. */
  hideHead(): void {
    const { account_number } = this.#head;
    this.#head = { ...this.#head, reference: null, account_number: maskDigitRuns(account_number) };
  }

  add(item: FileLine): StagedLine {
    const { line } = item;
    const sum = this.#sum + line.amount;
    if (Math.abs(sum) > sum_max) {
      this.fail({ code: 'statement_too_large', message: `its lines amount to more than ${sum_max} minor units` });
    } else this.#sum = sum;
    this.#lines += 1;
    if (this.#last_date !== null) {
      this.#is_rising ||= line.booking_date > this.#last_date;
      this.#is_falling ||= line.booking_date < this.#last_date;
    }
    this.#last_date = line.booking_date;
    if (this.#first_booking_date === null || line.booking_date < this.#first_booking_date) {
      this.#first_booking_date = line.booking_date;
    }
    const { bank_reference, booking_date, amount, bai_code } = line;
    const content = JSON.stringify([bank_reference, booking_date, amount, bai_code]);
    return { ...item, occurrence: this.#occurrences.count(content) };
  }

  /** Takes what is stated after the lines. */
  end({ closing_balance, as_of, currency, problem }: FileStatementEnd): void {
    this.#closing_balance = closing_balance ?? this.#closing_balance;
    this.#head = { ...this.#head, as_of: as_of ?? this.#head.as_of, currency: currency ?? this.#head.currency };
    if (problem !== undefined) this.fail(problem);
  }

  finish(import_id: number): ImportStatement {
    const { kind, problem, ...head } = this.#head;
    const is_lacking = head.opening_balance === null || this.#closing_balance === null;
    const missing = is_lacking && !this.#may_lack_balances ? missingBalance(head.opening_balance === null) : null;
    return {
      ...head,
      import_id,
      closing_balance: this.#closing_balance,
      lines: this.#lines,
      sum: this.sum,
      first_booking_date: this.#first_booking_date,
      is_newest_first: this.#is_falling && !this.#is_rising,
      stated_problem: this.#problem ?? missing,
      status: 'staged',
      problem: null,
      accepted_problems: [],
      statement_id: null,
      is_known: false,
      known_lines: 0,
    };
  }

  /**
   * The lines so far, when the other statement is a further page of this one, which continues from its
   * balance: equals are counted on.
   */
  occurrencesBefore({ account_number, reference, opening_balance }: FileStatement): Occurrences | null {
    const own = this.#head;
    const reached = this.#closing_balance ?? (own.opening_balance ?? 0) + this.#sum;
    const is_same = reference !== null && reference === own.reference && account_number === own.account_number;
    return is_same && opening_balance === reached ? this.#occurrences : null;
  }
}

function missingBalance(is_opening: boolean): StatedProblem {
  return { code: 'balance_missing', message: `it states no ${is_opening ? 'opening' : 'closing'} balance` };
}
