import type { SampleBreakKind } from '../scenarios/break-answer.ts';
import type { SampleLine } from '../scenarios/statement-draft.ts';
import type { SampleClass } from './expected.ts';
import { type ExpectedItem, isCardLine, type SampleAgeBucket, type SampleItemStatus } from './expected-items.ts';

interface CountAndSum {
  readonly count: number;
  /** Minor units: of what is stated less fees, else cleared, else authorized. */
  readonly sum: number;
}

type Totals<Key extends string> = Readonly<Partial<Record<Key, CountAndSum>>>;

/** The totals of all items of a set at the end of a day. What has no items is left out. */
export interface ExpectedSummary {
  readonly kind: 'summary';
  /** YYYY-MM-DD. */
  readonly today: string;
  readonly by_status: Totals<SampleItemStatus>;
  /** Of breaks. */
  readonly by_kind: Totals<SampleBreakKind>;
  /** Of items with a clearing. */
  readonly by_class: Totals<SampleClass>;
  /** Of breaks. */
  readonly by_age: Totals<SampleAgeBucket>;
}

/**
 * The way from the first opening to the last closing balance of the account of a set, in its sign.
 */
export interface ExpectedBridge {
  readonly kind: 'bridge';
  /** YYYY-MM-DD. */
  readonly today: string;
  readonly opening_balance: number;
  readonly card_lines: number;
  readonly other_lines: number;
  readonly closing_balance: number;
  /** Of the items that have a line. */
  readonly clearings: number;
  readonly fees: number;
  readonly authorized: number;
  readonly unexplained_sum: number;
}

export function summarizeItems(items: Iterable<ExpectedItem>, today: string): ExpectedSummary {
  const summary = {
    by_status: new Tally<SampleItemStatus>(),
    by_kind: new Tally<SampleBreakKind>(),
    by_class: new Tally<SampleClass>(),
    by_age: new Tally<SampleAgeBucket>(),
  };
  for (const item of items) {
    const amount = amountOf(item);
    summary.by_status.add(item.status, amount);
    summary.by_kind.add(item.break_kind, amount);
    summary.by_class.add(item.class, amount);
    summary.by_age.add(item.age, amount);
  }
  return {
    kind: 'summary',
    today,
    by_status: summary.by_status.totals,
    by_kind: summary.by_kind.totals,
    by_class: summary.by_class.totals,
    by_age: summary.by_age.totals,
  };
}

/** Adds up the account of a set over all its statements. */
export function bridgeOf(
  parts: Iterable<{ readonly items: readonly ExpectedItem[]; readonly lines: readonly SampleLine[] }>,
  opening_balance: number,
  today: string,
): ExpectedBridge {
  const sums = { card_lines: 0, other_lines: 0, clearings: 0, fees: 0, authorized: 0, unexplained_sum: 0 };
  for (const { items, lines } of parts) {
    const amounts = new Map(lines.map((line) => [line.bank_reference, line.amount]));
    for (const line of lines) {
      if (isCardLine(line)) sums.card_lines += line.amount;
      else sums.other_lines += line.amount;
    }
    for (const item of items) {
      if (item.lines.length === 0) continue;
      if (item.cleared !== null) {
        sums.clearings -= item.cleared;
        sums.fees -= item.fees;
        sums.authorized -= item.authorized ?? 0;
      } else if (item.status === 'break') {
        for (const line of item.lines) sums.unexplained_sum += amounts.get(line) ?? 0;
      }
    }
  }
  const closing_balance = opening_balance + sums.card_lines + sums.other_lines;
  return { kind: 'bridge', today, opening_balance, closing_balance, ...sums };
}

function amountOf({ stated, fees, cleared, authorized }: ExpectedItem): number {
  if (cleared === null && authorized === null) return stated ?? 0;
  return stated !== null ? stated - fees : (cleared ?? authorized ?? 0);
}

class Tally<Key extends string> {
  readonly totals: Partial<Record<Key, CountAndSum>> = {};

  /** A null key counts nowhere. */
  add(key: Key | null, amount: number): void {
    if (key === null) return;
    const { count, sum } = this.totals[key] ?? { count: 0, sum: 0 };
    this.totals[key] = { count: count + 1, sum: sum + amount };
  }
}
