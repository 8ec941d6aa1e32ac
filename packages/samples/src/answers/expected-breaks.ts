import type { BreakAnswer, BreakAnswers, SampleBreakKind } from '../scenarios/break-answer.ts';
import { billing_currency, type Scenario } from '../scenarios/scenario.ts';
import type { ExpectedItem } from './expected-items.ts';

/** Records by the names that the network and the bank give them. */
interface NamedRecords {
  /** Trace ids. */
  readonly authorizations: readonly string[];
  /** Transaction ids, as the messages have them. */
  readonly clearings: readonly string[];
  /** Bank references. A line that the bank reported by itself has `reported:` before it. */
  readonly lines: readonly string[];
}

/** A break of a month with the right act. */
export interface ExpectedBreak extends NamedRecords, BreakAnswer {
  readonly kind: 'break';
  readonly break_kind: keyof BreakAnswers;
  readonly scenario: string;
  /** The index of its card, or null for a lone line. */
  readonly card: number | null;
  /** Minor units: of what is stated less fees, else cleared, else authorized. */
  readonly amount: number;
  readonly currency: string;
  /** Of a match: the records of the other side; empty for another act. */
  readonly with: NamedRecords;
}

const no_records: NamedRecords = { authorizations: [], clearings: [], lines: [] };

/** The breaks of a scenario, whose items are given, and what comes late. */
export function breaksOf(scenario: Scenario, items: readonly ExpectedItem[]): readonly ExpectedBreak[] {
  const { name, breaks, late, card, reported } = scenario;
  const found = items.filter(({ status }) => status === 'break');
  const acting = found.find((item) => isMatch(answerFor(scenario, item.break_kind!)));
  const of_items = found.map((item): ExpectedBreak => {
    const { what, act } = answerFor(scenario, item.break_kind!);
    return {
      ...{ kind: 'break', break_kind: item.break_kind!, scenario: name, card: item.card, currency: billing_currency },
      ...{ authorizations: item.authorizations, clearings: item.clearings, lines: item.lines },
      amount: item.stated !== null ? item.stated - item.fees : (item.cleared ?? item.authorized ?? 0),
      what,
      // One match joins all items of the scenario.
      act: acting === undefined || item === acting ? act : null,
      with: item === acting ? recordsOf(found.filter((other) => other !== acting)) : no_records,
    };
  });
  const { late_change, bank_line_differs } = breaks;
  const others = {
    kind: 'break',
    scenario: name,
    currency: billing_currency,
    authorizations: [],
    with: no_records,
  } as const;
  const of_reported = reported.flatMap(({ bank_reference, amount }): readonly ExpectedBreak[] => {
    const lines = [`reported:${bank_reference}`];
    if (bank_line_differs === undefined) return [];
    const records = { card: null, clearings: [], lines, amount: -amount };
    return [{ ...others, break_kind: 'bank_line_differs', ...records, ...bank_line_differs }];
  });
  const found_breaks = [...of_items, ...of_reported];
  if (late_change === undefined) return found_breaks;
  const clearings = late.clearings.map(({ expected }) => expected.transaction_id);
  const lines = late.lines.map(({ bank_reference }) => bank_reference);
  const amount = late.clearings.reduce(
    (sum, { input }) => sum + (input.clearing_type === 'DEBIT' ? input.billing_amount : -input.billing_amount),
    0,
  );
  return [...found_breaks, { ...others, break_kind: 'late_change', card, clearings, lines, amount, ...late_change }];
}

function answerFor({ name, breaks }: Scenario, kind: SampleBreakKind): BreakAnswer {
  const answer = breaks[kind];
  if (answer === undefined) throw new RangeError(`${name} says nothing about its break of the kind ${kind}`);
  return answer;
}

function isMatch({ act }: BreakAnswer): boolean {
  return act === 'match' || act === 'match_and_accept';
}

/** A purchase that has a clearing is named by it. */
function recordsOf(items: readonly ExpectedItem[]): NamedRecords {
  return {
    authorizations: items.flatMap(({ authorizations, clearings }) => (clearings.length === 0 ? authorizations : [])),
    clearings: items.flatMap((item) => item.clearings),
    lines: items.flatMap((item) => item.lines),
  };
}
