import { Temporal } from '@tallystick/kernel';
import { createDraw, type Draw } from './draw.ts';
import type { SampleClearing } from './messages.ts';

/** How a line belongs to the clearings that it was booked for. */
export type SampleFit = 'exact' | 'rest' | 'fee' | 'set';

/** A booked line of a scenario's account. */
export interface SampleLine {
  /** Unique in the set. */
  readonly bank_reference: string;
  /** Days from the day of the scenario to the booking. */
  readonly booking_days: number;
  /** In the account's sign: credits positive, debits negative. Minor units. */
  readonly amount: number;
  readonly bai_code: string;
  readonly text: string;
  /** 17 or 23 digits, or null. */
  readonly acquirer_reference: string | null;
  /**
   * The transaction ids of the clearings that it pairs with; empty for a line that stands alone.
   */
  readonly clearings: readonly string[];
  /** How it pairs; null for a line that stands alone. */
  readonly fit: SampleFit | null;
  /** How many covering sets with it are listed because none is the only one. */
  readonly offers: number;
}

/** How the line of a clearing differs from the default: its amount, on its settlement date. */
export interface LineChange {
  /** Days from the settlement to the booking. */
  readonly lag?: number;
  /** In minor units, purchases positive. */
  readonly amount?: number;
  /** Of a card line. By default that of a purchase, a refund or another credit. */
  readonly bai_code?: string;
  /** `none`: only a covering set can find its clearing. Drawn when absent. */
  readonly reference?: 'whole' | 'short' | 'none';
  readonly fit?: SampleFit;
}

/** Where a line that stands alone differs from a purchase. */
export interface LoneLineChange {
  /** Days from the day of the scenario. */
  readonly booking_days: number;
  /** Purchases positive. */
  readonly amount: number;
  readonly bai_code?: string;
  readonly acquirer_reference: string | null;
  readonly offers?: number;
  readonly text?: string;
}

/** The days between the day of a set and its first statement. What settled before needs no line. */
export const first_statement_days = 1;

/** The last day with a booking: that of the latest clearing, and the longest way of its line. */
export const last_statement_days = 43;

const lines_max = 16;

/** BIN and sequence of a reference of 23 digits: the 17 digits that some banks state. */
export function shortReference(reference: string): string {
  return reference.slice(1, 7) + reference.slice(11, 22);
}

/**
 * The lines of a scenario's account while its kind writes it. A clearing that the kind says nothing
 * about has one line of its amount.
 */
export class StatementDraft {
  readonly #draw: Draw;
  readonly #number: number;
  readonly #day: Temporal.PlainDate;
  readonly #lines: SampleLine[] = [];
  readonly #done = new Set<string>();
  readonly #offers = new Map<string, number>();
  readonly #reported: SampleLine[] = [];
  readonly #late_days: number | null;

  constructor(place: {
    readonly seed: number;
    readonly number: number;
    readonly day: string;
    readonly late_days: number | null;
  }) {
    // The draws of the network's side stay those of a set without statements.
    this.#draw = createDraw(place.seed + 0x1_0000_0000, place.number);
    this.#number = place.number;
    this.#day = Temporal.PlainDate.from(place.day);
    this.#late_days = place.late_days;
  }

  /** Books a line for a clearing. Several lines may be booked for one. */
  book(clearing: SampleClearing, change: LineChange = {}): SampleLine {
    return this.bookFor([clearing], change);
  }

  /** Books one line for several clearings, of their sum. */
  bookFor(clearings: readonly SampleClearing[], change: LineChange = {}): SampleLine {
    const first = clearings[0]!;
    const whole = clearings.reduce((sum, one) => sum + signedAmount(one), 0);
    const { lag = 0, amount = whole, fit = 'exact', reference = this.#draw.pick(['whole', 'short'] as const) } = change;
    const stated = first.input.acquirer_reference_data;
    for (const { input } of clearings) this.#done.add(input.network_financial_transaction_id);
    return this.#add({
      booking_days: this.#daysTo(first.input.settlement_date) + lag,
      amount: -amount,
      bai_code: change.bai_code ?? codeFor(first, amount),
      text: first.input.merchant_name.toUpperCase(),
      acquirer_reference:
        stated === null || reference === 'none' ? null : reference === 'short' ? shortReference(stated) : stated,
      clearings: clearings.map(({ input }) => input.network_financial_transaction_id),
      fit,
      offers: 0,
    });
  }

  /** No line is booked for the clearing. `offers`: the covering sets that are listed for it. */
  leaveOut(clearing: SampleClearing, offers = 0): void {
    const id = clearing.input.network_financial_transaction_id;
    this.#done.add(id);
    this.#offers.set(id, offers);
  }

  /** Books a line that no clearing explains. */
  bookAlone(line: LoneLineChange): void {
    const { booking_days, amount, bai_code = '821', acquirer_reference, offers = 0, text = 'UNKNOWN MERCHANT' } = line;
    this.#add({ booking_days, amount: -amount, bai_code, text, acquirer_reference, clearings: [], fit: null, offers });
  }

  /** Books a line that is no card line. `amount` in the account's sign. */
  bookOther(booking_days: number, bai_code: string, amount: number, text: string): void {
    const alone = { acquirer_reference: null, clearings: [], fit: null, offers: 0 };
    this.#add({ booking_days, amount, bai_code, text, ...alone });
  }

  /**
   * The bank reports a purchase by itself, which no statement has: with the reference of a line that
   * has another amount, or (null) with one of its own.
   */
  report(booking_days: number, amount: number, text: string, bank_reference: string | null): void {
    const alone = { acquirer_reference: null, clearings: [], fit: null, offers: 0 };
    const number = this.#number * lines_max + lines_max - 1 - this.#reported.length;
    const reference = bank_reference ?? referenceOf(number);
    this.#reported.push({ booking_days, amount: -amount, bai_code: '821', text, ...alone, bank_reference: reference });
  }

  get reported(): readonly SampleLine[] {
    return this.#reported;
  }

  /** The lines, with those of the clearings that the kind did not mention. */
  finish(clearings: readonly SampleClearing[]): readonly SampleLine[] {
    const applied = clearings.filter(isApplied);
    const rest = applied.filter(({ input }) => !this.#done.has(input.network_financial_transaction_id));
    // Of clearings with one reference and amount, the line on its own date finds each.
    const lag = applied.length === 1 ? this.#draw.pick([0, 0, 0, 0, 1, 2, 3]) : 0;
    for (const clearing of rest) this.book(clearing, { lag });
    return this.#lines;
  }

  offersOf(transaction_id: string): number {
    return this.#offers.get(transaction_id) ?? 0;
  }

  #daysTo(date: string): number {
    return this.#day.until(Temporal.PlainDate.from(date), { largestUnit: 'days' }).days;
  }

  #add(line: Omit<SampleLine, 'bank_reference'>): SampleLine {
    if (this.#lines.length === lines_max) throw new RangeError('a scenario has too many lines');
    const { booking_days } = line;
    const is_possible = booking_days >= first_statement_days && booking_days <= last_statement_days;
    if (!is_possible && booking_days !== this.#late_days) {
      throw new RangeError(`a line is booked ${booking_days} days after the authorizations`);
    }
    const number = this.#number * lines_max + this.#lines.length;
    const added = { ...line, bank_reference: referenceOf(number) };
    this.#lines.push(added);
    return added;
  }
}

function referenceOf(number: number): string {
  return `BK${String(number).padStart(11, '0')}`;
}

/** Whether the clearing changes anything: it is no duplicate, and is not quarantined. */
export function isApplied({ expected }: SampleClearing): boolean {
  return expected.quarantine === null && expected.duplicate_of === null;
}

/** The amount of a clearing: purchases positive, credits negative. */
export function signedAmount({ input: { clearing_type, billing_amount } }: SampleClearing): number {
  return clearing_type === 'DEBIT' ? billing_amount : -billing_amount;
}

/** A purchase, a refund, or another credit: of a reversal or a dispute. */
function codeFor({ input: { cycle } }: SampleClearing, amount: number): string {
  if (amount > 0) return '821';
  return cycle === 'first_presentment' ? '824' : '822';
}
