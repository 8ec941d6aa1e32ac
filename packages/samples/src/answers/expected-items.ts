import { Temporal } from '@tallystick/kernel';
import type { SampleBreakKind } from '../scenarios/break-answer.ts';
import type { SampleClearing, SampleMessage } from '../scenarios/messages.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { first_statement_days, isApplied, type SampleLine, signedAmount } from '../scenarios/statement-draft.ts';
import type { SampleClass } from './expected.ts';

/** The statuses that an item of a set can have: no person has acted on it. */
export type SampleItemStatus = 'break' | 'proposed' | 'awaiting' | 'matched';

export type SampleAgeBucket = '0-1' | '2-3' | '4-7' | '8-30' | 'over 30';

/**
 * What must have become of a purchase, a lone clearing or a lone card line, at the end of a day and
 * once everything has arrived. Amounts in minor units, purchases positive.
 */
export interface ExpectedItem {
  readonly kind: 'item';
  readonly scenario: string;
  /** The index of its card, or null for a lone line. */
  readonly card: number | null;
  /** Trace ids. */
  readonly authorizations: readonly string[];
  /** Transaction ids, as the messages have them. */
  readonly clearings: readonly string[];
  /** Bank references. */
  readonly lines: readonly string[];
  /** Which line belongs to which clearing. */
  readonly pairs: readonly { readonly line: string; readonly clearing: string }[];
  readonly status: SampleItemStatus;
  readonly break_kind: SampleBreakKind | null;
  readonly class: SampleClass | null;
  /** The weakest rule that made one of its matches. */
  readonly rule: string | null;
  readonly authorized: number | null;
  readonly cleared: number | null;
  readonly stated: number | null;
  readonly fees: number;
  readonly difference: number;
  readonly settlement_date: string | null;
  /** What is missing is due, or it is a break since then; null when neither. */
  readonly due_date: string | null;
  /** Of a break. */
  readonly age: SampleAgeBucket | null;
  /** How many covering sets are listed for it that were not applied. */
  readonly offers: number;
}

/** An approved authorization with what it adds up to. */
interface Authorized {
  readonly trace_id: string;
  readonly amount: number;
  readonly status: string;
}

interface Records {
  readonly authorizations: Authorized[];
  readonly clearings: SampleClearing[];
  readonly lines: SampleLine[];
}

/** Days to a missing line, and to the clearing of a lone line. */
const patience_days = 3;

const fee_codes: readonly string[] = ['825', '826'];

const card_codes: readonly string[] = ['391', '691', '821', '822', '824', '825', '826'];

/** Whether a line is one of a card: all others are in no item. */
export function isCardLine({ bai_code }: SampleLine): boolean {
  return card_codes.includes(bai_code);
}

/** The items of a scenario at the end of a day (YYYY-MM-DD), before what comes late. */
export function itemsOf(scenario: Scenario, today: string): readonly ExpectedItem[] {
  return recordsOf(scenario).map((records) => new ItemAnswer(scenario, records, today).answer());
}

function recordsOf(scenario: Scenario): readonly Records[] {
  const owners = new Map<string, Records>();
  const all: Records[] = [];
  const ownerOf = (keys: readonly string[]): Records => {
    const found = [...new Set(keys.flatMap((key) => owners.get(key) ?? []))];
    const owner = found[0] ?? { authorizations: [], clearings: [], lines: [] };
    if (found.length === 0) all.push(owner);
    // A line of several clearings makes one item of their purchases.
    for (const other of found.slice(1)) {
      owner.authorizations.push(...other.authorizations);
      owner.clearings.push(...other.clearings);
      owner.lines.push(...other.lines);
      all.splice(all.indexOf(other), 1);
      for (const [key, of_key] of owners) if (of_key === other) owners.set(key, owner);
    }
    for (const key of keys) owners.set(key, owner);
    return owner;
  };
  for (const authorized of authorizedIn(scenario)) ownerOf([authorized.trace_id]).authorizations.push(authorized);
  for (const clearing of scenario.clearings.filter(isApplied)) {
    const { transaction_id, authorization, earlier } = clearing.expected;
    ownerOf([transaction_id, authorization, earlier].filter((key) => key !== null)).clearings.push(clearing);
  }
  for (const line of scenario.lines.filter(isCardLine)) {
    ownerOf(line.clearings.length === 0 ? [line.bank_reference] : line.clearings).lines.push(line);
  }
  return all.filter(
    ({ authorizations, clearings, lines }) =>
      clearings.length > 0 || lines.length > 0 || authorizations.some(({ amount }) => amount !== 0),
  );
}

/** The approved authorizations. What their increments and reversals make of them may be 0. */
function authorizedIn({ authorizations, expected }: Scenario): readonly Authorized[] {
  const amounts = new Map<string, number>();
  for (const { message } of authorizations) {
    amounts.set(message.trace_id, amountAfter(message, amounts.get(message.trace_id) ?? 0));
  }
  return expected
    .filter(({ status }) => status !== 'declined')
    .map(({ trace_id, status }) => ({ trace_id, status, amount: amounts.get(trace_id) ?? 0 }));
}

function amountAfter(message: SampleMessage, before: number): number {
  if (message.message_type_indicator === '0400') return message.replacement_amounts?.billing_amount ?? 0;
  // A refund authorizes a credit. Those of the sets are all cleared.
  if (message.card_holder_transaction_type_code === '20') return -message.billing_amount;
  return (message.incremental === true ? before : 0) + message.billing_amount;
}

interface Finding {
  /** Null: awaited for a time, and then not missed. */
  readonly kind: SampleBreakKind | null;
  readonly due: Temporal.PlainDate;
  /** The last day on which it is awaited; null for a break at once. */
  readonly awaited_to: Temporal.PlainDate | null;
  readonly clearings: readonly SampleClearing[];
}

const by_precedence: readonly SampleBreakKind[] = [
  'suspected_duplicate',
  'unauthorized',
  'amount',
  'uncleared',
  'unstated',
  'unexplained_line',
];

const by_certainty: readonly string[] = ['ard', '1', '2', '3', '4', '5', '6', '7', 'covering_set', '8'];

/** One item: its amounts, what is missing or differs, and what that makes of it. */
class ItemAnswer {
  readonly #scenario: Scenario;
  readonly #records: Records;
  readonly #day: Temporal.PlainDate;
  readonly #today: Temporal.PlainDate;
  /** Clearings that a reversal undid: neither a break of their class nor a proposal. */
  readonly #undone: ReadonlySet<string | null>;

  constructor(scenario: Scenario, records: Records, today: string) {
    this.#scenario = scenario;
    this.#records = records;
    this.#day = Temporal.PlainDate.from(scenario.day);
    this.#today = Temporal.PlainDate.from(today);
    this.#undone = new Set(
      records.clearings.filter(({ expected }) => expected.rule === 1).map(({ expected }) => expected.earlier),
    );
  }

  answer(): ExpectedItem {
    const { authorizations, clearings, lines } = this.#records;
    const findings = this.#findings();
    const pending = findings.filter(({ awaited_to }) => awaited_to !== null && isBy(this.#today, awaited_to));
    const breaks = findings.filter((finding) => finding.kind !== null && !pending.includes(finding));
    const worst = by_precedence.find((kind) => breaks.some((finding) => finding.kind === kind)) ?? null;
    const shown = worst === null ? pending : breaks.filter(({ kind }) => kind === worst);
    const due = earliest(shown.map((finding) => finding.due));
    const proposed = this.#isProposed();
    return {
      kind: 'item',
      scenario: this.#scenario.name,
      card: authorizations.length + clearings.length > 0 ? this.#scenario.card : null,
      authorizations: authorizations.map(({ trace_id }) => trace_id),
      clearings: clearings.map(({ expected }) => expected.transaction_id),
      lines: lines.map(({ bank_reference }) => bank_reference),
      pairs: lines.flatMap((line) => line.clearings.map((clearing) => ({ line: line.bank_reference, clearing }))),
      status: worst !== null ? 'break' : proposed ? 'proposed' : pending.length > 0 ? 'awaiting' : 'matched',
      break_kind: worst,
      class: this.#class(worst === null ? [] : shown.flatMap((finding) => finding.clearings)),
      rule: this.#rule(),
      ...this.#amounts(),
      settlement_date: clearings.at(-1)?.input.settlement_date ?? null,
      due_date: due?.toString() ?? null,
      age: worst === null || due === null ? null : bucketOf(due.until(this.#today, { largestUnit: 'days' }).days),
      offers:
        clearings.reduce((sum, { expected }) => sum + this.#scenario.offersOf(expected.transaction_id), 0) +
        lines.reduce((sum, { offers }) => sum + offers, 0),
    };
  }

  #findings(): readonly Finding[] {
    const { authorizations, clearings, lines } = this.#records;
    const standing = clearings.filter(({ expected }) => !this.#undone.has(expected.transaction_id));
    return [
      ...standing.flatMap((clearing) => this.#ofClass(clearing)),
      ...authorizations.flatMap((authorized) => this.#awaitedClearing(authorized)),
      ...(clearings.length === 0
        ? lines.map(({ booking_days }) => missing('unexplained_line', this.#after(booking_days), []))
        : []),
      ...clearings.flatMap((clearing) => this.#onStatement(clearing)),
    ];
  }

  #ofClass(clearing: SampleClearing): readonly Finding[] {
    const { class: its_class, review, settlement_date } = clearing.expected;
    // A force post for review fits several authorizations: a tie, which is a proposal.
    const kind =
      its_class === 'suspected_duplicate'
        ? 'suspected_duplicate'
        : its_class === 'force_post' && !review
          ? 'unauthorized'
          : its_class === 'over'
            ? 'amount'
            : null;
    const due = Temporal.PlainDate.from(settlement_date);
    return kind === null ? [] : [{ kind, due, awaited_to: null, clearings: [clearing] }];
  }

  #awaitedClearing({ amount, status, trace_id }: Authorized): readonly Finding[] {
    if (amount === 0 || (status !== 'open' && status !== 'partially_cleared')) return [];
    const due = this.#after(this.#scenario.hold_days);
    const kind = status === 'open' ? 'uncleared' : null;
    const clearings = this.#records.clearings.filter(({ expected }) => expected.authorization === trace_id);
    return [{ kind, due, awaited_to: due.subtract({ days: 1 }), clearings }];
  }

  #onStatement(clearing: SampleClearing): readonly Finding[] {
    const settled = Temporal.PlainDate.from(clearing.expected.settlement_date);
    const lines = this.#linesOf(clearing);
    if (lines.length === 0) {
      if (!isBy(this.#after(first_statement_days), settled) || this.#isUndoneUnbooked(clearing)) return [];
      return [missing('unstated', settled, [clearing])];
    }
    const covered = new Set(lines.flatMap((line) => line.clearings));
    const cleared = this.#records.clearings.filter(({ expected }) => covered.has(expected.transaction_id));
    const differs = sum(lines.map(statedAmount)) !== sum(cleared.map(signedAmount));
    return differs ? [{ kind: 'amount', due: settled, awaited_to: null, clearings: [clearing] }] : [];
  }

  #linesOf({ expected }: SampleClearing): readonly SampleLine[] {
    return this.#records.lines.filter((line) => line.fit !== 'fee' && line.clearings.includes(expected.transaction_id));
  }

  /** Whether a reversal undid the clearing, or it is that reversal, and the bank booked neither. */
  #isUndoneUnbooked({ expected }: SampleClearing): boolean {
    const { clearings } = this.#records;
    const undone = expected.rule === 1 ? expected.earlier : expected.transaction_id;
    const reversals = clearings.filter((one) => one.expected.rule === 1 && one.expected.earlier === undone);
    const group = [...reversals, ...clearings.filter((one) => one.expected.transaction_id === undone)];
    const is_booked = group.some((one) => this.#linesOf(one).length > 0);
    return reversals.length > 0 && !is_booked && sum(group.map(signedAmount)) === 0;
  }

  #isProposed(): boolean {
    const isUncertain = ({ expected }: SampleClearing): boolean =>
      !this.#undone.has(expected.transaction_id) &&
      (expected.review ||
        ([5, 6, 7].includes(expected.rule ?? 0) && (expected.authorization ?? expected.earlier) !== null));
    return this.#records.lines.some(({ fit }) => fit === 'set') || this.#records.clearings.some(isUncertain);
  }

  /**
   * That of what the break is about, else of the newest presentment of a purchase, else the newest.
   */
  #class(concerned: readonly SampleClearing[]): SampleClass | null {
    const isPurchase = ({ expected }: SampleClearing): boolean =>
      expected.cycle === 'first_presentment' && !expected.class?.startsWith('refund_');
    const { clearings } = this.#records;
    const described = concerned.findLast(isPurchase) ?? clearings.findLast(isPurchase) ?? clearings.at(-1);
    return described?.expected.class ?? null;
  }

  #rule(): string | null {
    const { clearings, lines } = this.#records;
    const rules = new Set([
      ...clearings.map(({ expected }) => String(expected.rule)),
      ...lines.filter(({ fit }) => fit !== null).map(({ fit }) => (fit === 'set' ? 'covering_set' : 'ard')),
    ]);
    return by_certainty.findLast((rule) => rules.has(rule)) ?? null;
  }

  #amounts(): Pick<ExpectedItem, 'authorized' | 'cleared' | 'stated' | 'fees' | 'difference'> {
    const { authorizations, clearings, lines } = this.#records;
    const authorized = authorizations.length === 0 ? null : sum(authorizations.map(({ amount }) => amount));
    const cleared = clearings.length === 0 ? null : sum(clearings.map(signedAmount));
    const fees = sum(lines.filter(({ bai_code }) => fee_codes.includes(bai_code)).map(statedAmount));
    const is_stated = clearings.length === 0 ? lines.length > 0 : lines.some(({ fit }) => fit !== 'fee');
    const stated = is_stated ? sum(lines.map(statedAmount)) : null;
    const actual = stated === null ? (cleared ?? 0) : stated - fees;
    return { authorized, cleared, stated, fees, difference: actual - (authorized ?? cleared ?? 0) };
  }

  #after(days: number): Temporal.PlainDate {
    return this.#day.add({ days });
  }
}

/** The amount of a line as items have it: purchases positive. */
function statedAmount({ amount }: SampleLine): number {
  return amount === 0 ? 0 : -amount;
}

function missing(kind: SampleBreakKind, date: Temporal.PlainDate, clearings: readonly SampleClearing[]): Finding {
  const due = date.add({ days: patience_days });
  return { kind, due, awaited_to: due, clearings };
}

/** Whether a date is not after another one. */
function isBy(date: Temporal.PlainDate, other: Temporal.PlainDate): boolean {
  return Temporal.PlainDate.compare(date, other) <= 0;
}

function earliest(dates: readonly Temporal.PlainDate[]): Temporal.PlainDate | null {
  return dates.toSorted(Temporal.PlainDate.compare)[0] ?? null;
}

function bucketOf(days: number): SampleAgeBucket {
  if (days <= 1) return '0-1';
  if (days <= 3) return '2-3';
  if (days <= 7) return '4-7';
  return days <= 30 ? '8-30' : 'over 30';
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
