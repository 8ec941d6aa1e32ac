import { type Money, money, Temporal } from '@tallystick/kernel';
import { billing_currency, type Scenario } from './scenarios/scenario.ts';
import { first_statement_days, type SampleLine } from './scenarios/statement-draft.ts';

/** A statement of one day, as the writer of a format takes it. */
export interface SampleStatement {
  readonly head: {
    readonly account_number: string;
    readonly currency: string;
    readonly reference: string;
    /** YYYY-MM-DD. */
    readonly as_of: string;
    readonly opening_balance: Money;
    readonly closing_balance: Money;
  };
  /** Taken once, in the order of the set. */
  readonly lines: Iterable<SampleStatementLine>;
}

/** A line as the writer of a format takes it. */
export interface SampleStatementLine {
  readonly bank_reference: string;
  readonly booking_date: string;
  readonly value_date: string;
  readonly amount: Money;
  readonly bai_code: string;
  readonly text: string;
  readonly acquirer_reference: string | null;
}

/** The balance of the account before the first statement, in minor units. */
export const sample_opening_balance = 1_000_000_00;

/** The most lines that are kept while statements are made. */
const kept_lines_max = 100_000;

/**
 * The statements of a set: one for each day, from the first to the last, each opening with the
 * balance with which the one before closed. The scenarios are in the order of their numbers and not
 * of their days, so they are made again for some days at a time: as many as have not more lines
 * than may be kept.
 */
export function* statementsOf(
  scenarios: () => Iterable<Scenario>,
  day: string,
  last_days: number,
  account_number: string,
): Generator<SampleStatement> {
  const booked = bookedLines(day, scenarios);
  const totals = totalsOf(booked(), last_days);
  let balance = sample_opening_balance;
  for (const days of daysAtOnce(totals)) {
    const kept = days.length === 1 ? null : linesOf(booked(), days);
    for (const number of days) {
      const opening_balance = money(balance);
      balance += totals.get(number)!.sum;
      const as_of = Temporal.PlainDate.from(day).add({ days: number }).toString();
      yield {
        head: {
          account_number,
          currency: billing_currency,
          reference: `${account_number}-${as_of}`,
          as_of,
          opening_balance,
          closing_balance: money(balance),
        },
        lines: written(kept?.get(number) ?? linesOfDay(booked(), number), as_of),
      };
    }
  }
}

interface DayTotal {
  count: number;
  sum: number;
}

/** A line with its day, in days from that of the set. */
interface BookedLine {
  readonly line: SampleLine;
  readonly days: number;
}

/** Also the lines that come late. */
function bookedLines(day: string, scenarios: () => Iterable<Scenario>): () => Iterable<BookedLine> {
  const first = Temporal.PlainDate.from(day);
  return function* () {
    for (const { day: of_scenario, lines, late } of scenarios()) {
      const offset = first.until(Temporal.PlainDate.from(of_scenario), { largestUnit: 'days' }).days;
      for (const line of [...lines, ...late.lines]) yield { line, days: offset + line.booking_days };
    }
  };
}

function totalsOf(booked: Iterable<BookedLine>, last_days: number): ReadonlyMap<number, DayTotal> {
  const totals = new Map<number, DayTotal>();
  for (let number = first_statement_days; number <= last_days; number += 1) {
    totals.set(number, { count: 0, sum: 0 });
  }
  for (const { line, days } of booked) {
    const total = totals.get(days)!;
    total.count += 1;
    total.sum += line.amount;
  }
  return totals;
}

/** Days in their order, together while their lines may be kept. */
function daysAtOnce(totals: ReadonlyMap<number, DayTotal>): readonly (readonly number[])[] {
  const groups: number[][] = [];
  let kept = Number.POSITIVE_INFINITY;
  for (const [number, { count }] of totals) {
    if (kept + count > kept_lines_max) {
      groups.push([]);
      kept = 0;
    }
    groups.at(-1)!.push(number);
    kept += count;
  }
  return groups;
}

function linesOf(booked: Iterable<BookedLine>, of_days: readonly number[]): ReadonlyMap<number, readonly SampleLine[]> {
  const kept = new Map<number, SampleLine[]>(of_days.map((number) => [number, []]));
  for (const { line, days } of booked) kept.get(days)?.push(line);
  return kept;
}

function* linesOfDay(booked: Iterable<BookedLine>, number: number): Generator<SampleLine> {
  for (const { line, days } of booked) if (days === number) yield line;
}

/** Lines that the bank reported by itself, as records of its channel (`POST /bank/v1/records`). */
export function* reportedRecords(scenarios: Iterable<Scenario>, account: string) {
  for (const { day, reported } of scenarios) {
    for (const { bank_reference, booking_days, amount, bai_code, text } of reported) {
      const booking_date = Temporal.PlainDate.from(day).add({ days: booking_days }).toString();
      yield { kind: 'transaction', account, bank_reference, booking_date, amount, bai_code, text };
    }
  }
}

function* written(lines: Iterable<SampleLine>, as_of: string): Generator<SampleStatementLine> {
  for (const { bank_reference, amount, bai_code, text, acquirer_reference } of lines) {
    yield {
      bank_reference,
      booking_date: as_of,
      value_date: as_of,
      amount: money(amount),
      bai_code,
      text,
      acquirer_reference,
    };
  }
}
